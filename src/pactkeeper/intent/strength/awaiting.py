"""What awaiting a call says that its callback had to be asked: that there is no error, and that anything follows.

A test that hands a call a function asserts in there that the call reports no error, states how many of its assertions
must be reached, and says when it is done. Where it awaits what the call gives, an error ends the test, and what follows
is reached.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.intent.claims import Attribute, Call, Claim, Expression, Name, Operation, children
from pactkeeper.intent.strength.facts import Fact, Strength
from pactkeeper.intent.strength.folding import is_constant
from pactkeeper.intent.strength.frames import ends_test
from pactkeeper.intent.strength.identity import without_identity
from pactkeeper.intent.strength.terms import last_name, operator_of, read_through, terms_of

_NO_ERROR: Final = frozenset({"none", "undefined", "falsy"})
_RESOLVE, _REJECT = Name("resolve"), Name("reject")  # what a new promise hands the function that it is made with
_PLANS: Final = frozenset({"assertions", "plan", "done"})


def is_plan(fact: Fact) -> bool:
    """Whether it states how many assertions a test must make, or that it ends only when told so."""
    return fact.claim.relation == "satisfies" and last_name(fact.claim.subject) in _PLANS


def makes_all(now: Strength) -> bool:
    """Whether a test surely reaches every assertion that it makes, and waits for it."""
    return bool(now.facts) and all(map(_is_made_once, now.facts))


def _is_made_once(fact: Fact) -> bool:
    """Whether it is made in any case, not in a callback or loop, nor under a condition; or is never to be reached."""
    plain = fact.moment > 0 and not fact.conditions and fact.claim.each is None
    return fact.awaited and (plain or is_constant(fact.claim.subject))


@dataclass(frozen=True, slots=True)
class Awaiting:
    """The calls of a test before and now: those `handed` a function before and `still`, by name, and the `plain` ones.

    A function that passes an error on to a promise is none that has to be asked. `dropped` are the calls that aren't
    handed such a function any more, `plain` all those of now; `anew` is how many of these the test didn't make before.
    `tells` says that a call is handed anew what says that the test is done.
    """

    dropped: tuple[Call, ...]
    handed: frozenset[str]
    still: frozenset[str]
    plain: frozenset[Expression]
    anew: int
    tells: bool

    @classmethod
    def of(cls, old: Strength, new: Strength) -> Awaiting:
        """Compare what a test calls now with what it called."""
        dropped = tuple(one for one in old.handing if one not in new.handing)
        handed = frozenset(map(_callee, old.handing))
        still = frozenset(_callee(one) for one in new.handing if not _rejects(one))
        acts = [one for one in new.acts if isinstance(one, Call) and _callee(one) not in still]
        plain = frozenset(map(_without_functions, acts))
        came = plain - frozenset(map(_without_functions, old.acts))
        whole = [one for one in came if came.isdisjoint([*read_through(one)][1:])]
        telling = any(_tells(one, ()) for one in new.handing if one not in old.handing)
        return cls(dropped, handed, still, plain, len(whole), telling)

    @property
    def converted(self) -> bool:
        """Whether a call is handed no function any more, and something else is called in its place."""
        return bool(self.handed - self.still) and bool(self.anew)

    def unheard(self, lost: Iterable[Fact]) -> Iterator[Fact]:
        """Yield the lost assertions but those that a call reports no error which is awaited now, or another for it."""
        left = self.anew
        stand = set(self.plain)
        for fact in lost:
            call = self.reporting(fact.claim)
            unheard = call is not None and fact.claim.relation in _NO_ERROR and not fact.claim.negated
            if call is None or not unheard or (call not in stand and left == 0):
                yield fact
            elif call not in stand:
                left -= 1
                stand.add(call)

    def reporting(self, claim: Claim) -> Call | None:
        """Return the call that a claim says something of what it reports to a function which it isn't handed now."""
        for part in read_through(claim.subject):
            match part:
                case Operation("any", (Call() as call,)) if _callee(call) in self.handed - self.still:
                    plain = without_identity(call)
                    return plain if isinstance(plain, Call) else None
        return None

    def waits(self) -> bool:
        """Whether nothing is handed a function now that was handed one which told the test that it is done."""
        telling = {_callee(one) for one in self.dropped if _tells(one, self.handed)}
        return bool(telling) and telling.isdisjoint(self.still)


def _callee(call: Call) -> str:
    """Return the name of what a call runs, that of a method with a dot: `get` and `.get` are two."""
    return f".{call.function.name}" if isinstance(call.function, Attribute) else last_name(call)


def _without_functions(one: Expression) -> Expression:
    if not isinstance(one, Call):
        return one
    return replace(one, arguments=tuple(each for each in one.arguments if operator_of(each.value) != "=>"))


def _rejects(call: Call) -> bool:
    """Whether a function that a call is handed rejects a promise."""
    functions = [each.value for each in call.arguments if operator_of(each.value) == "=>"]
    called = (part for one in functions for part in terms_of(one) if isinstance(part, Call))
    return any(one.function == _REJECT and one.arguments for one in called)


def _tells(call: Call, handed: Container[str]) -> bool:
    """Whether a call is handed what says that the test, or a promise that it awaits, is done.

    What it hands on to other calls that are `handed` a function isn't its own.
    """
    pending = [each.value for each in call.arguments]
    while pending:
        part = pending.pop()
        if isinstance(part, Name) and (ends_test(part.name) or part == _RESOLVE):
            return True
        if not (isinstance(part, Call) and _callee(part) in handed):
            pending.extend(children(part))
    return False
