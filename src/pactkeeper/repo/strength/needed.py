"""Skips that need a module which nothing else in the repository knows: as far as can be seen, they always hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from pactkeeper.intent.strength.change import Change
from pactkeeper.intent.tests import file_of
from pactkeeper.repo.snapshot import Snapshot

_NEEDED: Final = re.compile(r"skip if import of \(\s{0,9}[\"'](\w+)")
_TEXTS: Final = (
    ".py", ".pyi", ".pyx", ".toml", ".cfg", ".ini", ".txt", ".yml", ".yaml", ".lock", ".md", ".rst", "Pipfile",
)  # fmt: skip


def without_reason(found: Sequence[Change], before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """Yield the changes; a skip where a module is missing that no text names but the skipped tests' is an error."""
    asked = [(one, _NEEDED.match(one.new)) for one in found if one.kind == "skipped" and one.severity == "warning"]
    needed = {id(one): match[1] for one, match in asked if match is not None}
    files = {file_of(one.test) for one in found if id(one) in needed}
    known = _named({*needed.values()}, before, ()) | _named({*needed.values()}, after, files) if needed else frozenset()
    for one in found:
        alone = needed.get(id(one), "") not in {"", *known}
        message = "it is skipped now, for a module that nothing else names"
        yield replace(one, message=message, severity="error") if alone else one


def _named(modules: set[str], snapshot: Snapshot, but: Iterable[str]) -> frozenset[str]:
    """Return the modules that some text of a snapshot names, leaving out these files."""
    paths = [path for path in snapshot.paths if path.endswith(_TEXTS) and path not in but]
    texts = [(text or b"").lower() for _, text in snapshot.read_many(paths)]
    return frozenset(name for name in modules if any(name.lower().encode() in text for text in texts))
