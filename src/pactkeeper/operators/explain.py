"""The verb that explains one atom: wording, status, tests, invariants, history and open findings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pactkeeper.intent.atoms import Atom, Clarification, Molecule, atoms_within
from pactkeeper.intent.evidence_state import EvidenceState, backing_by_atom
from pactkeeper.intent.gate import QUALITY, gate
from pactkeeper.intent.invariants import RULES, CommitRequest, Facts
from pactkeeper.intent.invariants.declared import in_words
from pactkeeper.intent.links import Link, LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.quality import AtomWords, Quality, QualityVocabulary, assess
from pactkeeper.operators.atoms import (
    MOST_REVISIONS,
    AtomHistory,
    AtomRow,
    chain_of,
    commitments_of,
    named_atom,
    row_of,
    table_revisions,
)
from pactkeeper.operators.check import CheckReport, Row, RuleRow, check_repo
from pactkeeper.operators.proof import judged, ran_at, with_earlier
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.world import World
from pactkeeper.workspace import Workspace

WHOEVER = "whoever commits"


@dataclass(frozen=True, slots=True)
class LinkedRow:
    """One test that names the atom, with its link, and whether its last run proves anything about the current code."""

    test: LinkedTest
    link: Link
    evidence: EvidenceState


@dataclass(frozen=True, slots=True)
class Explained:
    """Everything known about one atom.

    `rules` are the invariants that apply: for a committed atom as judged by `pk check`, for a draft or proposal as by
    the gate. `molecules` contain it directly or through others. `findings` name it or a link to it.
    """

    row: AtomRow
    quality: Quality
    evidence: EvidenceState
    tests: tuple[LinkedRow, ...]
    molecules: tuple[Molecule, ...]
    rules: tuple[RuleRow, ...]
    clarifications: tuple[Clarification, ...]
    findings: tuple[Row, ...]
    history: AtomHistory


def explain_atom(workspace: Workspace, name: str) -> Explained:
    """Explain one atom, with the last commits of its table."""
    report = check_repo(workspace, StateView())
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot, required=True)
    pact = world.pact
    atom = named_atom(pact, name)
    states, atoms = judged(workspace, snapshot, world)
    backings = backing_by_atom(world.linked, states, pact, world.unseen)
    backings = with_earlier(backings, atoms, states, ran_at(workspace, snapshot, world, states))
    row = replace(row_of(atom, pact), backing=backings.get(atom.id))
    chain = tuple(row_of(pact.atoms[one], pact) for one in chain_of(atom.id, pact))
    revisions = table_revisions(workspace, atom, most=MOST_REVISIONS)
    return Explained(
        row,
        assess(AtomWords.of(atom), QualityVocabulary.of(pact.settings)),
        atoms[atom.id].state if atom.id in atoms else "none",
        tuple(LinkedRow(entry, link, states[entry.test.id].state) for entry, link in _links(world, atom)),
        tuple(one for one in pact.molecules.values() if atom.id in pact.in_force(atoms_within(one.id, pact.molecules))),
        _rules(world, row, report, at=workspace.now().isoformat()),
        pact.clarifications_of(atom.id),
        tuple(one for one in report.findings if atom.id in {one.subject, one.about}),
        AtomHistory(row, chain, commitments_of(atom.id, pact), revisions),
    )


def _links(world: World, atom: Atom) -> Iterator[tuple[LinkedTest, Link]]:
    for entry in world.linked:
        yield from ((entry, link) for link in entry.links if link.atom == atom.id)


def _rules(world: World, row: AtomRow, report: CheckReport, *, at: str) -> tuple[RuleRow, ...]:
    match row.status:
        case "committed":
            return tuple(_standing(row, report))
        case "draft" | "proposed":
            return tuple(_at_the_gate(world, row, at=at))
        case _:
            return ()


def _standing(row: AtomRow, report: CheckReport) -> Iterator[RuleRow]:
    """Yield the check's verdict on each invariant, as failed only if this atom violates it."""
    broken = {one.invariant: one.message for one in report.findings if row.atom.id in {one.subject, one.about}}
    for rule in report.rules:
        if rule.id in broken:
            yield RuleRow(rule.id, rule.code, rule.text, "failed", broken[rule.id])
        elif rule.status == "failed":
            yield RuleRow(rule.id, rule.code, rule.text, "passed", "others break it")
        else:
            yield rule


def _at_the_gate(world: World, row: AtomRow, *, at: str) -> Iterator[RuleRow]:
    request = CommitRequest((row.atom.id,), WHOEVER, "person", None)
    found = gate(request, Facts(world.pact, world.linked, at=at, unseen=world.unseen, unfinished=()))
    for one in found.checks:
        said = "; ".join(finding.message for finding in one.findings) or one.reason
        yield RuleRow(one.invariant, "", _text(one.invariant, world.pact), one.status, said)


def _text(name: str, pact: Pact) -> str:
    if name == QUALITY:
        return "The words are good enough to commit."
    return RULES[name].text if name in RULES else in_words(pact.invariants[name])
