"""Compute scans, deltas and the open tasks when no cached result is valid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pactkeeper.intent.binding import Files
from pactkeeper.intent.conflicts import find_conflicts
from pactkeeper.intent.coverage import Uncovered, uncovered
from pactkeeper.intent.links import LinkedTest, realisers_by_atom
from pactkeeper.intent.records import MoleculeRecommendation
from pactkeeper.intent.tests import Gap, under
from pactkeeper.ledger.canonical import tally
from pactkeeper.ledger.op import Aim
from pactkeeper.ledger.question import Question
from pactkeeper.operators.backlog import Backlog
from pactkeeper.operators.check import asking_for_words
from pactkeeper.operators.colours import swept_line
from pactkeeper.operators.fix_tasks import list_fix_tasks
from pactkeeper.operators.observe import DeltaReport, Statistics, SweptLine, TestRow
from pactkeeper.operators.proof import judged, proof
from pactkeeper.operators.signatures import known_commitments
from pactkeeper.operators.test_reports import read_all
from pactkeeper.operators.view import StateView, history_key, state_key, viewed
from pactkeeper.reconcile.backlog import Confirmable, Sources, backlog
from pactkeeper.reconcile.check import Verdict, check
from pactkeeper.reconcile.select import WITHOUT_INTENT, Memory, seen_as
from pactkeeper.reconcile.world import World
from pactkeeper.repo.delta import Delta, delta_between
from pactkeeper.repo.reports import read_coverage
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace


def gather(workspace: Workspace, snapshot: Snapshot, coverage: Sequence[str]) -> tuple[Backlog, bool]:
    """Find all open tasks; the flag is False if the same files may give another list next time."""
    world = workspace.world(snapshot)
    verdict, lasting = verdict_of(workspace, snapshot, world)
    covered = _covered(workspace, snapshot, world, coverage)
    states, _ = judged(workspace, snapshot, world)
    questions, molecules = _of_history(workspace, world)
    tasks = backlog(
        Sources(
            asking_for_words(verdict.findings, snapshot, world),
            world.linked,
            world.pact,
            open_by_test(workspace, snapshot, world),
            questions,
            molecules,
            find_conflicts(world.pact, world.linked).found,
            states,
            covered,
            _looked_at(workspace, world),
            open_by_test(workspace, snapshot, world, accepted=True),
            _proposed(workspace),
        )
    )
    unseen = () if covered is not None else ("coverage: name a report with --coverage FILE",)
    return Backlog(tasks, tuple(entry.finding.fingerprint for entry, _ in verdict.waived), unseen), lasting


def _proposed(workspace: Workspace) -> Confirmable | None:
    """Return what an agent proposes and a person has to confirm."""
    if not workspace.has_history:
        return None
    from pactkeeper.operators.proposals import waiting_proposal  # noqa: PLC0415 - only with a history

    found = waiting_proposal(workspace)
    return None if found is None else Confirmable(found.patch.id, found.name, found.asked[0].by, len(found.asked))


def verdict_of(workspace: Workspace, snapshot: Snapshot, world: World) -> tuple[Verdict, bool]:
    """Run a check; the flag is False if a signature could not be verified but may be next time."""
    known = known_commitments(workspace, snapshot, world.pact, below=workspace.repository.head())
    return check(world.linked, world.pact, world.scan.gaps, today=workspace.now().date(), known=known), known.lasting


def _covered(workspace: Workspace, snapshot: Snapshot, world: World, names: Sequence[str]) -> Uncovered | None:
    if not names:
        return None
    reports = [coverage for _, coverage in read_all(workspace, names, read_coverage)]
    structure = workspace.structure(snapshot, world.pact)
    sources = {file.path for file in structure.files if file.language and not file.is_test}
    return uncovered(reports, sources, world.linked, Files(snapshot.paths, str(workspace.repository.root)))


def open_by_test(
    workspace: Workspace, snapshot: Snapshot, world: World, *, accepted: bool = False
) -> Mapping[str, tuple[str, ...]]:
    """Return the undecided ops, or those accepted but not applied, that still hold, by test; none without a history."""
    if not workspace.has_history:
        return {}
    from pactkeeper.store.waiting import Aims, open_ops_by_test  # noqa: PLC0415 - only with a history

    memory = workspace.memory
    held: dict[str, bool] = memory.recall("held", state_key(workspace, snapshot), dict)
    aims: Aims = memory.recall("aims", workspace.identity, dict)

    def holds(op: Aim) -> bool:
        """Whether the op holds, cached while the files are unchanged: there may be very many."""
        if op.id not in held:
            held[op.id] = world.holds(op)
        return held[op.id]

    return memory.recall(
        "accepted" if accepted else "open",
        history_key(workspace, snapshot),
        lambda: open_ops_by_test(workspace.history(), holds, aims, accepted=accepted),
    )


def _of_history(workspace: Workspace, world: World) -> tuple[tuple[Question, ...], tuple[MoleculeRecommendation, ...]]:
    """Return the runs' open questions and recommended groups that still apply."""
    if not workspace.has_history:
        return (), ()
    from pactkeeper.store.questions import open_questions  # noqa: PLC0415 - only with a history
    from pactkeeper.store.recommendations import molecule_recommendations  # noqa: PLC0415 - likewise

    history = workspace.history()
    unlinked = {entry.test.id for entry in world.linked if entry.state in WITHOUT_INTENT}
    questions = tuple(one for one in open_questions(history) if one.subject in unlinked)
    latest = {one.subject: one for one in questions}
    return tuple(latest.values()), molecule_recommendations(history, status="pending")


def _looked_at(workspace: Workspace, world: World) -> frozenset[str]:
    """Return tests that a run has examined in their current form, so that another would skip them."""
    if not workspace.has_history:
        return frozenset()
    from pactkeeper.reconcile.asking import known_tests  # noqa: PLC0415 - only with a history
    from pactkeeper.store.waiting import proposed_by_waiting  # noqa: PLC0415 - likewise

    history = workspace.history()
    unlinked = [entry for entry in world.linked if entry.state in WITHOUT_INTENT]
    known = known_tests(history, None)
    records = {entry.test.id: known[entry.test.id] for entry in unlinked if entry.test.id in known}
    proposed = proposed_by_waiting(history, of={one.recommendation for one in records.values() if one.recommendation})
    memory = Memory(records, frozenset(op.id for op in proposed), proposed=proposed).without_stale(world)
    return frozenset(entry.test.id for entry in unlinked if memory.knows(entry.test.id, seen_as(entry, world)))


def count(workspace: Workspace, snapshot: Snapshot) -> tuple[Statistics, bool]:
    """Count; the flag is False if the same files may give other numbers next time."""
    world = workspace.world(snapshot)
    verdict, lasting = verdict_of(workspace, snapshot, world)
    severities = Counter(entry.finding.severity for entry in verdict.findings)
    counted = Statistics(
        snapshot.name,
        snapshot.declares,
        verdict.tests,
        tally(entry.test.framework for entry in world.linked),
        verdict.atoms,
        len(world.pact.debt.by_test),
        len(world.scan.gaps),
        severities["error"],
        severities["warning"],
        len(open_by_test(workspace, snapshot, world)),
        None,
        _orphans_by_folder(world),
        proof(workspace, snapshot, world),
        swept_line_of(workspace),
    )
    return counted, lasting


def swept_line_of(workspace: Workspace) -> SweptLine | None:
    """Return how the main line stands, with its open fix tasks; None without a history."""
    if not workspace.has_history:
        return None
    line = swept_line(workspace)
    commit = line.last.commit if line.last else ""
    return SweptLine(line.colour, commit, len(list_fix_tasks(workspace)), line.unswept)


def _orphans_by_folder(world: World) -> tuple[tuple[str, int], ...]:
    """Return the five folders with the most tests without an intent."""
    unlinked = [entry.test.file for entry in world.linked if entry.state in WITHOUT_INTENT]
    folders = Counter(file.rpartition("/")[0] or "." for file in unlinked)
    return tuple(sorted(folders.items(), key=lambda item: (-item[1], item[0]))[:5])


@dataclass(frozen=True, slots=True)
class Sight:
    """The tests of a view with their links, and what could not be scanned."""

    snapshot: str
    linked: tuple[LinkedTest, ...]
    gaps: tuple[Gap, ...]


def sight(workspace: Workspace, view: StateView) -> Sight:
    """Find every test of the view and its links."""
    snapshot = viewed(workspace, view)
    world = workspace.world(snapshot, judged=False)
    linked = tuple(entry for entry in world.linked if not view.paths or under(entry.test.file, view.paths))
    return Sight(snapshot.name, linked, tuple(world.scan.gaps))


def row_of(entry: LinkedTest) -> TestRow:
    """Convert a test with its links for doors."""
    test = entry.test
    return TestRow(
        test.id,
        test.file,
        test.suite,
        test.name,
        test.name_line,
        test.end_line,
        test.language,
        test.framework,
        test.cases,
        test.dynamic,
        test.body_hash,
        tuple((link.atom, link.state, link.carrier) for link in entry.links),
        entry.state,
    )


def compare(workspace: Workspace, base: Snapshot, target: Snapshot, paths: tuple[str, ...]) -> DeltaReport:
    """Compare the tests of two snapshots, and what that means for the pact."""
    after = workspace.world(target, judged=False)
    pact = workspace.pact(base, judged=False)
    before = workspace.scan(base, pact)
    delta = delta_between(base, before, target, after.scan)
    delta = delta.under(paths) if paths else delta
    touched = {*delta.added, *delta.modified, *(new for _, new in (*delta.moved, *delta.renamed))}
    return DeltaReport(
        base.commit or base.name,
        target.commit or target.kind,
        delta,
        tuple(name for name in delta.modified if after.by_id[name].links),
        tuple(name for name in sorted(touched) if after.by_id[name].state in {"orphan", "changed_debt"}),
        _lost(World.of(before, pact, workspace.weigh(base, pact)), after, delta) if after.pact.atoms else (),
    )


def _lost(before: World, after: World, delta: Delta) -> tuple[str, ...]:
    """Return atoms that a deleted or changed test used to name and no test names now."""
    touched = {*delta.deleted, *delta.modified, *(old for old, _ in (*delta.moved, *delta.renamed))}
    named = {atom for name in touched if name in before.by_id for atom in before.by_id[name].atoms()}
    now = realisers_by_atom(after.linked)
    return tuple(sorted(atom for atom in named if atom not in now and atom in after.pact.atoms))
