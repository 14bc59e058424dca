"""The verb `check_repo`; for unchanged content it returns the cached verdict and loads nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.advice import ACCEPT, DEBT, OTHERWISE, Advice, joined, leaving_out
from pactkeeper.intent.tests import under
from pactkeeper.operators.view import Form, StateView, kept, state_key, viewed

if TYPE_CHECKING:
    from pactkeeper.reconcile.check import Verdict
    from pactkeeper.reconcile.codes import Located
    from pactkeeper.reconcile.world import World
    from pactkeeper.repo.snapshot import Snapshot
    from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Row:
    """One finding as doors show it; `line` counts from 1, 0 means the whole file, `detail` has one line per item.

    `invariant` is the id of the violated invariant, if any.
    """

    code: str
    severity: str
    path: str
    line: int
    subject: str
    about: str
    message: str
    fix: Advice
    fingerprint: str
    detail: tuple[str, ...] = ()
    invariant: str = ""


@dataclass(frozen=True, slots=True)
class RuleRow:
    """The verdict on one invariant: passed, failed, asserted or not checked, and why; `text` describes it."""

    id: str
    code: str
    text: str
    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class WaivedRow:
    """A finding that somebody waived until a date (ISO 8601)."""

    row: Row
    by: str
    why: str
    until: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The findings of a check, ordered by place; `declared` is False if there is no pact yet.

    `commitments` counts commitments by assurance: terminal, signed, ci-verified, and those whose signature is invalid
    or unchecked. `untested` counts the committed atoms that no test is linked to.
    """

    snapshot: str
    declared: bool
    findings: tuple[Row, ...]
    waived: tuple[WaivedRow, ...]
    tests: Mapping[str, int]
    atoms: Mapping[str, int]
    gaps: int
    commitments: Mapping[str, int] = field(default_factory=dict)
    untested: int = 0
    rules: tuple[RuleRow, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether there are no errors."""
        return not any(row.severity == "error" for row in self.findings)

    def count(self, severity: str) -> int:
        """Count the findings with this severity."""
        return sum(row.severity == severity for row in self.findings)


def check_repo(workspace: Workspace, view: StateView) -> CheckReport:
    """Compare the view's tests with its pact, and its commitments with those of an earlier commit.

    That commit is HEAD, or none if the view is a commit; with `since` it is the merge base.
    """
    workspace.ensure_settled()
    snapshot = viewed(workspace, view)
    below = _below(workspace, snapshot, view.since)
    key = state_key(workspace, snapshot, below)
    report = kept(workspace, _FORM, key, lambda: _check(workspace, snapshot, below))
    return _within(report, view.paths)


def _below(workspace: Workspace, snapshot: Snapshot, since: str | None) -> str | None:
    """Return the commit whose commitments the snapshot must contain; None if there is nothing to compare with."""
    repository = workspace.repository
    if since is not None:
        return repository.merge_base(since, snapshot.commit or "HEAD")
    return repository.head() if snapshot.commit is None else None


def _check(workspace: Workspace, snapshot: Snapshot, below: str | None) -> tuple[CheckReport, bool]:
    """Run the check; the flag is False if the same files may get another verdict next time."""
    from pactkeeper.operators.signatures import assurances, looking  # noqa: PLC0415 - not needed if nothing changed
    from pactkeeper.reconcile.check import check  # noqa: PLC0415 - not needed for an unchanged repository
    from pactkeeper.reconcile.world import World  # noqa: PLC0415 - likewise

    pact = workspace.pact(snapshot)
    with looking(workspace, snapshot, pact, below=below) as known_by_now:
        world = World.of(workspace.scan(snapshot, pact), pact, workspace.weigh(snapshot, pact))
        known = known_by_now()
    forgotten = _forgotten(workspace, world, below) if known.base is not None and known.base.relinked else ()
    today = workspace.now().date()
    verdict = check(world.linked, pact, world.scan.gaps, today=today, known=known, forgotten=forgotten)
    verdict = replace(verdict, findings=asking_for_words(verdict.findings, snapshot, world))
    report = report_of(verdict, snapshot.name, declared=snapshot.declares)
    of_commitments = assurances(pact, known, ci=workspace.surroundings.ci)
    return replace(report, commitments=of_commitments), known.lasting


def _forgotten(workspace: Workspace, world: World, below: str | None) -> Sequence[Located]:
    """Return what an earlier commit's links proved of committed atoms and nothing proves now."""
    if below is None or not world.pact.commitments:
        return ()
    from pactkeeper.reconcile.check import forgotten_proofs  # noqa: PLC0415 - only where links changed

    return tuple(forgotten_proofs(world, workspace.pact(workspace.snapshot(below)), below))


def report_of(verdict: Verdict, snapshot: str, *, declared: bool) -> CheckReport:
    """Convert a verdict for doors, without `commitments`."""
    return CheckReport(
        snapshot,
        declared,
        tuple(row_of(entry) for entry in verdict.findings),
        tuple(
            WaivedRow(row_of(entry), waiver.by, waiver.why, waiver.until.isoformat())
            for entry, waiver in verdict.waived
        ),
        verdict.tests,
        verdict.atoms,
        verdict.gaps,
        untested=verdict.untested,
        rules=tuple(RuleRow(one.id, one.code, one.text, one.status, one.reason) for one in verdict.rules),
    )


def row_of(entry: Located) -> Row:
    """Convert one finding for doors."""
    found = entry.finding
    return Row(
        found.code,
        found.severity,
        entry.path,
        entry.line,
        found.subject,
        found.about,
        found.message,
        Advice(found.fix),
        found.fingerprint,
        tuple(line for one in found.evidence if one.quote for line in one.quote.split("\n")),
        found.invariant,
    )


def blind_spots_together(rows: Sequence[Row]) -> list[Row]:
    """Merge blind spots that have the same cause and can be left out into the first of them."""
    kinds: dict[str, list[Row]] = {}
    for row in rows:
        alike = row.code == "PK120" and row.fix
        kinds.setdefault(row.message.partition(": ")[0] if alike else f"{len(kinds)}\0", []).append(row)
    found = []
    for first, *others in kinds.values():
        said = (": ".join(filter(None, (f"{one.path}:{one.line}", one.message.partition(": ")[2]))) for one in others)
        paths = list(dict.fromkeys(row.path for row in (first, *others)))
        fix = leaving_out(paths, first.message) if others else first.fix
        more = f" (and in {len(others):,} more {'place' if len(others) == 1 else 'places'})" if others else ""
        one = replace(first, message=first.message + more, fix=Advice(fix), detail=(*first.detail, *said))
        found.append(one if others else first)
    return found


def _kept_report(fields: dict[str, Any]) -> CheckReport:
    findings = tuple(_kept_row(row) for row in fields.pop("findings"))
    waived = tuple(WaivedRow(_kept_row(one.pop("row")), **one) for one in fields.pop("waived"))
    rules = tuple(RuleRow(**one) for one in fields.pop("rules"))
    return CheckReport(findings=findings, waived=waived, rules=rules, **fields)


def _kept_row(fields: dict[str, Any]) -> Row:
    return Row(**{**fields, "fix": Advice(*fields["fix"]), "detail": tuple(fields["detail"])})


_FORM: Final = Form("verdicts/6", 12, _kept_report)


def _within(report: CheckReport, paths: Sequence[str]) -> CheckReport:
    """Narrow findings to paths; counts stay those of the whole snapshot."""
    if not paths:
        return report
    return replace(report, findings=tuple(row for row in report.findings if under(row.path, paths)))


MOST_READ: Final = 40  # tests without intent; of more none is read


def asking_for_words(findings: tuple[Located, ...], snapshot: Snapshot, world: World) -> tuple[Located, ...]:
    """Complete the fix of tests whose sentence an atom has already, and of those from which rules cannot take one.

    Of very many, as when the settings read more tests than before, the first names how to record them all as debt.
    """
    new = [one.finding for one in findings if one.finding.code in {"PK101", "PK107"}]
    orphans = [world.by_id[one.subject] for one in new if one.subject in world.by_id]
    if not orphans:
        return findings
    if len(orphans) > MOST_READ:
        return tuple(_as_debt(findings))
    from pactkeeper.reconcile.codes import quoted  # noqa: PLC0415 - only where a test is new
    from pactkeeper.reconcile.looking import atoms_saying, infer_tests  # noqa: PLC0415 - likewise

    least = round(world.pact.settings.inference_threshold * 100)
    read = {one.entry.test.id: one.inference for one in infer_tests(snapshot, orphans)}
    named = atoms_saying({test: one.intent for test, one in read.items() if one.intent}, world.pact)
    given = {test: "--intent 'One sentence.'" for test, one in read.items() if one.confidence < least}
    given |= {test: f"--atom {atom}" for test, atom in named.items()}
    better: dict[str, Advice] = {ACCEPT(quoted(test)): ACCEPT(quoted(test), words) for test, words in given.items()}
    return tuple(
        replace(one, finding=replace(one.finding, fix=better[one.finding.fix])) if one.finding.fix in better else one
        for one in findings
    )


def _as_debt(findings: Sequence[Located]) -> Iterator[Located]:
    """Complete the fix of the first of many tests without intent that continue no other one."""
    from pactkeeper.reconcile.codes import quoted  # noqa: PLC0415 - only where a test is new

    plain = [one for one in findings if one.finding.fix == ACCEPT(quoted(one.finding.subject))]
    for one in findings:
        if plain and one is plain[0]:
            fix = one.finding.fix + joined(
                "", (f"{OTHERWISE}all {len(plain):,} as debt: ", DEBT(".", "--reason 'Why.'"))
            )
            yield replace(one, finding=replace(one.finding, fix=fix))
        else:
            yield one
