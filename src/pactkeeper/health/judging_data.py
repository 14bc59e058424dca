"""Data by which tests judge: files that tests name and the product does not, such as a limit that a test reads."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.test_side import is_test_side

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
