"""Verbs of the stand-up: do what needs no decision, show what was done and what is to decide, and carry that out.

Also what verbs about actions share: where actions are carried out, that one process does it at a time, and what was
proposed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import Final

from pactkeeper.advice import BOARDS
from pactkeeper.errors import BusyError, InputError, PactkeeperError, RefusedError
from pactkeeper.intent.actions import ActionProposal, Conflict, Deed, Suppressed
from pactkeeper.intent.board import Snapshot
from pactkeeper.ledger.decision import Decision, Verdict
from pactkeeper.ledger.health import COMPLETE, Health, worst
from pactkeeper.ledger.model import dollars, spent_on
from pactkeeper.ledger.question import Question
from pactkeeper.operators.actions import reconcile_transcripts
from pactkeeper.operators.jobs import add_for_each
from pactkeeper.personal import Personal
from pactkeeper.settings.transcripts import Restraint, transcript_settings
from pactkeeper.store.actions import (
    Suggestion,
    automatic_since,
    find_deed,
    find_reconciliation,
    list_deeds,
    mark_seen,
    save_deed,
    save_suggestion,
    suggestions,
)
from pactkeeper.store.lease import lease
from pactkeeper.store.runs import calls_since
from pactkeeper.transcripts.carrying import ExecutionGround, Precision, carry_out, precision, settle, take_back
from pactkeeper.transcripts.reconciling import FRESH
from pactkeeper.transcripts.sorting import Ruled, Sorted, SourcesHealth, sort_actions

ACTIONS = "actions"
BUSY = "another process is carrying out actions; try again when it has finished"
Reconcile = Callable[[Personal], ActionProposal]


@dataclass(frozen=True, slots=True)
class Standup:
    """One overview: what was done but not seen yet, what awaits a person, and what does not.

    `asked` awaits a yes or no, in order; `shown` is never done, or is too unsure. `failed` came to nothing, or its
    outcome is not known yet. `ready` would happen automatically but did not, because nothing was to be written.
    `suggested` are agents' recommendations, by action. `alert` reports high model costs.
    """

    at: str
    done: tuple[Deed, ...] = ()
    asked: tuple[Ruled, ...] = ()
    shown: tuple[Ruled, ...] = ()
    ready: tuple[Ruled, ...] = ()
    failed: tuple[Deed, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()
    questions: tuple[Question, ...] = ()
    sources: Mapping[str, Health] = field(default_factory=dict)
    suggested: Mapping[str, Suggestion] = field(default_factory=dict)
    alert: str = ""

    @property
    def recent(self) -> tuple[Ruled, ...]:
        """What a person is asked about: what happened in the last three days, or at no known time."""
        return tuple(one for one in self.asked if not 0 < one.action.confidence.recency < FRESH)


@dataclass(frozen=True, slots=True)
class StandupVerdict:
    """A verdict on one action; with a `shown_hash` it only holds while exactly that is proposed."""

    action: str
    yes: bool
    reason: str = ""
    shown_hash: str = ""

    @property
    def verdict(self) -> Verdict:
        """The verdict as decisions name it."""
        return "accept" if self.yes else "reject"


def stand_up(
    personal: Personal, *, dry_run: bool = False, board: str = "", reconcile: Reconcile | None = None
) -> Standup:
    """Reconcile with a fresh view, do what may happen automatically, and show everything.

    What an earlier process left half-written is completed first. A dry run writes to no board. With a `board`, only
    what was last proposed for that one is done; a team's worker adds a job for each board instead. Raises BusyError if
    another process is carrying actions out.
    """
    work, propose = _Execution.of(personal), reconcile or (lambda one: reconcile_transcripts(one).proposal)
    if dry_run:
        proposal = propose(personal)
        found = work.sort(proposal)
        return work.overview(proposal, found, ready=found.automatic)
    if board:
        name = personal.board(board).name
        with alone(personal, BUSY, f"{ACTIONS} {name}"):
            return work.overview(*work.carry(lambda _: _newest(work.ground), board=name))
    if personal.surroundings.team and personal.surroundings.job:
        return _stand_up_for_each(work, propose)
    with _alone(personal, work.ground):
        return work.overview(*work.carry(propose))


def _stand_up_for_each(work: _Execution, propose: Reconcile) -> Standup:
    """Do what involves no board, and add a job for each board with something to do."""
    with alone(work.personal, BUSY, ACTIONS):
        proposal, found = work.carry(propose, board="")
    boards = {one.action.board for one in found.automatic}
    boards |= {one.action.board for one in list_deeds(work.ground.history, standings=("begun", "undoing"))}
    add_for_each(work.personal.surroundings, "board", sorted(boards - {""}))
    return work.overview(proposal, found, ready=found.automatic)


def _alone(personal: Personal, ground: ExecutionGround) -> AbstractContextManager[None]:
    """Lock the boards to carry out actions; a team's workers lock them one by one."""
    boards = {personal.board(one).name for one in ground.routing.boards} if personal.surroundings.team else set()
    return alone(personal, BUSY, ACTIONS, *(f"{ACTIONS} {one}" for one in sorted(boards)))


def decide_actions(personal: Personal, said: Sequence[StandupVerdict]) -> tuple[Deed, ...]:
    """Carry out what a person accepts and record what they reject; everything else stays as it is.

    Applies to the latest reconciliation. Raises InputError for an action that is not waiting there, and RefusedError if
    something else was shown, or if an action depends on one that is not done; then nothing is done.
    """
    work = _Execution.of(personal)
    history = work.ground.history
    with _alone(personal, work.ground):
        settle(work.ground)
        proposal = _newest(work.ground)
        waiting = _waiting(work.sort(proposal), said)
        by, at = personal.person(), stamp(personal)
        decided = [_decided(ruled, one, by=by, at=at) for one, ruled in zip(said, waiting, strict=True)]
        accepted = [ruled for one, ruled in zip(said, decided, strict=True) if one.yes]
        _refuse_early(work.ground, accepted)
        refused = tuple(
            Deed(ruled.action, "rejected", at, ruled.decision, reason=one.reason)
            for one, ruled in zip(said, decided, strict=True)
            if not one.yes
        )
        for deed in refused:
            save_deed(history, deed)
        order = {action.id: position for position, action in enumerate(proposal.actions)}
        done = work.do(sorted(accepted, key=lambda one: order[one.action.id]))
        mark_seen(history, [deed.action.id for deed in (*refused, *done)], at=at)
    return (*refused, *done)


def review_actions(personal: Personal, said: Sequence[StandupVerdict] = (), *, by: str = "") -> Standup:
    """Return what the latest reconciliation left to decide, with an agent's recommendations.

    The recommendations are stored and shown to a person with the action; they decide nothing and write to no board.
    Raises what `decide_actions` raises.
    """
    work = _Execution.of(personal)
    proposal = _newest(work.ground) if said else find_reconciliation(work.ground.history)
    if proposal is None:
        return Standup(stamp(personal))
    found = work.sort(proposal)
    for one, ruled in zip(said, _waiting(found, said), strict=True):
        _refuse_other(ruled, one)
    for one in said:
        save_suggestion(work.ground.history, Suggestion(one.action, one.verdict, by, stamp(personal), one.reason))
    return work.overview(proposal, found, ready=found.automatic)


def see_actions(personal: Personal, actions: Iterable[str]) -> None:
    """Record that a person has seen the outcome of these actions."""
    mark_seen(ground_of(personal).history, actions, at=stamp(personal))


def undo_action(personal: Personal, action: str) -> Deed:
    """Undo one action; the same is not proposed again from that conversation.

    Raises InputError if it was not done, RefusedError if it cannot be undone, StaleError if somebody changed its result
    since; then nothing is written.
    """
    ground = ground_of(personal)
    with _alone(personal, ground):
        settle(ground)
        deed = find_deed(ground.history, action)
        if deed is None or deed.standing not in {"done", "undone"}:
            was = "nothing was done" if deed is None else f"it is {deed.standing!r}"
            raise InputError(f"{action!r} cannot be taken back, as {was}; to see what was done: " + BOARDS("--json"))
        return deed if deed.standing == "undone" else take_back(ground, deed, by=personal.person())


def stood_up_today(personal: Personal) -> bool:
    """Whether conversations were reconciled today, in the person's time zone."""
    now = personal.now().astimezone()
    last = (find_reconciliation(history) for history in personal.history())
    return any(one is not None and datetime.fromisoformat(one.at).astimezone().date() == now.date() for one in last)


def past_actions(personal: Personal) -> tuple[Deed, ...]:
    """List every action that has an outcome, oldest first."""
    return tuple(sorted((one for history in personal.history() for one in list_deeds(history)), key=lambda one: one.at))


def action_precision(personal: Personal) -> tuple[Precision, ...]:
    """Return how often each kind of action was right, according to people, and which threshold would help.

    An automatic action counts once a person has seen it.
    """
    found: list[Precision] = []
    for history in personal.history():
        unseen = {deed.action.id for deed in list_deeds(history, standings=("done",), unseen=True) if deed.automatic}
        found += precision(deed for deed in list_deeds(history) if deed.action.id not in unseen)
    return tuple(found)


def _newest(ground: ExecutionGround) -> ActionProposal:
    found = find_reconciliation(ground.history)
    if found is None:
        raise InputError("nothing is proposed yet: " + BOARDS())
    return found


def _waiting(found: Sorted, said: Iterable[StandupVerdict]) -> list[Ruled]:
    """Return the action that each verdict is about."""
    waiting: list[Ruled] = []
    for one in said:
        ruled = found.find(one.action)
        if ruled is None:
            raise InputError(f"{one.action!r} is not waiting for an answer; to list those that are: " + BOARDS())
        if one.yes and ruled in found.shown:
            raise RefusedError(f"{one.action} ({ruled.action.verb}) is never carried out: {ruled.ruling.why}")
        waiting.append(ruled)
    return waiting


def _decided(ruled: Ruled, said: StandupVerdict, *, by: str, at: str) -> Ruled:
    _refuse_other(ruled, said)
    op = ruled.action.op
    return replace(ruled, decision=Decision(op.id, op.shown_hash, said.verdict, by, at, reason=said.reason))


def _refuse_other(ruled: Ruled, said: StandupVerdict) -> None:
    if said.shown_hash not in {"", ruled.action.op.shown_hash}:
        raise RefusedError(f"{said.action} has changed since it was shown; look again: " + BOARDS())


def _refuse_early(ground: ExecutionGround, accepted: Sequence[Ruled]) -> None:
    ready = {deed.action.id for deed in list_deeds(ground.history, standings=("done",))}
    ready |= {one.action.id for one in accepted}
    for one in accepted:
        if missing := [name for name in one.action.op.depends_on if name not in ready]:
            raise RefusedError(f"{one.action.id} needs {', '.join(missing)}; accept that as well")


def ground_of(personal: Personal) -> ExecutionGround:
    """Return the context in which a person's actions are carried out; each board is opened once."""
    history = personal.history(make=True)[0]
    routing = transcript_settings(personal.surroundings.preferences).routing
    return ExecutionGround(history, cache(personal.board), personal.reservations, lambda: stamp(personal), routing)


def stamp(personal: Personal) -> str:
    """Return the current time, as stored."""
    return personal.now().isoformat(timespec="milliseconds")


@contextmanager
def alone(personal: Personal, busy: str, *parts: str) -> Iterator[None]:
    """Lock parts of a person's work for this process; a second one gets BusyError with the text `busy`."""
    history = personal.history(make=True)[0]
    place = personal.surroundings.personal
    assert place is not None  # noqa: S101 - the history exists
    with ExitStack() as held:
        try:
            for one in parts:
                held.enter_context(lease(history.database, f"{history.repository} {one}", folder=place / one))
        except BusyError as error:
            raise BusyError(busy) from error
        yield


# A repository's health matters to what is missing from it, which was judged when the action was proposed.
_ASIDE: Final = "git "


@dataclass(frozen=True, slots=True)
class _Execution:
    """One command's work on a person's actions; `look` returns the state of a board, queried at most once."""

    personal: Personal
    ground: ExecutionGround
    look: Callable[[str], Snapshot]

    @staticmethod
    def of(personal: Personal) -> _Execution:
        ground = ground_of(personal)
        return _Execution(personal, ground, cache(partial(_seen, ground)))

    @property
    def midnight(self) -> str:
        """The beginning of the day in UTC."""
        return self.personal.now().astimezone(UTC).strftime("%Y-%m-%dT00:00:00+00:00")

    @property
    def restraint(self) -> Restraint:
        """The person's limits to what happens automatically."""
        return transcript_settings(self.personal.surroundings.preferences).restraint

    def sort(self, proposal: ActionProposal) -> Sorted:
        """Sort the proposal by policy, by earlier outcomes, and by the current state of the boards."""
        sources = worst(health for name, health in proposal.sources.items() if not name.startswith(_ASIDE))

        def view(board: str) -> SourcesHealth:
            return SourcesHealth(self.look(board).health if board else COMPLETE, sources, self.ground.routing)

        today = automatic_since(self.ground.history, self.midnight)
        return sort_actions(proposal, list_deeds(self.ground.history), view, self.restraint, today=today)

    def carry(self, propose: Reconcile, *, board: str | None = None) -> tuple[ActionProposal, Sorted]:
        """Do what may happen automatically, on one board or all, except what depends on another board."""
        settle(self.ground, board)
        proposal = propose(self.personal)
        before = self.sort(proposal)
        own = [one for one in before.automatic if board in {None, one.action.board}]
        others = {one.action.id for one in before.automatic if one not in own}
        self.do(one for one in own if not others & set(one.action.op.depends_on))
        return proposal, replace(self.sort(proposal), suppressed=before.suppressed)

    def do(self, ruled: Iterable[Ruled]) -> tuple[Deed, ...]:
        """Carry actions out in order; one whose dependencies failed is left for later.

        What is bound to the state of a task goes first, before our own comments change the task.
        """
        done: list[Deed] = []
        came_to_nothing: set[str] = set()
        for one in sorted(ruled, key=lambda one: one.action.verb != "completeTask" or bool(one.action.op.depends_on)):
            if came_to_nothing & set(one.action.op.depends_on):
                came_to_nothing.add(one.action.id)
                continue
            seen = self.look(one.action.board) if one.action.board else None
            deed = carry_out(self.ground, Deed(one.action, "begun", self.ground.now(), one.decision), seen)
            done.append(deed)
            if deed.standing != "done":
                came_to_nothing.add(one.action.id)
        return tuple(done)

    def overview(self, proposal: ActionProposal, found: Sorted, *, ready: tuple[Ruled, ...] = ()) -> Standup:
        """Show what was done but not seen yet, and what waits."""
        history = self.ground.history
        news = list_deeds(history, unseen=True)
        done = {_what(deed) for deed in list_deeds(history, standings=("done",))}
        failed = [deed for deed in news if deed.standing == "failed" and _what(deed) not in done]
        return Standup(
            proposal.at,
            tuple(deed for deed in news if deed.standing == "done"),
            found.asked,
            found.shown,
            ready,
            (*failed, *list_deeds(history, standings=("begun", "undoing"))),
            proposal.conflicts,
            found.suppressed,
            proposal.patch.questions,
            proposal.sources,
            suggestions(history),
            self._alert(),
        )

    def _alert(self) -> str:
        most = self.restraint.dollars
        spent = spent_on(calls_since(self.ground.history, self.midnight)).money
        return f"models cost {dollars(spent)} today, more than {dollars(most)}" if spent > most else ""


def _seen(ground: ExecutionGround, board: str) -> Snapshot:
    """Return a board's snapshot; empty if it cannot be opened."""
    at = ground.now()
    try:
        return ground.board(board).snapshot(at=at)
    except PactkeeperError as error:
        return Snapshot((), (), Health("unavailable", str(error)), at)


def _what(deed: Deed) -> tuple[str, str]:
    """Identify the same thing for the same reason, however it was bound to a board's state."""
    return deed.action.fingerprint, deed.action.artifact
