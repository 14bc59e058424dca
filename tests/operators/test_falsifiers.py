"""Falsifiers that only turn an outcome around go; what somebody said, and what is committed, stays."""

import pytest

from pactkeeper.operators.apply import undo_apply
from pactkeeper.operators.falsifiers import trim_falsifiers
from tests.operators.atoms import commit, declare, run, table

OUTCOMES = ("The status is 401.", "No session is created.")
DERIVED = ("The status is not 401.", "A session is created.")
OWN = "The status is 200."


def kept_files(shop):
    return {path: path.read_bytes() for path in sorted((shop.root / "pact").rglob("*")) if path.is_file()}


@pytest.fixture
def refused(shop):
    """An atom with two falsifiers that repeat its outcomes and one that does not."""
    return declare(shop, "A revoked token is refused.", outcomes=OUTCOMES, falsified_by=(*DERIVED, OWN))


def test_only_opposites_of_outcomes_are_dropped(shop, refused):
    before = table(shop, refused)
    trimmed = run(shop, trim_falsifiers)
    after = table(shop, refused)
    assert (trimmed.dropped, trimmed.atoms, trimmed.kept, trimmed.settled) == (2, 1, 1, 0)
    assert after.falsified_by == (OWN,)
    assert (after.intent, after.outcomes, after.source) == (before.intent, before.outcomes, before.source)


def test_an_undo_brings_every_byte_back(shop, refused):
    before = kept_files(shop)
    run(shop, trim_falsifiers)
    assert kept_files(shop) != before
    run(shop, undo_apply)
    assert kept_files(shop) == before


def test_committed_words_stay_as_they_are(shop, refused):
    commit(shop, refused)
    before = kept_files(shop)
    trimmed = run(shop, trim_falsifiers)
    assert (trimmed.dropped, trimmed.settled, trimmed.applied) == (0, 3, None)
    assert kept_files(shop) == before


def test_a_dry_run_writes_nothing_and_a_second_run_finds_nothing(shop, refused):
    before = kept_files(shop)
    assert run(shop, trim_falsifiers, dry_run=True).dropped == 2
    assert kept_files(shop) == before
    run(shop, trim_falsifiers)
    assert run(shop, trim_falsifiers).applied is None
