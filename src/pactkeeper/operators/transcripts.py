"""The verbs about conversations with coding agents: read them, say where they stand, show what they produced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pactkeeper.errors import InputError
from pactkeeper.intent.artifact import ArtifactType
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.settings.transcripts import transcript_settings
from pactkeeper.store.artifacts import StoredArtifact, find_artifact, list_artifacts
from pactkeeper.store.conversations import StoredConversation, find_conversation, list_conversations
from pactkeeper.transcripts.ingest import Ingested, ingest
from pactkeeper.transcripts.places import transcripts_in
from pactkeeper.workspace import Personal


@dataclass(frozen=True, slots=True)
class Ingestion:
    """What one look at all places brought; the health says whether every transcript could be read."""

    files: tuple[Ingested, ...]
    health: Health


@dataclass(frozen=True, slots=True)
class TranscriptStatus:
    """Every conversation that was read, with how many bytes of each have been added since and wait."""

    conversations: tuple[tuple[StoredConversation, int], ...]
    artifacts: int


@dataclass(frozen=True, slots=True)
class Shown:
    """What an id names: a conversation with what was first found in it, or one artifact."""

    conversation: StoredConversation
    artifacts: tuple[StoredArtifact, ...]


def ingest_transcripts(personal: Personal, paths: tuple[str, ...], *, wait: bool = True) -> Ingestion:
    """Read what is new in the given files and folders, by default in the places of the settings.

    One that was written to in the last minutes waits unless told not to. Raises InputError for a given path that is
    missing or no transcript.
    """
    settings = transcript_settings(personal.surroundings.preferences)
    quiet = settings.quiet_minutes * 60 if wait else 0
    given = tuple(Path(path) for path in paths)
    _refuse_missing(given)
    files = tuple(_ingest(personal, path, quiet) for path in _unique(given or settings.places))
    foreign = [one.file for one in files if one.outcome == "foreign" and one.file in {str(path) for path in given}]
    if foreign:
        raise InputError(f"{foreign[0]!r} is no transcript of a known format; docs/transcripts.md lists them")
    return Ingestion(tuple(one for one in files if one.outcome != "foreign"), _health(files))


def _refuse_missing(given: tuple[Path, ...]) -> None:
    missing = [str(path) for path in given if not path.exists()]
    if missing:
        raise InputError(f"there is no such file or folder: {', '.join(map(repr, missing))}")


def _unique(places: tuple[Path, ...]) -> Iterator[Path]:
    return iter(dict.fromkeys(path for place in places for path in transcripts_in(place)))


def ingest_file(personal: Personal, path: Path, *, wait: bool = True) -> Ingested:
    """Read what is new in one file, unless it was written to in the last minutes and may wait."""
    minutes = transcript_settings(personal.surroundings.preferences).quiet_minutes
    return _ingest(personal, path, minutes * 60 if wait else 0)


def _ingest(personal: Personal, path: Path, quiet: int) -> Ingested:
    try:
        touched = path.stat().st_mtime
    except OSError as error:
        return Ingested(str(path), "failed", reason=f"it cannot be looked at: {error.strerror}")
    if 0 <= personal.now().timestamp() - touched < quiet:
        return Ingested(str(path), "waits", reason="it was written to just now")
    return ingest(personal.history(make=True)[0], path, now=lambda: stamp(personal.now()))


def stamp(now: datetime) -> str:
    """A time as it is stored."""
    return now.isoformat(timespec="milliseconds")


def _health(files: tuple[Ingested, ...]) -> Health:
    bad = [f"{one.file}: {one.reason}" for one in files if one.outcome in {"failed", "busy"}]
    gaps = [f"{one.file}: {one.gaps} records cannot be read" for one in files if one.gaps]
    return Health("partial", "; ".join(bad + gaps)) if bad or gaps else COMPLETE


def transcript_status(personal: Personal) -> TranscriptStatus:
    """Say how far every conversation was read; nothing is read or stored."""
    found = [one for history in personal.history() for one in list_conversations(history)]
    number = sum(one.artifacts for one in found)
    return TranscriptStatus(tuple((one, _added(one)) for one in found), number)


def _added(one: StoredConversation) -> int:
    try:
        return max(0, Path(one.conversation.file).stat().st_size - one.bookmark.offset)
    except OSError:
        return 0


def show_transcript(personal: Personal, named: str) -> Shown:
    """One conversation or artifact by its id; raises InputError where there is none."""
    for history in personal.history():
        conversation = find_conversation(history, named)
        if conversation is not None:
            return Shown(conversation, list_artifacts(history, conversation=named))
        artifact = find_artifact(history, named)
        if artifact is not None:
            within = find_conversation(history, artifact.conversation)
            assert within is not None  # noqa: S101 - the database refuses an artifact of no conversation
            return Shown(within, (artifact,))
    raise InputError(f"there is no conversation or artifact {named!r}; pk transcripts status and artifacts list them")


def transcript_artifacts(
    personal: Personal, types: tuple[ArtifactType, ...] = (), *, conversation: str = ""
) -> tuple[StoredArtifact, ...]:
    """What conversations produced, in the order in which it was found."""
    return tuple(
        one for history in personal.history() for one in list_artifacts(history, types=types, conversation=conversation)
    )
