"""Tests whose call does nothing: generators and coroutines of which nothing takes what their body gives.

unittest drops what a method returns, except for the coroutines of an `IsolatedAsyncioTestCase`. pytest runs no
generator, and a coroutine only with a plugin, which takes a mark or a setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tree_sitter import Node

from pactkeeper.intent.claims import Opaque
from pactkeeper.intent.strength.program import Skip, SkipKind
from pactkeeper.repo.languages.adapter import upwards
from pactkeeper.repo.languages.python.claims.decorators import decorators
from pactkeeper.repo.languages.python.claims.expressions import children_of, text_of
from pactkeeper.repo.languages.python.claims.helpers import Module
from pactkeeper.repo.languages.python.strength.lowering import is_asynchronous, is_generator
from pactkeeper.repo.languages.python.strength.side import Side

_PLAIN: Final = "unittest.TestCase"
_AWAITING: Final = frozenset({"unittest.IsolatedAsyncioTestCase", "unittest.async_case.IsolatedAsyncioTestCase"})
_HARMLESS: Final = re.compile(
    r"(?:pytest\.)?mark\.\w+|(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)|(?:\w+\.){0,2}patch(?:\.\w+)?"
)
_RUNNING: Final = r"async|anyio|trio|tornado|gen_test|twisted|inline_callbacks|curio|coroutine"
_RUNS_IT: Final = re.compile(_RUNNING)
_MARKED: Final = re.compile(rf"pytestmark\b[^=]{{0,40}}=[^=]{{0,400}}?(?:{_RUNNING})")
_ROWS_OF_NOSE: Final = re.compile(r"\byield\b[^\n,]*+,")  # `yield check, 1` was a test of its own
_PLUGIN: Final = re.compile(
    rb"asyncio[-_]mode|pytest[-_]aiohttp|trio_mode|anyio_mode|tornasync|pytest[-_]twisted|pyfunc_call|modifyitems|makeitem"
)
_SETTINGS: Final = (
    "pyproject.toml", "pytest.ini", ".pytest.ini", "pytest.toml", "tox.ini", "setup.cfg", "setup.py", "noxfile.py",
    "requirements.txt", "requirements-dev.txt", "requirements-test.txt", "dev-requirements.txt", "Makefile",
)  # fmt: skip


def unrun(node: Node, owners: Sequence[Node], module: Module, side: Side) -> Iterator[Skip]:
    """Yield that nothing runs a test's body, if it is a generator or coroutine; under a condition if a plugin may."""
    kind: SkipKind | None = "generator" if is_generator(node) else "coroutine" if is_asynchronous(node) else None
    marks = [text_of(mark) for one in (node, *owners) for mark in decorators(one)] if kind is not None else []
    if kind is None or any(map(_may_run_it, marks)):
        return
    line = node.start_point.row + 1
    outside = _outside(owners[0], module, side) if owners else frozenset()
    if outside:
        known = outside <= {_PLAIN, *_AWAITING} and (kind == "generator" or outside == {_PLAIN})
        yield from [Skip(kind, None, "test", line)] if known else []
    elif kind == "generator" and not _ROWS_OF_NOSE.search(text_of(node)):
        yield Skip(kind, Opaque("nothing takes what it yields"), "test", line)
    elif kind == "coroutine" and not _has_plugin(module, side):
        yield Skip(kind, Opaque("no plugin awaits it"), "test", line)


def _may_run_it(mark: str) -> bool:
    return _HARMLESS.fullmatch(mark.partition("(")[0]) is None or _RUNS_IT.search(mark) is not None


def _outside(owner: Node, module: Module, side: Side) -> frozenset[str]:
    """Return the dotted names of what a class derives from outside of the test side."""
    found: set[str] = set()
    for one, place in [(owner, module), *side.ancestors(module, owner)]:
        for base in children_of(one, "superclasses"):
            head, dot, rest = text_of(base).partition(".")
            source, original = place.imports.get(head, ("", head))
            if side.class_named(place, text_of(base).rpartition(".")[2]) is None:
                found.add(f"{source}.{original}{dot}{rest}".lstrip("."))
    return frozenset(found - {"object", "abc.ABC"})


def _has_plugin(module: Module, side: Side) -> bool:
    """Whether the file's own mark, a setting or a hook may have every coroutine awaited."""
    if _MARKED.search(text_of(module.root)):
        return True
    hooks = (one.root.text for one in side.conftests(module.path))
    folders = upwards(module.path.rpartition("/")[0])
    settings = (side.read(f"{folder}/{name}".lstrip("/")) for folder in folders for name in _SETTINGS)
    return any(_PLUGIN.search(text or b"") for text in (*hooks, *settings))
