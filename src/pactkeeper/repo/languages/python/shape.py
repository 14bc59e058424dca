"""What looks like tests in a module that nothing collects: functions and methods by their names alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pactkeeper.repo.languages.adapter import Glimpse
from pactkeeper.repo.languages.python.facts import Binding, File
from pactkeeper.repo.languages.python.names import Reading
from pactkeeper.repo.languages.python.parse import parse_file

MAKE_ITEM = "pytest_pycollect_makeitem"
_FUNCTION = re.compile(r"test(?:_|[A-Z]|\Z)")
_CLASS = re.compile(r"test|spec|(?:Case|Suite)\Z", re.IGNORECASE)
_PLACE = re.compile(r"(?:^|[/_.-])(?:tests?|testing|specs?)(?:[/_.-]|\Z)", re.IGNORECASE)


def glimpse(path: str, source: bytes) -> Glimpse | None:
    """The tests of a module as they look; outside of places for tests a function named `test…` alone is none."""
    file = parse_file(source, Reading())
    lines = sorted(shaped(file, anywhere=_PLACE.search(path) is not None))
    hooks = any(binding.name == MAKE_ITEM and binding.kind == "function" for binding in file.bindings)
    return Glimpse(len(lines), lines[0] if lines else 0, hooks) if lines or hooks else None


def shaped(file: File, *, anywhere: bool = True) -> Iterator[int]:
    """The lines of functions that look like tests, methods of classes that look like test classes included."""
    for binding in file.bindings:
        if anywhere and _is_test(binding):
            yield binding.line
        elif binding.group is not None:
            yield from _methods(binding, anywhere=anywhere)


def _methods(binding: Binding, *, anywhere: bool) -> Iterator[int]:
    group = binding.group
    names = (binding.name, *(group.bases if group is not None else ()))
    if group is not None and (anywhere or any(_CLASS.search(name) for name in names)):
        yield from (inner.line for inner in group.bindings if _is_test(inner))


def _is_test(binding: Binding) -> bool:
    return binding.kind == "function" and _FUNCTION.match(binding.name) is not None
