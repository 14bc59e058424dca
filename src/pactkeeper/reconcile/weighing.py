"""What tests prove now, compared with what they proved at their review or when they were recorded as debt.

A test may be split: what it asserted is then asserted by several tests of the same atom, so the other reviewed tests of
its atoms are counted with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.links import FIRM_LINKS, LinkedTest
from pactkeeper.intent.pact import LinkRecord, Pact, Settings, files_of, reader_of, shaken, unnamed_conftests
from pactkeeper.intent.tests import Scan, Test, file_of
from pactkeeper.ledger.canonical import digest
from pactkeeper.repo.cache import Cache, Reads, program_stamp, reads_of, recall, store
from pactkeeper.repo.snapshot import Snapshot, commit

if TYPE_CHECKING:  # not needed to check an unchanged repository
    from pactkeeper.intent.strength.change import Change
    from pactkeeper.intent.strength.facts import Strength

    Changes = Mapping[str, tuple[Change, ...]]
    Past = Callable[[Mapping[str, Mapping[str, str]]], Mapping[str, tuple[str, Strength]]]

_PROOFS: Final = "proofs/1"
_MOST_KEPT: Final = 4_000  # files, each with its tests that changed


@dataclass(frozen=True, eq=False)
class Weigh:
    """Reads what the tests of a snapshot prove, and what they proved in earlier states of their files.

    `scans` finds the tests of the snapshot and of another one. What reads tests is imported only where one changed.
    """

    snapshot: Snapshot
    settings: Settings
    cache: Cache
    scans: Callable[[Snapshot], tuple[Scan, Scan]]
    _known: dict[tuple[str, bool, frozenset[tuple[str, str]]], tuple[str, Strength] | None] = field(
        default_factory=dict, repr=False
    )
    _grounds: dict[str, frozenset[str] | None] = field(default_factory=dict, repr=False)

    def strengths(self, tests: Sequence[Test]) -> Mapping[str, Strength]:
        """Return what tests prove now, by id."""
        from pactkeeper.repo.strength.reading import proofs  # noqa: PLC0415 - only where a test changed

        return proofs(self.snapshot, tests, self.cache, note=self._note)

    def ground(self, path: str) -> frozenset[str] | None:
        """Return the other files that what was read of a file's tests depends on, now and then; None if any may."""
        return self._grounds.get(path, frozenset())

    def _note(self, path: str, others: Iterable[str] | None) -> None:
        known = self.ground(path)
        self._grounds[path] = None if known is None or others is None else known.union(others)

    def resting_on(self, changed: Collection[str], files: Collection[str]) -> Collection[str]:
        """Return which of these files may depend on changed ones."""
        from pactkeeper.repo.strength.reading import resting_on  # noqa: PLC0415 - likewise

        return resting_on(self.snapshot, changed, files)

    def reader(self) -> str:
        """Name the present reader of test strengths."""
        from pactkeeper.repo.strength.reading import reader  # noqa: PLC0415 - likewise

        return reader()

    def then(self, wanted: Mapping[str, Mapping[str, str]]) -> Mapping[str, tuple[str, Strength]]:
        """Return the body and strength of tests in an earlier state of their files (id → path → digits).

        They are as read by this reader; those whose text git lacks are left out.
        """
        return self._past(wanted, renamed=False)

    def renamed(self, wanted: Mapping[str, Mapping[str, str]]) -> Mapping[str, tuple[str, Strength]]:
        """Return the same under the names that the product has now, except where it renamed nothing since."""
        return self._past(wanted, renamed=True)

    def _past(self, wanted: Mapping[str, Mapping[str, str]], *, renamed: bool) -> Mapping[str, tuple[str, Strength]]:
        from pactkeeper.repo.strength.reading import Hindsight, as_reviewed  # noqa: PLC0415 - likewise

        keys = {name: (name, renamed, frozenset(files.items())) for name, files in wanted.items()}
        new = {name: wanted[name] for name, key in keys.items() if key not in self._known}
        if new:
            sight = Hindsight(self.snapshot, lambda past: self.scans(past)[1], self.cache, self._note)
            read = as_reviewed(sight, new, renamed=renamed)
            if renamed:  # any product file may show what was
                for path in map(file_of, new):
                    self._note(path, None)
            self._known.update((keys[name], read.get(name)) for name in new)
        return {name: one for name, key in keys.items() if (one := self._known[key]) is not None}

    @cached_property
    def _below(self) -> Snapshot | None:
        found = self.snapshot.commit or self.snapshot.repository.head()
        return None if found is None else commit(self.snapshot.repository, found)

    def committed(self, path: str) -> str:
        """Return the id of a file's content in the commit that is checked, or below the working tree; "" for none."""
        return "" if self._below is None or path not in self._below else self._below.identity(path)

    def switched_off(self, tests: Mapping[str, Test], wanted: Mapping[str, Mapping[str, str]]) -> Iterable[Change]:
        """Yield what keeps tests, given by their reviewed id, from judging since such an earlier state."""
        from pactkeeper.repo.strength.reviewed import switched_off  # noqa: PLC0415 - likewise

        return switched_off(self.snapshot, tests, wanted, self.scans)


@dataclass(frozen=True, slots=True)
class _Proof:
    """The tests of a file that prove as much as at review while no file of `reads` changes."""

    reads: Reads
    tests: tuple[str, ...]


class _Proofs:
    """Remembers which changed tests prove as much as at review, file by file, as long as nothing they rest on changes.

    Where any file may matter, they are remembered for this very state of the code.
    """

    def __init__(self, changed: Mapping[Test, LinkRecord], weigh: Weigh, scan: Scan) -> None:
        self._weigh, self._scan = weigh, scan
        self._records: defaultdict[str, dict[Test, LinkRecord]] = defaultdict(dict)
        for test, record in changed.items():
            self._records[test.file][test] = record
        snapshot = weigh.snapshot
        there = "shallow" if snapshot.repository.shallow else "whole"  # a text that git lacks may come later
        state = [repr(weigh.settings), program_stamp(), there]
        paths = [path for path in snapshot.paths if not snapshot.folder.holds(path)]
        gaps = [f"{gap.file}\0{gap.reason}" for gap in snapshot.gaps]
        named, whole = digest([*state, paths, gaps]), digest([*state, snapshot.listing_hash(pact=False)])
        asked = {path: self._asked(path) for path in self._records}
        self._files = {path: digest([named, one]) for path, one in asked.items()}
        self._whole = {path: digest([whole, one]) for path, one in asked.items()}
        keys = [*self._files.values(), *self._whole.values()]
        kept = recall(weigh.cache, snapshot, space=_PROOFS, keys=keys, shape=_Proof)
        self._new = [path for path, key in self._files.items() if key not in kept and self._whole[path] not in kept]
        self.known = frozenset(test for one in kept.values() for test in one.tests)

    def note(self, proven: Container[str]) -> None:
        """Remember which tests of the files that were read prove as much."""
        made = []
        for path in self._new:
            ground = self._ground(path)
            key = self._whole[path] if ground is None else self._files[path]
            tests = tuple(test.id for test in self._records[path] if test.id in proven)
            made.append((key, _Proof(reads_of(self._weigh.snapshot, ground or ()), tests)))
        if made and not self._weigh.snapshot.unstable:
            store(self._weigh.cache, made, space=_PROOFS, keep=_MOST_KEPT)

    def _asked(self, path: str) -> str:
        """Return a digest of a file's tests with their reviews, and of what is committed of them."""
        records = self._records[path]
        marks = sorted(_mark(record, test) for test, record in records.items())
        below = sorted({self._weigh.committed(file_of(record.test)) for record in records.values()})
        return digest([path, marks, below])

    def _ground(self, path: str) -> frozenset[str] | None:
        """Return the files that the comparison of a file's tests with their reviews depends on; None if any may."""
        records = self._records[path].values()
        others = {path, *(file_of(record.test) for record in records)}
        grounds = [self._scan.ground(path), *map(self._weigh.ground, others)]
        named = {other for record in records for other in _files_then(record)}
        known = [one for one in grounds if one is not None]
        return None if len(known) < len(grounds) else frozenset({*others, *named}).union(*known)


def weaker_since_review(linked: Iterable[LinkedTest], weigh: Weigh, scan: Scan) -> tuple[Changes, Changes]:
    """Return what became weaker in each test that changed since its review, and what of it keeps it from judging."""
    changed = {
        entry.test: entry.record
        for entry in linked
        if entry.record is not None and entry.record.asserts and entry.atoms({"suspect"})
    }
    if not changed:
        return {}, {}
    proofs = _Proofs(changed, weigh, scan)
    fresh = {test: record for test, record in changed.items() if test.id not in proofs.known}
    off = _switched_off(fresh, weigh) if fresh else {}
    found = {name: (*less, *off.get(name, ())) for name, less in compared(fresh, weigh).items()}
    proofs.note(proven_by(found))
    return dict.fromkeys(proofs.known, ()) | found, off


def _switched_off(changed: Mapping[Test, LinkRecord], weigh: Weigh) -> Changes:
    """Return what keeps tests from judging since their review."""
    tests = {record.test: test for test, record in changed.items()}
    files = {record.test: _files_then(record) for record in changed.values()}
    found: defaultdict[str, tuple[Change, ...]] = defaultdict(tuple)
    for one in weigh.switched_off(tests, {name: paths for name, paths in files.items() if paths}):
        found[one.test] += (one,)
    return found


def proven_by(changed: Changes) -> set[str]:
    """Return the tests in which nothing became weaker."""
    return {name for name, found in changed.items() if not found}


def together(
    linked: Sequence[LinkedTest], weaker: Changes, off: Changes, weigh: Weigh
) -> tuple[Changes, Mapping[str, tuple[str, ...]]]:
    """Judge each weaker test anew, counting all tests of its atoms; what is switched `off` stays so, whatever they do.

    Also returns the unlinked tests of its file by which it would prove as much.
    """
    found = dict(weaker)
    unlinked: dict[str, tuple[str, ...]] = {}
    new = [one.test for one in linked if one.state == "orphan"]
    for entry in (one for one in linked if weaker.get(one.test.id)):
        name = entry.test.id
        held = _held(entry, linked, weaker, weigh)
        if held:
            found[name] = (*_beside(entry, held, weigh), *off.get(name, ()))
        near = [test for test in new if test.file == entry.test.file] if found[name] else []
        unlinked[name] = _missing(entry, held, weigh.strengths(near), weigh) if near else ()
    return found, unlinked


def _beside(entry: LinkedTest, others: Sequence[Strength], weigh: Weigh) -> tuple[Change, ...]:
    """Compare a test with its review, leaving out what one of the others proves in its place."""
    return () if entry.record is None else compared({entry.test: entry.record}, weigh, others)[entry.test.id]


def _held(
    entry: LinkedTest, linked: Sequence[LinkedTest], weaker: Mapping[str, tuple[Change, ...]], weigh: Weigh
) -> list[Strength]:
    """Return what other tests of the same atoms were reviewed with and still assert."""
    from pactkeeper.intent.strength.review import still_held  # noqa: PLC0415 - only where a test got weaker

    atoms = {*entry.atoms({"suspect"})}
    records = {
        one.test: one.record.asserts
        for one in linked
        if one.record is not None and not weaker.get(one.test.id) and atoms.intersection(one.record.named) == atoms
        if atoms.issubset(one.atoms(FIRM_LINKS))
    }
    now = weigh.strengths(list(records)) if records else {}
    return [still_held(lines, now[test.id]) for test, lines in records.items() if test.id in now]


def _missing(entry: LinkedTest, held: Sequence[Strength], new: Mapping[str, Strength], weigh: Weigh) -> tuple[str, ...]:
    """Return those of the new tests that together assert all that is lost; empty if they don't."""
    lost = _beside(entry, held, weigh)
    helping = {name: one for name, one in new.items() if _beside(entry, [*held, one], weigh) != lost}
    return tuple(helping) if helping and not _beside(entry, [*held, *helping.values()], weigh) else ()


def _mark(record: LinkRecord, test: Test) -> str:
    """Return a digest of all that the comparison of a test with its review depends on besides the code."""
    return digest([record.test, record.body, repr(test), list(record.asserts), list(record.rests)])


def compared(
    changed: Mapping[Test, LinkRecord], weigh: Weigh, beside: Sequence[Strength] = (), *, whole: bool = False
) -> dict[str, tuple[Change, ...]]:
    """Compare each test with what was reviewed.

    Lines of a review can't say all. Where they show a loss, or another reader wrote them, or the test was edited, or
    something may keep it from failing, the reviewed text is read again, as it was and then under the names that the
    product has now.
    What one of the tests `beside` proves isn't asked of it; `whole` is as in `review.since`.
    """
    if not changed:
        return {}
    from pactkeeper.intent.strength.change import unsure  # noqa: PLC0415 - most checks find nothing changed
    from pactkeeper.intent.strength.review import (  # noqa: PLC0415 - likewise
        excused,
        is_shortened,
        needs_both,
        reviewed,
        since_review,
    )

    now = weigh.strengths(list(changed))
    found = {
        test.id: since_review(record.asserts, now[test.id], test=test.id, others=beside, whole=whole)
        for test, record in changed.items()
    }
    by_others = {test for test, record in changed.items() if reader_of(record.rests) != weigh.reader()}
    short = {test for test, one in changed.items() if is_shortened((*one.asserts, *reviewed(now[test.id])))}
    doubtful = {test for test in changed if found[test.id] or needs_both(now[test.id])} | by_others | short
    edited = {test for test, record in changed.items() if record.body != test.body_hash}
    then = _as_reviewed({test: changed[test] for test in doubtful | edited}, weigh)
    same = {test for test, past in then.items() if past.body == changed[test].body}
    for test in doubtful | (edited & same):
        past, own = then.get(test), now[test.id]
        if past is None:
            found[test.id] = unsure(found[test.id]) if test in by_others else found[test.id]
        elif test in short or since_review(reviewed(past.strength), own, test=test.id, others=beside, whole=whole):
            found[test.id] = _less(past.strength, own, beside, test=test.id, whole=whole)
        else:
            found[test.id] = excused(past.strength, own, test=test.id)
    files = {test: past.files for test, past in then.items() if found[test.id]}
    for test, past in _read(files, changed, weigh.renamed).items():
        less = _less(past.strength, now[test.id], beside, test=test.id, whole=whole)
        found[test.id] = less and found[test.id]
    return found


def _less(old: Strength, now: Strength, beside: Sequence[Strength], *, test: str, whole: bool) -> tuple[Change, ...]:
    """Return what a test proves less than in an earlier state, counting those beside it."""
    from pactkeeper.intent.strength.review import apart_from, excused, since  # noqa: PLC0415 - likewise

    rest = apart_from(beside, old, now, whole=whole)
    return since(rest, now, test=test, whole=whole) or excused(old, now, test=test)


@dataclass(frozen=True, slots=True)
class _Earlier:
    """What a test, of this body, proved in a state of its files (path → digits)."""

    files: Mapping[str, str]
    body: str
    strength: Strength


def _as_reviewed(tests: Mapping[Test, LinkRecord], weigh: Weigh) -> Mapping[Test, _Earlier]:
    """Return the tests as they were reviewed; where git lacks that text, as committed, if that proves all of it."""
    from pactkeeper.intent.strength.review import since_review  # noqa: PLC0415 - likewise

    files = {test: paths for test, record in tests.items() if (paths := _files_then(record))}
    then = _read(files, tests, weigh.then)
    found = {test: one for test, one in then.items() if one.body == tests[test].body}
    own = {test: file_of(tests[test].test) for test in files if test not in found}
    others = {test: {**files[test], path: weigh.committed(path)} for test, path in own.items()}
    committed = _read(others, tests, weigh.then)
    proving = {t: one for t, one in committed.items() if not since_review(tests[t].asserts, one.strength, test=t.id)}
    return {**found, **proving}


def _read(
    files: Mapping[Test, Mapping[str, str]], records: Mapping[Test, LinkRecord], past: Past
) -> Mapping[Test, _Earlier]:
    """Return the tests in these states of their files, as far as git has them."""
    then = past({records[test].test: paths for test, paths in files.items()}) if files else {}
    read = ((test, paths, then.get(records[test].test)) for test, paths in files.items())
    return {test: _Earlier(paths, *one) for test, paths, one in read if one is not None}


def _files_then(record: LinkRecord) -> Mapping[str, str]:
    """Return the files that a reviewed test rested on with the digits of their content; "" for none."""
    files = files_of(record.rests)
    return {**files, **dict.fromkeys(unnamed_conftests(record), "")} if files else {}


def weaker_since_baseline(linked: Iterable[LinkedTest], pact: Pact, weigh: Weigh) -> Mapping[str, tuple[Change, ...]]:
    """Return what became weaker in each test that is debt and changed, or depends on a file that did."""
    marks, readers, bodies = pact.debt.baselines, pact.debt.readers, pact.debt.by_test
    own = [entry for entry in linked if entry.state in {"debt", "changed_debt"} and entry.test.id in marks]
    changed = shaken(pact.debt.grounds, weigh.snapshot.identity) if own else ()
    files = weigh.resting_on(changed, {entry.test.file for entry in own}) if changed else ()
    tests = [entry.test for entry in own if entry.state == "changed_debt" or entry.test.file in files]
    if not tests:
        return {}
    from pactkeeper.intent.strength.change import baseline, since_baseline, unsure  # noqa: PLC0415 - likewise
    from pactkeeper.intent.strength.review import since  # noqa: PLC0415 - likewise

    now = weigh.strengths(tests)
    found = {name: since_baseline(marks[name], strength, test=name) for name, strength in now.items()}
    by_others = {name for name in now if readers.get(name) != weigh.reader()}
    asked = {name: pact.debt.grounds for name in now if found[name] or name in by_others}
    then = weigh.then(asked) if asked and pact.debt.grounds else {}
    for name in asked:
        body, old = then.get(name, ("", None))
        if old is not None and body == bodies[name]:
            found[name] = since_baseline(baseline(old), now[name], test=name)
            found[name] = found[name] if since(old, now[name], test=name) else ()  # fewer assertions may say as much
        elif name in by_others:
            found[name] = unsure(found[name])
    return found
