"""Walk a test's statements in execution order, collecting its claims and actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import AmbiguityReason, Call, Claim, Expression, Name, Opaque, Raised
from pactkeeper.intent.strength.errors import ANY_ERROR
from pactkeeper.repo.languages.javascript.claims.branches import (
    Place,
    answered,
    bound,
    entered,
    inside,
    is_raised,
    negation,
    parts_of,
    without_error,
)
from pactkeeper.repo.languages.javascript.claims.chai import sentence
from pactkeeper.repo.languages.javascript.claims.expressions import HIDDEN, Handed, Reading, along
from pactkeeper.repo.languages.javascript.claims.families import query, read_assertion
from pactkeeper.repo.languages.javascript.claims.jest import expect
from pactkeeper.repo.languages.javascript.claims.module import pattern_paths
from pactkeeper.repo.languages.javascript.claims.project import (
    ASSERTION_LIKE,
    Helper,
    Project,
    asserts,
    prepares,
    returned_function,
)
from pactkeeper.repo.languages.javascript.claims.snapshots import in_words
from pactkeeper.repo.languages.javascript.claims.statements import STATEMENTS, every
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    arguments_of,
    bare,
    body_of,
    chain,
    children,
    is_function,
    parameters_of,
    text,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST_HELPER = 2
_DEEPEST_NODE = 100
_TABLE_METHODS = frozenset({"forEach", "map", "every", "each", "flatMap", "reduce"})
_NO_ACTION = frozenset({"done", "next", "timeout", "slow", "retries", "skip", "require", "resolve", "reject", "log"})
_DECLARATIONS = frozenset(
    {"function_declaration", "generator_function_declaration", "class_declaration", "type_alias_declaration",
     "interface_declaration", "comment", "import_statement"}
)  # fmt: skip


@dataclass(slots=True)
class Walk:
    """What one test claims and does, as far as it has been walked.

    `others` are the nodes of other tests declared inside; `changing` are names the test assigns several times,
    `current` their values at this point, `turns` how often each name has been assigned so far, and `later` the values
    of callback parameters. `counted` is set once the test plans a number of assertions.
    """

    project: Project
    others: frozenset[int] = frozenset()
    changing: frozenset[str] = frozenset()
    claims: list[Claim] = field(default_factory=list)
    actions: list[Call] = field(default_factory=list)
    reasons: set[AmbiguityReason] = field(default_factory=set)
    current: dict[str, Expression] = field(default_factory=dict)
    turns: dict[str, int] = field(default_factory=dict)
    later: dict[str, Expression] = field(default_factory=dict)
    counted: bool = False
    nesting: int = 0

    def function(self, function: Node, place: Place) -> None:
        """Walk a function's body."""
        body = body_of(function)
        if body is not None:
            self.statement(body, place)

    def statement(self, node: Node, place: Place) -> None:
        """Walk one statement; nesting beyond any handwritten code is reported rather than read."""
        if self.nesting > _DEEPEST_NODE:
            self.reasons.add("unresolvable_value")
            return
        self.nesting += 1
        if node.type in STATEMENTS:
            STATEMENTS[node.type](self, node, place)
        elif node.type in {"lexical_declaration", "variable_declaration"}:
            for each in children(node):
                self._declare(each, place)
        elif node.type == "expression_statement":
            self._standing_alone(node, place)
        elif node.type not in _DECLARATIONS:
            self.expression(node, place)
        self.nesting -= 1

    def _standing_alone(self, node: Node, place: Place) -> None:
        inner = bare(node)
        found = query(chain(inner), place.scope) if inner.type == "call_expression" else None
        if found is not None:
            self._assertion(found, inner, place)
        else:
            self.expression(inner, place)

    def _declare(self, node: Node, place: Place) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None or is_function(bare(value)):
            return
        if bare(value).type != "object":
            self.expression(value, place)
        self._assign(name, value, place)

    def _assign(self, target: Node, value: Node, place: Place) -> None:
        """Record what a name holds from here on."""
        if target.type not in {"identifier", "object_pattern", "array_pattern"}:
            return
        for name, path in pattern_paths(target):
            held = along(place.scope.read(value), path) if path is not None else None
            known = None if is_function(bare(value)) else held
            if place.via is None:
                self.turns[text(name)] = self.turns.get(text(name), 0) + 1
            if place.via is not None:
                place.scope.rebind(text(name), known if text(name) in place.scope.settled else None)
            elif known is not None and is_raised(known):
                place.scope.rebind(text(name), known)
                if text(name) not in self.changing:
                    self.later[text(name)] = known
            elif text(name) in self.changing:
                self.current.pop(text(name), None)
                if known is not None and place.straight and not isinstance(known, Opaque):
                    self.current[text(name)] = known

    def expression(self, node: Node, place: Place) -> None:
        """Walk an expression for the assertions and calls inside it."""
        if self.nesting > _DEEPEST_NODE:
            self.reasons.add("unresolvable_value")
            return
        self.nesting += 1
        node = bare(node)
        if node.type in _EXPRESSIONS:
            _EXPRESSIONS[node.type](self, node, place)
        elif is_function(node):
            if asserts(node):
                self._callback(node, None, place)
        else:
            for child in children(node):
                self.expression(child, place)
        self.nesting -= 1

    def assigned(self, node: Node, place: Place) -> None:
        """Walk an assignment."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None:
            self.expression(right, place)
            self._assign(left, right, place)

    def binary(self, node: Node, place: Place) -> None:
        """Walk an operation; the right side of `&&` and `||` runs conditionally."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = text(node.child_by_field_name("operator"))
        if left is None or right is None:
            return
        self.expression(left, place)
        if operator in {"&&", "||"}:
            held = place.scope.read(left)
            place = place.under(held if operator == "&&" else negation(held))
        self.expression(right, place)

    def ternary(self, node: Node, place: Place) -> None:
        """Walk both branches of a conditional expression."""
        condition = node.child_by_field_name("condition")
        then, other = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        if condition is None or then is None or other is None:
            return
        held = place.scope.read(condition)
        self.expression(condition, place.quietly())
        self.expression(then, place.under(held))
        self.expression(other, place.under(negation(held)))

    def made(self, node: Node, place: Place) -> None:
        """Walk `new Thing(…)`."""
        expression = place.scope.read(node)
        if not place.quiet and isinstance(expression, Call) and expression.function != Name("Promise"):
            self.actions.append(expression)
        for each in arguments_of(node):
            self._argument(each, place)

    def member(self, node: Node, place: Place) -> None:
        """Walk `x.y`, which asserts in chai's `expect(x).to.be.true`, and tries to in `expect(x).toBe`."""
        links = chain(node)
        reading = sentence(links, place.scope) or expect(links, place.scope)
        if reading is not None:
            self._assertion(reading, node, place)
        else:
            self._steps(links, place.quietly())

    def call(self, node: Node, place: Place) -> None:
        """Walk a call: an assertion, a helper that asserts, a loop over a table, or an action."""
        if node.id in self.others:
            return
        links = chain(node)
        if links[0].name == "expect" and links[-1].name in {"assertions", "hasAssertions"}:
            self.counted = True
        reading = read_assertion(links, place.scope, place.module.assertions)
        if reading is not None:
            self._assertion(reading, node, place)
        elif not self._helper(links, node, place):
            self._action(links, node, place)

    def _assertion(self, reading: Reading, node: Node, place: Place) -> None:
        if not reading.understood:
            self.reasons.add("unresolvable_value")
            if not (reading.claims or reading.handed or reading.visit):
                self.claim(Claim("satisfies", Opaque(text(node))), node, place)
        for claim in reading.claims:
            self.claim(claim, node, place)
        for handed in reading.handed:
            self._handed(handed, node, place)
        fails = any(claim.relation == "raises" and not claim.negated for claim in reading.claims)
        inner = replace(place.quietly(), inverted=place.inverted != fails)
        for each in reading.visit:
            self.expression(each, inner)

    def claim(self, claim: Claim, node: Node, place: Place) -> None:
        """Record a claim with its evidence and the circumstances in which it is made."""
        if place.via is not None and HIDDEN in parts_of((claim, place.condition)):
            self.reasons.add("unresolvable_value")
            return
        claim = in_words(claim)
        if place.answers is not None:
            claim = without_error(claim, place.answers)
        names = {part.name for part in parts_of(claim) if isinstance(part, Name)}
        held = tuple((name, self.current[name]) for name in sorted(self.current) if name in names)
        turns = tuple(sorted((name, at) for name, at in self.turns.items() if at > 1 and name in names))
        made = replace(
            claim,
            line=place.line or claim.line or node.start_point[0] + 1,
            quote=place.quote or claim.quote or text(node),
            repeated=place.repeated,
            each=place.each,
            condition=place.condition,
            via=place.via,
            holds=held,
            turns=turns,
            inverted=place.inverted,
        )
        if made not in self.claims:
            self.claims.append(made)

    def _handed(self, handed: Handed, node: Node, place: Place) -> None:
        """Walk a function that an assertion runs on a value, written inline or returned by a helper."""
        function = bare(handed.function)
        if is_function(function):
            return self._callback(function, handed.value, place)
        found = self.project.helper(place.module, chain(function))
        if found is not None and function.type == "call_expression":
            returned = returned_function(found.function)
            if returned is not None:
                found_place = inside(found, arguments_of(function), node, place)
                return self._callback(returned, handed.value, found_place)
        elif found is not None:
            return self._callback(found.function, handed.value, inside(found, (), node, place))
        self.reasons.add("unresolvable_value")
        return None

    def _callback(self, function: Node, value: Expression | None, place: Place) -> None:
        self.function(function, entered(function, value, place))

    def _helper(self, links: tuple[Link, ...], node: Node, place: Place) -> bool:
        """Follow a helper of the project that asserts; False if the call isn't one."""
        found = self.project.helper(place.module, links)
        if found is None or not asserts(found.function):
            self._mark_unknown(found, links)
            return False
        if prepares(found):
            return False
        if place.depth >= _DEEPEST_HELPER:
            self.reasons.add("unresolvable_value")
            return True
        before = len(self.claims)
        given = links[-1].arguments or ()
        self.function(found.function, inside(found, given, node, place))
        for each in given:
            self._argument(each, place.quietly())
        return len(self.claims) > before

    def _mark_unknown(self, found: Helper | None, links: tuple[Link, ...]) -> None:
        """Record an unknown assertion: a call named like one whose source can't be found."""
        last = links[-1]
        if found is None and len(links) <= 2 and last.arguments is not None and ASSERTION_LIKE.match(last.name):  # noqa: PLR2004 - a namespace and a function
            self.reasons.add("unresolvable_value")

    def _action(self, links: tuple[Link, ...], node: Node, place: Place) -> None:
        expression = place.scope.read(node)
        if not place.quiet and isinstance(expression, Call) and links[-1].name not in _NO_ACTION:
            self.actions.append(expression)
        self._steps(links, place)

    def _steps(self, links: tuple[Link, ...], place: Place) -> None:
        """Walk the root of a chain and the arguments of its steps."""
        if not links[0].name:
            self._root(links[0], place)
        for index, link in enumerate(links):
            self._link(link, links[index - 1] if index else None, place)

    def _root(self, link: Link, place: Place) -> None:
        """Walk the root of a chain if it isn't a name: `[…].forEach`, `(function () {…})()`."""
        node = link.node
        if node.type == "call_expression":
            target = node.child_by_field_name("function")
            node = bare(target) if target is not None else node
        if node.type not in {"call_expression", "member_expression", "subscript_expression"}:
            self.expression(node, place.quietly())

    def _link(self, link: Link, previous: Link | None, place: Place) -> None:
        """Walk the arguments of one step of a chain, according to how that step uses a callback."""
        for each in link.arguments or ():
            function = bare(each)
            if not is_function(function):
                self._argument(each, place)
            elif previous is None:
                self._argument(each, replace(place, answers=answered(link, function, place)))
            elif link.name in _TABLE_METHODS:
                parameters = parameters_of(function)
                over = every(parameters[0], previous.node, place.scope) if parameters else None
                self._callback(function, None, place.looped(over))
            elif link.name == "then":
                self._settled(function, place.scope.read(previous.node), place)
            elif link.name == "catch":
                inner = place if self.counted else place.under(Raised(ANY_ERROR))
                self._callback(function, Raised(ANY_ERROR), inner)
            else:
                self._argument(each, replace(place, answers=answered(link, function, place)))

    def _settled(self, function: Node, value: Expression, place: Place) -> None:
        """Walk `.then((value) => …)`, where the parameter holds the promise's value."""
        parameters = parameters_of(function)
        if parameters and place.via is None:
            for name, held in bound(parameters[0], value).items():
                self.later.setdefault(name, held)
            return self._callback(function, None, place)
        return self._callback(function, value, place)

    def _argument(self, node: Node, place: Place) -> None:
        """Walk an argument of a call: callbacks run, as do local functions passed by name."""
        function = bare(node)
        if is_function(function):
            self._callback(function, None, place)
        elif function.type == "identifier":
            found = self.project.helper(place.module, chain(function))
            if found is not None and asserts(found.function) and place.depth < _DEEPEST_HELPER:
                self._callback(found.function, None, replace(place, depth=place.depth + 1))
        else:
            self.expression(function, place.quietly())


_EXPRESSIONS: dict[str, Callable[[Walk, Node, Place], None]] = {
    "call_expression": Walk.call,
    "member_expression": Walk.member,
    "new_expression": Walk.made,
    "assignment_expression": Walk.assigned,
    "binary_expression": Walk.binary,
    "ternary_expression": Walk.ternary,
}
