"""Every regular expression of the code base: those that modules hold, and those that calls of `re` are given."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pactkeeper

SOURCE: Final = Path(pactkeeper.__file__).parent
_CALLS: Final = frozenset({"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"})
_ANCHORED: Final = frozenset({"match", "fullmatch"})
_OPTIONAL: Final = ("pactkeeper.__main__",)


@dataclass(frozen=True)
class Found:
    """A pattern with where it stands, and the methods it is used by, `?` where they are not known."""

    place: str
    pattern: re.Pattern[Any]
    how: frozenset[str]

    @property
    def anchored(self) -> bool:
        """Whether it is only ever tried at one place of a text."""
        return self.how <= _ANCHORED

    @property
    def whole(self) -> bool:
        """Whether it is only ever asked about a whole text."""
        return self.how <= {"fullmatch"}


@dataclass(frozen=True)
class Made:
    """A pattern that is put together when it is used, which cannot be known from the source alone."""

    place: str
    source: str
    last: int  # the line on which the call ends


def modules() -> Iterator[ModuleType]:
    """Every module of the package."""
    for one in pkgutil.walk_packages(pactkeeper.__path__, "pactkeeper."):
        if one.name not in _OPTIONAL and ".migrations" not in one.name:
            yield importlib.import_module(one.name)


@cache
def trees() -> Mapping[str, ast.Module]:
    """The syntax tree of every module, by its name."""
    return {
        one.__name__: ast.parse(Path(str(one.__file__)).read_text(encoding="utf-8"))
        for one in modules()
        if one.__file__
    }


@cache
def uses() -> Mapping[tuple[str, str], frozenset[str]]:
    """How names are used: the methods called, or `?` for anything else; a private name is its own module's."""
    found: dict[tuple[str, str], set[str]] = {}
    for module, tree in trees().items():
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
                    method = node.attr if isinstance(node, ast.Attribute) else "?"
                    if method != "pattern":
                        found.setdefault(_owned(module, child.id), set()).add(method)
    return {name: frozenset(methods) for name, methods in found.items()}


def _owned(module: str, name: str) -> tuple[str, str]:
    return (module if name.startswith("_") else "", name)


def every() -> tuple[tuple[Found, ...], tuple[Made, ...]]:
    """All patterns, each once, and all that are only made when they are used."""
    found: dict[tuple[Any, ...], Found] = {}
    made: list[Made] = []
    held: set[re.Pattern[Any]] = set()
    for name, tree in trees().items():
        module = sys.modules[name]
        for one in _held(module):
            found.setdefault(_key(one), one)
            held.add(one.pattern)
        for call in (node for node in ast.walk(tree) if _is_of_re(node)):
            given = _given(module, call)
            if isinstance(given, Made):
                made.append(given)
            elif "?" not in given.how or given.pattern not in held:
                found.setdefault(_key(given), given)
    return tuple(found.values()), tuple(made)


def _key(one: Found) -> tuple[Any, ...]:
    return one.pattern.pattern, one.pattern.flags, one.anchored, one.whole


def _held(module: ModuleType) -> Iterator[Found]:
    for name, value in vars(module).items():
        for pattern in _within(value, 0):
            methods = (
                uses().get(_owned(module.__name__, name), frozenset({"?"}))
                if isinstance(value, re.Pattern)
                else frozenset({"?"})
            )
            yield Found(f"{module.__name__}.{name}", pattern, methods)


def _within(value: object, depth: int) -> Iterator[re.Pattern[Any]]:
    """Patterns in a value: by itself, in containers, in fields and behind bound methods."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(owner := getattr(value, "__self__", None), re.Pattern):
        yield owner
    elif depth < 6:
        inner: list[object] = []
        if isinstance(value, Mapping):
            inner = [*value.keys(), *value.values()]
        elif isinstance(value, (tuple, list, set, frozenset)):
            inner = list(value)
        elif hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
            inner = [getattr(value, field, None) for field in value.__dataclass_fields__]
        for one in inner[:5000]:
            yield from _within(one, depth + 1)


def _is_of_re(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
        and node.func.attr in _CALLS
    )


def _given(module: ModuleType, call: ast.AST) -> Found | Made:
    """What a call of `re` is given: a constant, or what the module's own constants make."""
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    place = f"{module.__name__}:{call.lineno}"
    written = ast.Call(
        ast.Name("_compiled", ast.Load()), call.args[:1], [one for one in call.keywords if one.arg == "flags"]
    )
    if call.func.attr == "compile":
        written.args = call.args
    elif call.func.attr in {"search", "match", "fullmatch", "findall", "finditer"}:
        written.args = [call.args[0], *call.args[2:3]]
    how = frozenset({"?" if call.func.attr == "compile" else call.func.attr})
    source = ast.unparse(written)
    for one in (written, _Escaped("ab").visit(written), _Escaped(b"ab").visit(ast.parse(source, mode="eval").body)):
        try:
            names = {**vars(module), "_compiled": re.compile}
            return Found(place, eval(ast.unparse(one), names), how)  # noqa: S307 - our own source
        except (NameError, TypeError, AttributeError):
            continue
    return Made(place, source, call.end_lineno or call.lineno)


@dataclass
class _Escaped(ast.NodeTransformer):
    """Puts a plain text where one of others stands escaped: what it says changes no count, as it repeats nothing."""

    text: str | bytes

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func) == "re.escape":
            return ast.Constant(self.text)
        if ast.unparse(node).startswith("map(re.escape, "):
            return ast.List([ast.Constant(self.text)], ast.Load())
        return self.generic_visit(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        if ast.unparse(node.elt).startswith("re.escape("):
            return ast.List([ast.Constant(self.text)], ast.Load())
        return self.generic_visit(node)
