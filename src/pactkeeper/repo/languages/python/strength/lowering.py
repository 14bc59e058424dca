"""Lower Python functions, and the statements that have a block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from tree_sitter import Node

from pactkeeper.intent.claims import Argument, Call, Claim, Collection, Expression, Name, Opaque, Operation
from pactkeeper.intent.strength.frames import ending, gives_up
from pactkeeper.intent.strength.program import (
    Act,
    Attempt,
    Bind,
    Block,
    Branch,
    Catch,
    Check,
    Define,
    Leave,
    Loop,
    Parameter,
    Routine,
    Statement,
    Within,
    asserts,
)
from pactkeeper.repo.languages.python.claims import local_modules
from pactkeeper.repo.languages.python.claims.comparisons import claims_of
from pactkeeper.repo.languages.python.claims.contexts import handled, managers
from pactkeeper.repo.languages.python.claims.decorators import decorators
from pactkeeper.repo.languages.python.claims.expressions import PATTERNS, Scope, children_of, expression, text_of
from pactkeeper.repo.languages.python.claims.reading import ends_failing, fails
from pactkeeper.repo.languages.python.strength.managing import is_stack, managed, on_stack
from pactkeeper.repo.languages.python.strength.statements import (
    STATEMENTS,
    Lookup,
    Lowering,
    Reader,
    named_parts,
    place,
    zipped,
)

_NONLOCAL: Final = re.compile(r"^[ \t]*+nonlocal (\w++)", re.MULTILINE)
_OF_MYPY: Final = re.compile(r"#\s{0,9}([RENWOF]):\s{0,9}(.*)")
_ADDED: Final = re.compile(r"(?<![\w.])(\w++)\.(?:add|append|appendleft|extend|insert|setdefault|update)\(")


def block(node: Node | None, reader: Reader) -> Block:
    """Lower the statements of a block."""
    return _statements(node.named_children if node is not None else (), reader)


def _statements(nodes: Sequence[Node], reader: Reader) -> Block:
    children = ((each, _STATEMENTS.get(each.type)) for each in nodes)
    return tuple(
        one
        for each, lower in children
        if lower is not None
        for one in (*named_parts(each, reader), *zipped(each, reader), *_lambdas(each, reader), *lower(each, reader))
    )


def _lambdas(node: Node, reader: Reader) -> Iterator[Statement]:
    """Define the lambdas of a statement: nothing but its source names one."""
    for inner in _unnamed(node) if "lambda" in text_of(node) else ():
        given = expression(inner.child_by_field_name("body"), reader.scope)
        called = reader.lookup(given.function) if isinstance(given, Call) else None
        body = tuple(STATEMENTS["expression_statement"](inner, reader))
        if not asserts(body if called is None else called.body):
            body = (Leave("return", given, place(inner)[0]),)
        made = Routine(text_of(inner), tuple(_parameters(inner, reader.scope)), body, lookup=reader.lookup)
        yield Define(made, Opaque(text_of(inner)))
        taken = inner.parent.child_by_field_name("left") if inner.parent is not None else None
        if taken is not None and taken.type == "identifier" and not ending(body):
            yield Define(replace(made, name=text_of(taken)))


def _unnamed(node: Node) -> Iterator[Node]:
    """Yield the lambdas in a node, without those in others and in blocks."""
    for child in node.named_children:
        if child.type == "lambda":
            yield child
        elif child.type != "block":
            yield from _unnamed(child)


def _inside(node: Node | None, reader: Reader) -> Block:
    """Lower the statements of a clause; empty if there is no clause."""
    return block(_body(node), reader) if node is not None else ()


def _body(node: Node) -> Node | None:
    named = node.child_by_field_name("body")
    return named or next((child for child in node.named_children if child.type == "block"), None)


def _with(node: Node, reader: Reader) -> Iterator[Statement]:
    given = [(written, alias) for _, written, alias in managers(node)]
    stacks = {alias or text_of(written) for written, alias in given if is_stack(written, reader)}
    inner = children_of(node, "body")
    yield from managed(given, place(node), reader, lambda: _stacked(inner, stacks, reader))


def _stacked(nodes: Sequence[Node], stacks: set[str], reader: Reader) -> Block:
    """Lower what runs under exit stacks: what follows a manager that is entered on one of them is its body."""
    for at, each in enumerate(nodes if stacks else ()):
        around = on_stack(each, stacks, reader, partial(_stacked, nodes[at + 1 :], stacks, reader))
        if around is not None:
            return (*_statements(nodes[:at], reader), *around)
    return _statements(nodes, reader)


def _for(node: Node, reader: Reader) -> Iterator[Statement]:
    left, otherwise = node.child_by_field_name("left"), node.child_by_field_name("alternative")
    variable = _target(left, reader) if left is not None else None
    over = expression(node.child_by_field_name("right"), reader.scope)
    yield Loop(variable, over, block(node.child_by_field_name("body"), reader), _inside(otherwise, reader))


def _target(node: Node, reader: Reader) -> Expression:
    """Lower the variable of a loop, or the variables that take its members apart."""
    if node.type in PATTERNS:
        return Collection("tuple", tuple(_target(child, reader) for child in node.named_children))
    return expression(node, reader.scope)


def _while(node: Node, reader: Reader) -> Iterator[Statement]:
    condition = node.child_by_field_name("condition")
    otherwise = _inside(node.child_by_field_name("alternative"), reader)
    loop = Loop(None, None, block(node.child_by_field_name("body"), reader), otherwise)
    never = text_of(condition) in {"False", "0"}
    yield Branch(expression(condition, reader.scope), (loop,)) if never else loop
    if gives_up(loop.body):
        yield Check(tuple(claims_of(expression(condition, reader.scope), negated=True)), *place(node))


def _if(node: Node, reader: Reader) -> Iterator[Statement]:
    condition, consequence = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    if condition is None or consequence is None:
        return
    alternatives = node.children_by_field_name("alternative")
    if fails(consequence) and not alternatives:
        line, quote = place(node)
        yield Check(tuple(claims_of(expression(condition, reader.scope), negated=True)), line, quote)
        return
    yield Branch(expression(condition, reader.scope), block(consequence, reader), _otherwise(alternatives, reader))


def _otherwise(alternatives: list[Node], reader: Reader) -> Block:
    first, *rest = alternatives or (None,)
    if first is None or first.type != "elif_clause":
        return _inside(first, reader)
    condition = expression(first.child_by_field_name("condition"), reader.scope)
    then = block(first.child_by_field_name("consequence"), reader)
    return (Branch(condition, then, _otherwise(rest, reader)),)


def _try(node: Node, reader: Reader) -> Iterator[Statement]:
    body = node.child_by_field_name("body")
    handlers = [child for child in node.named_children if child.type in {"except_clause", "except_group_clause"}]
    clauses = {child.type: child for child in node.named_children}
    otherwise, final = clauses.get("else_clause"), clauses.get("finally_clause")
    must_raise = ends_failing(body) or (otherwise is not None and fails(_body(otherwise)))
    inner = block(body, reader)
    if must_raise and handlers:
        yield from _must_raise(inner, handlers, reader)
        return
    catches = tuple(_catch(handler, reader) for handler in handlers)
    yield Attempt(inner, catches, _inside(otherwise, reader), _inside(final, reader))


def _must_raise(inner: Block, handlers: list[Node], reader: Reader) -> Iterator[Statement]:
    """Lower `try: call(); self.fail()` with a handler, which states that the call raises."""
    line, quote = place(handlers[0])
    types, _ = _caught(handlers[0], reader)
    body = inner[:-1] if inner and isinstance(inner[-1], Leave) else inner
    subject = types[0] if types else Name("Exception")
    yield Within((Claim("raises", subject, Name("body·")),), body, line, quote)
    yield from _catch(handlers[0], reader).body


def _caught(node: Node, reader: Reader) -> tuple[tuple[Expression, ...], str]:
    value, alias = handled(node)
    return ((expression(value, reader.scope),) if value is not None else ()), alias


def _catch(node: Node, reader: Reader) -> Catch:
    types, alias = _caught(node, reader)
    if alias:
        reader.scope.raised[alias] = types[0] if types else Name("Exception")
    return Catch(types, block(_body(node), reader))


def _define(node: Node, reader: Reader) -> Iterator[Statement]:
    yield Define(routine(node, reader.scope, reader.lookup))


def _class(node: Node, reader: Reader) -> Iterator[Statement]:
    """Define the asserting methods of a class that a test declares, unless the test calls them itself."""
    body, around = _body(node), text_of(node.parent).replace(text_of(node), "")
    for method in body.named_children if body is not None else ():
        made = routine(method, reader.scope, reader.lookup) if method.type == "function_definition" else None
        if made is not None and asserts(made.body) and f".{made.name}(" not in around:
            yield Define(replace(made, name=f"{text_of(node.child_by_field_name('name'))}.{made.name}"))


def _decorated(node: Node, reader: Reader) -> Iterator[Statement]:
    inner = node.child_by_field_name("definition")
    if inner is not None and inner.type == "function_definition":
        made = routine(inner, reader.scope, reader.lookup)
        yield Define(made)
        for mark in decorators(node):
            yield Act(expression(mark, reader.scope), *place(mark))
        yield Bind(Name(f"decorated·{made.name}"), Operation("decorated", (Name(made.name),)))


def routine(node: Node, scope: Scope, lookup: Lookup) -> Routine:
    """Lower a function with its parameters and body."""
    names = Scope(
        scope.modules | local_modules(node),
        shadowed=set(scope.shadowed),
        raised=dict(scope.raised),
        wrapped=set(scope.wrapped),
        doubled=scope.doubled,
    )
    asynchronous = is_asynchronous(node)
    reader = Reader(names, lookup, _stirred(node))
    parameters = tuple(_parameters(node, names))
    body = block(node.child_by_field_name("body"), reader)
    lazy = not decorators(node) and is_generator(node)
    return Routine(text_of(node.child_by_field_name("name")), parameters, body, asynchronous, lookup, lazy=lazy)


def is_asynchronous(node: Node) -> bool:
    """Whether a function is declared with `async`."""
    return any(child.type == "async" for child in node.children)


def is_generator(node: Node) -> bool:
    """Whether a function is a generator: it yields, and not only in a function inside of it."""
    inner = (child for child in node.named_children if child.type not in {"function_definition", "lambda"})
    return node.type == "yield" or ("yield" in text_of(node) and any(map(is_generator, inner)))


def _stirred(function: Node) -> frozenset[str]:
    """The variables of a function that functions inside of it assign or add to."""
    source = text_of(function)
    inner = list(_inner_functions(function)) if _ADDED.search(source) else []
    return frozenset(_NONLOCAL.findall(source)).union(*(_ADDED.findall(text_of(node)) for node in inner))


def _inner_functions(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in {"function_definition", "lambda"}:
            yield child
        else:
            yield from _inner_functions(child)


_REST: Final[Mapping[str, Literal["tuple", "mapping"]]] = {
    "list_splat_pattern": "tuple",
    "dictionary_splat_pattern": "mapping",
}


def _parameters(node: Node, scope: Scope) -> Iterator[Parameter]:
    for child in children_of(node, "parameters"):
        bare = child.named_children[0] if child.type == "typed_parameter" and child.named_children else child
        if bare.type in {"identifier", *_REST}:
            yield Parameter(text_of(bare).lstrip("*"), rest=_REST.get(bare.type, ""))
        elif child.type in {"default_parameter", "typed_default_parameter"}:
            default = expression(child.child_by_field_name("value"), scope)
            yield Parameter(text_of(child.child_by_field_name("name")), default)


def _match(node: Node, reader: Reader) -> Iterator[Statement]:
    subject = expression(node.child_by_field_name("subject"), reader.scope)
    for case in children_of(node, "body"):
        pattern = next((child for child in case.named_children if child.type == "case_pattern"), None)
        yield Branch(
            Operation("matches-case", (subject, Opaque(text_of(pattern)))),
            block(case.child_by_field_name("consequence"), reader),
        )


def _told_by_mypy(node: Node, reader: Reader) -> Iterator[Statement]:
    """Lower what pytest-mypy-testing expects mypy to say of a line: `reveal_type(x)  # R: builtins.int`."""
    said, stated, around = _OF_MYPY.match(text_of(node)), node.prev_named_sibling, node.parent
    while said is not None and around is not None and around.type != "function_definition":
        around = around.parent
    marks = decorators(around) if said is not None and around is not None else []
    if said is None or stated is None or not any("mypy_testing" in text_of(one) for one in marks):
        return
    if stated.start_point.row == node.start_point.row and stated.named_children:
        given = expression(stated.named_children[0], reader.scope)
        claim = Claim("equals", Call(Name("mypy"), (Argument(given),)), Opaque(said[0].strip("# ")))
        if isinstance(given, Call) and given.arguments and said[1] == "R":
            claim = Claim("has_type", given.arguments[0].value, Opaque(said[2].strip()))
        yield Check((claim,), *place(stated))


_STATEMENTS: Final[Mapping[str, Lowering]] = {
    **STATEMENTS,
    "with_statement": _with,
    "for_statement": _for,
    "while_statement": _while,
    "if_statement": _if,
    "try_statement": _try,
    "function_definition": _define,
    "class_definition": _class,
    "decorated_definition": _decorated,
    "match_statement": _match,
    "comment": _told_by_mypy,
}
