"""JavaScript's statements and expressions as the statements of `intent.strength.program`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Argument, Call, Claim, Collection, Expression, Name, Operation, Raised
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
from pactkeeper.intent.strength.terms import last_name, negated_term
from pactkeeper.repo.languages.javascript.claims.asserts import failing
from pactkeeper.repo.languages.javascript.claims.branches import always_fails, denied, passes_error_on
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in, pattern_paths
from pactkeeper.repo.languages.javascript.claims.project import asserts
from pactkeeper.repo.languages.javascript.claims.raising import ANY_ERROR
from pactkeeper.repo.languages.javascript.claims.relations import holds
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    bare,
    body_of,
    chain,
    children,
    descend,
    is_function,
    parameters_of,
    squeezed,
    text,
)
from pactkeeper.repo.languages.javascript.runners import MODIFIERS, SUITES, TESTS
from pactkeeper.repo.languages.javascript.strength.asserting import Asserted, affirms, asserted, counts, given_to
from pactkeeper.repo.languages.javascript.strength.failing import expected_failure
from pactkeeper.repo.languages.javascript.strength.replacing import replacements
from pactkeeper.repo.languages.javascript.strength.values import (
    bindings_of,
    called_arguments,
    receiver_of,
    settled,
)
from pactkeeper.repo.languages.javascript.strength.waiting import drops_callback, floats, needs_waiting

if TYPE_CHECKING:
    from tree_sitter import Node

_ITERATING = frozenset({"forEach", "map", "flatMap", "every", "some", "filter", "each"})
_PROMISE = frozenset({"then", "catch", "finally"})
_LEAVING = {"skip": "skip", "fixme": "skip", "pending": "skip", "todo": "skip", "fail": "xfail", "fails": "xfail"}
_RUNNERS = frozenset({"this", "t", "ctx", "context", "test", "it", "testInfo"})
_NOT_RUN = frozenset({"fn", "mock", "doMock", "mockImplementation", "mockImplementationOnce", "unstable_mockModule"})
_WRAPPED = frozenset(
    {
        "array",
        "object",
        "pair",
        "spread_element",
        "template_string",
        "template_substitution",
        "sequence_expression",
        "unary_expression",
    }
)
_QUOTE = 200


@dataclass(frozen=True, slots=True)
class Place:
    """How the code at one place runs: in a callback, in one that nothing waits for, or where the test waits anyway.

    `done` are names of the callback that ends the test; in a block that is `ending` the test waits for no callback.
    """

    callback: bool = False
    floating: bool = False
    waited: bool = False
    done: frozenset[str] = frozenset()
    ending: bool = False


@dataclass(slots=True)
class Lowering:
    """The code of one file while it is lowered; `others` are tests declared inside, which run by themselves."""

    module: Module
    scope: Scope
    others: frozenset[int]
    page: bool
    routine: Callable[[Module, Node, str], Routine]
    fields: Callable[[Node, Expression], list[Bind]]
    counted: bool = field(default=False)

    def function(self, function: Node) -> Block:
        """What a function runs."""
        body = body_of(function)
        if body is None:
            return ()
        self.counted = _is_counted(body)
        names = [text(name) for each in parameters_of(function)[-1:] for name in names_in(each)]
        done = frozenset(name for name in names if name in {"done", "cb", "next", "callback"})
        place = Place(waited=self.counted, done=done)
        if body.type == "statement_block":
            return self.block(children(body), place)
        return tuple(self._returned(body, place))

    def block(self, nodes: Sequence[Node], place: Place) -> Block:
        """Statements in order; once the test has said that it is done, nothing waits any more."""
        done = any(_is_done(each, place.done) for each in nodes)
        found: list[Statement] = []
        for each in nodes:
            here = place if not done or place.waited else replace(place, ending=True)
            found += self.statement(each, here)
            if done and _is_done(each, place.done) and not place.waited:
                place = replace(place, floating=True)
        return tuple(found)

    def statement(self, node: Node, place: Place) -> list[Statement]:
        """One statement."""
        reader = _STATEMENTS.get(node.type)
        if reader is not None:
            return reader(self, node, place)
        if node.type.endswith(("_declaration", "_clause")) or node.type in {
            "comment",
            "import_statement",
            "debugger_statement",
        }:
            return []
        return self.expression(bare(node), place)

    def expression(self, node: Node, place: Place) -> list[Statement]:
        """What evaluating an expression does."""
        node = bare(node)
        reader = _EXPRESSIONS.get(node.type)
        if reader is not None:
            return reader(self, node, place)
        if node.type in _WRAPPED or node.type.startswith("jsx"):
            return [one for child in children(node) for one in self.expression(child, place)]
        return []

    def declared(self, node: Node, place: Place) -> list[Statement]:
        found: list[Statement] = []
        for each in children(node):
            target, value = each.child_by_field_name("name"), each.child_by_field_name("value")
            if target is not None and value is not None and not _is_import(value):
                found += self._bound(target, value, place)
        return found

    def _bound(self, target: Node, value: Node, place: Place) -> list[Statement]:
        inner = bare(value)
        if target.type == "object_pattern" and text(inner) in self.scope.namespaces:
            return [Bind(Name(text(name)), Name(path[0].text)) for name, path in pattern_paths(target) if path]
        if is_function(inner) and target.type == "identifier":
            return [Define(self.routine(self.module, inner, text(target)))]
        before = self.expression(inner, place)
        held = settled(inner, self.scope)
        if before and isinstance(before[-1], Act) and isinstance(held, Call) and before[-1].call == held:
            before.pop()
        if target.type == "identifier" or not isinstance(held, Call):
            fields = self.fields(inner, self.scope.read(target)) if inner.type == "new_expression" else []
            return [*before, *replacements(target, inner, self.scope), *bindings_of(target, held), *fields]
        name = Name(f"value·{target.start_byte}")
        return [*before, Bind(name, held), *bindings_of(target, name)]

    def assigned(self, node: Node, place: Place) -> list[Statement]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return []
        if node.type == "augmented_assignment_expression":
            return [
                *self.expression(right, place),
                Bind(
                    self.scope.read(left),
                    Operation(
                        text(node.child_by_field_name("operator")), (self.scope.read(left), self.scope.read(right))
                    ),
                ),
            ]
        return self._bound(left, right, place)

    def _returned(self, node: Node, place: Place) -> list[Statement]:
        """A value that is given back: the caller waits for it."""
        ending: Leave = Leave("leave") if place.callback else Leave("return")
        found = self.expression(node, place)
        if place.callback or any(isinstance(one, Check | Within) for one in found):
            return [*found, ending]
        held = settled(node, self.scope)
        if found and isinstance(found[-1], Act) and found[-1].call == held:
            found.pop()
        return [*found, Leave("return", held, node.start_point[0] + 1)]

    def gives_back(self, node: Node, place: Place) -> list[Statement]:
        inner = children(node)
        return self._returned(bare(inner[0]), place) if inner else [Leave("leave" if place.callback else "return")]

    def defined(self, node: Node, _place: Place) -> list[Statement]:
        name = text(node.child_by_field_name("name"))
        return [Define(self.routine(self.module, node, name))] if body_of(node) is not None else []

    def nested(self, node: Node, place: Place) -> list[Statement]:
        return list(self.block(children(node), place))

    def _arm(self, node: Node | None, place: Place) -> Block:
        if node is None:
            return ()
        inner = children(node) if node.type in {"statement_block", "else_clause"} else [node]
        return self.block(inner, place)

    def branched(self, node: Node, place: Place) -> list[Statement]:
        condition, then = node.child_by_field_name("condition"), node.child_by_field_name("consequence")
        other = node.child_by_field_name("alternative")
        if condition is None or then is None:
            return self.nested(node, place)
        held = self.scope.read(condition)
        before = self.expression(condition, place)
        if other is None and always_fails(then) and not passes_error_on(held, then):
            return [*before, Check(denied(held), _line(node), _quote(condition))]
        return [*before, Branch(held, self._arm(then, place), self._arm(other, place))]

    def looped(self, node: Node, place: Place) -> list[Statement]:
        first = node.child_by_field_name("initializer")
        before = self.statement(first, place) if first is not None else []
        return [*before, Loop(None, None, self._arm(node.child_by_field_name("body"), place))]

    def for_in(self, node: Node, place: Place) -> list[Statement]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        body = self._arm(node.child_by_field_name("body"), place)
        if left is None or right is None:
            return [Loop(None, None, body)]
        over = self.scope.read(right)
        if text(node.child_by_field_name("operator")) == "in":
            over = Call(Name("keys of"), (Argument(over),))
        variable, opening = _taken(left, f"member·{left.start_byte}")
        before = [one for one in self.expression(right, place) if not isinstance(one, Act)]
        return [*before, Loop(variable, over, (*opening, *body))]

    def tried(self, node: Node, place: Place) -> list[Statement]:
        body, handler = node.child_by_field_name("body"), node.child_by_field_name("handler")
        finalizer = node.child_by_field_name("finalizer")
        last = self.block(children(finalizer), place) if finalizer is not None else ()
        tried = self._arm(body, place)
        if handler is None or body is None:
            return [Attempt(tried, (), final=last)]
        caught = self._handler(handler, place)
        if asserts(handler) and (always_fails(body) or (self.counted and not asserts(body))):
            kept = self.block(children(body)[: -1 if always_fails(body) else None], place)
            return [*expected_failure(kept, caught, _line(node), _quote(node)), *last]
        return [Attempt(tried, (Catch((), caught),), final=last)]

    def _handler(self, handler: Node, place: Place) -> Block:
        parameter, body = handler.child_by_field_name("parameter"), handler.child_by_field_name("body")
        opening = bindings_of(parameter, Raised(ANY_ERROR)) if parameter is not None else []
        return (*opening, *self._arm(body, place))

    def switched(self, node: Node, place: Place) -> list[Statement]:
        value, body = node.child_by_field_name("value"), node.child_by_field_name("body")
        if value is None or body is None:
            return []
        subject, found, known = self.scope.read(value), list[Statement](), list[Expression]()
        for case in children(body):
            wanted = case.child_by_field_name("value")
            if wanted is not None:
                known.append(Operation("==", (subject, self.scope.read(wanted))))
            condition = known[-1] if wanted is not None else negated_term(Operation("or", tuple(known)))
            inner = [each for each in children(case) if each != wanted and each.type != "break_statement"]
            found.append(Branch(condition, self.block(inner, place)))
        return found

    def thrown(self, node: Node, _place: Place) -> list[Statement]:
        return [Leave("raise", line=_line(node))]

    def left(self, _node: Node, _place: Place) -> list[Statement]:
        return [Leave("leave")]

    def binary(self, node: Node, place: Place) -> list[Statement]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return []
        second = self.expression(right, place)
        operator = text(node.child_by_field_name("operator"))
        if operator in {"&&", "||", "??"} and second:
            held = self.scope.read(left)
            second = [Branch(held if operator == "&&" else negated_term(held), tuple(second))]
        return [*self.expression(left, place), *second]

    def ternary(self, node: Node, place: Place) -> list[Statement]:
        condition = node.child_by_field_name("condition")
        then, other = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        if condition is None or then is None or other is None:
            return []
        arms = tuple(self.expression(then, place)), tuple(self.expression(other, place))
        branch = [Branch(self.scope.read(condition), *arms)] if any(arms) else []
        return [*self.expression(condition, place), *branch]

    def member(self, node: Node, place: Place) -> list[Statement]:
        links = chain(node)
        found = asserted(node, links, self.scope, self.module)
        if found is not None:
            return self._asserted(found, node, links, place)
        return self._arguments(links, place)

    def call(self, node: Node, place: Place) -> list[Statement]:
        links = chain(node)
        if node.id in self.others or _declares(links):
            return []
        last = links[-1]
        left = self._leaving(links, node)
        if left is not None:
            return left
        if counts(links) or _is_done(node, place.done):
            return self._total(node) if counts(links) else []
        if failing(links, self.module.assertions) or (
            last.name == "fail" and links[0].name in {"fail", "expect", "should"}
        ):
            return [Leave("fail", line=_line(node))]
        if last.name in _PROMISE and last.arguments and receiver_of(node) is not None:
            return self._promise(node, links, place)
        found = asserted(node, links, self.scope, self.module)
        if found is not None:
            return self._asserted(found, node, links, place)
        return self._acted(node, links, place)

    def _acted(self, node: Node, links: tuple[Link, ...], place: Place) -> list[Statement]:
        last = links[-1]
        given = called_arguments(node)
        if last.name in _ITERATING and len(links) > 1 and given and is_function(given[0]):
            receiver = receiver_of(node)
            over = self.scope.read(receiver) if receiver is not None else Name("")
            before = self.expression(receiver, place) if receiver is not None else []
            return [*[one for one in before if not isinstance(one, Act)], self._turns(node, given[0], over, place)]
        act = Act(self.scope.read(node), _line(node), _quote(node), awaited=not floats(node))
        return [*self._arguments(links, place), *replacements(None, node, self.scope), act]

    def _arguments(self, links: tuple[Link, ...], place: Place) -> list[Statement]:
        """What the arguments of a chain do: functions run, other things may assert."""
        found: list[Statement] = []
        for link in links:
            if link.node.type == "call_expression" and link.name not in _NOT_RUN:
                for each in link.arguments or ():
                    found += self._argument(link.node, bare(each), place)
        if not links[0].name and links[0].node.type not in {"call_expression", "member_expression"}:
            found += self.expression(links[0].node, place)
        return found

    def _argument(self, call: Node, node: Node, place: Place) -> list[Statement]:
        if is_function(node):
            return [self._turns(call, node, _without_callbacks(self.scope.read(call)), place)]
        return [one for one in self.expression(node, place) if not isinstance(one, Act)]

    def _turns(self, call: Node, function: Node, over: Expression, place: Place) -> Loop:
        """A callback: it runs for what it is given."""
        parameters = parameters_of(function)
        variable, opening = _taken(parameters[0], f"member·{function.start_byte}") if parameters else (None, [])
        return Loop(variable, over, (*opening, *self._callback(call, function, place)))

    def _callback(self, call: Node, function: Node, place: Place) -> Block:
        body = body_of(function)
        if body is None:
            return ()
        dropped = place.ending if place.done else drops_callback(call, function)
        floating = place.floating or (dropped and not place.waited and not _runs_at_once(call))
        here = replace(place, callback=True, floating=floating, ending=False)
        if body.type == "statement_block":
            return self.block(children(body), here)
        return tuple(self.expression(body, here))

    def made(self, node: Node, place: Place) -> list[Statement]:
        """`new Thing(…)`; the function that a promise is made with runs, and whoever waits for the promise waits for it."""
        found: list[Statement] = []
        promise = text(node.child_by_field_name("constructor")) == "Promise"
        here = replace(place, waited=place.waited or (promise and not floats(node)))
        for each in called_arguments(node):
            found += self._argument(node, each, here)
        return found if promise else [*found, Act(self.scope.read(node), _line(node), _quote(node))]

    def _promise(self, node: Node, links: tuple[Link, ...], place: Place) -> list[Statement]:
        receiver = receiver_of(node)
        given = called_arguments(node)
        if receiver is None:
            return []
        before = self.expression(receiver, place)
        name = links[-1].name
        if name == "then":
            return self._then(node, receiver, before, given, place)
        function = self._function(given[0])
        if name == "finally":
            return [*before, *(self._callback(node, function, place) if function is not None else ())]
        caught = self._caught(given[0], function, node, place)
        return before if caught is None else self._rejected(before, caught, given[0], node)

    def _then(
        self, node: Node, receiver: Node, before: list[Statement], given: list[Node], place: Place
    ) -> list[Statement]:  # noqa: PLR0917 - a promise and its two handlers
        function = self._function(given[0])
        held = settled(receiver, self.scope)
        if function is not None:
            parameters = parameters_of(function)
            opening = bindings_of(parameters[0], held) if parameters else []
            before = [*before, Loop(None, None, (*opening, *self._callback(node, function, place)))]
        caught = self._caught(given[1], self._function(given[1]), node, place) if len(given) > 1 else None
        return before if caught is None else self._rejected(before, caught, given[1], node)

    def _rejected(self, before: list[Statement], caught: Block, handler: Node, node: Node) -> list[Statement]:
        """A rejection that is handled; where the test counts its assertions, it must happen."""
        if self.counted and asserts(handler):
            return expected_failure(tuple(before), caught, _line(node), _quote(node))
        return [Attempt(tuple(before), (Catch((), caught),))]

    def _function(self, node: Node) -> Node | None:
        node = bare(node)
        if is_function(node):
            return node
        return self.module.function(text(node), node.start_byte) if node.type == "identifier" else None

    def _caught(self, node: Node, function: Node | None, call: Node, place: Place) -> Block | None:
        """What a rejection runs; None where it is handed on, so that the test fails."""
        if function is None:
            return (
                () if last_name(self.scope.read(node)) in {"noop", "Boolean", "log", "warn", "error", "debug"} else None
            )
        parameters = parameters_of(function)
        opening = bindings_of(parameters[0], Raised(ANY_ERROR)) if parameters else []
        return (*opening, *self._callback(call, function, replace(place, callback=True)))

    def _asserted(self, found: Asserted, node: Node, links: tuple[Link, ...], place: Place) -> list[Statement]:
        """An assertion, what its parts assert, and whether the test waits for it."""
        waiting = not needs_waiting(links, page=self.page) or not floats(node)
        awaited = place.waited or (waiting and not place.floating)
        statements = self._of_every(found, links, node, awaited=awaited) or self._within(found, node, awaited=awaited)
        inner: list[Statement] = []
        for each in found.visit:
            if each is not found.raiser:
                inner += [one for one in self.expression(each, place) if not isinstance(one, Act)]
        for handed in found.handed:
            inner += self._handed(handed.function, handed.value, node, awaited=awaited)
        return [*inner, *statements]

    def _of_every(self, found: Asserted, links: tuple[Link, ...], node: Node, *, awaited: bool) -> list[Statement]:
        """`expect(xs.every((x) => x > 0)).toBe(true)` asserts of each member what a loop would."""
        call = given_to(links)
        affirmed = len(found.claims) == 1 and affirms(found.claims[0])
        receiver = receiver_of(call) if call is not None and call.type == "call_expression" else None
        given = called_arguments(call) if call is not None and receiver is not None else []
        body = body_of(given[0]) if len(given) == 1 and is_function(given[0]) else None
        if not affirmed or call is None or receiver is None or body is None or body.type == "statement_block":
            return []
        if chain(call)[-1].name != "every":
            return []
        parameters = parameters_of(given[0])
        variable, opening = _taken(parameters[0], f"member·{body.start_byte}") if parameters else (None, [])
        check = Check(holds(self.scope.read(body)), _line(node), _quote(node), awaited)
        return [Loop(variable, self.scope.read(receiver), (*opening, check))]

    def _within(self, found: Asserted, node: Node, *, awaited: bool) -> list[Statement]:
        """A check; one of what a whole function raises surrounds what that function does."""
        check = Check(found.claims, _line(node), _quote(node), awaited, found.understood)
        raiser = found.raiser
        if raiser is None or not found.claims:
            return [check] if found.claims else []
        body = body_of(raiser) if is_function(raiser) else None
        if body is not None and body.type == "statement_block" and len(children(body)) != 1:
            inner = self.block(children(body), Place(callback=True))
            return [
                Within(
                    found.claims, tuple(one for one in inner if not isinstance(one, Leave)), _line(node), _quote(node)
                )
            ]
        return [replace(check, claims=tuple(_of_call(claim, raiser, body, self.scope) for claim in found.claims))]

    def _handed(self, node: Node, value: Expression | None, call: Node, *, awaited: bool) -> list[Statement]:
        function = self._function(node)
        if function is None:
            return []
        parameters = parameters_of(function)
        opening = bindings_of(parameters[0], value) if parameters and value is not None else []
        place = Place(callback=True, floating=not awaited)
        return [Loop(None, None, (*opening, *self._callback(call, function, place)))]

    def _leaving(self, links: tuple[Link, ...], node: Node) -> list[Statement] | None:
        """`t.skip()`, `test.skip(condition)`: the test ends, or what follows does not count."""
        last = links[-1]
        kind = _LEAVING.get(last.name)
        own = len(links) == 1 and last.name in {"skip", "pending"} and last.name not in self.module.imports
        if kind is None or not (own or (len(links) == 2 and links[0].name in _RUNNERS)):  # noqa: PLR2004 - who and what
            return None
        given = called_arguments(node)
        if kind == "xfail" and links[0].name not in {"test", "it"}:
            return None
        if any(is_function(each) for each in given[1:]):
            return None
        leave = Leave("xfail" if kind == "xfail" else "skip", line=_line(node))
        plain = not given or given[0].type in {"string", "template_string"} or links[0].name not in {"test", "it"}
        return [leave] if plain else [Branch(self.scope.read(given[0]), (leave,))]

    def _total(self, node: Node) -> list[Statement]:
        """A number of assertions that must be reached is a fact of its own where reaching them is in doubt."""
        function = node.parent
        while function is not None and not is_function(function):
            function = function.parent
        body = body_of(function) if function is not None else None
        if body is None or not _in_doubt(body):
            return []
        return [Check((Claim("satisfies", self.scope.read(node)),), _line(node), _quote(node))]


def _of_call(claim: Claim, raiser: Node, body: Node | None, scope: Scope) -> Claim:
    """The claim about what a function with one statement, or a promise, runs."""
    if claim.relation not in {"raises", "completes"}:
        return claim
    statement = children(body)[0] if body is not None and body.type == "statement_block" else body
    read = scope.read(statement if statement is not None else raiser)
    if statement is None and isinstance(read, Name):
        read = Call(read)
    return replace(claim, object=read) if claim.relation == "raises" else replace(claim, subject=read)


def _is_import(value: Node) -> bool:
    """Whether a declaration imports: `require("x")`, `require("x").name`, `await import("x")`."""
    links = chain(value)
    return (
        links[0].name in {"require", "import"}
        and links[0].arguments is not None
        and all(link.arguments is None for link in links[1:])
    )


def _taken(pattern: Node, name: str) -> tuple[Expression, list[Bind]]:
    """The variable of a loop or callback, and what taking it apart binds."""
    if pattern.type == "identifier":
        return Name(text(pattern)), []
    if pattern.type == "array_pattern" and all(child.type == "identifier" for child in children(pattern)):
        return Collection("list", tuple(Name(text(child)) for child in children(pattern))), []
    return Name(name), bindings_of(pattern, Name(name))


def _is_counted(body: Node) -> bool:
    return any(counts(chain(node)) for node in _statement_calls(children(body)))


def _statement_calls(nodes: Iterable[Node]) -> Iterable[Node]:
    return (
        bare(node) for node in nodes if node.type == "expression_statement" and bare(node).type == "call_expression"
    )


def _without_callbacks(call: Expression) -> Expression:
    """A call without the functions it is given: what it gives to one of them does not depend on what that does."""
    if not isinstance(call, Call):
        return call
    given = tuple(
        each for each in call.arguments if not (isinstance(each.value, Operation) and each.value.operator == "=>")
    )
    return replace(call, arguments=given)


def _declares(links: tuple[Link, ...]) -> bool:
    """Whether a call declares another test, which runs by itself."""
    if links[0].name not in TESTS | SUITES or not links[-1].arguments or not is_function(bare(links[-1].arguments[-1])):
        return False
    return len(links) == 1 or links[1].name in MODIFIERS


def _runs_at_once(call: Node) -> bool:
    """Whether a call certainly runs a callback that is not asynchronous before it returns."""
    given = called_arguments(call)
    plain = not any(child.type == "async" for each in given for child in each.children)
    return plain and chain(call)[-1].name in _ITERATING | {"expect", "assert", "throws", "doesNotThrow"}


def _is_done(node: Node, names: frozenset[str]) -> bool:
    """Whether a statement says that the test is done."""
    call = bare(node)
    if not names or call.type != "call_expression":
        return False
    target = call.child_by_field_name("function")
    return target is not None and text(target) in names and not called_arguments(call)


def _in_doubt(body: Node) -> bool:
    """Whether an assertion stands under a condition, in a loop or in a callback that is no step of a promise."""
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


def _line(node: Node) -> int:
    return node.start_point[0] + 1


def _quote(node: Node) -> str:
    return squeezed(node)[:_QUOTE]


_STATEMENTS: dict[str, Callable[[Lowering, Node, Place], list[Statement]]] = {
    "lexical_declaration": Lowering.declared,
    "variable_declaration": Lowering.declared,
    "export_statement": Lowering.nested,
    "function_declaration": Lowering.defined,
    "generator_function_declaration": Lowering.defined,
    "statement_block": Lowering.nested,
    "else_clause": Lowering.nested,
    "labeled_statement": Lowering.nested,
    "ERROR": Lowering.nested,
    "return_statement": Lowering.gives_back,
    "if_statement": Lowering.branched,
    "for_statement": Lowering.looped,
    "while_statement": Lowering.looped,
    "do_statement": Lowering.looped,
    "for_in_statement": Lowering.for_in,
    "try_statement": Lowering.tried,
    "switch_statement": Lowering.switched,
    "throw_statement": Lowering.thrown,
    "continue_statement": Lowering.left,
    "break_statement": Lowering.left,
}
_EXPRESSIONS: dict[str, Callable[[Lowering, Node, Place], list[Statement]]] = {
    "call_expression": Lowering.call,
    "member_expression": Lowering.member,
    "new_expression": Lowering.made,
    "assignment_expression": Lowering.assigned,
    "augmented_assignment_expression": Lowering.assigned,
    "binary_expression": Lowering.binary,
    "ternary_expression": Lowering.ternary,
}
