"""Why a test's meaning is not certain: the closed list of reasons, each by its rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pactkeeper.intent.claims import (
    AmbiguityReason,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Item,
    Name,
    Operation,
    TestEvidence,
    Value,
)
from pactkeeper.intent.wording.intents import Intent
from pactkeeper.intent.wording.names import name_words
from pactkeeper.intent.wording.sentences import Outcome
from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.verbs import form_of

_Rule = Callable[[TestEvidence, Sequence[Outcome], Intent], bool]
GENERIC = table("""
    a all and bar basic basics bug case cases common default defaults demo example examples extra feature fine foo
    functional general good happy input integration issue it main misc more new normal ok one output path regression
    run sample sanity scenario several simple simply smoke some something stuff success successful test tests the
    thing things this three two unit usage various work working works
""")
CALLS = frozenset({"called", "called_times", "called_with"})
MAX_SUBJECTS = 6
MAX_STEPS = 4


def ambiguities(evidence: TestEvidence, outcomes: Sequence[Outcome], intent: Intent) -> tuple[AmbiguityReason, ...]:
    """The reasons that hold, in the order of the table."""
    return tuple(reason for reason, rule in _RULES if rule(evidence, outcomes, intent))


def _no_assertion(evidence: TestEvidence, _outcomes: Sequence[Outcome], _intent: Intent) -> bool:
    return not evidence.claims


def _call_count(evidence: TestEvidence, _outcomes: Sequence[Outcome], _intent: Intent) -> bool:
    kinds = [claim.relation for claim in evidence.claims]
    return "called_times" in kinds and all(kind in {"called", "called_times"} for kind in kinds)


def _mock_only(evidence: TestEvidence, _outcomes: Sequence[Outcome], _intent: Intent) -> bool:
    return bool(evidence.claims) and all(claim.relation in CALLS for claim in evidence.claims)


def _snapshot_only(evidence: TestEvidence, _outcomes: Sequence[Outcome], _intent: Intent) -> bool:
    return bool(evidence.claims) and all(claim.relation == "snapshot" for claim in evidence.claims)


def _generic_name(evidence: TestEvidence, _outcomes: Sequence[Outcome], intent: Intent) -> bool:
    if intent.origin in {"docstring", "table"}:
        return False
    words = [word.lower() for word in name_words(evidence.name)]
    return all(word in GENERIC or word.isdigit() or len(word) == 1 for word in words)


def _name_disagrees(evidence: TestEvidence, _outcomes: Sequence[Outcome], _intent: Intent) -> bool:
    words = [word.lower() for word in name_words(evidence.name)]
    if not evidence.claims:
        return False
    return any(
        rule(words, evidence.claims) for rule in (_promises_raise, _promises_calm, _promises_refusal, _promises_value)
    )


def _promises_raise(words: Sequence[str], claims: Sequence[Claim]) -> bool:
    """The name says that something is raised, and no claim does."""
    if not {"raises", "throws", "raise", "raised", "thrown"} & set(words) or {"not", "no", "without"} & set(words):
        return False
    return not any(_is_failure(claim) for claim in claims)


def _is_failure(claim: Claim) -> bool:
    if claim.relation in {"raises", "warns", "logs"} and not claim.negated:
        return True
    text = _flat(claim.subject) | _flat(claim.object)
    return bool(text & _FAILURE_WORDS) or _status(claim) >= _CLIENT_ERROR


_FAILURE_WORDS = table("""
    error errors exception exceptions failure fail failed err exc raised output log exit exit_code
""")
_CLIENT_ERROR = 400


def _promises_calm(words: Sequence[str], claims: Sequence[Claim]) -> bool:
    """The name says that nothing is raised, and a claim says that something is."""
    joined = " ".join(words)
    calm = any(
        text in joined
        for text in ("not raise", "never raises", "no exception", "without error", "not throw", "no error")
    )
    return calm and all(claim.relation == "raises" and not claim.negated for claim in claims)


_REFUSALS = table("""
    rejects rejected refuses refused forbidden denied denies unauthorized disallowed
""")


def _promises_refusal(words: Sequence[str], claims: Sequence[Claim]) -> bool:
    """The name says that something is refused, and every claim says that all went well."""
    if not _REFUSALS & set(words) or "not" in words:
        return False
    return all(_is_success(claim) for claim in claims)


def _is_success(claim: Claim) -> bool:
    status = _status(claim)
    if status:
        return status < _REDIRECT and not claim.negated
    return claim.relation == "completes" and not claim.negated


_REDIRECT = 300


def _status(claim: Claim) -> int:
    """The HTTP status a claim states, 0 where it states none."""
    words = _flat(claim.subject)
    if not words & {"status", "status_code", "statuscode", "code"} or not isinstance(claim.object, Value):
        return 0
    return int(claim.object.text) if claim.object.kind == "number" and claim.object.text.isdigit() else 0


_STATED = {"none": "none", "null": "none", "true": "True", "false": "False"}


def _promises_value(words: Sequence[str], claims: Sequence[Claim]) -> bool:
    """The name says `returns 404`, `returns false`; claims of that kind state another value, none this one."""
    for at, word in enumerate(words[:-1]):
        found = form_of(word)
        if found is None or found[0] != "return":
            continue
        if "not" in words[:at]:
            return False
        stated, kinds = words[at + 1], [_stated(claim) for claim in claims]
        if stated.isdigit():
            others = [kind for kind in kinds if kind.isdigit()]
            return bool(others) and stated not in others
        if stated in {"true", "false"}:
            others = [kind for kind in kinds if kind in {"true", "false"}]
            return bool(others) and stated not in others
    return False


def _stated(claim: Claim) -> str:
    if claim.relation in {"truthy", "falsy"}:
        return "true" if (claim.relation == "truthy") is not claim.negated else "false"
    return claim.object.text.lower() if isinstance(claim.object, Value) and not claim.negated else ""


def _flat(one: Expression | None) -> frozenset[str]:
    """All names in an expression, whole and as the words they are made of, in lower case."""
    found: set[str] = set()
    pending = [one]
    while pending:
        part = pending.pop()
        match part:
            case Name(name=name):
                found |= {name.lower(), *name.lower().split("_")}
            case Attribute(value=value, name=name):
                found |= {name.lower(), *name.lower().split("_")}
                pending.append(value)
            case Item(value=value, key=key):
                pending += [value, key]
            case Call(function=function, arguments=arguments):
                pending += [function, *(argument.value for argument in arguments)]
            case Operation(operands=operands):
                pending += operands
            case Collection(items=items):
                pending += items
            case Value(text=text):
                found |= set(text.lower().split())
    return frozenset(found)


def private_names(one: Expression | None) -> bool:
    """Whether an expression reaches a member whose name starts with a single underscore."""
    match one:
        case Attribute(value=value, name=name):
            return (name.startswith("_") and not name.startswith("__")) or private_names(value)
        case Item(value=value):
            return private_names(value)
        case Call(function=function):
            return private_names(function)
        case Name(name=name):
            return name.startswith("_") and len(name) > 1 and not name.startswith("__")
    return False


def _private_access(evidence: TestEvidence, _outcomes: Sequence[Outcome], _intent: Intent) -> bool:
    return any(private_names(claim.subject) for claim in evidence.claims)


def _several(evidence: TestEvidence, outcomes: Sequence[Outcome], intent: Intent) -> bool:
    if intent.origin == "table":
        return False
    words = [word.lower() for word in name_words(evidence.name)]
    subjects = {one.about for one in outcomes if one.about[0]}
    return _two_verbs(words) or len(subjects) >= MAX_SUBJECTS or _changing(outcomes)


def _two_verbs(words: Sequence[str]) -> bool:
    if "and" not in words:
        return False
    at = words.index("and")
    return _verbs(words[:at]) and _verbs(words[at + 1 :])


def _verbs(words: Sequence[str]) -> bool:
    forms = [form_of(word) for word in words]
    return (
        any(form is not None and form[1] in {"third", "participle"} for form in forms)
        or {"is", "are"} & set(words) != set()
    )


def _changing(outcomes: Sequence[Outcome]) -> bool:
    """The same thing is said to be different things in turn: the test walks through several states."""
    lost = [one for one in outcomes if not one.sure and one.claim.relation == "equals"]
    return len(lost) >= MAX_STEPS and len({one.about for one in lost}) == 1


def _unresolvable(evidence: TestEvidence, outcomes: Sequence[Outcome], _intent: Intent) -> bool:
    return "unresolvable_value" in evidence.reasons or any(not one.sure for one in outcomes)


_RULES: tuple[tuple[AmbiguityReason, _Rule], ...] = (
    ("no_assertion", _no_assertion),
    ("call_count_assertion", _call_count),
    ("mock_only", _mock_only),
    ("snapshot_only", _snapshot_only),
    ("generic_name", _generic_name),
    ("name_disagrees", _name_disagrees),
    ("private_access", _private_access),
    ("several_behaviours", _several),
    ("unresolvable_value", _unresolvable),
)
