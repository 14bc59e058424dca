"""A claim: what a saying says of a thing in one respect, as a range of numbers or as one of two poles."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

ENDLESS: Final = Decimal("Infinity")

# A limit leaves what is in its range open, a refusal forbids what is in it, a sample is one value that is let in.
Force = Literal["limit", "refusal", "sample"]


@dataclass(frozen=True, slots=True)
class Range:
    """All numbers from `low` to `high`, both of them in it, in the unit of its aspect."""

    low: Decimal
    high: Decimal

    def meets(self, other: Range) -> bool:
        """Whether a number is in both."""
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True, slots=True)
class Claim:
    """What is said of `about` in the respect `aspect`; `whole` has the stems of that and of the circumstances."""

    aspect: str
    about: frozenset[str]
    whole: frozenset[str]
    says: Range | str
    force: Force = "limit"


def deny(one: Claim, other: Claim) -> bool:
    """Whether two claims of one aspect cannot both hold, whatever they are about."""
    if isinstance(one.says, str) or isinstance(other.says, str):
        return one.says != other.says
    if one.force == other.force:
        if one.force == "limit":
            return not one.says.meets(other.says) or _two_limits(one.says, other.says)
        return False
    if other.force == "refusal":
        return _refused(one.says, other.says)
    if one.force == "refusal":
        return _refused(other.says, one.says)
    return not one.says.meets(other.says)


def _two_limits(one: Range, other: Range) -> bool:
    """Whether both bound the same side, and no other, each with another number."""
    if one.low == other.low == 0:
        return one.high != other.high and ENDLESS not in {one.high, other.high}
    return one.high == other.high == ENDLESS and one.low != other.low and 0 not in {one.low, other.low}


def _refused(allowed: Range, refused: Range) -> bool:
    """Whether what is allowed reaches into what is refused; a range without an end there says nothing about it."""
    if refused.high == ENDLESS == allowed.high or refused.low == 0 == allowed.low:
        return False
    return allowed.meets(refused)
