"""INV-006: people commit, agents do not; what a terminal asserts is not called proven."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pactkeeper.intent.atoms import Commitment
from pactkeeper.intent.invariants.rule import PENDING, Case, CommitRequest, Judgement, Rule, Violation, not_checked
from pactkeeper.intent.signatures import Unverified, Verified


def judge(case: Case) -> Judgement:
    """Judge who asks to commit, or, without a request, every commitment by its signature."""
    request = case.facts.commit
    if request is not None:
        return _requested(request)
    known = [one for one in case.pact.commitments.values() if one.id != PENDING]
    broken = tuple(_broken(case, known))
    if broken:
        return Judgement("failed", "a signature does not show who committed", broken)
    asserted = [one.id for one in known if not _shown(case, one)]
    if asserted:
        return Judgement(
            "asserted", f"not shown by a verified signature: {len(asserted):,} of {_commitments(len(known))}"
        )
    return Judgement("passed", "every commitment is signed by the person it names" if known else "nothing is committed")


def _commitments(number: int) -> str:
    return f"{number:,} {'commitment' if number == 1 else 'commitments'}"


def _requested(request: CommitRequest) -> Judgement:
    if request.actor != "person":
        violation = Violation(
            "the commit",
            f"is asked for by {request.by or 'somebody'}, who acts as {request.actor!r}",
            fix=f"let a person commit: pk commit {' '.join(request.atoms)}",
            basis=request.actor,
        )
        return Judgement("failed", "only a person may commit", (violation,))
    if request.assurance is None:
        return not_checked("nothing is known about who asks")
    if request.assurance == "terminal":
        return Judgement("asserted", f"{request.by} was typed at a terminal, which a program can do as well")
    if request.assurance == "session":
        return Judgement(
            "asserted", f"{request.by} was signed in to a server, which a program with the cookie is as well"
        )
    return Judgement("passed", f"{request.by} is shown by a signature ({request.assurance})")


def _shown(case: Case, commitment: Commitment) -> bool:
    return isinstance((case.facts.verified or {}).get(commitment.id), Verified)


def _broken(case: Case, commitments: Iterable[Commitment]) -> Iterator[Violation]:
    for one in commitments:
        found = (case.facts.verified or {}).get(one.id)
        if isinstance(found, Unverified) and found.flaw != "not checked":
            message = f"the signature does not show that {one.by} committed: {found.reason}"
            fix = f"let {one.by} commit again: pk commit --sign KEY {' '.join(sorted(one.frozen))}"
            yield Violation(one.id, message, path=one.path, line=one.line, fix=fix, basis=f"{found.flaw} {found.key}")


RULE = Rule(
    id="INV-006",
    name="agents may not commit",
    code="PK306",
    text="Only a person commits. What is typed at a terminal asserts it; a signature that was verified shows it.",
    why="A commitment is worth what it cost a person to stand by it.",
    fix="Let a person commit; with `--sign` where it must be shown.",
    checked={
        "pk check": "who signed every commitment; one without a verified signature is asserted",
        "pk commit": "who asks: asserted at a terminal, passed with a signature, failed for anything but a person",
    },
    judge=judge,
    overridable=False,
)
