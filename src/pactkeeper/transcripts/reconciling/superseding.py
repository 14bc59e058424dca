"""Of several artifacts on one subject only the latest counts; that is settled before anything is proposed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Final

from pactkeeper.intent.actions import Suppressed
from pactkeeper.intent.artifact import content
from pactkeeper.intent.redaction import redacted
from pactkeeper.intent.wording.tables import table
from pactkeeper.speech.clash import compare
from pactkeeper.speech.words import statement
from pactkeeper.transcripts.reconciling.items import steps
from pactkeeper.transcripts.reconciling.moments import in_time
from pactkeeper.transcripts.reconciling.saying import said
from pactkeeper.transcripts.reconciling.world import SeenArtifact

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
