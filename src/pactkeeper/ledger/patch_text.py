"""The text form of a patch: written one way, parsed strictly, and published as a JSON Schema from the same shapes.

JSON can escape a lone surrogate, and no file, database or terminal accepts the resulting text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pactkeeper.advice import Advice
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.documents import read_document, refuse, write_document
from pactkeeper.ledger.finding import CODE_PATTERN, EVIDENCE_ORDER, INVARIANT_PATTERN, Evidence, Finding
from pactkeeper.ledger.health import HEALTH_STATUSES, Health
from pactkeeper.ledger.op import CONFIDENCE, LINE, TEXTS, VERBS, WORDS, Op, Verb, encode_op
from pactkeeper.ledger.patch import SCHEMA, Patch, broken_laws, encode_finding, encode_question, patch_content
from pactkeeper.ledger.question import KINDS, Question
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

Wire = dict[str, Any]  # a JSON object already checked against its shape
Value = TypeVar("Value")

NOUN: Final = "patch"
HASH: Final = Text(pattern="v1:[0-9a-f]{64}")
OP_ID: Final = Text(pattern="op-[0-9a-f]{12}")

EVIDENCE: Final = Keyed(
    {
        "kind": Choice(EVIDENCE_ORDER),
        "path": Text(),
        "line": LINE,
        "quote": Text(),
        "note": Text(),
        "absent": Truth(),
    }
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
    content = patch_content(patch)
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
