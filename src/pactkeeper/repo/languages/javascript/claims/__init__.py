"""Extract what JavaScript and TypeScript tests assert as the claims of `intent.claims`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Expects, TestEvidence
from pactkeeper.intent.suffixes import computed
from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages.javascript.claims.branches import Place, scope_in
from pactkeeper.repo.languages.javascript.claims.definitions import changing_names, definitions
from pactkeeper.repo.languages.javascript.claims.locate import Located, locate, table, written_suites
from pactkeeper.repo.languages.javascript.claims.module import Module
from pactkeeper.repo.languages.javascript.claims.project import Project
from pactkeeper.repo.languages.javascript.claims.snapshots import pictured
from pactkeeper.repo.languages.javascript.claims.syntax import (
    arguments_of,
    bare,
    body_of,
    chain,
    children,
    is_function,
    text,
)
from pactkeeper.repo.languages.javascript.claims.walk import Walk

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["javascript_evidence"]


def javascript_evidence(
    path: str, source: bytes, *, tests: Sequence[Test], read: Callable[[str], bytes | None]
) -> Mapping[str, TestEvidence]:
    """Return the evidence of the given tests of one file by test id; `read` opens other files to follow helpers."""
    project = Project(read)
    module = project.open(path, source)
    located = locate(module, tests)
    return {test.id: _evidence(test, module, project, located) for test in tests}


def _evidence(test: Test, module: Module, project: Project, located: Mapping[str, Located]) -> TestEvidence:
    found = located.get(test.id)
    suite = test.suite if found is None else written_suites(found.node, test.suite)
    bare = TestEvidence(test.id, suite, test.name, free_text_name=True, computed=computed(test, suite))
    if found is None or found.function is None:
        return bare if found is not None else replace(bare, reasons=("unresolvable_value",))
    function = found.function
    others = frozenset(each.node.id for each in located.values()) - {found.node.id}
    walk = Walk(project, others, changing_names(module, function))
    walk.function(function, Place(module, scope_in(module)))
    rows = table(module, found)
    stated = remarks(function)
    marked = dict.fromkeys((*markers(found.node), *(name for name, always in stated if always)))
    plain = definitions(module, function, [*walk.claims, *walk.actions])
    known = {name for name, _ in plain} | set(rows.parameters)
    later = [(name, held) for name, held in walk.later.items() if name not in known]
    return replace(
        bare,
        parameters=rows.parameters,
        rows=rows.rows,
        claims=tuple(walk.claims),
        actions=tuple(walk.actions),
        reasons=tuple(sorted(walk.reasons)),
        markers=tuple(marked),
        expects=expects(marked, stated),
        definitions=tuple((name, pictured(held)) for name, held in (*plain, *later)),
    )


_MARKS = frozenset({"skip", "only", "todo", "fails", "failing", "fail", "fixme", "slow", "skipIf", "runIf"})
_FAILING = frozenset({"fails", "failing", "fail"})
_STATED = frozenset({"skip", "fixme", "fail", "slow"})
_RUNNERS = frozenset({"test", "it", "this", "t"})
_PREFIXED = {"x": "skip", "f": "only"}  # `xit`, `fdescribe`


def markers(node: Node) -> list[str]:
    """Return the modifiers of a test's own declaration and of the suites around it, innermost first."""
    found: list[str] = []
    inner: Node | None = node
    while inner is not None:
        if inner.type == "call_expression" and (inner == node or _holds(inner, node)):
            links = chain(inner)
            root = links[0].name
            if root[1:] in {"it", "test", "describe", "context", "specify", "suite"}:
                found += [_PREFIXED[root[0]]] if root[0] in _PREFIXED else []
            found += [link.name for link in links[1:] if link.name in _MARKS]
            found += _options(inner)
        inner = inner.parent
    return found


def _options(call: Node) -> list[str]:
    """Return the modifiers enabled by an object among the arguments: `{ fails: true }`."""
    pairs = [pair for one in arguments_of(call) if one.type == "object" for pair in one.named_children]
    named = ((pair.child_by_field_name("key"), pair.child_by_field_name("value")) for pair in pairs)
    on = (text(key) for key, value in named if value is not None and value.type == "true")
    return [name for name in on if name in _MARKS]


def _holds(call: Node, node: Node) -> bool:
    """Whether a node lies inside a function passed to a call."""
    functions = (bare(one) for one in arguments_of(call))
    return any(is_function(one) and one.start_byte <= node.start_byte < one.end_byte for one in functions)


def remarks(function: Node) -> list[tuple[str, bool]]:
    """Return the modifiers set while a test runs, `test.fail()` or `this.skip()`, and whether each is unconditional."""
    body = body_of(function)
    found: list[tuple[str, bool]] = []
    for each in children(body) if body is not None and body.type == "statement_block" else ():
        links = chain(each) if each.type == "expression_statement" else ()
        if len(links) == 2 and links[0].name in _RUNNERS and links[1].name in _STATED:  # noqa: PLR2004 - object and method
            given = links[1].arguments
            if given is not None:
                found.append((links[1].name, not given or given[0].type in {"true", "string"}))
    return found


def expects(marked: Collection[str], stated: Sequence[tuple[str, bool]]) -> Expects:
    """Whether a test with these markers and remarks must pass, must fail, or may do either."""
    if _FAILING & set(marked):
        return "fail"
    return "either" if any(name == "fail" for name, _ in stated) else "pass"
