"""Whether an answer is taken: its shape, its quotes, its words, and whether it is sure enough to be acted on."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.intent.answers import Grounds, Source, objections
from pactkeeper.intent.quality.values import QualityVocabulary
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import Answer, Question, wrong_with
from pactkeeper.reconcile.material import Read, body_of, quotable, tests_of
from pactkeeper.reconcile.world import World


def grounds_of(question: Question, read: Read, world: World) -> Grounds | None:
    """What an answer is held against; None where the source that it must quote cannot be read any more."""
    text = quotable(question, read)
    if text is None:
        return None
    tests = [world.by_id[name].test for name in tests_of(question) if name in world.by_id]
    bodies = (body_of(test, (read(test.file) or b"").decode("utf-8", "replace")) for test in tests)
    saw = question.context.get("reasons")
    named = tuple(str(one) for one in saw) if isinstance(saw, list) else ()
    said = question.context.get("texts")
    texts = [str(one) for one in said] if isinstance(said, list) else []
    source = Source(text, "\n".join([*bodies, *texts]))
    return Grounds(source, QualityVocabulary.of(world.pact.settings), named)


def misshapen(question: Question, answer: Answer, grounds: Grounds) -> tuple[str, ...]:
    """What nobody's answer may be: of another shape, or with a quote that is not in the source."""
    return wrong_with(answer, question, source=grounds.source.text)


def problems(question: Question, answer: Answer, grounds: Grounds) -> tuple[str, ...]:
    """All that keeps an answer of a model or an agent from being taken."""
    return misshapen(question, answer, grounds) or objections(question, answer.value, grounds)


def undecided(value: JsonValue, *, least: int) -> str:
    """Why a sound answer of a model or an agent still leaves the question to people; empty where it settles it.

    `least` is the confidence, 0 to 100, from which rules would act.
    """
    if not isinstance(value, Mapping):
        return ""
    if value.get("verdict") == "unsure":
        return "it could not be told from the text"
    confidence = value.get("confidence")
    if isinstance(confidence, int) and confidence < least:
        return f"a confidence of {confidence} is less than the {least} that this pact asks for"
    return ""
