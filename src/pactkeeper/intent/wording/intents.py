"""The intent of a test: one sentence from its docstring, its name, or its name as a topic and its outcomes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pactkeeper.intent.claims import Attribute, Call, Claim, Expression, Name, TestEvidence
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
    is_break,
    sentence_words,
)
from pactkeeper.intent.wording.sentences import Outcome, stopped
from pactkeeper.intent.wording.titles import has_holes, title_phrase, titled_suites
from pactkeeper.intent.wording.verbs import NOUNISH, form_of
from pactkeeper.intent.wording.words import capitalised, split_identifier, spoken_words

Origin = Literal["docstring", "sentence", "action", "topic", "title", "table", "nothing"]
MIN_DOC_WORDS, MAX_DOC_WORDS = 3, 32
MAX_NAMED = 2  # three outcomes are a list, no sentence
MAX_INTENT = 160  # a longer sentence is not read to its end: the outcomes stand below it anyway
_PREAMBLE = re.compile(
    r"^(?:[\w-]+\s+tests?:\s+)?(?:to\s+)?(?:(?:this\s+)?tests?|(?:this\s+)?(?:test\s+)?(?:ensures?|verif(?:y|ies)|checks?|asserts?|makes?\s+sure|confirms?))"
    r"(?:\s+(?:if|that|whether))?[:\s]+",
    re.IGNORECASE,
)
_THAT = re.compile(r"^(?:that|if|whether)\s+", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)'\"`])\.(?=\s|$)")
_CODE = re.compile(r"[`]{2}([^`]*)[`]{2}|`([^`]*)`|:\w+:`([^`]*)`")
_NOT_PROSE = re.compile(r"https?://|[{}]|:param|>>>|#\d|\bGH-|\bissue\b|\bbug\b|\bregression\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Intent:
    """The sentence and where it came from; `phrase` is the test's name as read, `bare` that it states no outcome."""

    text: str
    origin: Origin
    phrase: Phrase
    bare: bool = False


def intent_of(evidence: TestEvidence, outcomes: Sequence[Outcome]) -> Intent:
    """The sentence that says what the test is about."""
    if evidence.free_text_name:
        return _from_title(evidence, outcomes)
    phrase = name_phrase(evidence.name)
    topic = ": ".join(dict.fromkeys(part for part in (suite_topic(one) for one in evidence.suite) if part))
    described = docstring_clause(evidence.docstring)
    function = _tested_function(evidence)
    if described is not None and (phrase.kind != "sentence" or function):
        return Intent(_under(topic, described), "docstring", phrase)
    if function:
        return _from_function(function, evidence, topic, outcomes)
    if phrase.kind == "sentence":
        return Intent(_under(topic, phrase.text), "sentence", phrase)
    return _from_outcomes(evidence, topic, phrase, outcomes)


def _from_title(evidence: TestEvidence, outcomes: Sequence[Outcome]) -> Intent:
    """A free-text title: its own sentence, or what the assertions say under it where it is only a topic."""
    nested = any(has_holes(one) for one in evidence.suite)
    phrase = title_phrase(evidence.name, evidence.parameters, nested=nested)
    topic = titled_suites(evidence.suite, evidence.parameters)
    if phrase.kind == "sentence":
        return Intent(_under(topic, phrase.text), "title", phrase)
    rows = _rows_clause(evidence, outcomes) if phrase.kind == "empty" else ""
    if rows:
        named = rows.lower().startswith(f"{topic.lower()} ")
        return Intent(_under("" if named else topic, rows, verbatim=True), "table", phrase)
    return _from_outcomes(evidence, topic, phrase, outcomes)


def _rows_clause(evidence: TestEvidence, outcomes: Sequence[Outcome]) -> str:
    """`encode returns the listed result for 6 inputs`, where the rows of a table are all outcomes of one function."""
    said = [one.said for one in outcomes]
    lines, subjects = {one.claim.line for one in outcomes}, {one.subject for one in said}
    if not evidence.rows or len(lines) != 1 or len(subjects) != 1:
        return ""
    if any(one.verb != "return" or one.negated or one.fixed is not None for one in said):
        return ""
    if len(said) == 1:
        return outcomes[0].clause if len(evidence.rows) == 1 else ""
    results = {one.complement for one in said}
    what = f"{results.pop()} for {len(said)} listed" if len(results) == 1 else f"the listed result for {len(said)}"
    return f"{subjects.pop()} returns {what} inputs"


def _under(topic: str, clause: str, *, verbatim: bool = False) -> str:
    """The clause as a sentence, behind its suite's topic where it has one."""
    if not topic:
        return stopped(clause, verbatim=verbatim)
    return stopped(f"{topic}: {clause}")


def _from_outcomes(evidence: TestEvidence, topic: str, phrase: Phrase, outcomes: Sequence[Outcome]) -> Intent:
    if phrase.kind == "empty":
        for said, verbatim in _clauses(outcomes, phrase.words):
            if len(topic) + len(said) < MAX_INTENT:
                return Intent(_under(topic, said, verbatim=verbatim), "nothing", phrase)
        name = topic or evidence.name or evidence.test_id.rsplit("::", 1)[-1]
        return Intent(stopped(name), "nothing", phrase, bare=True)
    origin: Origin = "action" if phrase.kind == "action" else "topic"
    head = f"{topic}: {phrase.text}" if topic else capitalised(phrase.text)
    for said, _ in _clauses(outcomes, phrase.words):
        if len(head) + len(said) + len(": ") < MAX_INTENT:
            return Intent(stopped(f"{head}: {said}"), origin, phrase)
    return Intent(stopped(head), origin, phrase, bare=True)


def _from_function(function: str, evidence: TestEvidence, topic: str, outcomes: Sequence[Outcome]) -> Intent:
    """A test named after the function it calls: `super_len, string: returns 4 for 'Test'`."""
    rest = _bare_name(evidence.name)[len(function) :].strip("_")
    phrase = Phrase("action", _circumstance(rest), tuple(split_identifier(function + "_" + rest)))
    owner = "" if topic.lower().replace(" ", "") == function.lower().replace("_", "") else topic
    if not phrase.text:
        head, separator = function, ""
    else:
        separator = " " if is_break(phrase.text.split(" ", 1)[0]) else ", "
        head = f"{function}{separator}{phrase.text}"
    return Intent(_headed(f"{owner}: {head}" if owner else head, function, phrase.words, outcomes), "action", phrase)


def _circumstance(rest: str) -> str:
    """What a name says after the function: `with_template` takes its article, anything else stays a list of words."""
    words = split_identifier(rest)
    led = bool(words) and words[0].lower() in PREPOSITIONS | SUBORDINATORS
    return sentence_words(words) if led else " ".join(spoken_words(rest))


def _headed(head: str, function: str, words: Sequence[str], outcomes: Sequence[Outcome]) -> str:
    """The head and as many of the outcomes as keep the sentence short; the function is not named twice."""
    repeated = head.rsplit(": ", 1)[-1] == function
    for said, _ in _clauses(outcomes, words):
        if repeated and said.startswith(function):
            whole = f"{head.removesuffix(function)}{said}"
        else:
            whole = f"{head}: {said if repeated else said.removeprefix(function).strip()}"
        if len(whole) < MAX_INTENT:
            return stopped(whole, verbatim=head.startswith(function))
    return stopped(head, verbatim=head.startswith(function))


_SHORT = 2  # "is" and "of" stand in every outcome
_FUNCTION_WORDS = DETERMINERS | PREPOSITIONS | SUBORDINATORS | AUXILIARIES | ADVERBS | {"and"}


def _nearest(outcomes: Sequence[Outcome], words: Sequence[str]) -> Outcome:
    """The outcome that shares most words with the name; the first where several do."""
    wanted = {word.lower() for word in words if len(word) > _SHORT and word.lower() not in _FUNCTION_WORDS}

    def shared(one: Outcome) -> int:
        vague = ", then " in one.clause or "the given arguments" in one.clause
        return len(wanted & {word.strip("'").lower() for word in one.clause.split()}) - vague

    return max(outcomes, key=shared)


def _clauses(outcomes: Sequence[Outcome], words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """The outcomes worth naming in one sentence, from the most telling choice to the shortest.

    What is raised comes first, else at most two outcomes; each comes with whether it starts with a name from the code.
    """
    raised = [one for one in outcomes if one.claim.relation in {"raises", "warns"} and not one.claim.negated]
    telling = [one for one in outcomes if not _is_precaution(one.claim)] or list(outcomes)
    chosen = raised[:1] or (telling if len(telling) <= MAX_NAMED else [_nearest(telling, words)])
    for length in range(len(chosen), 0, -1):
        yield " and ".join(one.clause for one in chosen[:length]), chosen[0].said.verbatim
    for one in (*raised[:1], *telling):
        yield one.clause.split(" with a message matching ", 1)[0], one.said.verbatim


def _is_precaution(claim: Claim) -> bool:
    """Whether the claim only makes sure that the next one can be made: not None, there at all, of the right type."""
    there = claim.relation == "truthy" and not claim.negated and isinstance(claim.subject, Name)
    absent = claim.negated and claim.relation in {"none", "raises", "undefined"}
    return there or absent or _is_unfailed(claim) or claim.relation == "instance_of"


def _is_unfailed(claim: Claim) -> bool:
    """`result.exception is None`, `not result.error`: nothing went wrong."""
    named = isinstance(claim.subject, Attribute | Name) and claim.subject.name in {
        "exception",
        "error",
        "err",
        "errors",
    }
    none = claim.relation in {"none", "undefined", "falsy"} and not claim.negated
    return named and (none or (claim.relation == "truthy" and claim.negated))


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
