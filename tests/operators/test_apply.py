"""What an apply does with decisions, noes, states that come back, and patches that make no sense."""

from dataclasses import replace

import pytest

from pactkeeper.catalog.render import commitment_text
from pactkeeper.errors import InputError, RefusedError, StaleError
from pactkeeper.intent.atoms import Commitment
from pactkeeper.ledger.decision import Decision, Verdict
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.operators.apply import apply_patch, undo_apply, without_test
from pactkeeper.operators.decide import load_pending
from pactkeeper.operators.runs import list_runs
from tests.operators.atoms import run
from tests.operators.conftest import ADDS, FILE, REFUSED


def test_apply_twice_is_apply_once(shop):
    patch = shop.reconcile().patch
    assert shop.decide(patch, "accept").entry is not None
    again = shop.decide(patch, "accept")
    assert (again.entry, again.edits, len(again.planned.already)) == (None, (), len(patch.ops))


def test_undone_apply_can_be_applied_again(shop):
    patch = shop.reconcile().patch
    shop.decide(patch, "accept")
    run(shop, undo_apply)
    assert shop.decide(patch, "accept").entry is not None
    assert set(shop.states().values()) == {"unratified"}


def test_apply_that_a_checkout_took_away_can_be_applied_again(shop):
    shop.decide(shop.reconcile().patch, "accept")
    shop.git("clean", "-dfq", "pact")
    patch = shop.reconcile().patch
    assert shop.decide(patch, "accept").entry is not None
    assert set(shop.states().values()) == {"unratified"}


def test_rejected_test_can_be_accepted_from_the_same_patch(shop):
    patch = shop.reconcile().patch
    shop.decide(patch, "reject")
    assert set(shop.states().values()) == {"rejected"}
    shop.decide(patch, "accept")
    assert set(shop.states().values()) == {"unratified"}


def test_no_is_not_remembered_again_once_the_test_is_linked(linked):
    patch = linked.reconcile().patch
    linked.replace(FILE, "== 3", "== 3 and True")
    patch = linked.reconcile().patch
    linked.decide(patch, "accept")
    before = linked.read(f"pact/links/{FILE}.toml")
    assert linked.decide(patch, "reject").entry is None
    assert linked.read(f"pact/links/{FILE}.toml") == before


def test_rejected_confirmation_is_not_proposed_again_until_the_test_changes(linked):
    linked.replace(FILE, 'login("old")', 'login("older")')
    linked.decide(linked.reconcile().patch, "reject")
    assert linked.states()[REFUSED] == "suspect"
    again = linked.reconcile()
    assert (again.patch.ops, dict(again.left_out)) == ((), {"rejected_before": 1})
    linked.replace(FILE, 'login("older")', 'login("oldest")')
    assert {op.group for op in linked.reconcile().patch.ops} == {REFUSED}


def test_rejected_removal_of_a_record_is_not_proposed_again(linked):
    linked.write(FILE, linked.read(FILE).partition("def test_expired")[0])
    patch = linked.reconcile().patch
    assert [op.verb for op in patch.ops] == ["detachTest"]
    linked.decide(patch, "reject")
    assert linked.reconcile().patch.ops == ()


def test_confirming_one_of_two_suspect_links_leaves_the_other_suspect(linked):
    links = f"pact/links/{FILE}.toml"
    first, second = sorted(linked.world().pact.atoms)
    for atom in (first, second):
        linked.replace(links, f'atoms = ["{atom}"]', f'atoms = ["{first}", "{second}"]')
    linked.replace(FILE, 'login("old")', 'login("older")')
    patch = linked.reconcile().patch
    linked.decide(patch, {op.id: "accept" for op in patch.ops if op.payload["atomId"] == first})
    assert linked.states()[REFUSED] == "suspect"


def test_words_that_a_person_edited_are_kept_as_a_persons(shop):
    patch = shop.reconcile().patch
    decisions = []
    for op in patch.ops:
        words = {**op.payload, "description": "Sums are right."} if op.verb == "createAtom" else None
        verdict: Verdict = "edit" if words else "accept"
        decisions.append(Decision(op.id, op.shown_hash, verdict, "Ada", "2026-01-01T00:00:00+00:00", edited=words))
    run(shop, apply_patch, patch, decisions)
    assert {atom.source for atom in shop.world().pact.atoms.values()} == {"person"}


def rewritten(op, *, target=None, precondition="as it was", **payload):
    kept = op.precondition if precondition == "as it was" else precondition
    return Op(op.verb, target or op.target, kept, {**op.payload, **payload}, op.evidence, op.confidence, op.group)


def of_verb(patch, verb):
    return next(op for op in patch.ops if op.verb == verb)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda two: [rewritten(two[1], testId=ADDS)], "would change"),
        (lambda two: [rewritten(two[1], atomId="IA-NOWHERE")], "no accepted op creates it"),
        (lambda two: [rewritten(two[1], bodyHash="b1:0")], "has changed since the op was made"),
        (lambda two: [two[0], rewritten(two[1], replacesTestId=ADDS)], "whose record"),
        (lambda two: [rewritten(two[0], target="atom:x", atomId="x")], "not an atom id"),
        (lambda two: [rewritten(two[1], target="test:ghost", precondition=None, testId="ghost")], "there is no test"),
    ],
)
def test_patch_that_makes_no_sense_is_refused_whole(shop, make, reason):
    patch = shop.reconcile().patch
    made = Patch(patch.base, tuple(make([op for op in patch.ops if op.group == REFUSED])))
    with pytest.raises(RefusedError, match=reason):
        shop.decide(made, "accept")
    assert not (shop.root / "pact").exists()


def test_record_of_a_test_that_is_there_is_not_removed_whatever_a_patch_says(linked):
    node = linked.world().node_hash(f"test:{ADDS}")
    patch = Patch("x", (Op("detachTest", f"test:{ADDS}", node, {"testId": ADDS}),))
    with pytest.raises(RefusedError, match="is there"):
        linked.decide(patch, "accept")


def commit_atom(shop, atom):
    frozen = {atom: shop.world().pact.atoms[atom].frozen_hash()}
    commitment = Commitment("COM-1", frozen, "Ada", "2026-01-01T00:00:00+00:00")
    shop.write("pact/commitments/COM-1.toml", commitment_text(commitment))


def test_atom_that_was_committed_since_is_not_reworded(linked):
    linked.replace(FILE, "401", "403")
    patch = linked.reconcile().patch
    update = of_verb(patch, "updateAtom")
    commit_atom(linked, update.payload["atomId"])
    with pytest.raises(StaleError):
        linked.decide(patch, "accept")
    fresh = rewritten(update, precondition=linked.world().node_hash(update.target))
    with pytest.raises(RefusedError, match="never changes"):
        linked.decide(Patch("x", (fresh,)), "accept")


def test_project_rules_are_asked_before_the_defaults(shop):
    shop.write(
        "pact/pact.toml",
        '[pact]\nformat = 1\n\n[[policy.rule]]\nname = "frozen"\npermission = "deny"\nwhy = "release week"\n'
        'risks = ["annotate"]\n',
    )
    with pytest.raises(RefusedError, match=r"release week.*frozen"):
        shop.decide(shop.reconcile().patch, "accept")


def test_cap_of_a_rule_stops_the_apply_that_goes_beyond_it(shop):
    shop.write(
        "pact/pact.toml",
        '[pact]\nformat = 1\n\n[[policy.rule]]\nname = "few"\npermission = "ask"\nwhy = "few at a time"\ncap = 2\n',
    )
    patch = shop.reconcile().patch
    with pytest.raises(RefusedError, match="cap of 2"):
        shop.decide(patch, "accept")
    assert shop.decide(patch, {ADDS: "accept"}).entry is not None


def test_dry_run_writes_nothing_anywhere(shop):
    patch = shop.reconcile().patch
    before = sorted(str(path) for path in shop.root.rglob("*") if path.is_file() and "cache" not in path.name)
    assert shop.decide(patch, "accept", dry_run=True).edits
    assert sorted(str(path) for path in shop.root.rglob("*") if path.is_file() and "cache" not in path.name) == before


def test_apply_that_fails_leaves_no_decisions(shop):
    patch = shop.reconcile().patch
    shop.replace(FILE, 'login("old")', 'login("older")')
    with pytest.raises(StaleError):
        shop.decide(patch, "accept")
    with shop.open() as workspace:
        assert load_pending(workspace, patch.id).review.decisions == ()


def test_failed_apply_of_a_patch_from_a_file_leaves_no_run(shop):
    patch = shop.reconcile().patch
    foreign = replace(patch, base="v1:elsewhere")
    shop.write("pact/pact.toml", "format = ")
    with pytest.raises(InputError):
        shop.decide(foreign, "accept")
    shop.git("clean", "-dfq", "pact")
    with shop.open() as workspace:
        assert [one.run.patch for one in list_runs(workspace)] == [patch.id]


def test_a_new_atom_accepted_without_its_link_is_said_to_have_no_test(shop):
    patch = shop.reconcile().patch
    made, link = (
        next(op for op in patch.ops if op.group == ADDS and op.verb == verb)
        for verb in ("createAtom", "attachTestToAtom")
    )
    assert list(without_test(patch, (made, link))) == []
    (told,) = without_test(patch, (made,))
    assert told == f"no test will be linked to {made.payload['atomId']}: {link.id}, which links {ADDS}, is not accepted"


def test_the_patch_that_is_shown_unnamed_is_the_newest_if_none_waits(shop):
    first = shop.reconcile().patch
    with shop.open() as workspace:
        assert load_pending(workspace, None).patch.id == first.id
    shop.decide(first, "accept")
    newest = shop.reconcile().patch
    assert (newest.ops, newest.id != first.id) == ((), True)
    with shop.open() as workspace:
        assert load_pending(workspace, None).patch.id == newest.id
        assert load_pending(workspace, None, to_apply=True).patch.id == first.id
