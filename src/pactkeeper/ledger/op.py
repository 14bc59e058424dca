"""An op: one proposed change, identified by what it would do, bound to the state it was made for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from pactkeeper.ledger.canonical import JsonValue, digest, digest_bytes, plain
from pactkeeper.ledger.finding import Evidence, Risk, encode_evidence
from pactkeeper.ledger.shape import misfits
from pactkeeper.ledger.verbs import CONFIDENCE_PATTERN, VERBS


@dataclass(frozen=True, slots=True)
class Op:
    """One proposed change.

    `target` is the id of the node that changes, `precondition` the digest of that node's current state, None if the
    node must not exist yet. `confidence` is a decimal string with two digits, so texts compare as numbers do. `group`
    is what a person reviews together. `depends_on` holds ids of ops that must be applied with or before this one.

    The payload is copied, so that neither id can become stale. Raises ValueError for an unknown verb, for a verb
    without an effect (carry a finding instead), and for a payload that does not fit the verb's shape.
    """

    verb: str
    target: str
    precondition: str | None
    payload: Mapping[str, JsonValue]
    evidence: tuple[Evidence, ...] = ()
    confidence: str = "1.00"
    group: str = ""
    depends_on: tuple[str, ...] = ()
    risk: Risk = field(init=False)
    id: str = field(init=False)
    shown_hash: str = field(init=False)

    def __post_init__(self) -> None:
        row = VERBS.get(self.verb)
        if row is None or not row.effect:
            raise ValueError(f"{self.verb!r} is no verb that can be applied")
        problems = [str(one) for one in misfits(self.payload, row.payload, "payload")]
        if not re.fullmatch(CONFIDENCE_PATTERN, self.confidence):
            problems.append(f"confidence {self.confidence!r} is not a decimal of two digits from 0.00 to 1.00")
        if not self.target:
            problems.append("the target is empty")
        if problems:
            raise ValueError(f"{self.verb} of {self.target!r}: {'; '.join(problems)}")
        object.__setattr__(self, "risk", row.risk)
        object.__setattr__(self, "payload", cast("dict[str, JsonValue]", plain(self.payload)))
        object.__setattr__(self, "id", op_id(self.verb, self.target, self.precondition, self.payload))
        object.__setattr__(self, "shown_hash", digest(_shown(self)))


@dataclass(frozen=True, slots=True)
class Aim:
    """The fields of a stored op needed to look at its target.

    The op was validated when it was stored; validating it again is slow.
    """

    id: str
    verb: str
    target: str
    precondition: str | None
    payload: Mapping[str, JsonValue]
    group: str


def op_id(verb: str, target: str, precondition: str | None, payload: Mapping[str, JsonValue]) -> str:
    """Return `op-` and 12 hex digits that identify the change itself, not its proposer, reason or confidence."""
    return "op-" + digest([verb, target, precondition, payload])[3:15]


def encode_op(op: Op) -> dict[str, JsonValue]:
    """Return the form stored in patches."""
    return {"id": op.id, "shown_hash": op.shown_hash, **_shown(op)}


def kept_op(text: str) -> Op:
    """Rebuild an op from its stored text, the canonical form of `encode_op`.

    Its shape was validated before it was hashed, and validating it again would take most of the time of reading a
    patch. Raises ValueError if the text does not match its id and hash, KeyError or TypeError if it is not an op.
    """
    said = json.loads(text)
    name, shown, verb = said["id"], said["shown_hash"], said["verb"]
    content = text.replace(f'"id":"{name}",', "", 1).replace(f'"shown_hash":"{shown}",', "", 1)
    derived = op_id(verb, said["target"], said["precondition"], said["payload"]), digest_bytes(content.encode())
    if (*derived, VERBS[verb].risk) != (name, shown, said["risk"]):
        raise ValueError(f"op {name} has other content than the one that its id and its hash are of")
    said |= {"evidence": tuple(Evidence(**one) for one in said["evidence"]), "depends_on": tuple(said["depends_on"])}
    op = object.__new__(Op)
    for member in Op.__slots__:
        object.__setattr__(op, member, said[member])
    return op


def _shown(op: Op) -> dict[str, JsonValue]:
    """Everything a person is shown, evidence lines included: a decision covers exactly this."""
    return {
        "verb": op.verb,
        "target": op.target,
        "precondition": op.precondition,
        "payload": op.payload,
        "evidence": [encode_evidence(one) for one in op.evidence],
        "confidence": op.confidence,
        "risk": op.risk,
        "group": op.group,
        "depends_on": list(op.depends_on),
    }
