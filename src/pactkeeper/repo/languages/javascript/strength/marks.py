"""What keeps a test from running or counting: modifiers, options, surrounding conditions, and `.only` elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.claims import Expression, Name, Operation, Value
from pactkeeper.intent.strength.folding import truth_of
from pactkeeper.intent.strength.program import Skip, SkipKind
from pactkeeper.intent.strength.terms import negated_term
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.locate import constant_of
from pactkeeper.repo.languages.javascript.claims.module import Module
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    bare,
    body_of,
    chain,
    children,
    descend,
    is_function,
    string_value,
    text,
)
from pactkeeper.repo.languages.javascript.runners import SUITES, TESTS
from pactkeeper.repo.languages.javascript.strength.asserting import options_of
from pactkeeper.repo.languages.javascript.strength.values import called_arguments

if TYPE_CHECKING:
    from tree_sitter import Node

_WORDS: Final[dict[str, SkipKind]] = {
    "skip": "skip", "fixme": "skip", "ignore": "skip", "todo": "todo", "fails": "xfail", "failing": "xfail",
    "fail": "xfail",
}  # fmt: skip
_UNDER: Final[dict[str, tuple[SkipKind, bool]]] = {
    "skipIf": ("skip", True), "runIf": ("skip", False), "if": ("skip", False), "todoIf": ("todo", True),
    "failingIf": ("xfail", True),
}  # fmt: skip
MUTING: Final = frozenset(_WORDS.keys() | _UNDER.keys())  # words after which a failure may go unheard
_OFF: Final = frozenset(name for name in TESTS | SUITES if name.startswith("x"))
_ONLY: Final = frozenset(name for name in TESTS | SUITES if name.startswith("f"))
_RETRIES: Final = frozenset({"retry", "retries"})
_RETRYING: Final = frozenset({"retries", "retryTimes"})
_DECIDING: Final = frozenset({"if_statement", "binary_expression", "ternary_expression"})
_ENDS: Final = frozenset({"return_statement"})
_TURNS: Final = _ENDS | {"continue_statement", "break_statement"}
_LOOPS: Final = frozenset({"for_in_statement", "for_statement"})
_SIGNS: Final = frozenset({"", "&&", "||"})
_STATEMENT_PARTS: Final = 2
_WRAPPING: Final = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression"})


def skips_of(
    owners: Sequence[Node], module: Module, scope: Scope, *, only: bool, leaving: Callable[[Node], Sequence[Node]]
) -> Iterator[Skip]:
    """Yield the marks of a test's declaration and of what surrounds it, innermost first.

    `only` means that some test of the file is marked `.only`; `leaving` applies `leaving_statements` to a suite.
    """
    inner: Node | None = None
    for node in owners:
        origin = "test" if inner is None else "suite"
        if node.type == "call_expression":
            yield from _of_call(node, module, scope, origin)
        elif node.type in _DECIDING and inner is not None:
            yield from _of_branch(node, inner, scope)
        if node.type in _LOOPS and inner is not None:
            yield from _left_in_turns(node, inner, scope)
        if node.type == "call_expression" and inner is not None:
            yield from _left_before(leaving(node), inner, scope)
        inner = node
    if only and not any(is_only(node) for node in owners):
        yield Skip("skip", origin="file: another test is marked only")


def _of_call(node: Node, module: Module, scope: Scope, origin: str) -> Iterator[Skip]:
    line = node.start_point[0] + 1
    yield from _of_chain(chain(node), _At(module, scope, origin, line))
    for name, value in options_of(node).items():
        held = scope.read(value)
        if name in _RETRIES and truth_of(held) is not False:
            yield _retried(held, origin, line)
        kind = _WORDS.get(name)
        if kind is not None and truth_of(held) is not False:
            condition = None if isinstance(held, Value) else held
            yield Skip(kind, condition, origin, line, strict=kind == "xfail")


@dataclass(frozen=True, slots=True)
class _At:
    """The context for reading marks: the file, the scope, and the declaration they belong to."""

    module: Module
    scope: Scope
    origin: str
    line: int


def _retried(times: Expression, origin: str, line: int) -> Skip:
    """Treat a retried test as one that may fail unnoticed."""
    return Skip("xfail", Operation("retried", (times,)), origin, line)


def _of_chain(links: tuple[Link, ...], at: _At) -> Iterator[Skip]:
    head = links[0]
    if head.name not in TESTS | SUITES or head.name in at.module.bindings:
        yield from _of_alias(head, at)
    elif head.name in _OFF:
        yield Skip("skip", None, at.origin, at.line)
    for link in links[1:]:
        yield from _of_key(link, at) if not link.name else ()
        kind = _WORDS.get(link.name)
        if kind is not None:
            yield Skip(kind, None, at.origin, at.line, strict=kind == "xfail")
        elif link.name in _UNDER and link.arguments:
            kind, positive = _UNDER[link.name]
            condition = at.scope.read(link.arguments[0])
            yield Skip(
                kind, condition if positive else negated_term(condition), at.origin, at.line, strict=kind == "xfail"
            )


def _of_key(link: Link, at: _At) -> Iterator[Skip]:
    """Read `it[row.skip ? "skip" : "only"]`, where the key may have a name."""
    target = link.node.child_by_field_name("function") or link.node
    index = target.child_by_field_name("index")
    chosen = bare(constant_of(at.module, index) or index) if index is not None else None
    condition = chosen.child_by_field_name("condition") if chosen is not None else None
    for name, turned in (("consequence", False), ("alternative", True)) if condition is not None else ():
        arm = chosen.child_by_field_name(name) if chosen is not None else None
        kind = _WORDS.get(string_value(arm) or "") if arm is not None else None
        if kind is not None and condition is not None:
            held = at.scope.read(condition)
            yield Skip(kind, negated_term(held) if turned else held, at.origin, at.line, strict=kind == "xfail")


def _of_alias(head: Link, at: _At) -> Iterator[Skip]:
    """Read `const maybe = condition ? it : it.skip`, by name or inline."""
    values = (
        [each.value for each in at.module.bindings.get(head.name, ()) if each.value is not None] if head.name else []
    )
    node = head.node.child_by_field_name("function") if head.node.type == "call_expression" else None
    for value in values[:1] or ([node] if node is not None and not head.name else []):
        inner = bare(value)
        if inner.type == "ternary_expression":
            yield from _of_choice(inner, at)
        elif head.name and inner.type == "member_expression" and _declares(chain(inner)[0].name, at.module):
            yield from _of_chain(chain(inner), at)


def _declares(name: str, module: Module) -> bool:
    """Whether a name declares tests or suites, perhaps under the name that it is imported by."""
    return name in TESTS | SUITES or module.imports.get(name, ("", ""))[1] in TESTS | SUITES


def _of_choice(node: Node, at: _At) -> Iterator[Skip]:
    condition = node.child_by_field_name("condition")
    for name, turned in (("consequence", False), ("alternative", True)):
        arm = node.child_by_field_name(name)
        if arm is not None and condition is not None:
            held, nothing = at.scope.read(condition), is_function(bare(arm))  # a function of its own declares no test
            for skip in [Skip("skip")] if nothing else _of_chain(chain(arm), at):
                yield Skip(skip.kind, negated_term(held) if turned else held, at.origin, at.line, skip.strict)


def _of_branch(node: Node, inner: Node, scope: Scope) -> Iterator[Skip]:
    """Skip a conditional declaration where its condition doesn't hold: `if (wanted) …`, `wanted && …`, `wanted ? …`."""
    sign = text(node.child_by_field_name("operator"))
    condition = node.child_by_field_name("left" if sign else "condition")
    then = node.child_by_field_name("right" if sign else "consequence")
    if condition is None or then is None or sign not in _SIGNS:
        return
    inside = then.start_byte <= inner.start_byte < then.end_byte
    if inside or not sign:
        held = scope.read(condition)
        wanted = inside and sign != "||"
        yield Skip("skip", negated_term(held) if wanted else held, "file", node.start_point[0] + 1)


_DECLARING = frozenset({"lexical_declaration", "variable_declaration"})


def stated_skips(statements: Sequence[Node], scope: Scope, origin: str) -> Iterator[Skip]:
    """Yield skips for `test.skip(condition, "why")` among the statements of a suite or file."""
    for statement in statements:
        links = chain(statement) if statement.type == "expression_statement" else ()
        yield from _stated_retries(links, scope, origin)
        if len(links) != _STATEMENT_PARTS or links[0].name not in TESTS or links[1].arguments is None:
            continue
        kind, given = _WORDS.get(links[1].name), called_arguments(links[1].node)
        if kind is None or any(is_function(each) for each in given[1:]) or (given and given[0].type == "string"):
            continue
        yield Skip(kind, _stated(given, scope), origin, statement.start_point[0] + 1, strict=kind == "xfail")


def renamed_skips(owners: Sequence[Node], root: Node) -> Iterator[Skip]:
    """Yield skips for a file's own name of what declares a test: `const it = globalThis.it.skip`."""
    called = {chain(node)[0].name for node in owners if node.type == "call_expression"}
    declared = (each for node in children(root) if node.type in _DECLARING for each in children(node))
    for each in declared:
        value = each.child_by_field_name("value")
        links = chain(value) if value is not None and value.type == "member_expression" else ()
        kind = _WORDS.get(links[-1].name) if links and not TESTS.isdisjoint(link.name for link in links) else None
        if kind is not None and text(each.child_by_field_name("name")) in called:
            yield Skip(kind, None, "file", each.start_point[0] + 1, strict=kind == "xfail")


def _stated_retries(links: tuple[Link, ...], scope: Scope, origin: str) -> Iterator[Skip]:
    """Read `jest.retryTimes(3)`, `this.retries(3)`, `test.describe.configure({ retries: 3 })`."""
    if not links or not links[-1].arguments:
        return
    last, line = links[-1].node, links[-1].node.start_point[0] + 1
    configured = options_of(last).get("retries") if links[-1].name == "configure" else None
    given = called_arguments(last)[0] if links[-1].name in _RETRYING else configured
    if given is not None and truth_of(scope.read(given)) is not False:
        yield _retried(scope.read(given), origin, line)


def _stated(given: Sequence[Node], scope: Scope) -> Expression | None:
    if not given:
        return None
    body = body_of(given[0]) if is_function(given[0]) else None
    return scope.read(body if body is not None else given[0])


def _left_before(statements: Sequence[Node], inner: Node, scope: Scope) -> Iterator[Skip]:
    """Skip a test that its suite may return before declaring."""
    for statement in statements:
        if statement.start_byte >= inner.start_byte:
            return
        yield from (Skip("skip", one, "suite", statement.start_point[0] + 1) for one in _left(statement, scope, _ENDS))


def _left_in_turns(loop: Node, inner: Node, scope: Scope) -> Iterator[Skip]:
    """Skip a test that a turn of a loop may leave before declaring, or that no turn declares after a `break`."""
    body = loop.child_by_field_name("body")
    for statement in children(body) if body is not None and body.type == "statement_block" else ():
        line = statement.start_point[0] + 1
        if statement.end_byte <= inner.start_byte:
            yield from (Skip("skip", one, "file", line) for one in _left(statement, scope, _TURNS))
        elif statement.start_byte >= inner.end_byte:
            for one in _left(statement, scope, _TURNS - {"continue_statement"}):
                yield Skip("skip", Operation("after", (one or Name("one turn"),)), "file", line)


def _left(statement: Node, scope: Scope, kinds: Collection[str]) -> Iterator[Expression | None]:
    """Yield the conditions under which a statement leaves what it stands in; None if it always does."""
    if statement.type in kinds:
        yield None
    condition = statement.child_by_field_name("condition") if statement.type == "if_statement" else None
    for name, turned in (("consequence", False), ("alternative", True)) if condition is not None else ():
        arm = statement.child_by_field_name(name)
        arm = children(arm)[0] if arm is not None and arm.type == "else_clause" and children(arm) else arm
        last = children(arm)[-1:] if arm is not None and arm.type == "statement_block" else [arm]
        if condition is not None and any(one is not None and one.type in kinds for one in last):
            held = scope.read(condition)
            yield negated_term(held) if turned else held


def only_nodes(root: Node) -> list[Node]:
    """Return the calls of a file that mark a test or suite to run exclusively."""
    source = root.text or b""
    if not any(word.encode() in source for word in ("only", *_ONLY)):
        return []
    return [node for node in descend(root) if node.type == "call_expression" and is_only(node)]


def is_only(node: Node) -> bool:
    """Whether a node marks a test or suite to run exclusively."""
    if node.type != "call_expression":
        return False
    links = chain(node)
    if links[0].name not in TESTS | SUITES:
        return False
    return links[0].name in _ONLY or any(link.name == "only" for link in links[1:])


def owners_of(node: Node) -> list[Node]:
    """Return a test's declaration and its surroundings, innermost first: calls, loops, conditions, named functions."""
    found = [node]
    parent = node.parent
    while parent is not None:
        if parent.type in {"call_expression", *_LOOPS, *_DECIDING} or declared_name(parent):
            found.append(parent)
        parent = parent.parent
    return found


def declared_name(node: Node) -> str:
    """Return the name that a function is declared by; "" for any other node and for a function without a name."""
    own = node if node.type.endswith("function_declaration") else node.parent if is_function(node) else None
    while own is not None and own.type in _WRAPPING:
        own = own.parent
    declares = own is not None and own.type.endswith(("function_declaration", "variable_declarator"))
    return text(own.child_by_field_name("name")) if own is not None and declares else ""


def leaving_statements(owner: Node) -> list[Node]:
    """Return the statements of a suite's callback that may leave it before it declares what follows."""
    return [each for each in body_statements(owner) if each.type in {"return_statement", "if_statement"}]


def body_statements(owner: Node) -> list[Node]:
    """Return the statements of a suite's callback, or of a function that declares tests."""
    for each in [owner] if is_function(owner) else reversed(called_arguments(owner)):
        body = body_of(each) if is_function(each) else None
        if body is not None and body.type == "statement_block":
            return children(body)
    return []
