"""Verbs that compare what conversations produced with boards and documents; they propose, and change nothing.

They first take a fresh view of boards, repositories and knowledge, each with its health.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Final, TypeVar

from pactkeeper.boards.port import Board
from pactkeeper.errors import GitFailed, InputError, NotARepository
from pactkeeper.health.sweeping import main_branch
from pactkeeper.intent.actions import ActionProposal, Standing
from pactkeeper.intent.board import Snapshot
from pactkeeper.intent.routing import Routing
from pactkeeper.intent.thread_event import TICKET_KEY
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.ledger.question import Answer, Question, wrong_with
from pactkeeper.personal import Personal
from pactkeeper.repo.fetching import is_url, place_of
from pactkeeper.repo.git import Repository
from pactkeeper.repo.origin import origin_url
from pactkeeper.settings.transcripts import transcript_settings
from pactkeeper.store.actions import find_reconciliation, list_deeds, save_reconciliation, save_settlement, settlements
from pactkeeper.store.conversations import StoredArtifact, add_items, list_artifacts, list_conversations, list_items
from pactkeeper.store.history import History
from pactkeeper.transcripts.reconciling import (
    GIT,
    BoardView,
    Commit,
    Guide,
    Place,
    SeenArtifact,
    TranscriptWorld,
    instant,
)
from pactkeeper.transcripts.reconciling.reconcile import reconcile

_VERDICTS: Final = ("yes", "no", "unsure")


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """The proposal, the number of new items of knowledge, and the number of artifacts too old to be considered."""

    proposal: ActionProposal
    learnt: int
    old: int


def reconcile_transcripts(personal: Personal, *, whole: bool = False) -> Reconciliation:
    """Compare what recent conversations produced with a fresh view, and store the proposal.

    `whole` considers everything, however old. Decisions without a conflict are stored as knowledge. Raises UsageError
    for a board that is not configured.
    """
    history = personal.history(make=True)[0]
    folders = {one.conversation.id: one.conversation.cwd for one in list_conversations(history)}
    stored, remarks = list_artifacts(history), list_artifacts(history, types=("remark",))
    fresh, said = (one if whole else _fresh(personal, one) for one in (stored, remarks))
    given = [
        SeenArtifact(one.artifact, one.conversation, folders.get(one.conversation, ""), one.corroboration)
        for one in (*fresh, *said)
    ]
    world = look_around(personal, history, (one.folder for one in given))
    found = reconcile(given, world)
    with history.database.begin():
        learnt = add_items(history, found.learnt, at=world.now)
        save_reconciliation(history, found.proposal)
    return Reconciliation(found.proposal, learnt, len(stored) - len(fresh))


def _fresh(personal: Personal, stored: tuple[StoredArtifact, ...]) -> tuple[StoredArtifact, ...]:
    """Return recent artifacts; one without a time counts from when it was found."""
    days = transcript_settings(personal.surroundings.preferences).days
    since = personal.now() - timedelta(days=days)
    times = ((one, instant(one.artifact.at) or instant(one.found_at)) for one in stored)
    return tuple(one for one, at in times if at is None or at >= since)


def settle_same_work(personal: Personal, named: str, said: str, *, by: str) -> Question:
    """Answer a question of the last reconciliation: yes, no, unsure, or one of its options.

    The answer takes effect with the next reconciliation. Raises InputError for an unknown question or invalid answer.
    """
    history, question = _asked(personal, named)
    value: JsonValue = {"verdict": said, "quotes": []} if question.kind == "same_work" else said
    answer = Answer(question.id, value, "person", by, personal.now().isoformat(timespec="seconds"))
    problems = wrong_with(answer, question, source="")
    if problems:
        offered = ", ".join(question.options or _VERDICTS)
        raise InputError(f"{said!r} is not an answer to {question.id}; say one of: {offered}")
    save_settlement(history, answer)
    return question


def _asked(personal: Personal, named: str) -> tuple[History, Question]:
    for history in personal.history():
        found = find_reconciliation(history)
        for question in found.patch.questions if found else ():
            if question.id == named:
                return history, question
    raise InputError(f"the last reconciliation does not ask {named!r}; pk transcripts reconcile lists its questions")


GIT_SECONDS: Final = 20
COMMITS: Final = 1000
MOST_GUIDES, GUIDE_BYTES = 50, 1 << 16
# Seconds beyond a board's own limit to wait for its snapshot.
_GRACE: Final = 5
_AWAY: Final[Mapping[Standing, str]] = {
    "done": "it was done already",
    "rejected": "you said no to it",
    "undone": "you undid it",
    "begun": "it is being written",
    "undoing": "it is being taken back",
}
Value = TypeVar("Value")


def look_around(personal: Personal, history: History, folders: Iterable[str]) -> TranscriptWorld:
    """View every board in the routing, the folders' repositories, and stored knowledge and answers.

    A source that fails or takes too long is marked unavailable, which is no error. Raises UsageError for a board that
    is not configured.
    """
    now = personal.now().isoformat(timespec="seconds")
    routing = _named(personal, transcript_settings(personal.surroundings.preferences).routing)
    boards = {name: _view(personal, personal.board(name), now) for name in routing.boards}
    where = sorted(set(folders))
    commits, places, read = _repositories(where)
    health = {f"board {name}": view.snapshot.health for name, view in boards.items()}
    return TranscriptWorld(
        now,
        routing,
        boards,
        list_items(history),
        commits,
        {**health, **read},
        settlements(history),
        _settled(history),
        {folder: _guides(Path(folder)) for folder in where if folder},
        places,
    )


def _settled(history: History) -> Mapping[tuple[str, str], str]:
    """What became of each change for each artifact that showed it, and last of all for any ("").

    A section of a document takes any number of texts, so that one was written says nothing about another.
    """
    found: dict[tuple[str, str], str] = {}
    for deed in list_deeds(history, standings=tuple(_AWAY)):
        action, why = deed.action, f"{_AWAY[deed.standing]} ({deed.action.id})"
        why += f", as {deed.reason!r}" if deed.standing == "rejected" and deed.reason else ""
        found |= {(action.fingerprint, one): why for one in action.artifacts}
        if (action.verb, deed.standing) != ("enrichDocument", "done"):
            found[action.fingerprint, ""] = why
    return found


def _guides(folder: Path) -> tuple[Guide, ...]:
    """Return a folder's files for agents: its skills, then the general instructions; unreadable ones are skipped."""
    paths = [
        *sorted(folder.glob(".claude/skills/*/SKILL.md"))[:MOST_GUIDES],
        folder / "AGENTS.md",
        folder / "CLAUDE.md",
    ]
    found: list[Guide] = []
    for path in paths:
        try:
            if path.is_file() and path.stat().st_size <= GUIDE_BYTES:
                found.append(Guide(str(path), path.read_text(encoding="utf-8", errors="replace")))
        except OSError:
            continue
    return tuple(found)


def _named(personal: Personal, routing: Routing) -> Routing:
    """Fill in the default board's name where the routing names none."""
    default = personal.board("").name if "" in routing.boards else ""
    domains = {folder: name or default for folder, name in routing.domains.items()}
    return replace(routing, tasks=routing.tasks or default, documents=routing.documents or default, domains=domains)


def _view(personal: Personal, board: Board, now: str) -> BoardView:
    seconds = board.limits.total + _GRACE
    found = within(seconds, lambda: board.snapshot(at=now))
    late = Health("unavailable", f"it did not answer within {seconds:.0f} seconds")
    snapshot = found if found is not None else Snapshot((), (), late, now)
    tickets = personal.reservations(board).bodies(TICKET_KEY)
    return BoardView(board.name, snapshot, board.capabilities.writes, tickets)


def _repositories(
    folders: list[str],
) -> tuple[Mapping[str, tuple[Commit, ...]], Mapping[str, Place], Mapping[str, Health]]:
    """Return the latest commits, places and health by folder; a folder that is not a repository is skipped."""
    commits: dict[str, tuple[Commit, ...]] = {}
    places: dict[str, Place] = {}
    health: dict[str, Health] = {}
    for folder in folders:
        if not folder or not Path(folder).is_dir():
            continue
        found = within(GIT_SECONDS, lambda folder=folder: _seen(folder))  # type: ignore[misc]  # bound here
        if found is None:
            health[GIT + folder] = Health("unavailable", f"git did not answer within {GIT_SECONDS} seconds")
        elif isinstance(found, Health):
            health[GIT + folder] = found
        elif found:
            commits[folder], places[folder] = found
            health[GIT + folder] = COMPLETE
    return commits, places, health


def _seen(folder: str) -> tuple[tuple[Commit, ...], Place] | tuple[()] | Health:
    try:
        repository = Repository.open(folder)
        if not repository.run("rev-parse", "--quiet", "--verify", "HEAD", accept=(0, 1)):
            return ()
        said = repository.run("log", f"--max-count={COMMITS}", "--format=%H%x00%s%x00%cI%x00%an", "HEAD")
        place = Place(str(repository.root), _origin(repository), main_branch(repository))
    except NotARepository:
        return ()
    except GitFailed as error:
        return Health("unavailable", str(error))
    rows = (line.split("\0") for line in said.decode("utf-8", "replace").splitlines())
    commits = tuple(Commit(*row) for row in rows if len(row) == 4)  # noqa: PLR2004 - hash, subject, time, author
    return (commits, place) if commits else ()


def _origin(repository: Repository) -> str:
    """Where a clone comes from, without protocol and password; empty if it comes from nowhere."""
    said = origin_url(repository).removeprefix("file://")
    if not said or is_url(said):
        return place_of(said) if said else ""
    return os.path.realpath(repository.root / said)


def within(seconds: float, read: Callable[[], Value]) -> Value | None:
    """Return the result of `read`, or None if it takes longer; its exceptions are raised here.

    A read that takes too long continues in a background thread.
    """
    found: list[Value] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            found.append(read())
        except BaseException as error:  # noqa: BLE001 - re-raised in the waiting thread
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if raised:
        raise raised[0]
    return found[0] if found else None
