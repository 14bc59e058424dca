"""INV-001: a person commits an atom explicitly, and only a successor ends the commitment."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.commitments import contradictions
from pactkeeper.intent.invariants.rule import Case, CommitRequest, Judgement, Rule, Violation, judged


def judge(case: Case) -> Judgement:
    """Check that every commitment, including the requested one, is an explicit act."""
    request = case.facts.commit
    number = len(case.pact.commitments)
    noun = "commitment names" if number == 1 else "commitments name"
    return judged(
        (*(_acts(case) if request is None else _requested(case, request)), *_withdrawn(case)),
        holds=f"{number:,} {noun} who committed what" if request is None else f"{request.by} names {case.scope}",
        fails="something is committed without a person's explicit act, or taken back without a successor",
    )


def _requested(case: Case, request: CommitRequest) -> Iterator[Violation]:
    if not request.atoms:
        yield Violation("the commit", "names no atom", fix="pk commit IA-…", basis="nothing named")
    for name in request.atoms:
        if name not in case.pact.atoms:
            yield Violation(
                name, "is to be committed and the pact has no such atom", fix="pk atom list", basis="unknown"
            )
    if not request.by.strip():
        yield Violation("the commit", "names no person", fix="git config user.name 'Your Name'", basis="nobody")


def _acts(case: Case) -> Iterator[Violation]:
    for commitment in case.pact.commitments.values():
        if not commitment.by.strip():
            yield Violation(
                commitment.id,
                "names no person",
                path=commitment.path,
                line=commitment.line,
                fix=f"pk commit {' '.join(sorted(commitment.frozen))}",
                basis="nobody",
            )
        said = "; ".join(contradictions(commitment))
        if said:
            yield Violation(
                commitment.id,
                f"the file is not as `pk commit` wrote it: {said}",
                path=commitment.path,
                line=commitment.line,
                fix="restore the file from git's history",
                basis=said,
                code="PK401",
            )


def _withdrawn(case: Case) -> Iterator[Violation]:
    atoms = (case.pact.atoms[name] for name in sorted(case.pact.committed_ids & case.pact.atoms.keys()))
    for atom in atoms if case.facts.commit is None else case.atoms:
        name = atom.id
        if atom.status == "abandoned":
            yield Violation(
                name,
                "cannot be committed and abandoned at once; only a successor ends a commitment",
                path=atom.path,
                line=atom.line,
                fix=f"take status out of the table [{name}], or replace it: pk atom supersede {name} --edit",
                basis="abandoned",
            )


RULE = Rule(
    id="INV-001",
    name="explicit commitment",
    code="PK301",
    text="An atom is committed by a person who names it in a commitment, and stays so until a successor is committed.",
    why="Intent that slips in or out of force without anybody saying so is nobody's intent.",
    fix="Commit by `pk commit`, and replace by `pk atom supersede`.",
    checked={
        "pk check": "commitments name a person and are as `pk commit` wrote them (PK401); none holds an abandoned atom",
        "pk commit": "the commit names a person and atoms that exist",
    },
    judge=judge,
    overridable=False,
)
