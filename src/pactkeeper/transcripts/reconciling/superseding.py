"""Of several artifacts on one subject only the latest counts; that is settled before anything is proposed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from pactkeeper.intent.actions import Suppressed
from pactkeeper.intent.artifact import content
from pactkeeper.intent.wording.tables import table
from pactkeeper.transcripts.reconciling.comparing import compare
from pactkeeper.transcripts.reconciling.items import steps
from pactkeeper.transcripts.reconciling.saying import said
from pactkeeper.transcripts.reconciling.sureness import instant
from pactkeeper.transcripts.reconciling.world import Seen

_SUBJECTS: Final = frozenset({"plan", "analysis", "framework", "commitment_update"})
# Titles that name no subject.
_BARE: Final = table(
    "plan steps next roadmap phases todo list items action analysis findings summary comparison results criteria"
    " schritte nächste analyse étapes prochaines pasos próximos análisis overview"
)
_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)
_HALF: Final = 2


def in_time(artifacts: Iterable[Seen]) -> tuple[Seen, ...]:
    """The earliest first; among those of one time, and without one, in the order given."""
    return tuple(sorted(artifacts, key=lambda seen: instant(seen.artifact.at) or _EARLIEST))


def latest(artifacts: Iterable[Seen]) -> tuple[tuple[Seen, ...], tuple[Suppressed, ...]]:
    """The artifacts that nothing later supersedes, earliest first, and what became of the others."""
    kept: list[Seen] = []
    gone: list[Suppressed] = []
    for seen in reversed(in_time(artifacts)):
        later = next((one for one in kept if _on_one_subject(seen, one)), None)
        if later is None:
            kept.append(seen)
        else:
            when = later.artifact.at[:16] or "a later time"
            reason = f"superseded by {later.artifact.id} of {when}, on the same subject"
            gone.append(Suppressed(seen.artifact.fingerprint, seen.artifact.title, reason))
    return tuple(reversed(kept)), tuple(reversed(gone))


def _on_one_subject(earlier: Seen, later: Seen) -> bool:
    one, other = earlier.artifact, later.artifact
    if one.type != other.type or one.type not in _SUBJECTS or one.domain != other.domain:
        return False
    if one.update and other.update:
        return compare(one.update.target, other.update.target).sameness == "same"
    if said(one.title).topics and said(one.title).words - _BARE and compare(one.title, other.title).sameness == "same":
        return True
    return one.type == "plan" and _share_steps(content(one), content(other))


def _share_steps(one: str, other: str) -> bool:
    """Whether half of the steps of one plan are steps of the other."""
    theirs = [step.title for step in steps(other)]
    mine = [step.title for step in steps(one)]
    shared = sum(any(compare(title, their).sameness == "same" for their in theirs) for title in mine)
    return bool(mine) and shared * _HALF >= len(mine)
