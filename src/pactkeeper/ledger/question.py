"""Questions: what rules could not settle, asked with a closed shape for the answer and a source to quote from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, cast

from pactkeeper.errors import InputError
from pactkeeper.ledger.canonical import JsonValue, Observation, Span, Trust, digest, plain
from pactkeeper.ledger.kinds import KINDS
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.shape import Choice, Entries, Items, Keyed, Optional, Quote, Shape, misfits

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

    `subject` is the id it is about, `context` what an answerer is shown, `options` the texts to choose from where the
    kind offers a choice. `default` is a suggestion and never applied by itself; after `expires` (ISO 8601 with offset)
    nobody waits for the answer any more, and the question stays open. Raises ValueError where these disagree.
    """

    kind: str
    subject: str
    context: Mapping[str, JsonValue]
    options: tuple[str, ...] = ()
    default: JsonValue = None
    expires: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is no kind of question; known are {', '.join(KINDS)}")
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
        """The same question asked again is the same; when it expires and what is suggested plays no part."""
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
    """An answer that was not taken, and why; after a `final` one whoever gave it is not asked again."""

    answer: Answer
    reasons: tuple[str, ...]
    final: bool = False


def left_to_people(refusals: Iterable[Refusal], *, answerer: Answerer, by: str = "") -> frozenset[str]:
    """The ids of questions that an answerer, or where `by` is given the one of that name, has had its say about."""
    finals = (one for one in refusals if one.final and one.answer.answerer == answerer)
    return frozenset(one.answer.question for one in finals if by in {"", one.answer.by})


def answer_shape(question: Question) -> Shape:
    """The closed shape that an answer to this very question must have."""
    return _with_options(KINDS[question.kind].answer, question.options)


def overdue(question: Question, *, now: str) -> bool:
    """Whether nobody waits any more; the question is still open."""
    return bool(question.expires) and datetime.fromisoformat(now) >= datetime.fromisoformat(question.expires)


def wrong_with(answer: Answer, question: Question, *, source: str) -> tuple[str, ...]:
    """Everything that keeps an answer from being taken: another question, a wrong shape, a quote not in `source`."""
    if answer.question != question.id:
        return (f"the answer is to {answer.question!r}, not to {question.id!r}",)
    shape = answer_shape(question)
    problems = tuple(str(one) for one in misfits(answer.value, shape, "answer"))
    return problems or tuple(
        f"{quote!r} does not occur in the source" for quote in verify_quotes(quotes_in(answer.value, shape), source)
    )


def verify_quotes(quotes: Iterable[str], source: str) -> tuple[str, ...]:
    """The quotes that do not occur in the source; runs of white space count as one space, nothing else is forgiven."""
    text = " ".join(source.split())
    return tuple(quote for quote in quotes if not quote.split() or " ".join(quote.split()) not in text)


def quotes_in(value: JsonValue, shape: Shape) -> Iterator[str]:
    """Every text of a fitting value that its shape calls a quote, in order."""
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
    """What an op is about: its target, and the test that its payload names."""
    source = op.payload.get("sourceTest")
    named = [op.payload.get("testId"), source.get("testId") if isinstance(source, Mapping) else None]
    return frozenset({op.target, *(name for name in named if isinstance(name, str))})


def contested(ops: Iterable[Op], questions: Iterable[Question]) -> tuple[str, ...]:
    """The subjects that are both proposed and asked about; the law is that there are none, whoever builds a patch."""
    proposed = frozenset[str]().union(*(subjects(op) for op in ops))
    return tuple(sorted({question.subject for question in questions} & proposed))


def settle(ops: Iterable[Op], questions: Iterable[Question]) -> tuple[Question, ...]:
    """The questions left to ask once these ops are proposed: an op supersedes the question it answers."""
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
