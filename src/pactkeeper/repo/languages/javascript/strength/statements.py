"""Lower the statements of JavaScript code, each by its own function in a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Argument, Call, Expression, Name, Operation, Raised, Value
from pactkeeper.intent.strength import frames
from pactkeeper.intent.strength.errors import ANY_ERROR
from pactkeeper.intent.strength.folding import truth_of
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
    Statement,
)
from pactkeeper.intent.strength.substitution import substitute
from pactkeeper.intent.strength.terms import negated_term
from pactkeeper.repo.languages.javascript.claims.branches import always_fails, denied, passes_error_on
from pactkeeper.repo.languages.javascript.claims.imports import is_import
from pactkeeper.repo.languages.javascript.claims.project import asserts
from pactkeeper.repo.languages.javascript.claims.syntax import bare, body_of, children, is_function, text
from pactkeeper.repo.languages.javascript.strength.asserting import expected_failure
from pactkeeper.repo.languages.javascript.strength.calls import Reader
from pactkeeper.repo.languages.javascript.strength.values import Place, bindings_of, line_of, quote_of, taken
from pactkeeper.repo.languages.javascript.strength.waiting import hands_on

if TYPE_CHECKING:
    from tree_sitter import Node

    from pactkeeper.repo.languages.javascript.strength.lowering import Lowering


_BELOW = re.compile(r"([\w$]++)\s*+(<=?)\s*+(\d{1,9})")
_STEP = re.compile(r"(?:\+\+)?([\w$]++)(?:\+\+)?|([\w$]++)\s*+\+=\s*+(\d{1,9})")
_BROKEN = frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement", "switch_statement"})


def _declared(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    found: list[Statement] = []
    for each in children(node):
        target, value = each.child_by_field_name("name"), each.child_by_field_name("value")
        if target is not None and value is not None and not is_import(value):
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


def _classed(lower: Lowering, node: Node, _place: Place) -> list[Statement]:
    """Lower a class that a test declares to its asserting methods, unless the test calls them itself."""
    name, body = text(node.child_by_field_name("name")), body_of(node)
    around = text(node.parent).replace(text(node), "")
    found: list[Statement] = []
    for member in children(body) if body is not None and asserts(body) else ():
        held = member if is_function(member) else member.child_by_field_name("value")
        method = text(member.child_by_field_name("name") or member.child_by_field_name("property"))
        if held is not None and is_function(held) and asserts(held) and f".{method}(" not in around:
            found.append(Define(lower.routine(lower.module, held, f"{name}.{method}")))
    return found


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
    if condition is None or node.type == "do_statement":
        return [*before, loop]
    begins: dict[Expression, Expression] = {
        one.target: one.value for one in before if isinstance(one, Bind) and one.value is not None
    }
    first_turn = substitute(lower.scope.read(condition), begins)
    waits = node.type == "while_statement" and frames.gives_up(body)
    came = [Check(denied(lower.scope.read(condition)), line_of(node), quote_of(condition))] if waits else []
    return [*before, Branch(first_turn, (loop,)) if truth_of(first_turn) is False else loop, *came]


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
    runs = lower.makes_generator(bare(right))
    before = [one for one in lower.expression(right, place) if runs or not isinstance(one, Act)]
    return [*before, Loop(variable, over, (*opening, *body))]


def _tried(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    body, handler = node.child_by_field_name("body"), node.child_by_field_name("handler")
    finalizer = node.child_by_field_name("finalizer")
    last = lower.block(children(finalizer), place) if finalizer is not None else ()
    tried = lower.arm(body, place)
    if handler is None or body is None:
        return [Attempt(tried, (), final=last)]
    caught = _handler(lower, handler, place)
    ends = always_fails(body)
    if asserts(handler) and (ends or (lower.counted and not asserts(body) and not frames.always_fails(caught))):
        kept = lower.block(children(body)[: -1 if ends else None], place)
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


STATEMENTS: dict[str, Reader] = {
    "lexical_declaration": _declared,
    "variable_declaration": _declared,
    "export_statement": _nested,
    "function_declaration": _defined,
    "generator_function_declaration": _defined,
    "class_declaration": _classed,
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
