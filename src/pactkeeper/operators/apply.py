"""The verbs that write: apply the accepted ops of a patch, take an apply back, settle an interrupted one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pactkeeper.catalog.journal import Entry, FileEdit
from pactkeeper.catalog.transaction import Note, apply, set_aside, settle, undo
from pactkeeper.errors import RefusedError
from pactkeeper.intent.tests import file_of
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.policy import DEFAULT_POLICY, case_of, explain, may_apply
from pactkeeper.ledger.selection import Planned, Selection, plan, select
from pactkeeper.reconcile.comments import comment_writer
from pactkeeper.reconcile.edits import Draft, Outcome, Rejection
from pactkeeper.reconcile.runs import applied_ops
from pactkeeper.reconcile.world import World
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Applied:
    """What an apply did or would do; `refused` are tests whose comment could not be changed, with the reason."""

    patch: Patch
    planned: Planned
    rejected: tuple[Op, ...]
    edits: tuple[FileEdit, ...]
    refused: tuple[tuple[str, str], ...]
    entry: Entry | None

    def diff(self) -> Iterator[str]:
        """The unified diff of all files, line by line without line ends."""
        for edit in self.edits:
            yield from file_diff(edit)


def apply_patch(
    workspace: Workspace,
    patch: Patch,
    decisions: Sequence[Decision],
    *,
    skip_stale: bool = False,
    dry_run: bool = False,
) -> Applied:
    """Apply the accepted ops of a patch, all or none, and remember the rejected ones.

    Raises StaleError naming every op whose node changed since it was shown, unless `skip_stale`; RefusedError where the
    policy forbids an op.
    """
    if dry_run:
        workspace.ensure_settled()
    else:
        settle(workspace.place)
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    done = applied_ops(workspace.state)
    selection = select(patch, decisions, applied=done)
    current = {op.target: digest for op in selection.ops if (digest := world.current(op)) is not None}
    planned = plan(selection, current, skip_stale=skip_stale, applied=done)
    _enforce(planned.ops, decisions, world, selection=selection)
    outcome = _outcome(workspace, world, planned, selection=selection, decisions=decisions)
    edits = tuple(FileEdit(path, read_file(workspace, path), data) for path, data in outcome.files.items())
    entry = None
    if not dry_run and edits:
        entry = apply(workspace.place, edits, _note(workspace, patch, planned, decisions))
    return Applied(patch, planned, selection.rejected, edits, outcome.refused, entry)


def _outcome(
    workspace: Workspace, world: World, planned: Planned, *, selection: Selection, decisions: Sequence[Decision]
) -> Outcome:
    draft = Draft(world)
    for op in planned.ops:
        draft.take(op)
    by_op = {one.op: one for one in decisions}
    kept = {op.group for op in planned.ops}
    for group in dict.fromkeys(op.group for op in selection.rejected):
        if group not in kept:
            ops = [op for op in selection.rejected if op.group == group]
            draft.reject(_rejection(group, ops, by_op[ops[0].id], world))
    writer = comment_writer(world.pact.settings.atom_prefix)
    return draft.outcome(lambda path: read_file(workspace, path), writer)


def _rejection(group: str, ops: Sequence[Op], decision: Decision, world: World) -> Rejection:
    entry = world.by_id.get(group)
    body = entry.test.body_hash if entry else ""
    fingerprint = "fp-" + digest([group, body, sorted(op.verb for op in ops)])[3:19]
    return Rejection(group, fingerprint, decision.by, decision.reason, decision.at)


def _enforce(ops: Iterable[Op], decisions: Sequence[Decision], world: World, *, selection: Selection) -> None:
    """Hold every op against the policy; what it does not allow stops the whole apply."""
    original = {new: old for old, new in (selection.edited or {}).items()}
    by_op = {one.op: one for one in decisions}
    refused: list[str] = []
    for op in ops:
        decision = by_op.get(original.get(op.id, op.id))
        actor = decision.actor if decision else "timer"
        ruling = explain(DEFAULT_POLICY, case_of(op, actor=actor, health=_health(op, world)))
        if not may_apply(ruling, decision):
            refused.append(f"  {op.id} {op.verb} of {op.target}: {ruling.permission}, {ruling.why}")
    if refused:
        raise RefusedError("the policy forbids what was chosen; nothing was applied\n" + "\n".join(refused))


def _health(op: Op, world: World) -> Health:
    """How much was seen of what the op rests on; only a vanished test rests on more than the pact."""
    if op.verb == "detachTest" and file_of(str(op.payload["testId"])) in world.unseen:
        return Health("partial", "the test's file could not be seen completely")
    return COMPLETE


def _note(workspace: Workspace, patch: Patch, planned: Planned, decisions: Sequence[Decision]) -> Note:
    metadata: dict[str, JsonValue] = {
        "verb": "apply",
        "patch": patch.id,
        "ops": [op.id for op in planned.ops],
        "decided_by": sorted({one.by for one in decisions}),
    }
    return Note(workspace.now().isoformat(timespec="seconds"), metadata)


def read_file(workspace: Workspace, path: str) -> bytes | None:
    """The present bytes of a file of the work tree; None where there is none."""
    try:
        return (workspace.repository.root / path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def file_diff(edit: FileEdit) -> Iterator[str]:
    """The unified diff of one file, line by line without line ends."""
    before, after = _lines(edit.before), _lines(edit.after)
    old = "/dev/null" if edit.before is None else f"a/{edit.path}"
    new = "/dev/null" if edit.after is None else f"b/{edit.path}"
    for line in difflib.unified_diff(before, after, old, new, lineterm=""):
        yield line.rstrip("\r\n")


def _lines(data: bytes | None) -> list[str]:
    return [] if data is None else data.decode("utf-8", "replace").split("\n")


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back: the journal entry that did it, None where nothing was left of the apply."""

    entry: Entry | None


def undo_apply(workspace: Workspace, *, entry_id: int | None = None) -> Undone:
    """Take the latest apply that still stands (or the named one) back."""
    metadata: Mapping[str, JsonValue] = {"verb": "undo"}
    note = Note(workspace.now().isoformat(timespec="seconds"), metadata)
    return Undone(undo(workspace.place, note, entry_id=entry_id))


def settle_write(workspace: Workspace, *, aside: bool = False) -> str:
    """Finish or roll back an interrupted write, or set it aside; says in a word what was done."""
    if aside:
        return "nothing to settle" if set_aside(workspace.place) is None else "set aside"
    return settle(workspace.place) or "nothing to settle"
