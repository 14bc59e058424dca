"""The dependencies a commit declares: a module that is declared but not installed is the machine's fault."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from pactkeeper.ledger.toml_document import read_toml

_MOST_FILES: Final = 50
_REQUIREMENT: Final = re.compile(r"\s*([A-Za-z0-9][\w.-]*)")
_QUOTED: Final = re.compile(r"['\"]([A-Za-z0-9][\w.-]*)[^'\"\n]{0,80}['\"]")
_NODE_TABLES: Final = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
# Packages whose import name differs from their distribution name and follows no rule below.
_CALLED: Final[Mapping[str, str]] = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "crypto": "pycryptodome",
    "cv2": "opencv-python",
    "docx": "python-docx",
    "git": "gitpython",
    "mysqldb": "mysqlclient",
    "pil": "pillow",
    "psycopg2": "psycopg2-binary",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}


def declared(paths: Iterable[str], read: Callable[[str], bytes | None]) -> frozenset[str] | None:
    """Return the names of all packages in the commit's manifests, or None if it has no supported manifest."""
    manifests = [path for path in paths if _reader(path) is not None][:_MOST_FILES]
    if not manifests:
        return None
    return frozenset(
        _normal(name) for path in manifests for name in _names(path, (read(path) or b"").decode(errors="replace"))
    )


def is_declared(module: str, names: frozenset[str]) -> bool:
    """Whether a declared package provides this module."""
    name = _normal(module)
    return not names.isdisjoint({name, f"python-{name}", f"py{name}", f"{name}-python", _CALLED.get(name, name)})


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _reader(path: str) -> Callable[[str], Iterator[str]] | None:
    name = PurePosixPath(path).name
    if name.startswith("requirements") and name.endswith((".txt", ".in")):
        return _requirements
    return {"pyproject.toml": _pyproject, "Pipfile": _pipfile, "package.json": _package, **_BY_QUOTES}.get(name)


def _names(path: str, text: str) -> Iterator[str]:
    reader = _reader(path)
    try:
        yield from reader(text) if reader else ()
    except (ValueError, AttributeError, TypeError, RecursionError):  # the tools report a broken manifest
        return


def _requirements(text: str) -> Iterator[str]:
    return (hit[1] for line in text.splitlines() if (hit := _REQUIREMENT.match(line)))


def _pyproject(text: str) -> Iterator[str]:
    found: dict[str, Any] = read_toml(text)
    project = found.get("project", {})
    groups = [*project.get("optional-dependencies", {}).values(), *found.get("dependency-groups", {}).values()]
    lists = [project.get("dependencies", []), *groups]
    yield from (hit[1] for each in lists for one in each if isinstance(one, str) and (hit := _REQUIREMENT.match(one)))
    poetry = found.get("tool", {}).get("poetry", {})
    tables = [poetry, *poetry.get("group", {}).values()]
    for each in tables:
        yield from (*each.get("dependencies", {}), *each.get("dev-dependencies", {}))


def _pipfile(text: str) -> Iterator[str]:
    found: dict[str, Any] = read_toml(text)
    yield from (*found.get("packages", {}), *found.get("dev-packages", {}))


def _package(text: str) -> Iterator[str]:
    found: dict[str, Any] = json.loads(text)
    return (name for table in _NODE_TABLES for name in found.get(table, {}))


def _quoted(text: str) -> Iterator[str]:
    return (hit[1] for hit in _QUOTED.finditer(text))


_BY_QUOTES: Final[Mapping[str, Callable[[str], Iterator[str]]]] = {"setup.py": _quoted, "setup.cfg": _requirements}
