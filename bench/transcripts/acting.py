"""Compare the actions, questions and conflicts that conversations lead to with those that readers asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from bench.transcripts.labels import Doing, Labels
from bench.transcripts.matching import Tally
from pactkeeper.intent.actions import Action, ActionProposal, Conflict
from pactkeeper.intent.board import CHANGES, Snapshot
from pactkeeper.intent.routing import Routing
from pactkeeper.ledger.canonical import digest
from pactkeeper.ledger.health import COMPLETE
from pactkeeper.ledger.question import Question
from pactkeeper.store.conversations import StoredArtifact
from pactkeeper.transcripts.reconciling import BoardView, SeenArtifact, TranscriptWorld
from pactkeeper.transcripts.reconciling.reconcile import reconcile

HOME: Final = "home"


@dataclass(slots=True)
class Acted:
    """What one or many conversations came to; `forbidden` are what a label says must not be.

    `structural` counts actions of tier 3, `resolved` those that would happen by themselves against a flagged conflict.
    """

    actions: Tally = field(default_factory=Tally)
    conflicts: Tally = field(default_factory=Tally)
    questions: Tally = field(default_factory=Tally)
    forbidden: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    structural: int = 0
    resolved: int = 0
    unsteady: int = 0

    def add(self, other: Acted) -> None:
        """Count another one in."""
        self.actions.add(other.actions)
        self.conflicts.add(other.conflicts)
        self.questions.add(other.questions)
        self.forbidden += other.forbidden
        self.notes += other.notes
        self.structural += other.structural
        self.resolved += other.resolved
        self.unsteady += other.unsteady


def act(labels: Labels, found: Sequence[StoredArtifact], now: str) -> Acted:
    """Hold artifacts against the board that the labels give, twice, and score what is proposed."""
    seen = tuple(SeenArtifact(one.artifact, one.conversation, "/home/ada/shop", one.corroboration) for one in found)
    proposal = reconcile(seen, _world(labels, now)).proposal
    again = reconcile(seen, _world(labels, now)).proposal
    score = _scored(labels, proposal)
    score.unsteady = len({one.id for one in proposal.actions} ^ {one.id for one in again.actions})
    return score


def _world(labels: Labels, now: str) -> TranscriptWorld:
    tasks = tuple(replace(one, version=digest([one.id, one.status])) for one in labels.tasks)
    documents = tuple(replace(one, version=digest([one.id, one.body])) for one in labels.documents)
    view = BoardView(HOME, Snapshot(tasks, documents, COMPLETE, now), frozenset(CHANGES))
    return TranscriptWorld(now, Routing(tasks=HOME, documents=HOME), {HOME: view}, health={f"board {HOME}": COMPLETE})


def _scored(labels: Labels, proposal: ActionProposal) -> Acted:
    score = Acted()
    _count(labels, score, proposal.actions)
    _flagged(labels.conflicts, [_of_conflict(one) for one in proposal.conflicts], score.conflicts)
    _flagged(labels.questions, [_of_question(one) for one in proposal.patch.questions], score.questions)
    score.notes += [f"{labels.name}: conflict {_of_conflict(one)[:140]!r}" for one in proposal.conflicts]
    score.notes += [f"{labels.name}: question {_of_question(one)[:140]!r}" for one in proposal.patch.questions]
    score.structural = sum(one.tier == 3 for one in proposal.actions)
    places = {one.stands.place for one in proposal.conflicts}
    score.resolved = sum(one.tier == 1 and str(one.op.target) in places for one in proposal.actions)
    return score


def _count(labels: Labels, score: Acted, actions: Sequence[Action]) -> None:
    left = list(actions)
    for wanted in sorted(labels.actions, key=lambda one: one.optional):
        found = next((one for one in left if _fits(wanted, one)), None)
        if found is not None:
            left.remove(found)
            score.actions.right += not wanted.optional
        elif not wanted.optional:
            score.actions.missed += 1
            score.notes.append(f"{labels.name}: missed {'/'.join(wanted.verbs)} {wanted.about!r}")
    score.actions.wrong += len(left)
    score.notes += [f"{labels.name}: wrong {one.verb} tier {one.tier} {_words(one)[:120]!r}" for one in left]
    score.forbidden += list(_forbidden(labels, actions))


def _forbidden(labels: Labels, actions: Iterable[Action]) -> Iterator[str]:
    for one in actions:
        for rule in labels.never:
            if _fits(rule, one):
                yield f"{labels.name}: {one.verb} tier {one.tier} {_words(one)[:80]!r}, although {rule.never}"


def _fits(wanted: Doing, action: Action) -> bool:
    return action.verb in wanted.verbs and wanted.about.casefold() in _words(action).casefold()


def _words(action: Action) -> str:
    payload = action.op.payload
    return " ".join(str(payload[key]) for key in ("task", "title", "document", "tool") if key in payload)


def _flagged(wanted: Sequence[str], shown: list[str], tally: Tally) -> None:
    left = list(shown)
    for words in wanted:
        found = next((one for one in left if words.casefold() in one.casefold()), None)
        if found is None:
            tally.missed += 1
        else:
            left.remove(found)
            tally.right += 1
    tally.wrong += len(left)


def _of_conflict(one: Conflict) -> str:
    return f"{one.subject}: {one.said.quote} against {one.stands.quote}"


def _of_question(one: Question) -> str:
    return f"{one.subject} {dict(one.context)}"
