"""What threads depend on: the person's history, settings and board, and the pact of a repository.

A thread belongs to the repository in which it was opened, or if there was none, to the current one. The criteria of a
ticket become atoms of that pact: proposed once the ticket exists, then linked, then proven by tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pactkeeper.boards.port import Board, Reservations
from pactkeeper.errors import InputError, ModelUnavailable, NotARepository, PactkeeperError, UsageError
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.board import Task
from pactkeeper.intent.ids import same
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.thread_event import Ticket
from pactkeeper.intent.ticket import Draft, Thread, ThreadMessage
from pactkeeper.intent.wording.tokens import stopped
from pactkeeper.operators.proof import backings_of
from pactkeeper.personal import Personal
from pactkeeper.repo.git import uncommitted
from pactkeeper.settings.models import model_setup
from pactkeeper.settings.slack import thread_settings
from pactkeeper.speech.clash import compare
from pactkeeper.store.history import History
from pactkeeper.store.threads import find_thread, threads
from pactkeeper.tickets.channels import Channel, TerminalChannel
from pactkeeper.tickets.channels.files import FilesChannel
from pactkeeper.tickets.ground import DraftRules, ProposedCriteria, ThreadGround, ThreadPace
from pactkeeper.tickets.loose import Consulted, consulting
from pactkeeper.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from pactkeeper.reconcile.authored import NewAtom

FOLDER = "threads"
PATIENCE = 30  # seconds that people in a thread wait for a model, which is only asked once


@dataclass(frozen=True, slots=True)
class Desk:
    """Whose threads, and the current repository, if any; `channels` are a door's own, besides terminal and files.

    `within` are the roots of the repositories whose threads are known here, empty for threads of none; None for all.
    """

    personal: Personal
    workspace: Workspace | None = None
    channels: Sequence[Channel] = ()
    within: frozenset[str] | None = None

    @classmethod
    def served(cls, workspace: Workspace) -> Desk:
        """The desk of a server: it knows no other repository's threads, and for an account only this one's."""
        root = str(workspace.repository.root)
        return cls(workspace.owner, workspace, within=frozenset({root} if workspace.for_account else {root, ""}))

    def threads(self) -> tuple[Thread, ...]:
        """The threads known here, in the order of opening."""
        found = (one for history in self.personal.history() for one in threads(history))
        return tuple(one for one in found if self.within is None or one.root in self.within)

    @property
    def history(self) -> History:
        """The person's history, made if there is none yet."""
        return self.personal.history(make=True)[0]

    @property
    def root(self) -> str:
        """The root of the current repository; empty if there is none."""
        return "" if self.workspace is None else str(self.workspace.repository.root)

    def person(self) -> str:
        """Name who speaks or decides."""
        return self.personal.person() if self.workspace is None else self.workspace.person()


def ground_of(desk: Desk) -> ThreadGround:
    """Assemble what a run needs; each pact is read once. Raises UsageError if there is no place for a history."""
    personal, places = desk.personal, Places(desk.personal, desk.workspace)
    said, settings = personal.surroundings, thread_settings(personal.surroundings.preferences)
    (history,) = personal.history(make=True)
    if said.personal is None:
        raise UsageError("there is no home folder to keep threads in; set HOME or XDG_DATA_HOME")
    return ThreadGround(
        history,
        said.personal / FOLDER,
        personal.now,
        _channels(desk),
        DraftRules(
            history,
            lambda name: places.pact(find_thread(history, name)),
            partial(_tasks, personal, settings.board),
            partial(_model, personal),
            settings.members,
        ),
        partial(_board, personal, settings.board),
        partial(_propose, history, places),
        ThreadPace(timedelta(seconds=settings.window_seconds), timedelta(hours=settings.reminder_hours)),
        log=None if said.log is None else Path(said.log),
        spans=said.spans,
    )


def _channels(desk: Desk) -> Mapping[str, Channel]:
    own: tuple[Channel, ...] = (TerminalChannel(), FilesChannel())
    return {one.name: one for one in (*own, *desk.channels)}


def _propose(history: History, places: Places, draft: Draft, ticket: Ticket) -> ProposedCriteria:
    """Propose the criteria in the thread's repository; if that is gone, a note says so."""
    thread = find_thread(history, draft.thread)
    workspace = places.of(thread)
    if workspace is not None:
        elsewhere = "" if workspace is places.at_hand else str(workspace.repository.root)
        return propose_criteria(workspace, draft, ticket, elsewhere=elsewhere)
    return ProposedCriteria(notes=(f"No atoms stand for the criteria: {gone(thread)}",) if thread.root else ())


def _board(personal: Personal, name: str) -> tuple[Board, Reservations]:
    board = personal.board(name)
    return board, personal.reservations(board)


def _tasks(personal: Personal, name: str) -> tuple[Task, ...]:
    """Return the board's open tasks, to point out possible duplicates; unreadable ones are left out."""
    snapshot = personal.board(name).snapshot(at=personal.now().isoformat(timespec="seconds"))
    return tuple(task for task in snapshot.tasks if task.status != "done")


def _model(
    personal: Personal, draft: Draft, thread: Sequence[ThreadMessage], unplaced: Sequence[ThreadMessage]
) -> Consulted | None:
    """Ask the person's model to place words that no rule could place; None if no model is configured or available."""
    if model_setup(personal.surroundings.preferences) is None:
        return None
    from pactkeeper.operators.models import fresh_budget  # noqa: PLC0415 - only with a model

    try:
        asker = personal.asker("threads")
        setup = replace(asker.setup, retries=0, timeout=min(asker.setup.timeout, PATIENCE))
        asker = replace(asker, setup=setup, tell=lambda _line: None)
        budget = fresh_budget(personal, setup)
        return consulting(asker, lambda: budget)(draft, thread, unplaced)
    except ModelUnavailable as reason:
        personal.notice(f"no model was asked about a thread: {reason}")
        return None


@dataclass(slots=True)
class Places:
    """The repositories of threads, each opened once; `at_hand` is the current one, if any."""

    personal: Personal
    at_hand: Workspace | None
    _opened: dict[str, Workspace | None] = field(default_factory=dict)
    _pacts: dict[Path, Pact] = field(default_factory=dict)

    def of(self, thread: Thread) -> Workspace | None:
        """Return a thread's repository; None if it has none, or if it is gone, which is reported once."""
        root = thread.root
        if not root:
            return self.at_hand
        if root not in self._opened:
            self._opened[root] = self._at(root)
            if self._opened[root] is None:
                self.personal.notice(f"{gone(thread)}, so {thread.id} is held against no pact")
        return self._opened[root]

    def _at(self, root: str) -> Workspace | None:
        if self.at_hand is not None and str(self.at_hand.repository.root) == root:
            return self.at_hand
        try:
            found = self.personal.closing.enter_context(open_workspace(Path(root), notice=self.personal.notice))
        except NotARepository:
            return None
        return found if str(found.repository.root) == root else None

    def pact(self, thread: Thread) -> Pact | None:
        """Return the pact of a thread's repository, read once; None without a repository."""
        workspace = self.of(thread)
        if workspace is None:
            return None
        root = workspace.repository.root
        if root not in self._pacts:
            workspace.settle()  # a run writes what it declares, so an interrupted write is recovered first
            self._pacts[root] = workspace.pact(workspace.snapshot())
        return self._pacts[root]


def gone(thread: Thread) -> str:
    """Say that a thread's repository no longer exists."""
    return f"there is no repository any more at {thread.root!r}, where {thread.id} was opened"


TOPIC = "tickets"


@dataclass(frozen=True, slots=True)
class Criterion:
    """A criterion of a ticket with its atom and progress.

    `state` is proven, failing, stale or linked, else the atom's status (proposed, committed …), or "no atom". `earlier`
    is the commit at which its tests passed if other files have changed since.
    """

    words: str
    atom: str
    state: str
    tests: tuple[str, ...] = ()
    earlier: str = ""


def propose_criteria(workspace: Workspace, draft: Draft, ticket: Ticket, *, elsewhere: str = "") -> ProposedCriteria:
    """Declare a proposed atom for each criterion that no atom states yet; repeating it has no further effect.

    It is one write, in the name of who approved the ticket. A criterion that cannot be declared is reported in a note
    and does not stop the others. So are the written files, because an atom that is not in git is in no other clone;
    `elsewhere` is the root of the repository, if it is not the current one.
    """
    from pactkeeper.operators.authored import checked, declare_atoms  # noqa: PLC0415 - half a second only tickets pay
    from pactkeeper.reconcile.authored import NewAtom  # noqa: PLC0415 - likewise

    workspace.settle()
    try:
        pact = workspace.pact(workspace.snapshot(), required=True)
    except InputError as reason:
        return ProposedCriteria(notes=(f"No atoms stand for the criteria: {reason}",))
    origin, known, new = ticket.url or f"{ticket.board}:{ticket.target}", dict[str, Atom](), dict[str, NewAtom]()
    notes: list[str] = []
    for said in draft.acceptance_criteria:
        intent = _sentence(said.value)
        stated = same(intent, pact.atoms.values())
        if stated:
            known[said.value] = stated[0]
            continue
        wanted = NewAtom(intent, status="proposed", source="ticket", origin=origin, topic=TOPIC)
        try:
            checked(pact, wanted, anyway=False)
            new[said.value] = wanted
        except PactkeeperError as error:
            notes.append(f"No atom stands for {said.value!r}: {error}")
    meant = {one.id: one for one in known.values()} | {one.intent: one for one in new.values()}
    replaced = _replaced(pact, origin, meant)
    named, applied = declare_atoms(
        workspace.acting_for("", ticket.approved_by),
        tuple(new.values()),
        replaced,
        reason="its criterion was changed in the ticket",
    )
    for old, successor in replaced.items():
        notes.append(f"- {old} is superseded by {named.get(successor, successor)}, because its criterion was changed")
    unsaved = uncommitted(workspace.repository) if known else ()
    unfinished = [one.path for one in known.values() if one.origin == origin and one.path in unsaved]
    files = dict.fromkeys([*unfinished, *(one.path for one in (applied.edits if applied else ()))])
    if files:
        notes.append(_to_commit(" ".join(files), elsewhere=elsewhere))
    atoms = {words: one.id for words, one in known.items()} | {words: named[one.intent] for words, one in new.items()}
    return ProposedCriteria(atoms, tuple(notes), frozenset(replaced))


def _replaced(pact: Pact, origin: str, meant: Mapping[str, Atom | NewAtom]) -> dict[str, str]:
    """Map the atoms that a ticket proposed and no longer names to what contradicts them, by its id or intent."""
    found: dict[str, str] = {}
    for old in pact.atoms.values():
        is_ours = old.source == "ticket" and old.origin == origin and pact.status_of(old.id) == "proposed"
        if is_ours and old.id not in meant:
            against = (name for name, one in meant.items() if compare(one.intent, old.intent).verdict == "clash")
            found[old.id] = next((one for one in against if _is_free(pact, one)), "")
    return {old: new for old, new in found.items() if new}


def _is_free(pact: Pact, name: str) -> bool:
    """Whether something that is to replace an atom replaces none yet."""
    return name not in pact.atoms or pact.atoms[name].supersedes is None


def _to_commit(named: str, *, elsewhere: str) -> str:
    """Say which files were written, and how to commit them from the current folder."""
    where, at = elsewhere or "the repository", f" -C {elsewhere}" if elsewhere else ""
    return f"Written to {where}: {named}; commit it with: git{at} add {named}, then git{at} commit"


def _sentence(words: str) -> str:
    """Turn a criterion into an intent: one line that states a fact and ends with a full stop."""
    text = stopped(" ".join(words.split()))
    return text if text.endswith((".", "!", "?")) else f"{text}."


def criteria_of(workspace: Workspace | None, ticket: Ticket) -> tuple[Criterion, ...]:
    """Return the progress of a ticket's criteria; without a repository, only their atoms are known."""
    if workspace is None:
        return tuple(Criterion(words, atom, "not known here") for words, atom in ticket.criteria.items())
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot)
    tests: dict[str, list[str]] = {}
    for entry in world.linked:
        for atom in entry.atoms():
            tests.setdefault(atom, []).append(entry.test.id)
    backings = backings_of(workspace, snapshot, world)
    found: list[Criterion] = []
    for words, atom in ticket.criteria.items():
        backing, own = backings.get(atom), tuple(tests.get(atom, ()))
        state = _state(world.pact, atom, backing.state if backing else "none", own)
        found.append(Criterion(words, atom, state, own, backing.earlier if backing and state == "proven" else ""))
    return tuple(found)


def _state(pact: Pact, atom: str, proven: str, tests: Sequence[str]) -> str:
    """Return the most specific of what is known of an atom."""
    if atom not in pact.atoms:
        return "no atom"
    if proven != "none":
        return proven
    return "linked" if tests else str(pact.status_of(atom))
