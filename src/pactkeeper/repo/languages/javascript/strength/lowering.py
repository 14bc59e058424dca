"""Lower JavaScript code to the statements of `intent.strength.program`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Argument, Call, Claim, Expression, Name, Operation, Raised, Value
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
    Routine,
    Statement,
    Within,
)
from pactkeeper.intent.strength.terms import negated_term
from pactkeeper.repo.languages.javascript.claims.branches import always_fails, denied, passes_error_on
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in, pattern_paths
from pactkeeper.repo.languages.javascript.claims.project import asserts
from pactkeeper.repo.languages.javascript.claims.raising import ANY_ERROR
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    bare,
    body_of,
    chain,
    children,
    descend,
    is_function,
    parameters_of,
    text,
)
from pactkeeper.repo.languages.javascript.strength.asserting import counts, expected_failure
from pactkeeper.repo.languages.javascript.strength.calls import EXPRESSIONS, replacements
from pactkeeper.repo.languages.javascript.strength.values import (
    Place,
    bindings_of,
    called_arguments,
    line_of,
    quote_of,
    settled,
    stirred,
    taken,
)
from pactkeeper.repo.languages.javascript.strength.waiting import ITERATING, drops_callback, floats, hands_on, is_done

if TYPE_CHECKING:
    from tree_sitter import Node


_BELOW = re.compile(r"([\w$]++)\s*+(<=?)\s*+(\d{1,9})")
_STEP = re.compile(r"(?:\+\+)?([\w$]++)(?:\+\+)?|([\w$]++)\s*+\+=\s*+(\d{1,9})")
_NOT_RUN = frozenset({"fn", "mock", "doMock", "mockImplementation", "mockImplementationOnce", "unstable_mockModule"})
_WRAPPED = frozenset(
    {"array", "object", "pair", "spread_element", "template_string", "template_substitution", "sequence_expression"}
    | {"unary_expression"}
)
_SAYS_NOTHING = frozenset({"comment", "import_statement", "debugger_statement"})
_AT_ONCE = ITERATING | {"expect", "assert", "throws", "doesNotThrow"}


@dataclass(slots=True)
class Lowering:
    """The code of one file while it is lowered; `others` are tests declared inside, which run independently.

    `routine` converts a function to a routine, `fields` returns what the fields of a new object hold. `throws` means
    that a conditional throw is an assertion, as in every file that asserts; `counted` that the function being lowered
    counts its assertions, so that all of them are reached. `stirred` are its variables assigned by nested functions.
    """

    module: Module
    scope: Scope
    others: frozenset[int]
    page: bool
    routine: Callable[[Module, Node, str], Routine]
    fields: Callable[[Node, Expression], list[Bind]]
    throws: bool
    counted: bool = field(default=False)
    stirred: frozenset[str] = frozenset()

    def function(self, function: Node) -> Block:
        """Lower a function's body."""
        body = body_of(function)
        if body is None:
            return ()
        self.counted, self.stirred = _is_counted(body), stirred(body)
        names = [text(name) for each in parameters_of(function)[-1:] for name in names_in(each)]
        done = frozenset(name for name in names if name in {"done", "cb", "next", "callback"})
        place = Place(waited=self.counted, done=done)
        block = body.type == "statement_block"
        inner = self.block(children(body), place) if block else tuple(self.returned(body, place))
        return (_ended(body), *inner) if _ends_later(body, done) else inner

    def block(self, nodes: Sequence[Node], place: Place) -> Block:
        """Lower statements in order; after the test has signaled that it is done, nothing is waited for."""
        done = any(is_done(each, place.done) for each in nodes)
        found: list[Statement] = []
        for each in nodes:
            here = place if not done or place.waited else replace(place, ending=True)
            found += self.statement(each, here)
            if done and is_done(each, place.done) and not place.waited:
                place = replace(place, floating=True)
        return tuple(found)

    def statement(self, node: Node, place: Place) -> list[Statement]:
        """Lower one statement."""
        reader = STATEMENTS.get(node.type)
        if reader is not None:
            return reader(self, node, place)
        if node.type.endswith(("_declaration", "_clause")) or node.type in _SAYS_NOTHING:
            return []
        inner = bare(node)
        found = self.expression(inner, place)
        if (inner.type == "member_expression" and not found) or _sets_field(inner):
            return [Act(self.scope.read(inner), line_of(node), quote_of(node)), *found]
        return found

    def expression(self, node: Node, place: Place) -> list[Statement]:
        """Lower what evaluating an expression does."""
        node = bare(node)
        reader = EXPRESSIONS.get(node.type)
        if reader is not None:
            return reader(self, node, place)
        if node.type in _WRAPPED or node.type.startswith("jsx"):
            return [one for child in children(node) for one in self.expression(child, place)]
        return []

    def bound(self, target: Node, value: Node, place: Place) -> list[Statement]:
        """Lower a binding of a name or pattern to a value."""
        inner = bare(value)
        if target.type == "object_pattern" and text(inner) in self.scope.namespaces:
            return [Bind(Name(text(name)), Name(path[0].text)) for name, path in pattern_paths(target) if path]
        if is_function(inner) and target.type == "identifier":
            return [Define(self.routine(self.module, inner, text(target)))]
        before = self.expression(inner, place)
        held = settled(inner, self.scope)
        if before and isinstance(before[-1], Act) and isinstance(held, Call) and before[-1].call == held:
            before.pop()
        if text(target) in self.stirred:
            return [*before, Bind(Name(text(target)), Operation("changed", (held,)))]
        if target.type == "identifier" or not isinstance(held, Call):
            fields = self.fields(inner, self.scope.read(target)) if inner.type == "new_expression" else []
            return [*before, *replacements(target, inner, self.scope), *bindings_of(target, held), *fields]
        name = Name(f"value·{target.start_byte}")
        return [*before, Bind(name, held), *bindings_of(target, name)]

    def function_at(self, node: Node) -> Node | None:
        """Return the function at a node, written there or referred to by name."""
        node = bare(node)
        if is_function(node):
            return node
        return self.module.function(text(node), node.start_byte) if node.type == "identifier" else None

    def returned(self, node: Node, place: Place) -> list[Statement]:
        """Lower a returned value, which the caller awaits."""
        ending: Leave = Leave("leave") if place.callback else Leave("return")
        found = self.expression(node, place)
        if place.callback or any(isinstance(one, Check | Within) for one in found):
            return [*found, ending]
        held = settled(node, self.scope)
        if found and isinstance(found[-1], Act) and found[-1].call == held:
            found.pop()
        return [*found, Leave("return", held, node.start_point[0] + 1)]

    def arm(self, node: Node | None, place: Place) -> Block:
        """Lower one branch of a condition or the body of a loop."""
        if node is None:
            return ()
        inner = children(node) if node.type in {"statement_block", "else_clause"} else [node]
        return self.block(inner, place)

    def arguments(self, links: tuple[Link, ...], place: Place) -> list[Statement]:
        """Lower the arguments of a chain: functions run, other expressions may assert."""
        found: list[Statement] = []
        for link in links:
            if link.node.type == "call_expression" and link.name not in _NOT_RUN:
                for each in link.arguments or ():
                    found += self.argument(link.node, bare(each), place)
        if not links[0].name and links[0].node.type not in {"call_expression", "member_expression"}:
            found += self.expression(links[0].node, place)
        return found

    def argument(self, call: Node, node: Node, place: Place) -> list[Statement]:
        """Lower one argument of a call."""
        if is_function(node):
            return [self.turns(call, node, _without_callbacks(self.scope.read(call)), place)]
        return [one for one in self.expression(node, place) if not isinstance(one, Act)]

    def turns(self, call: Node, function: Node, over: Expression, place: Place) -> Loop:
        """Lower a callback as a loop over what it receives."""
        parameters = parameters_of(function)
        variable, opening = taken(parameters[0], f"member·{function.start_byte}") if parameters else (None, [])
        return Loop(variable, over, (*opening, *self.callback(call, function, place)))

    def callback(self, call: Node, function: Node, place: Place) -> Block:
        """Lower the body of a function passed to a call."""
        body = body_of(function)
        if body is None:
            return ()
        dropped = place.ending if place.done else drops_callback(call, function)
        floating = place.floating or (dropped and not place.waited and not _runs_at_once(call))
        here = replace(place, callback=True, floating=floating, ending=False)
        if body.type == "statement_block":
            return self.block(children(body), here)
        return tuple(self.expression(body, here))


def _sets_field(node: Node) -> bool:
    """Whether the node sets, updates or deletes a field of another object, which may throw."""
    if node.type == "unary_expression":
        return text(node.child_by_field_name("operator")) == "delete"
    target = node.child_by_field_name("left") or node.child_by_field_name("argument")
    assigns = node.type.endswith(("assignment_expression", "update_expression"))
    own = target is not None and text(target.child_by_field_name("object")) == "this"
    return assigns and target is not None and not own and target.type in {"member_expression", "subscript_expression"}


def _ends_later(body: Node, done: frozenset[str]) -> bool:
    """Whether something that a test calls must tell it that it is done, directly or through a promise."""
    promised = "new Promise" in text(body) and any(_waits_for(node) for node in descend(body))
    told = [node for node in descend(body) if done and node.type == "identifier" and text(node) in done]
    return promised or len(told) > sum(is_done(each, done) for each in children(body))


def _waits_for(node: Node) -> bool:
    """Whether a test waits for a promise that it makes, and asserts where that is kept."""
    promise = node.type == "new_expression" and text(node.child_by_field_name("constructor")) == "Promise"
    return promise and not floats(node) and asserts(node)


def _ended(body: Node) -> Check:
    return Check((Claim("satisfies", Call(Name("done"))),), line_of(body), "done()")


def _is_counted(body: Node) -> bool:
    return any(counts(chain(node)) for node in _statement_calls(children(body)))


def _statement_calls(nodes: Iterable[Node]) -> Iterable[Node]:
    return (
        bare(node) for node in nodes if node.type == "expression_statement" and bare(node).type == "call_expression"
    )


def _without_callbacks(call: Expression) -> Expression:
    """Remove the functions passed to a call: what one of them receives doesn't depend on what it does."""
    if not isinstance(call, Call):
        return call
    given = tuple(
        each for each in call.arguments if not (isinstance(each.value, Operation) and each.value.operator == "=>")
    )
    return replace(call, arguments=given)


def _runs_at_once(call: Node) -> bool:
    """Whether a call certainly runs a synchronous callback before it returns."""
    given = called_arguments(call)
    plain = not any(child.type == "async" for each in given for child in each.children)
    return plain and chain(call)[-1].name in _AT_ONCE


def _declared(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    found: list[Statement] = []
    for each in children(node):
        target, value = each.child_by_field_name("name"), each.child_by_field_name("value")
        if target is not None and value is not None and not _is_import(value):
            found += lower.bound(target, value, place)
    return found


def _gives_back(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    inner = children(node)
    if inner and hands_on(inner[0], place.done):
        return [Leave("raise", line=line_of(node))]
    return lower.returned(bare(inner[0]), place) if inner else [Leave("leave" if place.callback else "return")]


def _defined(lower: Lowering, node: Node, _place: Place) -> list[Statement]:
    name = text(node.child_by_field_name("name"))
    return [Define(lower.routine(lower.module, node, name))] if body_of(node) is not None else []


def _nested(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    return list(lower.block(children(node), place))


def _branched(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    condition, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    other = node.child_by_field_name("alternative")
    if condition is None or then is None:
        return _nested(lower, node, place)
    held = lower.scope.read(condition)
    before = lower.expression(condition, place)
    if lower.throws and other is None and always_fails(then) and not passes_error_on(held, then):
        return [*before, Check(denied(held), line_of(node), quote_of(condition))]
    return [*before, Branch(held, lower.arm(then, place), lower.arm(other, place))]


def _looped(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    first = node.child_by_field_name("initializer")
    before = lower.statement(first, place) if first is not None else []
    body, condition = lower.arm(node.child_by_field_name("body"), place), node.child_by_field_name("condition")
    counted = _counted(node, before)
    loop = Loop(*counted, body) if counted is not None else Loop(None, None, body)
    never = node.type == "while_statement" and condition is not None and text(bare(condition)) in {"false", "0"}
    return [*before, Branch(lower.scope.read(condition), (loop,)) if never and condition is not None else loop]


def _counted(node: Node, before: Sequence[Statement]) -> tuple[Expression, Expression] | None:
    """Return the variable of a loop that counts upwards and the range of its values; None for any other loop."""
    condition, step = node.child_by_field_name("condition"), node.child_by_field_name("increment")
    found = _BELOW.fullmatch(text(bare(condition))) if condition is not None and len(before) == 1 else None
    start, more = before[0] if before else None, _STEP.fullmatch(text(step)) if step is not None else None
    if found is None or more is None or not isinstance(start, Bind) or not isinstance(start.value, Value):
        return None
    if start.target != Name(found[1]) or found[1] not in {more[1], more[2]}:
        return None
    limit = Value("number", found[3] if found[2] == "<" else str(int(found[3]) + 1))
    given = (start.value, limit, Value("number", more[3] or "1"))
    return start.target, Call(Name("range"), tuple(map(Argument, given)))


def _for_in(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    body = lower.arm(node.child_by_field_name("body"), place)
    if left is None or right is None:
        return [Loop(None, None, body)]
    over = lower.scope.read(right)
    if text(node.child_by_field_name("operator")) == "in":
        over = Call(Name("keys of"), (Argument(over),))
    variable, opening = taken(left, f"member·{left.start_byte}")
    before = [one for one in lower.expression(right, place) if not isinstance(one, Act)]
    return [*before, Loop(variable, over, (*opening, *body))]


def _tried(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    body, handler = node.child_by_field_name("body"), node.child_by_field_name("handler")
    finalizer = node.child_by_field_name("finalizer")
    last = lower.block(children(finalizer), place) if finalizer is not None else ()
    tried = lower.arm(body, place)
    if handler is None or body is None:
        return [Attempt(tried, (), final=last)]
    caught = _handler(lower, handler, place)
    if asserts(handler) and (always_fails(body) or (lower.counted and not asserts(body))):
        kept = lower.block(children(body)[: -1 if always_fails(body) else None], place)
        return [*expected_failure(kept, caught, line_of(node), quote_of(node)), *last]
    return [Attempt(tried, (Catch((), caught),), final=last)]


def _handler(lower: Lowering, handler: Node, place: Place) -> Block:
    parameter, body = handler.child_by_field_name("parameter"), handler.child_by_field_name("body")
    opening = bindings_of(parameter, Raised(ANY_ERROR)) if parameter is not None else []
    return (*opening, *lower.arm(body, place))


def _switched(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
    if value is None or body is None:
        return []
    subject, found, known = lower.scope.read(value), list[Statement](), list[Expression]()
    for case in children(body):
        wanted = case.child_by_field_name("value")
        if wanted is not None:
            known.append(Operation("==", (subject, lower.scope.read(wanted))))
        condition = known[-1] if wanted is not None else negated_term(Operation("or", tuple(known)))
        inner = [each for each in children(case) if each != wanted and each.type != "break_statement"]
        found.append(Branch(condition, lower.block(inner, place)))
    return found


def _thrown(lower: Lowering, node: Node, _place: Place) -> list[Statement]:
    inner = children(node)
    return [Leave("raise", lower.scope.read(inner[0]) if inner else None, line_of(node))]


def _left(_lower: Lowering, _node: Node, _place: Place) -> list[Statement]:
    return [Leave("leave")]


def _broken(_lower: Lowering, node: Node, _place: Place) -> list[Statement]:
    around = node.parent
    while around is not None and around.type not in _BROKEN and not is_function(around):
        around = around.parent
    labelled = bool(children(node))
    loops = around is not None and around.type in _BROKEN - {"switch_statement"} and not labelled
    return [Leave("break" if loops else "leave")]


_BROKEN = frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement", "switch_statement"})


def _is_import(value: Node) -> bool:
    """Whether a declaration imports: `require("x")`, `require("x").name`, `await import("x")`."""
    links = chain(value)
    return (
        links[0].name in {"require", "import"}
        and links[0].arguments is not None
        and all(link.arguments is None for link in links[1:])
    )


Reader = Callable[["Lowering", "Node", Place], list[Statement]]
STATEMENTS: dict[str, Reader] = {
    "lexical_declaration": _declared,
    "variable_declaration": _declared,
    "export_statement": _nested,
    "function_declaration": _defined,
    "generator_function_declaration": _defined,
    "statement_block": _nested,
    "else_clause": _nested,
    "labeled_statement": _nested,
    "ERROR": _nested,
    "return_statement": _gives_back,
    "if_statement": _branched,
    "for_statement": _looped,
    "while_statement": _looped,
    "do_statement": _looped,
    "for_in_statement": _for_in,
    "try_statement": _tried,
    "switch_statement": _switched,
    "throw_statement": _thrown,
    "continue_statement": _left,
    "break_statement": _broken,
}
