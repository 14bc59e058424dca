"""What happened to files with expected values: snapshots, golden files, and files a test compares with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from pactkeeper.intent.claims import Call, Claim, Expression, Value
from pactkeeper.intent.strength.change import Change, Severity
from pactkeeper.intent.strength.terms import last_name, terms_of
from pactkeeper.intent.tests import Test
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.reading import strengths
from pactkeeper.repo.test_side import CODE, is_test_side

_STORED: Final = re.compile(
    r"(?:.*/)?(?:__snapshots__|snapshots?|goldens?|expected|approved|baselines?|cassettes)(?:/.*)?|.*\.(?:snap|ambr|approved\.\w+|golden)",
    re.IGNORECASE,
)
_HEADER: Final = re.compile(r"// \w+ Snapshot v\d")
_ENTRY: Final = re.compile(r"exports\[`[^`\n]{1,2000}`\] = |# name: .{1,2000}")  # of Jest and Vitest, and of syrupy
_MOST_FILES: Final = 20  # test files read to see whether a changed file is what they expect


def stored_changes(
    before: Snapshot, after: Snapshot, changed: Collection[str], tests: Mapping[str, Collection[Test]]
) -> Iterator[Change]:
    """Yield what happened to stored expectations that both sides have, or that were deleted."""
    stored = sorted(path for path in changed if is_stored(path) and path in before and not after.folder.holds(path))
    for path in stored:
        if path in after:
            yield from _rewritten(path, before, after)
        elif not _stands_in_code(path, before, after, changed) and not _stands_elsewhere(path, before, after, changed):
            yield from _deleted(path, before, after, tests)


def _stands_elsewhere(path: str, before: Snapshot, after: Snapshot, changed: Iterable[str]) -> bool:
    """Whether a new file of the same name has every line of a stored expectation: it moved along with its tests."""
    name = path.rpartition("/")[2]
    others = (one for one in changed if one.rpartition("/")[2] == name and one in after and one not in before)
    return any(set(_lines(before, path)) <= set(_lines(after, one)) for one in others)


def _deleted(path: str, before: Snapshot, after: Snapshot, tests: Mapping[str, Collection[Test]]) -> Iterator[Change]:
    """Yield the change for a deleted snapshot: an error if a test still takes it, since its next run writes it anew."""
    folder, _, name = path.rpartition("/")
    owner = f"{folder.rpartition('/')[0]}/{name.removesuffix('.snap')}".lstrip("/")
    found = strengths(after, tests.get(owner, ())).values() if owner in after else ()
    claims = [fact.claim for one in found for fact in one.facts]
    taken = any(claim.relation == "snapshot" and claim.object is None for claim in claims)
    lost = next((line for line in _lines(before, path) if re.search(r"\w", line)), "")
    if taken:
        message = "a stored expectation is gone, and the next run writes whatever comes out"
        yield Change("deleted", path, message, lost, "", 0, "error", path)
    else:  # what its tests expect instead is reported by their own comparison
        severity: Severity = "note" if claims else "warning"
        yield Change("deleted", path, "a stored expectation is gone", lost, "", 0, severity, path)


def compared_with(
    before: Snapshot, after: Snapshot, changed: Iterable[str], tests: Mapping[str, Collection[Test]]
) -> Iterator[Change]:
    """Yield what happened to other test-side files whose content a test of the later state expects.

    A test expects a file's content if one side of an equality names the file and the other doesn't.
    """
    beside = {path.rpartition("/")[2]: path for path in sorted(changed) if path in before and path in after
              and is_test_side(path) and not path.endswith(CODE) and not is_stored(path)}  # fmt: skip
    if not beside:
        return
    speaking = (file for file in tests if _speaks_of(after.read(file) or b"", beside))
    found: set[str] = set()
    for file in islice(speaking, _MOST_FILES):
        facts = [fact for one in strengths(after, tests[file]).values() for fact in one.facts]
        found |= {name for name in beside if any(_expects(fact.claim, name) for fact in facts)}
    for name in sorted(found):
        yield from _rewritten(beside[name], before, after)


def _stands_in_code(path: str, before: Snapshot, after: Snapshot, changed: Iterable[str]) -> bool:
    """Whether a test changed along with it now contains every line of a stored expectation."""
    lines = {line.strip("`\"'; ") for line in _lines(before, path)} - {""}
    tests = (one for one in changed if one.endswith(CODE) and one in after and is_test_side(one))
    written = ((after.read(one) or b"").decode("utf-8", "replace") for one in tests)
    return bool(lines) and any(all(line in text for line in lines) for text in written)


def same_text(before: Snapshot, after: Snapshot) -> Callable[[Expression, Expression], bool]:
    """Return whether a term of the earlier state reads the text that one of the later state reads or spells out."""
    texts: dict[tuple[bool, Expression], str | None] = {}

    def read(snapshot: Snapshot, one: Expression) -> str | None:
        key = (snapshot is before, one)
        if key not in texts:
            texts[key] = _read_by(one, snapshot)
        return texts[key]

    def alike(one: Expression, other: Expression) -> bool:
        text = read(before, one)
        return text is not None and text == (other.text if isinstance(other, Value) else read(after, other))

    return alike


def _read_by(one: Expression, snapshot: Snapshot) -> str | None:
    """Return the text of the only file that a reading call names; None for any other term."""
    if not isinstance(one, Call) or not last_name(one).casefold().startswith("read"):
        return None
    values = [part.text for part in terms_of(one) if isinstance(part, Value) and part.kind == "string"]
    names = [text.lstrip("./…") for text in values if "." in text]
    paths = [path for path in snapshot.paths if len(names) == 1 and f"/{path}".endswith(f"/{names[0]}")]
    return (snapshot.read(paths[0]) or b"").decode("utf-8", "replace") if len(paths) == 1 else None


def is_stored(path: str) -> bool:
    """Whether a path says that the file holds expected values."""
    return _STORED.fullmatch(path) is not None and not path.endswith(CODE)


def _speaks_of(source: bytes, names: Iterable[str]) -> bool:
    return any(name.encode() in source for name in names)


def _expects(claim: Claim, name: str) -> bool:
    sides = [side is not None and _names(side, name) for side in (claim.subject, claim.object)]
    return claim.relation in {"equals", "same"} and not claim.negated and sides[0] is not sides[1]


def _names(term: Expression, name: str) -> bool:
    return any(isinstance(part, Value) and part.text.rpartition("/")[2] == name for part in terms_of(term))


def _rewritten(path: str, before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """Yield the change for a stored expectation that lost a line, or of which an entry lost or got one."""
    old, new = _lines(before, path), _lines(after, path)
    lost, added = _missing(old, set(new)), _missing(new, set(old))
    if not lost:
        was, now = (_entries(snapshot, path) for snapshot in (before, after))
        apart = (_apart(was[name], now[name]) for name in was if name in now)
        lost, added = next(filter(any, apart), ("", ""))
    if lost or added:
        line = new.index(added) + 1 if added else 0
        yield Change("expectation", path, "a stored expectation was rewritten", lost, added, line, "warning", path)


def _apart(old: Sequence[str], new: Sequence[str]) -> tuple[str, str]:
    """Return the first line that an entry has less often than before, and the first that it has more often."""
    less, more = Counter(old) - Counter(new), Counter(new) - Counter(old)
    return next((line for line in old if line in less), ""), next((line for line in new if line in more), "")


def _missing(lines: Iterable[str], others: Collection[str]) -> str:
    return next((line for line in lines if line not in others), "")


def _entries(snapshot: Snapshot, path: str) -> Mapping[str, list[str]]:
    """Return the lines of each entry of a runner's snapshot file, by its name; of other files there are none."""
    found: dict[str, list[str]] = {}
    entry: list[str] = []
    for line in _written(snapshot, path):
        named = _ENTRY.match(line)
        if named is not None:
            entry = found.setdefault(named[0], [])
        entry.append(line[named.end() :] if named is not None else line)
    return {name: [line for line in lines if line] for name, lines in found.items()}


def _lines(snapshot: Snapshot, path: str) -> list[str]:
    """Return the lines of a stored expectation, without a runner's header and the names of its tests."""
    lines = _written(snapshot, path)
    if path.endswith(".snap"):
        lines = [line.partition("] = ")[2] if line.startswith("exports[`") else line for line in lines]
        lines[:1] = [line for line in lines[:1] if _HEADER.match(line) is None]
    return [line for line in lines if line]


def _written(snapshot: Snapshot, path: str) -> list[str]:
    return [line.strip() for line in (snapshot.read(path) or b"").decode("utf-8", "replace").splitlines()]
