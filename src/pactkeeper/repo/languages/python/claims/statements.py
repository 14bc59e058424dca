"""Read a test's statements from top to bottom: claims, actions, and what its local names hold along the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from tree_sitter import Node

from pactkeeper.intent.claims import Call, Captured, Claim, Each, Expression, Name, Opaque, Operation, Raised, names_in
from pactkeeper.repo.languages.python.claims.calls import assertion_calls
from pactkeeper.repo.languages.python.claims.comparisons import claims_of
from pactkeeper.repo.languages.python.claims.contexts import (
    caught,
    handled,
    managers,
    watched,
    watcher_of,
    with_callable,
)
from pactkeeper.repo.languages.python.claims.expressions import children_of, expression, is_readouterr, text_of
from pactkeeper.repo.languages.python.claims.reading import (
    MAX_HELD,
    Reading,
    ends_failing,
    failing,
    fails,
    is_failure,
    last_call,
    looks_asserting,
    statements_of,
)


def read_block(block: Node | None, reading: Reading) -> None:
    """Read the statements of a block in order."""
    for child in block.named_children if block is not None else ():
        read_statement(child, reading)


def _qualify(reading: Reading, start: int, change: Callable[[Claim], Claim]) -> None:
    """Say of the claims read since a point how they are made: repeatedly, or under a condition."""
    reading.claims[start:] = map(change, reading.claims[start:])


def read_statement(node: Node, reading: Reading) -> None:
    """Read one statement; one that neither claims nor acts is skipped."""
    reader = _STATEMENTS.get(node.type)
    if reader is not None:
        reader(node, reading)


def _assert(node: Node, reading: Reading) -> None:
    if not node.named_children:
        return
    condition = node.named_children[0]
    if condition.type == "false" or (condition.type == "integer" and text_of(condition) == "0"):
        return
    reading.add(claims_of(expression(condition, reading.scope)), node)


def _expression_statement(node: Node, reading: Reading) -> None:
    for child in node.named_children:
        inner = child
        while inner.type in {"await", "yield", "parenthesized_expression"} and inner.named_children:
            inner = inner.named_children[0]
        if inner.type in {"assignment", "augmented_assignment"}:
            _assignment(inner, reading)
        elif inner.type == "call":
            _call(inner, reading)


def _call(node: Node, reading: Reading) -> None:
    call = expression(node, reading.scope)
    if not isinstance(call, Call):
        return
    raised = with_callable(call)
    claims = [raised] if raised is not None else [*assertion_calls(call)]
    if claims:
        reading.add(claims, node)
        return
    followed = reading.follow(call, reading) if reading.follow else None
    if followed:
        reading.add(followed, node)
    elif looks_asserting(call) and not is_failure(call):
        if reading.follow:  # its name says that it asserts, but only its source says what
            reading.add([Claim("completes", call)], node)
        reading.reasons.append("unresolvable_value")
    elif not is_failure(call):
        reading.actions.append(call)


def _raise(node: Node, reading: Reading) -> None:
    """Handle `raise AssertionError`, which asserts something that only its context reveals."""
    if failing(node):
        reading.reasons.append("unresolvable_value")


def _assignment(node: Node, reading: Reading) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    value = expression(right, reading.scope)
    _watch_value(right, value, reading)
    if left.type == "identifier":
        plain = node.type == "assignment" and len(text_of(right)) <= MAX_HELD
        reading.bind(text_of(left), value if plain else None)
        if is_readouterr(right):
            reading.scope.captured[text_of(left)] = None
        if isinstance(value, Raised):
            reading.scope.raised[text_of(left)] = value.error
        elif (error := caught(value)) is not None:
            reading.scope.hold(text_of(left), error)
    elif left.type in {"pattern_list", "tuple_pattern"}:
        _unpack(left, right, reading)


def _watch_value(right: Node, value: Expression, reading: Reading) -> None:
    """Handle `error = self.assertRaises(Error, call)`, which asserts, as may a helper whose result is kept."""
    if not isinstance(value, Call):
        return
    claim = with_callable(value)
    followed = None if claim else reading.follow(value, reading) if reading.follow else None
    if claim is not None:
        reading.add([claim], right)
    elif followed:
        reading.add(followed, right)
    else:
        reading.actions.append(value)


def _unpack(left: Node, right: Node, reading: Reading) -> None:
    names = [text_of(child) for child in left.named_children]
    values = (
        [child for child in right.named_children if child.type != "comment"] if right.type == "expression_list" else []
    )
    held = [expression(value, reading.scope) for value in values]
    for at, name in enumerate(names):
        reading.bind(name, held[at] if len(held) == len(names) else None)
    if is_readouterr(right):
        for name, stream in zip(names, ("output", "error_output"), strict=False):
            reading.scope.captured[name] = Captured(stream)  # type: ignore[arg-type]  # the two names are listed above


def _with(node: Node, reading: Reading) -> None:
    watching: list[tuple[Call, Node]] = []
    for item, manager, alias in managers(node):
        call = expression(manager, reading.scope)
        if watcher_of(call) and isinstance(call, Call):
            watching.append((call, item))
            _hold_error(call, alias, reading)
        else:
            _enter(call, alias, item, reading)
    before, claimed = len(reading.actions), len(reading.claims)
    block = node.child_by_field_name("body")
    read_block(block, reading)
    body = last_call(reading, before)
    said = [(watched(call, body), item) for call, item in watching]
    raising = [claim for claim, _ in said if claim is not None and claim.relation == "raises"]
    run = _run(block, raising)
    cut = run[-1].end_byte - node.start_byte if statements_of(block)[len(run) :] else None
    whole = (node.text or b"")[:cut].decode("utf-8", "replace") if len(watching) == 1 else ""
    made = [(_traced(claim, run, whole), item) for claim, item in said]
    after = reading.claims[claimed:]
    del reading.claims[claimed:]
    if raising:
        after = [replace(claim, inverted=True) for claim in after]
    for claim, item in made:
        if claim is not None:
            reading.add([claim], item)
    reading.claims.extend(after)


def _run(block: Node | None, raising: Sequence[Claim]) -> list[Node]:
    """Return a block's statements; of one that must raise, without the assertions at its end that can't raise that."""
    kept = statements_of(block)
    sure = raising and all(isinstance(one.subject, Name) and one.subject.name not in _TAKES_ALL for one in raising)
    while sure and kept[1:] and kept[-1].type == "assert_statement" and _EVALUATING.isdisjoint(_kinds(kept[-1])):
        kept.pop()
    return kept


_EVALUATING = frozenset({"call", "attribute", "subscript", "await", "binary_operator"})


def _traced(claim: Claim | None, run: Sequence[Node], whole: str) -> Claim | None:
    """Return the claim with its block as source, without its call if another one may be what raises or warns.

    If the block has several statements, any may have raised the error; if it has several calls, any may have warned.
    """
    if claim is None or not run or claim.relation not in {"raises", "warns"}:
        return claim
    kinds = [kind for one in run for kind in (one.type, *_kinds(one))]
    warned = claim.relation == "warns" and kinds.count("call") > 1
    unknown = len(run) > 1 or "block" in kinds or warned
    return replace(claim, object=None if unknown else claim.object, quote=whole)


def _kinds(node: Node) -> Iterator[str]:
    """Yield the node types below a node, excluding its own."""
    pending = list(node.named_children)
    while pending:
        one = pending.pop()
        yield one.type
        pending.extend(one.named_children)


def _hold_error(call: Call, alias: str, reading: Reading) -> None:
    claim = watched(call, None)
    if alias and claim is not None and claim.relation in {"raises", "warns"}:
        reading.bind(alias, None)
        reading.scope.hold(alias, claim.subject)


def _enter(call: Expression, alias: str, node: Node, reading: Reading) -> None:
    if isinstance(call, Call):
        followed = reading.follow(call, reading) if reading.follow else None
        if followed:
            reading.claims.extend(followed)
        elif looks_asserting(call):
            reading.add([Claim("completes", call)], node)
        reading.actions.append(call)
    if alias:
        reading.bind(alias, call if isinstance(call, Call) else None)


def _for(node: Node, reading: Reading) -> None:
    variable = expression(node.child_by_field_name("left"), reading.scope)
    over = expression(node.child_by_field_name("right"), reading.scope)
    for name in sorted(names_in([variable])) or _pattern_names(node.child_by_field_name("left")):
        reading.bind(name, None)
    start = len(reading.claims)
    read_block(node.child_by_field_name("body"), reading)
    looped = isinstance(variable, Name) and not isinstance(over, Opaque)

    def qualified(claim: Claim) -> Claim:
        mentioned = looped and not names_in([variable]).isdisjoint(names_in([claim.subject, claim.object]))
        return replace(claim, repeated=True, each=claim.each or (Each("every", variable, over) if mentioned else None))

    _qualify(reading, start, qualified)
    read_block(node.child_by_field_name("alternative"), reading)


def _pattern_names(node: Node | None) -> list[str]:
    return [text_of(child) for child in node.named_children if child.type == "identifier"] if node is not None else []


def _while(node: Node, reading: Reading) -> None:
    start = len(reading.claims)
    read_block(node.child_by_field_name("body"), reading)
    _qualify(reading, start, partial(replace, repeated=True))


def _if(node: Node, reading: Reading) -> None:
    condition, consequence = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
    if condition is None or consequence is None:
        return
    if fails(consequence) and node.child_by_field_name("alternative") is None:
        reading.add(claims_of(expression(condition, reading.scope), negated=True), node)
        return
    holds = expression(condition, reading.scope)
    _branch(consequence, holds, reading)
    for alternative in node.children_by_field_name("alternative"):
        if alternative.type == "elif_clause":
            holds = expression(alternative.child_by_field_name("condition"), reading.scope)
            _branch(alternative.child_by_field_name("consequence"), holds, reading)
        else:
            _branch(alternative.child_by_field_name("body"), Operation("not", (holds,)), reading)


def _branch(block: Node | None, condition: Expression, reading: Reading) -> None:
    start, before = len(reading.claims), dict(reading.assignments)
    read_block(block, reading)
    _qualify(reading, start, lambda claim: replace(claim, condition=claim.condition or condition))
    for name, count in reading.assignments.items():
        if before.get(name) != count:
            reading.bindings[name] = None


def _try(node: Node, reading: Reading) -> None:
    body = node.child_by_field_name("body")
    handlers = [child for child in node.named_children if child.type == "except_clause"]
    otherwise = next((child for child in node.named_children if child.type == "else_clause"), None)
    before, claimed = len(reading.actions), len(reading.claims)
    read_block(body, reading)
    must_raise = ends_failing(body) or (otherwise is not None and fails(otherwise.child_by_field_name("body")))
    if must_raise:
        _qualify(reading, claimed, partial(replace, inverted=True))
    if otherwise is not None and not must_raise:
        read_block(otherwise.child_by_field_name("body"), reading)
    for handler in handlers:
        _handler(handler, reading, must_raise=must_raise, call=last_call(reading, before))
    for child in node.named_children:
        if child.type == "finally_clause":
            read_block(next(iter(child.named_children), None), reading)


_TAKES_ALL = frozenset({"Exception", "BaseException", "AssertionError"})
"""Errors whose handler takes the failure as well that the end of the `try` block reports."""


def _handler(node: Node, reading: Reading, *, must_raise: bool, call: Call | None) -> None:
    value, alias = handled(node)
    block = next((child for child in node.named_children if child.type == "block"), None)
    error = expression(value, reading.scope) if value is not None else Name("Exception")
    claimed = len(reading.claims)
    if must_raise:
        reading.add([Claim("raises", error, call)], node)
    elif fails(block):
        reading.add([Claim("raises", error, call, negated=True)], node)
        return
    if alias:
        reading.bind(alias, None)
        reading.scope.raised[alias] = error
    start = len(reading.claims)
    read_block(block, reading)
    if must_raise and isinstance(error, Name) and error.name in _TAKES_ALL and start == len(reading.claims):
        reading.claims[claimed] = replace(reading.claims[claimed], condition=Raised(error))
    if not must_raise:
        _qualify(reading, start, partial(replace, condition=Raised(error)))


def _nested(node: Node, reading: Reading) -> None:
    """Read the assertions of a function defined inside the test: they are made when the code under test calls it."""
    body = node.child_by_field_name("body")
    name = text_of(node.child_by_field_name("name"))
    if name:
        reading.bind(name, None)
    for shared in _shared_names(body):
        reading.bind(shared, None)
    outer, assigned = dict(reading.bindings), dict(reading.assignments)
    for parameter in _pattern_names(node.child_by_field_name("parameters")):
        reading.bindings[parameter] = None
    actions = len(reading.actions)
    read_block(body, reading)
    del reading.actions[actions:]
    reading.bindings, reading.assignments = outer, assigned


def _shared_names(block: Node | None) -> list[str]:
    """Return the names that a nested function assigns in its enclosing function."""
    found = []
    for child in block.named_children if block is not None else ():
        if child.type in {"nonlocal_statement", "global_statement"}:
            found += _pattern_names(child)
    return found


def _decorated(node: Node, reading: Reading) -> None:
    inner = node.child_by_field_name("definition")
    if inner is not None and inner.type == "function_definition":
        _nested(inner, reading)


def _match(node: Node, reading: Reading) -> None:
    for case in children_of(node, "body"):
        start = len(reading.claims)
        read_block(case.child_by_field_name("consequence"), reading)
        pattern = Opaque(text_of(case).split("\n", 1)[0])
        _qualify(reading, start, partial(replace, condition=pattern))


def _inner_block(node: Node, reading: Reading) -> None:
    read_block(node.child_by_field_name("body"), reading)


_STATEMENTS: Mapping[str, Callable[[Node, Reading], None]] = {
    "assert_statement": _assert,
    "expression_statement": _expression_statement,
    "raise_statement": _raise,
    "with_statement": _with,
    "for_statement": _for,
    "while_statement": _while,
    "if_statement": _if,
    "try_statement": _try,
    "function_definition": _nested,
    "decorated_definition": _decorated,
    "match_statement": _match,
    "else_clause": _inner_block,
    "block": read_block,
}
