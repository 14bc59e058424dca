"""The verbs an op may have: one row each with its risk and the shape of its payload.

Names and payload keys are wire format. A room that needs a verb adds its row here; verbs are registered nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.ledger.finding import Risk
from pactkeeper.ledger.shape import Choice, Entries, Items, Keyed, Optional, Shape, Text, Whole

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
            {"labels": TEXTS, "due": Text(), "document": WORDS},
        ),
        frozenset({"title", "labels", "due"}),
    ),
    # A comment changes nothing that exists, and a person can remove it again.
    Verb(
        "logTask",
        "reversible-external",
        Keyed({"board": WORDS, "task": WORDS, "title": Text(), "text": WORDS}),
        frozenset({"text"}),
    ),
    Verb(
        "completeTask",
        "reversible-external",
        Keyed({"board": WORDS, "task": WORDS, "title": Text(), "version": Text()}),
    ),
    Verb(
        "createDocument",
        "reversible-external",
        Keyed(
            {"board": WORDS, "section": WORDS, "title": WORDS, "body": WORDS},
            {"meta": Entries(Text()), "tasks": TEXTS},
        ),
        frozenset({"section", "title"}),
    ),
    Verb(
        "enrichDocument",
        "reversible-external",
        Keyed(
            {"board": WORDS, "document": WORDS, "mark": WORDS, "heading": WORDS, "text": WORDS},
            {"title": Text(), "old": Optional(Text()), "tasks": TEXTS},
        ),
        frozenset({"heading"}),
    ),
    Verb(
        "updateDocumentMeta",
        "reversible-external",
        Keyed({"board": WORDS, "document": WORDS, "values": META, "expected": META}, {"title": Text()}),
    ),
    Verb(
        "patchDocumentSection",
        "reversible-external",
        Keyed({"board": WORDS, "document": WORDS, "heading": Text(), "old": WORDS, "new": Text()}, {"title": Text()}),
        frozenset({"new"}),
    ),
    Verb(
        "tickTodo",
        "reversible-external",
        Keyed({"board": WORDS, "document": WORDS, "text": WORDS}, {"title": Text()}),
    ),
    # Instructions for agents are changed by people; accepting this only confirms that the advice is right.
    Verb(
        "proposeSkillFix",
        "human-act",
        Keyed(
            {"tool": WORDS, "wrongUsage": WORDS, "error": WORDS, "correctUsage": WORDS},
            {"advice": Text(), "file": Text(), "change": Text()},
        ),
        frozenset({"advice"}),
    ),
)

VERBS: Final[Mapping[str, Verb]] = {row.name: row for row in _ROWS}
