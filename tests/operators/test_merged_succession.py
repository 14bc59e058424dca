"""Two branches that each declare, commit and replace atoms: clean where they may, one precise finding where not."""

import subprocess

import pytest

from pactkeeper.operators.authored import supersede_atom
from pactkeeper.operators.resolve import resolve_merge
from pactkeeper.reconcile.authored import AtomChange
from pactkeeper.reconcile.check import check
from tests.operators.atoms import accept, change, commit, declare, run
from tests.operators.conftest import REFUSED


@pytest.fixture
def based(shop):
    """The shop with two committed atoms on the main branch; gives their ids."""
    old = declare(shop, "A token lasts an hour."), declare(shop, "A basket holds ten items.")
    commit(shop, *old)
    shop.save("Commit two atoms")
    return shop, *old


def on_branch(shop, name, work):
    """Let somebody work on a branch that leaves the main one here; gives what the work gives."""
    shop.git("checkout", "--quiet", "main")
    shop.git("checkout", "--quiet", "-b", name)
    made = work()
    shop.save(name)
    return made


def merge(shop, *names):
    shop.git("checkout", "--quiet", "main")
    for name in names:
        done = subprocess.run(
            ["git", "merge", "--quiet", "--no-edit", name], cwd=shop.root, capture_output=True, text=True, check=False
        )
        if done.returncode:
            assert not run(shop, resolve_merge, (), ask=lambda _: None).left
            shop.git("commit", "--quiet", "--no-edit")


def replace(shop, old, intent, *, committed=True):
    new = run(shop, supersede_atom, old, AtomChange(intent=intent)).new
    if committed:
        commit(shop, new)
    return new


def findings(shop, *codes):
    world = shop.world()
    with shop.open() as workspace:
        verdict = check(world.linked, world.pact, world.scan.gaps, today=workspace.now().date())
    return [entry.finding for entry in verdict.findings if entry.finding.code in codes]


def statuses(shop, *names):
    pact = shop.world().pact
    return [pact.status_of(name) for name in names]


def test_branches_that_replace_different_atoms_merge_and_both_replacements_hold(based):
    shop, first, second = based
    left = on_branch(shop, "left", lambda: replace(shop, first, "A token lasts a day."))
    right = on_branch(shop, "right", lambda: replace(shop, second, "A basket holds twenty items."))
    merge(shop, "left", "right")
    assert statuses(shop, first, second, left, right) == ["superseded", "superseded", "committed", "committed"]
    assert findings(shop, "PK130", "PK131") == []


def test_branches_that_replace_the_same_atom_merge_and_both_sides_are_named(based):
    shop, first, _ = based
    left = on_branch(shop, "left", lambda: replace(shop, first, "A token lasts a day."))
    right = on_branch(shop, "right", lambda: replace(shop, first, "A token lasts a week."))
    merge(shop, "left", "right")
    (found,) = findings(shop, "PK130")
    assert found.subject == first
    assert {left, right} <= set(found.message.replace("(", " ").split())
    assert statuses(shop, first, left, right) == ["superseded", "committed", "committed"]


def test_what_was_committed_counts_before_what_was_not(based):
    shop, first, _ = based
    draft = on_branch(shop, "left", lambda: replace(shop, first, "A token lasts a day.", committed=False))
    right = on_branch(shop, "right", lambda: replace(shop, first, "A token lasts a week."))
    merge(shop, "left", "right")
    (found,) = findings(shop, "PK130")
    assert found.about == draft
    assert shop.world().pact.successor_of(first) == right
    change(shop, draft, status="abandoned", reason="The week was agreed on.")
    assert findings(shop, "PK130") == []


def test_test_that_the_other_branch_linked_to_a_replaced_atom_is_named_with_its_successor(based):
    shop, first, _ = based
    left = on_branch(shop, "left", lambda: replace(shop, first, "A token lasts a day."))
    record = f'"{REFUSED}" = {{ atoms = ["{first}"] }}\n'
    on_branch(shop, "right", lambda: shop.write("pact/links/tests/test_shop.py.toml", record))
    merge(shop, "left", "right")
    (found,) = findings(shop, "PK104")
    assert (found.subject, found.about) == (REFUSED, first)
    assert left in found.message
    accept(shop, REFUSED)
    assert findings(shop, "PK104") == []


def test_draft_that_one_branch_abandons_and_the_other_commits_is_committed(based):
    shop, *_ = based
    shop.git("checkout", "--quiet", "main")
    draft = declare(shop, "An invoice is sent.")
    shop.save("Draft")
    on_branch(shop, "left", lambda: change(shop, draft, status="abandoned", reason="No invoices."))
    on_branch(shop, "right", lambda: commit(shop, draft))
    merge(shop, "left", "right")
    assert statuses(shop, draft) == ["committed"]
