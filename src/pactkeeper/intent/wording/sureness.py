"""How many of a hundred readers accept a sentence: counted over sentences of its origin that show as many signs.

The shares are those of `bench/eval/wording.md`, and a test compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from pactkeeper.intent.claims import AmbiguityReason, TestEvidence
from pactkeeper.intent.quality import Quality
from pactkeeper.intent.wording.intents import Intent, in_test
from pactkeeper.intent.wording.stating import length, says_what_becomes
from pactkeeper.intent.wording.tables import stems_of

Kind = Literal["docstring", "title in a suite", "title", "name with a result", "name"]
_CODE = re.compile(r"[_()=\[\]\"'<>@]|\w\.\w|[a-z][A-Z]|[A-Z]{2}|^[A-Z]\w*[A-Z]")
FULL: Final = 100
LONG: Final = 7
SHARED: Final = 4
"""A sentence is about its test where one in so many of its words stands in the test."""

ACCEPTED: Final[Mapping[Kind, tuple[int, ...]]] = {
    "docstring": (64, 64, 79, 89, 95, 95),
    "title in a suite": (50, 86, 94, 96),
    "title": (50, 50, 73, 93),
    "name with a result": (50, 84, 95),
    "name": (50, 50, 74),
}
"""Readers of a hundred who grade the sentence 4 or 5 of 5, by the number of its signs."""
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


def confidence_of(
    intent: Intent, evidence: TestEvidence, quality: Quality, reasons: tuple[AmbiguityReason, ...], *, shown: bool
) -> int:
    """The share in hundredths; `shown` means that at least one assertion can be shown beside the sentence."""
    stops = [STOPS[one] for one in reasons if one in STOPS]
    sure = ACCEPTED[kind_of(intent, evidence)][len(signs_of(intent, evidence, quality))]
    return min([sure, *stops, *([] if shown else [STOPS["no_assertion"]])])


def kind_of(intent: Intent, evidence: TestEvidence) -> Kind:
    """Where a sentence stood: a title says more below a suite, and a name where it says what comes of something."""
    if intent.origin == "title":
        return "title in a suite" if evidence.suite else "title"
    result = intent.origin == "name" and says_what_becomes(intent.bare, prose=False)
    return "name with a result" if result else intent.origin


def signs_of(intent: Intent, evidence: TestEvidence, quality: Quality) -> frozenset[str]:
    """What sets the sentences that readers accept apart; each origin has the signs that told something of it.

    `whole`: every point of quality, of words that quality can read. `long`: seven words. `shared`: a quarter of its
    words stand in the test. `result`: it says what comes of something. `code`: it names something of the code.
    """
    told, bare = intent.origin, intent.bare
    said = stems_of(bare)
    found = {
        "whole": quality.judged and quality.score == FULL,
        "long": length(bare) >= LONG,
        "shared": told != "name" and SHARED * len(said & in_test(evidence)) >= len(said),
        "result": told == "docstring" and says_what_becomes(bare, prose=True),
        "code": told == "docstring" and any(map(_CODE.search, bare.split())),
    }
    return frozenset(sign for sign, holds in found.items() if holds)
