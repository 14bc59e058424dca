"""What stands between a test's steps and its assertions: the time that it lets pass, and calls that a fake forgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from pactkeeper.intent.claims import Attribute, Call, Claim, Expression, Name, Value
from pactkeeper.intent.strength.change import Change, Paired, change_of, claim_text, term_text
from pactkeeper.intent.strength.facts import Pace, Strength
from pactkeeper.intent.strength.faking import tells_calls
from pactkeeper.intent.strength.identity import without_identity
from pactkeeper.intent.strength.terms import last_name, read_through, terms_of
from pactkeeper.ledger.canonical import by_key

_PASSING: Final = ("advanceTimers", "runAllTimers", "runOnlyPendingTimers", "runToLast")
_TICKING: Final = frozenset({"tick", "tickAsync", "shift"})
_CLOCKS: Final = frozenset({"clock", "timers", "timer", "freezer", "frozen", "frozen_time", "traveller"})
_FORGETTING: Final = frozenset({"mockClear", "mockReset", "reset_mock", "resetHistory", "resetCalls"})
_EVERY: Final = Name("")
_OWN: Final = frozenset(map(Name, ("vi", "jest", "sinon", "mock")))  # what they do is no step of the product
_FORGETTING_ALL: Final = frozenset({"clearAllMocks", "resetAllMocks"})


@dataclass(slots=True)
class Pacing:
    """The steps so far: what `passed`, and what was forgotten of each fake, in which hook and after how many steps."""

    paces: list[Pace] = field(default_factory=list)
    _passed: list[tuple[Expression, int]] = field(default_factory=list)
    _forgot: dict[Expression, tuple[str, int, int]] = field(default_factory=dict)
    _steps: dict[str, int] = field(default_factory=dict)

    def did(self, call: Expression, fixture: str, turns: int) -> None:
        """Take note of a call, made so many times in the test itself or in a hook."""
        holder, name = _holder(call), last_name(call)
        if passes_time(call):
            self._passed.append((without_identity(call), turns))
        elif holder is not None and name in _FORGETTING | _FORGETTING_ALL:
            about = _EVERY if name in _FORGETTING_ALL else holder
            self._forgot[about] = (fixture, self._steps.get(fixture, 0), sum(self._steps.values()))
            return
        if [*read_through(call)][-1] not in _OWN:
            self._steps[fixture] = self._steps.get(fixture, 0) + 1

    def asserted(self, claim: Claim, fixture: str) -> None:
        """Take note of an assertion if time passed before it, or what it asks of a fake's calls was forgotten."""
        asks = terms_of(claim.subject) if tells_calls(claim) else frozenset()
        forgot = [where for about, where in self._forgot.items() if asks and (about in asks or about == _EVERY)]
        at_once = any(place == fixture and then == sum(self._steps.values()) for place, _, then in forgot)
        later = any(place == "" and before for place, before, _ in forgot)
        forgets = "at once" if at_once else "later" if later else ""
        if forgets or self._passed or asks:
            plain = replace(claim, subject=without_identity(claim.subject))
            self.paces.append(Pace(plain, _told(self._passed), forgets))


def _holder(call: Expression) -> Expression | None:
    return call.function.value if isinstance(call, Call) and isinstance(call.function, Attribute) else None


def passes_time(call: Expression) -> bool:
    """Whether a call turns the clock of fake timers on."""
    holder, name = _holder(call), last_name(call)
    return name.startswith(_PASSING) or (name in _TICKING and holder is not None and last_name(holder) in _CLOCKS)


def _told(passed: list[tuple[Expression, int]]) -> str:
    """Return how much time passed: one number if every step says how much."""
    amounts = [(_amount(one), turns) for one, turns in passed]
    if all(amount is not None for amount, _ in amounts):
        return f"{sum((amount or 0) * turns for amount, turns in amounts):g}"
    return ", ".join(f"{term_text(one)}" + (f" {turns} times" if turns > 1 else "") for one, turns in passed)


def _amount(step: Expression) -> float | None:
    given = step.arguments if isinstance(step, Call) else ()
    value = given[0].value if len(given) == 1 else None
    if not isinstance(value, Value) or value.kind != "number":
        return None
    try:
        return float(value.text.replace("_", ""))
    except ValueError:
        return None


def paced(pair: Paired) -> Iterator[Change]:
    """Yield what happened between the steps and an assertion that is as it was: the first one of each kind.

    A test that lets time pass only on one side waits in another way there.
    """
    old, new = _by_claim(pair.was), _by_claim(pair.now)
    same = [claim for claim in old if len(old[claim]) == len(new.get(claim, ()))]
    both = [each for claim in same for each in zip(old[claim], new[claim], strict=True)]
    timed = all(any(one.passed != "0" for one in strength.paces) for strength in (pair.was, pair.now))
    for one, other in both:
        if other.forgets and not one.forgets:
            sure = other.forgets == "at once"
            message = "what it asks of a fake's calls is forgotten before" + (" it is asked" if sure else ", in part")
            shown = claim_text(one.claim)
            yield change_of("grown", pair, message, old=shown, new=f"{shown}, once its calls are cleared",
                            severity="error" if sure else "warning")  # fmt: skip
            break
    for one, other in both if timed else ():
        if one.passed != other.passed:
            shown = claim_text(one.claim)
            message = "another time passes before what it asserts"
            yield change_of("grown", pair, message, old=_after(one.passed, shown), new=_after(other.passed, shown))
            break


def _by_claim(strength: Strength) -> dict[Claim, list[Pace]]:
    return by_key((one.claim, one) for one in strength.paces)


def _after(passed: str, shown: str) -> str:
    return f"{shown}, at once" if passed == "0" else f"{shown}, after {passed}"
