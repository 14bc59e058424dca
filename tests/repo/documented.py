"""A repository with documents, and its search, for tests."""

from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pactkeeper.repo import snapshot
from pactkeeper.repo.cache import NoCache
from pactkeeper.repo.docs import open_documents
from pactkeeper.repo.git import Repository
from pactkeeper.repo.outlines import Outlines
from tests.repo.repositories import create, git, write

SHOP = {
    "README.md": "# Shop\n\nSells things.\n\n## Basket\n\nA basket holds what a customer wants to buy.\n",
    "docs/refunds.rst": "Refunds\n=======\n\nA refund is paid within a week.\n\nLimits\n------\n\nNo refund above 500.\n",
    "shop/basket.py": (
        '"""Baskets."""\n\n\nclass Basket:\n    """Holds what a customer wants."""\n\n'
        '    def add(self, name, price=0):\n        """Put a thing into the basket."""\n'
    ),
    "shop/till.ts": "/** Takes the money. */\nexport function pay(sum: number): boolean { return true }\n",
    "data.csv": "refund,basket\n",
}


@dataclass
class Shelf:
    """One repository, searched again and again with one index."""

    repository: Repository
    state: Path
    notices: list[str] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return self.repository.root

    def write(self, files: Mapping[str, str | bytes]) -> None:
        write(self.root, files)

    def git(self, *arguments: str) -> str:
        return git(self.root, *arguments)

    @contextmanager
    def documents(self, at=None, exclude=()):
        state = snapshot.worktree(self.repository) if at is None else snapshot.commit(self.repository, at)
        outlines = Outlines(state, NoCache(), processes=1)
        with open_documents(outlines, self.state, notice=self.notices.append, exclude=exclude) as opened:
            yield opened

    def search(self, *words, most=10, at=None, exclude=(), accept=None):
        with self.documents(at, exclude) as opened:
            return opened.search(words, most=most, accept=accept)

    def places(self, *words, **options):
        return [f"{one.path}:{one.line}" for one in self.search(*words, **options).passages]


def shelf(folder: Path, files: Mapping[str, str | bytes] | None = None) -> Shelf:
    repository = create(folder / "repository", SHOP if files is None else files)
    return Shelf(repository, folder / "state")
