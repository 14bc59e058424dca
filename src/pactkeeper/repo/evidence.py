"""What tests state, read from source on demand, so that discovery doesn't pay for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages import owner
from pactkeeper.repo.snapshot import Snapshot


def gather(
    snapshot: Snapshot, tests: Sequence[Test], *, progress: Callable[[int, int], None] | None = None
) -> Mapping[str, TestEvidence]:
    """Return the evidence of every given test by id; it is empty if the test's file can no longer be read."""
    by_file: dict[str, list[Test]] = {}
    for test in tests:
        by_file.setdefault(test.file, []).append(test)
    found: dict[str, TestEvidence] = {}
    for done, (path, members) in enumerate(sorted(by_file.items()), start=1):
        language = owner(path)
        source = snapshot.read(path)
        if language is not None and source is not None:
            found.update(language.evidence(path, source, tests=members, read=snapshot.read))
        if progress is not None:
            progress(done, len(by_file))
    for test in tests:
        found.setdefault(test.id, TestEvidence(test.id, test.suite, test.name))
    return found
