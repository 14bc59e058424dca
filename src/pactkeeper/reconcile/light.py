"""What tests are read in the light of: the code they reach and the documents that speak of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.structure import RepoStructure, order_files
from pactkeeper.reconcile.ground import RepositoryGround
from pactkeeper.reconcile.looking import Looked
from pactkeeper.repo.context import Sources
from pactkeeper.repo.docs import open_documents
from pactkeeper.repo.outlines import Outlines
from pactkeeper.repo.parsing import default_processes


@contextmanager
def sources_of(ground: RepositoryGround, looked: Looked, structure: RepoStructure) -> Iterator[Sources]:
    """Index the documents of the snapshot that is looked at; what has not changed since the last time is not read."""
    outlines = Outlines(looked.snapshot, ground.cache, processes=default_processes())
    files = frozenset(test.file for test in looked.world.scan.tests)
    exclude = looked.world.pact.settings.exclude
    with open_documents(outlines, ground.state, notice=ground.notice, exclude=exclude) as documents:
        yield Sources(outlines, files, documents, structure)


def lowest_first(structure: RepoStructure, entries: Sequence[LinkedTest]) -> list[LinkedTest]:
    """Tests in the order in which they are read: those first whose files depend on the fewest others."""
    rank = {path: place for place, path in enumerate(order_files(structure, {entry.test.file for entry in entries}))}
    return sorted(entries, key=lambda entry: rank[entry.test.file])
