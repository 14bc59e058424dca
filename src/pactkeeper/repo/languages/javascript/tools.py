"""How each tool's settings say which files hold tests; what none says is the tool's own default."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.repo.languages.javascript.globs import is_pattern
from pactkeeper.repo.languages.javascript.literals import (
    JEST_MATCH,
    SPREAD,
    VITEST_EXCLUDE,
    VITEST_INCLUDE,
    Pattern,
    Unknown,
)
from pactkeeper.repo.languages.javascript.runner import Runner, below, either, expression, globbed, place, union

if TYPE_CHECKING:
    from pactkeeper.repo.languages.javascript.packages import Package, Reader

_TYPE_TESTS: Final = ["**/*.{test,spec}-d.?(c|m)[jt]s?(x)"]
_TOOL_SETTINGS: Final = "**/{karma,rollup,webpack,vite,vitest,jest,ava,babel,nyc,cypress,tsup,build,eslint,prettier}.config.*"
_NODE_DEFAULT: Final = (
    "**/*{.,-,_}test.?(c|m)[jt]s",
    "**/test-*.?(c|m)[jt]s",
    "**/test.?(c|m)[jt]s",
    "**/test/**/*.?(c|m)[jt]s",
)


def vitest(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Vitest: `test` of its own or Vite's settings, workspaces and projects; without any its defaults."""
    runners: list[Runner] = []
    said = False
    dedicated = [path for path in found if posixpath.basename(path).startswith("vitest")]
    for path in dedicated or found:
        if "workspace" in path or "vitest.projects" in path:
            value = reader.settings(path)
            said = True
            runners += _vitest_projects(reader, package.folder, value, path)
            continue
        settings = reader.evaluated(path)
        options = settings.get("test") if settings is not None else {}
        if settings is not None and options is None and not path.endswith(tuple(dedicated)):
            continue  # Vite's settings, which say nothing about tests
        said = True
        runners += _vitest_options(reader, package.folder, settings or {}, path)
    uses = any(command.framework == "vitest" for command in package.commands) or "vitest" in str(package.manifest)
    if not said and uses:
        runners.append(globbed("vitest", package.folder, VITEST_INCLUDE, exclude=(*VITEST_EXCLUDE, _TOOL_SETTINGS)))
    return runners


def _vitest_options(
    reader: Reader, folder: str, settings: dict[str, Any], origin: str, *, nested: bool = False
) -> list[Runner]:
    options = settings.get("test")
    if isinstance(options, Unknown):
        reader.unknown(origin, "test", options)
    options = options if isinstance(options, dict) else {}
    root = options.get("root", settings.get("root"))
    folder = place(folder, root) if isinstance(root, str) else folder
    projects = None if nested else options.get("projects", options.get("workspace"))
    if isinstance(projects, str):
        projects = reader.settings(place(folder, projects))
    if projects is not None:
        return _vitest_projects(reader, folder, projects, origin, base=settings)
    start = options.get("dir")
    start = place(folder, start) if isinstance(start, str) else folder
    include = reader.listed(options, "include", origin)
    include = list(VITEST_INCLUDE) if include is None else include
    exclude = reader.listed(options, "exclude", origin)
    exclude = list(VITEST_EXCLUDE) if exclude is None else exclude
    checked = options.get("typecheck")
    if isinstance(checked, dict) and checked.get("enabled") is True:
        include += reader.listed(checked, "include", origin) or _TYPE_TESTS
    include += reader.listed(options, "includeSource", origin) or []
    if SPREAD in options and "include" not in options:
        reader.unknown(origin, "test", options[SPREAD])
    runners = [globbed("vitest", start, include, exclude=exclude)]
    if start != folder:  # patterns that name the folder themselves are meant from where the settings stand
        runners.append(globbed("vitest", folder, [p for p in include if p.startswith(_leading(start, folder))], exclude=exclude))
    return runners


def _leading(start: str, folder: str) -> str:
    return (posixpath.relpath(start, folder) if folder else start) + "/"


def _vitest_projects(
    reader: Reader, folder: str, projects: object, origin: str, *, base: dict[str, Any] | None = None
) -> list[Runner]:
    if not isinstance(projects, list):
        reader.unknown(origin, "projects", projects)
        return []
    runners: list[Runner] = []
    for project in projects:
        if isinstance(project, dict):
            runners += _inline_project(reader, folder, project, origin, base=base or {})
        elif isinstance(project, str) and not project.startswith("!"):
            runners += _named_projects(reader, folder, project, origin)
        elif not isinstance(project, str):
            reader.unknown(origin, "projects", project)
    return runners


def _inline_project(
    reader: Reader, folder: str, project: dict[str, Any], origin: str, *, base: dict[str, Any]
) -> list[Runner]:
    extends = project.get("extends")
    inherited: dict[str, Any] = {}
    if extends is True:
        inherited = dict(base.get("test") or {})
        inherited.pop("projects", None)
    elif isinstance(extends, str):
        loaded = reader.settings(place(folder, extends))
        inherited = dict(loaded.get("test") or {}) if isinstance(loaded, dict) else {}
    own = project.get("test")
    options = {**inherited, **(own if isinstance(own, dict) else {})}
    return _vitest_options(reader, folder, {**project, "test": options}, origin, nested=True)


def _named_projects(reader: Reader, folder: str, project: str, origin: str) -> list[Runner]:
    """Projects by glob: folders that have settings or tests of their own, or settings files."""
    pattern = re.compile(expression(folder, project.rstrip("/")), re.DOTALL)
    folders = {posixpath.dirname(path) for path in reader.files.paths if path.endswith("/package.json")}
    runners: list[Runner] = []
    configured = [path for path in reader.files.paths if re.search(r"(?:^|/)vite(?:st)?[\w.-]*\.config[\w.-]*$", path)]
    for path in configured:
        if pattern.match(path) and path != origin:
            settings = reader.evaluated(path)
            runners += _vitest_options(reader, posixpath.dirname(path), settings or {}, path, nested=True)
    with_settings = {posixpath.dirname(path) for path in configured}
    plain = folders - with_settings if is_pattern(project) else {place(folder, project)} - with_settings - set(configured)
    for other in sorted(plain):
        if pattern.match(other):
            runners.append(globbed("vitest", other, VITEST_INCLUDE, exclude=VITEST_EXCLUDE))
    return runners


def jest(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Jest: its settings files, the `jest` key of package.json, projects; without any its defaults."""
    runners: list[Runner] = []
    origin = posixpath.join(package.folder, "package.json")
    own = package.manifest.get("jest")
    if isinstance(own, dict):
        runners += _jest_options(reader, package.folder, own, origin)
    for path in found:
        settings = reader.evaluated(path)
        runners += _jest_options(reader, package.folder, settings or {}, path)
    if not runners:
        scripted = any(command.program == "react-scripts" for command in package.commands)
        patterns = ("src/**/__tests__/**/*.[jt]s?(x)", "src/**/*.{spec,test}.[jt]s?(x)") if scripted else JEST_MATCH
        runners.append(globbed("jest", package.folder, patterns, exclude=VITEST_EXCLUDE))
    return runners


def _jest_options(reader: Reader, folder: str, options: dict[str, Any], origin: str, depth: int = 0) -> list[Runner]:
    root = options.get("rootDir")
    folder = place(folder, root) if isinstance(root, str) else folder
    preset = options.get("preset")
    projects = options.get("projects")
    if isinstance(projects, list) and depth < 3:  # noqa: PLR2004 - projects of projects end somewhere
        return _jest_projects(reader, folder, projects, origin, depth=depth)
    if isinstance(preset, str) and preset.startswith("."):
        loaded = reader.load(origin, posixpath.join(preset, "jest-preset"), "default")
        options = {**loaded, **options} if isinstance(loaded, dict) else options
    if SPREAD in options and not {"testMatch", "testRegex"} & options.keys():
        reader.unknown(origin, "testMatch", options[SPREAD])
    regexes = _regexes(reader, options, origin)
    match = reader.listed(options, "testMatch", origin)
    roots = reader.listed(options, "roots", origin) or ["<rootDir>"]
    inside = "|".join(below(place(folder, start)) for start in roots)
    if regexes:
        wanted = [rf"(?=(?:{inside}))(?=.*)" + _searched(regex, folder) for regex in regexes]
    else:
        wanted = [rf"(?=(?:{inside}))" + _jest_glob(glob, folder) for glob in match or JEST_MATCH if not glob.startswith("!")]
    ignored = reader.listed(options, "testPathIgnorePatterns", origin)
    unwanted = [_searched(regex, folder) for regex in (["/node_modules/"] if ignored is None else ignored)]
    unwanted += [_searched(regex, folder) for regex in reader.listed(options, "modulePathIgnorePatterns", origin) or []]
    unwanted += [_jest_glob(glob[1:], folder) for glob in match or () if glob.startswith("!")]
    return [Runner("jest", folder, either(wanted), either(unwanted))]


def _jest_projects(reader: Reader, folder: str, projects: Iterable[object], origin: str, *, depth: int) -> list[Runner]:
    runners: list[Runner] = []
    for project in projects:
        if isinstance(project, dict):
            runners += _jest_options(reader, folder, project, origin, depth + 1)
        elif isinstance(project, str):
            runners += _jest_folder(reader, folder, project, depth)
        else:
            reader.unknown(origin, "projects", project)
    return runners


def _jest_folder(reader: Reader, folder: str, project: str, depth: int) -> list[Runner]:
    pattern = re.compile(expression("", place(folder, project)), re.DOTALL)
    runners: list[Runner] = []
    seen: set[str] = set()
    for path in reader.files.paths:
        parent, name = posixpath.split(path)
        configured = re.match(r"jest\.config\.(?:[cm]?[jt]s|json)$", name)
        if pattern.match(path) or (pattern.match(parent) and configured):
            settings = reader.evaluated(path)
            seen.add(parent)
            runners += _jest_options(reader, parent, settings or {}, path, depth + 1)
        elif name == "package.json" and pattern.match(parent) and parent not in seen:
            manifest = reader.settings(path)
            own = manifest.get("jest") if isinstance(manifest, dict) else None
            if isinstance(own, dict):
                runners += _jest_options(reader, parent, own, path, depth + 1)
    return runners


def _regexes(reader: Reader, options: dict[str, Any], origin: str) -> list[str]:
    value = options.get("testRegex")
    values = value if isinstance(value, list) else [] if value is None else [value]
    found = []
    for item in values:
        if isinstance(item, Unknown):
            reader.unknown(origin, "testRegex", item)
        else:
            found.append(item.source if isinstance(item, Pattern) else str(item))
    return found


def _searched(regex: str, folder: str) -> str:
    """A JavaScript expression that Jest searches in absolute paths, for paths of the repository."""
    regex = regex.replace("<rootDir>", "/" + folder if folder else "").replace("\\/", "/")
    if regex.startswith("^/"):
        regex = regex[2:]
        return f"(?:{regex})"
    if regex.startswith("/") and folder and regex.startswith(f"/{folder}"):
        return f"(?:{re.escape(folder)}{regex[len(folder) + 1 :]})"
    if regex.startswith("/") or regex.startswith("(/"):
        regex = regex.replace("/", "(?:^|/)", 1)
    return f".*?(?:{regex.removeprefix('^')})" if not regex.startswith(("(?:^|/)", "((?:^|/)")) else f"(?:.*?(?<![^/]))??(?:{_loose(regex)})"


def _loose(regex: str) -> str:
    """A leading slash also matches at the start of a path, which has none in the repository."""
    return regex.replace("(?:^|/)", "(?:(?<![^/])|/)", 1)


def _jest_glob(glob: str, folder: str) -> str:
    if glob.startswith("<rootDir>"):
        return expression(folder, glob.removeprefix("<rootDir>").lstrip("/"))
    return expression("" if glob.startswith("/") else folder, glob)


def mocha(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Mocha: `.mocharc`, the `mocha` key of package.json and every script; without specs `./test/*.{js,cjs,mjs}`."""
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


def _with_command(settings: dict[str, Any], files: tuple[str, ...], options: Any) -> dict[str, Any]:
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
        if is_pattern(path) or posixpath.splitext(path)[1]:
            include.append(path)
        else:
            head = "" if path in {".", ""} else f"{path}/"
            include += [f"{head}**/*.{ending}" if deep else f"{head}*.{ending}", f"{path}.{ending}"]
    ignore = reader.listed(options, "ignore", origin) or reader.listed(options, "exclude", origin) or []
    ui = options.get("ui")
    interface = ui if isinstance(ui, str) else "bdd"
    return globbed("mocha", folder, include, exclude=[*ignore, "**/node_modules/**"], interface=interface)


def playwright(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Playwright: `testDir`, `testMatch`, `testIgnore`, of the whole and of each project."""
    runners: list[Runner] = []
    for path in found:
        settings = reader.evaluated(path) or {}
        projects = settings.get("projects")
        given = [project for project in projects if isinstance(project, dict)] if isinstance(projects, list) else []
        for project in given or [{}]:
            runners.append(_playwright_project(reader, package.folder, {**settings, **project}, path))
    if not runners:
        runners.append(globbed("playwright", package.folder, ("**/*.@(spec|test).?(c|m)[jt]s?(x)",), exclude=VITEST_EXCLUDE))
    return runners


def _playwright_project(reader: Reader, folder: str, options: dict[str, Any], origin: str) -> Runner:
    start = options.get("testDir")
    if isinstance(start, Unknown):
        reader.unknown(origin, "testDir", start)
    start = place(folder, start) if isinstance(start, str) else folder
    wanted = _matchers(reader, options, "testMatch", start, origin) or ["**/*.@(spec|test).?(c|m)[jt]s?(x)"]
    unwanted = _matchers(reader, options, "testIgnore", start, origin)
    include = [_playwright_matcher(item, start) for item in wanted]
    exclude = [_playwright_matcher(item, start) for item in unwanted]
    return Runner("playwright", folder, either(include), either([*exclude, r".*(?:^|/)node_modules/"]))


def _matchers(reader: Reader, options: dict[str, Any], key: str, folder: str, origin: str) -> list[str | Pattern]:
    del folder
    value = options.get(key)
    values = value if isinstance(value, list) else [] if value is None else [value]
    found: list[str | Pattern] = []
    for item in values:
        if isinstance(item, str | Pattern):
            found.append(item)
        else:
            reader.unknown(origin, key, item)
    return found


def _playwright_matcher(item: str | Pattern, start: str) -> str:
    if isinstance(item, Pattern):
        return below(start) + _searched(item.source, "")
    return expression(start, item if item.startswith("**") or "/" in item else f"**/{item}")


def node(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """node:test has no settings file: the files that scripts name, or its default patterns."""
    del reader, found
    runners = []
    for command in package.commands:
        if command.framework == "node:test":
            files = [_expanded(name) for name in command.files]
            runners.append(globbed("node:test", package.folder, files or _NODE_DEFAULT, exclude=("**/node_modules/**",)))
    return runners


def _expanded(name: str) -> str:
    name = name.rstrip("/")
    return name if is_pattern(name) or posixpath.splitext(name)[1] else f"{name}/**/*.?(c|m)[jt]s"


def jasmine(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Jasmine: `spec_dir` and `spec_files`."""
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
        runners.append(globbed("jasmine", package.folder, patterns, exclude=("**/node_modules/**",)))
    return runners


def cypress(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Cypress: `specPattern` of end-to-end and component testing, or the folders of older versions."""
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
    """Bun: its patterns below `[test] root`."""
    import tomllib  # noqa: PLC0415 - few repositories have the file

    folder = package.folder
    for path in found:
        try:
            settings = tomllib.loads((reader.files.read(path) or b"").decode("utf-8", "replace"))
        except tomllib.TOMLDecodeError as error:
            reader.unknown(path, f"[test] ({error})", None)
            continue
        root = settings.get("test", {}).get("root")
        folder = place(folder, root) if isinstance(root, str) else folder
    uses = any(command.framework == "bun" for command in package.commands)
    patterns = ("**/*{.test,_test_,_test,.spec,_spec_,_spec}.?(c|m)[jt]s?(x)",)
    return [globbed("bun", folder, patterns, exclude=("**/node_modules/**",))] if uses else []


def deno(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Deno: `test.include` and `test.exclude`, or its patterns."""
    runners = []
    for path in found:
        settings = reader.evaluated(path) or {}
        options = settings.get("test")
        options = options if isinstance(options, dict) else {}
        exclude = (reader.listed(options, "exclude", path) or []) + (reader.listed(settings, "exclude", path) or [])
        include = [_below(name) for name in reader.listed(options, "include", path) or ["."]]
        ignored = [*exclude, *(f"{name.rstrip('/')}/**" for name in exclude if not is_pattern(name)), "**/node_modules/**"]
        flat = [pattern for patterns in include for pattern in patterns]
        runners.append(globbed("deno", package.folder, flat, exclude=ignored))
    return runners


def _below(name: str) -> list[str]:
    if is_pattern(name) or posixpath.splitext(name)[1]:
        return [name]
    head = "" if name in {".", "./"} else name.rstrip("/") + "/"
    return [head + "**/{*_,*.,}test.{ts,tsx,mts,js,mjs,jsx}", head + "**/__tests__/**/*.{ts,tsx,mts,js,mjs,jsx}"]


def qunit(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """QUnit: the files that scripts name, or its default folder."""
    del reader, found
    files = [name for command in package.commands if command.framework == "qunit" for name in command.files]
    patterns = [_expanded(name) for name in files] or ["{test,tests}/**/*.?(c|m)[jt]s"]
    return [globbed("qunit", package.folder, patterns, exclude=("**/node_modules/**",))]


READERS: Final[dict[str, Callable[["Reader", "Package", list[str]], list[Runner]]]] = {
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
}

_YAML_LINE = re.compile(r"^(?P<key>[\w-]+)\s*:\s*(?P<value>.*)$")


def yaml(source: str) -> dict[str, Any]:
    """The flat YAML that `.mocharc.yml` is: scalars and lists of scalars."""
    settings: dict[str, Any] = {}
    key = ""
    for raw in source.splitlines():
        line = re.sub(r"(?:^|\s)#.*$", "", raw).rstrip()
        item = re.match(r"^\s*-\s+(.*)$", line)
        if item is not None and key:
            settings.setdefault(key, [])
            if isinstance(settings[key], list):
                settings[key].append(_scalar(item.group(1)))
            continue
        match = _YAML_LINE.match(line)
        if match is None:
            continue
        key = match["key"]
        value = match["value"].strip()
        if value.startswith("["):
            settings[key] = [_scalar(part) for part in value.strip("[]").split(",") if part.strip()]
        elif value:
            settings[key] = _scalar(value)
    return settings


def _scalar(text: str) -> object:
    text = text.strip()
    if text[:1] in {"'", '"'} and text[-1:] == text[:1]:
        return text[1:-1]
    return {"true": True, "false": False}.get(text, text)


__all__ = ["READERS", "union", "yaml"]
