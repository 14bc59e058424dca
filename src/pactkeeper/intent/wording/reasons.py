"""Why a test needs words or a second look: the closed list of reasons, each by a rule that can be checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pactkeeper.intent.claims import (
    AmbiguityReason,
    Attribute,
    Call,
    Expression,
    Name,
    Subscript,
    TestEvidence,
)
from pactkeeper.intent.wording.intents import Intent

_Rule = Callable[[TestEvidence, Sequence[str], Intent | None], bool]
CALLS = frozenset({"called", "called_times", "called_with"})


def reasons_of(evidence: TestEvidence, outcomes: Sequence[str], intent: Intent | None) -> tuple[AmbiguityReason, ...]:
    """Return the reasons that apply, in the order of the table."""
    return tuple(reason for reason, rule in _RULES if rule(evidence, outcomes, intent))


def _kinds(evidence: TestEvidence) -> frozenset[str]:
    return frozenset(claim.relation for claim in evidence.claims)


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
    ("private_access", _private),
    (
        "unresolvable_value",
        lambda evidence, outcomes, _intent: (
            "unresolvable_value" in evidence.reasons or (bool(evidence.claims) and not outcomes)
        ),
    ),
)
