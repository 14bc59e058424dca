"""An op: one proposed change, identified by what it would do, bound to the state it was made for; and its verbs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from pactkeeper.ledger.canonical import JsonValue, digest, digest_bytes, plain
from pactkeeper.ledger.finding import Evidence, Risk, encode_evidence
from pactkeeper.ledger.shape import Choice, Entries, Items, Keyed, Optional, Shape, Text, Whole, misfits


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
            raise ValueError(f"{self.verb!r} is not a verb that can be applied")
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


CONFIDENCE_PATTERN: Final = r"0\.[0-9]{2}|1\.00"
# Relative and without a `..` part, so that a patch from elsewhere cannot name a file outside the repository.
PATH_PATTERN: Final = r"(?!/)(?!(?:[\s\S]*/)?\.\.(?:/|$))[\s\S]+"


@dataclass(frozen=True, slots=True)
class Verb:
    """One kind of change.

    `editable` holds the payload keys a reviewer may change: wording, never what the op acts on. `effect` is False if
    the verb only reports and cannot be applied.
    """

    name: str
    risk: Risk
    payload: Keyed
    editable: frozenset[str] = frozenset()
    effect: bool = True


WORDS: Final = Text(least=1)
TEXTS: Final = Items(Text())
CONFIDENCE: Final = Text(pattern=CONFIDENCE_PATTERN)
PATH: Final = Text(pattern=PATH_PATTERN)
LINE: Final = Whole(least=0)
SOURCE: Final = Choice(("person", "reconciliation", "intake", "agent", "ticket"))
CATEGORY: Final = Choice(("functional", "security", "performance", "reliability", "usability", "maintainability"))

# An annotation already in the code, a comment to be added there, or a line in the pact's own files.
CARRIER: Final = Choice(("annotation", "comment", "sidecar"))

AMBIGUITY_REASONS: Final = Items(
    Choice(
        (
            "no_sentence",
            "shared_sentence",
            "expected_failure",
            "no_assertion",
            "call_count_assertion",
            "mock_only",
            "snapshot_only",
            "generic_name",
            "name_disagrees",
            "private_access",
            "several_behaviours",
            "unresolvable_value",
            "weak_words",
        )
    )
)

SOURCE_TEST: Final = Keyed(
    {"filePath": PATH, "testName": WORDS, "testLineNumber": LINE},
    {"testId": WORDS, "suite": TEXTS, "bodyHash": WORDS, "framework": Text(), "language": Text()},
)

# Lines of a text a person wrote, both ends included, with their verbatim content.
SOURCE_SPAN: Final = Keyed({"filePath": PATH, "line": LINE, "endLine": LINE, "quote": WORDS})

_ATOM_WORDS: Final[Mapping[str, Shape]] = {
    "falsifiedBy": TEXTS,
    "ambiguityReasons": AMBIGUITY_REASONS,
    "reasoning": Text(),
    "relatedDocs": TEXTS,
    "qualityScore": Whole(0, 100),
    "tags": TEXTS,
}

_EDITABLE_ATOM: Final = frozenset({"description", "category", "observableOutcomes", "falsifiedBy", "tags"})

# What conversations suggest is the same change only with the same evidence: the fingerprints of artifacts.
_SHOWN_BY: Final = {"artifacts": TEXTS}
# A document's metadata by key, None for a key that is absent.
META: Final = Entries(Optional(Text()))

_ROWS: Final = (
    Verb(
        "createAtom",
        "annotate",
        Keyed(
            {"description": WORDS, "category": CATEGORY, "observableOutcomes": TEXTS, "confidence": CONFIDENCE},
            {
                **_ATOM_WORDS,
                "atomId": WORDS,
                "sourceTest": SOURCE_TEST,
                "sourceSpan": SOURCE_SPAN,
                "topic": PATH,
                "origin": WORDS,
                "source": SOURCE,
                "status": Choice(("proposed", "draft")),
            },
        ),
        _EDITABLE_ATOM,
    ),
    Verb(
        "updateAtom",
        "annotate",
        Keyed(
            {"atomId": WORDS},
            {
                **_ATOM_WORDS,
                "description": WORDS,
                "category": CATEGORY,
                "observableOutcomes": TEXTS,
                "status": Choice(("proposed", "draft", "abandoned")),
                "reason": Text(),
                "supersedes": Text(most=0),
            },
        ),
        _EDITABLE_ATOM,
    ),
    Verb("removeAtom", "annotate", Keyed({"atomId": WORDS}, {"reason": Text()}), frozenset({"reason"})),
    Verb(
        "createMolecule",
        "annotate",
        Keyed(
            {"name": WORDS, "description": Text(), "atomRecommendationIds": TEXTS},
            {"moleculeId": WORDS, "atomIds": TEXTS, "confidence": CONFIDENCE},
        ),
        frozenset({"name", "description", "atomRecommendationIds", "atomIds"}),
    ),
    Verb(
        "attachTestToAtom",
        "annotate",
        Keyed(
            {"testFilePath": PATH, "testName": WORDS, "testLineNumber": LINE, "atomId": WORDS},
            {
                "testId": WORDS,
                "suite": TEXTS,
                "bodyHash": WORDS,
                "carrier": CARRIER,
                "replacesTestId": WORDS,
                "replacesAtomId": WORDS,
            },
        ),
        frozenset({"atomId", "carrier"}),
    ),
    Verb("detachTest", "annotate", Keyed({"testId": WORDS}, {"reason": Text()})),
    Verb(
        "markAtomSuperseded",
        "human-act",
        Keyed({"oldAtomId": WORDS, "newAtomId": WORDS}, {"reason": Text()}),
        frozenset({"reason"}),
    ),
    Verb(
        "invariantViolationFinding",
        "record",
        Keyed(
            {"invariantId": WORDS, "message": WORDS, "severity": Choice(("error", "warning", "info"))},
            {"location": Optional(Keyed({"path": WORDS, "line": LINE}))},
        ),
        effect=False,
    ),
    Verb(
        "createTask",
        "reversible-external",
        Keyed(
            {"board": WORDS, "title": WORDS, "body": Text()},
            {"labels": TEXTS, "due": Text(), "document": WORDS, **_SHOWN_BY},
        ),
        frozenset({"title", "labels", "due"}),
    ),
    # A comment changes nothing that exists, and a person can remove it again.
    Verb(
        "logTask",
        "reversible-external",
        Keyed({"board": WORDS, "task": WORDS, "title": Text(), "text": WORDS}, _SHOWN_BY),
        frozenset({"text"}),
    ),
    Verb(
        "completeTask",
        "reversible-external",
        Keyed({"board": WORDS, "task": WORDS, "title": Text(), "version": Text()}, _SHOWN_BY),
    ),
    Verb(
        "reopenTask",
        "reversible-external",
        Keyed({"board": WORDS, "task": WORDS, "title": Text(), "state": Text(), "old": Text()}, _SHOWN_BY),
    ),
    Verb(
        "createDocument",
        "reversible-external",
        Keyed(
            {"board": WORDS, "section": WORDS, "title": WORDS, "body": WORDS},
            {"meta": Entries(Text()), "tasks": TEXTS, **_SHOWN_BY},
        ),
        frozenset({"section", "title"}),
    ),
    Verb(
        "enrichDocument",
        "reversible-external",
        Keyed(
            {"board": WORDS, "document": WORDS, "mark": WORDS, "heading": WORDS, "text": WORDS},
            {"title": Text(), "old": Optional(Text()), "tasks": TEXTS, **_SHOWN_BY},
        ),
        frozenset({"heading"}),
    ),
    Verb(
        "updateDocumentMeta",
        "reversible-external",
        Keyed({"board": WORDS, "document": WORDS, "values": META, "expected": META}, {"title": Text(), **_SHOWN_BY}),
    ),
    Verb(
        "patchDocumentSection",
        "reversible-external",
        Keyed(
            {"board": WORDS, "document": WORDS, "heading": Text(), "old": WORDS, "new": Text()},
            {"title": Text(), **_SHOWN_BY},
        ),
        frozenset({"new"}),
    ),
    Verb(
        "tickTodo",
        "reversible-external",
        Keyed({"board": WORDS, "document": WORDS, "text": WORDS}, {"title": Text(), **_SHOWN_BY}),
    ),
    # Instructions for agents are changed by people; accepting this only confirms that the advice is right.
    Verb(
        "proposeSkillFix",
        "human-act",
        Keyed(
            {"tool": WORDS, "wrongUsage": WORDS, "error": WORDS, "correctUsage": WORDS},
            {"advice": Text(), "file": Text(), "change": Text(), **_SHOWN_BY},
        ),
        frozenset({"advice"}),
    ),
)

VERBS: Final[Mapping[str, Verb]] = {row.name: row for row in _ROWS}
