"""The verb that searches documents: Markdown, reStructuredText and the docstrings of source files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pactkeeper.errors import UsageError
from pactkeeper.intent.context import BUDGET, SMALLEST_BUDGET, TestContext
from pactkeeper.intent.tests import Gap, under
from pactkeeper.operators.view import StateView, viewed
from pactkeeper.repo.docs import Documents, Found, open_documents
from pactkeeper.repo.outlines import Outlines

if TYPE_CHECKING:
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.workspace import Workspace


MOST = 10


@dataclass(frozen=True, slots=True)
class DocumentSearch:
    """The matches in the `files` documents of a snapshot; those of `gaps` could not be searched."""

    snapshot: str
    found: Found
    files: int
    gaps: tuple[Gap, ...]


def search_docs_by_concepts(
    workspace: Workspace, view: StateView, concepts: Sequence[str], *, most: int = MOST
) -> DocumentSearch:
    """Return the best matching sections of documents; raises UsageError if none of the words can be searched for."""
    snapshot = viewed(workspace, view)
    with documents(workspace, snapshot) as (searched, _):
        accept = (lambda path: under(path, view.paths)) if view.paths else None
        found = searched.search(concepts, most=most, accept=accept)
        gaps = tuple(gap for gap in searched.gaps if not view.paths or under(gap.file, view.paths))
        if not found.terms:
            words = ", ".join(repr(word) for word in found.dropped) or "nothing"
            raise UsageError(f"{words} cannot be searched for; say what the documents are about")
        return DocumentSearch(snapshot.name, found, searched.files, gaps)


@contextmanager
def documents(workspace: Workspace, snapshot: Snapshot) -> Iterator[tuple[Documents, Outlines]]:
    """Index the documents of a snapshot, along with their outlines; the pact's `exclude` is left out."""
    outlines = Outlines(
        snapshot, workspace.cache, processes=workspace.surroundings.processes, progress=workspace.progress
    )
    exclude = workspace.pact(snapshot, judged=False).settings.exclude
    with open_documents(outlines, workspace.state, notice=workspace.notice, exclude=exclude) as opened:
        yield opened, outlines


def get_test_analysis(
    workspace: Workspace, view: StateView, names: Sequence[str], *, budget: int = BUDGET
) -> tuple[TestContext, ...]:
    """Return the contexts of the named tests, each within `budget` characters, in scan order."""
    from pactkeeper.operators.named import named_tests  # noqa: PLC0415 - searches involve no tests
    from pactkeeper.repo.context import Sources, contexts  # noqa: PLC0415 - likewise

    if budget < SMALLEST_BUDGET:
        raise UsageError(f"a context does not fit in {budget!r} characters; give at least {SMALLEST_BUDGET}")
    snapshot = viewed(workspace, view)
    world = workspace.world(snapshot)
    tests = [entry.test for entry in named_tests(world, names, folder=workspace.folder)]
    files = frozenset(world.scan.by_file)
    structure = workspace.structure(snapshot, world.pact)
    with documents(workspace, snapshot) as (searched, outlines):
        return tuple(contexts(Sources(outlines, files, searched, structure), tests, budget=budget))
