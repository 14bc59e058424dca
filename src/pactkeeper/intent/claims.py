"""What a test's source states, in one language-neutral form that wording turns into sentences.

A language adapter extracts `TestEvidence` from syntax; `intent.wording` reads only this. Nothing here knows Python or
JavaScript: `assertEqual(a, b)`, `assert a == b` and `expect(a).toBe(b)` are the same `Claim`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Relation = Literal[
    "equals",
    "same",
    "approximately",
    "contains",
    "contained_in",
    "matches",
    "starts_with",
    "ends_with",
    "truthy",
    "falsy",
    "none",
    "undefined",
    "instance_of",
    "has_type",
    "less",
    "at_most",
    "greater",
    "at_least",
    "length",
    "empty",
    "has_property",
    "has_attribute",
    "raises",
    "warns",
    "logs",
    "completes",
    "called",
    "called_times",
    "called_with",
    "snapshot",
    "visible",
    "has_text",
    "satisfies",
]

AmbiguityReason = Literal[
    "no_assertion",
    "call_count_assertion",
    "mock_only",
    "snapshot_only",
    "generic_name",
    "name_disagrees",
    "private_access",
    "several_behaviours",
    "unresolvable_value",
]


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, function or class by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """`value.name`."""

    value: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Item:
    """`value[key]`."""

    value: Expression
    key: Expression


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call; `name` is None for a positional one."""

    value: Expression
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)`; awaiting and `new` are left out, they are not observable."""

    function: Expression
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Value:
    """A value written in the source; `text` is its value without quotes, digits as written."""

    kind: Literal["string", "number", "boolean", "none", "undefined", "regex", "bytes"]
    text: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with its operands, `operator` in one spelling for all languages: `+ - not and or == in if-else`."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Collection:
    """A list, tuple, set or mapping display; a mapping's items alternate key and value."""

    kind: Literal["list", "tuple", "set", "mapping"]
    items: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Opaque:
    """Source text of something none of the other forms says."""

    text: str


Expression = Name | Attribute | Item | Call | Value | Operation | Collection | Opaque


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a test asserts.

    `negated` turns the relation around. `qualifiers` hold named extras such as `match`, `tolerance` or `message`.
    `repeated` means the claim holds for every row of a loop or table. `via` names the project's own assertion helper
    that was followed. `line` and `quote` are the evidence: the first line, counted from 1, and its source text.
    `condition` is the branch under which the claim is made, where there is one.
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


@dataclass(frozen=True, slots=True)
class TestEvidence:
    """All that is read from one test's source for inference.

    `definitions` are local variables whose value is plain: assigned once, before the claims. `actions` are the calls
    the test makes outside its assertions, in order. `reasons` are ambiguities the adapter itself saw, such as an assertion
    helper it could not follow (`unresolvable_value`).
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
