"""What a test's source asserts, in one language-neutral form that wording turns into sentences.

A language adapter extracts `TestEvidence` from the syntax tree; `intent.wording` reads only this. Nothing here is
specific to Python or JavaScript: `assertEqual(a, b)`, `assert a == b` and `expect(a).toBe(b)` are the same `Claim`.

What `subject`, `object` and `qualifiers` mean depends on the relation; unless listed below, the claim reads "subject
relation object":

    raises warns       subject: the type (`Name("Error")` or `Name("Exception")` if any will do);
                       object: the call that raises, if any;
                       qualifiers `match` (a pattern), `message` (the exact text), `code`;
                       negated: nothing is raised (or nothing of that type)
    completes          subject: the call that must not fail, must finish or must resolve
    logs               subject: what logs, `Name("log")` if unknown; object: the message;
                       qualifiers `level`, `match`
    contains           object: a member, a substring, or a mapping of which all entries must be present
    contained_in       object: a collection, or a `Collection` written out ("is one of")
    matches            object: a `regex` Value, or the name of a pattern, schema or shape
    approximately      qualifiers `tolerance` (absolute), `relative`, `places`
    length             object: the number of members
    truthy falsy undefined empty visible exists called    no object
    none               object: the `none` Value as the language writes it, if that is not None
    state              object: a `string` Value that completes "subject is ...": 'disabled', 'sorted', 'NaN'
    has_type           the exact type; instance_of: the type or a subtype
    has_property       object: the key or name; qualifier `value` if its value is asserted as well
    called_times       object: the number of calls
    called_with        object: a `Call` whose arguments are those asserted;
                       qualifiers `times` (a number), `position` ('last', 'any' or a number)
    returned           subject: a spy or function; object: what it returned
    snapshot           subject: what is compared with a stored snapshot; object: an inline snapshot
    satisfies          subject: the expression that must hold, if no other relation says it;
                       never the truthiness of a plain value
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, Literal

Expects = Literal["pass", "fail", "either"]

Relation = Literal[
    "equals", "same", "approximately", "contains", "contained_in", "matches", "starts_with", "ends_with", "truthy",
    "falsy", "none", "undefined", "instance_of", "has_type", "less", "at_most", "greater", "at_least", "length",
    "empty", "has_property", "has_attribute", "raises", "warns", "logs", "completes", "called", "called_times",
    "called_with", "snapshot", "returned", "visible", "exists", "state", "has_text", "satisfies",
]  # fmt: skip

AmbiguityReason = Literal[
    "no_sentence",
    "shared_sentence",
    "expected_failure",
    "no_assertion",
    "call_count_assertion",
    "mock_only",
    "snapshot_only",
    "generic_name",
    "name_disagrees",
    "private_access",
    "several_behaviours",
    "unresolvable_value",
    "weak_words",
]


class _Deep:
    """A form with parts; its hash and size are computed once, because terms are deep and looked up often."""

    __slots__ = ("_hash", "_size")
    _hash: int
    _size: int

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            found = hash((type(self), *map(self.__getattribute__, self.__match_args__)))  # type: ignore[attr-defined]
            object.__setattr__(self, "_hash", found)
            return found


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, function or class by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Attribute(_Deep):
    """`value.name`."""

    __hash__ = _Deep.__hash__
    value: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Subscript(_Deep):
    """`value[key]`."""

    __hash__ = _Deep.__hash__
    value: Expression
    key: Expression


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call; `name` is None for a positional one."""

    value: Expression
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Call(_Deep):
    """`function(arguments)`; `await` and `new` are left out because they are not observable."""

    __hash__ = _Deep.__hash__
    function: Expression
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Value:
    """A literal in the source; `text` is its value without quotes, with digits as written."""

    kind: Literal["string", "number", "boolean", "none", "undefined", "regex", "bytes"]
    text: str


@dataclass(frozen=True, slots=True)
class Operation(_Deep):
    """An operator with its operands, spelled the same for all languages.

    Arithmetic and bits `+ - * / // % ** @ & | ^ << >> ~`, logic `not and or`, comparison `== != < <= > >= in not-in is
    is-not`, and: `if-else` (value, condition, otherwise), `slice` (start, stop, step; `Opaque("")` if omitted; used as
    the key of a `Subscript`), `text` (a formatted or template string: its parts in order), `each` (a comprehension or
    `map`: element, variable, iterable, then the condition, if any), `typeof`, `spread` and `spread-mapping`.
    """

    __hash__ = _Deep.__hash__
    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Collection(_Deep):
    """A list, tuple, set or mapping display; a mapping's items alternate key and value."""

    __hash__ = _Deep.__hash__
    kind: Literal["list", "tuple", "set", "mapping"]
    items: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Opaque:
    """Source text of anything that no other form covers."""

    text: str


@dataclass(frozen=True, slots=True)
class Raised:
    """The exception (warning, rejection reason) that an earlier claim of the test says is raised."""

    error: Expression


@dataclass(frozen=True, slots=True)
class Captured:
    """What the code under test wrote while it ran, caught by the test."""

    stream: Literal["output", "error_output", "log", "warnings"]


Expression = Name | Attribute | Subscript | Call | Value | Operation | Collection | Opaque | Raised | Captured


def names_in(expressions: Iterable[Expression | None]) -> frozenset[str]:
    """All variable names that occur in the expressions."""
    parts = (part for one in expressions if one is not None for part in descendants(one))
    return frozenset(part.name for part in parts if isinstance(part, Name))


def descendants(one: Expression) -> Iterator[Expression]:
    """The expression and all its parts, at any depth."""
    pending = [one]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(children(part))


def children(one: Expression) -> tuple[Expression, ...]:
    """The direct parts of an expression."""
    parts = _PARTS.get(type(one))
    return () if parts is None else parts(one)


_PARTS: Final[Mapping[type, Callable[[Any], tuple[Expression, ...]]]] = {
    Attribute: lambda one: (one.value,),
    Subscript: lambda one: (one.value, one.key),
    Call: lambda one: (one.function, *[argument.value for argument in one.arguments]),
    Operation: attrgetter("operands"),
    Collection: attrgetter("items"),
    Raised: lambda one: (one.error,),
}


def size(one: Expression) -> int:
    """Count the parts of an expression at any depth, and itself."""
    if not isinstance(one, _Deep):
        return 1 + sum(map(size, children(one)))
    try:
        return one._size  # noqa: SLF001 - as `__hash__` does
    except AttributeError:
        found = 1 + sum(map(size, children(one)))
        object.__setattr__(one, "_size", found)
        return found


@dataclass(frozen=True, slots=True)
class Each:
    """The members a claim is made about: `every` or `some` `variable` of `over`."""

    kind: Literal["every", "some"]
    variable: Expression
    over: Expression


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a test asserts; the module docstring says what each relation's parts mean.

    `negated` inverts the relation. `qualifiers` hold named extras. `repeated` means the claim is made for every row of
    a loop or table; `each` says over what, if that is plain. `alternatives` are claims of which one may hold instead
    ("or"). `holds` are the values of this claim's names at this line, for names the test assigns more than once (they
    override `TestEvidence.definitions`). `turns` say, for reassigned names, which of their values the claim is about: 2
    is the second one. `condition` is the branch under which the claim is made. `via` names the project's own assertion
    helper that was followed. `line` and `quote` are the evidence: the first line, counted from 1, and its source text.
    `inverted` means it is inside something that must raise (`with pytest.raises(…):`, `expect(() =>
    expect(…)).toThrow()`): it is not reached or does not hold, or else only what follows it raises.
    """

    relation: Relation
    subject: Expression
    object: Expression | None = None
    negated: bool = False
    qualifiers: tuple[Argument, ...] = ()
    repeated: bool = False
    via: str | None = None
    condition: Expression | None = None
    line: int = 0
    quote: str = ""
    each: Each | None = None
    alternatives: tuple[Claim, ...] = ()
    holds: tuple[tuple[str, Expression], ...] = ()
    turns: tuple[tuple[str, int], ...] = ()
    inverted: bool = False


@dataclass(frozen=True, slots=True)
class TestEvidence:
    """Everything read from one test's source for inference.

    `definitions` are local variables with a plain value: assigned once, before the claims. `actions` are the calls the
    test makes outside its assertions, in order. `reasons` are ambiguities the adapter itself saw, such as an assertion
    helper it could not follow (`unresolvable_value`). `parameters` are the names a table or parametrisation fills and
    `rows` the values, one entry per row in the order of `parameters`, empty if they are not written out. `markers` are
    the names of markers and tags in source order (`slow`, `xfail`, `skip`, `fails`). `expects` is what the runner
    expects of the test: `fail` if it is reported as broken once it passes (`it.fails`, a strict xfail), `either` if it
    is never reported (an xfail that is not strict, or only under a condition). `free_text_name` means the name is prose
    (a title) and not an identifier; each suite is judged by its own form. `computed` are the titles, its own and its
    suites', that are built at run time.
    """

    __test__ = False

    test_id: str
    suite: tuple[str, ...]
    name: str
    docstring: str | None = None
    parameters: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    definitions: tuple[tuple[str, Expression], ...] = ()
    actions: tuple[Call, ...] = ()
    reasons: tuple[AmbiguityReason, ...] = ()
    free_text_name: bool = False
    rows: tuple[tuple[Expression, ...], ...] = ()
    markers: tuple[str, ...] = ()
    expects: Expects = "pass"
    computed: tuple[str, ...] = ()

    def expressions(self) -> Iterator[Expression]:
        """Everything that the test does and asserts, with all parts."""
        parts: list[Expression | None] = [*self.actions, *(value for _, value in self.definitions)]
        for claim in self.claims:
            parts += (claim.subject, claim.object, *(held for _, held in claim.holds))
        for one in parts:
            if one is not None:
                yield from descendants(one)
