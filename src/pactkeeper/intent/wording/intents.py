"""The intent of a test: one sentence from its docstring, its name, or its name as a topic and its outcomes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pactkeeper.intent.claims import Attribute, Call, Claim, Expression, TestEvidence
from pactkeeper.intent.wording.names import Phrase, name_phrase, suite_topic
from pactkeeper.intent.wording.naming import last_name
from pactkeeper.intent.wording.prose import (
    ADJECTIVES,
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    SUBORDINATORS,
)
from pactkeeper.intent.wording.sentences import Outcome, stopped
from pactkeeper.intent.wording.verbs import NOUNISH, form_of
from pactkeeper.intent.wording.words import capitalised, split_identifier, spoken_words

Origin = Literal["docstring", "sentence", "action", "topic", "title", "nothing"]
MIN_DOC_WORDS, MAX_DOC_WORDS = 3, 32
MAX_NAMED = 2  # three outcomes are a list, no sentence
_PREAMBLE = re.compile(
    r"^(?:to\s+)?(?:(?:this\s+)?tests?|(?:this\s+)?(?:test\s+)?(?:ensures?|verif(?:y|ies)|checks?|asserts?|makes?\s+sure|confirms?))"
    r"(?:\s+(?:if|that|whether))?[:\s]+",
    re.IGNORECASE,
)
_THAT = re.compile(r"^(?:that|if|whether)\s+", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)'\"`])\.(?=\s|$)")
_CODE = re.compile(r"[`]{2}([^`]*)[`]{2}|`([^`]*)`|:\w+:`([^`]*)`")
_NOT_PROSE = re.compile(r"https?://|[{}]|:param|>>>|#\d|\bGH-|\bissue\b|\bbug\b|\bregression\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Intent:
    """The sentence and where it came from; `phrase` is the test's name as read."""

    text: str
    origin: Origin
    phrase: Phrase


def intent_of(evidence: TestEvidence, outcomes: Sequence[Outcome]) -> Intent:
    """The sentence that says what the test is about."""
    phrase = Phrase("sentence", evidence.name.strip()) if evidence.free_text_name else name_phrase(evidence.name)
    topic = ": ".join(dict.fromkeys(part for part in (suite_topic(one) for one in evidence.suite) if part))
    described = docstring_clause(evidence.docstring)
    if evidence.free_text_name:
        return Intent(_under(topic, title_clause(evidence.name)), "title", phrase)
    function = _tested_function(evidence)
    if described is not None and (phrase.kind != "sentence" or function):
        return Intent(_under(topic, described), "docstring", phrase)
    if function:
        return _from_function(function, evidence, topic, outcomes)
    if phrase.kind == "sentence":
        return Intent(_under(topic, phrase.text), "sentence", phrase)
    return _from_outcomes(evidence, topic, phrase, outcomes)


def _under(topic: str, clause: str, *, verbatim: bool = False) -> str:
    """The clause as a sentence, behind its suite's topic where it has one."""
    if not topic:
        return stopped(clause, verbatim=verbatim)
    return stopped(f"{topic}: {clause}")


def _from_outcomes(evidence: TestEvidence, topic: str, phrase: Phrase, outcomes: Sequence[Outcome]) -> Intent:
    said, verbatim = _main_clauses(outcomes)
    if phrase.kind == "empty":
        if not said:
            return Intent(stopped(topic or evidence.name or evidence.test_id.rsplit("::", 1)[-1]), "nothing", phrase)
        return Intent(_under(topic, said, verbatim=verbatim), "nothing", phrase)
    origin: Origin = "action" if phrase.kind == "action" else "topic"
    if not said:
        return Intent(_under(topic, phrase.text), origin, phrase)
    head = f"{topic}: {phrase.text}" if topic else capitalised(phrase.text)
    return Intent(stopped(f"{head}: {said}"), origin, phrase)


def _from_function(function: str, evidence: TestEvidence, topic: str, outcomes: Sequence[Outcome]) -> Intent:
    """A test named after the function it calls: `super_len, string: returns 4 for 'Test'`."""
    rest = _bare_name(evidence.name)[len(function) :].strip("_")
    phrase = Phrase("action", " ".join(spoken_words(rest)), tuple(split_identifier(function + "_" + rest)))
    said, _ = _main_clauses(outcomes)
    owner = "" if topic.lower().replace(" ", "") == function.lower().replace("_", "") else topic
    if not phrase.text:
        shown = said if said.startswith(function) else ": ".join(part for part in (function, said) if part)
    else:
        shown = (
            f"{function}, {phrase.text}: {said.removeprefix(function).strip()}"
            if said
            else f"{function}, {phrase.text}"
        )
    return Intent(stopped(f"{owner}: {shown}" if owner else shown, verbatim=True), "action", phrase)


def _main_clauses(outcomes: Sequence[Outcome]) -> tuple[str, bool]:
    """The outcomes worth naming in one sentence: what is raised first, else at most the first two."""
    raised = [one for one in outcomes if one.claim.relation in {"raises", "warns"} and not one.claim.negated]
    telling = [one for one in outcomes if not _is_precaution(one.claim)] or list(outcomes)
    chosen = raised[:1] or telling[: MAX_NAMED if len(telling) <= MAX_NAMED else 1]
    return " and ".join(one.clause for one in chosen), bool(chosen) and chosen[0].said.verbatim


def _is_precaution(claim: Claim) -> bool:
    """Whether the claim only makes sure that the next one can be made: not None, truthy, of the right type."""
    return claim.relation in {"truthy", "instance_of"} or (
        claim.negated and claim.relation in {"none", "raises", "undefined"}
    )


def _tested_function(evidence: TestEvidence) -> str:
    """The function the test is named after, where the test calls it; the longest where several fit."""
    bare = _bare_name(evidence.name)
    asserted = [call for claim in evidence.claims for call in _calls(claim.subject)]
    held = [call for claim in evidence.claims for _, value in claim.holds for call in _calls(value)]
    names = {last_name(call.function) for call in (*asserted, *held, *evidence.actions)}
    fitting = [name for name in names if "_" in name.strip("_") and (bare == name or bare.startswith(f"{name}_"))]
    return max(fitting, key=lambda name: (len(name), name), default="")


def _bare_name(name: str) -> str:
    return re.sub(r"^tests?_*", "", name)


def _calls(one: Expression) -> list[Call]:
    if isinstance(one, Call):
        return [one, *(_calls(one.function) if isinstance(one.function, Attribute) else [])]
    return _calls(one.value) if isinstance(one, Attribute) else []


def title_clause(title: str) -> str:
    """A free-text title as a clause: white space joined, `should x` left as its author wrote it."""
    return " ".join(title.split()).rstrip(".")


def docstring_clause(docstring: str | None) -> str | None:
    """The first sentence of a docstring, where it is a sentence about behaviour; else None."""
    if not docstring:
        return None
    paragraph = " ".join(docstring.strip().split("\n\n", 1)[0].split())
    first = _SENTENCE_END.split(paragraph, maxsplit=1)[0].strip().rstrip(".")
    first = _CODE.sub(lambda found: next(group for group in found.groups() if group is not None), first)
    stated = bool(_PREAMBLE.match(first))
    bare = _THAT.sub("", _PREAMBLE.sub("", first, count=1)) if stated else first
    words = bare.split()
    if words and words[0].lower() in {"for", "of", "case"} and stated:
        return None
    if not MIN_DOC_WORDS <= len(words) <= MAX_DOC_WORDS or _NOT_PROSE.search(bare) or not _has_verb(words):
        return None
    return _lowered(bare)


def _has_verb(words: Sequence[str]) -> bool:
    plain = [word.strip(".,;:'\"()").lower() for word in words]
    if any(word in AUXILIARIES or word.endswith("n't") for word in plain[1:]):
        return True
    forms = [form_of(word) for word in plain]
    return any(form is not None and form[1] == "third" and form[0] not in NOUNISH for form in forms[1:])


_LOWERABLE = DETERMINERS | PREPOSITIONS | SUBORDINATORS | PRONOUNS | ADVERBS | AUXILIARIES | ADJECTIVES


def _lowered(text: str) -> str:
    """The text without the capital of a first word that is an ordinary one."""
    first = text.split(" ", 1)[0]
    bare = first.strip(".,;:'\"()").lower()
    ordinary = bare in _LOWERABLE or form_of(bare) is not None
    return text[0].lower() + text[1:] if ordinary and first[1:].islower() else text
