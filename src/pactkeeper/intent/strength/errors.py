"""What a test expects of an error: its class, code and text in one claim, wherever the test asserts them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from pactkeeper.intent.claims import (
    Argument,
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
    children,
)
from pactkeeper.intent.strength.patterns import is_whole, sure_texts
from pactkeeper.intent.strength.relations import member_by_member
from pactkeeper.intent.strength.terms import last_name, rebuilt

ANY_ERROR: Final = Name("Error")
THE_ERROR: Final = Raised(ANY_ERROR)
_THERE: Final = frozenset({"truthy", "exists"})
_ABSENT: Final = frozenset({"none", "undefined", "falsy"})
_SAID: Final = frozenset({"match", "message"})


def expecting(held: Expression) -> Claim | None:
    """Return what a `with` expects of its body by what its name holds: `pytest.raises(ValueError)` in a row."""
    match held:
        case Call(arguments=(Argument(value=kind), *said)) if last_name(held) == "raises":
            shapes = (
                replace(each, value=Value("regex", each.value.text)) for each in said if isinstance(each.value, Value)
            )
            return Claim("raises", kind, qualifiers=tuple(each for each in shapes if each.name == "match"))
    return None


def told(raising: Claim, after: Iterable[Claim]) -> Claim:
    """Return the claim that an error is raised with all that later claims say of that error."""
    own = Raised(raising.subject)

    def plain(one: Expression) -> Expression:
        if error_of(one) == last_name(raising.subject) and one != own:
            return Attribute(THE_ERROR, "message")
        return THE_ERROR if one == own else rebuilt(one, plain)

    return folded((raising, *(replace(one, subject=plain(one.subject)) for one in after)))[0]


def folded(claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """Fold claims about an error's class, message and code into the claim that it is raised."""
    raising = next((claim for claim in claims if claim.relation == "raises" and not claim.negated), None)
    if raising is None:
        return claims
    rest: list[Claim] = []
    for claim in apart(one for one in claims if one is not raising):
        folding = _folded(raising, claim)
        if folding is None:
            rest.append(claim)
        else:
            raising = folding
    return (raising, *rest)


def of_error(claim: Claim) -> bool:
    """Whether a claim is about the error that is expected, or something read from it."""
    subject = claim.subject
    return subject == THE_ERROR or (isinstance(subject, Attribute) and subject.value == THE_ERROR)


def apart(claims: Iterable[Claim]) -> list[Claim]:
    """Split what is compared at once into a claim per entry: an object an error must contain, a list of its parts."""
    found: list[Claim] = []
    for claim in (part for one in claims for part in member_by_member(one)):
        entries = claim.object
        if (
            claim.subject == THE_ERROR
            and claim.relation == "contains"
            and isinstance(entries, Collection)
            and entries.kind == "mapping"
        ):
            pairs = zip(entries.items[::2], entries.items[1::2], strict=False)
            found += [
                Claim("equals", Attribute(THE_ERROR, key.text), value) for key, value in pairs if isinstance(key, Value)
            ]
        else:
            found.append(claim)
    return found


def _folded(raising: Claim, claim: Claim) -> Claim | None:
    """Add one claim about the error to the claim that it is raised; None if it can't express that."""
    part = claim.subject.name if isinstance(claim.subject, Attribute) else ""
    if claim.alternatives or not of_error(claim):
        return None
    if claim.negated or claim.relation in _THERE:
        plain = (claim.relation in _THERE) is not claim.negated and (
            claim.relation in _THERE or claim.relation in _ABSENT
        )
        return raising if plain or (claim.negated and claim.relation in _ABSENT) else None
    if claim.subject == THE_ERROR:
        return _classed(raising, claim)
    if part == "name" and isinstance(claim.object, Value) and raising.subject == ANY_ERROR:
        return replace(raising, subject=Name(claim.object.text))
    name = {"equals": {"message": "message", "code": "code"}, "same": {"message": "message", "code": "code"}}.get(
        claim.relation, {"message": "match"} if claim.relation in {"contains", "matches"} else {}
    ).get(part)
    return _with(raising, name, claim.object) if name is not None and claim.object is not None else None


def _classed(raising: Claim, claim: Claim) -> Claim | None:
    if claim.relation == "instance_of" and claim.object is not None and raising.subject == ANY_ERROR:
        return replace(raising, subject=claim.object)
    if claim.relation in {"equals", "same"} and isinstance(claim.object, Call) and claim.object.arguments:
        return _with(replace(raising, subject=claim.object.function), "message", claim.object.arguments[0].value)
    return None


def _with(raising: Claim, name: str, value: Expression) -> Claim | None:
    if any(extra.name == name for extra in raising.qualifiers):
        return None
    return replace(raising, qualifiers=(*raising.qualifiers, Argument(value, name)))


def coded(one: Claim, other: Claim) -> bool:
    """Whether an error is expected with exactly the code that another claim finds in it."""
    if one.negated or other.negated or other.object is None or other.relation not in {"equals", "same"}:
        return False
    match other.subject:
        case Attribute(value=Raised(error=error), name="code"):
            codes = (each.value for each in one.qualifiers if each.name == "code")
            return last_name(one.subject) == last_name(error) and other.object in codes
    return False


def worded(one: Claim, other: Claim) -> bool:
    """Whether an error is expected with exactly, or at least, the text that another claim finds in it."""
    if one.negated or other.negated or other.object is None or last_name(one.subject) != error_of(other.subject):
        return False
    text = Value("string", _text(other.object))
    said = [Value("regex", _pattern(each.value)) for each in one.qualifiers if each.name == "match"]
    said += [Value("string", _text(each.value)) for each in one.qualifiers if each.name == "message"]
    if any(_unescaped(value.text) == text.text or is_whole(value, text) for value in said):
        return True
    literals = [literal for value in said for literal in sure_texts(value.text)]
    if other.relation == "starts_with":
        literals = [sure_texts(value.text[1:])[0] for value in said if value.text[:1] == "^" and sure_texts(value.text)]
        return any(literal.startswith(text.text) for literal in literals)
    return other.relation == "contains" and text.text != "" and any(text.text in literal for literal in literals)


def error_of(subject: Expression) -> str:
    """Return the class of the exception whose text a value is; "" for any other value."""
    is_text = isinstance(subject, Call) and subject.function == Name("str") and len(subject.arguments) == 1
    inner = children(subject)[1] if is_text else subject
    first = isinstance(inner, Subscript) and inner.key == Value("number", "0")
    inner = inner.value if isinstance(inner, Subscript) and first else inner
    inner = inner.value if isinstance(inner, Attribute) and inner.name == ("args" if first else "message") else inner
    return last_name(inner.error) if isinstance(inner, Raised) else ""


def _text(one: Expression) -> str:
    """Return a text with a word for each part that only running it can tell."""
    match one:
        case Value(text=text):
            return text
        case Call(function=Name(name="str"), arguments=(Argument(value=value, name=None),)):
            return _text(value)
        case Operation(operator="text" | "+", operands=parts):
            return "".join(map(_text, parts))
    return hashlib.sha256(repr(one).encode()).hexdigest()[:12]


def _pattern(one: Expression) -> str:
    """Return a pattern with the text of what it escapes; any other part that is filled in may match anything."""
    match one:
        case Value(text=text):
            return text
        case Call(arguments=(Argument(value=value, name=None),)) if last_name(one) == "escape":
            return re.escape(_text(value))
        case Operation(operator="text" | "+", operands=parts):
            return "".join(map(_pattern, parts))
    return ".*"


def _unescaped(pattern: str) -> str:
    return re.sub(r"\\(\W)", r"\1", pattern)
