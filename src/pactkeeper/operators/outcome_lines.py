"""The verb that ties the outcomes of tests to the lines of the assertions that say them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pactkeeper.intent.wording.outcomes import outcome_lines
from pactkeeper.operators.shown_source import Sources
from pactkeeper.repo.evidence import gather


def asserted_at(sources: Sources, tests: Iterable[str]) -> Mapping[str, Mapping[str, tuple[int, ...]]]:
    """For each test that is there, its outcomes with the lines that assert them, counted from 1 in its file."""
    known = [sources.tests[name] for name in tests if name in sources.tests]
    found = gather(sources.snapshot, known)
    return {one.id: outcome_lines(found[one.id]) for one in known}
