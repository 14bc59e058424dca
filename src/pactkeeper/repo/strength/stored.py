"""Stored expectations: snapshot files and golden files that a change rewrote or emptied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from pactkeeper.intent.strength.change import Change
from pactkeeper.repo.snapshot import Snapshot

_STORED: Final = re.compile(
    r"(?:.*/)?(?:__snapshots__|snapshots?|goldens?|expected|approved|baselines?|cassettes)(?:/.*)?|.*\.(?:snap|ambr|approved\.\w+|golden)",
    re.IGNORECASE,
)
_CODE: Final = (".py", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts")


def stored_changes(before: Snapshot, after: Snapshot, changed: Iterable[str]) -> Iterator[Change]:
    """What became of stored expectations that both sides know, or that are gone."""
    for path in sorted(changed):
        if _STORED.fullmatch(path) is None or path.endswith(_CODE) or path not in before:
            continue
        old = _lines(before, path)
        new = _lines(after, path) if path in after else []
        lost = next((line for line in old if line not in set(new)), "")
        if path not in after:
            yield Change("deleted", path, "a stored expectation is gone", lost, "", 0, "warning", path)
        elif lost:
            added = next((line for line in new if line not in set(old)), "")
            line = new.index(added) + 1 if added else 0
            yield Change("expectation", path, "a stored expectation was rewritten", lost, added, line, "warning", path)


def _lines(snapshot: Snapshot, path: str) -> list[str]:
    data = snapshot.read(path)
    return [line.strip() for line in (data or b"").decode("utf-8", "replace").splitlines() if line.strip()]
