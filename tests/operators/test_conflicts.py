"""`find_conflicts` on a real repository: both sides, filters, and what somebody answers for."""

import pytest

from pactkeeper.operators.conflicts import find_conflicts
from tests.operators.atoms import change, declare, run


@pytest.fixture
def pair(shop):
    return tuple(sorted((declare(shop, "A session lasts 30 minutes."), declare(shop, "A session lasts 60 minutes."))))


def rows(shop, *arguments, **options):
    return run(shop, find_conflicts, *arguments, **options).rows


def test_both_sides_come_with_the_finding_and_the_choices(shop, pair):
    (row,) = rows(shop)
    finding = row.candidate.located.finding
    assert tuple(atom.atom.id for atom in row.atoms) == pair
    assert (finding.code, finding.subject, finding.about) == ("PK140", *pair)
    assert row.candidate.located.path == "pact/atoms/authored.toml"
    assert len(row.candidate.conflict.choices) > 1


def test_filters_narrow_by_kind_and_atom(shop, pair):
    other = declare(shop, "An invoice is sent.")
    assert rows(shop, ["shared test"]) == ()
    assert rows(shop, atom=other) == ()
    assert len(rows(shop, ["contradiction"], atom=pair[0].lower())) == 1


def test_waived_candidate_is_counted_until_the_waiver_ends(shop, pair):
    (row,) = rows(shop)
    fingerprint = row.candidate.located.finding.fingerprint
    shop.write("pact/waivers.toml", f'{fingerprint} = {{ by = "Eve", why = "Two products.", until = 2999-12-31 }}\n')
    report = run(shop, find_conflicts)
    assert (report.rows, report.waived) == ((), 1)
    shop.replace("pact/waivers.toml", "2999", "2001")
    assert len(rows(shop)) == 1


def test_nothing_is_settled_by_looking_and_a_settled_one_is_gone(shop, pair):
    before = shop.read("pact/atoms/authored.toml")
    rows(shop)
    assert shop.read("pact/atoms/authored.toml") == before
    change(shop, pair[0], status="abandoned", reason="The other one holds.")
    assert rows(shop) == ()
