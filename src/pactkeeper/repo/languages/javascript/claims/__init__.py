"""Extract what JavaScript and TypeScript tests assert as the claims of `intent.claims`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.suffixes import computed
from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages.javascript.claims.branches import Place, scope_in
from pactkeeper.repo.languages.javascript.claims.definitions import changing_names, definitions
from pactkeeper.repo.languages.javascript.claims.locate import Located, locate, table, written_suites
from pactkeeper.repo.languages.javascript.claims.modifiers import expects, markers, remarks
from pactkeeper.repo.languages.javascript.claims.module import Module
from pactkeeper.repo.languages.javascript.claims.project import Project
from pactkeeper.repo.languages.javascript.claims.snapshots import pictured
from pactkeeper.repo.languages.javascript.claims.walk import Walk

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
