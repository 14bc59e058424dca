"""Lower expressions that do something: calls, promises, assignments, and choices between them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Claim, Collection, Expression, Name, Operation, Raised, Value
from pactkeeper.intent.strength.errors import ANY_ERROR
from pactkeeper.intent.strength.frames import always_fails
from pactkeeper.intent.strength.program import Act, Attempt, Bind, Block, Branch, Catch, Check, Leave, Loop, Statement
from pactkeeper.intent.strength.terms import last_name, negated_term
from pactkeeper.repo.languages.javascript.claims.asserts import failing
from pactkeeper.repo.languages.javascript.claims.project import asserts
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    bare,
    body_of,
    chain,
    descend,
    is_function,
    parameters_of,
    text,
)
from pactkeeper.repo.languages.javascript.runners import MODIFIERS, SUITES, TESTS
from pactkeeper.repo.languages.javascript.strength.asserting import asserted, counts, expected_failure
from pactkeeper.repo.languages.javascript.strength.mocks import replacements
from pactkeeper.repo.languages.javascript.strength.values import (
    Place,
    bindings_of,
    called_arguments,
    line_of,
    quote_of,
    receiver_of,
    settled,
)
from pactkeeper.repo.languages.javascript.strength.waiting import ITERATING, checked, floats, is_done

if TYPE_CHECKING:
    from tree_sitter import Node

    from pactkeeper.repo.languages.javascript.strength.lowering import Lowering


_PROMISE = frozenset({"then", "catch", "finally"})
_LEAVING = {"skip": "skip", "fixme": "skip", "pending": "skip", "todo": "skip", "fail": "xfail", "fails": "xfail"}
_PARTS = 2  # `context.skip`
_RUNNERS = frozenset({"this", "t", "ctx", "context", "test", "it", "testInfo"})
_PASSING = frozenset({"test", "it", "beforeEach", "beforeAll", "afterEach", "afterAll", "before", "after"})
_CLEANUPS = frozenset({"after", "teardown"})  # `t.after(() => …)`: what it is handed runs when the test ends
_HARMLESS = frozenset({"noop", "Boolean", "log", "warn", "error", "debug"})


def _member(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    links = chain(node)
    found = asserted(node, links, lower.scope, lower.module)
    if found is not None:
        return checked(lower, found, node, place)
    return lower.arguments(links, place)


def _call(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    links = chain(node)
    if node.id in lower.others or _declares(links):
        return []
    last = links[-1]
    left = _leaving(lower, links, node)
    if left is not None:
        return left
    if counts(links) or is_done(node, place.done):
        return _total(lower, node) if counts(links) else []
    if failing(links, lower.module.assertions) or (
        last.name == "fail" and links[0].name in {"fail", "expect", "should"}
    ):
        return [Leave("fail", line=line_of(node))]
    if last.name in _PROMISE and last.arguments and receiver_of(node) is not None:
        return _promise(lower, node, links, place)
    if last.name in _CLEANUPS and len(links) == _PARTS and _is_runner(links[0].name, node):
        return lower.arguments(links, replace(place, waited=True))
    found = asserted(node, links, lower.scope, lower.module)
    if found is not None:
        return checked(lower, found, node, place)
    acted, missing = _acted(lower, node, links, place), _perhaps_missing(node)
    if _may_assert(lower, links, node):
        acted = [Check((), line_of(node), quote_of(node), understood=False), *acted]
    return acted if missing is None else [Branch(Operation("exists", (lower.scope.read(missing),)), tuple(acted))]


def _may_assert(lower: Lowering, links: tuple[Link, ...], node: Node) -> bool:
    """Whether a call hands the running test to a function of a package, which may assert with it."""
    module, _ = lower.module.imports.get(links[0].name, (".", ""))
    given = (text(each) for each in called_arguments(node) if each.type == "identifier")
    return not module.startswith(".") and floats(node) and any(_is_runner(name, node) for name in given)


def _perhaps_missing(call: Node) -> Node | None:
    """Return what a call with `?.` may not find, so that the function it is handed doesn't run."""
    node = call if any(is_function(each) for each in called_arguments(call)) else None
    while node is not None:
        inner = node.child_by_field_name("function") or node.child_by_field_name("object")
        if any(child.type in {"optional_chain", "?."} for child in node.children):
            return inner
        node = inner
    return None


def _called_at_once(lower: Lowering, node: Node, function: Node, place: Place) -> list[Statement]:
    """Lower `(async () => { … })()` to what the function does, once."""
    pairs = zip(parameters_of(function), called_arguments(node), strict=False)
    opening = [one for parameter, value in pairs for one in bindings_of(parameter, lower.scope.read(value))]
    body = (*opening, *lower.callback(node, function, place))
    return [Loop(Name("once·"), Collection("list", (Value("number", "1"),)), body)]


def _made(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    """Lower `new Thing(…)`; a promise's executor runs, and awaiting the promise awaits what it does."""
    found: list[Statement] = []
    promise = text(node.child_by_field_name("constructor")) == "Promise"
    here = replace(place, waited=place.waited or (promise and not floats(node)))
    for each in called_arguments(node):
        found += lower.argument(node, each, here)
    return found if promise else [*found, Act(lower.scope.read(node), line_of(node), quote_of(node))]


def _acted(lower: Lowering, node: Node, links: tuple[Link, ...], place: Place) -> list[Statement]:
    target = node.child_by_field_name("function")
    if target is not None and is_function(bare(target)):
        return _called_at_once(lower, node, bare(target), place)
    inner = called_arguments(target) if target is not None and target.type == "call_expression" else []
    if len(inner) == 1 and is_function(inner[0]) and links[0].name == "await":  # so JavaScript's grammar parses it
        return _called_at_once(lower, node, inner[0], replace(place, waited=True))
    last = links[-1]
    given = called_arguments(node)
    if last.name in ITERATING and len(links) > 1 and given and is_function(given[0]):
        receiver = receiver_of(node)
        over = lower.scope.read(receiver) if receiver is not None else Name("")
        before = lower.expression(receiver, place) if receiver is not None else []
        return [*[one for one in before if not isinstance(one, Act)], lower.turns(node, given[0], over, place)]
    runs = not (lower.is_idle(node) if lower.makes_generator(node) else floats(node))
    act = Act(lower.scope.read(node), line_of(node), quote_of(node), awaited=runs)
    return [*lower.arguments(links, place), *replacements(None, node, lower.scope), act]


def _leaving(lower: Lowering, links: tuple[Link, ...], node: Node) -> list[Statement] | None:
    """Lower `t.skip()`, `test.skip(condition)`: the test ends, or what follows doesn't count."""
    last = links[-1]
    kind = _LEAVING.get(last.name)
    own = len(links) == 1 and last.name in {"skip", "pending"} and last.name not in lower.module.imports
    if kind is None or not (own or (len(links) == _PARTS and _is_runner(links[0].name, node))):
        return None
    given = called_arguments(node)
    if kind == "xfail" and links[0].name not in {"test", "it"}:
        return None
    if any(is_function(each) for each in given[1:]):
        return None
    leave = Leave("xfail" if kind == "xfail" else "skip", line=line_of(node))
    plain = not given or given[0].type in {"string", "template_string"} or links[0].name not in {"test", "it"}
    return [leave] if plain else [Branch(lower.scope.read(given[0]), (leave,))]


def _is_runner(name: str, node: Node) -> bool:
    """Whether a name is a runner's, or the first parameter of a function that is passed to one."""
    above = node.parent if name not in _RUNNERS else None
    while above is not None:
        call = above.parent.parent if is_function(above) and above.parent is not None else None
        given = [text(each) for each in parameters_of(above)[:1]] if call is not None else []
        if call is not None and given and re.split(r"\W", given[0])[0] == name and call.type == "call_expression":
            return chain(call)[0].name in _PASSING
        above = above.parent
    return name in _RUNNERS


def _total(lower: Lowering, node: Node) -> list[Statement]:
    """Lower a planned number of assertions to a check, if it is in doubt whether all of them are reached."""
    function = node.parent
    while function is not None and not is_function(function):
        function = function.parent
    body = body_of(function) if function is not None else None
    if body is None or not _in_doubt(body):
        return []
    return [Check((Claim("satisfies", lower.scope.read(node)),), line_of(node), quote_of(node))]


def _promise(lower: Lowering, node: Node, links: tuple[Link, ...], place: Place) -> list[Statement]:
    receiver = receiver_of(node)
    given = called_arguments(node)
    if receiver is None:
        return []
    before = lower.expression(receiver, place)
    name = links[-1].name
    function = lower.function_at(given[0])
    if name == "finally":
        return [*before, *(lower.callback(node, function, place) if function is not None else ())]
    if name == "then":
        if function is not None:
            opening = _given(function, settled(receiver, lower.scope))
            before.append(Loop(None, None, (*opening, *lower.callback(node, function, place))))
        given = given[1:]
    caught = _caught(lower, given[0], node, place) if given else None
    return before if caught is None else _rejected(lower, before, caught, given[0])


def _given(function: Node, value: Expression) -> list[Bind]:
    """Bind the names of a function's first parameter to the value passed."""
    parameters = parameters_of(function)
    return bindings_of(parameters[0], value) if parameters else []


def _rejected(lower: Lowering, before: list[Statement], caught: Block, handler: Node) -> list[Statement]:
    """Handle a rejection; if the test counts its assertions, the rejection must happen."""
    if lower.counted and asserts(handler) and not always_fails(caught):
        return expected_failure(tuple(before), caught, line_of(handler), quote_of(handler))
    return [Attempt(tuple(before), (Catch((), caught),))]


def _caught(lower: Lowering, node: Node, call: Node, place: Place) -> Block | None:
    """Return what a rejection runs; None if it is passed on, so that the test fails."""
    function = lower.function_at(node)
    if function is None:
        return () if last_name(lower.scope.read(node)) in _HARMLESS else None
    opening = _given(function, Raised(ANY_ERROR))
    return (*opening, *lower.callback(call, function, replace(place, callback=True)))


def _assigned(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return []
    if node.type == "augmented_assignment_expression":
        parts = lower.scope.read(left), lower.scope.read(right)
        changed = Operation(text(node.child_by_field_name("operator")), parts)
        return [*lower.expression(right, place), Bind(parts[0], changed)]
    return lower.bound(left, right, place)


def _updated(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    """Lower `count++` to `count += 1`."""
    argument = node.child_by_field_name("argument")
    if argument is None:
        return []
    target = lower.scope.read(argument)
    changed = Operation(f"{text(node.child_by_field_name('operator'))[0]}=", (target, Value("number", "1")))
    return [*lower.expression(argument, place), Bind(target, changed)]


def _binary(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return []
    second = lower.expression(right, place)
    operator = text(node.child_by_field_name("operator"))
    if operator in {"&&", "||", "??"} and second:
        held = lower.scope.read(left)
        second = [Branch(held if operator == "&&" else negated_term(held), tuple(second))]
    return [*lower.expression(left, place), *second]


def _ternary(lower: Lowering, node: Node, place: Place) -> list[Statement]:
    condition = node.child_by_field_name("condition")
    then, other = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
    if condition is None or then is None or other is None:
        return []
    arms = tuple(lower.expression(then, place)), tuple(lower.expression(other, place))
    branch = [Branch(lower.scope.read(condition), *arms)] if any(arms) else []
    return [*lower.expression(condition, place), *branch]


def _declares(links: tuple[Link, ...]) -> bool:
    """Whether a call declares another test, which runs independently."""
    if links[0].name not in TESTS | SUITES or not links[-1].arguments or not is_function(bare(links[-1].arguments[-1])):
        return False
    return len(links) == 1 or links[1].name in MODIFIERS


def _in_doubt(body: Node) -> bool:
    """Whether an assertion is conditional, in a loop or in a callback that isn't a step of a promise chain."""
    doubtful = {
        "if_statement",
        "for_in_statement",
        "for_statement",
        "while_statement",
        "switch_statement",
        "ternary_expression",
    }
    for node in descend(body):
        if node.type in doubtful and asserts(node):
            return True
        if is_function(node) and asserts(node) and not _is_step(node):
            return True
    return False


def _is_step(function: Node) -> bool:
    given = function.parent
    call = given.parent if given is not None and given.type == "arguments" else None
    if call is None:
        return False
    name = chain(call)[-1].name
    return name in _PROMISE or name in {"expect", "step"}


Reader = Callable[["Lowering", "Node", Place], list[Statement]]
EXPRESSIONS: dict[str, Reader] = {
    "call_expression": _call,
    "member_expression": _member,
    "new_expression": _made,
    "assignment_expression": _assigned,
    "augmented_assignment_expression": _assigned,
    "update_expression": _updated,
    "binary_expression": _binary,
    "ternary_expression": _ternary,
}
