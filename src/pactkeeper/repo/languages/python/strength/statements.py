"""Lower Python statements without a block: assertions, calls, assignments, and what leaves a function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from tree_sitter import Node

from pactkeeper.intent.claims import Argument, Attribute, Call, Claim, Collection, Expression, Name, Opaque, Operation
from pactkeeper.intent.strength.faking import of_the_language
from pactkeeper.intent.strength.program import YIELDED, Act, Bind, Branch, Check, Ending, Leave, Routine, Statement
from pactkeeper.intent.strength.terms import last_name, strict_zips
from pactkeeper.repo.languages.python.claims.calls import assertion_calls
from pactkeeper.repo.languages.python.claims.comparisons import claims_of
from pactkeeper.repo.languages.python.claims.contexts import WATCHERS, caught, quieted, watcher_of, with_callable
from pactkeeper.repo.languages.python.claims.expressions import PATTERNS, Scope, expression, is_readouterr, text_of
from pactkeeper.repo.languages.python.claims.reading import looks_asserting
from pactkeeper.repo.languages.python.strength.values import assigned_attribute
from pactkeeper.repo.languages.python.syntax import imported_names

Lookup = Callable[[Expression], Routine | None]
_QUOTE: Final = 160
_SELVES: Final = frozenset({Name("self"), Name("cls")})
_LATER: Final = frozenset({"addCleanup", "addClassCleanup", "addModuleCleanup", "addfinalizer"})  # run what they get
_CONDITIONAL: Final = 3  # the parts of `a if c else b`
_ENDINGS: Final[Mapping[str, Ending]] = {"skip": "skip", "skipTest": "skip", "fail": "fail", "xfail": "xfail"}
_RAISED: Final[Mapping[str, Ending]] = {
    "SkipTest": "skip", "Skipped": "skip", "skip": "skip", "AssertionError": "fail",
}  # fmt: skip
_SINGLE: Final = frozenset({"expression_statement", "assert_statement", "return_statement"})
_LATER_RUN: Final = frozenset(
    {"lambda", "generator_expression", "list_comprehension", "set_comprehension", "dictionary_comprehension"}
)
_EVALUATED: Final = frozenset({"attribute", "binary_operator", "comparison_operator", "subscript", "unary_operator"})


@dataclass(slots=True)
class Reader:
    """What reading a function's statements requires: its names, and a lookup of the functions it calls.

    `stirred` are its variables that functions inside of it assign or add to: they hold what those were called with.
    `made` are the calls whose results its variables hold.
    """

    scope: Scope
    lookup: Lookup
    stirred: frozenset[str] = frozenset()
    made: dict[str, Node] = field(default_factory=dict)


def named_parts(node: Node, reader: Reader) -> Iterator[Statement]:
    """Bind the names that a statement or a condition gives to parts of itself: `assert (got := f()) == 3`."""
    whole = (
        node if node.type in _SINGLE else node.child_by_field_name("condition") if node.type == "if_statement" else None
    )
    for one in _walruses(whole) if whole is not None and ":=" in text_of(whole) else ():
        name, value = one.child_by_field_name("name"), one.child_by_field_name("value")
        if name is not None and value is not None:
            inner, awaited = unwrapped(value)
            yield from _bound(name, inner, expression(inner, reader.scope), reader, awaited=awaited)


def _walruses(node: Node) -> Iterator[Node]:
    """Yield the named expressions in a node, inner ones first, except those that run later or several times."""
    for child in node.named_children if node.type not in _LATER_RUN else ():
        yield from _walruses(child)
    if node.type == "named_expression":
        yield node


def zipped(node: Node, reader: Reader) -> Iterator[Statement]:
    """Add the assertion implied by `zip` with `strict`: both sides have the same number of members."""
    part = node.child_by_field_name("right") if node.type == "for_statement" else None
    if part is None and node.type in _SINGLE and node.named_children:
        part = node.named_children[0].child_by_field_name("right") or node.named_children[0]
    if part is not None and "strict" in text_of(part):
        claims = tuple(Claim("completes", call) for call in strict_zips(expression(part, reader.scope)))
        yield from [Check(claims, *place(node))] if claims else []


def place(node: Node) -> tuple[int, str]:
    """Return the line of a statement and its first line, for quoting it."""
    return node.start_point.row + 1, text_of(node).split("\n", 1)[0].strip()[:_QUOTE]


def _assert(node: Node, reader: Reader) -> Iterator[Statement]:
    if not node.named_children:
        return
    line, quote = place(node)
    condition = node.named_children[0]
    never = text_of(condition) in {"False", "0"}
    yield Leave("fail", line=line) if never else _asserted(condition, reader, line, quote)


def _asserted(condition: Node, reader: Reader, line: int, quote: str) -> Statement:
    """Lower an assertion; `assert a if c else b` asserts one or the other."""
    if condition.type != "conditional_expression" or len(condition.named_children) != _CONDITIONAL:
        return Check(tuple(claims_of(expression(condition, reader.scope))), line, quote)
    then, test, otherwise = (child for child in condition.named_children)
    branches = [(_asserted(one, reader, line, quote),) for one in (then, otherwise)]
    return Branch(expression(test, reader.scope), *branches)


def _expression_statement(node: Node, reader: Reader) -> Iterator[Statement]:
    for child in node.named_children:
        inner, awaited = unwrapped(child)
        missing = missing_import(inner)
        if missing is not None:
            yield Branch(missing, (Leave("skip", line=inner.start_point.row + 1),))
        if inner.type in {"assignment", "augmented_assignment"}:
            yield from _assignment(inner, reader)
        elif inner.type == "yield":
            yield from _given(inner, reader)
        elif inner.type == "call" and missing is None:
            yield from _call(inner, reader, awaited=awaited)
        elif awaited and inner.type == "identifier":
            yield Act(Call(Name("run"), (Argument(Name(text_of(inner))),)), *place(inner))
        elif inner.type in _EVALUATED:
            yield Act(expression(inner, reader.scope), *place(inner))


def unwrapped(node: Node) -> tuple[Node, bool]:
    """Return what is awaited or in parentheses, and whether it is awaited."""
    awaited = False
    while node.type in {"await", "parenthesized_expression"} and node.named_children:
        awaited = awaited or node.type == "await"
        node = node.named_children[0]
    return node, awaited


def missing_import(node: Node) -> Expression | None:
    """Return the condition under which `pytest.importorskip("package")`, assigned or not, skips; None if it is none."""
    call = node.child_by_field_name("right") if node.type == "assignment" else node
    name = text_of(call.child_by_field_name("function")) if call is not None and call.type == "call" else ""
    if call is None or name.rpartition(".")[2] != "importorskip":
        return None
    return Opaque(f"import of {text_of(call.child_by_field_name('arguments'))} fails")


def _given(node: Node, reader: Reader) -> Iterator[Statement]:
    """Lower a `yield`, which provides a fixture's value or runs the body of a `with`; what follows still runs."""
    inner = [child for child in node.named_children if child.type != "comment"]
    yield Bind(YIELDED, expression(inner[0], reader.scope) if inner else None)


def _call(node: Node, reader: Reader, *, awaited: bool) -> Iterator[Statement]:
    line, quote = place(node)
    call = expression(node, reader.scope)
    if not isinstance(call, Call):
        yield Act(call, line, quote)
        return
    ending = _ending(call)
    if ending is not None:
        yield Leave(ending, line=line)
        return
    if name_of(call) in _LATER and call.arguments:
        call = Call(call.arguments[0].value, call.arguments[1:])
    method = isinstance(call.function, Attribute) and call.function.value in _SELVES
    own = reader.lookup(call.function) if method or isinstance(call.function, Name) else None
    if own is not None and own.lazy:
        return
    if own is not None:
        yield Act(call, line, quote, awaited=awaited)  # also a helper of the tests that is named like an assertion
        return
    raised = None if is_double(node, reader) else with_callable(call) or quieted(call)
    claims = (raised,) if raised is not None else assertion_calls(call)
    if claims:
        yield Check(claims, line, quote)
    elif looks_asserting(call) and reader.lookup(call.function) is None and not isinstance(call.function, Name):
        yield Check((Claim("satisfies", call),), line, quote)
    else:
        yield Act(call, line, quote, awaited=awaited)


def _ending(call: Call) -> Ending | None:
    return _ENDINGS.get(name_of(call.function))


def _assignment(node: Node, reader: Reader) -> Iterator[Statement]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    inner, awaited = unwrapped(right)
    value = expression(inner, reader.scope)
    if inner.type == "yield":
        yield from _given(inner, reader)
        return
    line, quote = place(node)
    claim = with_callable(value) if isinstance(value, Call) else None
    if claim is not None:
        yield Check((claim,), line, quote)
    if node.type == "augmented_assignment":
        target = expression(left, reader.scope)
        yield Bind(target, Operation(text_of(node.child_by_field_name("operator")).rstrip("="), (target, value)))
        return
    if inner.type in _EVALUATED and not text_of(left).strip("_"):
        yield Act(value, line, quote)  # nothing reads it
        return
    yield from _bound(left, inner, value, reader, awaited=awaited)


def _bound(left: Node, right: Node, value: Expression, reader: Reader, *, awaited: bool) -> Iterator[Statement]:
    if left.type not in PATTERNS:
        reader.scope.forget(text_of(left))
        reader.made[text_of(left)] = right
        if is_readouterr(right):
            reader.scope.captured[text_of(left)] = None
        if (error := caught(value)) is not None:
            reader.scope.hold(text_of(left), error)
        if text_of(left) in reader.stirred:
            value = Operation("changed", (value,))
        elif watcher_of(value) and isinstance(value, Call) and with_callable(value) is None:
            value = Operation("manager", (value,))  # it only acts where a `with` enters it
        yield Bind(expression(left, reader.scope), value, awaited)
        replaced = assigned_attribute(left, reader.scope.modules)
        yield from [Bind(replaced, value)] if replaced is not None else []
        return
    names = [child for child in left.named_children if child.type != "comment"]
    parts = value.items if isinstance(value, Collection) and len(value.items) == len(names) else None
    for at, name in enumerate(names):
        part = parts[at] if parts else Operation("member", (value, Name(str(at))))
        yield from _bound(name, right, part, reader, awaited=True)


def is_double(node: Node, reader: Reader) -> bool:
    """Whether what is called is the test side's own, under a name of the test framework, and never fails."""
    called = text_of(node.child_by_field_name("function"))
    return not reader.scope.doubled.isdisjoint({called, called.partition(".")[0]})


def name_of(one: Expression | None) -> str:
    """Return the last name of what is called, raised or passed on."""
    return last_name(one) if one is not None else ""


def _leave(kind: Ending) -> Lowering:
    def lower(node: Node, reader: Reader) -> Iterator[Statement]:
        inner = [child for child in node.named_children if child.type != "comment"]
        value = expression(unwrapped(inner[0])[0], reader.scope) if inner else None
        ending = _RAISED.get(name_of(value), kind) if kind == "raise" else kind
        if isinstance(value, Call) and isinstance(value.function, Name):
            ending = _ending(value) or ending  # `return pytest.skip()`
        yield Leave(ending, value, node.start_point.row + 1)

    return lower


def _import(node: Node, reader: Reader) -> Iterator[Statement]:
    """Bind the names that an import gives to something else; note those of the test framework among them."""
    names = [(name, original) for name, original in imported_names(node) if name != original]
    if of_the_language(text_of(node.child_by_field_name("module_name"))):
        own = {name for name, original in names if name in WATCHERS and original not in WATCHERS}
        reader.scope.doubled |= own
    for name, original in names:
        yield Bind(Name(name), Name(original))


def _delete(node: Node, _reader: Reader) -> Iterator[Statement]:
    yield Act(Call(Name("del"), ()), node.start_point.row + 1, text_of(node))


Lowering = Callable[[Node, Reader], Iterator[Statement]]
STATEMENTS: Final[Mapping[str, Lowering]] = {
    "assert_statement": _assert,
    "expression_statement": _expression_statement,
    "return_statement": _leave("return"),
    "raise_statement": _leave("raise"),
    "break_statement": _leave("break"),
    "continue_statement": _leave("leave"),
    "delete_statement": _delete,
    "import_from_statement": _import,
}
