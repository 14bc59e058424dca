"""The contexts of coverage.py: which test a name stands for, and what each test ran."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pactkeeper.intent.coverage import TestLines, spans
from pactkeeper.intent.results import Case
from pactkeeper.repo.reports.pytest_json import case_of_node

Lines = dict[str, dict[str, list[int]]]  # test → path → lines
_PHASES: Final = frozenset({"setup", "run", "call", "teardown"})


def test_in(context: str) -> str:
    """The test in a context: pytest-cov adds the phase behind it, a static context stands before it; empty for none."""
    parts = [part for part in context.split("|") if part]
    if len(parts) > 1 and parts[-1] in _PHASES:
        parts.pop()
    return parts[-1] if parts else ""


test_in.__test__ = False  # type: ignore[attr-defined]  # keeps pytest from collecting it where a test imports it


def lines_by_test(found: Lines) -> Iterator[TestLines]:
    """What each test ran."""
    for name, files in found.items():
        yield TestLines(_case(name), {path: spans(lines) for path, lines in files.items()})


def _case(name: str) -> Case:
    """pytest-cov writes node ids, `dynamic_context = test_function` a dotted name."""
    if "::" in name:
        return case_of_node(name)
    module, _, function = name.rpartition(".")
    return Case(tuple(part for part in (module, function) if part), joined=True)
