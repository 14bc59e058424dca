"""Questions that rules could not settle, each with a closed shape for its answer and a source to quote from.

The kinds of question are a table, one row each: the shape of an answer and the sentence that asks for it. A room with a
new kind of question adds its row here; kinds are registered nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, cast, get_args

from pactkeeper.errors import InputError
from pactkeeper.ledger.canonical import JsonValue, Observation, Span, Trust, digest, plain
from pactkeeper.ledger.op import AMBIGUITY_REASONS, CATEGORY, Op
from pactkeeper.ledger.shape import Choice, Entries, Items, Keyed, Optional, Quote, Shape, Text, Truth, Whole, misfits

__all__ = [
    "KINDS",
    "TRUST_OF",
    "Answer",
    "Answerer",
    "Question",
    "Refusal",
    "answer_shape",
    "contested",
    "observe",
    "overdue",
    "quotes_in",
    "settle",
    "subjects",
    "verify_quotes",
    "wrong_with",
]

Answerer = Literal["rules", "person", "agent", "model"]
TRUST_OF: Final[Mapping[Answerer, Trust]] = {"rules": "machine", "person": "human", "agent": "model", "model": "model"}


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to be settled.

    `subject` is the id it is about, `context` what an answerer is shown, `options` the choices if the kind offers any.
    `default` is a suggestion and never applied by itself; after `expires` (ISO 8601 with offset) nobody waits for the
    answer any more, but the question stays open. Raises ValueError if these do not fit together.
    """

    kind: str
    subject: str
    context: Mapping[str, JsonValue]
    options: tuple[str, ...] = ()
    default: JsonValue = None
    expires: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is not a kind of question; known are {', '.join(KINDS)}")
        if _offers(KINDS[self.kind].answer) != bool(self.options):
            raise ValueError(f"question {self.kind!r} about {self.subject!r}: options {self.options!r} do not suit it")
        if self.default is not None:
            wrong = [str(one) for one in misfits(self.default, answer_shape(self), "default")]
            if wrong:
                raise ValueError(f"question {self.kind!r} about {self.subject!r}: {'; '.join(wrong)}")
        object.__setattr__(self, "context", plain(self.context))
        object.__setattr__(self, "default", plain(self.default))

    @property
    def id(self) -> str:
        """Stable when the same question is asked again; the expiry and the suggested default are not part of it."""
        return "qu-" + digest([self.kind, self.subject, self.context, list(self.options)])[3:15]


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody answered, bound to the question's id; `at` is ISO 8601 with offset."""

    question: str
    value: JsonValue
    answerer: Answerer
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that was not accepted, and why; after a `final` refusal the answerer is not asked again."""

    answer: Answer
    reasons: tuple[str, ...]
    final: bool = False


def left_to_people(refusals: Iterable[Refusal], *, answerer: Answerer, by: str = "") -> frozenset[str]:
    """Return the ids of questions on which an answerer (only the one named `by`, if given) was finally refused."""
    finals = (one for one in refusals if one.final and one.answer.answerer == answerer)
    return frozenset(one.answer.question for one in finals if by in {"", one.answer.by})


def answer_shape(question: Question) -> Shape:
    """Return the closed shape that an answer to this question must have."""
    return _with_options(KINDS[question.kind].answer, question.options)


def overdue(question: Question, *, now: str) -> bool:
    """Whether the question has expired; it is still open."""
    return bool(question.expires) and datetime.fromisoformat(now) >= datetime.fromisoformat(question.expires)


def wrong_with(answer: Answer, question: Question, *, source: str) -> tuple[str, ...]:
    """Return every reason to refuse an answer: another question, a wrong shape, a quote not in `source`."""
    if answer.question != question.id:
        return (f"the answer is to {answer.question!r}, not to {question.id!r}",)
    shape = answer_shape(question)
    problems = tuple(str(one) for one in misfits(answer.value, shape, "answer"))
    return problems or tuple(
        f"{quote!r} does not occur in the source" for quote in verify_quotes(quotes_in(answer.value, shape), source)
    )


def verify_quotes(quotes: Iterable[str], source: str) -> tuple[str, ...]:
    """Return quotes that do not occur in the source; only differences in white space are ignored."""
    text = " ".join(source.split())
    return tuple(quote for quote in quotes if not quote.split() or " ".join(quote.split()) not in text)


def quotes_in(value: JsonValue, shape: Shape) -> Iterator[str]:
    """Yield every text of a fitting value that its shape marks as a quote, in order."""
    match shape:
        case Quote():
            yield cast("str", value)
        case Items(of):
            for item in cast("list[JsonValue]", value):
                yield from quotes_in(item, of)
        case Keyed(required, optional):
            for key, item in cast("dict[str, JsonValue]", value).items():
                yield from quotes_in(item, {**required, **optional}[key])
        case Entries(of):
            for item in cast("dict[str, JsonValue]", value).values():
                yield from quotes_in(item, of)
        case Optional(of) if value is not None:
            yield from quotes_in(value, of)
        case _:
            return


def observe(answer: Answer, question: Question, *, source: str) -> Observation:
    """Turn an answer into an observation, trusted as far as its answerer is; raises InputError with all problems."""
    problems = wrong_with(answer, question, source=source)
    if problems:
        raise InputError(f"the answer to {question.id} about {question.subject!r} is not taken: {'; '.join(problems)}")
    payload: dict[str, JsonValue] = {"question": question.id, "subject": question.subject, "value": answer.value}
    origin = Span(f"answer of {answer.by}", question.id)
    return Observation(f"answer:{question.kind}", origin, answer.at, payload, TRUST_OF[answer.answerer])


def subjects(op: Op) -> frozenset[str]:
    """Return the ids an op is about: its target, and the test named in its payload."""
    source = op.payload.get("sourceTest")
    named = [op.payload.get("testId"), source.get("testId") if isinstance(source, Mapping) else None]
    return frozenset({op.target, *(name for name in named if isinstance(name, str))})


def contested(ops: Iterable[Op], questions: Iterable[Question]) -> tuple[str, ...]:
    """Return subjects both proposed and asked about; a valid patch has none."""
    proposed = frozenset[str]().union(*(subjects(op) for op in ops))
    return tuple(sorted({question.subject for question in questions} & proposed))


def settle(ops: Iterable[Op], questions: Iterable[Question]) -> tuple[Question, ...]:
    """Return the questions still to ask once these ops are proposed: an op supersedes the question it answers."""
    asked = tuple(questions)
    settled = frozenset(contested(ops, asked))
    return tuple(question for question in asked if question.subject not in settled)


def _offers(shape: Shape) -> bool:
    return _with_options(shape, ("x",)) != shape


def _with_options(shape: Shape, options: tuple[str, ...]) -> Shape:
    match shape:
        case Choice(()):
            return Choice(options)
        case Items(of, least, most):
            return Items(_with_options(of, options), least, most)
        case Keyed(required, optional):
            return Keyed(
                {key: _with_options(member, options) for key, member in required.items()},
                {key: _with_options(member, options) for key, member in optional.items()},
            )
        case _:
            return shape


Realises = Literal["yes", "no", "unsure"]
Relation = Literal["contradict", "repeat", "compatible", "unsure"]
SameWork = Literal["yes", "no", "unsure"]

# A placeholder in a kind's shape for the options each question brings.
OFFERED: Final = Choice(())

SENTENCE: Final = Text(least=1, most=300)
SENTENCES: Final = Items(SENTENCE, least=1, most=20)
QUOTES: Final = Items(Quote(), least=1, most=20)
SOME_QUOTES: Final = Items(Quote(), most=20)
CONFIDENCE: Final = Whole(0, 100)
REASON: Final = Text(most=600)

# Work products whose lines may be marked; what tools and people did is read from records, not decided by a model.
MARKABLE: Final = ("plan", "analysis", "framework", "decision_with_context")
MARKED_LINES: Final = Keyed({"entry": Whole(least=1), "first_line": Whole(least=1), "last_line": Whole(least=1)})
MARKS: Final = Items(
    Keyed({"type": Choice(MARKABLE), "title": Text(least=1, most=200), "spans": Items(MARKED_LINES, least=1, most=20)}),
    most=50,
)
# The fields of a ticket; each value is taken from the quote that states it, never from the answerer's own words.
TICKET_FIELDS: Final = (
    "epic_id",
    "title",
    "problem",
    "proposed_solution",
    "acceptance_criteria",
    "constraints",
    "open_questions",
    "dependencies",
    "risks",
    "evidence_links",
)
PLACED: Final = Items(
    Keyed(
        {"field": Choice(TICKET_FIELDS), "quote": Quote(most=600)},
        {"value": Quote(most=600), "key": Text(least=1, most=60)},
    ),
    most=20,
)
# Errors by the number they are shown with; which errors exist and which files may be named is already fixed.
GROUPED: Final = Items(Items(Whole(least=1), least=1, most=60), least=1, most=60)


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """One kind of question: the shape of its answer and the sentence that asks it of a person or a model."""

    name: str
    answer: Shape
    prompt: str


_ROWS: Final = (
    QuestionKind(
        "word_test",
        Keyed(
            {"intent": SENTENCE, "category": CATEGORY, "outcomes": SENTENCES, "quotes": QUOTES},
            {"falsified_by": Items(SENTENCE, most=20), "confidence": CONFIDENCE, "ambiguity": AMBIGUITY_REASONS},
        ),
        "State the one observable behaviour that this test checks, and quote the lines that show it.",
    ),
    QuestionKind(
        "better_words",
        Keyed(
            {"intent": SENTENCE, "outcomes": SENTENCES, "quotes": QUOTES},
            {"falsified_by": Items(SENTENCE, most=20), "confidence": CONFIDENCE, "ambiguity": AMBIGUITY_REASONS},
        ),
        "Say the same behaviour so that it can be seen, refuted and understood in one way only.",
    ),
    QuestionKind(
        "name_molecule",
        Keyed({"name": Text(least=1, most=80), "description": Text(most=300)}, {"confidence": CONFIDENCE}),
        "Name what these atoms have in common; which atoms belong together is settled.",
    ),
    QuestionKind(
        "split_intent",
        Keyed(
            {"parts": Items(Keyed({"intent": SENTENCE, "outcomes": SENTENCES}), least=1, most=8), "quotes": QUOTES},
            {"confidence": CONFIDENCE, "ambiguity": AMBIGUITY_REASONS},
        ),
        "Take the sentence apart into single behaviours; one part says that it is one behaviour.",
    ),
    QuestionKind(
        "realises",
        Keyed(
            {"verdict": Choice(get_args(Realises)), "quotes": SOME_QUOTES}, {"confidence": CONFIDENCE, "reason": REASON}
        ),
        "Does this test realise that atom: would it fail if the atom did not hold?",
    ),
    QuestionKind(
        "contradiction",
        Keyed(
            {"verdict": Choice(get_args(Relation)), "quotes": SOME_QUOTES}, {"confidence": CONFIDENCE, "reason": REASON}
        ),
        "Can both atoms hold, do they say the same, or does one rule the other out?",
    ),
    QuestionKind(
        "molecule_complete",
        Keyed(
            {"complete": Truth(), "missing": Items(Keyed({"behaviour": SENTENCE, "quotes": QUOTES}), most=10)},
            {"confidence": CONFIDENCE},
        ),
        "Do these atoms say everything that the quoted sources say about the subject? Name each missing behaviour.",
    ),
    QuestionKind(
        "mark_spans",
        MARKS,
        "Mark the lines that make up a work product, group them, and say what each is; the words stay as they are.",
    ),
    QuestionKind(
        "same_work",
        Keyed(
            {"verdict": Choice(get_args(SameWork)), "quotes": SOME_QUOTES}, {"confidence": CONFIDENCE, "reason": REASON}
        ),
        "Do both titles name one piece of work, so that doing it once settles both?",
    ),
    QuestionKind(
        "extract_fields",
        PLACED,
        "Say which words of the messages to place fill which field; words that fill none stay where they are.",
    ),
    QuestionKind("group_failures", GROUPED, "Put together the errors that one change would mend."),
    QuestionKind("choose", OFFERED, "Choose the one that fits."),
    QuestionKind("confirm", Truth(), "Say whether this is so."),
)
KINDS: Final[Mapping[str, QuestionKind]] = {row.name: row for row in _ROWS}
# Those that a person raises about atoms: their subject is the id of one atom, or of two.
RAISED: Final = ("better_words", "split_intent", "contradiction")
