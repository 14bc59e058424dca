"""Branches of a test: which conditions are already settled, and which blocks only fail the test.

Also how helpers and callbacks are entered: what their parameters are bound to.

Also the subject of a claim: errors handed to callbacks, and values hidden from the test's reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import (
    Argument,
    Attribute,
    Call,
    Claim,
    Each,
    Expression,
    Name,
    Operation,
    Raised,
    Subscript,
)
from pactkeeper.repo.languages.javascript.claims.expressions import LEFT_OUT, Scope, along
from pactkeeper.repo.languages.javascript.claims.module import Module, names_in, pattern_paths
from pactkeeper.repo.languages.javascript.claims.project import Helper
from pactkeeper.repo.languages.javascript.claims.relations import FALSE, TRUE, Claims, holds
from pactkeeper.repo.languages.javascript.claims.syntax import (
    Link,
    arguments_of,
    bare,
    chain,
    children,
    is_function,
    parameters_of,
    text,
)

if TYPE_CHECKING:
    from tree_sitter import Node


Fact = tuple[str, Expression, Expression | None, bool]
_FAILS = frozenset({"fail", "unreachable"})
_OWNERS = frozenset({"assert", "expect", "chai", "t", "done", "should", "vi", "jest"})
_ABSENT = frozenset({"none", "undefined", "falsy"})
ERRORS = frozenset({"err", "error", "e", "ex"})


def _fact(claim: Claim) -> Fact:
    """Normalize a claim for comparison with conditions: truth is one fact, however it was asserted."""
    if claim.relation == "equals" and claim.object in {TRUE, FALSE}:
        return "true", claim.subject, None, claim.negated is not (claim.object == FALSE)
    if claim.relation in {"truthy", "exists", "satisfies"}:
        return "true", claim.subject, None, claim.negated
    if claim.relation in _ABSENT:
        return "true", claim.subject, None, not claim.negated
    if claim.relation == "instance_of" and not claim.negated:
        return "true", claim.subject, None, False
    return claim.relation, claim.subject, claim.object, claim.negated


def proven(condition: Expression, claims: Iterable[Claim]) -> bool:
    """Whether earlier claims already imply that the condition holds."""
    known = [claim for claim in claims if claim.condition is None and not claim.repeated]
    facts = {_fact(claim) for claim in known}
    facts |= {(claim.relation, claim.subject, claim.object, claim.negated) for claim in known}
    wanted = holds(condition)
    return bool(wanted) and all(not each.alternatives and _fact(each) in facts for each in wanted)


def always_fails(node: Node | None) -> bool:
    """Whether a statement or block ends by failing the test."""
    if node is None:
        return False
    if node.type in {"statement_block", "else_clause"}:
        statements = children(node)
        return bool(statements) and always_fails(statements[-1])
    if node.type == "throw_statement":
        return True
    inner = bare(node)
    if inner.type != "call_expression":
        return False
    links = chain(inner)
    names = [link.name for link in links]
    if names[-1] in _FAILS and (len(names) == 1 or names[0] in _OWNERS):
        return True
    if names[-1] in {"done", "reject", "cb"} and len(names) == 1:
        given = links[0].arguments or ()
        return bool(given) and bare(given[0]).type == "new_expression"
    return _impossible(text(inner))


def _impossible(written: str) -> bool:
    squeezed = "".join(written.split())
    return squeezed in {
        "expect(true).toBe(false)",
        "expect(false).toBe(true)",
        "expect(true).toEqual(false)",
        "expect(false).toEqual(true)",
        "expect(true).toBeFalsy()",
        "expect(false).toBeTruthy()",
        "assert(false)",
        "assert.ok(false)",
    }


def passes_error_on(condition: Expression, branch: Node) -> bool:
    """Detect `if (err) throw err`: rethrowing an error claims nothing of its own."""
    name = getattr(condition, "name", None)
    return isinstance(name, str) and name in ERRORS and name in text(branch).replace(";", " ").split()


def negation(condition: Expression) -> Expression:
    """Negate a condition."""
    if isinstance(condition, Operation) and condition.operator == "not":
        return condition.operands[0]
    return Operation("not", (condition,))


def denied(condition: Expression) -> Claims:
    """Return the claims implied by a condition that would fail the test."""
    return holds(condition, negated=True)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the walk is; inside a helper, `line` and `quote` are those of the test's call. `depth` counts helpers.

    `quiet` means that calls made here belong to an assertion or another call and are no actions of their own;
    `straight` that nothing between the test's start and here may be skipped or repeated. `answers` is the call whose
    error-first callback is being read; `inverted` means that what is asserted here must fail.
    """

    module: Module
    scope: Scope
    condition: Expression | None = None
    repeated: bool = False
    each: Each | None = None
    via: str | None = None
    line: int = 0
    quote: str = ""
    depth: int = 0
    quiet: bool = False
    straight: bool = True
    answers: Expression | None = None
    inverted: bool = False

    def under(self, condition: Expression | None) -> Place:
        """Return the same place inside a branch."""
        if condition is None:
            return self
        joined = condition if self.condition is None else Operation("and", (self.condition, condition))
        return replace(self, condition=joined, straight=False)

    def looped(self, each: Each | None) -> Place:
        """Return the same place inside a loop."""
        return replace(self, repeated=True, each=each if self.each is None else self.each, straight=False)

    def quietly(self) -> Place:
        """Return the same place inside an expression that has already been read."""
        return replace(self, quiet=True)

    def aside(self) -> Place:
        """Return the same place inside a callback, which runs later."""
        return replace(self, quiet=False, straight=False)


def scope_in(module: Module, bindings: dict[str, Expression] | None = None) -> Scope:
    """Return the scope for code in a file."""

    def function(node: Node) -> Node | None:
        return module.function(text(node), node.start_byte) if node.type == "identifier" else None

    def type_alias(node: Node) -> Node | None:
        return module.type_alias(text(node), node.start_byte) if node.type == "type_identifier" else None

    return Scope(bindings or {}, function, type_alias, namespaces=module.namespaces)


def bound(pattern: Node, value: Expression) -> dict[str, Expression]:
    """Bind the names in a parameter's pattern, given the parameter's value."""
    return {text(name): along(value, path) for name, path in pattern_paths(pattern) if path is not None}


def inside(helper: Helper, given: tuple[Node, ...], call: Node, place: Place) -> Place:
    """Enter a helper with its parameters bound to the call's arguments; the call remains the evidence."""
    hidden, settled = _locals(helper.module, helper.function)
    return replace(
        place,
        module=helper.module,
        scope=replace(
            scope_in(helper.module, _parameters(helper.function, given, place.scope)), hidden=hidden, settled=settled
        ),
        via=helper.name if place.via is None else place.via,
        line=place.line or call.start_point[0] + 1,
        quote=place.quote or text(call),
        depth=place.depth + 1,
        quiet=True,
    )


def _locals(module: Module, function: Node) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that a function declares, and those of them that are assigned only once."""
    declared, settled = set(), set()
    for name, bindings in module.bindings.items():
        inside = [each for each in bindings if function.start_byte <= each.start < function.end_byte]
        if any(each.kind in {"const", "let"} for each in inside):
            declared.add(name)
            if sum(each.value is not None or each.kind == "changed" for each in inside) == 1:
                settled.add(name)
    return frozenset(declared), frozenset(settled)


def _parameters(function: Node, given: tuple[Node, ...], scope: Scope) -> dict[str, Expression]:
    bindings: dict[str, Expression] = {}
    if any(each.type == "spread_element" for each in given):
        return bindings
    for index, parameter in enumerate(parameters_of(function)):
        if parameter.type == "rest_pattern":
            break
        target, default = with_default(parameter)
        missing = Scope(bindings).read(default) if default is not None else LEFT_OUT
        value = scope.read(given[index]) if index < len(given) else missing
        bindings.update(bound(target, value))
    return bindings


def with_default(parameter: Node) -> tuple[Node, Node | None]:
    """Return a parameter's pattern and its default value, which TypeScript keeps beside the pattern."""
    left, right = parameter.child_by_field_name("left"), parameter.child_by_field_name("right")
    if parameter.type == "assignment_pattern" and left is not None:
        return left, right
    outer = parameter.parent
    value = outer.child_by_field_name("value") if outer is not None and outer.type.endswith("_parameter") else None
    return parameter, value


def entered(function: Node, value: Expression | None, place: Place) -> Place:
    """Return the place inside a callback whose first parameter holds `value`."""
    parameters = parameters_of(function)
    names = tuple(text(name) for each in parameters for name in names_in(each))
    held = bound(parameters[0], value) if value is not None and parameters else {}
    return replace(place.aside(), scope=place.scope.without(names).with_bindings(held))


def is_raised(value: Expression) -> bool:
    """Whether a value is a caught error or part of one."""
    while isinstance(value, (Attribute, Subscript)):
        value = value.value
    return isinstance(value, Raised)


def answered(link: Link, function: Node, place: Place) -> Expression | None:
    """Return the call, without its callbacks, that passes the callback an error or none; the innermost one counts."""
    parameters = parameters_of(function)
    target = link.node.child_by_field_name("function") if link.node.type == "call_expression" else None
    if target is None or not parameters or text(parameters[0]) not in ERRORS:
        return place.answers
    given = [each for each in arguments_of(link.node) if not is_function(bare(each))]
    return Call(place.scope.read(target), tuple(Argument(place.scope.read(each)) for each in given))


def without_error(claim: Claim, call: Expression) -> Claim:
    """Rewrite a callback's error check: no error means that the call completes, an error that one exists."""
    if not isinstance(claim.subject, Name) or claim.subject.name not in ERRORS:
        return claim
    absent = claim.relation in {"none", "undefined", "falsy"} and not claim.negated
    if absent or (claim.relation in {"truthy", "exists"} and claim.negated):
        return Claim("completes", call)
    return replace(claim, relation="exists") if claim.relation == "truthy" else claim


def parts_of(value: object) -> Iterator[object]:
    """Yield an expression, a claim or several, and everything in them."""
    yield value
    fields = getattr(value, "__dataclass_fields__", ())
    for each in value if isinstance(value, tuple) else [getattr(value, name) for name in fields]:
        yield from parts_of(each)
