"""Molecules that people make: lenses, levels, and what a change set is."""

from dataclasses import replace
from itertools import pairwise

import pytest

from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.intent.records import Wanted
from pactkeeper.operators.apply import undo_apply
from pactkeeper.operators.atoms import get_atom
from pactkeeper.operators.authored import supersede_atom
from pactkeeper.operators.molecules import Change, change_molecule, get_molecule, list_molecules
from pactkeeper.operators.recommendations import Word, decide_recommendations, list_recommendations
from pactkeeper.reconcile.authored import AtomChange
from tests.operators.atoms import declare, run


@pytest.fixture
def atoms(shop):
    return declare(shop, "A revoked token is refused."), declare(shop, "An invoice is sent.")


def make(shop, **change):
    return run(shop, change_molecule, Change(**change))[0]


def test_created_molecule_has_lens_members_and_what_it_holds(shop, atoms):
    login = make(shop, new="Login", lens="feature", add=atoms[:1])
    spring = make(shop, new="Spring", lens="release", add=atoms[1:], nest=["Login"])
    found = run(shop, get_molecule, "Spring")
    assert (found.molecule.lens, [one.id for one in found.inner]) == ("release", [login.id])
    assert [row.atom.id for row in found.atoms] == [atoms[1], atoms[0]]
    assert [one.id for one in run(shop, get_molecule, "Login").outer] == [spring.id]


def test_same_name_is_refused_with_the_one_that_has_it(shop, atoms):
    login = make(shop, new="Login")
    with pytest.raises(UsageError, match=login.id):
        make(shop, new="Login")


def test_molecule_may_be_held_by_many_and_taken_out_of_one(shop, atoms):
    for name in ("Inner", "One", "Two"):
        make(shop, new=name)
    for name in ("One", "Two"):
        make(shop, molecule=name, nest=["Inner"])
    make(shop, molecule="One", unnest=["Inner"])
    assert [one.name for one in run(shop, get_molecule, "Inner").outer] == ["Two"]


def test_circle_and_eleventh_level_are_refused_before_anything_is_written(shop, atoms):
    names = [f"Level {number}" for number in range(11)]
    for name in names:
        make(shop, new=name)
    for outer, inner in pairwise(names[:10]):
        make(shop, molecule=outer, nest=[inner])
    before = shop.read("pact/molecules.toml")
    with pytest.raises(RefusedError, match="holds itself"):
        make(shop, molecule=names[9], nest=[names[0]])
    with pytest.raises(RefusedError, match="over 11 levels"):
        make(shop, molecule=names[9], nest=[names[10]])
    assert shop.read("pact/molecules.toml") == before


def test_atom_that_is_not_there_is_refused_with_what_finds_one(shop, atoms):
    with pytest.raises(UsageError, match="'IA-0'; to find it: pk atom search"):
        make(shop, new="Login", add=["IA-0"])


def test_molecule_that_another_holds_is_not_deleted(shop, atoms):
    make(shop, new="Inner")
    outer = make(shop, new="Outer", nest=["Inner"])
    with pytest.raises(RefusedError, match=f"{outer.id} holds"):
        make(shop, molecule="Inner", delete=True)


def test_lens_is_changed_and_taken_away_and_everything_is_undone(shop, atoms):
    make(shop, new="Login", lens="feature", add=atoms)
    before = shop.read("pact/molecules.toml")
    assert make(shop, molecule="Login", lens="epic").lens == "epic"
    assert make(shop, molecule="Login", lens="").lens is None
    run(shop, undo_apply)
    run(shop, undo_apply)
    assert shop.read("pact/molecules.toml") == before


def test_tests_of_a_change_set_come_with_their_state_and_those_that_are_gone_without(shop, atoms):
    shop.write("pact/debt.txt", "")
    make(
        shop, new="Change", lens="change_set", add_tests=["tests/test_shop.py::test_adds_two_numbers", "gone.py::test"]
    )
    found = run(shop, get_molecule, "Change")
    assert dict(found.tests) == {"tests/test_shop.py::test_adds_two_numbers": "orphan", "gone.py::test": None}


def test_unknown_names_are_usage_errors(shop, atoms):
    make(shop, new="Login")
    for change in (
        {"molecule": "Nowhere"},
        {"molecule": "Login", "nest": ["No"]},
        {"molecule": "Login", "add": ["IA-0"]},
    ):
        with pytest.raises(UsageError):
            make(shop, **change)


def test_recommended_group_takes_the_successor_of_an_atom_that_was_superseded(linked):
    (group,) = run(linked, list_recommendations, Wanted()).molecules
    old, new = group.atom_ids[0], declare(linked, "An invoice is sent.")
    run(linked, supersede_atom, old, new)
    run(linked, decide_recommendations, [group.id], Word("accept"))
    (kept,) = linked.world().pact.molecules.values()
    assert kept.atoms == (new, *group.atom_ids[1:])


def test_group_holds_the_successor_of_an_atom_that_was_superseded_later(shop, atoms):
    login = make(shop, new="Login", add=atoms)
    run(shop, supersede_atom, atoms[0], new := declare(shop, "A revoked token is refused and logged."))
    assert [row.atom.id for row in run(shop, get_molecule, "Login").atoms] == [new, atoms[1]]
    assert run(shop, list_molecules, "path").stored == (
        replace(login, atoms=(new, atoms[1]), path="pact/molecules.toml", line=1),
    )
    assert [one.id for one in run(shop, get_atom, new).molecules] == [login.id]
    assert make(shop, molecule="Login", remove=[new]).atoms == atoms[1:]


def test_successor_stands_in_the_computed_group_of_what_it_replaces(linked):
    (before,) = run(linked, list_molecules, "path").computed
    replaced = run(linked, supersede_atom, before.atoms[0], AtomChange("An invoice is sent."))
    (after,) = run(linked, list_molecules, "path").computed
    assert {*after.atoms} == {replaced.new, *before.atoms[1:]}
