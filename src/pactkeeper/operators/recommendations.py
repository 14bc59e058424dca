"""Verbs about recommendations: list them, decide them in batches, and trace an atom to its origin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.errors import UsageError
from pactkeeper.intent.records import AtomRecommendation, MoleculeRecommendation, Wanted
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.decision import Decision, Verdict
from pactkeeper.ledger.shape import Slice, cursor_of, numbers_of
from pactkeeper.operators.apply import settle_groups
from pactkeeper.operators.decide import Pending, ReviewItem, chosen, decide, load_pending, save_decisions
from pactkeeper.operators.history import PAUSED
from pactkeeper.reconcile.journal import follow_journal
from pactkeeper.store.decisions import decisions_of
from pactkeeper.store.history import History
from pactkeeper.store.recommendations import atom_recommendations, molecule_recommendations, recommended_slice
from pactkeeper.store.runs import find_run, list_runs
from pactkeeper.store.waiting import waiting_ops
from pactkeeper.workspace import Workspace

_IN_MOLECULES: Final = "m"  # prefix of a cursor past the last atom


@dataclass(frozen=True, slots=True)
class Recommendations:
    """The recommended atoms and molecules of the selected runs."""

    atoms: tuple[AtomRecommendation, ...]
    molecules: tuple[MoleculeRecommendation, ...]


@dataclass(frozen=True, slots=True)
class Traced:
    """One path from an atom to the test it came from; fields are empty if neither history nor pact has them."""

    atom: str
    status: str
    recommendation: str = ""
    run: str = ""
    decided: str = ""
    test: str = ""


def list_recommendations(workspace: Workspace, wanted: Wanted) -> Recommendations:
    """List what runs recommend, with the outcome."""
    history = _followed(workspace, wanted)
    if history is None:
        return Recommendations((), ())
    return Recommendations(atom_recommendations(history, wanted), _molecules_of(history, wanted))


def recommendation_slice(workspace: Workspace, wanted: Wanted, *, cursor: str = "", limit: int) -> Slice:
    """Return recommendations from a cursor on, atoms before molecules; at most `limit` of them."""
    history = _followed(workspace, wanted)
    if history is None:
        return Slice((), (), 0, more=False)
    with history.database.together():
        return _sliced(history, wanted, cursor, limit)


def _sliced(history: History, wanted: Wanted, cursor: str, limit: int) -> Slice:
    molecules = _molecules_of(history, wanted)
    if cursor.startswith(_IN_MOLECULES):
        return _of_molecules(molecules, *numbers_of(cursor.removeprefix(_IN_MOLECULES), 2), limit=limit)
    *place, total = numbers_of(cursor, 3)
    atoms = recommended_slice(history, wanted, cursor=cursor and cursor_of(*place), limit=limit)
    total = total or atoms.total + len(molecules)
    cursors = [f"{one}.{total}" for one in atoms.cursors[:limit]]
    if atoms.more or not molecules:
        return Slice(atoms.members, cursors, total, atoms.more)
    rest = _of_molecules(molecules, 0, total, limit=limit - len(atoms.members))
    return Slice((*atoms.members, *rest.members), (*cursors, *rest.cursors), total, rest.more)


def _followed(workspace: Workspace, wanted: Wanted) -> History | None:
    if not workspace.has_history:
        return None
    history = workspace.history()
    follow_journal(history, workspace.state)
    if wanted.run is not None and find_run(history, wanted.run) is None:
        raise UsageError(f"there is no run {wanted.run!r}; see: pk runs list")
    return history


def _molecules_of(history: History, wanted: Wanted) -> tuple[MoleculeRecommendation, ...]:
    of_tests = wanted.test is None and wanted.atom is None
    return molecule_recommendations(history, run=wanted.run, status=wanted.status) if of_tests else ()


def _of_molecules(molecules: Sequence[MoleculeRecommendation], start: int, total: int, *, limit: int) -> Slice:
    members = molecules[start : start + limit]
    cursors = [_IN_MOLECULES + cursor_of(start + count, total) for count in range(1, len(members) + 1)]
    return Slice(members, cursors, total, start + limit < len(molecules))


@dataclass(frozen=True, slots=True)
class Word:
    """A person's verdict on recommendations; `edited` are the fields of an atom to change."""

    verdict: Verdict
    reason: str = ""
    edited: tuple[tuple[str, JsonValue], ...] = ()


def decide_recommendations(
    workspace: Workspace, names: Sequence[str], word: Word, *, run: str | None = None
) -> tuple[Decision, ...]:
    """Decide everything that op ids, test ids or atom ids name, all or nothing.

    Without names, either everything open is rejected, or what reaches the quality threshold is accepted.
    """
    groups = [one for one in _molecules(workspace, names) if run in {None, one.run_id}]
    if groups and len(groups) == len(names):
        return settle_groups(workspace, groups, accepted=word.verdict == "accept")
    pending = _pending(workspace, names, run)
    items = chosen(pending, names) if names else pending.open if word.verdict == "reject" else pending.sound
    if word.edited and len(items) != 1:
        raise UsageError(f"an edit is of one recommendation, and {', '.join(names)} name {len(items)}")
    made = tuple(one for item in items for one in _decided(workspace, item, word))
    save_decisions(workspace, pending.patch, made)
    return made


def _molecules(workspace: Workspace, names: Sequence[str]) -> tuple[MoleculeRecommendation, ...]:
    """Return the named molecules that are in no waiting patch; the others are decided with their patch."""
    if not names or not workspace.has_history:
        return ()
    found = [one for one in molecule_recommendations(workspace.history()) if {one.id, one.molecule_id} & {*names}]
    waiting = waiting_ops(workspace.history()) if found else frozenset()
    return tuple(one for one in found if one.id not in waiting)


def _pending(workspace: Workspace, names: Sequence[str], run: str | None) -> Pending:
    """Return the patch with all the names: that of the run, else of the newest waiting run that has them."""
    if run is not None or not names:
        return load_pending(workspace, run)
    waiting = list_runs(workspace.history(), statuses=PAUSED) if workspace.has_history else ()
    for one in waiting:
        pending = load_pending(workspace, one.id)
        try:
            chosen(pending, names)
        except UsageError:
            continue
        return pending
    named = " and ".join(repr(one) for one in names)
    raise UsageError(f"no run that waits recommends {named}; see: pk recommendations --status pending")


def _decided(workspace: Workspace, item: ReviewItem, word: Word) -> tuple[Decision, ...]:
    if not word.edited:
        return decide(workspace, item, word.verdict, reason=word.reason)
    op = next((one for one in item.ops if one.verb in {"createAtom", "updateAtom"}), None)
    if op is None:
        raise UsageError(f"{item.group} has no words to edit")
    return decide(workspace, item, "edit", reason=word.reason, edited={op.id: {**op.payload, **dict(word.edited)}})


def trace_origin(workspace: Workspace, name: str) -> tuple[Traced, ...]:
    """Trace an atom, a recommendation, a run or a test in both directions; raises UsageError if nothing matches."""
    world = workspace.world(workspace.snapshot())
    history = workspace.history() if workspace.has_history else None
    if history is not None:
        follow_journal(history, workspace.state)
    known = [*_recommended(history, name), *_grouped(history, name)] if history is not None else []
    recommended = {one.atom for one in known}
    linked = world.by_id[name].atoms() if name in world.by_id else ()
    atoms = [one for one in dict.fromkeys([name, *linked]) if one in world.pact.atoms and one not in recommended]
    for atom in atoms:
        more = list(_recommended(history, atom)) if history is not None and atom != name else []
        declared = world.pact.atoms[atom]
        known += more or [
            Traced(atom, str(world.pact.status_of(atom)), declared.recommendation or "", test=declared.origin or "")
        ]
    if not known:
        hint = "to find it: pk atom search WORDS, pk recommendations, or pk runs list"
        raise UsageError(f"neither the pact nor the history has {name!r}; {hint}")
    return tuple(known)


def _grouped(history: History, name: str) -> Iterator[Traced]:
    """Yield the recommended molecule with this id, with its atoms."""
    for one in molecule_recommendations(history):
        if name in {one.id, one.molecule_id}:
            yield Traced(one.molecule_id or "", one.status, one.id, one.run_id, test=", ".join(one.atom_ids))


def _recommended(history: History, name: str) -> Iterator[Traced]:
    if name.startswith("op-"):
        found = [one for one in atom_recommendations(history) if one.id == name]
    elif name.startswith("REC-"):
        found = list(atom_recommendations(history, Wanted(run=name)))
    else:
        found = [*atom_recommendations(history, Wanted(atom=name)), *atom_recommendations(history, Wanted(test=name))]
    for one in dict.fromkeys(found):
        run = find_run(history, one.run_id)
        taken = decisions_of(history, run.patch) if run is not None and run.patch is not None else ()
        said = next((f"{word.verdict} by {word.by}, {word.at}" for word in taken if word.op == one.id), "")
        yield Traced(one.atom_id or "", one.status, one.id, one.run_id, said, one.source_test_id)
