"""Which ops of a patch to apply: the accepted ones that can be, with a reason for every one left out.

Also the journal: what was applied, with the previous value, so that everything can be undone and nothing happens twice.
It is append-only. A value is JSON; None stands for a node that does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pactkeeper.errors import StaleError
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.decision import Decision, bind
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch


@dataclass(frozen=True, slots=True)
class Skipped:
    """An op that is left out, and why."""

    op: Op
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The accepted ops, edited ones in their new form, in the patch's order.

    `edited` maps the id of an edited op's original form to the new one, `skipped` holds accepted ops whose dependencies
    were not accepted.
    """

    ops: tuple[Op, ...]
    rejected: tuple[Op, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    edited: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan for apply: all of `ops` or none; `already` were applied before and are not applied again."""

    ops: tuple[Op, ...]
    already: tuple[Op, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def select(patch: Patch, decisions: Iterable[Decision], *, applied: Collection[str] = ()) -> Selection:
    """Sort the ops of a patch by decision; raises RefusedError as `bind` does.

    An accepted op whose dependency is neither accepted nor among the `applied` op ids is skipped.
    """
    bound = bind(patch, decisions)
    taken: dict[str, Op] = {}
    skipped: list[Skipped] = []
    for op in patch.ops:
        decision = bound.get(op.id)
        if decision is None or decision.verdict == "reject":
            continue
        missing = [name for name in op.depends_on if name not in taken and name not in applied]
        if missing:
            skipped.append(Skipped(op, f"depends on {', '.join(missing)}, which is not accepted"))
        else:
            taken[op.id] = _edited(_following(op, taken), decision)
    return Selection(
        tuple(taken.values()),
        tuple(op for op in patch.ops if op.id in bound and bound[op.id].verdict == "reject"),
        tuple(skipped),
        {old: op.id for old, op in taken.items() if op.id != old},
    )


def plan(
    selection: Selection, current: Mapping[str, str], *, skip_stale: bool = False, applied: Collection[str] = ()
) -> Planned:
    """Compare the selected ops with the current digest of each target; a missing target has none.

    Ops among the `applied` ids are passed over. Raises StaleError naming every op whose target has changed, unless
    `skip_stale` drops those together with their dependents.
    """
    fresh: list[Op] = []
    stale: list[Skipped] = []
    dropped = list(selection.skipped)
    out: set[str] = set()
    for op in selection.ops:
        if op.id in applied:
            continue
        missing = [name for name in op.depends_on if name in out]
        if current.get(op.target) != op.precondition:
            stale.append(Skipped(op, stale_reason(op, current.get(op.target))))
        elif missing:
            dropped.append(Skipped(op, f"depends on {', '.join(missing)}, which is skipped"))
        else:
            fresh.append(op)
            continue
        out.add(op.id)
    if stale and not skip_stale:
        raise StaleError(stale_message(stale))
    already = tuple(op for op in selection.ops if op.id in applied)
    return Planned(tuple(fresh), already, (*stale, *dropped))


def stale_reason(op: Op, found: str | None) -> str:
    """Say how the target differs from what the op was made for."""
    if op.precondition is None:
        return f"{op.target} exists by now, or what it would be made from has changed"
    if found is None:
        return f"{op.target} is gone"
    return f"{op.target} has changed since"


def stale_message(stale: Iterable[Skipped]) -> str:
    """Name each stale op and say that nothing was applied."""
    lines = [f"  {one.op.id} {one.op.verb}: {one.reason}" for one in stale]
    noun = "op is" if len(lines) == 1 else "ops are"
    return (
        f"{len(lines)} {noun} stale, nothing was applied; pk reconcile makes a new patch, --skip-stale drops them\n"
        + "\n".join(lines)
    )


def _edited(op: Op, decision: Decision) -> Op:
    if decision.edited is None:
        return op
    said = Evidence("quoted", note=f"edited by {decision.by} at {decision.at}")
    return replace(op, payload=decision.edited, evidence=(*op.evidence, said))


def _following(op: Op, taken: Mapping[str, Op]) -> Op:
    """Return the op with its dependencies renamed to their edited versions."""
    names = tuple(taken[name].id if name in taken else name for name in op.depends_on)
    return op if names == op.depends_on else replace(op, depends_on=names)


State = Mapping[str, JsonValue]
Effect = Callable[[Op, JsonValue], JsonValue]


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One change to one node; `batch` numbers what was applied together, `undoes` the entry that this one reverts."""

    number: int
    batch: int
    op: str
    target: str
    before: JsonValue
    after: JsonValue
    undoes: int | None = None


Journal = tuple[JournalEntry, ...]


def node_hash(value: JsonValue) -> str | None:
    """Return the digest used in preconditions, None for a node that does not exist."""
    return None if value is None else digest(value)


def live(journal: Journal) -> Journal:
    """Return the entries that were applied and not undone, oldest first."""
    gone = {entry.undoes for entry in journal if entry.undoes is not None}
    return tuple(entry for entry in journal if entry.undoes is None and entry.number not in gone)


def last_batch(journal: Journal) -> Journal:
    """Return the live entries of the latest batch that has any; a plain undo reverts these."""
    entries = live(journal)
    return tuple(entry for entry in entries if entry.batch == entries[-1].batch)


def apply_ops(
    state: State, ops: Sequence[Op], journal: Journal, *, effect: Effect
) -> tuple[dict[str, JsonValue], Journal]:
    """Apply all ops or none; `effect` returns a node's new value from the op and the current value.

    An op that is live in the journal is passed over. Raises StaleError naming every op whose target does not match its
    precondition at the start of the batch.
    """
    done = {entry.op for entry in live(journal)}
    todo = [op for op in ops if op.id not in done]
    hashes = {op.target: node_hash(state.get(op.target)) for op in todo}
    stale = [op for op in todo if hashes[op.target] != op.precondition]
    if stale:
        raise StaleError(stale_message(Skipped(op, stale_reason(op, hashes[op.target])) for op in stale))
    changed = dict(state)
    batch = 1 + max((entry.batch for entry in journal), default=0)
    entries: list[JournalEntry] = []
    for number, op in enumerate(todo, start=len(journal)):
        before = changed.get(op.target)
        after = effect(op, before)
        entries.append(JournalEntry(number, batch, op.id, op.target, before, after))
        _put(changed, op.target, after)
    return changed, (*journal, *entries)


def undo(state: State, journal: Journal, entries: Iterable[JournalEntry]) -> tuple[dict[str, JsonValue], Journal]:
    """Undo entries, latest first, all or none.

    Raises StaleError naming every entry that is not live, or whose node has changed since it was applied.
    """
    alive = {entry.number for entry in live(journal)}
    latest_first = sorted(entries, key=lambda one: one.number, reverse=True)
    changed = dict(state)
    problems: list[str] = []
    batch = 1 + max((entry.batch for entry in journal), default=0)
    undone: list[JournalEntry] = []
    for number, entry in enumerate(latest_first, start=len(journal)):
        if entry.number not in alive:
            problems.append(f"  {entry.op}: taken back already, or never applied")
        elif node_hash(changed.get(entry.target)) != node_hash(entry.after):
            problems.append(f"  {entry.op}: {entry.target} has changed since it was applied")
        undone.append(JournalEntry(number, batch, entry.op, entry.target, entry.after, entry.before, entry.number))
        _put(changed, entry.target, entry.before)
    if problems:
        raise StaleError("nothing was undone; take back the later changes first\n" + "\n".join(problems))
    return changed, (*journal, *undone)


def _put(state: dict[str, JsonValue], target: str, value: JsonValue) -> None:
    if value is None:
        state.pop(target, None)
    else:
        state[target] = value
