"""One change to what a test notices, and the two states of the test that it is derived from.

Also the baseline of a test in debt: one short mark, enough to detect that it asserts less now. And facts as readable
text: close to code, one line each.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Final, Literal

from pactkeeper.intent.claims import (
    Attribute,
    Call,
    Captured,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Raised,
    Subscript,
    Value,
)
from pactkeeper.intent.strength.expected import plainly_same
from pactkeeper.intent.strength.facts import Fact, Skipped, Strength, rank
from pactkeeper.intent.strength.identity import ANOTHER
from pactkeeper.intent.strength.terms import RAISE, TEST_SIDE, entries_of, in_script, script_term

Kind = Literal[
    "deleted", "skipped", "hollow", "removed", "loosened", "conditional", "unawaited", "mocked", "expectation",
    "subject", "grown", "changed", "unread", "switched_off", "stronger",
]  # fmt: skip
Severity = Literal["error", "warning", "note"]
SEVERITIES: Final[Mapping[Kind, Severity]] = {
    "deleted": "error", "skipped": "error", "hollow": "error", "removed": "error", "loosened": "error",
    "conditional": "error", "unawaited": "error", "mocked": "error", "expectation": "warning", "subject": "warning",
    "grown": "warning", "changed": "warning", "unread": "note", "switched_off": "error", "stronger": "note",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Paired:
    """One test in both states; None on the side where it is not. `before` and `after` are its ids."""

    before: str
    after: str
    old: Strength | None
    new: Strength | None

    @property
    def was(self) -> Strength:
        """The earlier state; one that asserts nothing if there is none."""
        return self.old or Strength()

    @property
    def now(self) -> Strength:
        """The later state; one that asserts nothing if there is none."""
        return self.new or Strength()


@dataclass(frozen=True, slots=True)
class Change:
    """One change to what a test notices: the facet before and after, and the line of the later one."""

    kind: Kind
    test: str
    message: str
    old: str = ""
    new: str = ""
    line: int = 0
    severity: Severity = "error"
    before: str = ""


def change_of(kind: Kind, pair: Paired, message: str, *, old: str = "", new: str = "", line: int = 0,  # noqa: PLR0913
            severity: Severity | None = None) -> Change:  # fmt: skip
    """Build a change of one test; its kind determines the severity unless one is given."""
    return Change(kind, pair.after or pair.before, message, old, new, line, severity or SEVERITIES[kind], pair.before)


def facet_change(  # noqa: PLR0913, PLR0917 - the event, its place and both facets
    kind: Kind, pair: Paired, message: str, fact: Fact, other: Fact, *, severity: Severity | None = None
) -> Change:
    """A change of one assertion into another, with both facets."""
    return change_of(kind, pair, message, old=shown(fact), new=shown(other), line=other.line, severity=severity)


def unsure(found: Iterable[Change]) -> tuple[Change, ...]:
    """Return the changes marked as uncertain: another reader recorded the earlier state, and its text is missing."""
    noted = "another version of Pactkeeper noted what it asserted, and git lacks that text: fetch the history, or look"
    return tuple(replace(one, kind="unread", message=f"{one.message} ({noted})", severity="warning") for one in found)


_ASLEEP, _HOLLOW, _CALLS, _UNREAD = "asleep", "hollow", "calls", "unread"
_MARK: Final = re.compile(r"asleep|hollow|calls|unread|[1-9]x\d{1,6}(?:\.[1-9]x\d{1,6}){0,8}")
_FIRM: Final = 5  # the least rank of an assertion that pins a value down


def baseline(strength: Strength) -> str:
    """Return `9x2.5x1`, two assertions of rank 9 and one of rank 5, or a word for a test without any."""
    if not strength.runs:
        return _ASLEEP
    if strength.unread:
        return _UNREAD
    ranks = Counter(max(rank(fact.claim), 1) for fact in strength.facts)
    if not ranks:
        return _CALLS if strength.acts else _HOLLOW
    return ".".join(f"{one}x{ranks[one]}" for one in sorted(ranks, reverse=True))


def since_baseline(mark: str, now: Strength, *, test: str) -> tuple[Change, ...]:
    """Return what got weaker since the mark was made; empty if nothing did or it cannot be determined."""
    present = baseline(now)
    if mark == present or _UNREAD in {mark, present} or mark in {_ASLEEP, _HOLLOW} or _MARK.fullmatch(mark) is None:
        return ()
    if present == _ASLEEP:
        return (Change("skipped", test, "it does not run any more", _words(mark), "skipped"),)
    if present == _HOLLOW or (present == _CALLS and mark != _CALLS):
        return (Change("hollow", test, "no assertion is left in it", _words(mark), _words(present)),)
    if any(_at_least(present, firm) < _at_least(mark, firm) for firm in range(1, 10)):
        return (Change("loosened", test, "it asserts less", _words(mark), _words(present), severity="warning"),)
    return ()


def _ranks(mark: str) -> dict[int, int]:
    pairs = (part.split("x") for part in mark.split(".")) if "x" in mark else ()
    return {int(one): int(times) for one, times in pairs}


def _at_least(mark: str, firm: int) -> int:
    return sum(times for one, times in _ranks(mark).items() if one >= firm)


def _words(mark: str) -> str:
    if mark in {_CALLS, _HOLLOW}:
        return "calls without an assertion" if mark == _CALLS else "nothing"
    every, firm = _at_least(mark, 1), _at_least(mark, _FIRM)
    return f"{every} {'assertion' if every == 1 else 'assertions'}, {firm} of a value"


_LONGEST: Final = 4_000
_WIDTH: Final = 120
_HEAD: Final = 40  # characters of the common part of two long facets that are kept from its start
_SHARED: Final = 24  # characters of the common part of two long facets that are kept before the difference
_SIGNS: Final = {
    "less": "<", "at_most": "<=", "greater": ">", "at_least": ">=",
    "contains": "contains", "contained_in": "in", "matches": "matches",
    "starts_with": "starts with", "ends_with": "ends with",
    "instance_of": "is instance of", "has_type": "has type", "approximately": "≈", "has_text": "has text",
    "has_property": "has property", "has_attribute": "has attribute", "called_times": "called times",
    "called_with": "called with", "returned": "returned", "length": "has length", "state": "is",
}  # fmt: skip
_TIGHT: Final = frozenset({"member", "some of", "row", "each", "object", "text", "stored", "entered", "decorated"})
_GRAMMAR: Final = re.compile(r"^[a-z]+(?:_[a-z]+)+")  # a node's kind in front of its sign
_BOUND: Final = re.compile(r"^(each|given)·(\d+)$")
_LETTERS: Final = {"each": "xyz", "given": "abc"}  # how variables that have lost their names are shown
DIGEST: Final = re.compile(r"‹\w+›|value·\w+")
_PATTERN: Final = re.compile(r"^(?:\(\?([ims]+)\))?(.*)$", re.DOTALL)
_BRACKETS: Final = {"list": "[]", "tuple": "()", "set": "{}", "mapping": "{}"}


def shown(fact: Fact) -> str:
    """One fact with its conditions, on one line; if a name stands for a long term in it, with its line of code."""
    text = claim_text(in_script(fact.claim), script=True) if fact.script else claim_text(fact.claim)
    if fact.conditions:
        conditions = [script_term(one) if fact.script else one for one in fact.conditions]
        text += " if " + " and ".join(map(_condition, conditions))
    text += "" if fact.awaited else " (not awaited)"
    return _short(f"{text}, by {fact.quote}" if fact.quote and DIGEST.search(text) else text)


def _condition(one: Expression) -> str:
    if isinstance(one, Operation) and one.operator == "unless-raised":
        return "no " + " or ".join(term_text(kind) for kind in one.operands) + " is raised"
    if isinstance(one, Operation) and one.operator == "raised":
        return (" or ".join(term_text(kind) for kind in one.operands) or "something") + " is raised"
    return term_text(one)


def _short(text: str) -> str:
    return _cut(text.replace("\n", " "), _LONGEST)


def beside(old: str, new: str) -> tuple[str, str]:
    """Return two facets as lines of a diff, omitting what long ones have in common and what stands for long terms."""
    old, new = (DIGEST.sub("…", text) for text in (old, new))
    if old == new != "":
        new += " (with another … than before)"
    pairs = zip(old, new, strict=False)
    shared = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(old), len(new)))
    cut = max(shared - _SHARED, 0) if max(len(old), len(new)) > _WIDTH else 0
    return _line(old, cut), _line(new, cut)


def _line(text: str, cut: int) -> str:
    return _cut(f"{text[:_HEAD]}…{text[cut:]}", _WIDTH + _HEAD) if cut > _HEAD and text else _cut(text, _WIDTH)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def shown_row(row: Collection) -> str:
    """Return the values of a row, without brackets around a single one."""
    text = _collection(row) if len(row.items) != 1 else term_text(row.items[0])
    return _cut(" ".join(text.split()), _WIDTH)


def shown_skip(skip: Skipped) -> str:
    """Return a skip with its condition and origin."""
    condition = f" if {term_text(skip.condition)}" if skip.condition is not None else ""
    where = "" if skip.origin == "test" else f" (by the {skip.origin})"
    match skip.condition:
        case Operation(operator="retried", operands=(times,)):
            return _short(f"retried, at most {term_text(times)} times{where}")
    return _short(f"{skip.kind}{condition}{where}")


def claim_text(claim: Claim, *, script: bool = False) -> str:
    """Return a claim close to its form in code, with `script` in JavaScript."""
    text = _relation_text(claim, script=script)
    if claim.each is not None:
        text += f" for {claim.each.kind} {term_text(claim.each.variable)} of {term_text(claim.each.over)}"
    return " or ".join([text, *(claim_text(other, script=script) for other in claim.alternatives)])


def _relation_text(claim: Claim, *, script: bool) -> str:
    subject, negation = term_text(claim.subject), "not " if claim.negated else ""
    extras = "".join(f", {extra.name}={term_text(extra.value)}" for extra in claim.qualifiers)
    if claim.relation in {"raises", "warns", "logs", "completes"}:
        watched = f" by {term_text(claim.object)}" if claim.object is not None else ""
        return f"{negation}{claim.relation} {subject}{extras}{watched}"
    if claim.relation == "state" and isinstance(claim.object, Value):
        return f"{subject} is {negation}{claim.object.text}{extras}"
    if claim.relation in {"equals", "same"}:
        return f"{subject} {_equality(claim, script=script)} {term_text(claim.object)}{extras}"
    if claim.relation in _SIGNS:
        return f"{subject} {negation}{_SIGNS[claim.relation]} {term_text(claim.object)}{extras}"
    object_ = f" {term_text(claim.object)}" if claim.object is not None else ""
    said = {"none": "null" if script else "None", "satisfies": "satisfied", "exists": "there"}
    return f"{subject} is {negation}{said.get(claim.relation, claim.relation)}{object_}{extras}"


def _equality(claim: Claim, *, script: bool) -> str:
    if script and (claim.relation == "same" or plainly_same(claim)):
        return "!==" if claim.negated else "==="
    if claim.relation == "equals":
        return "!=" if claim.negated else "=="
    return "is not" if claim.negated else "is"


def term_text(one: Expression | None) -> str:  # noqa: C901, PLR0911 - one case a form of expression
    """Return a term close to its form in code."""
    match one:
        case None:
            return ""
        case Name(name=name):
            return _BOUND.sub(lambda found: _LETTERS[found[1]][int(found[2]) % 3], name)
        case Value():
            return _literal(one)
        case Attribute(value=value, name=name) if name.startswith(ANOTHER):
            return f"another {_held(value)}"
        case Attribute(value=value, name=name):
            return name if value == TEST_SIDE else f"{_held(value)}.{name}"
        case Subscript(value=value, key=key):
            return f"{_held(value)}[{term_text(key)}]"
        case Call(function=function, arguments=arguments):
            given = [(f"{each.name}=" if each.name else "") + term_text(each.value) for each in arguments]
            return f"{_held(function)}({', '.join(given)})"
        case Collection():
            return _collection(one)
        case Operation():
            return _operation(one)
        case Opaque(text=text):
            return " ".join(text.split())
        case Raised(error=error):
            return f"the {term_text(error)}"
        case Captured(stream=stream):
            return stream


def _literal(value: Value) -> str:
    if value.kind == "string":
        return repr(value.text)
    if value.kind == "regex":
        return _PATTERN.sub(r"/\2/\1", value.text)
    return f"b{value.text!r}" if value.kind == "bytes" else value.text


def _collection(one: Collection) -> str:
    start, end = tuple(_BRACKETS[one.kind])
    if one.kind == "mapping":
        entries = entries_of(one.items)
        return start + ", ".join(f"{term_text(key)}: {term_text(value)}" for key, value in entries) + end
    one_of_tuple = "," if one.kind == "tuple" and len(one.items) == 1 else ""
    return start + ", ".join(term_text(item) for item in one.items) + one_of_tuple + end


def _held(one: Expression) -> str:
    """Return a term as the part of another one, in parentheses where they are needed to read it."""
    text = term_text(one)
    return f"({text})" if isinstance(one, Operation) and one.operator not in _TIGHT and " " in text else text


def _operation(one: Operation) -> str:
    if one.operator == "text":
        pieces = (each.text if isinstance(each, Value) else f"{{{term_text(each)}}}" for each in one.operands)
        return f"f{''.join(pieces)!r}"
    least, form = _FORMS.get(one.operator, (0, None))
    if form is not None and len(one.operands) >= least:
        return form(*map(term_text, one.operands))
    statement = _STATEMENT.match(one.operator)  # in JavaScript, one that has no form of its own
    sign = statement[1] if statement is not None else _GRAMMAR.sub("", one.operator)
    parts = [_held(part) for part in one.operands]
    match one.operands:
        case (Operation(operator=one.operator) as first, _):
            parts[0] = term_text(first)  # `a / b / c`
    if len(parts) == 1:
        return f"{sign} {parts[0]}".strip()
    if len(parts) == 2 and not sign.isalpha():  # noqa: PLR2004 - two sides
        return f"{parts[0]} {sign} {parts[1]}"
    return f"{sign}({', '.join(parts)})"


_STATEMENT: Final = re.compile(r"(throw|yield|return|if|else|while|for|do|try|catch|finally|switch|class)_")


def _denied(text: str) -> str:
    return f"!({text})" if " " in text else f"!{text}"


_FORMS: Final[Mapping[str, tuple[int, Callable[..., str]]]] = {
    "member": (2, "{}[{}]".format), "row": (2, "(a row of {})[{}]".format),
    "some of": (2, lambda _, some: some), "any": (1, "each of {}".format), "last": (1, "the last of {}".format),
    "if-else": (3, "{} if {} else {}".format), "stored": (1, "{}".format),
    "entered": (1, "{}".format), "decorated": (1, "{}".format), "drawn": (1, "a value of {}".format),
    "spread": (1, "*{}".format), "spread-mapping": (1, "**{}".format), "pair": (2, "{}: {}".format),
    "rest of": (1, "the rest of {}".format), "instanceof": (2, "{} instanceof {}".format),
    "not-in": (2, "{} not in {}".format), "is-not": (2, "{} is not {}".format),
    "slice": (1, lambda *parts: ":".join(parts)),
    "and": (1, lambda *parts: " and ".join(parts)), "or": (1, lambda *parts: " or ".join(parts)),
    "object": (0, lambda *parts: f"{{{', '.join(parts)}}}"),
    "=>": (1, lambda given, *body: f"{given} => {'; '.join(body) or '{}'}"),
    "assignment_expression": (2, "{} = {}".format), "variable_declarator": (1, lambda *parts: " = ".join(parts)),
    "statement_block": (0, lambda *parts: f"{{{'; '.join(parts)}}}"),
    "!": (1, _denied), "&&": (1, lambda *parts: " && ".join(parts)), "||": (1, lambda *parts: " || ".join(parts)),
    "?:": (3, lambda then, condition, other: f"{condition} ? {then} : {other}"), "...": (1, "...{}".format),
    "`": (0, lambda *parts: f"`{''.join(parts)}`"), "${": (1, "${{{}}}".format),
    "given": (1, lambda number: f"({', '.join('abc'[: int(number) if number.isdigit() else 0])})"),
    "each": (3, lambda element, variable, over, *conditions:
             f"[{element} for {variable} in {over}{''.join(f' if {each}' for each in conditions)}]"),
    RAISE: (1, "raise {}".format), "watched": (1, lambda *parts: " or ".join(parts)),
    "touched": (0, lambda part="it", *_: f"{part} (changed meanwhile)"),
    "changed": (0, lambda part="it", *_: f"{part} (changed meanwhile)"), "earlier": (1, "{} (asked before)".format),
}  # fmt: skip


_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_LONGEST_CAUSE: Final = 400  # tokens that are compared one by one; longer ones differ as a whole


def by_cause(found: Iterable[Change]) -> list[tuple[Change, ...]]:
    """Group findings by cause, in order; errors and warnings are never in the same group."""
    lines: defaultdict[Hashable, list[Change]] = defaultdict(list)
    for change in found:
        lines[_cause_line(change)].append(change)
    causes: defaultdict[Hashable, list[Change]] = defaultdict(list)
    for group in lines.values():
        causes[_cause(group[0])] += group
    return [tuple(group) for group in causes.values()]


def _cause_line(change: Change) -> Hashable:
    """Return a key shared by the cases of one assertion, and by the assertions a test lost for one reason."""
    place = change.line if change.new or not change.test else change.message
    return change.severity, change.kind, change.test, change.message, place


def _cause(change: Change) -> Hashable:
    """Return what was removed and added; where only one is there, or what is can't fail, the reason is the cause."""
    if change.old and change.new and change.kind != "hollow":
        return change.severity, *_difference(change.old, change.new)
    told = change if change.severity == "error" and not change.new else change.message
    return change.severity, change.kind, told, change.test.partition("::")[0], change.new


def _difference(old: str, new: str) -> tuple[Hashable, ...]:
    one, two = (_TOKEN.findall(DIGEST.sub("…", text)) for text in (old, new))
    shared = next((at for at, (mine, yours) in enumerate(zip(one, two, strict=False)) if mine != yours), None)
    if shared is None and len(one) == len(two):
        return ("what cannot be shown",)
    one, two = one[shared:], two[shared:]
    if max(len(one), len(two)) > _LONGEST_CAUSE:
        return tuple(one), tuple(two)
    steps = SequenceMatcher(None, one, two, autojunk=False).get_opcodes()
    return (frozenset((" ".join(one[a:b]), " ".join(two[c:d])) for tag, a, b, c, d in steps if tag != "equal"),)
