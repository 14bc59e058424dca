"""How far an inference can be trusted, in hundredths, as a sum of named weights.

The weights are set so that the threshold of 70 separates the two ways a sentence goes wrong in graded samples of real
suites: a name that says a behaviour passes with at least one outcome in words, a bare topic needs outcomes that are all
in words, and a test whose assertions say nothing about behaviour (call counts, snapshots, none) never passes on its
name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pactkeeper.intent.claims import AmbiguityReason, TestEvidence
from pactkeeper.intent.wording.flaws import is_flawed, is_opaque
from pactkeeper.intent.wording.intents import Intent, Origin
from pactkeeper.intent.wording.sentences import Outcome

Weights = tuple[tuple[int, str], ...]

ORIGIN: Mapping[Origin, tuple[int, str]] = {
    "docstring": (42, "the docstring states the behaviour"),
    "title": (45, "the title states the behaviour"),
    "sentence": (45, "the name states the behaviour"),
    "action": (38, "the name says what is done"),
    "topic": (32, "the name is a topic"),
    "table": (32, "the rows of a table are what is stated"),
    "nothing": (15, "the name says nothing"),
}
ALL_WORDED = 42
SOME_WORDED = 30
SEVERAL = 4
EXPECTED_FAILURE = -20
MISREAD = -30
OPAQUE = -12
BARE = -18
PENALTIES: Mapping[AmbiguityReason, int] = {
    "generic_name": -18,
    "private_access": -12,
    "several_behaviours": -20,
    "name_disagrees": -40,
    "snapshot_only": -30,
    "mock_only": -20,
    "call_count_assertion": -10,
    "no_assertion": -10,
    "unresolvable_value": 0,
}
"""An unresolvable value already costs the difference between `ALL_WORDED` and the share that was worded."""


def confidence_of(
    evidence: TestEvidence, outcomes: Sequence[Outcome], intent: Intent, reasons: Sequence[AmbiguityReason]
) -> Weights:
    """The weights whose sum is the confidence, each with its source."""
    weights = [ORIGIN[intent.origin], _worded(evidence, outcomes)]
    if sum(one.sure for one in outcomes) > 1:
        weights.append((SEVERAL, "several assertions agree"))
    if _echoed(intent, outcomes):
        weights.append((6, "name and assertions share words"))
    if evidence.expects != "pass":
        weights.append((EXPECTED_FAILURE, "the test is expected to fail"))
    weights += _misgivings(intent)
    weights += [(PENALTIES[reason], reason) for reason in reasons if PENALTIES[reason]]
    return tuple(weights)


def _misgivings(intent: Intent) -> list[tuple[int, str]]:
    """What the finished sentence itself takes away, whatever it was made of."""
    found: list[tuple[int, str]] = []
    if is_flawed(intent.text):
        found.append((MISREAD, "the sentence reads as if a word was mistaken"))
    elif intent.origin in _MADE and is_opaque(intent.text):
        found.append((OPAQUE, "the sentence names its things by a chain of calls"))
    if intent.origin in {"topic", "nothing"} and intent.bare:
        found.append((BARE, "the sentence is only a topic"))
    if intent.origin in {"topic", "nothing"} and _SAYS_LITTLE.search(intent.text):
        found.append((OPAQUE, "the outcome alone says little"))
    return found


_MADE = frozenset({"topic", "action", "nothing"})
_SAYS_LITTLE = re.compile(
    r": (?:(?:an|no) (?:error|exception) is raised|there are (?!no )[\w ]+|[\w' ]+ (?:is|are) (?:not None|truthy)"
    r"|[\w' ]*(?:exception|error) is (?:None|null|undefined|falsy))\.$"
)
"""What a topic adds nothing to: that something fails, somehow, or does not; that something is there at all."""


def _worded(evidence: TestEvidence, outcomes: Sequence[Outcome]) -> tuple[int, str]:
    sure = sum(one.sure for one in outcomes)
    if not outcomes:
        return 0, "no assertion was found"
    if not sure:
        return 0, "no assertion could be put into words"
    if sure == len(outcomes) and "unresolvable_value" not in evidence.reasons:
        return ALL_WORDED, "all assertions are in words"
    share = sure * 100 // len(outcomes)
    return SOME_WORDED * share // 100, f"{sure} of {len(outcomes)} assertions are in words"


_SHORT = 2  # "is" and "of" agree with everything


def _echoed(intent: Intent, outcomes: Sequence[Outcome]) -> bool:
    said = {word.lower() for one in outcomes if one.sure for word in one.clause.replace("'", " ").split()}
    return len({word.lower() for word in intent.phrase.words if len(word) > _SHORT} & said) >= 1


def reasoning_of(weights: Weights, reasons: Sequence[AmbiguityReason]) -> str:
    """The weights as one line a reviewer can read."""
    said = "; ".join(f"{source} ({points:+d})" for points, source in weights)
    return f"{said}." if not reasons else f"{said}. Ambiguous: {', '.join(reasons)}."
