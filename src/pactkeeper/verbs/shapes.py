"""The shapes that arguments of several tools have in common, and kinds of results that several tools give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pactkeeper.intent.atoms import CATEGORIES
from pactkeeper.ledger.shape import Anything, Choice, Entries, Items, Keyed, Shape, Text, Truth
from pactkeeper.verbs.verb import may, texts

ID: Final = Text(1, 80)
LINE: Final = Text(1, 500)
REF: Final = Text(pattern="[^-].{0,199}")  # what git may not take for an option
PATCH: Final = Text(pattern="(pa|REC)-[0-9A-Za-z-]{1,60}")  # an id and never the path of a file
RUN: Final = Text(pattern="REC-[0-9A-Za-z-]{1,60}")
PATHS: Final = texts()
FLAG: Final = Truth()
CATEGORY: Final = Choice(CATEGORIES)
STATUS: Final = Choice(("proposed", "draft", "committed", "superseded", "abandoned"))
BY: Final = Choice(("path", "concept"))
FILTER: Final = may(status=Items(STATUS), category=Items(CATEGORY), tags=texts(), paths=PATHS)
LINES: Final = Items(LINE, most=20)
WORDS: Final[Mapping[str, Shape]] = {"category": CATEGORY, "outcomes": LINES, "falsified_by": LINES, "tags": texts(20)}
DECISION: Final = Keyed(
    {"op": ID, "shown_hash": ID, "verdict": Choice(("accept", "reject", "edit", "withdraw"))},
    {"reason": LINE, "edited": Entries(Anything())},
)
ACTION: Final = Keyed(
    {"action": ID, "shown_hash": ID, "verdict": Choice(("accept", "reject"))},
    {"reason": LINE},
)
WRITTEN: Final = {"status": "string", "patch": "string?", "confirm": "string?", "diff": "string?"}
COUNTS: Final = {"tests": "object", "atoms": "object"}
EDITED: Final = Keyed(
    {}, {"description": LINE, "category": CATEGORY, "observableOutcomes": LINES, "falsifiedBy": LINES}
)
