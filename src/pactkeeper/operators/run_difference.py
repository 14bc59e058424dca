"""The verb that compares two runs: what only one of them proposes, words differently, asks or found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pactkeeper.ledger.finding import Finding
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.question import Question
from pactkeeper.ledger.run import Run
from pactkeeper.operators.runs import followed, named_run, patch_of
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class RunDifference:
    """What two runs propose, ask and found that the other does not.

    `changed` pairs ops that do the same to the same target in other words; `both` counts the ops that are equal.
    """

    before: Run
    after: Run
    only_before: tuple[Op, ...]
    only_after: tuple[Op, ...]
    changed: tuple[tuple[Op, Op], ...]
    both: int
    settled: tuple[Question, ...]
    asked: tuple[Question, ...]
    gone: tuple[Finding, ...]
    new: tuple[Finding, ...]


def diff_runs(workspace: Workspace, before: str, after: str) -> RunDifference:
    """Compare two runs op by op; raises UsageError for a run that is not known."""
    history = followed(workspace)
    first, second = named_run(history, before), named_run(history, after)
    return compared(first, patch_of(history, first), second, patch_of(history, second))


def compared(first: Run, old: Patch, second: Run, new: Patch) -> RunDifference:
    """Pair what two patches hold: equal ops, ops about the same in other words, and what only one of them has."""
    only_before, only_after = _missing(old.ops, new.ops), _missing(new.ops, old.ops)
    later = {(op.verb, op.target): op for op in only_after}
    changed = tuple((op, later[op.verb, op.target]) for op in only_before if (op.verb, op.target) in later)
    paired = {op.id for pair in changed for op in pair}
    return RunDifference(
        first,
        second,
        tuple(op for op in only_before if op.id not in paired),
        tuple(op for op in only_after if op.id not in paired),
        changed,
        len(old.ops) - len(only_before),
        _unasked(old, new),
        _unasked(new, old),
        _unfound(old, new),
        _unfound(new, old),
    )


def _missing(ops: Iterable[Op], others: Iterable[Op]) -> tuple[Op, ...]:
    known = {op.id for op in others}
    return tuple(op for op in ops if op.id not in known)


def _unasked(patch: Patch, other: Patch) -> tuple[Question, ...]:
    known = {question.id for question in other.questions}
    return tuple(question for question in patch.questions if question.id not in known)


def _unfound(patch: Patch, other: Patch) -> tuple[Finding, ...]:
    known = {finding.fingerprint for finding in other.findings}
    return tuple(finding for finding in patch.findings if finding.fingerprint not in known)
