"""Lower JavaScript functions to the statements of `intent.strength.program`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Attribute, Call, Claim, Collection, Expression, Name, Opaque, Operation, Raised
from pactkeeper.intent.strength.errors import ANY_ERROR
from pactkeeper.intent.strength.frames import ends_test
from pactkeeper.intent.strength.program import (
    Act,
    Attempt,
    Bind,
    Block,
    Catch,
    Check,
    Define,
    Leave,
    Loop,
    Routine,
    Statement,
    Within,
)
from pactkeeper.intent.strength.terms import last_name, operator_of, rebuilt
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in, pattern_paths
from pactkeeper.repo.languages.javascript.claims.project import asserts, may_assert
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    arguments_of,
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
from pactkeeper.repo.languages.javascript.strength.calls import EXPRESSIONS
from pactkeeper.repo.languages.javascript.strength.judges import keeps_quiet
from pactkeeper.repo.languages.javascript.strength.mocks import replacements
from pactkeeper.repo.languages.javascript.strength.statements import STATEMENTS
from pactkeeper.repo.languages.javascript.strength.values import (
    HOLDING,
    NOT_RUN,
    Place,
    bindings_of,
    called_arguments,
    kept_error,
    line_of,
    quote_of,
    settled,
    stirred,
    stirred_outside,
    taken,
)
from pactkeeper.repo.languages.javascript.strength.waiting import ITERATING, drops_callback, floats, is_done

if TYPE_CHECKING:
    from tree_sitter import Node


_FAKED = frozenset({"fn", "mockImplementation", "mockImplementationOnce"})
_WRAPPED = frozenset(
    {"array", "object", "pair", "spread_element", "template_string", "template_substitution", "sequence_expression"}
    | {"unary_expression"}
)
_SAYS_NOTHING = frozenset({"comment", "import_statement", "debugger_statement"})
_AT_ONCE = ITERATING | {"expect", "assert", "throws", "doesNotThrow"}


@dataclass(slots=True)
class Lowering:
    """The code of one file while it is lowered; `others` are tests declared inside, which run independently.

    `routine` converts a function to a routine, `fields` returns what the fields of a new object hold, `follow` finds
    the function of the test side that a call runs. `throws` means
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
    follow: Callable[[Module, Node], Node | None]
    counted: bool = field(default=False)
    stirred: frozenset[str] = frozenset()

    def function(self, function: Node) -> Block:
        """Lower a function's body."""
        body = body_of(function)
        if body is None:
            return ()
        self.counted, self.stirred = _is_counted(body), stirred(body)
        names = [text(name) for each in parameters_of(function)[-1:] for name in names_in(each)]
        done = frozenset(filter(ends_test, names))
        place = Place(waited=self.counted, done=done)
        block = body.type == "statement_block"
        inner = self.block(children(body), place) if block else tuple(self.returned(body, place))
        kept = (Name(name) for name in sorted(stirred_outside(body, self.stirred)))
        inner = (*(Bind(name, Operation("changed", (name,))) for name in kept), *inner)
        return (_ended(body), *inner) if _ends_later(body, done) else inner

    def block(self, nodes: Sequence[Node], place: Place) -> Block:
        """Lower statements in order; after the test has signaled that it is done, nothing is waited for."""
        done = any(is_done(each, place.done) for each in nodes)
        found: list[Statement] = []
        for at, each in enumerate(nodes):
            held = kept_error(each)
            if held is not None:
                return (*found, *self._caught(each, held, self.block(nodes[at + 1 :], place), place))
            here = place if not done or place.waited else replace(place, ending=True)
            found += self.statement(each, here)
            if done and is_done(each, place.done) and not place.waited:
                place = replace(place, floating=True)
        return tuple(found)

    def _caught(self, node: Node, held: tuple[Name, Node], rest: Block, place: Place) -> list[Statement]:
        """Lower `const error = await run().catch((e) => e)` before the rest: it must raise if that says so."""
        name, promise = held
        said = [claim for one in rest if isinstance(one, Check) for claim in one.claims if not claim.negated]
        if not any(claim.subject == Attribute(name, "message") or _is_error(claim, name) for claim in said):
            return [*self.statement(node, place), *rest]
        caught = (Bind(name, Raised(ANY_ERROR)), *rest)
        return expected_failure(tuple(self.expression(promise, place)), caught, line_of(node), quote_of(node))

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
        if self.is_idle(inner):
            return []
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

    def makes_generator(self, call: Node) -> bool:
        """Whether a call only makes a generator, whose body runs where something takes what it yields."""
        target = call.child_by_field_name("function") if call.type == "call_expression" else None
        function = self.function_at(target) if target is not None else None
        return function is not None and function.type.startswith("generator")

    def is_idle(self, call: Node) -> bool:
        """Whether a call makes a generator that nothing takes anything from."""
        parent = call.parent if self.makes_generator(call) else None
        name = parent.child_by_field_name("name") if parent is not None else None
        around = parent.parent.parent if parent is not None and parent.parent is not None else None
        if parent is None or around is None or parent.type != "variable_declarator":
            return parent is not None and parent.type == "expression_statement"
        return sum(text(each) == text(name) for each in descend(around) if each.type == "identifier") == 1

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
            if link.node.type == "call_expression" and link.name not in NOT_RUN:
                runs = (bare(each) for each in link.arguments or () if link.name not in _FAKED or asserts(each))
                for each in runs:
                    found += self.argument(link.node, each, place)
        if not links[0].name and links[0].node.type not in {"call_expression", "member_expression"}:
            found += self.expression(links[0].node, place)
        return found

    def argument(self, call: Node, node: Node, place: Place) -> list[Statement]:
        """Lower one argument of a call, or what stands in it: a function there is one that the call may run."""
        if is_function(node):
            turns = self.turns(call, node, _without_callbacks(self.scope.read(call)), place)
            return [Attempt((turns,), (Catch((), ()),)) if self._is_kept_quiet(call, node) else turns]
        if node.type in HOLDING:
            return [one for each in children(node) for one in self.argument(call, bare(each), place)]
        return [one for one in self.expression(node, place) if not isinstance(one, Act)]

    def _is_kept_quiet(self, call: Node, handed: Node) -> bool:
        """Whether the function that a call runs catches whatever fails in the one that it is handed."""
        at = next((at for at, each in enumerate(arguments_of(call)) if bare(each) == handed), None)
        function = self.follow(self.module, call) if at is not None and asserts(handed) else None
        return function is not None and at is not None and keeps_quiet(function, at)

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
        further = (text(name) for one in parameters_of(function)[1:] for name in names_in(one))
        own = tuple(Bind(Name(name), Name(name)) for name in further)
        if body.type == "statement_block":
            return (*own, *self.block(children(body), here))
        return (*own, *self.expression(body, here))


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
    return promise and not floats(node) and may_assert(node)


def _ended(body: Node) -> Check:
    return Check((Claim("satisfies", Call(Name("done"))),), line_of(body), "done()")


def _is_error(claim: Claim, name: Name) -> bool:
    """Whether a claim says that a name holds an error."""
    kind = claim.object if claim.relation == "instance_of" and claim.subject == name else None
    return kind is not None and last_name(kind).endswith("Error")


def _is_counted(body: Node) -> bool:
    stated = (bare(node) for node in children(body) if node.type == "expression_statement")
    return any(node.type == "call_expression" and counts(chain(node)) for node in stated)


def _without_callbacks(call: Expression) -> Expression:
    """Remove the functions passed to a call: what one of them receives doesn't depend on what it does."""
    if not isinstance(call, Call):
        return call
    given = (replace(each, value=_emptied(each.value)) for each in call.arguments if operator_of(each.value) != "=>")
    return replace(call, arguments=tuple(given))


def _emptied(one: Expression) -> Expression:
    """Return an argument without what the functions that stand in it do."""
    if operator_of(one) == "=>":
        return Opaque("…")
    return rebuilt(one, _emptied) if isinstance(one, Collection | Operation) else one


def _runs_at_once(call: Node) -> bool:
    """Whether a call certainly runs a synchronous callback before it returns."""
    given = called_arguments(call)
    plain = not any(child.type == "async" for each in given for child in each.children)
    return plain and chain(call)[-1].name in _AT_ONCE
