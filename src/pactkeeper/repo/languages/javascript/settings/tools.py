"""How each tool's settings determine which files hold tests; without settings, the tool's defaults apply.

Also the sources of compiled test files: `node --test dist/test` runs what `tsc` made from `src/test`.
"""

from __future__ import annotations

import base64
import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.intent.tests import Gap
from pactkeeper.ledger.documents import read_toml
from pactkeeper.repo.languages.javascript.projects.manifest import BUILT
from pactkeeper.repo.languages.javascript.projects.scopes import compiled
from pactkeeper.repo.languages.javascript.settings.runner import (
    NEVER,
    Expressions,
    Runner,
    collected,
    either,
    globbed,
    is_pattern,
    place,
    union,
)
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


_COMPILED = re.compile(r"\.(?:(?:\?\(c\|m\)|[cm])?js|\{(?:[cm]?js,?)+\})\Z")
_SOURCES = ".?(c|m)ts?(x)"
_JAVASCRIPT: Final = re.compile(r"\.[cm]?jsx?\Z")
_NAMED: Final = re.compile(rb"^//[#@] sourceMappingURL=(\S++)\s*+\Z", re.MULTILINE)
_INLINE: Final = re.compile(r"data:application/json;(?:charset=[\w-]+;)?base64,")


def with_sources(reader: Reader, folder: str, patterns: Iterable[str]) -> list[str]:
    """Return the patterns; for those that match no file in the repository, also patterns of their sources."""
    found: list[str] = []
    for pattern in patterns:
        found.append(pattern)
        wanted = union(folder, [pattern])
        if not any(wanted.match(f"/{path}") for path in reader.files.paths):
            found += _sources(reader, folder, pattern)
    return found


def _sources(reader: Reader, folder: str, pattern: str) -> Iterator[str]:
    wanted = posixpath.normpath(posixpath.join(folder, pattern))
    for output, roots in _outputs(reader, folder, wanted):
        rest = wanted.removeprefix(f"{output}/")
        if rest != wanted:
            for root in roots:
                yield "/" + _COMPILED.sub(_SOURCES, posixpath.join(root, rest))


def _outputs(reader: Reader, folder: str, wanted: str) -> Iterator[tuple[str, list[str]]]:
    """Yield a compiler's output folders, with the folders it may read from."""
    yield from compiled(reader.values, folder)
    first = wanted.removeprefix(f"{folder}/").partition("/")[0]
    if first in BUILT:
        yield posixpath.join(folder, first), [posixpath.join(folder, "src"), folder]


def mapped(reader: Reader) -> list[Runner]:
    """Return the runners; where they collect compiled files, with the sources that the files' source maps name."""
    made = tuple(f"{output}/" for output, _ in compiled(reader.values, "") if output)
    built = [path for path in reader.files.paths if _JAVASCRIPT.search(path) and _is_made(path, made)]
    taken = [path for path in built if collected(path, reader.runners)]
    if not taken:
        return reader.runners
    known = frozenset(reader.files.paths)
    sources = {path: found for path in taken if (found := known.intersection(_mapped(reader, path)))}
    runners: list[Runner] = []
    for runner in reader.runners:
        own = [path for path in sources if runner.collects(path)]
        named = sorted({source for path in own for source in sources[path]})
        unwanted = Expressions((*runner.unwanted.of, *_exactly(own).of), runner.unwanted.roots)
        runners += [replace(runner, unwanted=unwanted), replace(runner, wanted=_exactly(named))] if own else [runner]
    return runners


def _is_made(path: str, made: tuple[str, ...]) -> bool:
    return not NEVER.search(path) and (path.startswith(made) or not BUILT.isdisjoint(path.split("/")[:-1]))


def _exactly(paths: Iterable[str]) -> Expressions:
    return either(["/(?:" + "|".join(map(re.escape, paths)) + ")$"])


def _mapped(reader: Reader, path: str) -> list[str]:
    """Return the paths that a compiled file's source map names; a map that can't be read is a gap."""
    comment = _NAMED.search(reader.files.read(path) or b"")
    if comment is None:
        return []
    try:
        url = comment[1].decode()
        inline = _INLINE.match(url)
        beside = path if inline else place(posixpath.dirname(path), url)
        text = base64.b64decode(url[inline.end() :]) if inline else reader.files.read(beside) or b""
        value: Any = json.loads(text)
        folder = posixpath.join(posixpath.dirname(beside), value.get("sourceRoot") or "")
        return [posixpath.normpath(posixpath.join(folder, name)) for name in value["sources"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        reader.gaps.append(
            Gap(path, "its source map cannot be read; tests are listed where the compiled file has them")
        )
        return []


_SUFFIXES = frozenset({".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx", ".coffee", ".ls"})


def mocha(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Return Mocha's runners from `.mocharc`, the `mocha` key and scripts; default: `./test/*.{js,cjs,mjs}`."""
    settings: dict[str, Any] = {}
    origin = posixpath.join(package.folder, "package.json")
    own = package.manifest.get("mocha")
    bases: list[tuple[dict[str, Any], str]] = [(own, origin)] if isinstance(own, dict) else []
    for path in found:
        value = reader.evaluated(path)
        if value is not None:
            bases.append((value, path))
    runs = [command for command in package.commands if command.framework == "mocha"]
    runners: list[Runner] = []
    for settings, path in bases or [({}, origin)]:
        options = [_with_command(settings, command.files, command.options) for command in runs] or [settings]
        runners += [_mocha_options(reader, package.folder, option, path) for option in options]
    return runners


def _with_command(
    settings: dict[str, Any], files: tuple[str, ...], options: Mapping[str, tuple[str, ...]]
) -> dict[str, Any]:
    merged = dict(settings)
    given = [*files, *options.get("--spec", ())]
    if given:
        spec = settings.get("spec")
        merged["spec"] = [*(spec if isinstance(spec, list) else [spec] if isinstance(spec, str) else []), *given]
    for name, key in (("--ui", "ui"), ("-u", "ui")):
        if options.get(name):
            merged[key] = options[name][-1]
    for name, key in (("--extension", "extension"), ("--ignore", "ignore"), ("--exclude", "ignore")):
        if options.get(name):
            merged[key] = [part for value in options[name] for part in value.split(",")]
    if "--recursive" in options:
        merged["recursive"] = True
    return merged


def _mocha_options(reader: Reader, folder: str, options: dict[str, Any], origin: str) -> Runner:
    extensions = reader.listed(options, "extension", origin) or reader.listed(options, "extensions", origin)
    endings = [ending.lstrip(".") for part in extensions or ["js,cjs,mjs"] for ending in part.split(",")]
    ending = "{" + ",".join(endings) + "}" if len(endings) > 1 else endings[0]
    deep = options.get("recursive") is True
    spec = reader.listed(options, "spec", origin) or reader.listed(options, "files", origin) or ["./test"]
    include: list[str] = []
    for wanted in spec:
        path = wanted.rstrip("/")
        if is_pattern(path) or posixpath.splitext(path)[1] in _SUFFIXES:
            include.append(path)
        else:
            head = "" if path in {".", ""} else f"{path}/"
            include += [f"{head}**/*.{ending}" if deep else f"{head}*.{ending}", f"{path}.{ending}"]
    ignore = reader.certain(options, "ignore", origin) or reader.certain(options, "exclude", origin) or []
    ui = options.get("ui")
    interface = ui if isinstance(ui, str) else "bdd"
    include = with_sources(reader, folder, include)
    return globbed("mocha", folder, include, exclude=[*ignore, "**/node_modules/**"], interface=interface)


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
