"""Artifacts: each is stored once, however often conversations show it, along with every sighting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from pactkeeper.intent.conversation import (
    PERSISTENCES,
    Artifact,
    ArtifactType,
    CommitmentUpdate,
    Excerpt,
    Persistence,
    RecordPlace,
    Signals,
)
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.store.columns import key_of
from pactkeeper.store.history import History, chunks, insert_new
from pactkeeper.store.tables import ARTIFACTS, CONVERSATIONS, SIGHTINGS


@dataclass(frozen=True, slots=True)
class StoredArtifact:
    """An artifact with the conversation it was first found in and the number of conversations that show it."""

    artifact: Artifact
    conversation: str
    corroboration: int
    found_at: str


def save_artifacts(history: History, conversation: int, found: Sequence[Artifact], *, at: str) -> int:
    """Store artifacts not known yet, and a sighting of each; return how many were new.

    `conversation` is its number. A known artifact keeps its text; only its persistence may be raised.
    """
    if not found:
        return 0
    with history.database.begin() as connection:
        before = _numbers(connection, history, found)
        insert_new(connection, ARTIFACTS, (_row(history, conversation, one, at) for one in found))
        numbers = _numbers(connection, history, found)
        insert_new(connection, SIGHTINGS, (_sighting(numbers, conversation, one) for one in found))
        for one in found:
            _raise_persistence(connection, numbers[one.fingerprint], one.persistence, one.evidence)
    return len(numbers) - len(before)


def find_artifact(history: History, artifact: str) -> StoredArtifact | None:
    """Return an artifact by id, or None."""
    found = _load(history, ARTIFACTS.c.id == artifact)
    return found[0] if found else None


def list_artifacts(
    history: History, *, types: Sequence[ArtifactType] = (), conversation: str = ""
) -> tuple[StoredArtifact, ...]:
    """Return artifacts in the order found, optionally of some types or first found in one conversation."""
    conditions: list[Any] = [ARTIFACTS.c.type.in_(types)] if types else []
    if conversation:
        conditions.append(CONVERSATIONS.c.id == conversation)
    return _load(history, *conditions)


def _numbers(connection: Connection, history: History, found: Sequence[Artifact]) -> dict[str, int]:
    a = ARTIFACTS.c
    return {
        row.fingerprint: row.number
        for chunk in chunks({one.fingerprint for one in found})
        for row in connection.execute(
            select(a.fingerprint, a.number).where(a.repository == history.repository, a.fingerprint.in_(chunk))
        )
    }


def _raise_persistence(connection: Connection, number: int, persistence: Persistence, evidence: str) -> None:
    lower = PERSISTENCES[: PERSISTENCES.index(persistence)]
    if lower:
        a = ARTIFACTS.c
        change = update(ARTIFACTS).where(a.number == number, a.persistence.in_(lower))
        connection.execute(change.values(persistence=persistence, evidence=evidence))


def _sighting(numbers: dict[str, int], conversation: int, one: Artifact) -> dict[str, Any]:
    return {
        "artifact": numbers[one.fingerprint],
        "conversation": conversation,
        "entry_key": key_of(one.excerpts[-1].entry),
        "at": one.at,
    }


def _row(history: History, conversation: int, one: Artifact, at: str) -> dict[str, Any]:
    return {
        "repository": history.repository,
        "id": one.id,
        "fingerprint": one.fingerprint,
        "conversation": conversation,
        "type": one.type,
        "title": one.title,
        "summary": one.summary,
        "domain": one.domain,
        "at": one.at,
        "value": one.value,
        "persistence": one.persistence,
        "evidence": one.evidence,
        "target": one.update.target if one.update else "",
        "change": one.update.change if one.update else "",
        "strength": one.signals.strength,
        "explicitness": one.signals.explicitness,
        "identity": one.identity,
        "entities": list(one.entities),
        "facts": one.facts,
        "excerpts": [_excerpt(part) for part in one.excerpts],
        "found_at": at,
    }


def _excerpt(part: Excerpt) -> list[JsonValue]:
    place = part.place
    return [place.file, place.start, place.end, part.entry, part.block, part.first, part.last, part.at, part.text]


def _load(history: History, *conditions: Any) -> tuple[StoredArtifact, ...]:  # noqa: ANN401 - what SQL compares with
    a, c, s = ARTIFACTS.c, CONVERSATIONS.c, SIGHTINGS.c
    seen = (
        select(func.count(func.distinct(s.conversation)))
        .where(s.artifact == a.number)
        .scalar_subquery()
        .label("corroboration")
    )
    query = (
        select(ARTIFACTS, c.id.label("conversation_id"), seen)
        .join(CONVERSATIONS, a.conversation == c.number)
        .where(a.repository == history.repository, *conditions)
        .order_by(a.number)
    )
    with history.database.read() as connection:
        return tuple(_stored(row) for row in connection.execute(query))


def _stored(row: Row[Any]) -> StoredArtifact:
    artifact = Artifact(
        row.type,
        row.title,
        tuple(Excerpt(RecordPlace(*part[:3]), *part[3:]) for part in row.excerpts),
        Signals(row.strength, row.explicitness),
        row.value,
        row.identity,
        row.summary,
        row.domain,
        tuple(row.entities),
        row.persistence,
        row.evidence,
        CommitmentUpdate(row.target, row.change) if row.change else None,
        row.facts,
    )
    return StoredArtifact(artifact, row.conversation_id, row.corroboration, row.found_at)
