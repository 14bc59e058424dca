"""Python's statements as those of a strength program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Value,
)
from pactkeeper.intent.strength.program import (
    Act,
    Attempt,
    Bind,
    Block,
    Branch,
    Catch,
    Check,
    Define,
    Ending,
    Leave,
    Loop,
    Parameter,
    Routine,
    Statement,
    Within,
)
from pactkeeper.repo.languages.python.claims.calls import FUNCTIONS, UNITTEST, assertion_call
from pactkeeper.repo.languages.python.claims.comparisons import claims_of
from pactkeeper.repo.languages.python.claims.contexts import watched, watcher_of, with_callable
from pactkeeper.repo.languages.python.claims.decorators import decorators
from pactkeeper.repo.languages.python.claims.expressions import Scope, expression, is_readouterr, text_of
from pactkeeper.repo.languages.python.claims.reading import ends_failing, fails, looks_asserting

Lookup = Callable[[Expression], Routine | None]
_QUOTE: Final = 160
_CONDITIONAL: Final = 3  # the parts of `a if c else b`
_SKIPS: Final = frozenset({"skip", "skipTest", "importorskip", "SkipTest"})
_FAILS: Final = frozenset({"fail", "exit"})
_BLOCKS: Final = frozenset({"block", "else_clause", "finally_clause"})
_NONLOCAL: Final = re.compile(r"^\s*+nonlocal (\w++)", re.MULTILINE)
_SUPPRESS: Final = frozenset({"suppress"})


@dataclass(slots=True)
class Reader:
    """What reading the statements of one function needs: its names, and where it finds the functions it calls.

    `stirred` are its variables that functions inside of it assign to.
    """

    scope: Scope
    lookup: Lookup
    stirred: frozenset[str] = frozenset()


def block(node: Node | None, reader: Reader) -> Block:
    """The statements of a block."""
    found: list[Statement] = []
    for child in node.named_children if node is not None else ():
        found.extend(_statement(child, reader))
    return tuple(found)


def _statement(node: Node, reader: Reader) -> Iterator[Statement]:
    if node.type in _BLOCKS:
        yield from block(node if node.type == "block" else _body(node), reader)
        return
    lower = _STATEMENTS.get(node.type)
    if lower is not None:
        yield from lower(node, reader)


def _place(node: Node) -> tuple[int, str]:
    return node.start_point.row + 1, text_of(node).split("\n", 1)[0].strip()[:_QUOTE]


def _body(node: Node) -> Node | None:
    named = node.child_by_field_name("body")
    return named or next((child for child in node.named_children if child.type == "block"), None)


def _assert(node: Node, reader: Reader) -> Iterator[Statement]:
    if not node.named_children:
        return
    line, quote = _place(node)
    condition = node.named_children[0]
    if condition.type == "false" or (condition.type == "integer" and text_of(condition) == "0"):
        yield Leave("fail", line=line)
        return
    yield _asserted(condition, reader, line, quote)


def _asserted(condition: Node, reader: Reader, line: int, quote: str) -> Statement:
    """`assert a if c else b` asserts one or the other."""
    if condition.type != "conditional_expression" or len(condition.named_children) != _CONDITIONAL:
        return Check(tuple(claims_of(condition, reader.scope)), line, quote)
    then, test, otherwise = (child for child in condition.named_children)
    branches = [(_asserted(one, reader, line, quote),) for one in (then, otherwise)]
    return Branch(expression(test, reader.scope), *branches)


def _expression_statement(node: Node, reader: Reader) -> Iterator[Statement]:
    for child in node.named_children:
        inner, awaited = _unwrapped(child)
        if inner.type in {"assignment", "augmented_assignment"}:
            yield from _assignment(inner, reader)
        elif inner.type == "yield":
            yield from _given(inner, reader)
        elif inner.type == "call":
            yield from _call(inner, reader, awaited=awaited)
        elif awaited and inner.type == "identifier":
            yield Act(Call(Name("run"), (Argument(Name(text_of(inner))),)), *_place(inner))


def _unwrapped(node: Node) -> tuple[Node, bool]:
    awaited = False
    while node.type in {"await", "parenthesized_expression"} and node.named_children:
        awaited = awaited or node.type == "await"
        node = node.named_children[0]
    return node, awaited


def _given(node: Node, reader: Reader) -> Iterator[Statement]:
    """A fixture gives what it yields; what stands behind it runs all the same."""
    inner = [child for child in node.named_children if child.type != "comment"]
    if inner:
        yield Bind(Name("yield·"), expression(inner[0], reader.scope))


def _call(node: Node, reader: Reader, *, awaited: bool) -> Iterator[Statement]:
    line, quote = _place(node)
    call = expression(node, reader.scope)
    if not isinstance(call, Call):
        yield Act(call, line, quote)
        return
    ending = _ending(call)
    if ending is not None:
        yield Leave(ending, line=line)
        return
    claim = with_callable(call) or assertion_call(call)
    if claim is not None:
        yield Check((claim,), line, quote)
    elif looks_asserting(call) and reader.lookup(call.function) is None and not _made_here(call):
        yield Check((Claim("satisfies", call),), line, quote)
    else:
        yield Act(call, line, quote, awaited=awaited)


def _made_here(call: Call) -> bool:
    """Whether a function of the same function may be meant: those run where they are called."""
    return isinstance(call.function, Name)


def _ending(call: Call) -> Ending | None:
    function = call.function
    name = function.name if isinstance(function, Name | Attribute) else ""
    last = name.rpartition(".")[2]
    known = (
        isinstance(function, Attribute) or "." in name or last in {"skip", "importorskip", "fail", "xfail", "skipTest"}
    )
    if not known:
        return None
    if last in _SKIPS:
        return None if last == "importorskip" else "skip"
    return "fail" if last == "fail" else "xfail" if last == "xfail" else None


def _assignment(node: Node, reader: Reader) -> Iterator[Statement]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    inner, awaited = _unwrapped(right)
    value = expression(inner, reader.scope)
    if inner.type == "yield":
        yield from _given(inner, reader)
        return
    line, quote = _place(node)
    claim = with_callable(value) if isinstance(value, Call) else None
    if claim is not None:
        yield Check((claim,), line, quote)
    if node.type == "augmented_assignment":
        target = expression(left, reader.scope)
        yield Bind(target, Operation(text_of(node.child_by_field_name("operator")).rstrip("="), (target, value)))
        return
    yield from _bound(left, inner, value, reader, awaited=awaited)


def _bound(left: Node, right: Node, value: Expression, reader: Reader, *, awaited: bool) -> Iterator[Statement]:
    if left.type not in {"pattern_list", "tuple_pattern", "list_pattern"}:
        _forget(text_of(left), reader)
        if is_readouterr(right):
            reader.scope.captured[text_of(left)] = None
        value = Operation("changed", (value,)) if text_of(left) in reader.stirred else value
        yield Bind(expression(left, reader.scope), value, awaited)
        return
    names = [child for child in left.named_children if child.type != "comment"]
    parts = value.items if isinstance(value, Collection) and len(value.items) == len(names) else None
    for at, name in enumerate(names):
        _forget(text_of(name), reader)
        yield Bind(expression(name, reader.scope), parts[at] if parts else Operation("member", (value, Name(str(at)))))


def _forget(name: str, reader: Reader) -> None:
    reader.scope.raised.pop(name, None)
    reader.scope.captured.pop(name, None)
    reader.scope.shadowed.add(name)


def _with(node: Node, reader: Reader) -> Iterator[Statement]:
    claims: list[Claim] = []
    suppressed: list[Expression] = []
    before: list[Statement] = []
    line, quote = _place(node)
    for value in _managers(node):
        manager, alias = _aliased(value)
        call = expression(_unwrapped(manager)[0], reader.scope)
        if watcher_of(call) and isinstance(call, Call):
            claim = watched(call, Name("body·"))
            claims += [claim] if claim is not None else []
            _hold(call, alias, reader)
        elif isinstance(call, Call) and _name(call) in _SUPPRESS:
            suppressed += [argument.value for argument in call.arguments]
        elif isinstance(call, Call) and _name(call) == "subTest":
            continue
        else:
            before.append(Act(call, line, quote))
            if alias:
                before.append(Bind(Name(alias), Operation("entered", (call,))))
    yield from before
    inner = block(node.child_by_field_name("body"), reader)
    if claims or suppressed:
        yield Within(tuple(claims), inner, line, quote, tuple(suppressed))
    else:
        yield from inner


def _managers(node: Node) -> Iterator[Node]:
    for clause in node.named_children:
        if clause.type == "with_clause":
            for item in clause.named_children:
                value = item.child_by_field_name("value")
                if value is not None:
                    yield value


def _aliased(value: Node) -> tuple[Node, str]:
    if value.type != "as_pattern" or not value.named_children:
        return value, ""
    alias = text_of(value.child_by_field_name("alias"))
    return value.named_children[0], alias if alias.isidentifier() else ""


def _hold(call: Call, alias: str, reader: Reader) -> None:
    claim = watched(call, Name("body·"))
    if alias and claim is not None and claim.relation in {"raises", "warns"}:
        reader.scope.raised[alias] = claim.subject
        reader.scope.wrapped.add(alias)


def _name(call: Call) -> str:
    function = call.function
    return function.name.rpartition(".")[2] if isinstance(function, Name | Attribute) else ""


def _for(node: Node, reader: Reader) -> Iterator[Statement]:
    variable = expression(node.child_by_field_name("left"), reader.scope)
    left = node.child_by_field_name("left")
    if left is not None and left.type in {"pattern_list", "tuple_pattern"}:
        variable = Collection("tuple", tuple(expression(child, reader.scope) for child in left.named_children))
    over = expression(node.child_by_field_name("right"), reader.scope)
    otherwise = block(_body(_alternative(node)), reader) if _alternative(node) is not None else ()  # type: ignore[arg-type]  # it is there
    yield Loop(variable, over, block(node.child_by_field_name("body"), reader), otherwise)


def _alternative(node: Node) -> Node | None:
    return node.child_by_field_name("alternative")


def _while(node: Node, reader: Reader) -> Iterator[Statement]:
    condition = expression(node.child_by_field_name("condition"), reader.scope)
    inner = block(node.child_by_field_name("body"), reader)
    yield (
        Branch(condition, (Loop(None, None, inner),))
        if text_of(node.child_by_field_name("condition")) in {"False", "0"}
        else Loop(None, None, inner)
    )


def _if(node: Node, reader: Reader) -> Iterator[Statement]:
    condition, consequence = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    if condition is None or consequence is None:
        return
    alternatives = node.children_by_field_name("alternative")
    if fails(consequence) and not alternatives:
        line, quote = _place(node)
        yield Check(tuple(claims_of(condition, reader.scope, negated=True)), line, quote)
        return
    yield Branch(expression(condition, reader.scope), block(consequence, reader), _otherwise(alternatives, reader))


def _otherwise(alternatives: list[Node], reader: Reader) -> Block:
    if not alternatives:
        return ()
    first, *rest = alternatives
    if first.type != "elif_clause":
        return block(_body(first), reader)
    condition = expression(first.child_by_field_name("condition"), reader.scope)
    then = block(first.child_by_field_name("consequence"), reader)
    return (Branch(condition, then, _otherwise(rest, reader)),)


def _try(node: Node, reader: Reader) -> Iterator[Statement]:
    body = node.child_by_field_name("body")
    handlers = [child for child in node.named_children if child.type in {"except_clause", "except_group_clause"}]
    otherwise = next((child for child in node.named_children if child.type == "else_clause"), None)
    final = next((child for child in node.named_children if child.type == "finally_clause"), None)
    must_raise = ends_failing(body) or (otherwise is not None and fails(_body(otherwise)))
    inner = block(body, reader)
    if must_raise and handlers:
        yield from _must_raise(inner, handlers, reader)
        return
    catches = tuple(_catch(handler, reader) for handler in handlers)
    behind = block(_body(otherwise), reader) if otherwise is not None else ()
    last = block(_body(final), reader) if final is not None else ()
    yield Attempt(inner, catches, behind, last)


def _must_raise(inner: Block, handlers: list[Node], reader: Reader) -> Iterator[Statement]:
    """`try: call(); self.fail()` with a handler says that the call raises."""
    line, quote = _place(handlers[0])
    types, _ = _caught(handlers[0], reader)
    body = inner[:-1] if inner and isinstance(inner[-1], Leave) else inner
    subject = types[0] if types else Name("Exception")
    yield Within((Claim("raises", subject, Name("body·")),), body, line, quote)
    yield from _catch(handlers[0], reader).body


def _caught(node: Node, reader: Reader) -> tuple[tuple[Expression, ...], str]:
    value, alias = node.child_by_field_name("value"), text_of(node.child_by_field_name("alias"))
    if value is None:
        value = next((child for child in node.named_children if child.type not in {"block", "comment"}), None)
    if value is not None and value.type == "as_pattern":
        value, alias = _aliased(value)
    return ((expression(value, reader.scope),) if value is not None else ()), alias


def _catch(node: Node, reader: Reader) -> Catch:
    types, alias = _caught(node, reader)
    if alias:
        reader.scope.raised[alias] = types[0] if types else Name("Exception")
    return Catch(types, block(_body(node), reader))


def _leave(kind: Ending) -> _Lowering:
    def lower(node: Node, reader: Reader) -> Iterator[Statement]:
        inner = [child for child in node.named_children if child.type != "comment"]
        value = expression(_unwrapped(inner[0])[0], reader.scope) if inner else None
        yield Leave(_raised(kind, value), value, node.start_point.row + 1)

    return lower


def _raised(kind: Ending, value: Expression | None) -> Ending:
    name = (
        _name(value)
        if isinstance(value, Call)
        else value.name.rpartition(".")[2]
        if isinstance(value, Name | Attribute)
        else ""
    )
    if kind != "raise":
        return kind
    if name in {"SkipTest", "Skipped"} or name == "skip":
        return "skip"
    return "fail" if name == "AssertionError" else "raise"


def _define(node: Node, reader: Reader) -> Iterator[Statement]:
    yield Define(routine(node, reader.scope, reader.lookup))


def _decorated(node: Node, reader: Reader) -> Iterator[Statement]:
    inner = node.child_by_field_name("definition")
    if inner is not None and inner.type == "function_definition":
        made = routine(inner, reader.scope, reader.lookup)
        yield Define(made)
        for mark in decorators(node):
            yield Act(expression(mark, reader.scope), *_place(mark))
        yield Bind(Name(f"decorated·{made.name}"), Operation("decorated", (Name(made.name),)))


def routine(node: Node, scope: Scope, lookup: Lookup) -> Routine:
    """A function with its parameters and its body."""
    names = Scope(scope.modules, shadowed=set(scope.shadowed), raised=dict(scope.raised), wrapped=set(scope.wrapped))
    asynchronous = any(child.type == "async" for child in node.children)
    reader = Reader(names, lookup, frozenset(_NONLOCAL.findall(text_of(node))))
    parameters = tuple(_parameters(node, names))
    body = block(node.child_by_field_name("body"), reader)
    return Routine(text_of(node.child_by_field_name("name")), parameters, _giving(body), asynchronous, lookup)


def _giving(body: Block) -> Block:
    """A generator gives what it yields: nothing behind the yield replaces that."""
    return body


def _parameters(node: Node, scope: Scope) -> Iterator[Parameter]:
    found = node.child_by_field_name("parameters")
    for child in found.named_children if found is not None else ():
        if child.type == "identifier":
            yield Parameter(text_of(child))
        elif child.type in {"default_parameter", "typed_default_parameter"}:
            default = expression(child.child_by_field_name("value"), scope)
            yield Parameter(text_of(child.child_by_field_name("name")), default)
        elif child.type == "typed_parameter" and child.named_children:
            yield Parameter(text_of(child.named_children[0]))
        elif child.type == "list_splat_pattern":
            yield Parameter(text_of(child).lstrip("*"), rest=True)


def _match(node: Node, reader: Reader) -> Iterator[Statement]:
    subject = expression(node.child_by_field_name("subject"), reader.scope)
    body = node.child_by_field_name("body")
    for case in body.named_children if body is not None else ():
        pattern = next((child for child in case.named_children if child.type == "case_pattern"), None)
        yield Branch(
            Operation("matches-case", (subject, Opaque(text_of(pattern)))),
            block(case.child_by_field_name("consequence"), reader),
        )


def _leaves(_node: Node, _reader: Reader) -> Iterator[Statement]:
    yield Leave("leave")


def _delete(node: Node, _reader: Reader) -> Iterator[Statement]:
    yield Act(Call(Name("del"), ()), node.start_point.row + 1, text_of(node))


_Lowering = Callable[[Node, Reader], Iterator[Statement]]
_STATEMENTS: Mapping[str, _Lowering] = {
    "assert_statement": _assert,
    "expression_statement": _expression_statement,
    "with_statement": _with,
    "for_statement": _for,
    "while_statement": _while,
    "if_statement": _if,
    "try_statement": _try,
    "return_statement": _leave("return"),
    "raise_statement": _leave("raise"),
    "break_statement": _leaves,
    "continue_statement": _leaves,
    "delete_statement": _delete,
    "function_definition": _define,
    "decorated_definition": _decorated,
    "match_statement": _match,
}
KNOWN_ASSERTIONS: Final = frozenset({*UNITTEST, *FUNCTIONS})
__all__ = ["KNOWN_ASSERTIONS", "Lookup", "Reader", "Value", "block", "routine"]
