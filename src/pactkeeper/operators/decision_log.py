"""The verb that lists who decided what and when, from the pact, the journal of writes and the history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from heapq import merge
from math import inf
from typing import TYPE_CHECKING, Final, Literal

from pactkeeper.catalog.journal import WriteEntry, entries
from pactkeeper.catalog.statements import entry_ranges
from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.pact import LinkRecord, Pact, Waiver
from pactkeeper.operators.atoms import declared
from pactkeeper.repo.line_history import Revision, blame, committed_bytes
from pactkeeper.workspace import Workspace

if TYPE_CHECKING:
    from pactkeeper.store.decisions import DecidedOp

Kept = Literal["pact", "journal", "history"]
IN_THE_PACT: Final = {
    "commit": "commitment",
    "abandon": "commitment",
    "clarify": "clarification",
}  # writes whose decision is in the pact, by id
MOST_OF_THE_HISTORY: Final = 5000
MOST_NAMED: Final = 3
CHANGES: Final = {  # what an op did, before the name of what it changed
    "createAtom": "new atom",
    "updateAtom": "reworded",
    "removeAtom": "removed",
    "markAtomSuperseded": "superseded",
    "attachTestToAtom": "link of",
    "detachTest": "removed record of",
    "createMolecule": "group",
    "createTask": "new task",
    "logTask": "note on task",
    "completeTask": "completed task",
    "reopenTask": "reopened task",
    "createDocument": "new document",
    "enrichDocument": "more in document",
    "updateDocumentMeta": "facts of document",
    "patchDocumentSection": "section of document",
    "tickTodo": "ticked to-do of",
    "proposeSkillFix": "fix of skill",
}
WRITES: Final = {  # what a write of the journal did, by the name that the journal gives it
    "init": "began the pact",
    "adopt": "drafted atoms of annotations",
    "agents": "set up agents",
    "annotate": "moved links to",
    "put aside": "put a finding aside",
    "take up": "took a finding up again",
    "invariant": "set rule",
    "supersede invariant": "replaced rule",
    "molecule": "changed group",
    "resolve": "resolved a merge",
    "debt add": "added to the debt",
    "debt prune": "pruned the debt",
}
VERDICTS: Final = {"accept": "accepted", "reject": "rejected", "edit": "edited", "withdraw": "took back the word on"}


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision: when (ISO 8601, empty if unknown), by whom, what, about which subject, and why.

    `kept` says where it is stored: the pact is in every clone, journal and history only in this one.
    """

    at: str
    by: str
    what: str
    subject: str
    said: str
    atoms: tuple[str, ...]
    kept: Kept

    @property
    def words(self) -> str:
        """What was done, as people read it."""
        return WRITES.get(self.what, self.what)


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which decisions to list: since a day (inclusive), by a name that contains `by`, about one atom."""

    since: date | None = None
    by: str = ""
    atom: str | None = None


@dataclass(frozen=True, slots=True)
class DecisionLog:
    """Decisions, newest first, those without a time last; `total` counts all that match the filter.

    What this clone wrote or reviewed keeps the order in which that happened, whatever the clock said.
    """

    rows: tuple[Decided, ...]
    total: int


def decision_log(workspace: Workspace, wanted: LogFilter, *, limit: int) -> DecisionLog:
    """List who decided what and when."""
    pact = declared(workspace)
    atom = wanted.atom and wanted.atom.upper()
    if atom and atom not in pact.atoms and atom not in pact.committed_ids:
        raise UsageError(f"the pact has no atom {wanted.atom!r}; to find it: pk atom search WORDS")
    reviewed = _of_the_history(workspace)
    pacted = dict(_of_the_pact(workspace, pact))
    written = tuple(_of_the_journal(workspace, reviewed, pacted))
    others = sorted(pacted.values(), key=_when, reverse=True)
    chosen = [
        one
        for one in merge(written, _grouped(reviewed), others, key=_when, reverse=True)
        if (atom is None or atom in one.atoms)
        and wanted.by.casefold() in one.by.casefold()
        and (wanted.since is None or (one.at and _moment(one).date() >= wanted.since))
    ]
    return DecisionLog(tuple(chosen[:limit]), len(chosen))


def _moment(one: Decided) -> datetime:
    found = datetime.fromisoformat(one.at)
    return found.astimezone()


def _when(one: Decided) -> float:
    """Sort key; a decision without a time is older than everything."""
    return _moment(one).timestamp() if one.at else -inf


def _of_the_pact(workspace: Workspace, pact: Pact) -> Iterator[tuple[str, Decided]]:
    """Yield decisions stored in the pact, by their name in the journal, or their subject if they have none there."""
    for commitment in pact.commitments.values():
        overrides = ", ".join(f"overrides {name}: {why}" for name, why in (commitment.overrides or {}).items())
        said = f"{commitment.assurance}{'; ' if overrides else ''}{overrides}"
        atoms, what = tuple(commitment.frozen), "committed"
        if commitment.abandons is not None:
            what, said = "abandoned", f"{', '.join(atoms)}: {commitment.abandons}"
        yield commitment.id, Decided(commitment.at, commitment.by, what, commitment.id, said, atoms, "pact")
    for key, one in pact.clarifications.items():
        said = f"{one.question} {one.answer}"
        yield key, Decided(one.at, one.by, "clarified", one.atom, said, (one.atom,), "pact")
    for record in pact.links.values():
        if record.rejected is not None:
            yield f"rejected {record.test}", _rejected(record)
    lines = _Lines(workspace)
    for waiver in pact.waivers:
        yield f"waived {waiver.key}", _waived(waiver, lines.last_change(waiver.path, waiver.key))
    for atom in pact.atoms.values():
        if atom.status == "abandoned" and not pact.is_committed(atom.id):
            yield f"abandoned {atom.id}", _abandoned(atom, lines.last_change(atom.path, atom.id))


def _rejected(record: LinkRecord) -> Decided:
    return Decided(record.at or "", record.by or "", "rejected", record.test, record.reason or "", (), "pact")


def _waived(waiver: Waiver, change: Revision | None) -> Decided:
    said = f"until {waiver.until.isoformat()}: {waiver.why}"
    return Decided(change.at if change else "", waiver.by, "waived", waiver.key, said, (), "pact")


def _abandoned(atom: Atom, change: Revision | None) -> Decided:
    at, by = (change.at, change.by) if change else ("", "")
    return Decided(at, by, "abandoned", atom.id, atom.reason or "", (atom.id,), "pact")


class _Lines:
    """Finds out with git who last changed an entry of a file, and when; each file is read once."""

    def __init__(self, workspace: Workspace) -> None:
        self._repository = workspace.repository
        self._known: dict[str, tuple[bytes, tuple[Revision, ...]] | None] = {}

    def last_change(self, path: str, name: str) -> Revision | None:
        """Return the newest commit among the entry's lines; None if git does not have the entry yet."""
        if path not in self._known:
            source = committed_bytes(self._repository, path)
            self._known[path] = None if source is None else (source, blame(self._repository, path))
        known = self._known[path]
        if known is None:
            return None
        source, revisions = known
        lines = [line for first, last in entry_ranges(source, name) for line in revisions[first - 1 : last]]
        return max(lines, key=lambda one: one.at, default=None)


def _of_the_journal(
    workspace: Workspace, reviewed: Sequence[DecidedOp], pacted: dict[str, Decided]
) -> Iterator[Decided]:
    """Yield writes, latest first, without those that carry out decisions stored in the history.

    What the pact stores of a write is removed from `pacted` and yielded in the write's place.
    """
    known = {entry.id: entry for entry in entries(workspace.state)}
    patches = {one.patch for one in reviewed}
    for entry in sorted(known.values(), key=lambda one: one.id, reverse=True):
        kept = pacted.pop(str(entry.metadata.get(IN_THE_PACT.get(str(entry.metadata.get("verb")), ""))), None)
        if kept is not None:
            yield kept
        elif entry.undoes is not None:
            undone = known.get(entry.undoes)
            what = f"write {entry.undoes}" if undone is None else f"write {entry.undoes} of {undone.at[:10]}"
            by = ", ".join(_texts(entry.metadata.get("decided_by")))
            yield Decided(entry.at, by, "took back", what, "", _atoms(undone), "journal")
        elif entry.metadata.get("verb") not in IN_THE_PACT and entry.metadata.get("patch") not in patches:
            yield told_write(entry)


def told_write(entry: WriteEntry) -> Decided:
    """Describe a write of the journal, in the words of the log."""
    facts = entry.metadata
    verb = str(facts.get("verb", "wrote"))
    by = ", ".join(_texts(facts.get("decided_by")))
    changes = _changes(entry)
    if verb != "apply":
        named = ", ".join(_texts(facts.get("tests"))[:MOST_NAMED])
        about = next((str(facts[name]) for name in ("molecule", "rule", "to") if name in facts), named)
        return Decided(entry.at, by, verb, about, str(facts.get("reason", "")), (), "journal")
    reasons = "; ".join(dict.fromkeys(str(one["reason"]) for one in changes if "reason" in one))
    what = _summed(changes) or f"{len(_texts(facts.get('ops')))} ops"
    return Decided(entry.at, by, "applied", what, reasons, _atoms(entry), "journal")


def _changes(entry: WriteEntry) -> list[Mapping[str, object]]:
    listed = entry.metadata.get("changes")
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _summed(changes: Sequence[Mapping[str, object]]) -> str:
    told = [(CHANGES.get(str(one["verb"]), one["verb"]), str(one["target"])) for one in changes[:MOST_NAMED]]
    named = [f"{what} {target.partition(':')[2]}" for what, target in told]
    more = f", and {len(changes) - MOST_NAMED} more" if len(changes) > MOST_NAMED else ""
    return ", ".join(named) + more


def _atoms(entry: WriteEntry | None) -> tuple[str, ...]:
    """Return the atoms that a write changed."""
    if entry is None:
        return ()
    changes = _changes(entry)
    targets = (str(one["target"]) for one in changes)
    named = [name.partition(":")[2] for name in targets if name.startswith("atom:")]
    return tuple(dict.fromkeys((*named, *(str(one["atom"]) for one in changes if "atom" in one))))


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list) else ()


def _of_the_history(workspace: Workspace) -> tuple[DecidedOp, ...]:
    if not workspace.has_history:
        return ()
    from pactkeeper.store.decisions import decided_ops  # noqa: PLC0415 - only with a history

    return decided_ops(workspace.history(), most=MOST_OF_THE_HISTORY)


def _grouped(reviewed: Iterable[DecidedOp]) -> Iterator[Decided]:
    """Merge verdicts given on several ops of a patch at once into one decision."""
    groups: dict[tuple[str, ...], list[DecidedOp]] = {}
    for one in reviewed:
        groups.setdefault((one.patch, one.at, one.by, one.verdict, one.reason), []).append(one)
    for (_, at, by, verdict, reason), members in groups.items():
        ops = members[::-1]  # the history returns the latest first
        atoms = tuple(dict.fromkeys(name for one in ops for name in one.atoms))
        named = _summed([{"verb": one.verb, "target": one.target} for one in ops])
        yield Decided(at, by, VERDICTS.get(verdict, verdict), named, reason, atoms, "history")
