"""How many readers out of a hundred accept a sentence, by its origin and whether it exceeds six words.

The shares are those of `bench/eval/wording.md`, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pactkeeper.intent.claims import AmbiguityReason, TestEvidence
from pactkeeper.intent.wording.intents import Intent, Origin
from pactkeeper.intent.wording.stating import length

SHORT: Final = 6
ACCEPTED: Final[Mapping[tuple[Origin, bool], int]] = {
    ("docstring", False): 72,
    ("docstring", True): 50,
    ("title", False): 82,
    ("title", True): 55,
    ("name", False): 36,
    ("name", True): 36,
}
"""Readers of a hundred who grade the sentence 4 or 5 of 5, by where it stood and whether it is short."""
DOUBTED: Final = 30
"""At most this, whoever wrote the sentence, where nothing shows that it is what the test checks."""
STOPS: Final[Mapping[AmbiguityReason, str]] = {
    "shared_sentence": "other tests or atoms have the same sentence",
    "no_assertion": "no assertion was found in it",
    "expected_failure": "the test is expected to fail",
    "snapshot_only": "it only compares with a stored snapshot",
    "call_count_assertion": "it only counts calls",
    "mock_only": "it only looks at how its fakes were called",
}
"""The reasons that make a sentence doubted, worded to follow "but"."""


def confidence_of(intent: Intent, evidence: TestEvidence, reasons: tuple[AmbiguityReason, ...], *, shown: bool) -> int:
    """The share in hundredths; `shown` means that at least one assertion can be shown beside the sentence."""
    doubted = not shown or "skip" in evidence.markers or any(one in STOPS for one in reasons)
    share = ACCEPTED[intent.origin, length(intent.bare) <= SHORT]
    return min(share, DOUBTED) if doubted else share
