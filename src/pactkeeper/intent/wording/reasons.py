"""Why a test needs words or a second look: the closed list of reasons, each by a rule that can be checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from pactkeeper.intent.claims import (
    AmbiguityReason,
    Attribute,
    Call,
    Captured,
    Claim,
    Expression,
    Name,
    Subscript,
    TestEvidence,
    Value,
    descendants,
)
from pactkeeper.intent.reading.verbs import forms_of
from pactkeeper.intent.wording.intents import Intent
from pactkeeper.intent.wording.tables import table

_Rule = Callable[[TestEvidence, Sequence[str], Intent | None], bool]
CALLS = frozenset({"called", "called_times", "called_with"})
_CLIENT_ERROR = 400


def reasons_of(evidence: TestEvidence, outcomes: Sequence[str], intent: Intent | None) -> tuple[AmbiguityReason, ...]:
    """The reasons that hold, in the order of the table."""
    return tuple(reason for reason, rule in _RULES if rule(evidence, outcomes, intent))


def _kinds(evidence: TestEvidence) -> frozenset[str]:
    return frozenset(claim.relation for claim in evidence.claims)


def disagrees(sentence: str, claims: Sequence[Claim]) -> bool:
    """Whether a sentence says that something is raised, refused, told or returned, and every assertion otherwise."""
    words = sentence.lower().rstrip(".").split()
    return bool(claims) and any(rule(words, claims) for rule in _CONTRARY)


_RAISING = table("raises throws raise throw raised thrown")
_DENYING = table("not no without never doesn't don't isn't cannot nothing")
_CLOSE: Final = 3  # words from a denial to the verb it denies: "no error is raised"


def _raises_nothing(words: Sequence[str], claims: Sequence[Claim]) -> bool:
    raised = [one for one in claims if one.relation in {"raises", "warns"} and not one.negated]
    if any(_denied(words[max(0, at - _CLOSE) : at]) for at, one in enumerate(words) if one in _RAISING):
        return len(raised) == len(claims)
    if not {"raises", "throws"} & {*words} or _DENYING & {*words}:
        return False
    plain = all(one.relation in {"equals", "truthy", "none", "falsy"} and _literal(one) for one in claims)
    return not raised and plain and not any(_mentions_error(one.subject) for one in claims)


def _denied(before: Sequence[str]) -> bool:
    """`does not`, `never`; `no error is`. The denial in `a name not in use raises` belongs to something else."""
    return before[-1:] != [] and (before[-1] in _DENYING or (before[-1] in {"is", "are", "be"} and "no" in before))


_TOLD = table("warning warnings warned logged logs")


def _tells_nothing(words: Sequence[str], claims: Sequence[Claim]) -> bool:
    """A warning or a line of the log, where only values and errors are asserted that have nothing to do with one."""
    if not _TOLD & {*words} or _DENYING & {*words}:
        return False
    parts = [part for one in claims for part in descendants(one.subject)]
    names = [part.name.lower() for part in parts if isinstance(part, Name | Attribute)]
    shown = any(isinstance(part, Captured) for part in parts) or any("warn" in one or "log" in one for one in names)
    return not shown and all(one.relation in _VALUES for one in claims)


_VALUES = frozenset({"equals", "truthy", "falsy", "none", "length", "instance_of", "raises"})
_REFUSING = table("rejects rejected refuses refused forbidden denied denies unauthorized")


def _refuses_nothing(words: Sequence[str], claims: Sequence[Claim]) -> bool:
    if not _REFUSING & {*words} or _DENYING & {*words}:
        return False
    statuses = [_status(one) for one in claims]
    return all(0 < one < _CLIENT_ERROR for one in statuses)


def _returns_other(words: Sequence[str], claims: Sequence[Claim]) -> bool:
    """`returns 404`, where numbers are asserted and none of them is 404."""
    for verb, said in pairwise(words):
        if "return" in forms_of(verb).values() and said.isdigit() and not _DENYING & {*words}:
            numbers = {
                one.object.text for one in claims if isinstance(one.object, Value) and one.object.kind == "number"
            }
            return bool(numbers) and len(numbers) == len(claims) and said not in numbers
    return False


def _literal(claim: Claim) -> bool:
    return claim.object is None or isinstance(claim.object, Value)


def _mentions_error(one: Expression | None) -> bool:
    match one:
        case Name(name=name):
            return _named_error(name)
        case Attribute(value=value, name=name):
            return _named_error(name) or _mentions_error(value)
        case Call(function=function, arguments=arguments):
            return _mentions_error(function) or any(_mentions_error(each.value) for each in arguments)
        case Subscript(value=value):
            return _mentions_error(value)
    return False


def _named_error(name: str) -> bool:
    return any(part in name.lower() for part in ("err", "exc", "fail", "output", "code", "log", "status"))


def _status(claim: Claim) -> int:
    named = isinstance(claim.subject, Attribute) and claim.subject.name in {"status_code", "statusCode", "status"}
    number = isinstance(claim.object, Value) and claim.object.text.isdigit() and not claim.negated
    return int(claim.object.text) if named and number and isinstance(claim.object, Value) else 0


def _private(evidence: TestEvidence, _outcomes: Sequence[str], _intent: Intent | None) -> bool:
    return any(private_names(claim.subject) for claim in evidence.claims)


def private_names(one: Expression | None) -> bool:
    """Whether an expression reaches a member whose name starts with a single underscore."""
    match one:
        case Attribute(value=value, name=name):
            return (name.startswith("_") and not name.startswith("__")) or private_names(value)
        case Subscript(value=value):
            return private_names(value)
        case Call(function=function):
            return private_names(function)
        case Name(name=name):
            return name.startswith("_") and len(name) > 1 and not name.startswith("__")
    return False


_CONTRARY = (_raises_nothing, _refuses_nothing, _tells_nothing, _returns_other)
_RULES: tuple[tuple[AmbiguityReason, _Rule], ...] = (
    ("no_sentence", lambda _evidence, _outcomes, intent: intent is None),
    ("no_assertion", lambda evidence, _outcomes, _intent: not (evidence.claims or evidence.reasons)),
    ("expected_failure", lambda evidence, _outcomes, _intent: evidence.expects != "pass"),
    (
        "call_count_assertion",
        lambda evidence, _outcomes, _intent: (
            "called_times" in _kinds(evidence) and _kinds(evidence) <= {"called", "called_times"}
        ),
    ),
    ("mock_only", lambda evidence, _outcomes, _intent: bool(evidence.claims) and _kinds(evidence) <= CALLS),
    ("snapshot_only", lambda evidence, _outcomes, _intent: _kinds(evidence) == {"snapshot"}),
    (
        "name_disagrees",
        lambda evidence, _outcomes, intent: intent is not None and disagrees(intent.text, evidence.claims),
    ),
    ("private_access", _private),
    (
        "unresolvable_value",
        lambda evidence, outcomes, _intent: (
            "unresolvable_value" in evidence.reasons or (bool(evidence.claims) and not outcomes)
        ),
    ),
)
