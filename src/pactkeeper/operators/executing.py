"""What the verbs about actions share: where they are carried out, that one process does it, and what was proposed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC
from functools import cache
from typing import Final

from pactkeeper.errors import BusyError, PactkeeperError
from pactkeeper.intent.actions import ActionProposal
from pactkeeper.intent.board import Snapshot
from pactkeeper.intent.deeds import Deed
from pactkeeper.ledger.health import COMPLETE, Health, worst
from pactkeeper.personal import Personal
from pactkeeper.settings.transcripts import transcript_settings
from pactkeeper.store.actions import automatic_since, list_deeds
from pactkeeper.store.lease import lease
from pactkeeper.transcripts.executing.carrying import ExecutionGround, carry_out
from pactkeeper.transcripts.executing.sorting import Ruled, Sorted, SourcesHealth, sort_actions

# A repository matters to what is missing from it, which was judged when an action was proposed.
_ASIDE: Final = "git "
# The kind of board that tells nobody who is named in it.
_SILENT: Final = "local"


def ground_of(personal: Personal) -> ExecutionGround:
    """Where a person's actions are carried out; each board is opened once."""
    history = personal.history(make=True)[0]
    routing = transcript_settings(personal.surroundings.preferences).routing
    return ExecutionGround(history, cache(personal.board), personal.reservations, lambda: stamp(personal), routing)


def stamp(personal: Personal) -> str:
    """Now, as it is stored."""
    return personal.now().isoformat(timespec="milliseconds")


@contextmanager
def alone(personal: Personal, busy: str, *parts: str) -> Iterator[None]:
    """Do some parts of a person's work in one process at a time; `busy` is what the second one is told by BusyError."""
    history = personal.history(make=True)[0]
    place = personal.surroundings.personal
    assert place is not None  # noqa: S101 - the history is there
    with ExitStack() as held:
        try:
            for one in parts:
                held.enter_context(lease(history.database, f"{history.repository} {one}", folder=place / one))
        except BusyError as error:
            raise BusyError(busy) from error
        yield


@dataclass(frozen=True, slots=True)
class Fresh:
    """Boards as they are now, each asked at most once."""

    ground: ExecutionGround
    _seen: dict[str, Snapshot] = field(default_factory=dict)

    def snapshot(self, board: str) -> Snapshot:
        """A view of the board; one that cannot be opened shows nothing."""
        if board not in self._seen:
            self._seen[board] = self._look(board)
        return self._seen[board]

    def _look(self, name: str) -> Snapshot:
        at = self.ground.now()
        try:
            return self.ground.board(name).snapshot(at=at)
        except PactkeeperError as error:
            return Snapshot((), (), Health("unavailable", str(error)), at)


def sort_proposal(personal: Personal, ground: ExecutionGround, proposal: ActionProposal, fresh: Fresh) -> Sorted:
    """Sort what was proposed by the policy, by what became of it so far, and by the boards as they are now."""
    settings = transcript_settings(personal.surroundings.preferences)
    sources = worst(health for name, health in proposal.sources.items() if not name.startswith(_ASIDE))
    midnight = personal.now().astimezone(UTC).strftime("%Y-%m-%dT00:00:00")

    def view(board: str) -> SourcesHealth:
        if not board:
            return SourcesHealth(COMPLETE, sources, ground.routing)
        health = fresh.snapshot(board).health
        tells = health.status != "unavailable" and ground.board(board).kind != _SILENT
        return SourcesHealth(health, sources, ground.routing, tells)

    today = automatic_since(ground.history, midnight)
    return sort_actions(proposal, list_deeds(ground.history), view, settings.restraint, today=today)


def do(ground: ExecutionGround, ruled: Iterable[Ruled], fresh: Fresh) -> tuple[Deed, ...]:
    """Carry actions out in their order; one whose dependencies came to nothing is left for later.

    What is bound to a task as it was shown goes first, before our own remarks change the task.
    """
    done: list[Deed] = []
    came_to_nothing: set[str] = set()
    for one in sorted(ruled, key=lambda each: each.action.verb != "completeTask" or bool(each.action.op.depends_on)):
        if came_to_nothing & set(one.action.op.depends_on):
            came_to_nothing.add(one.action.id)
            continue
        seen = fresh.snapshot(one.action.board) if one.action.board else None
        deed = carry_out(ground, Deed(one.action, "begun", ground.now(), one.decision), seen)
        done.append(deed)
        if deed.standing != "done":
            came_to_nothing.add(one.action.id)
    return tuple(done)
