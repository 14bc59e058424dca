"""Verbs about conversations with coding agents: read them, report their state, show what they produced.

Also has a model mark conversations: an estimate of the cost, and doing it within the person's caps.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from pactkeeper.errors import InputError
from pactkeeper.flows.observing import tagged
from pactkeeper.intent.conversation import ArtifactType, Conversation
from pactkeeper.ledger.answering import Estimate
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.ledger.model import Spent, dollars
from pactkeeper.operators.models import fresh_budget, spent_today
from pactkeeper.personal import Personal
from pactkeeper.settings.transcripts import transcript_settings
from pactkeeper.store.conversations import (
    StoredArtifact,
    StoredConversation,
    find_artifact,
    find_conversation,
    list_artifacts,
    list_conversations,
)
from pactkeeper.store.history import History
from pactkeeper.transcripts.ingest import Ingested, ingest, irregular_in, is_foreign, transcripts_in
from pactkeeper.transcripts.marking import Marker, Marking, prompts_of
from pactkeeper.transcripts.reconciling import instant
from pactkeeper.transcripts.sources import SOURCES


@dataclass(frozen=True, slots=True)
class Ingestion:
    """The result of reading all places once; the health says whether every transcript could be read.

    `unread` are files in no known format, and symlinks, pipes and devices.
    """

    files: tuple[Ingested, ...]
    health: Health
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TranscriptStatus:
    """Every conversation read so far, with the number of bytes added to each since.

    `waits` are files in the configured places with unread words that were written to just now, with the seconds until
    they are read; `places` are those places, and `unread` the files there in no known format, and symlinks.
    """

    conversations: tuple[tuple[StoredConversation, int], ...]
    artifacts: int
    waits: tuple[tuple[str, int], ...] = ()
    places: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """What an id refers to: a conversation with what was first found in it, or one artifact."""

    conversation: StoredConversation
    artifacts: tuple[StoredArtifact, ...]


def ingest_transcripts(personal: Personal, paths: tuple[str, ...], *, wait: bool = True) -> Ingestion:
    """Read what is new in the given files and folders, by default in the configured places.

    Files written to in the last minutes are put off, unless `wait` is false. Raises InputError for a given path that is
    missing or not a transcript.
    """
    settings = transcript_settings(personal.surroundings.preferences)
    quiet = settings.quiet_minutes * 60 if wait else 0
    given = tuple(Path(path) for path in paths)
    _refuse_missing(given)
    places = given or settings.places
    files = tuple(_ingest(personal, path, quiet) for path in _unique(places))
    _refuse_foreign(given, files)
    foreign = [one.file for one in files if one.outcome == "foreign"]
    kept = tuple(one for one in files if one.outcome != "foreign")
    return Ingestion(kept, _health(files), (*foreign, *_irregular(places)))


def _refuse_missing(given: tuple[Path, ...]) -> None:
    missing = [str(path) for path in given if not path.exists()]
    if missing:
        raise InputError(f"there is no such file or folder: {', '.join(map(repr, missing))}")


def _refuse_foreign(given: tuple[Path, ...], files: tuple[Ingested, ...]) -> None:
    left = {one.file for one in files if one.outcome == "foreign"}
    foreign = [str(path) for path in given if os.path.realpath(path) in left]
    if foreign:
        formats = ", ".join(source.name for source in SOURCES)
        raise InputError(
            f"no transcript of a known format ({formats}): {', '.join(map(repr, foreign))}; "
            "docs/transcripts.md says how each begins"
        )


def _unique(places: tuple[Path, ...]) -> Iterator[Path]:
    return iter(dict.fromkeys(path for place in places for path in transcripts_in(place)))


def _irregular(places: tuple[Path, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(path) for place in places for path in irregular_in(place)))


def ingest_file(personal: Personal, path: Path) -> Ingested:
    """Read what is new in one file, unless it was written to in the last minutes."""
    minutes = transcript_settings(personal.surroundings.preferences).quiet_minutes
    return _ingest(personal, path, minutes * 60)


def _ingest(personal: Personal, path: Path, quiet: int) -> Ingested:
    try:
        left = _seconds_left(personal, path, quiet)
    except OSError as error:
        return Ingested(str(path), "failed", reason=f"it cannot be read: {error.strerror}")
    if left:
        return _put_off(personal, path, quiet, left)
    return ingest(personal.history(make=True)[0], path, now=lambda: stamp(personal.now()))


def _seconds_left(personal: Personal, path: Path, quiet: int) -> int:
    """Return the seconds until a file has been quiet for long enough; 0 if it may be read now."""
    since = personal.now().timestamp() - path.stat().st_mtime
    return max(1, round(quiet - since)) if 0 <= since < quiet else 0


def _put_off(personal: Personal, path: Path, quiet: int, left: int) -> Ingested:
    """Put a file off; one in no known format is reported at once, unless it was a transcript before."""
    if is_foreign(path) and not _known(personal, path):
        return Ingested(str(path), "foreign")
    reason = (
        f"it was written to recently (quiet_minutes = {quiet // 60}); read it now with --no-wait, or again in {left} s"
    )
    return Ingested(str(path), "waits", reason=reason)


def _known(personal: Personal, path: Path) -> bool:
    named = Conversation("", str(path), "").id
    return any(find_conversation(history, named) is not None for history in personal.history())


def stamp(now: datetime) -> str:
    """Format a time as stored."""
    return now.isoformat(timespec="milliseconds")


def _health(files: tuple[Ingested, ...]) -> Health:
    bad = [f"{one.file}: {one.reason}" for one in files if one.outcome in {"failed", "busy"}]
    gaps = [f"{one.file}: {one.gaps} records cannot be read" for one in files if one.gaps]
    return Health("partial", "; ".join(bad + gaps)) if bad or gaps else COMPLETE


def transcript_status(personal: Personal) -> TranscriptStatus:
    """Report how far every conversation was read, and which files wait. Nothing is read or stored."""
    found = [one for history in personal.history() for one in list_conversations(history)]
    number = sum(one.artifacts for one in found)
    settings = transcript_settings(personal.surroundings.preferences)
    return TranscriptStatus(
        tuple((one, _added(one)) for one in found),
        number,
        tuple(_waiting(personal, settings.places, settings.quiet_minutes * 60, _fully_read(found))),
        tuple(map(str, settings.places)),
        (*(str(path) for path in _unique(settings.places) if is_foreign(path)), *_irregular(settings.places)),
    )


def _fully_read(found: Iterable[StoredConversation]) -> frozenset[str]:
    return frozenset(one.conversation.file for one in found if one.bookmark.offset and not _added(one))


def _waiting(
    personal: Personal, places: tuple[Path, ...], quiet: int, read: frozenset[str]
) -> Iterator[tuple[str, int]]:
    for path in _unique(places):
        if str(path) in read:
            continue
        try:
            left = _seconds_left(personal, path, quiet)
        except OSError:  # deleted since it was listed
            continue
        if left and _put_off(personal, path, quiet, left).outcome == "waits":
            yield str(path), left


def _added(one: StoredConversation) -> int:
    try:
        return max(0, Path(one.conversation.file).stat().st_size - one.bookmark.offset)
    except OSError:
        return 0


def show_transcript(personal: Personal, named: str) -> Shown:
    """Show one conversation or artifact by id; raises InputError if there is none."""
    for history in personal.history():
        conversation = find_conversation(history, named)
        if conversation is not None:
            return Shown(conversation, list_artifacts(history, conversation=named))
        artifact = find_artifact(history, named)
        if artifact is not None:
            within = find_conversation(history, artifact.conversation)
            assert within is not None  # noqa: S101 - the database refuses an artifact without a conversation
            return Shown(within, (artifact,))
    raise InputError(f"there is no conversation or artifact {named!r}; pk transcripts status and artifacts list them")


def transcript_artifacts(
    personal: Personal, types: tuple[ArtifactType, ...] = (), *, conversation: str = ""
) -> tuple[StoredArtifact, ...]:
    """List what conversations produced, in the order in which it was found."""
    return tuple(
        one for history in personal.history() for one in list_artifacts(history, types=types, conversation=conversation)
    )


ALERT = 1_000_000  # millionths of a US dollar; a day that costs as much is reported to the person


@dataclass(frozen=True, slots=True)
class MarkedTranscripts:
    """The result of marking conversations; the budget did not cover `left` of them, and `alert` reports a high cost."""

    model: str
    conversations: int
    marking: Marking
    left: int = 0
    alert: str = ""


def estimate_marking(personal: Personal, named: tuple[str, ...] = ()) -> Estimate:
    """Estimate the maximum cost of marking these conversations; nothing is asked."""
    history = personal.history(make=True)[0]
    return personal.asker().estimate(tuple(prompts_of(_wanted(personal, history, named))))


def mark_transcripts(
    personal: Personal, named: tuple[str, ...] = (), *, max_cost: int | None = None
) -> MarkedTranscripts:
    """Have the configured model mark the talk in conversations, by default in recent ones.

    What it was asked before is not asked again. `max_cost` is in millionths of a US dollar. Raises ModelUnavailable if
    no model can be asked and InputError for an unknown conversation.
    """
    history = personal.history(make=True)[0]
    wanted = _wanted(personal, history, named)
    asker = replace(personal.asker("transcripts"), tell=lambda _line: None)
    marker = Marker(history, asker, fresh_budget(personal, asker.setup, money=max_cost), lambda: stamp(personal.now()))
    with tagged(agent="transcripts-agent", node="mark"):
        done = asyncio.run(_mark(marker, wanted))
    alert = _alert(spent_today(personal))
    return MarkedTranscripts(asker.name, done, marker.total, len(wanted) - done, alert)


async def _mark(marker: Marker, wanted: tuple[StoredConversation, ...]) -> int:
    for done, stored in enumerate(wanted, 1):
        if not await marker.mark(stored):
            return done
    return len(wanted)


def _wanted(personal: Personal, history: History, named: tuple[str, ...]) -> tuple[StoredConversation, ...]:
    stored = {one.conversation.id: one for one in list_conversations(history)}
    missing = [name for name in named if name not in stored]
    if missing:
        raise InputError(f"there is no conversation {missing[0]!r}; pk transcripts status lists them")
    if named:
        return tuple(stored[name] for name in named)
    days = transcript_settings(personal.surroundings.preferences).days
    since = personal.now() - timedelta(days=days)
    times = ((one, instant(one.last_at)) for one in stored.values())
    return tuple(one for one, at in times if at is None or at >= since)


def _alert(today: Spent) -> str:
    if today.money < ALERT:
        return ""
    return f"models cost {dollars(today.money)} today; cap it by [day] money in models.toml"
