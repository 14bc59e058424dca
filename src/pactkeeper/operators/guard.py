"""The verb `guard_tests`: what a change did to the tests; it needs neither a pact nor a history.

People approve weakenings, bound to the old and new content. A change can't approve itself: only an approval in the
commit it starts from counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.advice import NOTHING, Advice
from pactkeeper.errors import CatalogError, InputError, MissingBaseline, Problem, UsageError
from pactkeeper.intent.folder import APPROVALS
from pactkeeper.intent.tests import Gap, Scan, under
from pactkeeper.operators.check import Row
from pactkeeper.operators.view import Form, StateView, kept, state_key, viewed

if TYPE_CHECKING:
    from pactkeeper.intent.pact import Pact
    from pactkeeper.intent.strength.change import Change
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.repo.strength.judging import Judgement
    from pactkeeper.repo.strength.support import TestState
    from pactkeeper.workspace import Workspace

_CODES: Final[Mapping[str, str]] = {
    "deleted": "PK601",
    "skipped": "PK602",
    "hollow": "PK603",
    "removed": "PK604",
    "loosened": "PK605",
    "conditional": "PK606",
    "unawaited": "PK607",
    "mocked": "PK608",
    "expectation": "PK609",
    "subject": "PK610",
    "grown": "PK610",
    "changed": "PK611",
    "switched_off": "PK612",
    "unread": "PK613",
}


@dataclass(frozen=True, slots=True)
class GuardReport:
    """What a change did to the tests, worst first.

    `findings` may weaken, `approved` were accepted by a named person, `stronger` lists improvements; `compared` is the
    number of tests compared, `unseen` lists what could not be read of the later state.
    """

    base: str
    target: str
    findings: tuple[Row, ...]
    approved: tuple[tuple[Row, str], ...]
    stronger: tuple[Row, ...]
    compared: int
    unseen: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether no weakening was proven."""
        return not any(row.severity == "error" for row in self.findings)

    def count(self, severity: str) -> int:
        """Count the findings with this severity."""
        return sum(row.severity == severity for row in self.findings)


def guard_tests(workspace: Workspace, view: StateView, *, since: str | None = None) -> GuardReport:
    """Compare a view's tests with a base: `since`, HEAD for the index, or where HEAD branched off the trunk."""
    base = workspace.snapshot(_base(workspace, view, since))
    target = viewed(workspace, view)

    def look() -> tuple[GuardReport, bool]:
        judgement, promises = _judged(workspace, base, target)
        report = _report(workspace, base, target, judgement=judgement, promises=promises, paths=view.paths)
        given_up = [row for row in _given_up(workspace, base, target) if not view.paths or under(row.path, view.paths)]
        return replace(report, findings=tuple(sorted((*report.findings, *given_up), key=_order))), not target.unstable

    return kept(workspace, _REPORTS, state_key(workspace, target, base.commit, *view.paths), look)


def _kept_report(fields: dict[str, Any]) -> GuardReport:
    import msgspec  # noqa: PLC0415 - `pk --help` loads none of this

    return msgspec.convert(fields, GuardReport, dec_hook=lambda _, texts: Advice(*texts))


_REPORTS: Final = Form("guards/1", 8, _kept_report)


def _base(workspace: Workspace, view: StateView, since: str | None) -> str:
    repository = workspace.repository
    if since is not None:
        return repository.merge_base(since, view.at or "HEAD")
    if view.at is not None:
        raise UsageError(f"--at {view.at!r} needs --since REF: the commit that the change starts from")
    if repository.head() is None:
        raise MissingBaseline("there is no commit to compare with yet; commit something first")
    if view.staged:
        return "HEAD"
    try:
        return repository.merge_base(repository.trunk())
    except MissingBaseline:
        return "HEAD"


def _judged(workspace: Workspace, base: Snapshot, target: Snapshot) -> tuple[Judgement, Mapping[str, tuple[str, ...]]]:
    from pactkeeper.repo.strength.judging import judge  # noqa: PLC0415 - likewise
    from pactkeeper.repo.strength.support import TestState  # noqa: PLC0415 - likewise

    pact = workspace.pact(base) if base.declares else None
    scans = workspace.scans(base, target, pact)
    before, after = TestState(base, scans[0], workspace.cache), TestState(target, scans[1], workspace.cache)
    later = _later(workspace, base, target, pact)
    promises = _promised(before, pact, later) if pact is not None and later is not None and pact.atoms else {}
    judgement = judge(before, after)
    if later is not None and _tests_of(later) != _tests_of(pact):
        left_out = _left_out(workspace, target, later, scans[1])
        judgement = replace(judgement, changes=(*judgement.changes, *left_out))
    return judgement, promises


def _later(workspace: Workspace, base: Snapshot, target: Snapshot, pact: Pact | None) -> Pact | None:
    """Return the pact of the later state; that of the base if it is the same, or can't be read."""
    if _pact_blobs(base) == _pact_blobs(target) or not target.declares:
        return pact
    try:
        return workspace.pact(target)
    except InputError:
        return pact  # `_given_up` reports it


def _left_out(workspace: Workspace, target: Snapshot, later: Pact, scan: Scan) -> Iterator[Change]:
    """Yield that the pact's settings take out tests, which will be compared with nothing from the next commit on."""
    from pactkeeper.catalog.schema import SETTINGS_FILE  # noqa: PLC0415 - `pk check` of what it kept loads no pact
    from pactkeeper.intent.strength.change import Change  # noqa: PLC0415 - `pk --help` loads none of this

    lost = sorted({test.id for test in scan.tests}.difference(test.id for test in workspace.scan(target, later).tests))
    if lost:
        place = target.folder.path(SETTINGS_FILE)
        message = (
            f"from the next commit on, {len(lost):,} tests are compared with nothing, and no promise rests on them"
        )
        some = ", ".join(lost[:3]) + (", …" if lost[3:] else "")
        yield Change("switched_off", f"{place} tests", message, new=f"without {some}")


def _tests_of(pact: Pact | None) -> object:
    """Return the settings that say which tests there are."""
    from pactkeeper.intent.pact import Settings  # noqa: PLC0415 - `pk check` of what it kept loads no pact

    known = pact.settings if pact is not None else Settings()
    return known.include, known.exclude, known.classes, known.functions, known.runners


def _promised(side: TestState, pact: Pact, later: Pact) -> Mapping[str, tuple[str, ...]]:
    """Say which committed atoms each test proves, and what replaces those that the change replaces."""
    from pactkeeper.intent.links import LIVE_LINKS, link_tests  # noqa: PLC0415 - only with a pact

    found = {}
    for entry in link_tests(side.scan.tests, pact):
        atoms = [atom for atom in entry.atoms(LIVE_LINKS) if pact.is_committed(atom)]
        if atoms:
            found[entry.test.id] = tuple(_promise(atom, later) for atom in atoms)
    return found


def _promise(atom: str, later: Pact) -> str:
    heir = later.successor_of(atom)
    if heir is None or not later.is_committed(heir):
        return f"it proves {atom}, which is committed"
    return f"it proved {atom}, which the change replaces with {heir}, committed as well: {later.atoms[heir].intent}"


def _given_up(workspace: Workspace, base: Snapshot, target: Snapshot) -> Iterator[Row]:
    """Yield the promises that the change gave up; that it says so doesn't excuse what it did to their tests."""
    if not base.declares or _pact_blobs(base) == _pact_blobs(target):
        return
    from pactkeeper.operators.check import row_of as finding_row  # noqa: PLC0415 - only where the pact changed
    from pactkeeper.reconcile.commitments import given_up  # noqa: PLC0415 - likewise

    try:
        later = workspace.pact(target)
    except InputError as error:
        problems = error.problems if isinstance(error, CatalogError) else (Problem(target.folder.root, 0, str(error)),)
        yield from (_not_compared(Gap(one.path, one.message, one.line)) for one in problems)
        return
    yield from map(finding_row, given_up(later, workspace.pact(base).commitments, base.name))


def _pact_blobs(snapshot: Snapshot) -> Mapping[str, str]:
    return {path: snapshot.identity(path) for path in snapshot.pact_paths()}


def _report(  # noqa: PLR0913 - two states and the judgement on them
    workspace: Workspace,
    base: Snapshot,
    target: Snapshot,
    *,
    judgement: Judgement,
    promises: Mapping[str, tuple[str, ...]],
    paths: Sequence[str],
) -> GuardReport:
    from pactkeeper.intent.strength.change import by_cause  # noqa: PLC0415 - `pk --help` loads none of this

    granted = approvals(base)
    today = workspace.now().date()
    open_, approved, stronger = [], [], []
    for change in judgement.changes:
        row = row_of(change, judgement.files, promises)
        if paths and not under(row.path, paths):
            continue
        approval = granted.get(row.fingerprint)
        if change.kind == "stronger":
            stronger.append(row)
        elif approval is not None and approval.until >= today:
            approved.append((row, f"{approval.by} until {approval.until.isoformat()}: {approval.why}"))
        else:
            open_.append(change)
    findings = [_of_cause([row_of(one, judgement.files, promises) for one in group]) for group in by_cause(open_)]
    findings += [_not_compared(gap) for gap in judgement.blind if not paths or under(gap.file, paths)]
    findings.sort(key=_order)
    unseen = tuple(f"{gap.file}: {gap.reason}" for gap in judgement.gaps)
    return GuardReport(
        base.commit or base.name,
        target.commit or target.kind,
        tuple(findings),
        tuple(approved),
        tuple(stronger),
        judgement.tests,
        unseen,
    )


def _of_cause(rows: Sequence[Row]) -> Row:
    """Merge findings with one cause into the first, with the names and lines of the others, and what its test lost.

    Findings about tests come before those about scripts.
    """
    from pactkeeper.repo.strength.support import OF_SCRIPT  # noqa: PLC0415 - `pk --help` loads none of this

    if len(rows) == 1:
        return rows[0]
    first = min(rows, key=lambda row: (row.message == OF_SCRIPT, _order(row)))
    lines: dict[str, list[str]] = {}
    for row in sorted((row for row in rows if row is not first), key=_order):
        place = str(row.line or "") if row.subject.startswith(row.path) else f"{row.path}:{row.line}"
        lines.setdefault(row.subject, []).append(place)
    more = [f"and {len(rows) - 1:,} more of this kind:"]
    for subject, places in lines.items():
        said = ", ".join(dict.fromkeys(filter(None, places)))
        more.append(f"  {subject}" + (f" (at {said})" if said else ""))
        lost = [line for row in rows if row.subject == subject == first.subject for line in _lost(row)]
        more += dict.fromkeys(line for line in lost if line not in first.detail)
    return replace(first, detail=(*first.detail, *more))


def _lost(row: Row) -> list[str]:
    """Return what a finding says is gone, if nothing stands in its place."""
    return [] if any(line.startswith("+ ") for line in row.detail) else [one for one in row.detail if one[:2] == "- "]


def _not_compared(gap: Gap) -> Row:
    """Report a place of the later state that could not be read: nothing was proven either way."""
    said = sha256(f"{gap.file}\0{gap.reason}".encode()).hexdigest()[:16]
    message = f"the change here could not be compared: {gap.reason}"
    return Row("PK613", "warning", gap.file, gap.line, gap.file, "", message, NOTHING, f"g1:{said}")


def _order(row: Row) -> tuple[int, str, int, str]:
    return ("error", "warning", "info").index(row.severity), row.path, row.line, row.code


def row_of(change: Change, files: Mapping[str, str], promises: Mapping[str, tuple[str, ...]]) -> Row:
    """Convert one change for doors; `promises` are lines about what each test promises."""
    from pactkeeper.intent.strength.change import beside  # noqa: PLC0415 - `pk --help` loads none of this

    detail = [f"{sign} {facet}" for sign, facet in zip("-+", beside(change.old, change.new), strict=True) if facet]
    detail += promises.get(change.before, ()) or promises.get(change.test, ())
    severity = {"note": "info"}.get(change.severity, change.severity)
    path = files.get(change.test, change.test.partition("::")[0].partition(" ")[0])
    code = _CODES.get(change.kind, "PK613")
    return Row(
        code, severity, path, change.line, change.test, "", change.message, NOTHING, fingerprint(change), tuple(detail)
    )


def approve_change(workspace: Workspace, name: str, *, why: str, until: date, since: str | None = None) -> int:
    """Record that what was reported under a fingerprint, or at FILE:LINE, is intended; returns how many changes.

    Raises UsageError if nothing is reported there, or all of it is already recorded.
    """
    place = workspace.repository.root / APPROVALS
    kept = place.read_text(encoding="utf-8") if place.exists() else ""
    base = workspace.snapshot(_base(workspace, StateView(), since))
    found = _named(_judged(workspace, base, workspace.snapshot())[0], name)
    if not found:
        more = "" if since else ", and --since if `pk guard` was given it"
        raise UsageError(f"`pk guard` reports nothing at {name!r}; give a fingerprint or FILE:LINE as printed{more}")
    texts = [
        approval_text(change, Approval(said, workspace.person(), why, until))
        for said, change in found.items()
        if f'["{said}"]' not in kept
    ]
    if not texts:
        raise UsageError(f"{APPROVALS} records {name!r} already; change `why` or `until` there")
    place.parent.mkdir(exist_ok=True)
    with place.open("a", encoding="utf-8") as stream:
        stream.write("\n".join(["", *texts] if kept else texts))
    return len(texts)


def _named(judgement: Judgement, name: str) -> Mapping[str, Change]:
    """Return the reported changes that a fingerprint or place selects, by fingerprint, with others of their cause."""
    from pactkeeper.intent.strength.change import by_cause  # noqa: PLC0415 - `pk --help` loads none of this

    found: dict[str, Change] = {}
    for group in by_cause(one for one in judgement.changes if one.kind != "stronger"):
        rows = [row_of(one, judgement.files, {}) for one in group]
        if any(name in {row.fingerprint, f"{row.path}:{row.line}"} for row in rows):
            found.update((row.fingerprint, one) for row, one in zip(rows, group, strict=True))
    return found


_KEYS: Final = frozenset({"subject", "old", "new", "why", "by", "until"})
_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Approval:
    """Who accepted a change, why, and until when the approval is valid."""

    fingerprint: str
    by: str
    why: str
    until: date


def fingerprint(change: Change) -> str:
    """Return what identifies a change: the kind, the test, and the facet on both sides, but no line numbers."""
    said = f"{change.kind}\0{change.test}\0{change.old}\0{change.new}"
    return f"g1:{sha256(said.encode()).hexdigest()[:_DIGITS]}"


def approvals(base: Snapshot) -> Mapping[str, Approval]:
    """Return the approvals of a commit by fingerprint; raise InputError for a file that can't be read."""
    source = base.read(APPROVALS)
    if source is None:
        return {}
    from pactkeeper.ledger.documents import read_toml  # noqa: PLC0415 - most commits approve nothing

    try:
        tables = read_toml(source.decode())
    except ValueError as error:
        raise InputError(f"{APPROVALS} of {base.name}: {error}; correct it there") from error
    return {name: _approval(name, table) for name, table in tables.items()}


def _approval(name: str, table: object) -> Approval:
    if not isinstance(table, dict) or not set(table) <= _KEYS or not isinstance(table.get("until"), date):
        raise InputError(
            f"{APPROVALS}: {name!r} needs `by`, `why` and `until` (a date), and knows {', '.join(sorted(_KEYS))}"
        )
    return Approval(name, str(table.get("by", "")), str(table.get("why", "")), table["until"])


def approval_text(change: Change, approval: Approval) -> str:
    """Format one table of the file."""
    rows = {"subject": change.test, "old": change.old, "new": change.new, "why": approval.why, "by": approval.by}
    lines = [f'["{approval.fingerprint}"]', *(f"{key} = {_string(value)}" for key, value in rows.items())]
    return "\n".join([*lines, f"until = {approval.until.isoformat()}", ""])


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(letter if letter.isprintable() else f"\\U{ord(letter):08x}" for letter in escaped) + '"'
