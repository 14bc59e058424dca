"""Stage two as one function: artifacts and a fresh view in, a proposal and new knowledge out.

Only decisions with their reasons and facts from a tool's own answer become knowledge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.intent.actions import OUTCOMES, Action, ActionProposal, Conflict, JudgedArtifact, Suppressed
from pactkeeper.intent.conversation import Artifact, KnowledgeItem, Provenance, content
from pactkeeper.intent.redaction import redacted
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.patch import Patch, in_order
from pactkeeper.ledger.question import Question, settle
from pactkeeper.speech.clash import has_phrase, refuses
from pactkeeper.transcripts.extraction.extract import BY, STEPS
from pactkeeper.transcripts.extraction.products import REFUSES, TODO, names_step, steps_in
from pactkeeper.transcripts.reconciling import (
    SeenArtifact,
    TranscriptWorld,
    comes_after,
    follows,
    in_time,
    place_of,
    standing,
    timed,
)
from pactkeeper.transcripts.reconciling.contradicting import denied, latest, planned
from pactkeeper.transcripts.reconciling.mistakes import mistake
from pactkeeper.transcripts.reconciling.proposing import Found, judged, suppressed
from pactkeeper.transcripts.reconciling.saying import ListItem, reasoning, recommendations, steps
from pactkeeper.transcripts.reconciling.tasks import reasoned, work
from pactkeeper.transcripts.reconciling.updates import event, update

REASONED: Final = 300  # characters of a plan besides its steps that make it worth a document
# The most questions in one reconciliation, and why the others wait.
MOST_ASKED: Final = 50
LATER: Final = f"it will be asked once some of the {MOST_ASKED} earlier questions are answered"
_VERSION: Final = re.compile(r"(?<![\w.])v?\d+(?:\.\d+){1,3}(?![\w.]*\d)")
_SUBMITTED: Final = "proposed_by"


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The proposal, and what should be kept as knowledge."""

    proposal: ActionProposal
    learnt: tuple[KnowledgeItem, ...]


def reconcile(artifacts: Iterable[SeenArtifact], world: TranscriptWorld) -> Reconciled:
    """Compare artifacts with the world; deterministic and without side effects."""
    every = timed(artifacts)
    stands = standing(world.readable, world.context, world.known, world.now)
    given = tuple(one for one in every if not _is_remark(one))
    finished = [one for one in every if STEPS in one.artifact.facts]
    told = [one for one in every if _is_remark(one) and STEPS not in one.artifact.facts]
    remarks = _by_conversation(one for one in told if BY not in one.artifact.facts)
    heard = tuple(one for one in told if BY in one.artifact.facts)
    events = tuple(one for one in given if one.artifact.type == "event")
    world = replace(world, standing=stands, remarks=remarks, events=events, heard=heard)
    counted, superseded = latest(given, world)
    worked = _worked(given)
    found: list[Found | KnowledgeItem] = []
    for seen in counted:
        found += _refused(seen, given) or _judge(seen, world, worked, _done(seen, given, finished, world))
    learnt = tuple({one.id: one for one in found if isinstance(one, KnowledgeItem)}.values())
    rest = [*superseded, *(one for one in found if not isinstance(one, KnowledgeItem))]
    return Reconciled(_assembled(given, rest, world), learnt)


def _is_remark(seen: SeenArtifact) -> bool:
    return seen.artifact.type == "remark"


def _by_conversation(remarks: Iterable[SeenArtifact]) -> Mapping[str, tuple[SeenArtifact, ...]]:
    found: dict[str, list[SeenArtifact]] = {}
    for one in in_time(remarks):
        found.setdefault(one.conversation, []).append(one)
    return {name: tuple(said) for name, said in found.items()}


@dataclass(frozen=True, slots=True)
class _DoneSteps:
    """What of a plan is done since: the versions that were shipped, and why steps are, by their numbers."""

    shipped: frozenset[str]
    said: Mapping[int, str]

    def why(self, item: ListItem) -> str:
        """Why a step is done; empty if nothing says so."""
        named = frozenset(_VERSION.findall(item.text))
        if named and named <= self.shipped:
            return f"the session shipped {', '.join(sorted(named))} afterwards"
        return self.said.get(item.number, "")


def _judge(
    seen: SeenArtifact, world: TranscriptWorld, worked: Mapping[tuple[str, str], SeenArtifact], done: _DoneSteps
) -> Iterator[Found | KnowledgeItem]:
    artifact = seen.artifact
    if artifact.persistence == "persisted":
        yield judged(seen, artifact.title, "exists", f"it was written down: {artifact.evidence}")
        yield from learnt_of(seen, world)
        return
    match artifact.type:
        case "plan":
            yield from _plan(seen, world, worked.get((seen.conversation, "commit")), done)
        case "analysis" | "framework":
            yield from reasoned(seen, recommendations(content(artifact)), world)
        case "decision_with_context":
            yield from decision(seen, world)
        case "commitment_update":
            yield from statement(seen, world)
            yield from update(seen, world)
        case "statement":
            yield from statement(seen, world)
        case "error_pattern":
            yield from mistake(seen, world)
        case "event":
            kind = str(artifact.facts.get("kind"))
            yield from event(seen, world, worked.get((seen.folder, kind)))
            yield from learnt_of(seen, world)


def _plan(seen: SeenArtifact, world: TranscriptWorld, worked: SeenArtifact | None, done: _DoneSteps) -> Iterator[Found]:
    artifact = seen.artifact
    if artifact.facts.get(_SUBMITTED) and worked and follows(worked, seen):
        reason = f"the session went on to commit at {worked.artifact.at[:16]}, so its plan was for that session"
        yield judged(seen, artifact.title, "stale", reason)
        named = "; ".join(redacted(one.title) for one in steps(content(artifact)))
        yield suppressed(seen, artifact.title, f"{reason}; which steps are done isn't known: {named}", "createTask")
        return
    text = content(artifact)
    items = steps(text)
    why = {item: done.why(item) for item in items}
    for item, reason in why.items():
        if reason:
            yield judged(seen, item.title, "stale", reason)
            yield suppressed(seen, item.title, reason, "createTask")
    left = tuple(item for item in items if not why[item])
    if reasoning(text) >= REASONED:
        yield from reasoned(seen, left, world)
        return
    for item in left:
        yield from work(seen, item, world)


def _refused(plan: SeenArtifact, given: Iterable[SeenArtifact]) -> tuple[Found, ...]:
    """The findings on a plan that a person refused, in the next message or in a later one that denies a plan."""
    artifact = plan.artifact
    if artifact.type != "plan":
        return ()
    here = [one for one in given if one.conversation == plan.conversation]
    refusal = next((one for one in here if _refuses(one, plan, here)), None)
    if refusal is None:
        return ()
    reason = redacted(f"a person said of it: {refusal.artifact.title!r}")
    return (judged(plan, artifact.title, "stale", reason), suppressed(plan, artifact.title, reason, "createTask"))


def _refuses(one: SeenArtifact, plan: SeenArtifact, here: Iterable[SeenArtifact]) -> bool:
    said = one.artifact
    if said.type != "statement":
        return False
    if REFUSES in said.facts:
        return said.facts[REFUSES] == plan.artifact.fingerprint
    text = said.excerpts[0].text
    if names_step(text) or not (has_phrase("plans", text) and refuses(text)):
        return False
    return _plan_before(one, here) is plan


def _plan_before(one: SeenArtifact, here: Iterable[SeenArtifact]) -> SeenArtifact | None:
    """The last plan before some words, of artifacts of their conversation."""
    before = (other for other in here if other.artifact.type == "plan" and place_of(other) < place_of(one))
    return max(before, key=place_of, default=None)


def _done(
    plan: SeenArtifact, given: Iterable[SeenArtifact], finished: Iterable[SeenArtifact], world: TranscriptWorld
) -> _DoneSteps:
    """What a conversation did of its plan, and the steps it says are done or left out, where one alone has a number.

    A step that a person names again afterwards is open: that may take it back.
    """
    if plan.artifact.type != "plan":
        return _DoneSteps(frozenset(), {})
    here = [one for one in given if one.conversation == plan.conversation and one.artifact.facts.get("form") != TODO]
    beside = [one for one in here if one.artifact.type == "plan" and place_of(one) == place_of(plan)]
    later = [one for one in finished if one.conversation == plan.conversation and _plan_before(one, here) in beside]
    counts = Counter(item.number for one in beside for item in steps(content(one.artifact)))
    last = {number: one for one in later for number in _numbers_in(one)}
    remarks = world.remarks.get(plan.conversation, ())
    said = {
        number: f"it was said of it: {redacted(one.artifact.title)!r}"
        for number, one in last.items()
        if not any(comes_after(other, one) and number in steps_in(content(other.artifact)) for other in remarks)
    }
    return _DoneSteps(_shipped(given, plan), {number: why for number, why in said.items() if counts[number] == 1})


def _numbers_in(one: SeenArtifact) -> tuple[int, ...]:
    """The numbers of the steps that somebody says are done or left out."""
    numbers = one.artifact.facts[STEPS]
    return tuple(number for number in numbers if isinstance(number, int)) if isinstance(numbers, list) else ()


def _shipped(given: Iterable[SeenArtifact], plan: SeenArtifact) -> frozenset[str]:
    """The versions named by successful events in a plan's conversation, except earlier ones."""
    here = (one for one in given if one.conversation == plan.conversation and one.artifact.type == "event")
    done = (one for one in here if one.artifact.facts.get("outcome") == "succeeded" and not follows(plan, one))
    return frozenset(name for one in done for name in _VERSION.findall(content(one.artifact)))


def _worked(artifacts: Iterable[SeenArtifact]) -> dict[tuple[str, str], SeenArtifact]:
    """The last successful event of each kind, keyed by conversation or folder and by kind."""
    done = [seen for seen in in_time(artifacts) if seen.moment and seen.artifact.facts.get("outcome") == "succeeded"]
    kinds = [(seen, str(seen.artifact.facts.get("kind"))) for seen in done]
    return {(where, kind): seen for seen, kind in kinds for where in (seen.conversation, seen.folder)}


def _assembled(given: tuple[SeenArtifact, ...], found: list[Found], world: TranscriptWorld) -> ActionProposal:
    repeated = list[Suppressed]()
    proposed = [one for one in found if isinstance(one, Action)]
    told = _told(_joined(proposed), _decided(found, world), repeated)
    actions = {one.id: one for one in told}
    ops = in_order([one.op for one in told])
    asked = {one.id: one for one in found if isinstance(one, Question)}
    open_ones = settle(ops, asked.values())
    questions, later = open_ones[:MOST_ASKED], open_ones[MOST_ASKED:]
    repeated += (Suppressed("", str(one.context.get("proposed", one.subject)), LATER) for one in later)
    judgements = tuple(dict.fromkeys(one for one in found if isinstance(one, JudgedArtifact)))
    conflicts = _latest(one for one in found if isinstance(one, Conflict))
    left = tuple(dict.fromkeys([*(one for one in found if isinstance(one, Suppressed)), *repeated]))
    counts = Counter(one.outcome for one in judgements)
    summary: dict[str, int] = {name: counts[name] for name in OUTCOMES}
    summary |= {"artifacts": len(given), "conflicts": len(conflicts), "suppressed": len(left)}
    patch = Patch(_base(given, world), ops, (), questions, dict(world.health), summary)
    return ActionProposal(world.now, patch, tuple(actions[op.id] for op in ops), judgements, conflicts, left)


def _latest(found: Iterable[Conflict]) -> tuple[Conflict, ...]:
    """Each conflict once; of several with the same line and reason, the latest."""
    by_line = {(one.stands.place, one.stands.quote, one.why): one for one in found}
    return tuple({one.fingerprint: one for one in by_line.values()}.values())


def _told(actions: list[Action], decided: frozenset[str], repeated: list[Suppressed]) -> list[Action]:
    """Drop remarks on tasks that another action marks as done, or whose closing somebody has decided about.

    A remark would change the task that closing was shown for, and after a no it would repeat the same thing. `decided`
    holds titles of tasks.
    """
    closing = {one.op.target: one.id for one in actions if one.verb == "completeTask"}
    kept: list[Action] = []
    for one in actions:
        title = str(one.op.payload.get("title", ""))
        closes = closing.get(one.op.target.rpartition("#")[0])
        if one.verb == "logTask" and closes is not None:
            repeated.append(Suppressed(one.artifact, title, f"{closes} marks the task as done", one.verb))
        elif one.verb == "logTask" and one.machine and title in decided:
            repeated.append(Suppressed(one.artifact, title, "somebody decided whether to close it", one.verb))
        else:
            kept.append(one)
    return kept


def _decided(found: Iterable[Found], world: TranscriptWorld) -> frozenset[str]:
    """The titles of tasks that stay open because somebody decided so."""
    reasons = frozenset(world.settled.values())
    return frozenset(
        one.title
        for one in found
        if isinstance(one, Suppressed) and one.verb == "completeTask" and one.reason in reasons
    )


def _joined(actions: Sequence[Action]) -> list[Action]:
    """Each change once, as the latest artifact wants it, with the evidence of all; asked if one of them has to be."""
    joined: dict[str, Action] = {}
    for one in actions:
        earlier = joined.get(one.fingerprint)
        joined[one.fingerprint] = one if earlier is None else _with(one, earlier)
    names = {one.id: joined[one.fingerprint].id for one in actions}
    return [_after(one, names) for one in joined.values()]


def _after(one: Action, names: Mapping[str, str]) -> Action:
    """Make an action depend on those that came out of joining, by the ids that they had before."""
    needed = tuple(names[name] for name in one.op.depends_on if name in names)
    return replace(one, op=replace(one.op, depends_on=needed))


def _with(one: Action, earlier: Action) -> Action:
    shown_by: list[JsonValue] = [*dict.fromkeys((*earlier.artifacts, *one.artifacts))]
    shown = tuple(dict.fromkeys((*one.op.evidence, *earlier.op.evidence)))
    op = replace(one.op, payload={**one.op.payload, "artifacts": shown_by}, evidence=shown)
    return replace(one, op=op, tier=max(one.tier, earlier.tier))


def _base(given: tuple[SeenArtifact, ...], world: TranscriptWorld) -> str:
    """A digest of the input: the artifacts, and the versions of every task and document."""
    views: list[JsonValue] = []
    for view in world.boards.values():
        tasks: JsonValue = [[task.id, task.version] for task in view.snapshot.tasks]
        views.append([view.name, tasks, [[one.id, one.version] for one in view.snapshot.documents]])
    return digest([[seen.artifact.fingerprint for seen in given], views])


RULES: Final = "rules"
# The predicate between the project and a fact of a tool's answer, by the fact's name.
_PREDICATES: Final = {
    "commit": "has commit",
    "to": "pushed to",
    "request": "merged",
    "url": "opened",
    "package": "released",
    "crate": "released",
    "path": "wrote",
}


def decision(seen: SeenArtifact, world: TranscriptWorld) -> Iterator[Found | KnowledgeItem]:
    """Judge a decision, and learn it unless something valid contradicts it."""
    artifact = seen.artifact
    item = _decision(seen)
    if any(known.item.id == item.id for known in world.known):
        yield judged(seen, artifact.title, "exists", "this decision is known", by=item.id)
        return
    if unseen := world.unseen():
        yield suppressed(seen, artifact.title, f"contradicting sources could not be checked: {unseen}")
        return
    held = list(denied(seen, artifact.excerpts[0].text, world))
    against = [*planned(seen, artifact.title, content(artifact), world), *_conflicts(held)]
    yield from (one for one in held if isinstance(one, Suppressed))
    if against:
        yield judged(seen, artifact.title, "conflict", against[0].why, by=against[0].stands.place)
        yield from against
        return
    yield judged(seen, artifact.title, "gap", "the decision is new; it is kept as knowledge", by=item.id)
    yield item


def statement(seen: SeenArtifact, world: TranscriptWorld) -> Iterator[Found]:
    """Judge a statement of fact; only contradictions are reported."""
    held = list(denied(seen, seen.artifact.excerpts[0].text, world))
    against = _conflicts(held)
    if against:
        yield judged(seen, seen.artifact.title, "conflict", against[0].why, by=against[0].stands.place)
    yield from held


def _conflicts(found: Iterable[Conflict | Suppressed]) -> list[Conflict]:
    return [one for one in found if isinstance(one, Conflict)]


def learnt_of(seen: SeenArtifact, world: TranscriptWorld) -> Iterator[KnowledgeItem]:
    """What a tool's answer shows about a project: each named thing as an entity and its relation to the project."""
    facts, subject = seen.artifact.facts, seen.artifact.domain
    if not subject or (seen.artifact.type == "event" and facts.get("outcome") != "succeeded"):
        return
    for key, usual in _PREDICATES.items():
        predicate = "released" if key == "url" and facts.get("kind") == "release" else usual
        yield from _related(seen, subject, predicate, str(facts.get(key) or ""))
    if facts.get("target") or facts.get("title"):
        yield from _related(seen, subject, f"{facts.get('verb')}s", str(facts.get("title") or facts["target"]))
    made = str(facts.get("commit") or "")
    for one in world.commits.get(seen.folder, ()):
        if made and one.author and one.hash.startswith(made):
            yield from _related(seen, one.author, "committed to", subject)


def _related(seen: SeenArtifact, subject: str, predicate: str, other: str) -> Iterator[KnowledgeItem]:
    """A relation between two names, and an entity for the one that isn't the project."""
    if not other:
        return
    subject, other = redacted(subject), redacted(other)
    named = other if subject == seen.artifact.domain else subject
    text = f"{subject} {predicate} {other}"
    yield KnowledgeItem("entity", named, text, _came(seen), RULES, domain=seen.artifact.domain)
    yield KnowledgeItem("relation", subject, text, _came(seen), RULES, predicate, other, seen.artifact.domain)


def _decision(seen: SeenArtifact) -> KnowledgeItem:
    artifact = seen.artifact
    text = redacted(artifact.excerpts[0].text)
    return KnowledgeItem("decision", redacted(artifact.title), text, _came(seen), RULES, domain=artifact.domain)


def _came(seen: SeenArtifact) -> Provenance:
    artifact: Artifact = seen.artifact
    span = artifact.excerpts[0] if artifact.type == "decision_with_context" else artifact.excerpts[-1]
    place = (span.entry, span.block, span.first, span.last)
    return Provenance(redacted(span.text), span.at, seen.conversation, artifact.id, *place)
