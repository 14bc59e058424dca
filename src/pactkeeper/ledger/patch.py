"""A patch: everything one run proposes and found, against a named base; the only input of apply.

Its text form is written one way, parsed strictly, and published as a JSON Schema from the same shapes. JSON can escape
a lone surrogate, and no file, database or terminal accepts the resulting text.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from pactkeeper.advice import Advice
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.documents import read_document, refuse, write_document
from pactkeeper.ledger.finding import (
    CODE_PATTERN,
    EVIDENCE_ORDER,
    INVARIANT_PATTERN,
    Evidence,
    Finding,
    encode_evidence,
)
from pactkeeper.ledger.health import HEALTH_STATUSES, Health
from pactkeeper.ledger.op import CONFIDENCE, LINE, TEXTS, VERBS, WORDS, Op, Verb, encode_op
from pactkeeper.ledger.question import KINDS, Question, contested
from pactkeeper.ledger.shape import (
    Anything,
    Choice,
    Entries,
    Items,
    Keyed,
    Optional,
    Tagged,
    Text,
    Truth,
    Whole,
    json_schema,
)

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
    waits = {op.id: given.keys() & op.depends_on for op in given.values()}
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


Wire = dict[str, Any]  # a JSON object already checked against its shape
Value = TypeVar("Value")

NOUN: Final = "patch"
HASH: Final = Text(pattern="v1:[0-9a-f]{64}")
OP_ID: Final = Text(pattern="op-[0-9a-f]{12}")

EVIDENCE: Final = Keyed(
    {"kind": Choice(EVIDENCE_ORDER), "path": Text(), "line": LINE, "quote": Text(), "note": Text(), "absent": Truth()}
)


def _op_shape(verb: Verb) -> Keyed:
    return Keyed(
        {
            "id": OP_ID,
            "shown_hash": HASH,
            "verb": Choice((verb.name,)),
            "target": WORDS,
            "precondition": Optional(HASH),
            "payload": verb.payload,
            "evidence": Items(EVIDENCE),
            "confidence": CONFIDENCE,
            "risk": Choice((verb.risk,)),
            "group": Text(),
            "depends_on": Items(OP_ID),
        }
    )


_REPORT: Final = VERBS["invariantViolationFinding"]

FINDING: Final = Keyed(
    {
        "verb": Choice((_REPORT.name,)),
        "fingerprint": Text(pattern="fp-[0-9a-f]{16}"),
        "payload": Keyed(
            {
                **_REPORT.payload.required,
                **_REPORT.payload.optional,
                "invariantId": Text(pattern=f"{CODE_PATTERN}|{INVARIANT_PATTERN}"),
            }
        ),
        "subject": Text(),
        "about": Text(),
        "evidence": Items(EVIDENCE),
        "fix": Text(),
    },
    {"code": Text(pattern=CODE_PATTERN)},
)

QUESTION: Final = Keyed(
    {
        "id": Text(pattern="qu-[0-9a-f]{12}"),
        "kind": Choice(tuple(KINDS)),
        "subject": WORDS,
        "context": Entries(Anything()),
        "options": TEXTS,
        "default": Anything(),
        "expires": Text(),
    }
)

PATCH: Final = Keyed(
    {
        "schema": Choice((SCHEMA,)),
        "hash": HASH,
        "base": WORDS,
        "sources": Entries(Keyed({"status": Choice(HEALTH_STATUSES), "reason": Text()})),
        "summary": Entries(Whole(least=0)),
        "ops": Items(Tagged("verb", {name: _op_shape(verb) for name, verb in VERBS.items() if verb.effect})),
        "findings": Items(FINDING),
        "questions": Items(QUESTION),
    }
)


def patch_schema() -> dict[str, JsonValue]:
    """The published JSON Schema: what the reader checks, except for hashes, order and the laws between parts."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA,
        "title": "Pactkeeper patch",
        "description": "Ordered, typed operations and findings against a named base. Numbers are whole.",
        **json_schema(PATCH),
    }


def encode_patch(patch: Patch) -> str:
    """Serialize a patch; reading the text back returns an equal patch."""
    content = {
        **_heading(patch),
        "ops": [encode_op(op) for op in patch.ops],
        "findings": [encode_finding(finding) for finding in patch.findings],
        "questions": [encode_question(question) for question in patch.questions],
    }
    return write_document({"schema": content["schema"], "hash": patch.hash, **content})


def decode_patch(text: str) -> Patch:
    """Read a patch; raises PatchError with every problem: shape, ids and hashes that do not match, broken laws."""
    document: Wire = read_document(text, PATCH, noun=NOUN)
    problems: list[str] = []
    ops = _read_all(document, "ops", Part(read_op, encode_op), problems)
    findings = _read_all(document, "findings", Part(read_finding, encode_finding), problems)
    questions = _read_all(document, "questions", Part(read_question, encode_question), problems)
    sources = dict(_sources(document, problems))
    if not problems:
        problems.extend(broken_laws(ops, findings, questions))
    refuse(NOUN, problems)
    patch = Patch(document["base"], ops, findings, questions, sources, document["summary"])
    if document["hash"] != patch.hash:
        refuse(NOUN, [f"$.hash: {document['hash']} is not the hash of the content, which is {patch.hash}"])
    return patch


@dataclass(frozen=True, slots=True)
class Part(Generic[Value]):
    """How one kind of member is read and written."""

    read: Callable[[Wire], Value]
    write: Callable[[Value], Mapping[str, JsonValue]]


def _read_all(document: Wire, key: str, part: Part[Value], problems: list[str]) -> tuple[Value, ...]:
    """Parse a list of members; derived values such as ids must equal those computed from the content."""
    found: list[Value] = []
    for index, item in enumerate(document[key]):
        place = f"$.{key}[{index}]"
        try:
            value = part.read(item)
        except ValueError as error:
            problems.append(f"{place}: {error}")
            continue
        found.append(value)
        problems.extend(
            f"{place}.{name}: {item[name]!r} is not what the content gives: {derived!r}"
            for name, derived in part.write(value).items()
            if item[name] != derived
        )
    return tuple(found)


def read_op(item: Wire) -> Op:
    """The op of an object that fits its shape; raises ValueError as `Op` does."""
    return Op(
        item["verb"],
        item["target"],
        item["precondition"],
        item["payload"],
        _evidence(item),
        item["confidence"],
        item["group"],
        tuple(item["depends_on"]),
    )


def read_finding(item: Wire) -> Finding:
    """The finding of an object that fits its shape; raises ValueError as `Finding` does."""
    said = item["payload"]
    return Finding(
        item.get("code", said["invariantId"]),
        item["subject"],
        said["severity"],
        said["message"],
        _evidence(item),
        Advice(item["fix"], ""),  # a stored patch has the text for people only
        item["about"],
        said["invariantId"] if "code" in item else "",
    )


def read_question(item: Wire) -> Question:
    """The question of an object that fits its shape; raises ValueError as `Question` does."""
    options = tuple(item["options"])
    return Question(item["kind"], item["subject"], item["context"], options, item["default"], item["expires"])


def _evidence(item: Wire) -> tuple[Evidence, ...]:
    return tuple(Evidence(**one) for one in item["evidence"])


def _sources(document: Wire, problems: list[str]) -> Iterator[tuple[str, Health]]:
    for name, item in document["sources"].items():
        try:
            yield name, Health(item["status"], item["reason"])
        except ValueError as error:
            problems.append(f"$.sources.{name}: {error}")
