"""R001: a run never rewrites a committed atom and never takes the id of an existing one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pactkeeper.intent.invariants.rule import Case, Judgement, Rule, Violation, judged, not_checked
from pactkeeper.intent.pact import Pact

if TYPE_CHECKING:  # most commands have no ops
    from pactkeeper.ledger.op import Op


def judge(case: Case) -> Judgement:
    """Check the ops of a patch."""
    ops = case.facts.ops
    if ops is None:
        return not_checked("there is no patch here")
    found = [(op, problem) for op in ops if (problem := _rewrites(op, case.facts.pact))]
    return judged(
        [Violation(op.target, problem, fix=f"reject {op.id}", basis=op.id, about=op.id) for op, problem in found],
        holds=f"none of {len(ops):,} {'op' if len(ops) == 1 else 'ops'} changes a committed atom",
        fails="the patch would rewrite what was declared",
    )


def _rewrites(op: Op, pact: Pact) -> str:
    name = str(op.payload.get("atomId", ""))
    if op.verb == "updateAtom" and pact.is_committed(name):
        return f"{op.id} changes the committed atom {name}"
    if op.verb == "createAtom" and name in pact.atoms:
        return f"{op.id} creates the atom {name}, which is there already"
    return ""


RULE = Rule(
    id="R001",
    name="a run never rewrites an atom",
    code="PK311",
    text="No op of a run changes a committed atom or takes the id of one that exists.",
    why="What people committed is theirs; a run may only propose a successor.",
    fix="Reject the op; a successor is proposed in its place.",
    checked={"pk reconcile": "every op of the patch", "pk apply": "the same, before anything is written"},
    judge=judge,
    overridable=False,
)
