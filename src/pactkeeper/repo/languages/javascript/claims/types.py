"""Static type assertions of tsd, TSTyche, expect-type and Vitest, each read as one claim.

The expected type is kept as text with normalized whitespace. `any` and `unknown` assert only that there is a type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Expression,
    Name,
    Opaque,
    Relation,
    Subscript,
    Value,
)
from pactkeeper.repo.languages.javascript.claims.expressions import UNREAD, Reading, Scope
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    bare,
    body_of,
    chain,
    children,
    is_function,
    parameters_of,
    squeezed,
    text,
)

if TYPE_CHECKING:
    from tree_sitter import Node

TYPE_ERROR: Final = Name("type error")
_UNCHECKED: Final = re.compile(r"(?://|/\*)[\s*]*+@ts-nocheck\b")
_SILENCED: Final = re.compile(r"(?://|/\*)[\s*]*+@ts-(?:ignore|expect-error)\b")
# Whether the type must be identical or merely assignable: `expectType<T>(x)`, `expectTypeOf(x).toExtend<T>()`.
_STATED: Final[Mapping[str, tuple[Relation, bool]]] = {
    "assertType": ("has_type", False), "expectType": ("has_type", False), "expectNotType": ("has_type", True),
    "expectAssignable": ("instance_of", False), "expectNotAssignable": ("instance_of", True),
    "expectError": ("instance_of", True),
    "expectNever": ("has_type", False),
}  # fmt: skip
_MATCHERS: Final[Mapping[str, Relation]] = {
    **dict.fromkeys(("toEqualTypeOf", "toMatchObjectType", "toBe", "toEqual"), "has_type"),
    **dict.fromkeys(("toExtend", "toMatchTypeOf", "toBeInstanceOf", "toBeAssignableTo", "toMatch"), "instance_of"),
}  # fmt: skip
_OF_COMMENTS: Final = frozenset({"expectDeprecated", "expectNotDeprecated", "expectDocCommentIncludes"})
_TURNED: Final = frozenset({"toBeAssignableFrom", "toBeAssignableWith"})
_TYPE_EQUALITY: Final = frozenset({"assertEqual", "assertEquals", "assertTypesEqual", "expectEqual"})
# Types that are `true` where two types are equal: `expectType<TypeEqual<A, B>>(true)`.
_EQUALITIES: Final = frozenset({"TypeEqual", "TypesEqual", "Equal", "Equals", "IsEqual", "IsExact"})
_FITS: Final = frozenset({"TypeOf"})  # that the second type is assignable to the first, as in ts-expect
STATING: Final = re.compile(rb"\b(?:expectTypeOf|%s)\b|\.type\." % "|".join(_STATED).encode())
_HOLDS: Final = frozenset({"assert", "assertType", "expectType", "expect"})
_ANYTHING: Final = frozenset({"any", "unknown"})
_READABLE: Final = 60
_DEEPEST: Final = 5
_NAMES: Final = frozenset({"type_identifier", "predefined_type", "nested_type_identifier"})
_WHOLE: Final = frozenset({"template_literal_type", "regex"})
_CLOSE: Final = frozenset({",", ";", ":", "?:", ")", "]", ">", "?", "."})  # no space precedes these
_OPEN: Final = frozenset({"(", "[", "<", "."})
_DERIVED: Final = {"infer": "inferred", "TypeOf": "inferred", "ReturnType": "return"}
_NAMED: Final = {
    **{f"toBe{name}": name.lower() for name in ("String", "Number", "Boolean", "Function", "Object", "Any", "Unknown",
                                                "Never", "Void", "Null", "Undefined", "Symbol")},
    "toBeArray": "Array", "toBeBigInt": "bigint", "toBeUniqueSymbol": "unique symbol",
}  # fmt: skip


def typing(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    """Read a static type assertion, which says nothing where no error is reported; None if the chain isn't one."""
    reading = _typing(links, scope)
    return Reading() if reading is not None and _is_silenced(links[-1].node) else reading


def is_unchecked(root: Node) -> bool:
    """Whether a comment before the first statement of a file keeps the compiler from reporting any error in it."""
    for node in root.children:
        if node.type not in {"comment", "hash_bang_line"}:
            return False
        if _UNCHECKED.match(text(node)) is not None:
            return True
    return False


def _is_silenced(call: Node) -> bool:
    """Whether a comment keeps the compiler from reporting a call: one of its file, or of the line it is on."""
    statement = root = call
    while root.parent is not None:
        root = root.parent
        statement = statement if statement.type.endswith("_statement") else root
    before = statement.prev_named_sibling
    silenced = before is not None and before.type == "comment" and _SILENCED.match(text(before)) is not None
    return (silenced and call.end_point[0] == statement.start_point[0]) or is_unchecked(root)


def _typing(links: tuple[Link, ...], scope: Scope) -> Reading | None:
    first, last = links[0], links[-1]
    if first.name == "expectError" and first.arguments and not first.types:
        return Reading((Claim("raises", TYPE_ERROR, refused(first.arguments[0], scope)),))
    equal = _stated_equality(first, scope) if first.name in _HOLDS and len(links) == 1 else None
    if equal is not None:
        return Reading((equal,))
    if first.name in _STATED and first.arguments is not None:
        return _stated(first, scope)
    if first.name in _OF_COMMENTS and first.arguments:
        about = scope.read(first.arguments[0])
        written = Value("string", f"{first.name}({_written(first, scope)})")
        return Reading((Claim("state", about.function if isinstance(about, Call) else about, written),))
    if first.name == "expectTypeOf" and first.arguments is not None:
        return _expect_type(links, scope)
    if first.name == "expect" and len(links) > 1 and (links[1].name, links[1].arguments) == ("type", None):
        return _expect_type((first, *links[2:]), scope)
    if last.name in _TYPE_EQUALITY and len(last.types) == 2 and len(last.arguments or ()) <= 1:  # noqa: PLR2004 - two types
        return Reading((_equal_types(last.types[0], last.types[1], scope),))
    return None


def refused(node: Node, scope: Scope) -> Expression:
    """Return what the compiler should reject: the expression inside an assertion or a one-expression function."""
    links = chain(node)
    if links[0].arguments and typing(links, scope) is not None:
        node = links[0].arguments[0]
    body = body_of(bare(node)) if is_function(bare(node)) and not parameters_of(bare(node)) else None
    inner = children(body) if body is not None and body.type == "statement_block" else [body or node]
    return scope.read(bare(inner[0] if len(inner) == 1 else node))


def _stated(link: Link, scope: Scope) -> Reading:
    relation, negated = _STATED[link.name]
    if not link.arguments or not (link.types or link.name == "expectNever"):
        return UNREAD
    wanted = _type(link.types[0], scope) if link.types else Name("never")
    return Reading((_firm(Claim(relation, _value(link.arguments[0], scope), wanted, negated=negated)),))


def _firm(claim: Claim) -> Claim:
    """Weaken a claim about `any` or `unknown`, which every value satisfies, to existence."""
    said = claim.object.name if isinstance(claim.object, Name) else ""
    return Claim("exists", claim.subject) if said in _ANYTHING and not claim.negated else claim


def _expect_type(links: tuple[Link, ...], scope: Scope) -> Reading:
    """Read what a matcher says of a type; of a value that is given a type first, the matcher only sees that type."""
    last = links[-1]
    if len(links) < 2 or last.arguments is None:  # noqa: PLR2004 - a matcher follows
        return UNREAD
    types, given = links[0].types, last.arguments
    negated = sum(link.name == "not" for link in links[1:-1]) % 2 == 1
    if last.name in _TURNED and types and given:
        return Reading((Claim("instance_of", _value(given[0], scope), _type(types[0], scope), negated=negated),))
    if links[0].types and links[0].arguments:
        return Reading((Claim("instance_of", _value(links[0].arguments[0], scope), _type(types[0], scope)),))
    subject = _subject(links[0], scope)
    for link in links[1:-1]:
        subject = _part(subject, link, scope) if link.name != "not" else subject
    return Reading((_matched(subject, last, scope, negated=negated),))


def _part(subject: Expression, link: Link, scope: Scope) -> Expression:
    """Select part of the subject's type: `.parameter(0)`, `.parameters`, `.returns`, `.resolves`, `.items`."""
    if link.name == "parameter" and link.arguments:
        return Subscript(Attribute(subject, "parameters"), scope.read(link.arguments[0]))
    if link.name == "returns":
        return Call(subject)
    if link.name == "resolves":
        return subject
    part = Attribute(subject, link.name)
    return part if link.arguments is None else Call(part, (Argument(Opaque(_written(link, scope))),))


def _matched(subject: Expression, link: Link, scope: Scope, *, negated: bool) -> Claim:
    given = link.arguments or ()
    if link.name in _NAMED:
        return _firm(Claim("has_type", subject, Name(_NAMED[link.name]), negated=negated))
    if link.name == "toHaveProperty" and given:
        return Claim("has_property", subject, scope.read(given[0]), negated=negated)
    if link.name == "toBeCallableWith" and negated:
        return Claim("raises", TYPE_ERROR, Call(subject, tuple(Argument(scope.read(each)) for each in given)))
    if link.name == "toRaiseError" and not negated:
        said = tuple(Argument(scope.read(each), "message") for each in given)
        return Claim("raises", TYPE_ERROR, subject, qualifiers=said)
    wanted = _type(link.types[0], scope) if link.types else (_value(given[0], scope) if given else None)
    if link.name in _MATCHERS and wanted is not None:
        return _firm(Claim(_MATCHERS[link.name], subject, wanted, negated=negated))
    if link.name == "toBeCallableWith":
        state = f"callable with {_written(link, scope)}" if given else "callable without arguments"
        return Claim("state", subject, Value("string", state))
    return Claim("state", subject, Value("string", f"{link.name}({_written(link, scope)})"), negated=negated)


def _written(link: Link, scope: Scope) -> str:
    """Return a matcher's type and value arguments as text."""
    types = [_spelled(scope.type_alias(each) or each) for each in link.types]
    return ", ".join([*types, *map(squeezed, link.arguments or ())])


def _subject(link: Link, scope: Scope) -> Expression:
    if link.arguments:
        return _of_class(bare(link.arguments[0]), scope) or _value(link.arguments[0], scope)
    return _spoken(link.types[0], scope) if link.types else Opaque(text(link.node))


def _of_class(node: Node, scope: Scope) -> Expression | None:
    """Return a member of a new object, `new Cart().total`, as its type is written: `Cart['total']`."""
    made = node.child_by_field_name("object") if node.type == "member_expression" and scope.stepwise else None
    if made is None or bare(made).type != "new_expression":
        return None
    made, member = bare(made).child_by_field_name("constructor"), node.child_by_field_name("property")
    plain = made is not None and member is not None and made.type == "identifier"
    return Subscript(Name(text(made)), Value("string", text(member))) if plain else None


def _value(node: Node, scope: Scope) -> Expression:
    """Return the subject of an assertion; for a value cast to a type, `{} as T`, that type."""
    stated = given_type(node, scope)
    return scope.read(node) if stated is None else stated


def given_type(node: Node, scope: Scope) -> Expression | None:
    """Return the explicit type of a value: `{} as T`, `const x: T = y`; None if the compiler infers it."""
    inner = children(node)
    if node.type == "as_expression":
        return _spoken(inner[-1], scope) if len(inner) > 1 else None
    note = node.parent.child_by_field_name("type") if node.parent is not None else None
    declared = note is not None and node.parent is not None and node.parent.type == "variable_declarator"
    return _spoken(children(note)[0], scope) if declared and note is not None and children(note) else None


def _equal_types(left: Node, right: Node, scope: Scope) -> Claim:
    """Claim that two types are equal; the one derived from a value becomes the subject."""
    if _is_of_value(right, scope) and not _is_of_value(left, scope):
        left, right = right, left
    return _firm(Claim("has_type", _spoken(left, scope), _type(right, scope)))


def _is_of_value(node: Node, scope: Scope) -> bool:
    return node.type == "type_query" or isinstance(_spoken(node, scope), (Attribute, Subscript))


def _stated_equality(link: Link, scope: Scope) -> Claim | None:
    """Read `expectType<TypeEqual<A, B>>(true)` and `assert<Equals<A, B>>()`; None if it states anything else."""
    said = link.types[0] if link.types else None
    if said is None or said.type != "generic_type" or link.arguments is None:
        return None
    given = said.child_by_field_name("type_arguments")
    compared = children(given) if given is not None else []
    answers = [text(bare(each)) for each in link.arguments] or ["true"]
    named = text(said.child_by_field_name("name")).rpartition(".")[2]
    if named not in _EQUALITIES | _FITS or len(compared) != 2 or answers not in (["true"], ["false"]):  # noqa: PLR2004 - two types
        return None
    left, right = compared
    if named in _FITS:
        return Claim("instance_of", _spoken(right, scope), _type(left, scope), negated=answers == ["false"])
    return replace(_equal_types(left, right, scope), negated=answers == ["false"])


def _spoken(node: Node, scope: Scope, depth: int = 0) -> Expression:
    """Read a type as a subject: `typeof x` is x, `z.infer<typeof x>` the type inferred from x."""
    alias = scope.type_alias(node)
    if alias is not None and depth < _DEEPEST:
        meant = _spoken(alias, scope, depth + 1)
        return meant if scope.stepwise or isinstance(meant, (Attribute, Subscript)) else Name(text(node))
    inner = children(node)
    if node.type == "type_query" and inner:
        return scope.read(inner[0])
    if node.type == "lookup_type" and len(inner) == 2:  # noqa: PLR2004 - an object's type and a key
        key = children(inner[1])
        return Subscript(_spoken(inner[0], scope, depth), scope.read(key[0])) if key else Opaque(_spelled(node))
    given = node.child_by_field_name("type_arguments")
    if node.type == "generic_type" and given is not None and len(children(given)) == 1:
        argument = children(given)[0]
        if argument.type == "type_query":
            name = text(node.child_by_field_name("name")).rpartition(".")[2]
            return Attribute(_spoken(argument, scope, depth), f"{_DERIVED.get(name, name)} type")
    return Name(text(node)) if node.type in _NAMES else Opaque(_spelled(node))


def _type(node: Node, scope: Scope, depth: int = 0) -> Expression:
    """Read a type as an object: by its name, or by its text if that is short enough to read."""
    alias = scope.type_alias(node)
    if alias is not None and scope.stepwise and depth < _DEEPEST:
        return _type(alias, scope, depth + 1)
    written = _spelled(alias if alias is not None else node)
    if node.type in _NAMES and (alias is None or len(written) > _READABLE):
        return Name(text(node))
    return Value("string", written) if len(written) <= _READABLE else Opaque(written)


def _spelled(node: Node) -> str:
    """Return the text of a type in canonical form: normalized spaces and quotes, no comments or trailing separators."""
    found = list[str]()
    for word in _tokens(node):
        if word == "}" and found[-1:] in ([";"], [","]):
            found.pop()
        found.append(word)
    found = found[1:] if found[:1] in (["|"], ["&"]) else found
    spaced = (
        "" if not at or token in _CLOSE or found[at - 1] in _OPEN or _calls(token, found[at - 1]) else " "
        for at, token in enumerate(found)
    )
    return "".join(space + token for space, token in zip(spaced, found, strict=True))


def _calls(token: str, before: str) -> bool:
    return token in _OPEN and (before[-1:].isalnum() or before in {")", "]", ">"})


def _tokens(node: Node) -> list[str]:
    """Return the tokens of a type, in source order."""
    found, pending = list[str](), [node]
    while pending:
        one = pending.pop()
        if one.type == "string" and one.is_named:
            found.append("'" + text(one)[1:-1] + "'")
        elif one.type in _WHOLE or not one.children:
            parts = text(one) == "," and one.parent is not None and one.parent.type == "object_type"
            found += [";" if parts else text(one)] if one.type != "comment" and text(one) else []
        else:
            pending.extend(reversed(one.children))
    return found
