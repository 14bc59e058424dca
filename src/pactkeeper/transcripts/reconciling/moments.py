"""When things were said: by their place in a conversation, and by the clock only across conversations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Final

from pactkeeper.intent.actions import Suppressed
from pactkeeper.intent.conversation import content
from pactkeeper.intent.redaction import redacted
from pactkeeper.intent.wording.tables import table
from pactkeeper.speech.clash import compare
from pactkeeper.speech.words import statement
from pactkeeper.transcripts.reconciling.items import steps
from pactkeeper.transcripts.reconciling.saying import said
from pactkeeper.transcripts.reconciling.world import SeenArtifact, instant

_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)


def timed(artifacts: Iterable[SeenArtifact]) -> tuple[SeenArtifact, ...]:
    """The artifacts in the order given, each with its moment; a clock that steps back in a file reorders nothing."""
    given = tuple(artifacts)
    moments: dict[int, datetime | None] = {}
    placed = sorted(range(len(given)), key=lambda row: _place(given[row]))
    for _, rows in groupby(placed, lambda row: given[row].artifact.file):
        above: datetime | None = None
        for _, here in groupby(rows, lambda row: _place(given[row])):
            own = {row: instant(given[row].artifact.at) for row in here}
            moments |= {row: _later(at, above) for row, at in own.items()}
            above = max(filter(None, (above, *own.values())), default=None)
    return tuple(replace(seen, moment=moments[row]) for row, seen in enumerate(given))


def in_time(artifacts: Iterable[SeenArtifact]) -> tuple[SeenArtifact, ...]:
    """The earliest first; of one file and moment as they stand there, else in the order given."""
    given = tuple(artifacts)
    files = {seen.artifact.file: row for row, seen in reversed(tuple(enumerate(given)))}
    placed = sorted(given, key=lambda seen: (files[seen.artifact.file], _place(seen)))
    return tuple(sorted(placed, key=lambda seen: seen.moment or _EARLIEST))


def follows(one: SeenArtifact, other: SeenArtifact) -> bool:
    """Whether one was surely said after the other; nothing follows what has no time."""
    if one.moment is None or other.moment is None or one.moment < other.moment:
        return False
    (file, start), (others, earlier) = _place(one), _place(other)
    return one.moment > other.moment or (file == others and start > earlier)


def _place(seen: SeenArtifact) -> tuple[str, int]:
    place = seen.artifact.excerpts[-1].place
    return place.file, place.start


def _later(own: datetime | None, above: datetime | None) -> datetime | None:
    return above if own and above and above > own else own


_SUBJECTS: Final = frozenset({"plan", "analysis", "framework"})
# Titles that name no subject.
_BARE: Final = table(
    "plan steps next roadmap phases todo list items action analysis findings summary comparison results criteria"
    " schritte nächste analyse étapes prochaines pasos próximos análisis overview"
)
# What a title says of being a later version; the subject is the same.
_VERSIONS: Final = table(
    "revised updated final new draft revision version latest second überarbeitet überarbeiteter aktualisiert neu neuer"
    " endgültig révisé révisée nouveau nouvelle actualisé revisado nuevo nueva actualizado definitivo"
)
_SAYING: Final = frozenset({"statement", "commitment_update", "decision_with_context"})
_HALF: Final = 2


def latest(artifacts: Iterable[SeenArtifact]) -> tuple[tuple[SeenArtifact, ...], tuple[Suppressed, ...]]:
    """The artifacts that nothing later supersedes, earliest first, and what became of the others."""
    kept: list[SeenArtifact] = []
    gone: list[Suppressed] = []
    by_subject: dict[Hashable, SeenArtifact] = {}
    by_step: dict[Hashable, list[SeenArtifact]] = {}
    by_stem: dict[str, list[SeenArtifact]] = {}
    for seen in reversed(in_time(artifacts)):
        subjects, done = tuple(_subjects(seen)), _step_keys(seen)
        later = next((by_subject[one] for one in subjects if one in by_subject), None) or _shares(done, by_step)
        later = later or _denied(seen, by_stem)
        if later is not None:
            gone.append(_superseded(seen, later))
            continue
        kept.append(seen)
        by_subject.update(dict.fromkeys(subjects, seen))
        for key in done:
            by_step.setdefault(key, []).append(seen)
        for name in _spoken(seen):
            by_stem.setdefault(name, []).append(seen)
    return tuple(reversed(kept)), tuple(reversed(gone))


def _spoken(seen: SeenArtifact) -> frozenset[str]:
    """The stems of what a person says in one sentence; nothing for anything else."""
    if seen.artifact.type not in _SAYING:
        return frozenset()
    return statement(seen.artifact.excerpts[0].text).topic


def _denied(seen: SeenArtifact, by_stem: Mapping[str, list[SeenArtifact]]) -> SeenArtifact | None:
    """The latest in the same folder that says the opposite of a statement, or gives its subject another value."""
    if seen.artifact.type != "statement":
        return None
    text, domain = seen.artifact.excerpts[0].text, seen.artifact.domain
    near = {id(one): one for name in _spoken(seen) for one in by_stem.get(name, ()) if one.artifact.domain == domain}
    later = in_time(near.values())[::-1]
    return next((one for one in later if compare(text, one.artifact.excerpts[0].text).verdict == "clash"), None)


def _superseded(seen: SeenArtifact, later: SeenArtifact) -> Suppressed:
    when = later.artifact.at[:16] or "a later time"
    reason = f"superseded by {later.artifact.id} of {when}, on the same subject"
    return Suppressed(seen.artifact.fingerprint, redacted(seen.artifact.title), reason)


def _subjects(seen: SeenArtifact) -> Iterator[Hashable]:
    """What an artifact is about, where that is clear from its title."""
    artifact = seen.artifact
    if artifact.type not in _SUBJECTS:
        return
    line = said(artifact.title)
    if line.topics and line.words - _BARE - _VERSIONS:
        words, details = line.key
        yield artifact.type, artifact.domain, words - _VERSIONS, details


def _step_keys(seen: SeenArtifact) -> tuple[Hashable, ...]:
    """Each step of a plan as what it says; nothing for anything else."""
    artifact = seen.artifact
    if artifact.type != "plan":
        return ()
    keys = (said(step.title).key for step in steps(content(artifact)))
    return tuple((artifact.domain, key) for key in dict.fromkeys(keys) if key[0])


def _shares(keys: tuple[Hashable, ...], by_step: Mapping[Hashable, list[SeenArtifact]]) -> SeenArtifact | None:
    """The latest plan that has half of these steps."""
    counts = Counter(id(plan) for key in keys for plan in by_step.get(key, ()))
    plans = {id(plan): plan for key in keys for plan in by_step.get(key, ())}
    enough = [plans[one] for one, number in counts.items() if number * _HALF >= len(keys)]
    return next(reversed(in_time(enough)), None)
