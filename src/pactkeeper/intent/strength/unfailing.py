"""What cannot make a test fail: claims that always hold, and handlers that swallow a failure."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from functools import partial
from itertools import takewhile
from typing import Final

from pactkeeper.intent.claims import (
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Operation,
    Raised,
    Subscript,
    Value,
)
from pactkeeper.intent.strength.folding import is_constant, is_empty, truth_of
from pactkeeper.intent.strength.frames import ending, handed
from pactkeeper.intent.strength.program import Act, Bind, Block, Check, Statement, Within
from pactkeeper.intent.strength.relations import acts_of, is_narrower
from pactkeeper.intent.strength.replaced import BUILTIN
from pactkeeper.intent.strength.terms import RAISE, is_part, last_name, operator_of, parts_in, terms_of

ELSEWHERE: Final = "it runs in another thread or process, or when nothing waits for it"
OF_SCRIPTS: Final = frozenset({
    "Array", "BigInt", "Boolean", "Error", "EvalError", "JSON", "Map", "Math", "NaN", "Number", "Object", "RangeError",
    "ReferenceError", "RegExp", "Set", "String", "Symbol", "SyntaxError", "TypeError", "URIError", "URL", "isNaN",
    "parseFloat", "parseInt",
})  # fmt: skip
_CATCHES_ALL: Final = frozenset({"AssertionError", "Exception", "BaseException", "Throwable", "Error"})
THERE: Final = frozenset({("truthy", False), ("exists", False), ("none", True), ("undefined", True), ("falsy", True)})
_PLAIN: Final = frozenset({RAISE, "+", "-", "*", "/", "//", "%", "**", "==", "<", "<=", ">", ">=", "not"})


def cannot_fail(claim: Claim, known: Container[str] = BUILTIN) -> str:
    """Return why a claim, or one of its alternatives, holds whatever the product does; "" if it can fail.

    The names that are `known` belong to the language.
    """
    every = (claim, *claim.alternatives)
    if any(_constant(one) is True or _of_none(one) for one in every):
        return "it holds whatever happens"
    acts = acts_of(claim.object) if claim.relation == "raises" and not claim.negated else ()
    if acts and all(is_of_language(act, known) for act in acts):
        return "the test itself makes the error that it expects"
    return "both sides are the same" if any(map(_is_of_itself, every)) else ""


def _of_none(claim: Claim) -> bool:
    """Whether it is about every member of something empty."""
    return claim.each is not None and claim.each.kind == "every" and is_empty(claim.each.over)


def _is_of_itself(claim: Claim) -> bool:
    compares = claim.relation in {"equals", "same", "approximately"}
    return compares and not claim.negated and claim.subject == claim.object


def _constant(claim: Claim) -> bool | None:
    """Whether a claim about constants, or that a function is there, holds; None if it is about more than constants."""
    if operator_of(claim.subject) == "=>" and (claim.relation, claim.negated) in THERE:
        return True
    if not is_constant(claim.subject) or (claim.object is not None and not is_constant(claim.object)):
        return None
    if claim.relation in {"truthy", "satisfies", "falsy"}:
        found = truth_of(claim.subject)
        return None if found is None else (found is not (claim.relation == "falsy")) is not claim.negated
    if claim.relation in {"equals", "same"}:
        return (claim.subject == claim.object) is not claim.negated
    return True if claim.relation != "raises" else None


def writes_expected(claim: Claim, acts: Iterable[Expression]) -> bool:
    """Whether one of a test's calls writes what a claim is about into the file that it is compared with."""
    sides = (claim.subject, claim.object)
    for one, other in (sides, sides[::-1]):
        read = _touched_file(other, "read")
        if one is not None and read and any(_touched_file(act, "write") & read and is_part(one, act) for act in acts):
            return claim.relation in {"equals", "same", "contains"} and not claim.negated
    return False


def _touched_file(one: Expression | None, verb: str) -> frozenset[Expression]:
    """Return the arguments and the receiver of calls that read or write a file, by the first word of their name."""
    calls = (part for part in terms_of(one) if isinstance(part, Call)) if one is not None else ()
    named = (call for call in calls if last_name(call.function).casefold().startswith(verb))
    return frozenset(part for call in named for part in handed(call) if not isinstance(part, Value))


def swallows(types: Iterable[Expression]) -> str:
    """Return why a handler of these types hides a failure; "" if it hides none."""
    listed = [item for kind in types for item in (kind.items if isinstance(kind, Collection) else (kind,))]
    if not listed:
        return "every exception around it is caught"
    found = next((last_name(kind) for kind in listed if last_name(kind) in _CATCHES_ALL), "")
    return f"{found} around it is caught" if found else ""


def unheard(one: Within) -> str:
    """Return why a failure inside the enclosing block goes unnoticed; "" if it does not."""
    if one.suppresses:
        return swallows(one.suppresses)
    return "its failure is expected" if any(map(_takes_failure, one.claims)) else ""


def _takes_failure(claim: Claim) -> bool:
    """Whether an expected error may be that of a failed assertion, whatever it says."""
    kinds = claim.subject.items if isinstance(claim.subject, Collection) else (claim.subject,)
    wide = {"AssertionError"} if claim.qualifiers else {"AssertionError", "Exception", "BaseException"}
    return claim.relation == "raises" and not claim.negated and not wide.isdisjoint(map(last_name, kinds))


def raised_anyway(one: Within, raised: Sequence[Expression]) -> bool:
    """Whether an expected error is raised whatever runs before it: the body ends so, with nothing entered around it."""
    enters = any(isinstance(each, Act) and each.quote.startswith(("with ", "async with ")) for each in one.body)
    if ending(one.body) != "raise" or enters or not raised:
        return False
    made = raised[-1].operands[0] if isinstance(raised[-1], Operation) else raised[-1]
    kind = made.function if isinstance(made, Call) else made
    return any(is_narrower(kind, claim.subject) for claim in one.claims if claim.relation == "raises")


def read_too_early(one: Within) -> tuple[Block, Block]:
    """Separate the body from assertions about the very error that it has to raise first, and from those after it."""
    expected = [claim.subject for claim in one.claims if claim.relation == "raises"]
    early: list[Statement] = [each for each in one.body if isinstance(each, Check) and _reads_error(each, expected)]
    sure = expected and _CATCHES_ALL.isdisjoint(map(last_name, expected))
    does = any(not isinstance(each, Check) for each in one.body)
    behind = takewhile(partial(_only_looks, does=does), reversed(one.body)) if sure else ()
    early += [each for each in behind if each not in early]
    return tuple(each for each in one.body if each not in early), tuple(early)


def _only_looks(one: Statement, *, does: bool) -> bool:
    """Whether it asserts of plain names, or behind something that is done, at least without a call.

    So it is the assertion itself that could raise an error, or something before it has.
    """
    if not isinstance(one, Check):
        return False
    parts = parts_in(*one.claims)
    if does:
        return not any(isinstance(part, Call) for part in parts)
    return all(isinstance(part, Name | Value) for part in parts)


def _reads_error(one: Check, errors: Sequence[Expression]) -> bool:
    return any(isinstance(part, Raised) and part.error in errors for part in parts_in(*one.claims))


def evaluated(one: Statement) -> Expression | None:
    """What an assignment evaluates and may raise: its value, and setting the field or item that it is assigned to."""
    if not isinstance(one, Bind) or one.value is None:
        return None
    if isinstance(one.target, Attribute | Subscript):
        return Operation("set", (one.target, one.value))
    return one.value if isinstance(one.value, Attribute | Call | Operation | Subscript) else None


def names_of_language(imported: Iterable[str], *, script: bool) -> frozenset[str]:
    """Return the names that belong to the language of a file, but those that it imports from elsewhere."""
    return (OF_SCRIPTS if script else BUILTIN).difference(imported)


def is_of_language(act: Expression, known: Container[str]) -> bool:
    """Whether only literals and the language's own names determine what an act does: `{}["a"]`, `raise KeyError()`."""
    return all(_is_plain(part, known) for part in terms_of(act))


def _is_plain(part: Expression, known: Container[str]) -> bool:
    match part:
        case Name(name):
            return name in known
        case Operation(operator):
            return operator in _PLAIN
    return isinstance(part, Value | Collection | Call | Attribute | Subscript)
