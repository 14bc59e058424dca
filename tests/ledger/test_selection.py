from dataclasses import replace

import pytest

from pactkeeper.errors import StaleError
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.selection import plan, select
from tests.ledger.strategies import attach, create

HASH = "v1:" + "0" * 64
CREATE = create("atom:IA-1", "Login: an expired token is refused.")
ATTACH = replace(attach("test:x", HASH, "IA-1"), depends_on=(CREATE.id,))
OTHER = create("atom:IA-2", "Login: a fresh token is accepted.")
PATCH = Patch("v1:base", (CREATE, ATTACH, OTHER))


def decide(op: Op, verdict: str = "accept") -> Decision:
    edited = {**op.payload, "description": "Reworded."} if verdict == "edit" else None
    return Decision(op.id, op.shown_hash, verdict, "ada", "2026-11-20T12:00:00Z", edited=edited)  # type: ignore[arg-type]  # a parameter


def test_only_what_was_accepted_is_selected():
    selection = select(PATCH, [decide(CREATE), decide(ATTACH, "reject")])
    assert (selection.ops, selection.rejected) == ((CREATE,), (ATTACH,))


@pytest.mark.parametrize("decisions", [[decide(CREATE, "reject"), decide(ATTACH)], [decide(ATTACH)]])
def test_an_op_without_what_it_depends_on_is_left_out_and_said_so(decisions):
    selection = select(PATCH, decisions)
    assert selection.ops == ()
    assert [(one.op, CREATE.id in one.reason) for one in selection.skipped] == [(ATTACH, True)]
    assert plan(selection, {"test:x": HASH}).skipped == selection.skipped


def test_a_dependency_that_was_applied_before_counts():
    assert select(PATCH, [decide(ATTACH)], applied={CREATE.id}).ops == (ATTACH,)


def test_an_edit_is_a_new_op_and_its_dependents_follow_it():
    selection = select(PATCH, [decide(CREATE, "edit"), decide(ATTACH)])
    edited, attached = selection.ops
    assert (edited.payload["description"], edited.id != CREATE.id) == ("Reworded.", True)
    assert (attached.id, attached.depends_on) == (ATTACH.id, (edited.id,))
    assert selection.edited == {CREATE.id: edited.id}
    assert "ada" in edited.evidence[-1].note


def test_a_stale_op_stops_everything_and_is_named():
    selection = select(PATCH, [decide(op) for op in PATCH.ops])
    with pytest.raises(StaleError) as error:
        plan(selection, {"test:x": "v1:" + "1" * 64, "atom:IA-2": HASH})
    text = str(error.value)
    assert ATTACH.id in text
    assert OTHER.id in text
    assert CREATE.id not in text
    assert "2 ops are stale, nothing was applied" in text


@pytest.mark.parametrize(
    ("current", "reason"),
    [({"atom:IA-1": HASH}, "exists by now"), ({}, "is gone"), ({"test:x": "v1:" + "1" * 64}, "has changed")],
)
def test_a_stale_op_says_in_which_way_the_world_moved_on(current, reason: str):
    alone = Patch("v1:base", (CREATE,) if "atom:IA-1" in current else (replace(ATTACH, depends_on=()),))
    with pytest.raises(StaleError, match=reason):
        plan(select(alone, [decide(op) for op in alone.ops]), current)


def test_skipping_a_stale_op_drops_its_dependents_and_keeps_the_rest():
    selection = select(PATCH, [decide(op) for op in PATCH.ops])
    planned = plan(selection, {"test:x": HASH, "atom:IA-1": HASH}, skip_stale=True)
    assert planned.ops == (OTHER,)
    assert [one.op for one in planned.skipped] == [CREATE, ATTACH]
    assert CREATE.id in planned.skipped[1].reason


def test_what_was_applied_before_is_passed_over_and_not_stale():
    selection = select(PATCH, [decide(op) for op in PATCH.ops])
    applied = {op.id for op in PATCH.ops}
    planned = plan(selection, {"atom:IA-1": HASH, "atom:IA-2": HASH, "test:x": "v1:" + "1" * 64}, applied=applied)
    assert (planned.ops, planned.already, planned.skipped) == ((), PATCH.ops, ())
