"""Objections to an answer with the right shape: names from the code, inventions, unobservable outcomes.

Rules state them in plain sentences, which go back to the answerer. Quotes are checked by `ledger.question`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from pactkeeper.intent.answers.names import NamedSource, foreign_names, unsupported
from pactkeeper.intent.quality.examined import examine
from pactkeeper.intent.quality.values import DEFAULT, AtomWords, QualityVocabulary
from pactkeeper.intent.wording.tokens import foreign_language
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import Question

__all__ = ["Grounds", "NamedSource", "objections"]


@dataclass(frozen=True, slots=True)
class Grounds:
    """What an answer is checked against: its source, the project's vocabulary, and the ambiguity that rules `saw`."""

    source: NamedSource
    vocabulary: QualityVocabulary = DEFAULT
    saw: tuple[str, ...] = field(default=())


Value = Mapping[str, Any]


def objections(question: Question, value: JsonValue, grounds: Grounds) -> tuple[str, ...]:
    """Return every objection to a value that fits the question's shape, each once."""
    rule = _RULES.get(question.kind)
    if rule is None or not isinstance(value, Mapping):
        return ()
    return tuple(dict.fromkeys(rule(cast("Value", value), grounds)))


def _worded(value: Value, grounds: Grounds) -> Iterator[str]:
    yield from _behaviour("intent", _words(value), grounds)
    yield from inconsistent(value.get("confidence"), value.get("ambiguity", ()), grounds.saw)


def _split(value: Value, grounds: Grounds) -> Iterator[str]:
    for number, part in enumerate(value["parts"], start=1):
        yield from _behaviour(f"part {number}", _words(part), grounds)
    said = [part["intent"].strip().lower() for part in value["parts"]]
    if len(set(said)) < len(said):
        yield "two parts say the same"
    yield from inconsistent(value.get("confidence"), value.get("ambiguity", ()), ())


def _named(value: Value, grounds: Grounds) -> Iterator[str]:
    for key in ("name", "description"):
        yield from (f"{key}: {reason}" for reason in foreign_names(value[key], grounds.source, grounds.vocabulary))
    yield from _sure(value)


def _realising(value: Value, _: Grounds) -> Iterator[str]:
    if value["verdict"] != "unsure" and not value["quotes"]:
        yield f"{value['verdict']!r} needs a line of the test that shows it: quote at least one"
    yield from _sure(value)


def _comparing(value: Value, _: Grounds) -> Iterator[str]:
    if value["verdict"] != "unsure" and len(value["quotes"]) < 2:  # noqa: PLR2004 - both sides
        yield f"{value['verdict']!r} needs the words of both atoms that show it: quote from each"
    yield from _sure(value)


def _matching(value: Value, _: Grounds) -> Iterator[str]:
    if value["verdict"] != "unsure" and len(value["quotes"]) < 2:  # noqa: PLR2004 - both sides
        yield f"{value['verdict']!r} needs the words of both titles that show it: quote from each"
    yield from _sure(value)


def _completing(value: Value, grounds: Grounds) -> Iterator[str]:
    if value["complete"] == bool(value["missing"]):
        yield "`complete` is true exactly if nothing is missing"
    for number, one in enumerate(value["missing"], start=1):
        place, said = f"missing {number}", one["behaviour"]
        quoted = NamedSource(grounds.source.text, "\n".join(one["quotes"]))
        yield from (f"{place}: {reason}" for reason in foreign_names(said, grounds.source, grounds.vocabulary))
        yield from (f"{place}: {reason}" for reason in unsupported(said, quoted))
    yield from _sure(value)


def _sure(value: Value) -> Iterator[str]:
    if value.get("confidence") is None:
        yield "the confidence is missing; say from 0 to 100 how sure you are"


_RULES: Final[Mapping[str, Callable[[Value, Grounds], Iterator[str]]]] = {
    "word_test": _worded,
    "better_words": _worded,
    "split_intent": _split,
    "name_molecule": _named,
    "realises": _realising,
    "contradiction": _comparing,
    "molecule_complete": _completing,
    "same_work": _matching,
}


def _words(value: Value) -> AtomWords:
    return AtomWords(value["intent"], tuple(value["outcomes"]), tuple(value.get("falsified_by", ())))


def _behaviour(place: str, said: AtomWords, grounds: Grounds) -> Iterator[str]:
    """Yield the problems of one behaviour's wording."""
    stated = [(place, said.intent), *((f"outcome {at}", one) for at, one in enumerate(said.outcomes, start=1))]
    refuted = [(f"falsified_by {at}", one) for at, one in enumerate(said.falsified_by, start=1)]
    for where, text in (*stated, *refuted):
        yield from (f"{where}: {reason}" for reason in foreign_names(text, grounds.source, grounds.vocabulary))
    for where, text in stated:
        yield from (f"{where}: {reason}" for reason in unsupported(text, grounds.source))
    if refuted and len(refuted) != len(said.outcomes):
        yield f"{len(refuted)} falsifiers for {len(said.outcomes)} outcomes: give one for each, in the same order"
    yield from _unobservable(said, grounds.vocabulary)


def _unobservable(said: AtomWords, vocabulary: QualityVocabulary) -> Iterator[str]:
    """Yield outcomes that cannot be observed; text in a language the rules do not read is not judged."""
    if foreign_language(said.intent):
        return
    for at, one in enumerate(examine(said, vocabulary).outcomes, start=1):
        if not one.states:
            yield f"outcome {at}: it states nothing; say in a sentence what is observed"
        elif one.opaque:
            yield f"outcome {at}: {one.opaque!r} names no value; say the value, the message or the state"
        elif one.unnamed:
            yield f"outcome {at}: {one.unnamed!r} refers to nothing that is named; name it"
        elif one.vague:
            yield f"outcome {at}: {one.vague[0].phrase!r} can be understood in several ways; say what is seen"


UNSURE: Final = 70  # below it, the answer must name an ambiguity
CERTAIN: Final = 90  # above it, it must not
# Ambiguities that are visible in the source and not a matter of opinion.
_PLAIN: Final = ("no_assertion", "call_count_assertion", "mock_only", "snapshot_only")


def inconsistent(confidence: int | None, named: Collection[str], seen: Collection[str]) -> Iterator[str]:
    """Yield contradictions between a confidence (0 to 100), the ambiguity `named` and what rules have `seen`."""
    if confidence is None:
        yield "the confidence is missing; say from 0 to 100 how sure you are"
        return
    if confidence > CERTAIN and named:
        yield f"a confidence of {confidence} doesn't fit with {_said(named)}; be less sure or name nothing"
    if confidence < UNSURE and not named:
        yield f"a confidence of {confidence} needs a reason: name at least one ambiguity"
    missing = [one for one in _PLAIN if one in seen and one not in named]
    if confidence >= UNSURE and missing:
        yield f"rules saw {_said(missing)} in the test; name it in the ambiguity, or be less sure"


def _said(names: Collection[str]) -> str:
    return ", ".join(sorted(names))
