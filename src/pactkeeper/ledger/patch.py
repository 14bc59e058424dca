"""A patch: everything one run proposes and found, against a named base; the only input of apply."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.finding import Finding, encode_evidence
from pactkeeper.ledger.health import Health
from pactkeeper.ledger.op import Op, encode_op
from pactkeeper.ledger.question import Question, contested

SCHEMA = "pactkeeper.patch/1"


@dataclass(frozen=True, slots=True)
class Patch:
    """What a run proposes (`ops`), found (`findings`) and could not settle (`questions`).

    `base` names the state it was made for (a commit, `index`, or a digest of a working tree). `sources` says how
    completely each source was seen, `summary` counts what the run did, including what it held back. Every op comes
    after those it depends on. Raises ValueError listing all broken laws; see `broken_laws`.
    """

    base: str
    ops: tuple[Op, ...] = ()
    findings: tuple[Finding, ...] = ()
    questions: tuple[Question, ...] = ()
    sources: Mapping[str, Health] = field(default_factory=dict)
    summary: Mapping[str, int] = field(default_factory=dict)
    hash: str = field(init=False)

    def __post_init__(self) -> None:
        broken = tuple(broken_laws(self.ops, self.findings, self.questions))
        if broken:
            raise ValueError(f"the patch against {self.base!r} breaks its laws: {'; '.join(broken)}")
        object.__setattr__(self, "hash", _patch_hash(self))

    @property
    def id(self) -> str:
        """The short id of the content: `pa-` and 12 hex digits."""
        return "pa-" + self.hash[3:15]

    @property
    def empty(self) -> bool:
        """Whether it proposes nothing, finds nothing and asks nothing."""
        return not (self.ops or self.findings or self.questions)


def broken_laws(ops: Sequence[Op], findings: Sequence[Finding], questions: Sequence[Question]) -> Iterator[str]:
    """Yield every law that these parts would break together in one patch.

    Each op, finding and question occurs once; an op follows everything it depends on, all of which is in the patch; no
    node is created twice; no subject is both proposed and asked about.
    """
    yield from _repeated("op", (op.id for op in ops))
    yield from _repeated("finding", (finding.fingerprint for finding in findings))
    yield from _repeated("question", (question.id for question in questions))
    yield from _repeated("creation of", (op.target for op in ops if op.precondition is None))
    before: set[str] = set()
    for op in ops:
        yield from (
            f"op {op.id} depends on {name}, which does not precede it" for name in op.depends_on if name not in before
        )
        before.add(op.id)
    yield from (f"{subject} is both proposed and asked about" for subject in contested(ops, questions))


def in_order(ops: Iterable[Op]) -> tuple[Op, ...]:
    """Sort ops so that each follows its dependencies, otherwise keeping the order; raises ValueError for a cycle.

    Dependencies outside `ops` are ignored here; a patch refuses them.
    """
    given = {op.id: op for op in ops}
    rank = {name: index for index, name in enumerate(given)}
    names = list(given)
    waits = {op.id: {name for name in op.depends_on if name in given} for op in given.values()}
    followers: dict[str, list[str]] = {}
    for name, needed in waits.items():
        for one in needed:
            followers.setdefault(one, []).append(name)
    ready = [rank[name] for name, needed in waits.items() if not needed]
    ordered: list[Op] = []
    while ready:
        op = given[names[heapq.heappop(ready)]]
        ordered.append(op)
        for name in followers.get(op.id, ()):
            waits[name].discard(op.id)
            if not waits[name]:
                heapq.heappush(ready, rank[name])
    if len(ordered) < len(given):
        raise ValueError(
            f"these ops depend on each other in a cycle: {', '.join(name for name in given if waits[name])}"
        )
    return tuple(ordered)


def _patch_hash(patch: Patch) -> str:
    """Hash the patch from each op's shown hash, so that the text of the whole patch is never built."""
    return digest(
        {
            **_heading(patch),
            "ops": [op.shown_hash for op in patch.ops],
            "findings": [digest(encode_finding(finding)) for finding in patch.findings],
            "questions": [digest(encode_question(question)) for question in patch.questions],
        }
    )


def _heading(patch: Patch) -> dict[str, JsonValue]:
    return {
        "schema": SCHEMA,
        "base": patch.base,
        "sources": {name: {"status": one.status, "reason": one.reason} for name, one in patch.sources.items()},
        "summary": dict(patch.summary),
    }


def patch_content(patch: Patch) -> dict[str, JsonValue]:
    """Return everything the content hash covers, in serialized form: the whole document except the hash."""
    return {
        **_heading(patch),
        "ops": [encode_op(op) for op in patch.ops],
        "findings": [encode_finding(finding) for finding in patch.findings],
        "questions": [encode_question(question) for question in patch.questions],
    }


def encode_finding(finding: Finding) -> dict[str, JsonValue]:
    """Return the form stored in patches: a report under the verb of a finding, which cannot be applied.

    `invariantId` is the broken rule, with `code` beside it, or the code of a finding that breaks no rule.
    """
    place = next((one for one in finding.evidence if one.path), None)
    code: dict[str, JsonValue] = {"code": finding.code} if finding.invariant else {}
    return {
        "verb": "invariantViolationFinding",
        **code,
        "fingerprint": finding.fingerprint,
        "payload": {
            "invariantId": finding.invariant or finding.code,
            "message": finding.message,
            "severity": finding.severity,
            "location": {"path": place.path, "line": place.line} if place else None,
        },
        "subject": finding.subject,
        "about": finding.about,
        "evidence": [encode_evidence(one) for one in finding.evidence],
        "fix": finding.fix,
    }


def encode_question(question: Question) -> dict[str, JsonValue]:
    """Return the form stored in patches."""
    return {
        "id": question.id,
        "kind": question.kind,
        "subject": question.subject,
        "context": question.context,
        "options": list(question.options),
        "default": question.default,
        "expires": question.expires,
    }


def _repeated(noun: str, names: Iterable[str]) -> Iterator[str]:
    yield from (f"{noun} {name} is there {count} times" for name, count in Counter(names).items() if count > 1)
