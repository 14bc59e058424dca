"""Extract what JavaScript and TypeScript tests assert as the claims of `intent.claims`."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Attribute, Call, Collection, Expects, Expression, Name, Opaque, TestEvidence
from pactkeeper.intent.suffixes import computed
from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages.javascript.claims.branches import Place, parts_of, scope_in
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.locate import Located, locate, table, written_suites
from pactkeeper.repo.languages.javascript.claims.module import Binding, Module
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


def expects(marked: Container[str], stated: Sequence[tuple[str, bool]]) -> Expects:
    """Whether a test with these markers and remarks must pass, must fail, or may do either."""
    if any(one in marked for one in _FAILING):
        return "fail"
    return "either" if any(name == "fail" for name, _ in stated) else "pass"


_CONTAINERS = frozenset({Name("Map"), Name("Set"), Name("Array"), Name("Object"), Name("WeakMap"), Name("WeakSet")})


def changing_names(module: Module, function: Node) -> frozenset[str]:
    """Return the names that a test assigns several literal values; counters (`count++`) are excluded."""
    found = set()
    for name, bindings in module.bindings.items():
        inside = [each for each in bindings if function.start_byte <= each.start < function.end_byte]
        written = [each for each in inside if each.value is not None]
        if len(written) > 1 and not any(each.kind == "changed" for each in inside):
            found.add(name)
    return frozenset(found)


def definitions(module: Module, function: Node, spoken: Iterable[object]) -> list[tuple[str, Expression]]:
    """Return the evident values of the names mentioned, and of the names in those values, in source order."""
    found: dict[str, tuple[int, Expression]] = {}
    scope = Scope(namespaces=module.namespaces)
    waiting = sorted(_names_in(tuple(spoken)))
    seen: set[str] = set(waiting)
    while waiting:
        name = waiting.pop()
        binding = _binding(module, name, function)
        held = binding.read(scope) if binding is not None else None
        if binding is None or held is None or isinstance(held, Opaque):
            continue
        if _names_only(module, held, binding) or _collects(module, name, held):
            continue
        found[name] = (binding.start, held)
        fresh = sorted(_names_in(held) - seen)
        seen.update(fresh)
        waiting.extend(fresh)
    return [(name, held) for name, (_, held) in sorted(found.items(), key=lambda each: (each[1][0], each[0]))]


def _names_only(module: Module, held: Expression, binding: Binding) -> bool:
    """Whether the value only aliases an import or a parameter, and so adds nothing to the name itself."""
    root = held
    while isinstance(root, Attribute):
        root = root.value
    if isinstance(root, Call) and root.function == Name("require"):
        return True
    if not isinstance(root, Name):
        return False
    if root.name in module.imports:
        return True
    return root is held and any(
        each.kind == "given" and each.within[0] <= binding.start < each.within[1]
        for each in module.bindings.get(root.name, ())
    )


def _collects(module: Module, name: str, held: Expression) -> bool:
    """Whether the name holds a collection that is empty or filled later, so that its initial value says nothing."""
    if isinstance(held, Call) and held.function in _CONTAINERS:
        written = bool(held.arguments)
    elif isinstance(held, Collection):
        written = bool(held.items)
    else:
        return False
    return not written or any(each.kind == "filled" for each in module.bindings.get(name, ()))


def _binding(module: Module, name: str, function: Node) -> Binding | None:
    """Return the single binding that gives the name its value, as seen from the test."""
    bindings = [each for each in module.bindings.get(name, ()) if each.kind != "filled"]
    inside = [each for each in bindings if function.start_byte <= each.start < function.end_byte]
    if any(each.kind not in {"assigned", "changed"} for each in inside):
        return _single(inside)
    around = [
        each
        for each in bindings
        if each.kind in {"const", "let", "given"}
        and each.within[0] <= function.start_byte
        and function.end_byte <= each.within[1]
    ]
    if not around:
        return None
    nearest = min(around, key=lambda each: (each.within[1] - each.within[0], each.start))
    if sum(each.within == nearest.within for each in around) > 1:
        return None
    later = [
        each
        for each in bindings
        if each.kind in {"assigned", "changed"} and nearest.within[0] <= each.start < nearest.within[1]
    ]
    return _single([nearest, *(inside or later)])


def _single(bindings: list[Binding]) -> Binding | None:
    if any(each.kind in {"changed", "given"} for each in bindings):
        return None
    valued = [each for each in bindings if each.value is not None]
    return valued[0] if len(valued) == 1 else None


def _names_in(value: object) -> set[str]:
    return {part.name for part in parts_of(value) if isinstance(part, Name)}
