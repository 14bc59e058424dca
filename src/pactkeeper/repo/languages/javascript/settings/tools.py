"""How each tool's settings determine which files hold tests; without settings, the tool's defaults apply."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from pactkeeper.ledger.documents import read_toml
from pactkeeper.repo.languages.javascript.settings.built import mocha, with_sources
from pactkeeper.repo.languages.javascript.settings.runner import Runner, globbed, is_pattern, place
from pactkeeper.repo.languages.javascript.settings.vitest import jest, playwright, vitest

if TYPE_CHECKING:
    from pactkeeper.repo.languages.javascript.settings.packages import Package, Reader

_AWAY: Final = ("**/node_modules/**",)
_NODE_DEFAULT: Final = (
    "**/*{.,-,_}test.?(c|m)[jt]s",
    "**/test-*.?(c|m)[jt]s",
    "**/test.?(c|m)[jt]s",
    "**/test/**/*.?(c|m)[jt]s",
)


def node(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Read node:test runners: borp's settings files, and files named by scripts, else the default patterns."""
    runners = []
    head = len(package.folder) + 1 if package.folder else 0
    folders = {path[head:].partition("/")[0] for path in reader.files.paths if path.startswith(package.folder)}
    for path in found:
        files = reader.listed(reader.evaluated(path) or {}, "files", path)
        runners.append(globbed("node:test", package.folder, files or _NODE_DEFAULT, exclude=_AWAY))
    for command in package.commands:
        named = [name for name in command.files if re.search(r"[/.*]", name) or name in folders]
        if command.framework == "node:test" and (named or not runners):
            files = with_sources(reader, package.folder, [_expanded(name) for name in named])
            runners.append(globbed("node:test", package.folder, files or _NODE_DEFAULT, exclude=_AWAY))
    return runners


def _expanded(name: str) -> str:
    name = name.rstrip("/")
    return name if is_pattern(name) or posixpath.splitext(name)[1] else f"{name}/**/*.?(c|m)[jt]s"


def jasmine(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Read Jasmine's `spec_dir` and `spec_files`."""
    runners = []
    for path in found:
        options = reader.evaluated(path) or {}
        start = options.get("spec_dir")
        folder = place(package.folder, start if isinstance(start, str) else "spec")
        files = reader.listed(options, "spec_files", path) or ["**/*[sS]pec.?(m)js"]
        wanted = [pattern for pattern in files if not pattern.startswith("!")]
        unwanted = [pattern[1:] for pattern in files if pattern.startswith("!")]
        runners.append(globbed("jasmine", folder, wanted, exclude=unwanted))
    if not runners:
        patterns = ("spec/**/*[sS]pec.?(m)js", "**/*.spec.?(c|m)[jt]s?(x)")
        runners.append(globbed("jasmine", package.folder, patterns, exclude=_AWAY))
    return runners


def cypress(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Read Cypress's `specPattern` for end-to-end and component testing, or the folders of older versions."""
    runners = []
    for path in found:
        options = reader.evaluated(path) or {}
        include: list[str] = []
        exclude: list[str] = []
        for part, default in (("e2e", "cypress/e2e/**/*.cy.{js,jsx,ts,tsx}"), ("component", "**/*.cy.{js,jsx,ts,tsx}")):
            settings = options.get(part)
            if isinstance(settings, dict) or part == "e2e":
                settings = settings if isinstance(settings, dict) else {}
                include += reader.listed(settings, "specPattern", path) or [default]
                exclude += reader.listed(settings, "excludeSpecPattern", path) or []
        older = options.get("integrationFolder")
        if path.endswith("cypress.json"):
            include.append(f"{older if isinstance(older, str) else 'cypress/integration'}/**/*.?(c|m)[jt]s?(x)")
        runners.append(globbed("cypress", package.folder, include, exclude=exclude))
    return runners or [globbed("cypress", package.folder, ("cypress/{e2e,integration}/**/*.?(c|m)[jt]s?(x)",))]


def bun(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Read Bun's runner: its patterns below `[test] root`."""
    import tomllib  # noqa: PLC0415 - few repositories have the file

    folder = package.folder
    for path in found:
        try:
            settings = read_toml((reader.files.read(path) or b"").decode("utf-8", "replace"))
        except tomllib.TOMLDecodeError as error:
            reader.unknown(path, f"[test] ({error})", None)
            continue
        root = settings.get("test", {}).get("root")
        folder = place(folder, root) if isinstance(root, str) else folder
    uses = any(command.framework == "bun" for command in package.commands)
    patterns = ("**/*{.test,_test_,_test,.spec,_spec_,_spec}.?(c|m)[jt]s?(x)",)
    return [globbed("bun", folder, patterns, exclude=_AWAY)] if uses else []


def deno(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Read Deno's `test.include` and `test.exclude`, else its default patterns."""
    runners = []
    for path in found:
        settings = reader.evaluated(path) or {}
        options = settings.get("test")
        options = options if isinstance(options, dict) else {}
        exclude = (reader.listed(options, "exclude", path) or []) + (reader.listed(settings, "exclude", path) or [])
        include = [_below(name) for name in reader.listed(options, "include", path) or ["."]]
        ignored = [*exclude, *(f"{name.rstrip('/')}/**" for name in exclude if not is_pattern(name)), *_AWAY]
        flat = [pattern for patterns in include for pattern in patterns]
        runners.append(globbed("deno", package.folder, flat, exclude=ignored))
    return runners


def _below(name: str) -> list[str]:
    if is_pattern(name) or posixpath.splitext(name)[1]:
        return [name]
    head = "" if name in {".", "./"} else name.rstrip("/") + "/"
    return [head + "**/{*_,*.,}test.{ts,tsx,mts,js,mjs,jsx}", head + "**/__tests__/**/*.{ts,tsx,mts,js,mjs,jsx}"]


def lab(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Read lab's runner: the files and folders that scripts name, else the folder `test`."""
    del found
    runs = [command for command in package.commands if command.framework == "lab"]
    ending = "?(c|m)[jt]s" if any({"--typescript", "-T"} & {*command.options} for command in runs) else "?(c|m)js"
    given = {name.rstrip("/") for command in runs for name in command.files} or {"test"}
    at = {name: place(package.folder, name) for name in given}  # the value of an option names nothing here
    named = [
        name
        for name in given
        if any(path == at[name] or path.startswith(f"{at[name]}/") for path in reader.files.paths)
    ]
    patterns = [name if posixpath.splitext(name)[1] else f"{name}/**/*.{ending}" for name in named or ["test"]]
    return [globbed("lab", package.folder, patterns, exclude=_AWAY)]


def qunit(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Read QUnit's runner: the files that scripts name, else its default folder."""
    del reader, found
    files = [name for command in package.commands if command.framework == "qunit" for name in command.files]
    patterns = [_expanded(name) for name in files] or ["{test,tests}/**/*.?(c|m)[jt]s"]
    return [globbed("qunit", package.folder, patterns, exclude=_AWAY)]


READERS: Final[dict[str, Callable[[Reader, Package, list[str]], list[Runner]]]] = {
    "vitest": vitest,
    "jest": jest,
    "mocha": mocha,
    "playwright": playwright,
    "node:test": node,
    "jasmine": jasmine,
    "cypress": cypress,
    "bun": bun,
    "deno": deno,
    "qunit": qunit,
    "lab": lab,
}
