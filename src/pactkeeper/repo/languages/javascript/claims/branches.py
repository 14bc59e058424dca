"""Branches of a test: which conditions are settled already, and which blocks only fail the test."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Claim, Expression, Operation
from pactkeeper.repo.languages.javascript.claims.relations import FALSE, TRUE, Claims, holds
from pactkeeper.repo.languages.javascript.claims.syntax import bare, chain, children, text

if TYPE_CHECKING:
    from tree_sitter import Node

Fact = tuple[str, Expression, Expression | None, bool]
_FAILS = frozenset({"fail", "unreachable"})
_OWNERS = frozenset({"assert", "expect", "chai", "t", "done", "should", "vi", "jest"})
_ABSENT = frozenset({"none", "undefined", "falsy"})
ERRORS = frozenset({"err", "error", "e", "ex"})


def _fact(claim: Claim) -> Fact:
    """A claim in the form in which conditions compare: truth is one fact, however it was asserted."""
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
    """Whether what was claimed before already says that the condition holds."""
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
    """`if (err) throw err`: an error that is handed on says nothing of its own."""
    name = getattr(condition, "name", None)
    return isinstance(name, str) and name in ERRORS and name in text(branch).replace(";", " ").split()


def negation(condition: Expression) -> Expression:
    """The opposite of a condition."""
    if isinstance(condition, Operation) and condition.operator == "not":
        return condition.operands[0]
    return Operation("not", (condition,))


def denied(condition: Expression) -> Claims:
    """What follows when a condition would fail the test."""
    return holds(condition, negated=True)
