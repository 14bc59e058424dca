"""The verb that makes a patch: look, choose, read what tests state, word it, propose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.ids import hashed_id
from pactkeeper.intent.inference import infer
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.tests import Test
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.evidence import Evidence
from pactkeeper.ledger.finding import Finding
from pactkeeper.ledger.health import COMPLETE, Health
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch, in_order
from pactkeeper.ledger.question import Question
from pactkeeper.operators.observe import baseline
from pactkeeper.operators.view import refuse_unknown
from pactkeeper.reconcile.check import check
from pactkeeper.reconcile.propose import CarrierWord, Inferred, Proposals, Proposer
from pactkeeper.reconcile.rejections import without_rejected
from pactkeeper.reconcile.runs import Mode, Run, carry_over, latest_proposal, save_run
from pactkeeper.reconcile.select import Selection, select
from pactkeeper.reconcile.world import World
from pactkeeper.repo.evidence import gather
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace

# Findings that an op of the same patch settles; the others travel with the patch.
SETTLED_BY_OPS = frozenset({"PK101", "PK106", "PK107", "PK108", "PK111", "PK203"})


@dataclass(frozen=True, slots=True)
class Request:
    """What to reconcile: `paths` or `everything` make a full scan of them, otherwise the delta since `since`."""

    paths: tuple[str, ...] = ()
    everything: bool = False
    mode: Mode | None = None
    since: str | None = None
    max_tests: int | None = None

    @property
    def full(self) -> bool:
        """Whether all tests of the paths are looked at, changed or not."""
        if self.mode is not None:
            return self.mode == "full-scan"
        return self.everything or (bool(self.paths) and self.since is None)


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The run with its patch, the world it was made for, and what no op is about: tests that need a person's words."""

    run: Run
    patch: Patch
    world: World
    needs_words: tuple[Inferred, ...]
    left_out: tuple[tuple[str, int], ...]


def reconcile_repo(workspace: Workspace, request: Request) -> Reconciled:
    """Make and store a patch for the working tree; nothing in the work tree changes."""
    workspace.ensure_settled()
    snapshot = workspace.snapshot()
    refuse_unknown(workspace, snapshot, request.paths)
    world = workspace.world(snapshot)
    base = None if request.full else baseline(workspace, request.since)
    changed = changed_tests(workspace, snapshot, world, base=base)
    selection = select(world, changed=None if request.full else changed, paths=request.paths, most=request.max_tests)
    proposals, again = without_rejected(
        propose(workspace, world, snapshot, selection=selection, changed=changed), world
    )
    selection = selection.leaving_out("rejected_before", again)
    patch = _patch(workspace, world, proposals=proposals, selection=selection)
    before = latest_proposal(workspace.state)
    run = _run(workspace, request, patch, base=base)
    save_run(workspace.state, run, patch)
    carry_over(workspace.state, before, patch)
    return Reconciled(run, patch, world, proposals.needs_words, selection.left_out)


def changed_tests(workspace: Workspace, snapshot: Snapshot, world: World, *, base: str | None) -> frozenset[str]:
    """Tests that differ from `base`, or from HEAD where there is no base; all of them before the first commit."""
    from pactkeeper.repo.delta import delta_between  # noqa: PLC0415 - no other step of a full scan needs it

    commit = base or workspace.repository.head()
    if commit is None:
        return frozenset(world.by_id)
    before = workspace.snapshot(commit)
    found = delta_between(before, workspace.scan(before, world.pact), snapshot, world.scan)
    steps = (new for _, new in (*found.moved, *found.renamed))
    return frozenset({*found.added, *found.modified, *steps})


def propose(
    workspace: Workspace, world: World, snapshot: Snapshot, *, selection: Selection, changed: frozenset[str]
) -> Proposals:
    """Word the selected tests and turn the words into ops."""
    inferred = inferences(workspace, snapshot, (*selection.infer, *selection.confirm))
    proposer = Proposer.of(
        world,
        threshold=f"{world.pact.settings.inference_threshold:.2f}",
        carrier=carrier_for(world, changed),
    )
    return proposer.propose(
        [inferred[entry.test.id] for entry in selection.infer],
        [inferred[entry.test.id] for entry in selection.confirm],
        selection.gone,
    )


def inferences(workspace: Workspace, snapshot: Snapshot, entries: Iterable[LinkedTest]) -> Mapping[str, Inferred]:
    """Read what the tests state and word it, by test id."""
    wanted = {entry.test.id: entry for entry in entries}
    found = gather(snapshot, [entry.test for entry in wanted.values()], progress=workspace.progress)
    return {name: _inferred(entry, found[name]) for name, entry in wanted.items()}


def _inferred(entry: LinkedTest, evidence: TestEvidence) -> Inferred:
    return Inferred(entry, infer(evidence), evidence)


def carrier_for(world: World, changed: frozenset[str]) -> Callable[[Test], CarrierWord]:
    """Where new links go: comments in tests that changed anyway, else the sidecar, unless the pact says so."""
    setting = world.pact.settings.link_carrier

    def carrier(test: Test) -> CarrierWord:
        if setting == "auto":
            return "comment" if test.id in changed else "sidecar"
        return setting

    return carrier


def _patch(workspace: Workspace, world: World, *, proposals: Proposals, selection: Selection) -> Patch:
    verdict = check(world.linked, world.pact, world.scan.gaps, today=workspace.now().date())
    findings = [one.finding for one in verdict.findings if one.finding.code not in SETTLED_BY_OPS]
    findings.extend(_successor_finding(atom, test, world) for atom, test in proposals.successors)
    questions = tuple(_question(one) for one in proposals.needs_words)
    gaps = len(world.scan.gaps)
    health = (
        Health("partial", f"{gaps} {'place' if gaps == 1 else 'places'} could not be seen completely")
        if gaps
        else COMPLETE
    )
    summary = {
        "tests": len(world.linked),
        "ops": len(proposals.ops),
        "looked_at": len(selection.infer) + len(selection.confirm),
        **Counter(op.verb for op in proposals.ops),
        "needs_words": len(proposals.needs_words),
        **dict(selection.left_out),
    }
    base = workspace.repository.head() or "no commit yet"
    return Patch(base, in_order(proposals.ops), tuple(_distinct(findings)), questions, {"tests": health}, summary)


def _distinct(findings: Sequence[Finding]) -> Iterable[Finding]:
    return {finding.fingerprint: finding for finding in findings}.values()


def _successor_finding(atom: str, test: str, world: World) -> Finding:
    entry = world.by_id[test]
    return Finding(
        "PK106",
        test,
        "warning",
        f"its assertions no longer say what the committed atom {atom} says; a successor is proposed",
        evidence=(Evidence("mechanical", entry.test.file, entry.test.name_line, note=entry.test.body_hash),),
        fix="pk review",
        about=atom,
    )


def _question(one: Inferred) -> Question:
    """Ask for the words that rules could not find; what they did find is the context."""
    context: dict[str, JsonValue] = {
        "file": one.entry.test.file,
        "line": one.entry.test.name_line,
        "name": one.entry.test.name,
        "draft": one.inference.intent,
        "confidence": one.confidence,
        "reasons": list(one.inference.reasons),
        "source": [claim.quote for claim in one.evidence.claims if claim.quote][:20],
    }
    return Question("word_test", one.entry.test.id, context)


def _run(workspace: Workspace, request: Request, patch: Patch, *, base: str | None) -> Run:
    at = workspace.now().isoformat(timespec="microseconds")
    return Run(
        hashed_id("REC", patch.hash, at),
        at,
        "full-scan" if request.full else "delta",
        workspace.repository.head(),
        base,
        patch.id,
        dict(patch.summary),
    )


def ops_by_group(ops: Iterable[Op]) -> Mapping[str, tuple[Op, ...]]:
    """The ops that a person decides on together, in the patch's order."""
    found: dict[str, list[Op]] = {}
    for op in ops:
        found.setdefault(op.group or op.id, []).append(op)
    return {group: tuple(members) for group, members in found.items()}
