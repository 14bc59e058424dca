"""Read Vitest's settings: `test` in its own or Vite's settings, workspaces and projects."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.intent.tests import Gap
from pactkeeper.repo.languages.javascript.settings.literals import JEST_MATCH, VITEST_EXCLUDE, VITEST_INCLUDE
from pactkeeper.repo.languages.javascript.settings.runner import (
    Runner,
    either,
    expression,
    globbed,
    is_pattern,
    place,
    root_of,
    searched,
    union,
)
from pactkeeper.repo.languages.javascript.settings.unknown import Pattern, Unknown

if TYPE_CHECKING:
    from pactkeeper.repo.languages.javascript.settings.packages import Package, Reader


_TYPE_TESTS: Final = ["**/*.{test,spec}-d.?(c|m)[jt]s?(x)"]
_CHECKING: Final = frozenset({"--typecheck", "--typecheck.only"})
_MAYBE: Final = "typecheck.enabled cannot be read without running it; type tests count as collected"
_TOOL_SETTINGS: Final = (
    "**/{karma,rollup,webpack,vite,vitest,jest,ava,babel,nyc,cypress,tsup,build,eslint,prettier}.config.*"
)


def vitest(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Return Vitest's runners from `test` in its own or Vite's settings, workspaces and projects, else its defaults."""
    runners: list[Runner] = []
    said = False
    dedicated = [path for path in found if posixpath.basename(path).startswith("vitest")]
    for path in dedicated or found:
        if posixpath.basename(path).startswith(("vitest.workspace.", "vitest.projects.")):
            value = reader.values.of(path)
            said = True
            runners += _vitest_projects(reader, package.folder, value, path)
            continue
        settings = reader.evaluated(path)
        options = settings.get("test") if settings is not None else {}
        if settings is not None and options is None and not path.endswith(tuple(dedicated)):
            continue  # Vite settings without tests
        said = True
        runners += _vitest_options(reader, package.folder, settings or {}, path)
    runs = [command for command in package.commands if command.framework == "vitest"]
    if any(not _CHECKING.isdisjoint(command.options) for command in runs):
        runners.append(globbed("vitest", package.folder, _TYPE_TESTS, exclude=VITEST_EXCLUDE))
    if not said and (runs or "vitest" in str(package.manifest)):
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
        projects = reader.values.of(place(folder, projects))
    if projects is not None:
        return _vitest_projects(reader, folder, projects, origin, base=settings)
    start = options.get("dir")
    start = place(folder, start) if isinstance(start, str) else folder
    include = reader.listed(options, "include", origin)
    include = list(VITEST_INCLUDE) if include is None else include
    exclude = reader.certain(options, "exclude", origin)
    exclude = list(VITEST_EXCLUDE) if exclude is None else exclude
    checked = options.get("typecheck")
    enabled = checked.get("enabled") if isinstance(checked, dict) else checked
    if isinstance(enabled, Unknown):
        reader.gaps.append(Gap(origin, f"{_MAYBE}: {enabled.start}", enabled.line))
    if enabled is True or isinstance(enabled, Unknown):
        include += (reader.listed(checked, "include", origin) if isinstance(checked, dict) else None) or _TYPE_TESTS
    include += reader.listed(options, "includeSource", origin) or []
    reader.spread(origin, options, ("include",))
    runners = [globbed("vitest", start, include, exclude=exclude)]
    if start != folder:  # patterns that include the folder's own name are relative to the settings file
        runners.append(
            globbed("vitest", folder, [p for p in include if p.startswith(_leading(start, folder))], exclude=exclude)
        )
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
        loaded = reader.values.of(place(folder, extends))
        inherited = dict(loaded.get("test") or {}) if isinstance(loaded, dict) else {}
    own = project.get("test")
    options = {**inherited, **(own if isinstance(own, dict) else {})}
    return _vitest_options(reader, folder, {**project, "test": options}, origin, nested=True)


def _named_projects(reader: Reader, folder: str, project: str, origin: str) -> list[Runner]:
    """Read projects given by a glob: settings files, or folders with settings or tests of their own."""
    pattern = union(folder, [project.rstrip("/")])
    folders = {posixpath.dirname(path) for path in reader.files.paths if path.endswith("/package.json")}
    runners: list[Runner] = []
    configured = [path for path in reader.files.paths if re.search(r"(?:^|/)vite(?:st)?[\w.-]*\.config[\w.-]*$", path)]
    for path in configured:
        if pattern.match(f"/{path}") and path != origin:
            settings = reader.evaluated(path)
            runners += _vitest_options(reader, posixpath.dirname(path), settings or {}, path, nested=True)
    with_settings = {posixpath.dirname(path) for path in configured}
    plain = (
        folders - with_settings if is_pattern(project) else {place(folder, project)} - with_settings - set(configured)
    )
    for other in sorted(plain):
        if pattern.match(f"/{other}"):
            runners.append(globbed("vitest", other, VITEST_INCLUDE, exclude=VITEST_EXCLUDE))
    return runners


_DEFAULT: Final = "**/*.@(spec|test).?(c|m)[jt]s?(x)"


def playwright(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Return Playwright's runners from its settings files, else its defaults."""
    runners: list[Runner] = []
    for path in found:
        settings = reader.evaluated(path) or {}
        projects = settings.get("projects")
        given = [project for project in projects if isinstance(project, dict)] if isinstance(projects, list) else []
        runners += [_project(reader, {**settings, **project}, path) for project in given or [{}]]
    return runners or [globbed("playwright", package.folder, [_DEFAULT], exclude=VITEST_EXCLUDE)]


def _project(reader: Reader, options: dict[str, Any], origin: str) -> Runner:
    folder = posixpath.dirname(origin)
    start = options.get("testDir")
    if isinstance(start, Unknown):
        reader.unknown(origin, "testDir", start)
    start = place(folder, start) if isinstance(start, str) else folder
    chosen, ignored = (reader.expressions(options, key, origin) for key in ("testMatch", "testIgnore"))
    include = reader.usable(origin, "testMatch", [_expression(item, start) for item in chosen or [_DEFAULT]])
    exclude = reader.usable(origin, "testIgnore", [_expression(item, start) for item in ignored])
    inside = (root_of(start),)
    return Runner("playwright", folder, either(include, inside), either([*exclude, ".*/node_modules/"], inside))


def _expression(item: str | Pattern, start: str) -> str:
    if isinstance(item, Pattern):
        return searched(item.source, "")
    return expression(start, item if item.startswith("**") or "/" in item else f"**/{item}")


_DEPTH: Final = 3  # bounds projects of projects
_CREATE_REACT_APP: Final = ("src/**/__tests__/**/*.[jt]s?(x)", "src/**/*.{spec,test}.[jt]s?(x)")


def jest(reader: Reader, package: Package, found: list[str]) -> list[Runner]:
    """Return Jest's runners from settings files, the `jest` key of package.json and projects, else its defaults."""
    runners: list[Runner] = []
    origin = posixpath.join(package.folder, "package.json")
    own = package.manifest.get("jest")
    if isinstance(own, dict):
        runners += _options(reader, package.folder, own, origin=origin)
    for path in found:
        settings = reader.evaluated(path)
        runners += _options(reader, posixpath.dirname(path), settings or {}, origin=path)
    if not runners:
        scripted = any(command.program == "react-scripts" for command in package.commands)
        patterns = _CREATE_REACT_APP if scripted else JEST_MATCH
        runners.append(globbed("jest", package.folder, patterns, exclude=VITEST_EXCLUDE))
    return runners


def _options(reader: Reader, folder: str, options: dict[str, Any], *, origin: str, depth: int = 0) -> list[Runner]:
    root = options.get("rootDir")
    folder = place(folder, root) if isinstance(root, str) else folder
    projects = options.get("projects")
    if isinstance(projects, list) and depth < _DEPTH:
        return _projects(reader, folder, projects, origin=origin, depth=depth)
    if projects is not None and not isinstance(projects, list):
        reader.unknown(origin, "projects", projects)
    options = _preset(reader, options, origin)
    reader.spread(origin, options, ("testMatch", "testRegex"))
    roots = reader.listed(options, "roots", origin) or ["<rootDir>"]
    inside = tuple(root_of(place(folder, start)) for start in roots)
    match = reader.listed(options, "testMatch", origin)
    regexes = reader.expressions(options, "testRegex", origin)
    wanted = [searched(one.source if isinstance(one, Pattern) else one, folder) for one in regexes]
    wanted = reader.usable(origin, "testRegex", wanted)
    wanted = wanted or [_glob(glob, folder) for glob in match or JEST_MATCH if not glob.startswith("!")]
    ignored = reader.certain(options, "testPathIgnorePatterns", origin)
    ignored = ["/node_modules/"] if ignored is None else ignored
    ignored += reader.certain(options, "modulePathIgnorePatterns", origin) or []
    unwanted = reader.usable(origin, "testPathIgnorePatterns", [searched(regex, folder) for regex in ignored])
    unwanted += [_glob(glob[1:], folder) for glob in match or () if glob.startswith("!")]
    return [Runner("jest", folder, either(wanted, inside), either(unwanted))]


def _preset(reader: Reader, options: dict[str, Any], origin: str) -> dict[str, Any]:
    """Merge settings over those of a preset in the repository."""
    preset = options.get("preset")
    if not isinstance(preset, str) or not preset.startswith("."):
        return options
    loaded = reader.values.load(origin, posixpath.join(preset, "jest-preset"), "default")
    if not isinstance(loaded, dict):
        reader.unknown(origin, "preset", loaded)
        return options
    return {**loaded, **options}


def _projects(reader: Reader, folder: str, projects: Iterable[object], *, origin: str, depth: int) -> list[Runner]:
    runners: list[Runner] = []
    for project in projects:
        if isinstance(project, dict):
            # a relative `rootDir` of an inline project is relative to where the command runs
            start = reader.package_of(folder) if isinstance(project.get("rootDir"), str) else folder
            runners += _options(reader, start, project, origin=origin, depth=depth + 1)
        elif isinstance(project, str):
            runners += _folder(reader, folder, project, depth)
        else:
            reader.unknown(origin, "projects", project)
    return runners


def _folder(reader: Reader, folder: str, project: str, depth: int) -> list[Runner]:
    pattern = union("", [place(folder, project)])  # a folder or a settings file
    runners: list[Runner] = []
    seen: set[str] = set()
    for path in reader.files.paths:
        parent, name = posixpath.split(path)
        configured = re.match(r"jest\.config\.(?:[cm]?[jt]s|json)$", name)
        if pattern.match(f"/{path}") or (pattern.match(f"/{parent}") and configured):
            settings = reader.evaluated(path)
            seen.add(parent)
            runners += _options(reader, parent, settings or {}, origin=path, depth=depth + 1)
        elif name == "package.json" and pattern.match(f"/{parent}") and parent not in seen:
            manifest = reader.values.of(path)
            own = manifest.get("jest") if isinstance(manifest, dict) else None
            if isinstance(own, dict):
                runners += _options(reader, parent, own, origin=path, depth=depth + 1)
    return runners


def _glob(glob: str, folder: str) -> str:
    if glob.startswith("<rootDir>"):
        return expression(folder, glob.removeprefix("<rootDir>").lstrip("/"))
    return expression("" if glob.startswith("/") else folder, glob)
