"""Verbs for what groups and governs atoms: molecules, commitments, invariants; and for the pact's own files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from pactkeeper.advice import REPLACE
from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Molecule
from pactkeeper.ledger.canonical import digest
from pactkeeper.ledger.shape import Choice, Text
from pactkeeper.operators import accept, commitments, invariants, molecules
from pactkeeper.operators.commitments import CommitmentRow, Filter
from pactkeeper.operators.invariants import Superseded
from pactkeeper.operators.molecules import cluster_atoms_for_molecules
from pactkeeper.operators.view import StateView
from pactkeeper.published.atoms import MOLECULE
from pactkeeper.published.plain import Codec
from pactkeeper.published.quality import COMMITMENT, RULE
from pactkeeper.published.schema import OneOf
from pactkeeper.reconcile.molecules import MoleculeView as Group
from pactkeeper.verbs.review import propose_patch
from pactkeeper.verbs.verb import BY, FLAG, ID, LINE, WRITTEN, Call, Document, Verb, YesWanted, both, may, needs, texts

_GROUP: Final = Codec(Group, "key name atoms")
_HOLDING: Final = Codec(molecules.MoleculeDetail, "*molecule all_atoms=atoms", molecule=MOLECULE, all_atoms="atom.id")
_SUPERSEDED: Final = Codec(Superseded, "old new change_set atoms=impact.atoms tests=impact.tests", change_set=MOLECULE)


def list_molecules(asked: Call) -> list[tuple[bool, Molecule | Group]]:
    """List stored molecules, then computed groups."""
    found = molecules.list_molecules(asked.workspace, asked.given.get("by", "path"))
    return [*((True, one) for one in found.stored), *((False, one) for one in found.computed)]


def list_commitments(asked: Call) -> Sequence[CommitmentRow]:
    """List commitments."""
    first, _, last = asked.text("date").partition("..")
    since, until = _day(first), _day(last or first)
    chosen = Filter(asked.maybe("atom"), asked.given.get("status"), since, until)
    return commitments.list_commitments(asked.workspace, chosen)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise UsageError(f"{text!r} is not a day; write 2026-11-22, or 2026-11-01..2026-11-30") from error


def supersede_invariant(asked: Call) -> Document | YesWanted:
    """Replace a declared invariant by another; asks a person first."""
    old, new, dry = asked.text("old"), asked.text("new"), asked.flag("dry_run")
    seen = invariants.supersede_invariant(asked.workspace, old, new, dry_run=True)
    facts = _SUPERSEDED(seen)
    key = "rule-" + digest([seen.old, seen.new, asked.workspace.snapshot().listing_hash()])[3:15]
    if dry:
        return {**facts, "status": "dry run"}
    if asked.granted != key:
        changed = f"{len(seen.impact.atoms)} atoms and {len(seen.impact.tests)} tests break the new rule"
        message = f"Switch the rule {seen.old} off and {seen.new} on? {changed}."
        return YesWanted(key, message, REPLACE(seen.old, seen.new), facts)
    return {**_SUPERSEDED(invariants.supersede_invariant(asked.workspace, old, new)), "status": "applied"}


ROWS: Final = (
    Verb(
        molecules.list_molecules,
        None,
        "Stored molecules and computed groups.",
        title="Molecules",
        categories=("atom",),
        routes=("GET /molecules",),
        takes=may(by=BY),
        gives={"molecules": [({"stored": bool}, OneOf((MOLECULE, _GROUP)))]},
        answer=list_molecules,
        pages="molecules",
    ),
    Verb(
        commitments.list_commitments,
        None,
        "Commitments, newest first.",
        title="Commitments",
        categories=("atom",),
        routes=("GET /commitments",),
        takes=may(atom=ID, status=Choice(("standing", "superseded", "broken")), date=Text(10, 22)),
        means={"date": "day, or day..day, in UTC"},
        gives={"commitments": [COMMITMENT]},
        answer=list_commitments,
        pages="commitments",
    ),
    Verb(
        commitments.get_commitment,
        None,
        "One commitment, or those of an atom.",
        title="Commitment",
        categories=("atom",),
        routes=("GET /commitments/{name}",),
        takes=needs(name=ID),
        means={"name": "commitment or atom id"},
        gives={"commitments": [COMMITMENT]},
        answer=lambda asked: commitments.get_commitment(asked.workspace, asked.text("name")),
    ),
    Verb(
        invariants.get_invariants,
        None,
        "Rules for pact and tests.",
        title="Rules",
        categories=("atom",),
        routes=("GET /invariants",),
        takes=may(ids=texts()),
        means={"ids": "rule ids"},
        gives={"invariants": [RULE]},
        answer=lambda asked: invariants.get_invariants(asked.workspace, StateView(), asked.texts("ids")),
        pages="invariants",
    ),
    Verb(
        invariants.supersede_invariant,
        "annotate",
        "Replace a declared rule; asks a person.",
        title="Replace rule",
        categories=("atom",),
        routes=("POST /invariants/{old}/supersede",),
        takes=both(needs(old=ID, new=ID), may(dry_run=FLAG)),
        means={"old": "rule id", "new": "rule id"},
        gives=(_SUPERSEDED, {"status": str}),
        answer=supersede_invariant,
        destructive=True,
    ),
    Verb(
        molecules.cluster_atoms_for_molecules,
        None,
        "Groups of atoms that no molecule holds.",
        title="Cluster",
        categories=("atom",),
        routes=("GET /molecules/clusters",),
        takes=may(by=BY),
        gives={"clusters": [_GROUP]},
        answer=lambda asked: cluster_atoms_for_molecules(asked.workspace, asked.given.get("by", "path")),
        pages="clusters",
    ),
    Verb(
        molecules.get_molecule,
        None,
        "A stored molecule with all it holds.",
        routes=("GET /molecules/{molecule}",),
        takes=needs(molecule=ID),
        gives=_HOLDING,
        answer=lambda asked: molecules.get_molecule(asked.workspace, asked.text("molecule")),
    ),
)


def accept_test(asked: Call) -> Document | YesWanted:
    """Propose what a test lacks: an atom, or a confirmed link."""
    words = accept.AcceptedWords(asked.maybe("atom"), asked.maybe("intent"), by="agent", confirmed=False)
    seen = accept.accept_tests(asked.workspace, [asked.text("test")], words, dry_run=True)
    return propose_patch(asked, seen.patch, {})


PACT_ROWS: Final = (
    Verb(
        accept.accept_tests,
        "annotate",
        "Give a test its atom or confirm its link; asks a person.",
        called="accept_test",
        title="Accept test",
        categories=("reconcile",),
        routes=("POST /tests/accept",),
        takes=both(needs(test=LINE), may(atom=ID, intent=LINE, dry_run=FLAG)),
        means={"atom": "link to this atom", "intent": "one for a new atom"},
        gives=WRITTEN,
        answer=accept_test,
        idempotent=True,
    ),
)
