"""What happened to files with expected values: snapshots, golden files, and files a test compares with."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Final

from pactkeeper.intent.claims import Claim, Expression, Value
from pactkeeper.intent.strength.change import Change
from pactkeeper.intent.strength.terms import terms_of
from pactkeeper.intent.tests import Test
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.reading import strengths
from pactkeeper.repo.test_side import is_test_side

_STORED: Final = re.compile(
    r"(?:.*/)?(?:__snapshots__|snapshots?|goldens?|expected|approved|baselines?|cassettes)(?:/.*)?|.*\.(?:snap|ambr|approved\.\w+|golden)",
    re.IGNORECASE,
)
_HEADER: Final = re.compile(r"// \w+ Snapshot v\d")
_CODE: Final = (".py", ".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
_MOST_FILES: Final = 20  # test files read to see whether a changed file is what they expect


def stored_changes(before: Snapshot, after: Snapshot, changed: Collection[str]) -> Iterator[Change]:
    """Yield what happened to stored expectations that both sides have, or that were deleted."""
    for path in sorted(changed):
        if (
            is_stored(path)
            and path in before
            and not (path not in after and _stands_in_code(path, before, after, changed))
        ):
            yield from _rewritten(path, before, after)


def compared_with(before: Snapshot, after: Snapshot, changed: Iterable[str], tests: Iterable[Test]) -> Iterator[Change]:
    """Yield what happened to other test-side files whose content a test of the later state expects.

    A test expects a file's content if one side of an equality names the file and the other doesn't.
    """
    beside = {path.rpartition("/")[2]: path for path in sorted(changed) if path in before and path in after
              and is_test_side(path) and not path.endswith(_CODE) and not is_stored(path)}  # fmt: skip
    if not beside:
        return
    by_file: defaultdict[str, list[Test]] = defaultdict(list)
    for test in tests:
        by_file[test.file].append(test)
    speaking = (file for file in sorted(by_file) if _speaks_of(after.read(file) or b"", beside))
    found: set[str] = set()
    for file in islice(speaking, _MOST_FILES):
        facts = [fact for one in strengths(after, by_file[file]).values() for fact in one.facts]
        found |= {name for name in beside if any(_expects(fact.claim, name) for fact in facts)}
    for name in sorted(found):
        yield from _rewritten(beside[name], before, after)


def _stands_in_code(path: str, before: Snapshot, after: Snapshot, changed: Iterable[str]) -> bool:
    """Whether a test changed along with it now contains every line of a stored expectation."""
    values = (line.partition("] = ")[2] if line.startswith("exports[`") else line for line in _lines(before, path))
    lines = {value.strip("`\"'; ") for value in values} - {""}
    tests = (one for one in changed if one.endswith(_CODE) and one in after and is_test_side(one))
    written = ((after.read(one) or b"").decode("utf-8", "replace") for one in tests)
    return bool(lines) and any(all(line in text for line in lines) for text in written)


def is_stored(path: str) -> bool:
    """Whether a path says that the file holds expected values."""
    return _STORED.fullmatch(path) is not None and not path.endswith(_CODE)


def _speaks_of(source: bytes, names: Iterable[str]) -> bool:
    return any(name.encode() in source for name in names)


def _expects(claim: Claim, name: str) -> bool:
    sides = [side is not None and _names(side, name) for side in (claim.subject, claim.object)]
    return claim.relation in {"equals", "same"} and not claim.negated and sides[0] is not sides[1]


def _names(term: Expression, name: str) -> bool:
    return any(isinstance(part, Value) and part.text.rpartition("/")[2] == name for part in terms_of(term))


def _rewritten(path: str, before: Snapshot, after: Snapshot) -> Iterator[Change]:
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
    """Return the lines of a stored expectation, without a runner's header or its separator between suite names."""
    lines = [line.strip() for line in (snapshot.read(path) or b"").decode("utf-8", "replace").splitlines()]
    if path.endswith(".snap"):
        lines = [line.replace(" > ", " ") if line.startswith("exports[`") else line for line in lines]
        lines[:1] = [line for line in lines[:1] if _HEADER.match(line) is None]
    return [line for line in lines if line]
