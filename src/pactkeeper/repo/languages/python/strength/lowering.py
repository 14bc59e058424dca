"""Lower Python statements to those of a strength program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from tree_sitter import Node

from pactkeeper.intent.claims import Argument, Attribute, Call, Claim, Collection, Expression, Name, Opaque, Operation
from pactkeeper.intent.strength.faking import of_the_language
from pactkeeper.intent.strength.program import (
    YIELDED,
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
    yields,
)
from pactkeeper.intent.strength.terms import last_name, strict_zips
from pactkeeper.repo.languages.python.claims import local_modules
from pactkeeper.repo.languages.python.claims.calls import assertion_calls
from pactkeeper.repo.languages.python.claims.comparisons import claims_of
from pactkeeper.repo.languages.python.claims.contexts import (
    WATCHERS,
    caught,
    quieted,
    watched,
    watcher_of,
    with_callable,
)
from pactkeeper.repo.languages.python.claims.decorators import decorators
from pactkeeper.repo.languages.python.claims.expressions import PATTERNS, Scope, expression, is_readouterr, text_of
from pactkeeper.repo.languages.python.claims.reading import ends_failing, fails, looks_asserting
from pactkeeper.repo.languages.python.strength.replacing import assigned_attribute

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
_NONLOCAL: Final = re.compile(r"^[ \t]*+nonlocal (\w++)", re.MULTILINE)
_ADDED: Final = re.compile(r"(?<![\w.])(\w++)\.(?:add|append|appendleft|extend|insert|setdefault|update)\(")


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


def block(node: Node | None, reader: Reader) -> Block:
    """Lower the statements of a block."""
    children = ((each, _STATEMENTS.get(each.type)) for each in (node.named_children if node is not None else ()))
    return tuple(
        one
        for each, lower in children
        if lower is not None
        for one in (*_named(each, reader), *_zipped(each, reader), *lower(each, reader))
    )


def _named(node: Node, reader: Reader) -> Iterator[Statement]:
    """Bind the names that a statement or a condition gives to parts of itself: `assert (got := f()) == 3`."""
    whole = (
        node if node.type in _SINGLE else node.child_by_field_name("condition") if node.type == "if_statement" else None
    )
    for one in _walruses(whole) if whole is not None and ":=" in text_of(whole) else ():
        name, value = one.child_by_field_name("name"), one.child_by_field_name("value")
        if name is not None and value is not None:
            inner, awaited = _unwrapped(value)
            yield from _bound(name, inner, expression(inner, reader.scope), reader, awaited=awaited)


def _walruses(node: Node) -> Iterator[Node]:
    """Yield the named expressions in a node, inner ones first, except those that run later or several times."""
    for child in node.named_children if node.type not in _LATER_RUN else ():
        yield from _walruses(child)
    if node.type == "named_expression":
        yield node


def _zipped(node: Node, reader: Reader) -> Iterator[Statement]:
    """Add the assertion implied by `zip` with `strict`: both sides have the same number of members."""
    part = node.child_by_field_name("right") if node.type == "for_statement" else None
    if part is None and node.type in _SINGLE and node.named_children:
        part = node.named_children[0].child_by_field_name("right") or node.named_children[0]
    if part is not None and "strict" in text_of(part):
        claims = tuple(Claim("completes", call) for call in strict_zips(expression(part, reader.scope)))
        yield from [Check(claims, *_place(node))] if claims else []


def _place(node: Node) -> tuple[int, str]:
    return node.start_point.row + 1, text_of(node).split("\n", 1)[0].strip()[:_QUOTE]


def _inside(node: Node | None, reader: Reader) -> Block:
    """Lower the statements of a clause; empty if there is no clause."""
    return block(_body(node), reader) if node is not None else ()


def _body(node: Node) -> Node | None:
    named = node.child_by_field_name("body")
    return named or next((child for child in node.named_children if child.type == "block"), None)


def _assert(node: Node, reader: Reader) -> Iterator[Statement]:
    if not node.named_children:
        return
    line, quote = _place(node)
    condition = node.named_children[0]
    never = text_of(condition) in {"False", "0"}
    yield Leave("fail", line=line) if never else _asserted(condition, reader, line, quote)


def _asserted(condition: Node, reader: Reader, line: int, quote: str) -> Statement:
    """Lower an assertion; `assert a if c else b` asserts one or the other."""
    if condition.type != "conditional_expression" or len(condition.named_children) != _CONDITIONAL:
        return Check(tuple(claims_of(condition, reader.scope)), line, quote)
    then, test, otherwise = (child for child in condition.named_children)
    branches = [(_asserted(one, reader, line, quote),) for one in (then, otherwise)]
    return Branch(expression(test, reader.scope), *branches)


def _expression_statement(node: Node, reader: Reader) -> Iterator[Statement]:
    for child in node.named_children:
        inner, awaited = _unwrapped(child)
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
            yield Act(Call(Name("run"), (Argument(Name(text_of(inner))),)), *_place(inner))
        elif inner.type in _EVALUATED:
            yield Act(expression(inner, reader.scope), *_place(inner))


def _unwrapped(node: Node) -> tuple[Node, bool]:
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
    line, quote = _place(node)
    call = expression(node, reader.scope)
    if not isinstance(call, Call):
        yield Act(call, line, quote)
        return
    ending = _ending(call)
    if ending is not None:
        yield Leave(ending, line=line)
        return
    if _name(call) in _LATER and call.arguments:
        call = Call(call.arguments[0].value, call.arguments[1:])
    method = isinstance(call.function, Attribute) and call.function.value in _SELVES
    own = reader.lookup(call.function) if method or isinstance(call.function, Name) else None
    if own is not None and own.lazy:
        return
    if own is not None:
        yield Act(call, line, quote, awaited=awaited)  # also a helper of the tests that is named like an assertion
        return
    raised = None if _is_double(node, reader) else with_callable(call) or quieted(call)
    claims = (raised,) if raised is not None else assertion_calls(call)
    if claims:
        yield Check(claims, line, quote)
    elif looks_asserting(call) and reader.lookup(call.function) is None and not isinstance(call.function, Name):
        yield Check((Claim("satisfies", call),), line, quote)
    else:
        yield Act(call, line, quote, awaited=awaited)


def _ending(call: Call) -> Ending | None:
    return _ENDINGS.get(_name(call.function))


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


def _with(node: Node, reader: Reader) -> Iterator[Statement]:
    claims: list[Claim] = []
    suppressed: list[Expression] = []
    before: list[Statement] = []
    inside: list[Statement] = []  # what comes after a watching manager runs under it
    line, quote = _place(node)
    for value in _managers(node):
        manager, alias = _aliased(value)
        manager = _made_before(manager, reader) or manager
        call = expression(_unwrapped(manager)[0], reader.scope)
        if watcher_of(call) and isinstance(call, Call) and not _is_double(manager, reader):
            claim = watched(call, Name("body·"))
            claims += [claim] if claim is not None else []
            if alias and claim is not None and claim.relation in {"raises", "warns"}:
                reader.scope.hold(alias, claim.subject)
        elif isinstance(call, Call) and looks_asserting(call) and reader.lookup(call.function) is None:
            claims.append(Claim("satisfies", call))
        elif isinstance(call, Call) and _name(call) == "suppress":
            suppressed += [argument.value for argument in call.arguments]
        elif not (isinstance(call, Call) and _name(call) == "subTest"):
            run = reader.lookup(call.function) if isinstance(call, Call) else None
            own = run is not None and yields(run.body)
            entered = inside if claims else before
            entered.append(Act(call, line, quote, body=(Leave("leave"),) if own else ()))
            if alias:
                entered.append(Bind(Name(alias), YIELDED if own else Operation("entered", (call,))))
    inner = _entered(inside, block(node.child_by_field_name("body"), reader))
    if claims or suppressed:
        inner = (Within(tuple(claims), inner, line, quote, tuple(suppressed)),)
    yield from _entered(before, inner)


def _made_before(manager: Node, reader: Reader) -> Node | None:
    """Return the call that made a context manager, if it was assigned to a name and what it does is known."""
    made = reader.made.get(text_of(_unwrapped(manager)[0]))
    call = expression(made, reader.scope) if made is not None else None
    if not isinstance(call, Call):
        return None
    run = reader.lookup(call.function)
    return made if watcher_of(call) or _name(call) == "suppress" or (run is not None and yields(run.body)) else None


def _entered(before: Sequence[Statement], body: Block) -> Block:
    """Return the body of a `with` inside of what is entered before it: what a helper yields to is its own body."""
    for one in reversed(before):
        own = isinstance(one, Act) and one.body
        body = (replace(one, body=body),) if isinstance(one, Act) and own else (one, *body)
    return body


def _is_double(node: Node, reader: Reader) -> bool:
    """Whether what is called is the test side's own, under a name of the test framework, and never fails."""
    called = text_of(node.child_by_field_name("function"))
    return not reader.scope.doubled.isdisjoint({called, called.partition(".")[0]})


def _managers(node: Node) -> Iterator[Node]:
    clauses = (clause for clause in node.named_children if clause.type == "with_clause")
    items = (item.child_by_field_name("value") for clause in clauses for item in clause.named_children)
    yield from (value for value in items if value is not None)


def _aliased(value: Node) -> tuple[Node, str]:
    if value.type != "as_pattern" or not value.named_children:
        return value, ""
    alias = text_of(value.child_by_field_name("alias"))
    return value.named_children[0], alias if alias.isidentifier() else ""


def _name(one: Expression | None) -> str:
    """Return the last name of what is called, raised or passed on."""
    return last_name(one) if one is not None else ""


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
    loop = Loop(None, None, block(node.child_by_field_name("body"), reader))
    never = text_of(condition) in {"False", "0"}
    yield Branch(expression(condition, reader.scope), (loop,)) if never else loop


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
        ending = _RAISED.get(_name(value), kind) if kind == "raise" else kind
        if isinstance(value, Call) and isinstance(value.function, Name):
            ending = _ending(value) or ending  # `return pytest.skip()`
        yield Leave(ending, value, node.start_point.row + 1)

    return lower


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
    """Lower a function with its parameters and body."""
    names = Scope(
        scope.modules | local_modules(node),
        shadowed=set(scope.shadowed),
        raised=dict(scope.raised),
        wrapped=set(scope.wrapped),
        doubled=scope.doubled,
    )
    asynchronous = any(child.type == "async" for child in node.children)
    reader = Reader(names, lookup, _stirred(node))
    parameters = tuple(_parameters(node, names))
    body = block(node.child_by_field_name("body"), reader)
    lazy = not decorators(node) and _yields(node)
    return Routine(text_of(node.child_by_field_name("name")), parameters, body, asynchronous, lookup, lazy=lazy)


def _yields(node: Node) -> bool:
    """Whether a function is a generator: it yields, and not only in a function inside of it."""
    inner = (child for child in node.named_children if child.type not in {"function_definition", "lambda"})
    return node.type == "yield" or ("yield" in text_of(node) and any(map(_yields, inner)))


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
    found = node.child_by_field_name("parameters")
    for child in found.named_children if found is not None else ():
        bare = child.named_children[0] if child.type == "typed_parameter" and child.named_children else child
        if bare.type in {"identifier", *_REST}:
            yield Parameter(text_of(bare).lstrip("*"), rest=_REST.get(bare.type, ""))
        elif child.type in {"default_parameter", "typed_default_parameter"}:
            default = expression(child.child_by_field_name("value"), scope)
            yield Parameter(text_of(child.child_by_field_name("name")), default)


def _match(node: Node, reader: Reader) -> Iterator[Statement]:
    subject = expression(node.child_by_field_name("subject"), reader.scope)
    body = node.child_by_field_name("body")
    for case in body.named_children if body is not None else ():
        pattern = next((child for child in case.named_children if child.type == "case_pattern"), None)
        yield Branch(
            Operation("matches-case", (subject, Opaque(text_of(pattern)))),
            block(case.child_by_field_name("consequence"), reader),
        )


def _import(node: Node, reader: Reader) -> Iterator[Statement]:
    """Note the names of the test framework that an import gives to something of the language."""
    source = text_of(node.child_by_field_name("module_name"))
    names = {text_of(one.child_by_field_name("alias")): text_of(one.child_by_field_name("name"))
             for one in node.children_by_field_name("name")} if of_the_language(source) else {}  # fmt: skip
    reader.scope.doubled |= {name for name, original in names.items() if name in WATCHERS and original not in WATCHERS}
    yield from ()


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
    "break_statement": _leave("leave"),
    "continue_statement": _leave("leave"),
    "delete_statement": _delete,
    "import_from_statement": _import,
    "function_definition": _define,
    "decorated_definition": _decorated,
    "match_statement": _match,
}
