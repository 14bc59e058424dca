"""Tools that inspect the repository: tests, imports, documents, links, reports and open tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pactkeeper.intent.evidence_state import AtomEvidence, TestEvidenceState
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.structure import RepoStructure, SourceFile, Unresolved
from pactkeeper.ledger.shape import Choice, Items, Whole
from pactkeeper.operators import (
    backlog,
    check,
    documents,
    evidence,
    findings,
    guard,
    observe,
    orphans,
    structure,
    test_reports,
)
from pactkeeper.operators.backlog import Backlog, BacklogFilter
from pactkeeper.operators.documents import search_docs_by_concepts
from pactkeeper.operators.evidence import EvidenceReport
from pactkeeper.operators.orphans import (
    Only,
    Orphans,
    discover_orphans_delta,
    discover_orphans_fullscan,
    infer_atom_from_test,
)
from pactkeeper.operators.view import StateView
from pactkeeper.published.check import CHECK, GUARD, TASK
from pactkeeper.published.contexts import CONTEXT, SEARCH
from pactkeeper.published.plain import GAP, Codec
from pactkeeper.published.schema import returned
from pactkeeper.reconcile.propose import Inferred
from pactkeeper.reconcile.task import TASK_KINDS
from pactkeeper.verbs.verb import FLAG, PATHS, REF, Call, Verb, both, may, needs, texts

MOST_UNRESOLVED = 50
CONTEXT_BUDGET = 8_000  # characters of one test's context, by default


def _language(file: SourceFile) -> str | None:
    return file.language or None


_FILE: Final = Codec(SourceFile, "path language= test=is_test reaches=dependencies", language=_language)
_TEST: Final = Codec(LinkedTest, "id=test.id file=test.file line=test.name_line state")
_ORPHANS: Final = Codec(Orphans, "orphans=tests tests=total gaps", orphans=_TEST, gaps=GAP)
_NEW_ORPHANS: Final = Codec(Orphans, "*whole= base changed_atom_linked_tests=changed_linked summary", whole=_ORPHANS)
_INFERRED: Final = Codec(
    Inferred,
    "test=entry.test.id intent=inference.intent category=inference.category outcomes=inference.outcomes"
    " falsified_by=inference.falsified_by confidence ambiguity_reasons=inference.reasons quotes",
    quotes=Codec(tuple[int, str], "line text"),
)
_PROVEN: Final = Codec(tuple[LinkedTest, TestEvidenceState], "id *", id="test.id")
_REALISED: Final = Codec(tuple[AtomEvidence, str], "* status")
_EVIDENCE: Final = Codec(EvidenceReport, "tests attested", tests=_PROVEN)


_GAPS: Final = Codec(Backlog, "tasks suppressed not_looked_at=unseen", tasks=TASK, suppressed=len)


def _unresolved(found: RepoStructure) -> tuple[Unresolved, ...]:
    return found.unresolved[:MOST_UNRESOLVED]


def _sizes(found: RepoStructure) -> dict[str, int]:
    return {name: len(getattr(found, name)) for name in ("files", "edges", "unresolved", "components", "gaps")}


_STRUCTURE: Final = Codec(
    RepoStructure,
    "components unresolved= gaps summary=",
    components="files",
    unresolved=_unresolved,
    gaps=GAP,
    summary=_sizes,
)
_COUPLING: Final = Codec(
    structure.CouplingReport, "files tests atoms alone crowded", crowded=Codec(tuple[str, int], "atom files")
)


def _wanted(asked: Call) -> BacklogFilter:
    return BacklogFilter(asked.texts("kinds"), asked.paths(), asked.files("coverage"))  # type: ignore[arg-type]  # the shape allows these words


def get_repo_structure(asked: Call) -> tuple[RepoStructure, Sequence[tuple[SourceFile, list[str]]]]:
    """List files, each with its imports."""
    tests = bool(asked.given.get("include_tests", True))
    view, exclude = StateView(paths=asked.paths()), asked.texts("exclude")
    found = structure.get_repo_structure(asked.workspace, view, exclude=exclude, include_tests=tests).structure
    imports: dict[str, list[str]] = {}
    for edge in found.edges:
        imports.setdefault(edge.importer, []).append(edge.imported)
    return found, [(one, imports.get(one.path, [])) for one in found.files]


def guard_tests(asked: Call) -> guard.GuardReport:
    """Compare the working tree, or the index, with where the change starts."""
    view = StateView(staged=asked.flag("staged"), paths=asked.paths())
    return guard.guard_tests(asked.workspace, view, since=asked.maybe("since"))


def _only(asked: Call) -> Only:
    return Only(asked.texts("include"), asked.texts("exclude"))


def list_findings(asked: Call) -> list[findings.KnownFinding]:
    """List findings with their state; resolved ones only if asked for."""
    state = asked.given.get("state")
    found = [one for one in findings.list_findings(asked.workspace) if one.state == (state or one.state)]
    return [one for one in found if state or one.state != "resolved"]


def show_evidence(asked: Call) -> tuple[EvidenceReport, list[tuple[AtomEvidence, str]]]:
    """Report which tests and atoms are proven, failing, stale or unknown."""
    found = evidence.show_evidence(asked.workspace, asked.texts("names"))
    return found, [(one, found.statuses[name]) for name, one in sorted(found.atoms.items())]


ROWS: Final = (
    Verb(
        check.check_repo,
        None,
        "What has drifted between tests and pact.",
        title="Check",
        categories=("reconcile", "report"),
        routes=("GET /check",),
        takes=may(at=REF, paths=PATHS),
        gives=CHECK,
        answer=lambda asked: check.check_repo(asked.workspace, StateView(at=asked.maybe("at"), paths=asked.paths())),
        pages="findings",
    ),
    Verb(
        guard.guard_tests,
        None,
        "Whether a change weakened a test.",
        title="Guard",
        categories=("code", "report"),
        routes=("GET /guard",),
        takes=may(since=REF, staged=FLAG, paths=PATHS),
        means={"staged": "the index"},
        gives=GUARD,
        answer=guard_tests,
    ),
    Verb(
        documents.search_docs_by_concepts,
        None,
        "Document sections about concepts.",
        title="Search docs",
        categories=("code",),
        routes=("GET /documents",),
        takes=both(needs(concepts=texts(20, least=1)), may(paths=PATHS, most=Whole(1, 50))),
        means={"concepts": "words", "most": "sections"},
        gives=SEARCH,
        answer=lambda asked: search_docs_by_concepts(
            asked.workspace, StateView(paths=asked.paths()), asked.texts("concepts"), most=asked.given.get("most", 10)
        ),
    ),
    Verb(
        documents.get_test_analysis,
        None,
        "Assertions, concepts, reached code and docs of tests.",
        title="Test context",
        categories=("code",),
        routes=("GET /tests/context",),
        takes=both(needs(tests=texts(10, least=1)), may(budget=Whole(500, 40000))),
        means={"budget": "characters per test"},
        gives={"contexts": [CONTEXT]},
        answer=lambda asked: documents.get_test_analysis(
            asked.workspace, StateView(), asked.texts("tests"), budget=asked.given.get("budget", CONTEXT_BUDGET)
        ),
    ),
    Verb(
        observe.get_statistics,
        None,
        "Where repository and pact stand.",
        title="Status",
        categories=("atom", "report"),
        routes=("GET /statistics",),
        takes=may(),
        gives=returned(observe.get_statistics),
        answer=lambda asked: observe.get_statistics(asked.workspace),
    ),
    Verb(
        structure.get_repo_structure,
        None,
        "Files with imports; cycles.",
        title="Structure",
        categories=("code",),
        routes=("GET /structure",),
        takes=may(paths=PATHS, exclude=PATHS, include_tests=FLAG),
        means={"include_tests": "default true"},
        gives=(_STRUCTURE, {"files": [(_FILE, {"imports": [str]})]}),
        answer=get_repo_structure,
        pages="files",
    ),
    Verb(
        test_reports.read_test_results,
        None,
        "Summary of JUnit XML, pytest, Jest or Vitest reports.",
        title="Test results",
        categories=("filesystem", "report"),
        routes=("GET /reports/results",),
        takes=needs(files=texts(20, least=1)),
        gives={"reports": returned(test_reports.read_test_results)},
        answer=lambda asked: test_reports.read_test_results(asked.workspace, asked.files("files")),
    ),
    Verb(
        test_reports.read_coverage_report,
        None,
        "Summary of coverage reports.",
        title="Coverage",
        categories=("filesystem", "report"),
        routes=("GET /reports/coverage",),
        takes=needs(files=texts(20, least=1)),
        gives={"reports": returned(test_reports.read_coverage_report)},
        answer=lambda asked: test_reports.read_coverage_report(asked.workspace, asked.files("files")),
    ),
    Verb(
        test_reports.read_quality_report,
        None,
        "Summary of SARIF reports.",
        title="Lint results",
        categories=("filesystem", "report"),
        routes=("GET /reports/quality",),
        takes=needs(files=texts(20, least=1)),
        gives={"reports": returned(test_reports.read_quality_report)},
        answer=lambda asked: test_reports.read_quality_report(asked.workspace, asked.files("files")),
    ),
    Verb(
        evidence.import_evidence,
        "record",
        "Store test results from reports.",
        routes=("POST /evidence",),
        takes=both(needs(files=texts(20, least=1)), may(commit=REF)),
        gives=returned(evidence.import_evidence),
        answer=lambda asked: evidence.import_evidence(
            asked.workspace, asked.files("files"), commit=asked.maybe("commit")
        ),
    ),
    Verb(
        evidence.show_evidence,
        None,
        "What is proven, failing, stale or unknown.",
        routes=("GET /evidence",),
        takes=may(names=texts(200)),
        gives=(_EVIDENCE, {"atoms": [_REALISED]}),
        pages="tests",
        answer=show_evidence,
    ),
    Verb(
        backlog.find_gaps,
        None,
        "Everything to do, most urgent first.",
        title="To do",
        categories=("reconcile",),
        routes=("GET /gaps",),
        takes=may(kinds=Items(Choice(TASK_KINDS)), paths=PATHS, coverage=PATHS),
        means={"kinds": "only these"},
        gives=_GAPS,
        answer=lambda asked: backlog.find_gaps(asked.workspace, _wanted(asked)),
        pages="tasks",
    ),
    Verb(
        backlog.next_task,
        None,
        "The next thing to do; none if all agrees.",
        title="Next",
        categories=("reconcile",),
        routes=("GET /gaps/next",),
        takes=may(paths=PATHS, coverage=PATHS),
        gives={"task?": TASK},
        answer=lambda asked: backlog.next_task(asked.workspace, _wanted(asked)),
    ),
    Verb(
        findings.list_findings,
        None,
        "Every finding with its state.",
        routes=("GET /findings",),
        takes=may(state=Choice(("open", "snoozed", "rejected", "resolved"))),
        means={"state": "what became of it"},
        gives={"findings": returned(findings.list_findings)},
        pages="findings",
        answer=list_findings,
    ),
    Verb(
        orphans.discover_orphans_fullscan,
        None,
        "Every test without an atom, debt included.",
        title="All orphans",
        categories=("reconcile",),
        routes=("GET /orphans",),
        takes=may(paths=PATHS, include=PATHS, exclude=PATHS),
        gives=_ORPHANS,
        answer=lambda asked: discover_orphans_fullscan(asked.workspace, asked.paths(), only=_only(asked)),
        pages="orphans",
    ),
    Verb(
        orphans.discover_orphans_delta,
        None,
        "Changed tests without an atom, since a commit or run.",
        title="New orphans",
        categories=("reconcile",),
        routes=("GET /orphans/new",),
        takes=may(paths=PATHS, include=PATHS, exclude=PATHS, since=REF),
        gives=_NEW_ORPHANS,
        answer=lambda asked: discover_orphans_delta(
            asked.workspace, asked.paths(), since=asked.maybe("since"), only=_only(asked)
        ),
        pages="orphans",
    ),
    Verb(
        orphans.infer_atom_from_test,
        None,
        "What rules make of tests; stores nothing.",
        title="Infer",
        categories=("code",),
        routes=("GET /tests/inferred",),
        takes=needs(tests=texts(20, least=1)),
        gives={"atoms": [_INFERRED]},
        answer=lambda asked: infer_atom_from_test(asked.workspace, asked.texts("tests")),
    ),
    Verb(
        structure.coupling_report,
        None,
        "Which tests name which atoms; what is unlinked.",
        title="Links",
        categories=("code", "reconcile"),
        routes=("GET /coupling",),
        takes=may(paths=PATHS),
        gives=_COUPLING,
        answer=lambda asked: structure.coupling_report(asked.workspace, asked.paths()),
        pages="files",
    ),
)
