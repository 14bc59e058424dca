"""R002: after a run, every changed test has intent, an op or a question."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pactkeeper.intent.invariants.rule import Case, Judgement, Rule, Violation, judged, not_checked
from pactkeeper.intent.links import LinkedTest, TestState

if TYPE_CHECKING:  # most commands have no ops
    from pactkeeper.ledger.op import Op

CLOSED: frozenset[TestState] = frozenset({"linked", "unratified", "rejected", "debt"})


def judge(case: Case) -> Judgement:
    """Report changed tests that are not linked and that no op or question covers."""
    facts = case.facts
    if facts.changed is None or facts.linked is None or facts.ops is None:
        return not_checked("what changed is known to a run only")
    covered = {*_subjects(facts.ops), *(one.subject for one in facts.questions)}
    left = [one for one in facts.linked if one.test.id in facts.changed and one.state not in CLOSED]
    return judged(
        [_violation(one) for one in left if one.test.id not in covered],
        holds=f"each of {len(facts.changed):,} changed tests has intent, an op or a question",
        fails="the run leaves changed tests behind",
    )


def _subjects(ops: Iterable[Op]) -> Iterable[str]:
    for op in ops:
        source = op.payload.get("sourceTest")
        yield op.group
        yield str(op.payload.get("testId", ""))
        yield str(source.get("testId", "")) if isinstance(source, dict) else ""


def _violation(entry: LinkedTest) -> Violation:
    test = entry.test
    return Violation(
        test.id,
        f"changed, is {entry.state.replace('_', ' ')}, and the run neither proposes nor asks anything about it",
        path=test.file,
        line=test.name_line,
        fix="pk reconcile " + test.file,
        basis=test.body_hash,
    )


RULE = Rule(
    id="R002",
    name="delta closure",
    code="PK312",
    text="After a run every test that changed has intent, or an op or a question about it is open.",
    why="What a run overlooks once it overlooks until somebody trips over it.",
    fix="Run again for the file, without `--max-tests`.",
    checked={"pk reconcile": "every test that differs from the run's baseline"},
    judge=judge,
    severity="warning",
    overridable=False,
)
