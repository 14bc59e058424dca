"""How sure an artifact makes an action, as whole numbers and in words, and which tier that is by default."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from pactkeeper.intent.actions import Confidence, Tier
from pactkeeper.transcripts.reconciling.world import SeenArtifact

# Points by the greatest age in days, and by the number of conversations.
_RECENT: Final = ((1, 100), (3, 90), (7, 75), (14, 50), (31, 25))
_SHOWN: Final = (0, 50, 80, 100)
# What can be taken back and changes no words; all else is a person's word, whatever is known.
_BACK: Final = frozenset(
    {"createTask", "logTask", "completeTask", "createDocument", "enrichDocument", "updateDocumentMeta"}
)


def sure(seen: SeenArtifact, now: str) -> Confidence:
    """The four inputs of an artifact at a time (ISO 8601)."""
    signals = seen.artifact.signals
    shown = _SHOWN[min(seen.corroboration, len(_SHOWN) - 1)]
    return Confidence(signals.strength, signals.explicitness, _recency(seen.artifact.at, now), shown)


def _recency(at: str, now: str) -> int:
    then = instant(at)
    today = instant(now)
    if then is None or today is None:
        return 0
    days = (today - then).total_seconds() / 86400
    return next((points for most, points in _RECENT if days <= most), 0)


def instant(at: str) -> datetime | None:
    """A time as it can be compared; None for one that is no ISO 8601. One without an offset counts as UTC."""
    try:
        found = datetime.fromisoformat(at)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def tier_of(verb: str, confidence: Confidence, *, machine: bool) -> Tier:
    """Tier 1 only for what a tool's own answer shows, that is sure and can be taken back; else a person is asked."""
    return 1 if machine and confidence.level == "high" and verb in _BACK else 2


def in_words(confidence: Confidence) -> str:
    """Why it is as sure as it is, in one line."""
    parts = (
        ("a plain signal" if confidence.strength >= 90 else "a weaker signal", confidence.strength),  # noqa: PLR2004
        ("a tool's own answer" if confidence.explicitness == 100 else "somebody's words", confidence.explicitness),  # noqa: PLR2004
        ("recency", confidence.recency),
        ("corroboration", confidence.corroboration),
    )
    return f"{confidence.level}, {confidence.points} points: " + ", ".join(f"{noun} {value}" for noun, value in parts)
