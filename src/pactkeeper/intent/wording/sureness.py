"""How many of a hundred readers accept a sentence: counted over the sentences of its origin, full ones apart.

The shares are those of `bench/eval/wording.md`, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pactkeeper.intent.claims import AmbiguityReason, TestEvidence
from pactkeeper.intent.quality import Quality
from pactkeeper.intent.wording.intents import Intent, Origin
from pactkeeper.intent.wording.stating import circumstances, length

FULL: Final = 100
LONG: Final = 7
ACCEPTED: Final[Mapping[tuple[Origin, bool], int]] = {
    ("docstring", True): 90,
    ("docstring", False): 73,
    ("title", True): 93,
    ("title", False): 74,
    ("name", False): 54,
}
"""Readers of a hundred who grade the sentence 4 or 5 of 5, by where it stood and whether it is full."""
SKIPPED: Final = 30
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
    stops = [STOPS[one] for one in reasons if one in STOPS] + [SKIPPED] * ("skip" in evidence.markers)
    sure = ACCEPTED[intent.origin, not lacking(intent, evidence, quality)]
    return min([sure, *stops, *([] if shown else [STOPS["no_assertion"]])])


def lacking(intent: Intent, evidence: TestEvidence, quality: Quality) -> str:
    """What a sentence lacks to be full, worded to follow "but"; empty for a full one.

    Full is a title below a suite, or a docstring that is one sentence with its own subject, of seven words or more,
    that says when or to, from or with what (a docstring the latter), and that loses no point of quality.
    """
    said = circumstances(intent.bare, prose=intent.origin != "name")
    docstring = intent.origin == "docstring"
    if intent.origin == "name":
        return f"only {ACCEPTED['name', False]} of 100 readers accept sentences made of names"
    if intent.origin == "title" and not evidence.suite:
        return "no suite stands around it"
    if docstring and intent.form == "headless":
        return "it does not begin with a subject"
    if docstring and ". " in intent.bare:
        return "it is more than one sentence"
    if (words := length(intent.bare)) < LONG:
        return f"it has only {words} words"
    if docstring and "complement" not in said:
        return "it does not say to, from or with what"
    return _lost(quality) if said else "it says neither when nor to, from or with what"


def _lost(quality: Quality) -> str:
    if not quality.judged:
        return f"its words are read as {quality.language}, which quality does not judge"
    lost = max(quality.deductions, key=lambda one: one.points, default=None)
    if quality.score == FULL or lost is None:
        return ""
    return f"it loses points of quality for {lost.words!r}" if lost.words else "it loses points of quality"
