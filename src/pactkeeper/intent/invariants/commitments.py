"""Rules about commitments: people commit, explicitly, and what they froze and its evidence stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pactkeeper.advice import ABANDON, COMMIT, SUPERSEDE
from pactkeeper.intent.atoms import Commitment
from pactkeeper.intent.commitments import contradictions
from pactkeeper.intent.invariants.rule import (
    PENDING,
    Case,
    CommitRequest,
    Judgement,
    Rule,
    Seal,
    Violation,
    judged,
    not_checked,
)
from pactkeeper.intent.signatures import Unverified, Verified


def judge_explicit(case: Case) -> Judgement:
    """Check that every commitment, including the requested one, is an explicit act."""
    request = case.facts.commit
    number = len(case.pact.commitments)
    noun = "commitment names" if number == 1 else "commitments name"
    return judged(
        (*(_acts(case) if request is None else _requested(case, request)), *_withdrawn(case)),
        holds=f"{number:,} {noun} who committed what" if request is None else f"{request.by} names {case.scope}",
        fails="something is committed or given up without a person's explicit act",
    )


def _requested(case: Case, request: CommitRequest) -> Iterator[Violation]:
    if not request.atoms:
        yield Violation("the commit", "names no atom", fix=COMMIT("IA-…"), basis="nothing named")
    for name in request.atoms:
        if name not in case.pact.atoms:
            yield Violation(name, "is to be committed, but is not in the pact", fix="pk atom list", basis="unknown")
    if not request.by.strip():
        yield Violation("the commit", "names no person", fix="git config user.name 'Your Name'", basis="nobody")


def _acts(case: Case) -> Iterator[Violation]:
    for commitment in case.pact.commitments.values():
        if not commitment.by.strip():
            again = COMMIT(*sorted(commitment.frozen))
            yield Violation.of(commitment, "names no person", fix=again, basis="nobody")
        said = "; ".join(contradictions(commitment))
        if said:
            message = f"the file is not as it was committed: {said}"
            fix = "restore the file from git's history"
            yield Violation.of(commitment, message, fix=fix, basis=said, code="PK401")


def _withdrawn(case: Case) -> Iterator[Violation]:
    atoms = (case.pact.atoms[name] for name in sorted(case.pact.committed_ids & case.pact.atoms.keys()))
    for atom in atoms if case.facts.commit is None else case.atoms:
        if atom.status == "abandoned":
            message = (
                "cannot be both committed and abandoned by its table; a person ends a commitment, or a successor does"
            )
            fix = f"remove status from the table [{atom.id}], then give it up: " + ABANDON(atom.id, "--reason 'Why.'")
            yield Violation.of(atom, message, fix=fix, basis="abandoned")


EXPLICIT = Rule(
    id="INV-001",
    name="explicit commitment",
    code="PK301",
    text="An atom is committed by a person who names it in a commitment, and stays committed until a successor is or a "
    "person gives it up.",
    why="Intent that takes or loses effect without anybody's decision is nobody's intent.",
    fix="A person commits; a committed successor replaces, or a person abandons.",
    checked={
        "check": "commitments name a person and are as they were committed (PK401); no committed atom's table says "
        "abandoned",
        "commit": "the commit names a person and atoms that exist",
    },
    judge=judge_explicit,
    overridable=False,
)


def judge_immutable(case: Case) -> Judgement:
    """Compare every frozen hash with the current atom; for a commit, only those of its own, already committed atoms."""
    number = len(case.pact.committed_ids)
    frozen = f"{number:,} frozen {'atom is' if number == 1 else 'atoms are'} as frozen"
    return judged(
        _thawed(case),
        holds=frozen if case.facts.commit is None else "no earlier commitment says otherwise",
        fails="committed atoms differ from what is in the pact",
    )


def _thawed(case: Case) -> Iterator[Violation]:
    wanted = None if case.facts.commit is None else set(case.facts.commit.atoms)
    for commitment in case.pact.commitments.values():
        for name, frozen in commitment.frozen.items():
            if commitment.id == PENDING or (wanted is not None and name not in wanted):
                continue
            atom = case.pact.atoms.get(name)
            if atom is None:
                message, fix = f"{commitment.id} froze this atom, which is gone", f"restore the table [{name}]"
                yield Violation(
                    name, message, path=commitment.path, line=commitment.line, fix=fix, basis=frozen, code="PK202"
                )
            elif atom.frozen_hash() != frozen:
                fix = f"restore the table [{name}], and declare a successor: " + SUPERSEDE(name, "--edit")
                message = f"differs from what {commitment.id} froze"
                yield Violation.of(atom, message, fix=fix, basis=atom.frozen_hash(), code="PK201")


IMMUTABLE = Rule(
    id="INV-004",
    name="immutable",
    code="PK201",
    text="The intent, category, outcomes and falsifiers of a committed atom never change.",
    why="A promise that can be reworded later binds nobody; a change of mind is a new atom.",
    fix="Restore what was frozen, and declare a successor.",
    checked={
        "check": "every frozen hash against the atom (findings PK201 and PK202, with the difference)",
        "commit": "that no atom to be committed differs from an earlier commitment of it",
    },
    judge=judge_immutable,
    overridable=False,
)


def judge_people(case: Case) -> Judgement:
    """Judge who asks to commit, or, without a request, every commitment by its signature."""
    request = case.facts.commit
    if request is not None:
        return _committed_by_a_person(request)
    known = [one for one in case.pact.commitments.values() if one.id != PENDING]
    broken = tuple(_broken(case, known))
    if broken:
        return Judgement("failed", "a signature does not show who committed", broken)
    verified = case.facts.verified or {}
    asserted = [one.id for one in known if not isinstance(verified.get(one.id), Verified)]
    if asserted:
        of = f"{len(known):,} {'commitment' if len(known) == 1 else 'commitments'}"
        return Judgement("asserted", f"not shown by a verified signature: {len(asserted):,} of {of}")
    return Judgement("passed", "every commitment is signed by the person it names" if known else "nothing is committed")


def _committed_by_a_person(request: CommitRequest) -> Judgement:
    if request.actor != "person":
        violation = Violation(
            "the commit",
            f"is asked for by {request.by or 'somebody'}, who acts as {request.actor!r}",
            fix="let a person commit: " + COMMIT(*request.atoms),
            basis=request.actor,
        )
        return Judgement("failed", "only a person may commit", (violation,))
    if request.assurance is None:
        return not_checked("it is unknown who asks")
    if request.assurance == "terminal":
        return Judgement("asserted", f"{request.by} was typed at a terminal, which a program can also do")
    if request.assurance == "session":
        return Judgement("asserted", f"{request.by} was signed in to a server, as a program with the cookie would be")
    return Judgement("passed", f"{request.by} is shown by a signature ({request.assurance})")


def _broken(case: Case, commitments: Iterable[Commitment]) -> Iterator[Violation]:
    for one in commitments:
        found = (case.facts.verified or {}).get(one.id)
        if isinstance(found, Unverified) and found.flaw != "not checked":
            message = f"the signature does not show that {one.by} committed: {found.reason}"
            fix = f"let {one.by} commit again: " + COMMIT("--sign KEY", *sorted(one.frozen))
            yield Violation.of(one, message, fix=fix, basis=f"{found.flaw} {found.key}")


PEOPLE_COMMIT = Rule(
    id="INV-006",
    name="agents may not commit",
    code="PK306",
    text="Only a person commits. Typing at a terminal asserts it; a verified signature shows it.",
    why="A commitment is worth what it cost a person to stand by it.",
    fix="Let a person commit; with `--sign` if it must be shown.",
    checked={
        "check": "who signed each commitment; without a verified signature it is only asserted",
        "commit": "who asks: asserted at a terminal, passed with a signature, failed for anything but a person",
    },
    judge=judge_people,
    overridable=False,
)


def judge_evidence(case: Case) -> Judgement:
    """Compare every piece of evidence with the hash stored when it was recorded."""
    sealed = case.facts.sealed
    if sealed is None:
        return not_checked("what was recorded earlier is unknown without the history")
    return judged(
        [_altered(name, seal) for name, seal in sorted(sealed.items()) if seal.found != seal.noted],
        holds=f"{len(sealed):,} {'piece' if len(sealed) == 1 else 'pieces'} of evidence as recorded",
        fails="recorded evidence has changed",
    )


def _altered(name: str, seal: Seal) -> Violation:
    what = "is gone" if seal.found is None else "has changed since it was recorded"
    return Violation(name, what, fix=f"restore it, or record it again: the hash was {seal.noted}", basis=seal.noted)


KEPT_EVIDENCE = Rule(
    id="INV-007",
    name="evidence is immutable",
    code="PK307",
    text="Recorded evidence, such as the outcome of a test at a commit, never changes; new evidence is added "
    "beside it.",
    why="Whoever can rewrite a proof can prove anything.",
    fix="Restore the record.",
    checked={"invariant test": "attestations in the history, by the hash noted when they were kept"},
    judge=judge_evidence,
    overridable=False,
)
