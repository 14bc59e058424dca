"""Tools that look at the repository: tests, imports, documents, links, reports, what there is to do."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pactkeeper.doors.cli.context import as_document as context_document
from pactkeeper.doors.cli.docs import as_document as docs_document
from pactkeeper.doors.cli.gaps import wire
from pactkeeper.doors.mcp.plain import plain
from pactkeeper.doors.mcp.tool import Call, Document
from pactkeeper.intent.structure import SourceFile
from pactkeeper.intent.tests import Gap
from pactkeeper.operators import backlog, call, context, coupling, observe, structure
from pactkeeper.operators.backlog import Wanted
from pactkeeper.operators.documents import search_docs_by_concepts
from pactkeeper.operators.inferring import infer_atom_from_test
from pactkeeper.operators.orphans import Orphans, discover_orphans_delta, discover_orphans_fullscan
from pactkeeper.operators.view import View
from pactkeeper.reconcile.propose import Inferred

MOST_UNRESOLVED = 50
CONTEXT_BUDGET = 8_000  # characters of one test's context, unless asked otherwise


def get_statistics(asked: Call) -> Document:
    """Count tests, atoms and what waits."""
    return dict(plain(asdict(observe.get_statistics(asked.workspace))))


def find_gaps(asked: Call) -> Document:
    """List what there is to do."""
    found = backlog.find_gaps(asked.workspace, _wanted(asked))
    return {
        "tasks": [wire(one) for one in found.tasks],
        "suppressed": len(found.suppressed),
        "not_looked_at": list(found.unseen),
    }


def next_task(asked: Call) -> Document:
    """Name the first thing to do."""
    found = backlog.next_task(asked.workspace, _wanted(asked))
    return {} if found is None else {"task": wire(found)}


def _wanted(asked: Call) -> Wanted:
    return Wanted(asked.texts("kinds"), asked.paths(), asked.files("coverage"))  # type: ignore[arg-type]  # the shape allows these words


def get_repo_structure(asked: Call) -> Document:
    """Show files, each with what it imports."""
    found = structure.get_repo_structure(asked.workspace, View(paths=asked.paths())).structure
    imports: dict[str, list[str]] = {}
    for edge in found.edges:
        imports.setdefault(edge.importer, []).append(edge.imported)
    summary = {"files": len(found.files), "edges": len(found.edges), "unresolved": len(found.unresolved)}
    return {
        "files": [{**_file(one), "imports": imports.get(one.path, [])} for one in found.files],
        "components": [list(one.files) for one in found.components],
        "unresolved": plain(found.unresolved[:MOST_UNRESOLVED]),
        "gaps": [_gap(one) for one in found.gaps],
        "summary": {**summary, "components": len(found.components), "gaps": len(found.gaps)},
    }


def _file(one: SourceFile) -> dict[str, object]:
    return {"path": one.path, "language": one.language or None, "test": one.is_test, "reaches": one.dependencies}


def orphans_fullscan(asked: Call) -> Document:
    """Name every test without an intent."""
    return _orphans(discover_orphans_fullscan(asked.workspace, asked.paths()))


def orphans_delta(asked: Call) -> Document:
    """Name the tests without an intent that a change brought."""
    found = discover_orphans_delta(asked.workspace, asked.paths(), since=asked.maybe("since"))
    return {**_orphans(found), "base": found.base}


def _orphans(found: Orphans) -> dict[str, object]:
    tests = [
        {"id": one.test.id, "file": one.test.file, "line": one.test.name_line, "state": one.state}
        for one in found.tests
    ]
    return {"orphans": tests, "tests": found.total, "gaps": [_gap(one) for one in found.gaps]}


def _gap(one: Gap) -> dict[str, object]:
    return {"file": one.file, "line": one.line, "reason": one.reason}


def get_test_analysis(asked: Call) -> Document:
    """Show what belongs to tests."""
    budget = asked.given.get("budget", CONTEXT_BUDGET)
    found = context.get_test_analysis(asked.workspace, View(), asked.texts("tests"), budget=budget)
    return {"contexts": [context_document(one) for one in found]}


def search_docs(asked: Call) -> Document:
    """Search documents."""
    most = asked.given.get("most", 10)
    view = View(paths=asked.paths())
    found = docs_document(search_docs_by_concepts(asked.workspace, view, asked.texts("concepts"), most=most))
    return {name: found[name] for name in ("chunks", "total", "dropped", "gaps")}


def infer_atom(asked: Call) -> Document:
    """Say what rules make of tests."""
    found = infer_atom_from_test(asked.workspace, asked.texts("tests"))
    return {"atoms": [_inferred(one) for one in found]}


def _inferred(one: Inferred) -> dict[str, object]:
    said = one.inference
    return {
        "test": one.entry.test.id,
        "intent": said.intent,
        "category": said.category,
        "outcomes": list(said.outcomes),
        "falsified_by": list(said.falsified_by),
        "confidence": one.confidence,
        "ambiguity_reasons": list(said.reasons),
        "quotes": [{"line": line, "text": text} for line, text in one.quotes],
    }


def coupling_report(asked: Call) -> Document:
    """Tell which tests name which atoms."""
    found = coupling.coupling_report(asked.workspace, asked.paths())
    return {
        "files": plain(found.files),
        "tests": dict(found.tests),
        "atoms": dict(found.atoms),
        "alone": list(found.alone),
        "crowded": [{"atom": atom, "files": list(files)} for atom, files in found.crowded],
    }


def read_report(verb: str) -> Any:  # noqa: ANN401 - a tool's run
    """The tool that reads reports with this verb."""

    def read(asked: Call) -> Document:
        return {"reports": plain(call(verb, asked.workspace, asked.files("files")))}

    return read
