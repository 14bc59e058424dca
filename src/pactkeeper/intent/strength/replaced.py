"""What may stand in the place of an assertion that is gone: no proof that as much is noticed, but none of less either.

An assertion of the same test, or one of a new test that speaks of much the same, can take the place of a lost one when
it pins something down. Code that went away in the same change may have taken its assertions along.
"""

from __future__ import annotations

import builtins
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.intent.claims import Attribute, Call, Expression, Name, Opaque, Value
from pactkeeper.intent.strength.facts import Fact, Strength
from pactkeeper.intent.strength.order import WRITTEN_OUT, rank, root
from pactkeeper.intent.strength.terms import last_name, terms_of

_PINS: Final = 5  # the least rank of what pins a value down
_ALIKE: Final = 0.5
_WORD: Final = re.compile(r"[A-Za-z_$][\w$]++")
_BUILTIN: Final = frozenset(dir(builtins))
_WORDY: Final = 10  # a shorter line is the first of several and says nothing


@dataclass(slots=True)
class Offers:
    """New assertions that may stand for lost ones: each for one line, or for all that is said of one value."""

    facts: Sequence[Fact]
    files: Sequence[str] = ()
    _taken: defaultdict[int, set[Expression | str]] = field(default_factory=lambda: defaultdict(set))

    def stand_in(self, lost: Fact, *, alike: bool, file: str = "") -> Fact | None:
        """One that pins down something in its place.

        With `alike` it also has to speak of much the same, or in the same file to call all that the lost one called.
        """
        for at, fact in enumerate(self.facts):
            beside = bool(file) and self.files[at] == file and _calls_as_much(fact, lost)
            if self._is_free(at, lost) and _pins(fact, lost) and (not alike or beside or _are_alike(fact, lost)):
                self._taken[at] |= {_value(lost), lost.quote}
                return fact
        return None

    def _is_free(self, at: int, lost: Fact) -> bool:
        taken = self._taken[at]
        return not taken or (self.facts[at].quote != lost.quote and (_value(lost) in taken or lost.quote in taken))


def _value(fact: Fact) -> Expression:
    """What an assertion is about at the bottom: `x` of `str(x.name)`."""
    value = root(fact.claim.subject)
    while isinstance(value, Call) and last_name(value) in WRITTEN_OUT and len(value.arguments) == 1:
        value = root(value.arguments[0].value)
    return value


def still_stand(old: Strength, new: Strength) -> frozenset[str]:
    """The source of assertions that are made as often as before, and so are lost only in what they are about."""
    before, after = (Counter(fact.quote for fact in one.facts) for one in (old, new))
    return frozenset(quote for quote, times in before.items() if len(quote) >= _WORDY and after[quote] >= times)


def pins(one: Fact) -> bool:
    """Whether an assertion pins its value down, so that it may be what another one was rewritten to."""
    return rank(one.claim) >= _PINS


def _pins(one: Fact, lost: Fact) -> bool:
    return rank(one.claim) >= min(rank(lost.claim), _PINS)


def _are_alike(one: Fact, other: Fact) -> bool:
    mine, theirs = _words(one), _words(other)
    return len(mine & theirs) >= _ALIKE * len(mine | theirs)


def _calls_as_much(one: Fact, other: Fact) -> bool:
    mine, theirs = called(_terms(one)), called(_terms(other))
    return bool(theirs) and theirs <= mine


def called(terms: Iterable[Expression]) -> frozenset[str]:
    """The names of what terms call, the language's own functions left out."""
    parts = (part for term in terms for part in terms_of(term) if isinstance(part, Call))
    return frozenset(map(last_name, parts)) - _BUILTIN


def _words(fact: Fact) -> frozenset[str]:
    """What an assertion names, the literals it is about, and what it says of them; what is expected may differ."""
    written = {part.text for part in terms_of(fact.claim.subject) if isinstance(part, Value)}
    return frozenset({fact.claim.relation}) | written | names(_terms(fact))


def names(terms: Iterable[Expression]) -> frozenset[str]:
    """Every name in the terms: variables, functions, attributes and the arguments that are given by name."""
    found: set[str] = set()
    for part in (part for term in terms for part in terms_of(term)):
        if isinstance(part, Name | Attribute):
            found.add(part.name)
        elif isinstance(part, Call):
            found.update(argument.name for argument in part.arguments if argument.name)
    return frozenset(found)


def written(terms: Iterable[Expression]) -> frozenset[str]:
    """Every word of the text that the terms write out, whatever is expected included."""
    texts = (part.text for term in terms for part in terms_of(term) if isinstance(part, Value | Opaque))
    return frozenset(word for text in texts for word in _WORD.findall(text))


def _terms(fact: Fact) -> list[Expression]:
    return [term for term in (fact.claim.subject, fact.claim.object) if term is not None]


@dataclass(frozen=True, slots=True)
class Around:
    """What else a change did: names that the product no longer defines or speaks of anew, and what new tests assert.

    `moving` holds all of these names in small letters: `Option` and its decorator `option` are one.
    """

    gone: frozenset[str]
    moving: frozenset[str]
    elsewhere: Offers
    calls: frozenset[str]

    @staticmethod
    def of(gone: frozenset[str], touched: frozenset[str], fresh: Sequence[tuple[str, Strength]]) -> Around:
        """Join the names of a change with what `fresh` tests, by id, assert and call that no earlier test became."""
        placed = [(fact, test.partition("::")[0]) for test, one in fresh for fact in one.facts]
        facts, files = [fact for fact, _ in placed], [file for _, file in placed]
        acts = [act for _, one in fresh for act in one.acts]
        calls = called([*acts, *(term for fact in facts for term in _terms(fact))])
        return Around(gone, frozenset(name.casefold() for name in gone | touched), Offers(facts, files), calls)

    def took_along(self, lost: Iterable[Fact]) -> bool:
        """Whether the code changed that lost assertions speak of."""
        return self.stirred(term for fact in lost for term in _terms(fact))

    def stirred(self, terms: Iterable[Expression]) -> bool:
        """Whether the code changed that terms speak of, by a name or in the text that they write out."""
        listed = list(terms) if self.moving else []
        return bool(listed) and bool(self.moving & {word.casefold() for word in names(listed) | written(listed)})

    def replaced(self, lost: Sequence[Fact], old: Strength, *, file: str) -> bool:
        """Whether new tests assert something like all that a test lost; calls alone only need to be made again."""
        if not lost:
            return called(old.acts) <= self.calls
        return all(self.elsewhere.stand_in(fact, alike=True, file=file) is not None for fact in lost)
