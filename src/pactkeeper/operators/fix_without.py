"""A fix without what it did to the data by which tests judge: files that tests name and the product does not."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.test_side import is_test_side

if TYPE_CHECKING:
    from pactkeeper.repo.git import Repository
    from pactkeeper.repo.snapshot import Snapshot

_WHO: Final = ("-c", "user.name=pactkeeper", "-c", "user.email=pactkeeper@localhost")

_DATA: Final = (".json", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".csv", ".tsv", ".txt", ".xml", ".properties")
_CODE: Final = (".py", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".go", ".rs", ".java", ".kt")


def judging_data(before: Snapshot, after: Snapshot, changed: Collection[str]) -> tuple[str, ...]:
    """The changed data files, sorted, that tests name on the earlier side and the product does not.

    A file that is new or gone is none of them.
    """
    found = [path for path in sorted(changed) if path.endswith(_DATA) and path in before and path in after]
    named = {path: _naming(before, path.rpartition("/")[2].encode()) for path in found}
    return tuple(path for path in found if named[path] and all(map(is_test_side, named[path])))


def _naming(snapshot: Snapshot, name: bytes) -> list[str]:
    """The files of code in which a name stands."""
    code = (path for path in snapshot.paths if path.endswith(_CODE))
    return [path for path in code if name in (snapshot.read(path) or b"")]


def fix_without(repository: Repository, commit: str, paths: Collection[str], *, base: str) -> str:
    """A commit on top of `commit` with these files as `base` has them; no branch names it, so git forgets it."""
    tree = f"{commit}^{{tree}}"
    for path in paths:
        tree = _with(repository, tree, path, _object(repository, f"{base}:{path}"))
    made = repository.run(*_WHO, "commit-tree", _object(repository, tree), "-p", commit, "-m", "without test data")
    return made.decode("ascii").strip()


def _with(repository: Repository, tree: str, path: str, blob: str) -> str:
    """A tree in which one file is another."""
    name, _, rest = path.partition("/")
    entries = []
    for entry in filter(None, repository.run("ls-tree", "-z", tree).split(b"\0")):
        told, _, named = entry.partition(b"\t")
        mode, kind, known = told.decode("ascii").split()
        if named == os.fsencode(name):
            known = _with(repository, known, rest, blob) if rest else blob
        entries.append(f"{mode} {kind} {known}\t".encode() + named)
    return repository.run("mktree", "-z", feed=b"".join(entry + b"\0" for entry in entries)).decode("ascii").strip()


def _object(repository: Repository, name: str) -> str:
    return repository.run("rev-parse", "--verify", "--end-of-options", name).decode("ascii").split()[-1]
