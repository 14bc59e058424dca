"""How many of ten readers accept such a sentence, by where it came from: measured, never summed up from weights.

The shares are those of `bench/eval/wording.md`, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from pactkeeper.intent.claims import AmbiguityReason, TestEvidence
from pactkeeper.intent.wording.intents import Intent, Origin

Language = Literal["python", "javascript"]
Cell = tuple[Origin, Language]

ACCEPTED: Final[Mapping[Cell, int]] = {
    ("docstring", "python"): 88,
    ("name", "python"): 57,
    ("title", "javascript"): 92,
}
"""Readers of a hundred who grade the sentence 4 or 5 of 5."""
STOPS: Final[Mapping[AmbiguityReason, int]] = {
    "no_sentence": 0,
    "shared_sentence": 30,
    "name_disagrees": 20,
    "no_assertion": 40,
    "expected_failure": 30,
    "snapshot_only": 50,
    "call_count_assertion": 50,
}
"""What keeps a sentence below every bar, whoever wrote it: nothing shows that it is what the test checks."""
_SCRIPTS: Final = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte")


def confidence_of(
    evidence: TestEvidence, intent: Intent | None, reasons: tuple[AmbiguityReason, ...], *, shown: bool
) -> int:
    """The share in hundredths; `shown` means that at least one assertion can be shown beside the sentence."""
    if intent is None:
        return 0
    stops = [STOPS[one] for one in reasons if one in STOPS]
    if not shown:
        stops.append(STOPS["no_assertion"])
    return min([ACCEPTED.get(cell_of(evidence, intent), 0), *stops])


def cell_of(evidence: TestEvidence, intent: Intent) -> Cell:
    """The row of the table that a sentence belongs to."""
    return intent.origin, language_of(evidence)


def language_of(evidence: TestEvidence) -> Language:
    """The programming language of a test, by its file."""
    return "javascript" if evidence.test_id.split("::", 1)[0].endswith(_SCRIPTS) else "python"
