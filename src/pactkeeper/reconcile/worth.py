"""The quality of the wording that a run proposes, and which ops are too poor to be accepted unread.

Also what rules leave to judgement about a test they can word: an atom that says nearly the same, or several behaviours.
Each answer is looked up by the id of the question that would be asked now, so an outdated one is not found. Also a test
with the sentences made from it, and their confidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.claims import AmbiguityReason
from pactkeeper.intent.gate import refused_words
from pactkeeper.intent.ids import nearest, normalised_intent
from pactkeeper.intent.inference import Inference
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.quality import AtomWords, Quality, QualityVocabulary, assess
from pactkeeper.intent.tests import file_of
from pactkeeper.intent.wording.tokens import joints
from pactkeeper.ledger.canonical import JsonValue, by_key
from pactkeeper.ledger.finding import Evidence, EvidenceKind
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.question import Answer, Answerer, Question
from pactkeeper.reconcile.world import World

WEAK: Final[AmbiguityReason] = "weak_words"  # a commitment would refuse them, whatever they score
DOUBTED: Final = "0.40"  # confidence of a link to an atom whose values the test doesn't hold
LESSER: Final = "0.30"  # confidence of ops by which a test would be recorded as proving not all that was reviewed
MOST_NAMED = 5  # objections that a question repeats


def quality_of(said: Inference, vocabulary: QualityVocabulary) -> Quality:
    """Judge the wording made from a test."""
    return assess(AtomWords(said.intent, said.outcomes, said.falsified_by, said.category), vocabulary)


def refusals(said: Inference, pact: Pact) -> tuple[str, ...]:
    """Return why a commitment of the wording would be refused; empty if it would not be."""
    atom = Atom("new", said.intent, said.category, said.outcomes, said.falsified_by)
    alone = replace(pact, atoms={atom.id: atom}, commitments={})
    vocabulary = QualityVocabulary.of(pact.settings)
    quality = quality_of(said, vocabulary)
    refused = refused_words(alone, (atom.id,), lambda _atom: quality)
    return objections(said, vocabulary) if refused else ()


def objections(said: Inference, vocabulary: QualityVocabulary) -> tuple[str, ...]:
    """Return what cost the wording points, the most expensive first, as sentences for whoever rewords the test."""
    lost = sorted(quality_of(said, vocabulary).deductions, key=lambda one: -one.points)
    return tuple(dict.fromkeys(one.said for one in lost))[:MOST_NAMED]


def is_poor(op: Op, threshold: int) -> bool:
    """Whether a commitment of the op's own wording would be refused; wording nobody could judge is not poor."""
    score, reasons = op.payload.get("qualityScore"), op.payload.get("ambiguityReasons")
    is_weak = isinstance(reasons, list) and WEAK in reasons
    return is_weak or (isinstance(score, int) and score < threshold)


def poor_ops(ops: Iterable[Op], threshold: int) -> frozenset[str]:
    """Return the ids of what isn't accepted unread, and of all that can't be applied without.

    That is wording below the threshold, doubted links, and what records less or something else than was reviewed.
    """
    every = tuple(ops)
    poor: set[str] = {one.id for one in every if is_poor(one, threshold) or is_doubted(one) or is_lesser(one)}
    while more := {one.id for one in every if one.id not in poor and not poor.isdisjoint(one.depends_on)}:
        poor |= more
    return frozenset(poor)


def is_doubted(op: Op) -> bool:
    """Whether an op links a test to an atom whose values it doesn't hold."""
    return op.verb == "attachTestToAtom" and op.confidence == DOUBTED


def is_lesser(op: Op) -> bool:
    """Whether an op records that a test proves not all that was reviewed, or rewords its atom by that."""
    return op.verb in {"attachTestToAtom", "updateAtom"} and op.confidence == LESSER


MOST_DOUBTS: Final = 20  # per run; beyond that, proposals follow the rules alone
QUOTED_LINES: Final = 20
LEFT_ALIKE: Final = 70  # of 100: from here on a sentence may be that of an atom whose test is gone
_FEWEST_WORDS: Final = 3
_VALUES: Final = re.compile(r"\d+(?:\.\d+)?|'[^']*'|\"[^\"]*\"|`[^`]*`")


@dataclass(slots=True)
class Doubts:
    """The doubts of one run: what was answered, what is `open` and blocks its test, what could be `compound`.

    `left` are the atoms without tests, by the file they came from.
    """

    atoms: Sequence[Atom] = ()
    left: Mapping[str, Sequence[Atom]] = field(default_factory=dict)
    answers: Mapping[str, Answer] = field(default_factory=dict)
    open: dict[str, Question] = field(default_factory=dict)
    compound: dict[str, Question] = field(default_factory=dict)
    _alike: dict[tuple[str, ...], list[Atom]] | None = field(default=None, repr=False)

    @staticmethod
    def of(world: World, answers: Mapping[str, Answer]) -> Doubts:
        """Build the doubts about the live atoms."""
        atoms = world.pact.live_atoms
        realised = {atom for entry in world.linked for atom in entry.atoms()}
        left = ((file_of(one.origin), one) for one in atoms if one.origin is not None and one.id not in realised)
        return Doubts(atoms, by_key(left), answers)

    def realised(self, one: Inferred) -> tuple[Atom, Answer] | None:
        """Return the atom that the test realises according to an answer, with the answer; open doubts are recorded."""
        atom = self._near(one) or self._left_behind(one)
        if atom is None:
            return None
        question = realising(one, atom)
        answer = self.answers.get(question.id)
        if answer is None:
            if len(self.open) < MOST_DOUBTS:
                self.open[one.entry.test.id] = question
            return None
        return (atom, answer) if _value(answer)["verdict"] == "yes" else None

    def parts(self, one: Inferred) -> tuple[Inferred, ...]:
        """Return the behaviours that an answer split the test's sentence into; the test itself without one."""
        question = splitting(one)
        if question is None:
            return (one,)
        answer = self.answers.get(question.id)
        if answer is None:
            if len(self.compound) < MOST_DOUBTS:
                self.compound[one.entry.test.id] = question
            return (one,)
        return tuple(_part(one, part, answer) for part in _value(answer)["parts"])

    def _near(self, one: Inferred) -> Atom | None:
        """Return the first atom with at most one word changed, equal values, and a shared file or outcome."""
        if self._alike is None:
            self._alike = by_key((key, atom) for atom in self.atoms for key in _keys(atom.intent))
        found = (atom for key in _keys(one.inference.intent) for atom in self._alike.get(key, ()))
        return next((atom for atom in found if _comparable(one, atom)), None)

    def _left_behind(self, one: Inferred) -> Atom | None:
        """Return the closest atom of the same file that no test realises any more, with equal values."""
        left = self.left.get(one.entry.test.file, ())
        alike = [atom for atom in left if _values(atom.intent) == _values(one.inference.intent)]
        found = nearest(one.inference.intent, alike, least=LEFT_ALIKE, most=1)
        return found[0].atom if found else None


def realising(one: Inferred, atom: Atom) -> Question:
    """Ask whether a test realises an atom with similar wording."""
    context: dict[str, JsonValue] = {
        **_about(one),
        "says": one.inference.intent,
        "atom": atom.id,
        "intent": atom.intent,
        "outcomes": list(atom.outcomes),
    }
    return Question("realises", one.entry.test.id, context)


def splitting(one: Inferred) -> Question | None:
    """Ask to split a test's sentence into separate behaviours; None if it states only one, or a person worded it."""
    said = one.inference
    if one.by == "person":
        return None
    found = joints(said.intent)
    if not found:
        return None
    context: dict[str, JsonValue] = {
        **_about(one),
        "intent": said.intent,
        "outcomes": list(said.outcomes),
        "why": list(found),
    }
    return Question("split_intent", one.entry.test.id, context)


def _about(one: Inferred) -> dict[str, JsonValue]:
    test = one.entry.test
    return {"file": test.file, "name": test.name, "source": [quote for _, quote in one.quotes[:QUOTED_LINES]]}


def _part(one: Inferred, part: Mapping[str, Any], answer: Answer) -> Inferred:
    outcomes = tuple(part["outcomes"])
    said = replace(
        one.inference,
        intent=part["intent"],
        outcomes=outcomes,
        falsified_by=(),
        confidence=min(one.inference.confidence, sureness(answer)),
        reasons=tuple(reason for reason in one.inference.reasons if reason != "several_behaviours"),
        reasoning=f"taken apart by {answer.by}",
    )
    return replace(one, inference=said, by=answer.answerer)


def _comparable(one: Inferred, atom: Atom) -> bool:
    said = one.inference
    if _values(said.intent) != _values(atom.intent):
        return False
    mine, theirs = ({*map(normalised_intent, texts)} for texts in (said.outcomes, atom.outcomes))
    return bool(mine & theirs) or file_of(atom.origin or "") == one.entry.test.file


def _values(text: str) -> list[str]:
    return sorted(_VALUES.findall(text))


def _keys(intent: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of a sentence, and the same with each word removed: equal keys differ in at most one word."""
    words = tuple(sorted(normalised_intent(intent).split()))
    if len(words) >= _FEWEST_WORDS:
        yield words
        for at in range(len(words)):
            yield (*words[:at], *words[at + 1 :])


def _value(answer: Answer) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", answer.value)


PEOPLE: Final = 100
MOST_OF_A_MODEL: Final = 95  # hundredths; nothing but a person's word is certain
LEAST_OF_A_MODEL: Final = 70  # below it people answer; it is the model's own number, not a share of readers


@dataclass(frozen=True, slots=True)
class Inferred:
    """A test with the sentences made from it by rules or, if `worded`, by somebody else.

    `by` says by whom. `quotes` are the source lines the sentences are based on, with 1-based line numbers;
    `related_docs` name sections of documents as `path#heading`.
    """

    entry: LinkedTest
    inference: Inference
    quotes: tuple[tuple[int, str], ...]
    worded: bool = False
    related_docs: tuple[str, ...] = ()
    by: Answerer = "rules"

    @property
    def confidence(self) -> str:
        """The author's confidence as a decimal of two digits, the form used in ops."""
        return f"{self.inference.confidence / 100:.2f}"

    @property
    def strength(self) -> EvidenceKind:
        """The kind of evidence its lines are: a model's reading of them is a model's word."""
        return "model" if self.by in {"model", "agent"} else "quoted"


def told_apart(inferred: Iterable[Inferred]) -> tuple[Inferred, ...]:
    """Hold back sentences shared by tests with different bodies: such a sentence says what none of them is for."""
    every = tuple(inferred)
    bodies: dict[str, set[str]] = {}
    for one in every:
        if not one.worded and one.inference.intent:
            bodies.setdefault(normalised_intent(one.inference.intent), set()).add(one.entry.test.body_hash)
    shared = {text for text, found in bodies.items() if len(found) > 1}
    return tuple(held_back(one) if _sentence(one) in shared else one for one in every)


def _sentence(one: Inferred) -> str:
    return "" if one.worded else normalised_intent(one.inference.intent)


def held_back(one: Inferred) -> Inferred:
    """Return it with confidence below the bar, because other tests or atoms share its sentence."""
    return replace(one, inference=one.inference.held_back("shared_sentence"))


def evidence_of(one: Inferred) -> tuple[Evidence, ...]:
    """Return the source lines quoted as evidence for the sentences; the declaration itself if there is no assertion."""
    test = one.entry.test
    said = "" if one.strength == "quoted" else one.inference.reasoning
    lines = tuple(Evidence(one.strength, test.file, line, quote=quote, note=said) for line, quote in one.quotes)
    if lines:
        return lines
    if one.strength == "model":
        return (Evidence("model", test.file, test.name_line, note=said),)
    return (mechanical(one, "the test's name; it asserts nothing"),)


def mechanical(one: Inferred, note: str) -> Evidence:
    """Return evidence observed at the test's name, without interpretation."""
    return Evidence("mechanical", one.entry.test.file, one.entry.test.name_line, note=note)


def sureness(answer: Answer) -> int:
    """Return the confidence of an answer in hundredths: a person's is certain, any other states it and never is."""
    if answer.answerer == "person":
        return PEOPLE
    said = answer.value.get("confidence") if isinstance(answer.value, dict) else None
    return min(said, MOST_OF_A_MODEL) if isinstance(said, int) else 0
