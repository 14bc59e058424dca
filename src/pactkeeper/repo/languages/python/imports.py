"""Every module that a Python file imports, by any statement or call, and where a project says that its packages are."""

from __future__ import annotations

import configparser
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.tests import Gap
from pactkeeper.ledger.documents import read_toml
from pactkeeper.repo.languages.adapter import FileImports, Files, Import
from pactkeeper.repo.languages.python.ini import NAMES, settings_of
from pactkeeper.repo.languages.python.syntax import (
    arguments,
    callee,
    errors,
    keyword,
    parse,
    read_text,
    string,
    text_of,
)
from pactkeeper.repo.languages.trees import captures

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY: Final = """
(import_statement) @plain
(import_from_statement) @from
(call function: (_) @_callee (#match? @_callee "(^|[.])(import_module|__import__)$")) @call
(assignment left: (identifier) @_name (#eq? @_name "pytest_plugins")) @plugins
"""
_CHECKING: Final = re.compile(rb"\(?\s*(?:\w+\.)?TYPE_CHECKING\s*\)?|False|0")
# The parser takes quadratic time in consecutive comment lines; a comment without a quote can't end a string.
_COMMENT: Final = re.compile(rb"""(?m)^[ \t]*#[^\n"'\\]*$""")
_PACKAGES: Final = frozenset({"__package__", "__name__", "__spec__.parent"})  # what a relative name is resolved against


def read_imports(data: bytes) -> FileImports:
    """Read the imports of one module; broken parts become problems, and the rest is read anyway."""
    text = read_text(data)
    source = _COMMENT.sub(b"", text.source)
    tree = parse(source)
    marked = captures(_QUERY, tree.language, tree.root_node)
    found: list[Import] = []
    computed: list[int] = []
    for node in marked.get("plain", ()):
        found += _plain(node)
    for node in marked.get("from", ()):
        found.append(_taken(node))
    for node in (*marked.get("call", ()), *marked.get("plugins", ())):
        modules = _called(node) if node.type == "call" else _plugins(node)
        found += [Import(module, _line(node)) for module in modules if module]
        computed += [_line(node)] * (None in modules)
    problems = [(0, text.reason)] if text.reason else []
    if tree.root_node.has_error:
        problems += [(note.line, note.reason) for note in errors(tree, "imports")]
    return FileImports(tuple(sorted(found, key=lambda one: one.line)), tuple(sorted(computed)), tuple(problems))


def _plain(node: Node) -> Iterator[Import]:
    """`import a.b, c as d`."""
    only_types = _only_types(node)
    for child in node.children_by_field_name("name"):
        yield Import(_name(child), _line(node), only_types=only_types)


def _taken(node: Node) -> Import:
    """`from a import b, c as d`, `from . import b`, `from a import *`."""
    module = node.child_by_field_name("module_name")
    names = [_name(child) for child in node.children_by_field_name("name")]
    written = _squeezed(module) if module is not None else ""
    return Import(written, _line(node), tuple(names) or ("*",), _only_types(node))


def _name(node: Node) -> str:
    inner = node.child_by_field_name("name") if node.type == "aliased_import" else node
    return _squeezed(inner) if inner is not None else ""


def _squeezed(node: Node) -> str:
    return "".join(text_of(node).replace("\\", "").split())


def _called(call: Node) -> list[str | None]:
    """Return the module named by `import_module("a.b")`, `import_module(".b", __package__)` or `__import__("a")`."""
    given = arguments(call)
    first = given[0] if given else keyword(call, b"name")
    module = string(first) if first is not None else None
    if module is None or not module.startswith("."):
        return [module]
    anchor = given[1] if len(given) > 1 else keyword(call, b"package")
    if anchor is None or callee(call).endswith("__import__"):
        return [None]
    package = string(anchor)
    if package is not None:
        return [f"{package}{module}"] if not module.startswith("..") else [None]
    return [module] if text_of(anchor) in _PACKAGES else [None]


def _plugins(assignment: Node) -> list[str | None]:
    """Return the modules that pytest imports for `pytest_plugins`: one string, or several in a list or tuple."""
    value = assignment.child_by_field_name("right")
    if value is None:
        return []
    members = value.named_children if value.type in {"list", "tuple", "set"} else [value]
    return [string(member) for member in members if member.type != "comment"]


def _only_types(node: Node) -> bool:
    """Whether the import is under `if TYPE_CHECKING:`."""
    inner, outer = node, node.parent
    while outer is not None:
        if outer.type == "if_statement" and outer.child_by_field_name("consequence") == inner:
            condition = outer.child_by_field_name("condition")
            if condition is not None and _CHECKING.fullmatch(text_of(condition).encode()):
                return True
        inner, outer = outer, outer.parent
    return False


def _line(node: Node) -> int:
    return node.start_point.row + 1


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
