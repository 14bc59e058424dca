"""What type-test files check: a compiler reads them whole, so every assertion counts wherever it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.claims import Claim, Expression, Name, Opaque, Operation
from pactkeeper.intent.strength.change import term_text
from pactkeeper.intent.strength.program import Check, Program, Routine
from pactkeeper.intent.strength.substitution import claim_with, substitute
from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.module import Module
from pactkeeper.repo.languages.javascript.claims.project import Project
from pactkeeper.repo.languages.javascript.claims.syntax import (
    arguments_of,
    bare,
    chain,
    children,
    is_function,
    parameters_of,
    squeezed,
    text,
)
from pactkeeper.repo.languages.javascript.claims.types import (
    STATING,
    TYPE_ERROR,
    given_type,
    is_unchecked,
    refused,
    typing,
)
from pactkeeper.repo.languages.javascript.runners import SUITES, TESTS
from pactkeeper.repo.languages.javascript.strength.values import line_of, quote_of, scope_of_module, settled
from pactkeeper.repo.test_side import is_type_test

if TYPE_CHECKING:
    from tree_sitter import Node

_EXPECTED: Final = re.compile(r"(?://|/\*)[\s*]*+@ts-expect-error\b")
_STATEMENTS: Final = ("_statement", "_declaration", "_specifier")
_NAMED: Final = {"pair": "key", "variable_declarator": "name"}
_Held = dict[Expression, Expression]
_OFF: Final = frozenset({"skip", "todo"})


def types_of(path: str, source: bytes, *, tests: Collection[Test]) -> Program:
    """Return the static assertions of a file outside its `tests`, in whatever function they are.

    Where a runner runs the file, a comment in a test that expects an error is none of the test's: a compiler reads it.
    """
    module = Project(lambda _: None).open(path, source)
    own = [range(test.line, test.end_line + 1) for test in tests]
    every = () if is_unchecked(module.root) else _checks(module, module.root)
    apart = not is_type_test(path)
    checks = tuple(
        check
        for check in every
        if (apart and _EXPECTED.match(check.quote)) or not any(check.line in lines for lines in own)
    )
    unread = ("its source does not parse",) if module.root.has_error else ()
    return Program(path, Routine(path, body=checks), unread=unread, script=True)


def typed_in(module: Module, function: Node, others: frozenset[int]) -> tuple[Check, ...]:
    """Return the static assertions in a test's function, without those of the `others` declared in it.

    A comment that expects an error is one in a file that a compiler checks, where no test runs it.
    """
    expects = is_type_test(module.path) and b"@ts-expect-error" in (function.text or b"")
    if is_unchecked(module.root) or not (expects or STATING.search(function.text or b"")):
        return ()
    known: dict[int, _Held] = {}
    found = _checks(module, function, others, known)
    return tuple(check for check in found if expects or not _EXPECTED.match(check.quote))


def _checks(
    module: Module, root: Node, others: frozenset[int] = frozenset(), known: dict[int, _Held] | None = None
) -> Iterator[Check]:
    """Yield the static assertions below a node; the blocks that are `known` say what their constants hold."""
    scope = _scope(module)
    pending = [root]
    while pending:
        node = pending.pop()
        if node.id in others:
            continue
        claims: tuple[Claim, ...] = ()
        if _says_error(node):
            claims = (Claim("raises", TYPE_ERROR, _commented(node, scope)),)
        links = chain(node) if node.type == "call_expression" else ()
        if links and links[0].name in TESTS | SUITES and any(link.name in _OFF for link in links[1:]):
            continue
        reading = typing(links, scope) if links and not _expects_error(node.child_by_field_name("arguments")) else None
        if reading is not None:
            claims = tuple(_meant(claim, module, scope) for claim in reading.claims)
        held = _parameters(node) if claims else {}
        if claims and known is not None:
            held |= _constants(node.parent, root, scope, known)
        claims = tuple(claim_with(claim, held) for claim in claims if not _says_nothing(claim))
        if claims:
            yield Check(claims, line_of(node), quote_of(node))
        pending.extend(reversed(node.named_children))


def _scope(module: Module) -> Scope:
    """Return the scope of a file in which the default export and its properties are things of their own.

    A type test promises each of them: `shop.price` is no import of `price`.
    """
    scope = scope_of_module(module)
    return replace(scope, namespaces=frozenset(one for one in scope.namespaces if module.imports[one][1] != "default"))


def _expects_error(arguments: Node | None) -> bool:
    return arguments is not None and any(map(_says_error, arguments.named_children))


def _says_error(node: Node) -> bool:
    return node.type == "comment" and _EXPECTED.match(text(node)) is not None


def _commented(comment: Node, scope: Scope) -> Expression:
    """Return the code that a comment expects the compiler to reject: the statement it is in or precedes."""
    after = comment.next_named_sibling
    node = after if after is not None and after.type.endswith(_STATEMENTS) else comment.parent
    while node is not None and node.parent is not None and not node.type.endswith(_STATEMENTS):
        node = node.parent
    if node is None or node.type not in {"expression_statement", "return_statement"}:
        return Opaque(squeezed(node) if node is not None else "")
    return refused(node, scope)


def _meant(claim: Claim, module: Module, scope: Scope) -> Claim:
    """Replace a constant with an explicit type by that type in a claim."""
    bound = module.bindings.get(claim.subject.name, ()) if isinstance(claim.subject, Name) else ()
    value = bound[0].value if len(bound) == 1 and bound[0].kind == "const" and not bound[0].path else None
    stated = given_type(value, scope) if value is not None else None
    return claim if stated is None else replace(claim, subject=stated)


def _parameters(node: Node) -> dict[Expression, Expression]:
    """Describe the parameters of the functions around a node by position and function."""
    found: dict[Expression, Expression] = {}
    while node.parent is not None:
        node = node.parent
        for at, each in enumerate(parameters_of(node) if is_function(node) else ()):
            if each.type == "identifier":
                found.setdefault(Name(text(each)), Operation(f"argument {at + 1} of", (Opaque(_owner(node)),)))
    return found


def _constants(node: Node | None, root: Node, scope: Scope, known: dict[int, _Held]) -> _Held:
    """Return what the constants of a block and of those around it hold, each block read once."""
    if node is None or node == root:
        return {}
    if node.type != "statement_block":
        return _constants(node.parent, root, scope, known)
    if node.id not in known:
        held = dict(_constants(node.parent, root, scope, known))
        declared = (each for one in children(node) if one.type == "lexical_declaration" for each in children(one))
        for each in declared:
            name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
            if name is not None and value is not None and name.type == "identifier" and not is_function(bare(value)):
                held[Name(text(name))] = substitute(settled(value, scope), held)
        known[node.id] = held
    return known[node.id]


def _owner(function: Node) -> str:
    """Describe what a function is passed to or named: `server.get('/')`, `onRequest of server.route`."""
    named = function.child_by_field_name("name")
    node, names = function, [text(named)] if named is not None else []
    while node.parent is not None and node.type != "call_expression" and not node.type.endswith(_STATEMENTS):
        node = node.parent
        key = node.child_by_field_name(_NAMED[node.type]) if node.type in _NAMED else None
        names += [text(key)] if key is not None else []
    if node.type == "call_expression":
        given = (text(each) for each in arguments_of(node) if each.type == "string")
        whole = node.child_by_field_name("function"), node.child_by_field_name("type_arguments")
        names.append(f"{''.join(map(text, whole))}({', '.join(given)})")
    return " of ".join(names)


def _says_nothing(claim: Claim) -> bool:
    """Whether a claim only says that a type is itself."""
    same = term_text(claim.subject) == term_text(claim.object).strip("'")
    return same and claim.relation in {"has_type", "instance_of"} and not claim.negated
