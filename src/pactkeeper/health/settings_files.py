"""Files that decide which tests and checks run and how strictly: what a fix may change in them, and what it may not."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError
from typing import Final

from pactkeeper.ledger.toml_document import read_toml

# What of a file counts: a part that must stay as it was, or None where the file cannot be read.
Part = Callable[[str], object]

_TOOLS: Final = (
    "pytest",
    "mypy",
    "pyright",
    "basedpyright",
    "tox",
    "nox",
    "hatch",
    "poe",
    "pdm",
    "coverage",
    "ty",
    "uv",
)
_SECTIONS: Final = re.compile(
    r"(?:tool:pytest|options.entry_points|pytest|mypy.*|aliases|testenv.*|tox|pyright|coverage:.*)\Z"
)
_SCRIPTS: Final = (
    *("scripts", "jest", "mocha", "ava", "vitest", "nyc", "tap", "type", "imports", "packageManager"),
    *("overrides", "resolutions", "pnpm"),
)
# Another version of these judges otherwise, and another source of them may be anything.
_JUDGES: Final = re.compile(
    r"(?:ts-)?jest\Z|@?(?:jest|vitest|types/jest)\b|vite\Z|mocha\Z|chai\Z|expect\Z|typescript\Z|tsx\Z|ts-node\Z"
)
_NEEDS: Final = ("dependencies", "dev-dependencies", "build-dependencies", "package", "workspace")


def changed_settings(path: str, before: str | None, after: str | None) -> bool:
    """Whether a change of this file touches what runs or how strictly; a file that cannot be read counts as touched."""
    part = _part_of(path)
    if part is None or before == after:
        return False
    try:
        return part(before or "") != part(after or "")
    except (ValueError, TypeError, AttributeError, ConfigError, RecursionError):
        return True


def _part_of(path: str) -> Part | None:
    name = path.rpartition("/")[2]
    return _BY_NAME.get(name) or next((part for pattern, part in _BY_PATTERN if pattern.match(path)), None)


def _whole(text: str) -> object:
    return text.split()


def _pyproject(text: str) -> object:
    found = read_toml(text)
    tools, project = found.get("tool", {}), found.get("project", {})
    return [{name: tools[name] for name in _TOOLS if name in tools}, project.get("entry-points")]


def _plugins(text: str) -> object:
    return [line.strip() for line in text.splitlines() if "pytest11" in line]


def _sections(text: str) -> object:
    parser = ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections() if _SECTIONS.match(name)}


def _package(text: str) -> object:
    found = json.loads(text or "{}")
    if not isinstance(found, dict):
        raise TypeError
    needs = {**found.get("dependencies", {}), **found.get("devDependencies", {})}
    judges = {name: version for name, version in needs.items() if _JUDGES.match(name)}
    return [{name: found[name] for name in _SCRIPTS if name in found}, judges]


def _cargo(text: str) -> object:
    return {name: value for name, value in read_toml(text).items() if name not in _NEEDS}


_BY_NAME: Final[Mapping[str, Part]] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _sections,
    "tox.ini": _sections,
    "setup.py": _plugins,
    "package.json": _package,
    "Cargo.toml": _cargo,
    **dict.fromkeys(
        (
            *("pytest.ini", ".pytest.ini", "mypy.ini", ".mypy.ini", "pytest.toml", "pyrightconfig.json", "noxfile.py"),
            *("Makefile", "justfile", ".npmrc", ".yarnrc.yml", ".swcrc", ".babelrc", "build.rs", "clippy.toml"),
            *("pom.xml", "build.gradle", "build.gradle.kts", "gradle.properties", "settings.gradle"),
            *("sitecustomize.py", "usercustomize.py", "conftest.py", ".gitattributes", ".gitmodules", ".coveragerc"),
        ),
        _whole,
    ),
}
_BY_PATTERN: Final[tuple[tuple[re.Pattern[str], Part], ...]] = (
    (
        re.compile(r"(?:.*/)?(?:jest|vitest|vite|karma|playwright|cypress|ava|wdio|babel)\.?[\w.-]*config[\w.-]*\Z"),
        _whole,
    ),
    (re.compile(r"(?:.*/)?(?:vitest\.workspace\.|\.mocharc|\.taprc|\.jest)[\w.-]*\Z"), _whole),
    (re.compile(r"(?:.*/)?tsconfig[\w.-]*\.json\Z"), _whole),
    (re.compile(r"(?:.*/)?(?:jest|vitest|test)[\w-]*[.-]?setup[\w.-]*\Z|(?:.*/)?setup-?[tT]ests?\.[\w.]+\Z"), _whole),
    (re.compile(r".*\.pth\Z|(?:.*/)?node_modules/.*|(?:.*/)?\.cargo/config[\w.]*\Z"), _whole),
)
