"""What a test can notice, as facts: each assertion that can still fail, and whether the test runs at all.

`compare` is a partial order over assertions about one value; for two facts it returns equal, stronger, weaker, or
incomparable. "Stronger" is implication: whatever makes the old assertion fail makes the new one fail too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Raised,
    Subscript,
    Value,
)
from pactkeeper.intent.strength.errors import coded, worded
from pactkeeper.intent.strength.expected import covers, plainly_same
from pactkeeper.intent.strength.following import follows
from pactkeeper.intent.strength.program import MOST_ROWS, SkipKind, without_modules
from pactkeeper.intent.strength.relations import OF_ONE_RELATION, OF_OTHERS, is_narrower
from pactkeeper.intent.strength.substitution import simplified
from pactkeeper.intent.strength.terms import is_part, last_name, rebuilt, root, terms_of


@dataclass(frozen=True, slots=True)
class Fact:
    """One assertion that a test reaches, in terms of what the test builds and calls, without local names.

    `conditions` must hold for it to be made. `line`, `quote` and `via` (the helper that makes it) only locate it; they
    are not part of what it says, and neither is `fixture`: the fixture or hook that makes it for every test. `script`
    says that the test is written in JavaScript. `moment` numbers what the test has done before it, and is 0 if that is
    unknown: the same assertion at another moment is another assertion.
    """

    claim: Claim
    conditions: tuple[Expression, ...] = ()
    awaited: bool = True
    line: int = field(default=0, compare=False)
    quote: str = field(default="", compare=False)
    via: str = field(default="", compare=False)
    fixture: str = field(default="", compare=False)
    script: bool = field(default=False, compare=False)
    moment: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Pace:
    """How much time a test lets pass before an assertion, and whether it `forgets` the calls that it is about.

    They are cleared "at once" before it, or "later" than some of the test's steps.
    """

    claim: Claim
    passed: str
    forgets: str = ""


@dataclass(frozen=True, slots=True)
class Dead:
    """An assertion in the source that cannot make the test fail, and why."""

    why: str
    line: int
    quote: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A mark or call that keeps the test from running or from counting, on the platforms where it applies.

    `always` means that it applies on every platform in the table; otherwise `condition` holds its condition as written,
    which files of the repository decide if it is its `own`.
    """

    kind: SkipKind
    always: bool
    condition: Expression | None = None
    origin: str = "test"
    line: int = field(default=0, compare=False)
    strict: bool = False
    own: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Strength:
    """The effective strength of a test: its own facts and those of the helpers, fixtures and hooks it reaches.

    `acts` are the calls it makes, which at least must not raise, `steps` those in its own body, each taken so many
    `times`, `setup` those in fixtures and hooks, and `handing` those that are handed a function, as they are written;
    `mocks` is what it replaces, and `doubles` are names that belong to the test side, each with a space and its module
    behind it if that leads to no file. `table` has the values of each of its `rows`. `fixed` are constants that
    something outside of its body sets to another value; `sources` are the whole dotted names of what its file imports.
    `tries` is how many examples a property is tried with, if the test says so. `unread` are reasons why something may
    be missing from `facts`; `judge` is the file whose own `expect` decides about them, if it is no package's; `runner`
    and `relay` are of whose own `it` declares the test, see `Program`. `paces` are of its assertions, in their order.
    `inline` are the snapshots in its own text, as files would store them.
    """

    facts: tuple[Fact, ...] = ()
    dead: tuple[Dead, ...] = ()
    skips: tuple[Skipped, ...] = ()
    acts: tuple[Expression, ...] = ()
    steps: tuple[Expression, ...] = ()
    times: tuple[int, ...] = ()
    setup: tuple[Expression, ...] = ()
    mocks: tuple[str, ...] = ()
    rows: int = 1
    table: tuple[Collection, ...] = field(default=(), compare=False)
    tries: int | None = None
    unread: tuple[str, ...] = ()
    judge: str = ""
    runner: str = ""
    relay: str = ""
    doubles: tuple[str, ...] = ()
    fixed: tuple[str, ...] = field(default=(), compare=False)
    sources: tuple[str, ...] = field(default=(), compare=False)
    handing: tuple[Call, ...] = field(default=(), compare=False)
    paces: tuple[Pace, ...] = ()
    inline: tuple[str, ...] = field(default=(), compare=False)

    @property
    def runs(self) -> bool:
        """Whether it runs somewhere and its failure counts."""
        return not any(skip.always and not skip.strict for skip in self.skips)

    @property
    def imported(self) -> frozenset[str]:
        """The names of what its file imports, without their modules."""
        return without_modules(self.sources)

    @property
    def hollow(self) -> bool:
        """Whether nothing is left in it that can fail."""
        return not (self.facts or self.acts or self.unread)


STORED: Final = Name("stored snapshots")  # without numbers, which a new entry shifts
MOST_FACTS: Final = 2_000
MOST_ACTS: Final = 5_000
TOO_MANY: Final = f"more than {MOST_FACTS:,} assertions or {MOST_ACTS:,} steps"
MORE_ROWS: Final = f"more than {MOST_ROWS} rows, of which only the first are compared"
Order = Literal["equal", "stronger", "weaker", "incomparable"]
_EQUAL: Final = frozenset({"equals", "same"})
_OF_LISTS: Final = frozenset({"contains", "length", "empty", "truthy"})
# How much a relation pins down if nothing else decides: equality most, existence least.
_RANK: Final[Mapping[str, int]] = {
    "same": 9, "equals": 9, "called_with": 8, "raises": 8, "warns": 8, "snapshot": 8, "returned": 8, "has_text": 8,
    "approximately": 7, "logs": 7, "length": 6, "called_times": 6, "contained_in": 6, "matches": 5, "contains": 5,
    "starts_with": 5, "ends_with": 5, "has_property": 5, "state": 5, "less": 4, "at_most": 4, "greater": 4,
    "at_least": 4, "has_type": 4, "instance_of": 3, "empty": 6, "satisfies": 3, "has_attribute": 2, "called": 2,
    "visible": 2, "exists": 2, "truthy": 2, "falsy": 2, "none": 9, "undefined": 9, "completes": 1,
}  # fmt: skip
_DENIED: Final = {"equals": 7, "same": 7, "none": 7, "undefined": 7, "empty": 3}  # how much less the negation says
_NEXT_TO_NOTHING: Final = 2  # the rank of mere existence
_UNORDERED: Final = frozenset({"sorted", "sort", "toSorted", "set", "frozenset"})  # say nothing of an order
_PYTHONS: Final = (Value("boolean", "True"), Value("boolean", "False"))
WRITTEN_OUT: Final = frozenset(
    {"str", "repr", "list", "tuple", "dict", "bytes", "dumps", "fspath", "asdict", "encode", "String", "toString"}
)


def compare(old: Fact, new: Fact) -> Order:
    """Compare the new fact with the old one, all facets combined."""
    forward, backward = implies(new, old), implies(old, new)
    if forward and backward:
        return "equal"
    if forward:
        return "stronger"
    return "weaker" if backward else "incomparable"


def implies(one: Fact, other: Fact) -> bool:
    """Whether `one` fails wherever `other` fails."""
    if not no_narrower(one, other):
        return False
    if other.awaited and not one.awaited:
        return False
    return claim_implies(one.claim, other.claim) or (not one.script and _looks_up(one.claim, other.claim))


def _looks_up(one: Claim, other: Claim) -> bool:
    """Whether a claim is about an entry that another one expects to be there, and which Python would miss."""
    entry = Subscript(other.subject, other.object) if other.object is not None else None
    return other.relation == "contains" and not other.negated and entry is not None and is_part(entry, one.subject)


def no_narrower(one: Fact, other: Fact) -> bool:
    """Whether a fact is made wherever another one is; equal terms are mostly one object, so `in` needs no hashing."""
    return all(condition in other.conditions for condition in one.conditions)


def claim_implies(one: Claim, other: Claim) -> bool:
    """Whether a claim entails another one."""
    if one == other:
        return True
    if one.alternatives:
        parts = (_alone(one), *one.alternatives)
        return all(claim_implies(part, other) for part in parts)
    if other.alternatives:
        return any(claim_implies(one, part) for part in (_alone(other), *other.alternatives))
    if one.each != other.each:
        return _each_implies(one, other)
    if {one.relation, other.relation} == _EQUAL and plainly_same(one) and plainly_same(other):
        one, other = replace(one, relation="equals"), replace(other, relation="equals")
    if one.relation in {"raises", "warns", "completes"} and other.relation in _OF_AN_ERROR:
        return _fails_alike(one, other)
    if listed(one.subject) == other.subject and other.relation in _OF_LISTS:
        one = replace(one, subject=other.subject)
    if one.subject != other.subject and one.relation not in {"raises", "warns"}:
        return _projected(one, other)
    return _about_one(one, other)


_OF_AN_ERROR: Final = frozenset({"equals", "contains", "starts_with", "instance_of", "raises"})


def _fails_alike(one: Claim, other: Claim) -> bool:
    """Whether an expected error, or that there is none, entails a claim about an error, its class or its text."""
    if one.relation == "completes":
        return other.relation == "raises" and other.negated and one.subject == other.object
    if other.relation == "raises":
        return _about_one(one, other)
    if other.relation == "instance_of":
        raised = isinstance(other.subject, Raised) and other.object is not None and not (one.negated or other.negated)
        return raised and is_narrower(one.subject, other.object or other.subject)
    return coded(one, other) or worded(one, other)


def listed(one: Expression) -> Expression | None:
    """Return what is listed completely: `x` in `x.keys()`, `list(x)` or `sorted(x)`."""
    match one:
        case Call(function=Attribute(value=value, name="keys"), arguments=()):
            return value
        case Call(function=Name(name="list" | "sorted" | "tuple"), arguments=(Argument(value=value, name=None),)):
            return value
    return None


def _alone(claim: Claim) -> Claim:
    return Claim(
        claim.relation, claim.subject, claim.object, negated=claim.negated, qualifiers=claim.qualifiers, each=claim.each
    )


def _each_implies(one: Claim, other: Claim) -> bool:
    if one.each is None or other.each is None:
        return False
    same = one.each.variable == other.each.variable and one.each.over == other.each.over
    narrower = one.each.kind == "every" and other.each.kind == "some"
    plain = [Claim(each.relation, each.subject, each.object, negated=each.negated, qualifiers=each.qualifiers)
             for each in (one, other)]  # fmt: skip
    return same and narrower and claim_implies(*plain)


def _projected(one: Claim, other: Claim) -> bool:
    """Whether equality of a whole entails a claim about a part: `x == [1, 2]` entails `len(x) == 2` and `x[0] == 1`."""
    if one.negated or other.negated:
        return False
    whole = one.object
    if one.relation == "contains" and whole is not None and isinstance(other.subject, Attribute | Subscript):
        entry = simplified(rebuilt(other.subject, lambda part: whole if part == one.subject else part))
        known = entry != other.subject and not is_part(whole, entry)  # an entry of what is contained, written there
        return known and claim_implies(Claim("equals", other.subject, entry), other)
    if one.relation not in _EQUAL:
        return False
    is_cut = isinstance(other.subject, Subscript) and other.object == one.object  # a part that equals the former whole
    return follows(one, other) and not is_cut


def _about_one(one: Claim, other: Claim) -> bool:
    rule = OF_OTHERS.get(one.relation)
    if one.relation == other.relation and one.negated == other.negated:
        same = OF_ONE_RELATION.get(one.relation)
        return same(one, other) if same is not None else _objects(one, other)
    if one.negated:
        return _negated_implies(one, other)
    return rule(one, other) if rule is not None else False


def _negated_implies(one: Claim, other: Claim) -> bool:
    if (one.relation, other.relation) == ("equals", "same"):
        return other.negated and one.object == other.object
    if one.relation == "none":  # it is something: nothing weaker matters
        return other.relation in {"undefined", "exists"}
    if one.relation == "empty":
        return other.relation in {"truthy", "exists"} or (other.relation == "none" and other.negated)
    return False


def _objects(one: Claim, other: Claim) -> bool:
    """Compare two claims with one relation and subject: expected value and qualifiers must say as much."""
    if not covers(one.object, other.object):
        return False
    mine = {extra.name: extra.value for extra in one.qualifiers}
    return all(extra.name in mine and covers(mine[extra.name], extra.value) for extra in other.qualifiers)


def rank(claim: Claim) -> int:
    """How much a relation pins down, from 0 for nothing to 9 for an exact value."""
    denied = _DENIED.get(claim.relation, 0) if claim.negated else 0
    inline = claim.relation == "snapshot" and claim.object is not None
    found = max(_RANK.get("equals" if inline else claim.relation, 3) - denied, 1)
    return min([found, *(rank(other) for other in claim.alternatives)])


def as_firm(old: Claim, new: Claim) -> bool:
    """Whether a claim pins down no less than another one, by its relation alone."""
    return rank(new) >= rank(old)


def loosened(old: Claim, new: Claim) -> bool:
    """Whether a claim about the same value, or about something made of it, plainly pins down less than before."""
    related = old.subject == new.subject or is_part(old.subject, new.subject)
    formed = isinstance(old.subject, Call) and last_name(old.subject) in WRITTEN_OUT | _UNORDERED
    related = related or (formed and rank(new) <= _NEXT_TO_NOTHING and is_part(new.subject, old.subject))
    return related and (not as_firm(old, new) or (bool(new.alternatives) and not old.alternatives))


def is_converted(old: Claim, new: Claim) -> bool:
    """Whether a claim is another one in a different form.

    `str(x) == "1"` for `x == 1`, `isinstance(x, int)` for `type(x) is int`. Linters suggest `assert x` for `assert x ==
    True`. The same applies if an exception is expected from the same call among others, and if a function is asked
    about both values: `re.search(re.escape(x), y)` for `x in y`.
    """
    asked = terms_of(new.subject) if new.relation == "truthy" and isinstance(new.subject, Call) else ()
    if not new.negated and {old.subject, old.object}.issubset(asked):
        return True
    if (old.relation, new.relation) == ("has_type", "instance_of") and not old.negated:
        return True
    if (old.relation, new.relation) == ("equals", "truthy") and old.object in _PYTHONS:
        return True
    if old.relation in _EQUAL and replace(new, subject=old.subject) == old and is_part(old.subject, new.subject):
        return last_name(new.subject) not in _UNORDERED  # the same value is expected of something read from it
    if old.relation in {"raises", "warns"} and new.relation == old.relation and old.object != new.object:
        return replace(new, object=old.object) == old
    made = root(new.subject)
    whole = isinstance(made, Call) and made != root(old.subject) and is_part(old.subject, made)
    return whole and as_firm(old, new) and last_name(made) in WRITTEN_OUT


def same_value(one: Expression, other: Expression) -> bool:
    """Whether two subjects are one value, or one is read or derived from the other."""
    if one == other or is_part(one, other) or is_part(other, one):
        return True
    first, second = root(one), root(other)
    return first == second and not isinstance(first, Value) and first != Name("")
