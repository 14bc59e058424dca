"""How many of a hundred readers accept a sentence: counted over sentences of its origin that show as many signs.

The shares are those of `bench/eval/wording.md`, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from pactkeeper.intent.claims import AmbiguityReason, TestEvidence
from pactkeeper.intent.quality import Quality
from pactkeeper.intent.wording.intents import Intent
from pactkeeper.intent.wording.stating import length, marks_of

Kind = Literal["docstring", "title in a suite", "title", "name with a result", "name"]
FULL: Final = 100
LONG: Final = 7
MOST: Final = 15

ACCEPTED: Final[Mapping[Kind, tuple[int, ...]]] = {
    "docstring": (78, 78, 89, 90),
    "title in a suite": (67, 84, 95, 98),
    "title": (40, 71, 78, 87),
    "name with a result": (71, 71, 91),
    "name": (50, 50, 74),
}
"""Readers of a hundred who grade the sentence 4 or 5 of 5, by the number of its signs."""
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
    sure = ACCEPTED[kind_of(intent, evidence)][len(signs_of(intent, quality))]
    return min([sure, *stops, *([] if shown else [STOPS["no_assertion"]])])


def bare_action(intent: Intent) -> bool:
    """Whether a title names an action and its object, and neither what comes of it nor when."""
    return intent.origin == "title" and not marks_of(intent.bare, prose=True)


def kind_of(intent: Intent, evidence: TestEvidence) -> Kind:
    """Where a sentence stood: a title says more below a suite, and a name where it says what comes of something."""
    if intent.origin == "title":
        return "title in a suite" if evidence.suite else "title"
    result = intent.origin == "name" and "result" in marks_of(intent.bare, prose=False)
    return "name with a result" if result else intent.origin


def signs_of(intent: Intent, quality: Quality) -> frozenset[str]:
    """What sets the sentences that readers accept apart; each origin has the signs that told something of it.

    `long`: seven words, and of a docstring at most fifteen: longer ones say things that the test doesn't show.
    `whole`: every point of quality, of words that quality can read. `result`: it says what comes of something, or
    denies it. `more`: not just an action and its object. `condition`: it says when. A title that has no more, and a
    docstring of several sentences or without its subject, show none.
    """
    marks, words = marks_of(intent.bare, prose=intent.origin != "name"), length(intent.bare)
    whole, long = quality.judged and quality.score == FULL, words >= LONG
    if intent.origin == "title":
        found = {"more": bool(marks), "long": long and bool(marks), "condition": "condition" in marks}
    elif intent.origin == "docstring":
        single = intent.form == "whole" and ". " not in intent.bare
        found = {"whole": whole, "long": long and words <= MOST, "result": bool(_OUTCOME & marks)} if single else {}
    else:
        found = {"whole": whole, "long": long}
    return frozenset(sign for sign, holds in found.items() if holds)


_OUTCOME: Final = frozenset({"result", "denial"})
