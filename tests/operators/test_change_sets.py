"""Replacing a rule: what breaks the new one becomes one change set."""

import pytest

from pactkeeper.errors import UsageError
from pactkeeper.operators.apply import undo_apply
from pactkeeper.operators.invariants import supersede_invariant
from tests.operators.atoms import accept, change, declare, run
from tests.operators.conftest import FILE, REFUSED

RULES = """\
[INV-101]
rule = "Security has a falsifier."
every = "atom"
where = { category = ["security"] }
needs = { min_falsifiers = 1 }

[INV-102]
rule = "Security has two falsifiers."
every = "atom"
where = { category = ["security"] }
needs = { min_falsifiers = 2 }
enabled = false
"""


@pytest.fixture
def ruled(shop):
    """The shop with two rules and three atoms of security, one of which holds to both."""
    named = f"def {REFUSED.rpartition('::')[2]}"
    shop.replace(FILE, named, f"@pytest.mark.security\n{named}")
    accept(shop, REFUSED)
    declare(shop, "A cookie is encrypted.", category="security", falsified_by=["It can be read.", "It is empty."])
    declare(shop, "An invoice is sent.", falsified_by=[])
    shop.write("pact/invariants.toml", RULES)
    return shop


def supersede(shop, old="INV-101", new="INV-102", **options):
    return run(shop, supersede_invariant, old, new, **options)


def test_atoms_that_break_the_new_rule_and_their_tests_become_a_change_set(ruled):
    (refused,) = [link.atom for link in ruled.world().by_id[REFUSED].links]
    done = supersede(ruled)
    stored = ruled.world().pact.molecules[done.change_set.id]
    assert (stored.lens, stored.atoms, stored.tests) == ("change_set", (refused,), (REFUSED,))
    assert done.impact.atoms == (refused,)


def test_old_rule_goes_off_and_the_new_one_on_in_one_write_that_undo_takes_back(ruled):
    supersede(ruled)
    pact = ruled.world().pact
    assert (pact.invariants["INV-101"].enabled, pact.invariants["INV-102"].enabled) == (False, True)
    run(ruled, undo_apply)
    assert ruled.read("pact/invariants.toml") == RULES
    assert not (ruled.root / "pact/molecules.toml").exists()


def test_dry_run_tells_and_writes_nothing(ruled):
    assert len(supersede(ruled, dry_run=True).impact.atoms) == 1
    assert ruled.read("pact/invariants.toml") == RULES


def test_rule_that_everything_holds_to_needs_no_change_set(ruled):
    (refused,) = [link.atom for link in ruled.world().by_id[REFUSED].links]
    change(ruled, refused, falsified_by=["It is let in.", "It is ignored."])
    assert supersede(ruled).change_set is None


def test_rule_in_words_gathers_what_the_old_rule_was_about(ruled):
    ruled.write("pact/invariants.toml", RULES + '\n[INV-103]\nrule = "Security is reviewed by two."\n')
    assert len(supersede(ruled, new="INV-103").impact.atoms) == 2


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("INV-001", "INV-102", "built in"),
        ("INV-101", "INV-999", "declares no"),
        ("INV-101", "INV-101", "itself"),
        ("INV-102", "INV-101", "already off"),
    ],
)
def test_what_cannot_replace_what_is_a_usage_error(ruled, old, new, reason):
    with pytest.raises(UsageError, match=reason):
        supersede(ruled, old, new)
