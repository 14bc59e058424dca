"""Whether what an answer says of its own certainty holds together, with itself and with what rules saw."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

UNSURE: Final = 70  # below it something must be named that makes the answer unsure
CERTAIN: Final = 90  # above it nothing may be
# What is there to be seen in the source and no matter of opinion.
_PLAIN: Final = ("no_assertion", "call_count_assertion", "mock_only", "snapshot_only")


def inconsistent(confidence: int | None, named: Collection[str], seen: Collection[str]) -> Iterator[str]:
    """Say what is wrong with a confidence (0 to 100) and the ambiguity `named`, where rules have `seen` some."""
    if confidence is None:
        yield "the confidence is missing; say from 0 to 100 how sure you are"
        return
    if confidence > CERTAIN and named:
        yield f"a confidence of {confidence} does not go with {_said(named)}; be less sure or name nothing"
    if confidence < UNSURE and not named:
        yield f"a confidence of {confidence} needs a reason: name at least one ambiguity"
    missing = [one for one in _PLAIN if one in seen and one not in named]
    if confidence >= UNSURE and missing:
        yield f"rules saw {_said(missing)} in the test; name it in the ambiguity, or be less sure"


def _said(names: Collection[str]) -> str:
    return ", ".join(sorted(names))
