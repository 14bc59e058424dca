"""Read Playwright's settings: `testDir`, `testMatch` and `testIgnore`, globally and per project."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.repo.languages.javascript.settings.literals import VITEST_EXCLUDE
from pactkeeper.repo.languages.javascript.settings.runner import (
    Runner,
    either,
    expression,
    globbed,
    place,
    root_of,
    searched,
)
from pactkeeper.repo.languages.javascript.settings.unknown import Pattern, Unknown

if TYPE_CHECKING:
    from pactkeeper.repo.languages.javascript.settings.packages import Package, Reader


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
