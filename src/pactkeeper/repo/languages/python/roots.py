"""Where a project's own settings say that its packages are.

Reads build settings in `pyproject.toml` (setuptools, Hatch, Poetry, PDM, uv, Maturin), in `setup.cfg` and in literals
of `setup.py`, and pytest's `pythonpath`.
"""

from __future__ import annotations

import configparser
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.tests import Gap
from pactkeeper.ledger.documents import read_toml
from pactkeeper.repo.languages.adapter import Files
from pactkeeper.repo.languages.python.ini import NAMES, settings_of

if TYPE_CHECKING:
    from tree_sitter import Node

_FINDERS: Final = frozenset({"find_packages", "find_namespace_packages"})
_Places = Iterator[tuple[str, str]]  # (dotted package, its folder); an empty package means everything in the folder


@dataclass(frozen=True, slots=True)
class Roots:
    """`folders` contain packages under their own names; `packages` are folders that contain one under another name."""

    folders: tuple[str, ...] = ()
    packages: tuple[tuple[str, str], ...] = ()
    gaps: tuple[Gap, ...] = ()


def read_roots(files: Files) -> Roots:
    """Read the settings of every project in a snapshot."""
    folders = set(_python_path(files))
    packages: set[tuple[str, str]] = set()
    gaps: list[Gap] = []
    for path in files.paths:
        folder, _, name = path.rpartition("/")
        read = _READERS.get(name)
        data = files.read(path) if read is not None else None
        if read is None or data is None:
            continue
        try:
            for package, place in read(data):
                _sort(package, _below(folder, place), folders, packages)
        except (configparser.Error, AttributeError, RecursionError, ValueError) as problem:
            said = str(problem).replace("\n", " ")
            gaps.append(Gap(path, f"the file cannot be read, so where its packages lie is unknown: {said}"))
    return Roots(tuple(sorted(folders)), tuple(sorted(packages)), tuple(gaps))


def _python_path(files: Files) -> set[str]:
    """Return the folders that pytest's settings add to the path, from every folder with such settings."""
    present = frozenset(files.paths)
    found: set[str] = set()
    for folder in {path.rpartition("/")[0] for path in files.paths if path.rpartition("/")[2] in NAMES}:
        options = settings_of(folder, files.read, present.__contains__).options
        places = (_below(folder, word) for word in options.get("pythonpath", ()))
        found.update(place for place in places if place is not None)
    return found


def _sort(package: str, place: str | None, folders: set[str], packages: set[tuple[str, str]]) -> None:
    if place is None:
        return
    tail = package.replace(".", "/")
    if not package:
        folders.add(place)
    elif place == tail or place.endswith(f"/{tail}"):
        folders.add(place[: -len(tail)].rstrip("/"))
    else:
        packages.add((package, place))


def _below(folder: str, place: str) -> str | None:
    """Return a folder, written relative to `folder`, relative to the repository root; None if it is outside."""
    path = posixpath.normpath(posixpath.join(folder, place.replace("\\", "/")))
    if path.startswith(("../", "/")) or path == "..":
        return None
    return "" if path == "." else path


def _pyproject(data: bytes) -> _Places:
    tool = _table(read_toml(data.decode("utf-8-sig")), "tool")
    for package, place in _table(tool, "setuptools", "package-dir").items():
        yield package, str(place)
    for place in _strings(_table(tool, "setuptools", "packages", "find").get("where")):
        yield "", place
    for key, value in (("pdm", "package-dir"), ("maturin", "python-source")):
        for place in _strings(_table(tool, key, *(("build",) if key == "pdm" else ())).get(value)):
            yield "", place
    for place in _strings(_table(tool, "uv", "build-backend").get("module-root")):
        yield "", place
    listed = _table(tool, "poetry").get("packages")
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("from"), str):
            yield "", entry["from"]
    yield from _hatch(_table(tool, "hatch", "build", "targets", "wheel"))


def _hatch(wheel: dict[str, object]) -> _Places:
    for place in _strings(wheel.get("packages")):
        yield "", posixpath.dirname(place.rstrip("/"))
    sources = wheel.get("sources")
    if isinstance(sources, dict):
        for place, package in sources.items():
            yield str(package).strip("/").replace("/", "."), place
    else:
        for place in _strings(sources):
            yield "", place


def _setup_cfg(data: bytes) -> _Places:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # package names are case-sensitive
    parser.read_string(data.decode("utf-8-sig"))
    for line in parser.get("options", "package_dir", fallback="").splitlines():
        package, equals, place = line.partition("=")
        if equals:
            yield package.strip(), place.strip()
    where = parser.get("options.packages.find", "where", fallback="")
    yield from (("", place) for place in where.split())


def _setup_py(data: bytes) -> _Places:
    """Read `setup(package_dir={…})` and `find_packages("src")` where they are literals."""
    if b"package_dir" not in data and b"find_" not in data:
        return
    from pactkeeper.repo.languages.python.syntax import arguments, callee, keyword, parse, string  # noqa: PLC0415 - parses

    pending = [parse(data).root_node]
    while pending:
        node = pending.pop()
        pending.extend(node.named_children)
        if node.type != "call":
            continue
        name = callee(node).rpartition(".")[2]
        if name == "setup":
            yield from _pairs(keyword(node, b"package_dir"))
        elif name in _FINDERS:
            place = next(iter(arguments(node)), None) or keyword(node, b"where")
            found = string(place) if place is not None else None
            if found is not None:
                yield "", found


def _pairs(node: Node | None) -> _Places:
    from pactkeeper.repo.languages.python.syntax import string  # noqa: PLC0415 - likewise

    for pair in node.named_children if node is not None and node.type == "dictionary" else ():
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        package = string(key) if key is not None else None
        place = string(value) if value is not None else None
        if package is not None and place is not None:
            yield package, place


def _table(value: object, *keys: str) -> dict[str, object]:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


_READERS: Final[dict[str, Callable[[bytes], _Places]]] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "setup.py": _setup_py,
}
