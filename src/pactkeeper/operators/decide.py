"""Verbs for reviews: what awaits a person's decision, and what was decided.

Also shows the source of a test beside what is proposed about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from operator import attrgetter

from pactkeeper.advice import UNDO
from pactkeeper.errors import PatchError, UsageError
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.quality.values import APPROVE
from pactkeeper.intent.tests import Test
from pactkeeper.intent.wording.outcomes import outcome_lines
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.decision import Decision, Review, Verdict, bind, decode_review, encode_review
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.operators.history import find_patch, keep_patch, review_of, waits
from pactkeeper.reconcile.journal import applied_ops
from pactkeeper.reconcile.worth import poor_ops
from pactkeeper.repo.facts import gather
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.store import decisions as store
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """What a person decides in one step: the ops about one test, with the decisions so far.

    `needs` are undecided ops about other tests that these depend on: the atom of a test that says the same.
    """

    group: str
    ops: tuple[Op, ...]
    decisions: tuple[Decision, ...]
    needs: tuple[Op, ...] = ()

    @property
    def ids(self) -> frozenset[str]:
        """The ids of its ops."""
        return frozenset(op.id for op in self.ops)

    @property
    def decided(self) -> bool:
        """Whether every op of the item has a decision."""
        return len(self.decisions) == len(self.ops)

    @property
    def confidence(self) -> str:
        """The lowest confidence of its ops."""
        return min(op.confidence for op in self.ops)

    @property
    def quality(self) -> int | None:
        """The lowest quality score of its words, or None if they could not be judged."""
        scores = [score for op in self.ops if isinstance(score := op.payload.get("qualityScore"), int)]
        return min(scores, default=None)

    @property
    def reasoning(self) -> str:
        """The first sentence that explains its confidence; empty if there is none."""
        return next((str(op.payload["reasoning"]) for op in self.ops if op.payload.get("reasoning")), "")


@dataclass(frozen=True)  # no slots: both properties are cached, and many decisions need neither
class Bar:
    """The quality bar: `poor` are the ids of ops whose wording falls short, and of ops that depend on one."""

    ops: tuple[Op, ...] = ()
    read: Callable[[], int] = lambda: APPROVE

    @cached_property
    def threshold(self) -> int:
        """The project's threshold, of 100."""
        return self.read()

    @cached_property
    def poor(self) -> frozenset[str]:
        """The ids of the ops that fall short, and of those that depend on one."""
        return poor_ops(self.ops, self.threshold)


@dataclass(frozen=True, slots=True)
class Pending:
    """A patch as a person reviews it: suites in order, highest confidence first, items of one suite together.

    `ended` says that it was taken for want of a waiting one: what was decided about it is not written again.
    """

    patch: Patch
    review: Review
    items: tuple[ReviewItem, ...]
    bar: Bar = field(default_factory=Bar, compare=False)
    ended: bool = False

    @property
    def poor(self) -> frozenset[str]:
        """The ids of ops whose wording falls short of the project's threshold, and of ops that depend on one."""
        return self.bar.poor

    @property
    def open(self) -> tuple[ReviewItem, ...]:
        """The undecided items."""
        return tuple(item for item in self.items if not item.decided)

    @property
    def sound(self) -> tuple[ReviewItem, ...]:
        """The open items that may be accepted in bulk; others have to be named."""
        return tuple(item for item in self.open if self.poor.isdisjoint(item.ids))

    @property
    def version(self) -> str:
        """The version a decision or apply is agreed to: the patch with every decision on it."""
        return digest([self.patch.hash, encode_review(self.review)])

    @property
    def left_out(self) -> int:
        """The number of open items that cannot be accepted in bulk."""
        return len(self.open) - len(self.sound)


def load_pending(
    workspace: Workspace, name: str | None, *, to_apply: bool = False, pact: Pact | None = None
) -> Pending:
    """Load a patch with its decisions; by default the newest that awaits a decision or, `to_apply`, a write.

    A `pact` that was already read provides the quality threshold.
    """
    with workspace.history().database.together() if workspace.has_history else nullcontext():
        found = pending_of(workspace, find_patch(workspace, name, to_apply=to_apply), pact)
        return replace(found, ended=name is None and not waits(workspace, found.patch))


def pending_of(workspace: Workspace, patch: Patch, pact: Pact | None = None) -> Pending:
    """Join a given patch with its decisions."""
    review = review_of(workspace, patch)
    items = tuple(_items(patch, bind(patch, review.decisions)))

    def threshold() -> int:
        return (pact or workspace.pact(workspace.snapshot())).settings.quality_threshold

    return Pending(patch, review, items, Bar(patch.ops, threshold))


def _items(patch: Patch, bound: Mapping[str, Decision]) -> Iterable[ReviewItem]:
    groups: dict[str, list[Op]] = {}
    for op in patch.ops:
        groups.setdefault(op.group or op.id, []).append(op)
    undecided = {op.id: op for op in patch.ops if op.id not in bound}
    suites: dict[str, list[ReviewItem]] = {}
    for name, ops in groups.items():
        said = tuple(bound[op.id] for op in ops if op.id in bound)
        item = ReviewItem(name, tuple(ops), said, needed(ops, undecided))
        suites.setdefault(suite_of(name), []).append(item)
    for members in suites.values():
        members.sort(key=attrgetter("confidence"), reverse=True)
    ordered = sorted(suites.values(), key=lambda members: members[0].confidence, reverse=True)
    return chain.from_iterable(ordered)


def without_gone(workspace: Workspace, pending: Pending) -> Pending:
    """Leave out undecided items that link a test which is gone, as one of a branch that was left or deleted."""
    snapshot = workspace.snapshot()
    there = {test.id for test in workspace.scan(snapshot, workspace.pact(snapshot)).tests}
    gone = {op.id for op in pending.patch.ops if op.verb == "attachTestToAtom" and op.payload["testId"] not in there}
    return replace(pending, items=tuple(one for one in pending.items if one.decided or gone.isdisjoint(one.ids)))


def needed(ops: Sequence[Op], undecided: Mapping[str, Op]) -> tuple[Op, ...]:
    """Return the undecided ops of other items that these ops depend on."""
    own = {op.id for op in ops}
    names = dict.fromkeys(name for op in ops for name in op.depends_on)
    return tuple(undecided[name] for name in names if name in undecided and name not in own)


def suite_of(test: str) -> str:
    """Return the file and suites of a test id, which share one screen."""
    return test.rpartition("::")[0] or test


def decide(
    workspace: Workspace,
    item: ReviewItem,
    verdict: Verdict,
    *,
    reason: str = "",
    edited: Mapping[str, Mapping[str, JsonValue]] | None = None,
) -> tuple[Decision, ...]:
    """Turn a person's verdict on an item into decisions; `edited` holds new payloads by op id, the rest is accepted.

    An item's dependencies are accepted with it, and left undecided if it is rejected.
    """
    by, at = workspace.person(), workspace.now().isoformat(timespec="seconds")
    changes = edited or {}
    made: list[Decision] = []
    for op in (*(() if verdict == "reject" else item.needs), *item.ops):
        word: Verdict = "edit" if op.id in changes else "accept" if verdict == "edit" else verdict
        made.append(Decision(op.id, op.shown_hash, word, by, at, reason=reason, edited=changes.get(op.id)))
    return tuple(made)


def save_decisions(workspace: Workspace, patch: Patch, decisions: Sequence[Decision]) -> None:
    """Add decisions to the stored review; refused if they do not match what the patch shows."""
    bind(patch, decisions)
    keep_patch(workspace, patch, origin="review")
    store.save_decisions(workspace.history(), patch.id, decisions)


def withdraw(workspace: Workspace, patch: Patch, ops: Sequence[str]) -> None:
    """Withdraw the decisions on ops; raises UsageError if one is applied, which only an undo reverts."""
    done = applied_ops(workspace.state)
    applied = [name for name in ops if name in done]
    if applied:
        raise UsageError(f"{', '.join(applied)}: applied already; to undo an apply: " + UNDO())
    by, at = workspace.person(), workspace.now().isoformat(timespec="seconds")
    store.withdraw_decisions(workspace.history(), patch.id, ops, by=by, at=at)


def export_review(pending: Pending, describe: Callable[[Op], Sequence[str]]) -> str:
    """Export the review as a document: decisions as taken, all other ops as open, worded by `describe`."""
    decided = {one.op for one in pending.review.decisions}
    waiting = {op.id: (op.shown_hash, describe(op)) for op in pending.patch.ops if op.id not in decided}
    return encode_review(pending.review, waiting=waiting)


def import_review(workspace: Workspace, pending: Pending, text: str) -> Review:
    """Import the decisions of a document, all or none; what it leaves open stays open.

    A file proves nothing about its author, so its decisions count as made by a person at a terminal.
    """
    at = workspace.now().isoformat(timespec="seconds")
    review = decode_review(text, by=workspace.person(), at=at)
    if review.patch != pending.patch.hash:
        raise PatchError(
            f"the review is of the patch with hash {review.patch!r}, not of {pending.patch.id}; name its patch"
        )
    taken = tuple(replace(one, actor="person", assurance="terminal") for one in review.decisions)
    save_decisions(workspace, pending.patch, taken)
    return review_of(workspace, pending.patch)


def chosen(pending: Pending, names: Sequence[str]) -> tuple[ReviewItem, ...]:
    """Return the items named by op ids, test ids or their prefixes; raises UsageError listing every unknown name."""
    found: dict[str, ReviewItem] = {}
    unknown: list[str] = []
    for name in names:
        hits = [item for item in pending.items if _is_named(item, name)]
        found.update((item.group, item) for item in hits)
        if not hits:
            unknown.append(name)
    if unknown:
        raise UsageError(f"the patch {pending.patch.id} has no {', '.join(repr(one) for one in unknown)}")
    return tuple(item for item in pending.items if item.group in found)


def _is_named(item: ReviewItem, name: str) -> bool:
    if any(name in {op.id, op.payload.get("atomId")} for op in item.ops):
        return True
    bare = name.rstrip("/")
    return item.group == name or item.group.startswith((f"{bare}::", f"{bare}/"))


@dataclass(frozen=True, slots=True)
class TestSource:
    """The lines of a test, including decorators; `first` is the number of the first line, from 1."""

    path: str
    first: int
    lines: tuple[str, ...]


@dataclass(slots=True)
class Sources:
    """Reads the sources of one snapshot lazily, each file once."""

    snapshot: Snapshot
    tests: dict[str, Test]
    pact: Pact
    _files: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def of(self, test: str) -> TestSource | None:
        """Return the source of a test; None if the snapshot has no such test, for instance because it was deleted."""
        found = self.tests.get(test)
        if found is None:
            return None
        return TestSource(found.file, found.line, self._lines(found.file)[found.line - 1 : found.end_line])

    def _lines(self, path: str) -> tuple[str, ...]:
        if path not in self._files:
            data = self.snapshot.read(path)
            text = "" if data is None else data.decode("utf-8", "replace")
            self._files[path] = tuple(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
        return self._files[path]


def read_sources(workspace: Workspace) -> Sources:
    """Return the tests of the working tree, with the pact they are reviewed against."""
    snapshot = workspace.snapshot()
    pact = workspace.pact(snapshot)
    return Sources(snapshot, {one.id: one for one in workspace.scan(snapshot, pact).tests}, pact)


def lines_of_evidence(ops: Iterable[Op], path: str) -> frozenset[int]:
    """Return the lines of a file that the ops cite as evidence."""
    return frozenset(one.line for op in ops for one in op.evidence if one.path == path and one.line)


def asserted_at(sources: Sources, tests: Iterable[str]) -> Mapping[str, Mapping[str, tuple[int, ...]]]:
    """Map each existing test to its outcomes with the lines that assert them, counted from 1 in its file."""
    known = [sources.tests[name] for name in tests if name in sources.tests]
    found = gather(sources.snapshot, known)
    return {one.id: outcome_lines(found[one.id]) for one in known}
