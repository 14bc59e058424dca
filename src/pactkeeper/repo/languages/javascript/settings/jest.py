"""Read Jest's settings: settings files, the `jest` key of package.json, presets, projects."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.repo.languages.javascript.settings.literals import JEST_MATCH, VITEST_EXCLUDE
from pactkeeper.repo.languages.javascript.settings.runner import (
    Runner,
    either,
    expression,
    globbed,
    place,
    root_of,
    searched,
    union,
)
from pactkeeper.repo.languages.javascript.settings.unknown import Pattern

if TYPE_CHECKING:
    from pactkeeper.repo.languages.javascript.settings.packages import Package, Reader


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
