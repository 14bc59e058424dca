"""Applies a patch: accepted ops whose targets are unchanged since shown, subject to the policy, all or none."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pactkeeper.advice import joined
from pactkeeper.catalog.journal import FileEdit, WriteEntry
from pactkeeper.catalog.read import read_settings
from pactkeeper.catalog.schema import SETTINGS_FILE
from pactkeeper.catalog.transaction import WriteNote, apply, settle
from pactkeeper.errors import CatalogError, RefusedError
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.pact import LinkRecord, Pact, Proved, digits_of, files_of, reader_of, rests_on
from pactkeeper.intent.tests import file_of
from pactkeeper.ledger.canonical import JsonValue, by_key
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.policy import DEFAULT_POLICY, Rule, case_of, explain, may_apply
from pactkeeper.ledger.selection import Planned, Selection, plan, select
from pactkeeper.reconcile.edits import FileDraft, Outcome, Rejection
from pactkeeper.reconcile.journal import applied_ops
from pactkeeper.reconcile.looking import RepositoryGround, rejected_print
from pactkeeper.reconcile.sound import comment_writer, unsound
from pactkeeper.reconcile.world import World, unmarked
from pactkeeper.repo.git import Repository
from pactkeeper.repo.line_history import committed_bytes
from pactkeeper.repo.snapshot import blob_id


@dataclass(frozen=True, slots=True)
class Applied:
    """What an apply did or would do; `refused` are tests whose comment could not be changed, with the reason.

    `renewed` are other tests of the same files whose records in HEAD could not have been read later.
    """

    patch: Patch
    planned: Planned
    rejected: tuple[Op, ...]
    edits: tuple[FileEdit, ...]
    refused: tuple[tuple[str, str], ...]
    entry: WriteEntry | None
    renewed: tuple[str, ...] = ()

    def diff(self) -> Iterator[str]:
        """Yield the unified diff of all files, line by line without line endings."""
        for edit in self.edits:
            yield from file_diff(edit)


def kept_elsewhere() -> None:
    """Do nothing: for callers whose decisions are already stored, or can be asked for again."""


def apply_patch(
    ground: RepositoryGround,
    patch: Patch,
    decisions: Sequence[Decision],
    *,
    skip_stale: bool = False,
    keep: Callable[[], None] | None = kept_elsewhere,
) -> Applied:
    """Apply the accepted ops of a patch, all or none, and remember the rejected ones.

    `keep` is called once nothing prevents the write but before it, so that a process that dies after the write has left
    a record of who decided; without it nothing is written. Raises StaleError naming every op whose node changed since
    it was shown, unless `skip_stale`; RefusedError if the policy forbids an op.
    """
    if keep is None:
        ground.ensure_settled()
    else:
        settle(ground.place)
    snapshot = ground.snapshot()
    world = ground.world(snapshot)
    current = {op.target: world.current(op) for op in patch.ops}
    selection, planned = _chosen(ground, patch, decisions, current=current, skip_stale=skip_stale)
    _refuse(unsound(planned.ops, world), "the patch doesn't fit this repository; nothing was applied")
    originals = {new: old for old, new in (selection.edited or {}).items()}
    taken = _Taken(planned.ops, {one.op: one for one in decisions}, originals)
    _refuse(_forbidden(taken, world, policy_of(ground, world.pact)), "the policy forbids this; nothing was applied")
    rejections = tuple(_rejections(selection, taken, world, current=current))
    outcome = _outcome(ground, world, taken, rejections=rejections)
    edits = tuple(FileEdit(path, read_file(ground, path), data) for path, data in outcome.files.items())
    entry = None
    if keep is not None:
        keep()
    if keep is not None and edits:
        entry = apply(ground.place, edits, _note(ground, patch, planned, decisions, originals=taken.originals))
    remembered = {one.test for one in rejections}
    rejected = tuple(op for op in selection.rejected if op.group in remembered)
    known = {name: world.record_of(name) for name in outcome.renewed}
    renewed = _committed({name: record for name, record in known.items() if record is not None}, ground.repository)
    return Applied(patch, planned, rejected, edits, outcome.refused, entry, tuple(renewed))


def _chosen(
    ground: RepositoryGround,
    patch: Patch,
    decisions: Sequence[Decision],
    *,
    current: Mapping[str, str | None],
    skip_stale: bool,
) -> tuple[Selection, Planned]:
    """Select what was accepted and is unchanged since shown.

    An op counts as applied if the journal says so and its target differs from before: what a checkout or a revert
    removed can be applied again.
    """
    before = {op.target for op in patch.ops if current[op.target] == op.precondition}
    journalled = applied_ops(ground.state)
    done = journalled - {op.id for op in patch.ops if op.target in before}
    selection = select(patch, decisions, applied=done)
    done -= {op.id for op in selection.ops if op.target in before}
    present = {target: found for target, found in current.items() if found is not None}
    return selection, plan(selection, present, skip_stale=skip_stale, applied=done)


@dataclass(frozen=True, slots=True)
class _Taken:
    """The ops to apply with their decisions; `originals` maps an edited op's id to that of the op shown."""

    ops: tuple[Op, ...]
    decisions: Mapping[str, Decision]
    originals: Mapping[str, str]

    def decision(self, op: Op) -> Decision | None:
        return self.decisions.get(self.originals.get(op.id, op.id))


def _refuse(reasons: Iterable[str], what: str) -> None:
    found = ["  " + reason for reason in reasons]
    if found:
        raise RefusedError(joined("\n", (what, *found)))


def _outcome(ground: RepositoryGround, world: World, taken: _Taken, *, rejections: Sequence[Rejection]) -> Outcome:
    draft = FileDraft(world, proves=_proves(ground, world, taken.ops), marked=_marked(ground, world, taken.ops))
    for op in taken.ops:
        decision = taken.decision(op)
        draft.take(op, worded=decision is not None and decision.verdict == "edit")
    for rejection in rejections:
        draft.reject(rejection)
    writer = comment_writer(world.pact.settings.atom_prefix)
    return draft.outcome(lambda path: read_file(ground, path), writer, digits(ground))


def digits(ground: RepositoryGround) -> Callable[[bytes], str]:
    """Return what gives the digits by which a review names a content."""
    return lambda data: digits_of(blob_id(data, ground.repository.object_format))


def _proves(ground: RepositoryGround, world: World, ops: Iterable[Op]) -> Mapping[str, Proved]:
    """Return what newly linked tests, and tests whose record would be out of reach, prove and depend on."""
    from pactkeeper.intent.strength.review import reviewed  # noqa: PLC0415 - only an apply that links tests
    from pactkeeper.repo.strength.reading import reader, readings  # noqa: PLC0415 - likewise

    snapshot = ground.snapshot()
    names = {str(op.payload["testId"]) for op in ops if op.verb == "attachTestToAtom"}
    files = {file_of(name) for name in names}
    lost = _out_of_reach([entry for entry in world.linked if entry.test.file in files], reader(), ground.repository)
    tests = [entry.test for entry in world.linked if entry.test.id in names or entry.test.id in lost]
    return {
        name: Proved(reviewed(one.strength), rests_on(reader(), one.rests, snapshot.identity))
        for name, one in readings(snapshot, tests).items()
    }


def _out_of_reach(entries: Iterable[LinkedTest], reader: str, repository: Repository) -> Collection[str]:
    """Return tests that prove as much as reviewed, but by another reader, or whose reviewed text is not in git.

    Once their file is rewritten, nobody could read that text again. A record of HEAD whose text git has stays as it is.
    """
    sure = {
        entry.test.id: entry.record
        for entry in entries
        if entry.record is not None and entry.record.asserts and not entry.weaker
        if entry.links and not entry.atoms({"suspect"})
    }
    texts = {name: set(filter(None, files_of(record.rests).values())) for name, record in sure.items()}
    there = repository.full_ids(sorted(set[str]().union(*texts.values())))
    kept = {name for name in _committed(sure, repository) if texts[name] <= there.keys()}
    return {name for name, record in sure.items() if reader_of(record.rests) != reader or name not in kept}


def _committed(records: Mapping[str, LinkRecord], repository: Repository) -> list[str]:
    """Return the tests whose review HEAD has as these records say."""
    paths = {one.path for one in records.values()}
    noted = {path: committed_bytes(repository, path) or b"" for path in paths}
    return [name for name, record in records.items() if _is_in(noted[record.path], record)]


def _is_in(text: bytes, record: LinkRecord) -> bool:
    return all(f'"{line}"'.encode() in text for line in record.rests)


def _marked(ground: RepositoryGround, world: World, ops: Iterable[Op]) -> Mapping[str, str]:
    """Return lines of debt for tests next to newly linked ones, if their strength is not recorded yet."""
    from pactkeeper.repo.strength.reading import debt_lines  # noqa: PLC0415 - only an apply that links tests

    files = {file_of(str(op.payload["testId"])) for op in ops if op.verb == "attachTestToAtom"}
    bare = [test for test in unmarked(world) if test.file in files]
    return debt_lines(ground.snapshot(), bare, known=world.pact.debt.grounds)


def _rejections(
    selection: Selection, taken: _Taken, world: World, *, current: Mapping[str, str | None]
) -> Iterator[Rejection]:
    """Yield the rejections to remember: of groups from which nothing is taken and that are unchanged since shown."""
    kept = {op.group for op in taken.ops}
    for group, ops in by_key((op.group, op) for op in selection.rejected).items():
        if group not in kept and all(current[op.target] == op.precondition for op in ops):
            decision = taken.decisions[ops[0].id]
            yield Rejection(group, rejected_print(ops, world), decision.by, decision.reason, decision.at)


def _forbidden(taken: _Taken, world: World, rules: Sequence[Rule]) -> Iterator[str]:
    """Check every op against the rules, caps included."""
    used: Counter[str] = Counter()
    for op in taken.ops:
        decision = taken.decision(op)
        actor = decision.actor if decision else "timer"
        ruling = explain(rules, case_of(op, actor=actor, health=health_of(op, world)), used=used)
        if not may_apply(ruling, decision):
            rule = f" (rule {ruling.rule!r})" if ruling.rule else ""
            yield f"{op.id} {op.verb} of {op.target}: {ruling.permission}, {ruling.why}{rule}"
        elif ruling.rule is not None:
            used[ruling.rule] += 1


def allowed_unasked(patch: Patch, world: World, rules: Sequence[Rule]) -> Iterator[tuple[Op, str]]:
    """Yield the ops that the rules allow without a person, each with the allowing rule, caps included.

    An op that depends on another is not allowed before that one is.
    """
    used: Counter[str] = Counter()
    taken: set[str] = set()
    for op in patch.ops:
        case = case_of(op, actor="timer", health=health_of(op, world))
        ruling = explain(rules, case, used=used)
        if ruling.permission == "auto" and ruling.rule is not None and taken.issuperset(op.depends_on):
            used[ruling.rule] += 1
            taken.add(op.id)
            yield op, ruling.rule


def policy_of(ground: RepositoryGround, pact: Pact) -> tuple[Rule, ...]:
    """Return the project's rules, followed by the defaults.

    They count as HEAD has them, so that nobody grants themselves something by editing a file. Only a new rule that
    lets nothing happen unasked counts at once, before the others.
    """
    committed = _committed_rules(ground, pact)
    stricter = (rule for rule in pact.settings.policy if rule.permission != "auto" and rule not in committed)
    return (*stricter, *committed, *DEFAULT_POLICY)


def _committed_rules(ground: RepositoryGround, pact: Pact) -> tuple[Rule, ...]:
    """Return the rules of HEAD's settings; none if HEAD has no settings that can be read."""
    source = committed_bytes(ground.repository, pact.folder.path(SETTINGS_FILE))
    try:
        return read_settings(source).policy if source is not None else ()
    except CatalogError:
        return ()


def health_of(op: Op, world: World) -> Health:
    """Return how completely an op's basis was seen; only a vanished test depends on more than the pact."""
    if op.verb == "detachTest" and file_of(str(op.payload["testId"])) in world.unseen:
        return Health("partial", "the test's file could not be read completely")
    return COMPLETE


def _note(
    ground: RepositoryGround,
    patch: Patch,
    planned: Planned,
    decisions: Sequence[Decision],
    *,
    originals: Mapping[str, str],
) -> WriteNote:
    """Return the journal's note of an apply; an edited op counts as applied under its original id as well."""
    metadata: dict[str, JsonValue] = {
        "verb": "apply",
        "patch": patch.id,
        "ops": [name for op in planned.ops for name in dict.fromkeys((op.id, originals.get(op.id, op.id)))],
        "decided_by": sorted({one.by for one in decisions}),
        "changes": [_change(op) for op in planned.ops],
    }
    return WriteNote(ground.now().isoformat(timespec="seconds"), metadata)


def _change(op: Op) -> dict[str, JsonValue]:
    """Summarise what an op does: the decision log shows it long after the patch is gone."""
    said = op.payload
    atom = said.get("newAtomId") or said.get("atomId")
    facts: dict[str, JsonValue] = {"verb": op.verb, "target": op.target}
    return {**facts, **({"atom": atom} if atom else {}), **({"reason": said["reason"]} if said.get("reason") else {})}


def read_file(ground: RepositoryGround, path: str) -> bytes | None:
    """Return the current content of a file in the work tree, or None."""
    try:
        return (ground.repository.root / path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def file_diff(edit: FileEdit) -> Iterator[str]:
    """Yield the unified diff of one file, line by line without line endings."""
    before, after = _lines(edit.before), _lines(edit.after)
    old = "/dev/null" if edit.before is None else f"a/{edit.path}"
    new = "/dev/null" if edit.after is None else f"b/{edit.path}"
    for line in difflib.unified_diff(before, after, old, new, lineterm=""):
        yield line.rstrip("\r\n")


def _lines(data: bytes | None) -> list[str]:
    return [] if data is None else data.decode("utf-8", "replace").split("\n")
