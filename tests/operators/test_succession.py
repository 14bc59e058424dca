"""Replacing atoms: when the old one retires, what is refused, and what happens to its tests."""

import pytest

from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.operators.atoms import atom_history
from pactkeeper.operators.authored import supersede_atom
from pactkeeper.reconcile.authored import AtomChange
from tests.operators.atoms import accept, change, commit, declare, run, table
from tests.operators.conftest import REFUSED


@pytest.fixture
def pair(shop):
    """Two drafts of the shop."""
    return declare(shop, "A revoked token is refused."), declare(shop, "A revoked token is accepted.")


def status(shop, atom):
    return shop.world().pact.status_of(atom)


def test_draft_retires_at_once_and_a_committed_atom_with_its_successors_commitment(shop, pair):
    old, new = pair
    commit(shop, old)
    done = run(shop, supersede_atom, old, new)
    assert (done.status, status(shop, old)) == ("committed", "committed")
    commit(shop, new)
    assert (status(shop, old), status(shop, new)) == ("superseded", "committed")


def test_commitment_that_is_lost_brings_the_old_atom_back(shop, pair):
    old, new = pair
    commit(shop, old)
    run(shop, supersede_atom, old, new)
    (shop.root / commit(shop, new)).unlink()
    assert (status(shop, old), status(shop, new)) == ("committed", "draft")


def test_words_that_are_left_out_are_taken_over_from_the_old_atom(shop):
    old = declare(shop, "A revoked token is refused.", category="security", outcomes=["It is 401."], tags=["login"])
    new = table(shop, run(shop, supersede_atom, old, AtomChange(intent="A revoked token is unwanted.")).new)
    assert (new.category, new.outcomes, new.tags, new.supersedes) == ("security", ("It is 401.",), ("login",), old)
    assert new.path == table(shop, old).path


def test_outcomes_with_numbers_are_not_taken_over_where_the_sentence_has_others(shop):
    outcomes = ["On day 31 it is refused.", "The order becomes refunded."]
    old = declare(shop, "A refund is possible within 30 days.", outcomes=outcomes)
    done = run(shop, supersede_atom, old, AtomChange(intent="A refund is possible within 14 days."))
    assert table(shop, done.new).outcomes == ("The order becomes refunded.",)
    assert done.dropped == ("On day 31 it is refused.",)


def test_successor_that_says_the_same_is_refused(shop, pair):
    with pytest.raises(UsageError, match="give what differs"):
        run(shop, supersede_atom, pair[0], AtomChange(tags=["x"]))


def test_second_successor_is_refused_and_the_last_of_the_chain_named(shop, pair):
    old, new = pair
    run(shop, supersede_atom, old, new)
    third = declare(shop, "An invoice is sent.")
    with pytest.raises(RefusedError, match=f"already has a successor, {new}"):
        run(shop, supersede_atom, old, third)
    run(shop, supersede_atom, new, third)
    assert [row.atom.id for row in run(shop, atom_history, new).chain] == [old, new, third]


def test_circle_is_refused(shop, pair):
    old, new = pair
    run(shop, supersede_atom, old, new)
    with pytest.raises(RefusedError, match="superseded"):
        run(shop, supersede_atom, new, old)
    with pytest.raises(RefusedError):
        run(shop, supersede_atom, old, old)


def test_circle_over_a_proposal_is_refused_by_apply_as_well(shop, pair):
    old, new = pair
    change(shop, new, status="proposed")
    run(shop, supersede_atom, old, new)
    with pytest.raises(RefusedError, match="was declared to replace"):
        run(shop, supersede_atom, new, old)


def test_atom_replaces_one_other(shop, pair):
    old, new = pair
    run(shop, supersede_atom, old, new)
    third = declare(shop, "An invoice is sent.")
    with pytest.raises(RefusedError, match=f"replaces {old} already"):
        run(shop, supersede_atom, third, new)


def test_claim_can_be_taken_back(shop, pair):
    old, new = pair
    run(shop, supersede_atom, old, new)
    change(shop, new, replaces_nothing=True)
    assert status(shop, old) == "draft"


def test_tests_of_a_replaced_atom_are_accepted_for_its_successor(shop):
    accept(shop, REFUSED)
    (old,) = shop.world().pact.atoms
    new = run(shop, supersede_atom, old, AtomChange(intent="A revoked token is unwanted.")).new
    assert "PK104" in shop.codes()
    accept(shop, REFUSED)
    assert "PK104" not in shop.codes()
    assert [link.atom for link in shop.world().by_id[REFUSED].links] == [new]


def test_comment_of_a_replaced_atom_names_the_successor(shop):
    shop.write("pact/pact.toml", '[pact]\nformat = 1\n[links]\nwrite = "comment"\n')
    accept(shop, REFUSED)
    (old,) = shop.world().pact.atoms
    new = run(shop, supersede_atom, old, AtomChange(intent="A revoked token is unwanted.")).new
    accept(shop, REFUSED)
    assert f"@atom {new}" in shop.read("tests/test_shop.py")
    assert old not in shop.read("tests/test_shop.py")
