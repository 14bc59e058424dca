"""The one comparison of two statements: whether they clash, agree, are unrelated, or need a person to tell.

Also what a sentence says about its own standing: that it holds, is denied, decided, done or moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Final, Literal

from pactkeeper.speech.amounts import COUNT, CURRENCIES, Amount, compared, plain, same_kind
from pactkeeper.speech.dates import Date, apart, as_exact
from pactkeeper.speech.languages import either, phrases_of, words_of
from pactkeeper.speech.words import Statement, are_opposite, statement, tell_kinds_apart

Verdict = Literal["clash", "agree", "unsure", "unrelated"]
_NEARLY: Final = 0.5  # the share of common words that makes two sentences about the same thing
_NOTED: Final = re.compile(r"\(([^()]{1,80})\)")
_FEW: Final = 2  # shared words needed if one sentence says more


@dataclass(frozen=True, slots=True)
class Compared:
    """The relation of two statements, and the words of each that show it; `by_value` if those are values."""

    verdict: Verdict
    ours: str = ""
    theirs: str = ""
    by_value: bool = False


UNRELATED: Final = Compared("unrelated")


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two statements with their common words, those only one has, and the two that exclude each other."""

    ours: Statement
    theirs: Statement
    common: frozenset[str]
    mine: frozenset[str]
    other: frozenset[str]
    opposite: tuple[str, str] | None

    @property
    def extra(self) -> frozenset[str]:
        return self.mine | self.other

    @property
    def are_refused(self) -> bool:
        """Whether both refuse something beyond a limit, where the stricter one implies the other."""
        return self.ours.refused and self.theirs.refused

    @property
    def shown(self) -> tuple[str, str]:
        """The two words that exclude each other, as they are spelled, or the sentences if there are none."""
        if self.opposite is None:
            return self.ours.text, self.theirs.text
        return self.ours.spelled(self.opposite[0]), self.theirs.spelled(self.opposite[1])

    @property
    def are_one_limited(self) -> bool:
        """Whether only one has amounts, among them a limit, which may make it an exception: `under 14`."""
        ours, theirs = self.ours.amounts, self.theirs.amounts
        return bool(ours) != bool(theirs) and any(one.is_limit for one in ours + theirs)

    @property
    def turned(self) -> bool:
        """Whether only one is denied; a limit takes a negation in (`not over 5`) where the other has amounts too."""
        if self.are_one_limited:
            return self.ours.negations % 2 != self.theirs.negations % 2
        return self.ours.negated != self.theirs.negated

    @property
    def has_case(self) -> bool:
        """Whether one of them makes part of it a case."""
        return self.ours.is_case or self.theirs.is_case


@lru_cache(maxsize=65536)
def compare(one: str, other: str) -> Compared:
    """Compare two sentences.

    They are about the same thing if they share at least half of their words and only one of them says more; two words
    that exclude each other, a negation, amounts and days are what they say about it. A statement about a narrower case
    only is left to people.
    """
    pair = _pair(statement(one), statement(other))
    if not _is_one_thing(pair):
        values = _of_one_head(pair)
        return Compared("unsure", *values, by_value=True) if values else _exclusive(pair)
    if pair.ours.literals != pair.theirs.literals:
        return _named_apart(pair)
    if _are_tiers(pair):
        return UNRELATED
    values = next(_values_apart(pair), None)
    if values is not None:
        return _compared_by(values, pair)
    if (pair.ours.amounts or pair.ours.dates) and pair.opposite and _shares_values(pair):
        return UNRELATED
    denied_twice = pair.has_case and not pair.turned and pair.ours.negations != pair.theirs.negations
    if bool(pair.opposite) != pair.turned or denied_twice:
        is_exception = pair.turned and pair.are_one_limited
        return Compared("unsure" if pair.has_case or is_exception else _sure(pair), *pair.shown)
    return Compared("agree") if _says_the_same(pair) else UNRELATED


def _compared_by(values: tuple[str, str], pair: _Pair) -> Compared:
    """Compare by two values of one kind that cannot both be meant."""
    is_doubtful = pair.turned or pair.opposite is not None or pair.are_refused or _differ_in_currency(pair)
    verdict: Verdict = "unsure" if is_doubtful else _sure(pair, extra=0)
    if values[0] == values[1]:  # `under 2 kg` and `over 2 kg` differ in their bounds alone
        values = pair.shown
    return Compared(verdict, *values, by_value=True)


def _says_the_same(pair: _Pair) -> bool:
    """Whether nothing is left that only one of them says."""
    if (pair.turned and pair.has_case) or (pair.ours.negated and pair.ours.is_case != pair.theirs.is_case):
        return False
    notes, others = ([statement(one).topic for one in _NOTED.findall(said.text)] for said in (pair.ours, pair.theirs))
    if notes and others and notes != others:  # `(a key in an object)` of a sentence about objects
        return False
    return not pair.extra and _shares_values(pair) and not _changed_places(pair) and _same_days(pair)


def _named_apart(pair: _Pair) -> Compared:
    """Compare two names or quotations: if each is given as the value of the same thing, only one can hold."""
    ours, theirs = pair.ours, pair.theirs
    if ours.value and theirs.value and ours.value != theirs.value and not pair.extra and not pair.turned:
        return Compared("clash", ours.value, theirs.value, by_value=True)
    return _exclusive(pair)


def _are_tiers(pair: _Pair) -> bool:
    """Whether both give several values and no case is in both: `2 kg cost 5 €`, `9 kg cost 8 €`, `under 2 kg …`."""
    mine, other = pair.ours.amounts, pair.theirs.amounts
    if len(mine) != len(other) or len(mine) < _FEW:
        return False
    return any(
        (a.number, a.dimension) != (b.number, b.dimension) or compared(a, b) == "contradict"
        for a, b in zip(mine[:-1], other[:-1], strict=True)
    )


def _changed_places(pair: _Pair) -> bool:
    """Whether two words that are not adjacent have swapped places: `a parent waits for a child`."""
    mine, other = pair.ours.stems, pair.theirs.stems
    if len(mine) != len(other):
        return False
    moved = [at for at, (a, b) in enumerate(zip(mine, other, strict=True)) if a != b]
    return len(moved) == _FEW and moved[1] - moved[0] > 1 and mine[moved[0]] == other[moved[1]]


def _pair(ours: Statement, theirs: Statement) -> _Pair:
    common = ours.topic & theirs.topic
    mine, other = ours.topic - common, theirs.topic - common
    opposite = next(((a, b) for a, b in product(sorted(mine), sorted(other)) if are_opposite(a, b)), None)
    if opposite and opposite[0] in ours.scoped and opposite[1] in theirs.scoped and tell_kinds_apart(*opposite):
        opposite = None
    if opposite is not None:
        mine, other = mine - {opposite[0]}, other - {opposite[1]}
    return _Pair(ours, theirs, common, mine, other, opposite)


def _is_one_thing(pair: _Pair) -> bool:
    if pair.mine and pair.other:
        return False
    common = len(pair.common) + (pair.opposite is not None)
    if not pair.common:
        return False
    return common / (common + len(pair.extra)) >= _NEARLY


def _sure(pair: _Pair, *, extra: int = 1) -> Verdict:
    """Whether the additional words leave no doubt: few, not narrowing anything, with enough common words."""
    if not pair.extra or (pair.ours.is_bound and not pair.mine) or (pair.theirs.is_bound and not pair.other):
        return "clash"
    scoped = pair.extra & (pair.ours.scoped | pair.theirs.scoped)
    return "unsure" if scoped or len(pair.common) < _FEW or len(pair.extra) > extra else "clash"


def _exclusive(pair: _Pair) -> Compared:
    """Detect a clash between what only some may do and others doing it too."""
    for ours, mine, theirs, other in (
        (pair.ours, pair.mine, pair.theirs, pair.other),
        (pair.theirs, pair.other, pair.ours, pair.mine),
    ):
        is_same = len(mine) == len(other) == 1 and pair.common and not pair.turned
        if is_same and mine <= ours.only and not theirs.only:
            return Compared("clash", ours.text, theirs.text)
    return UNRELATED


def _shares_values(pair: _Pair) -> bool:
    """Whether both contain values or neither does; a statement without values says nothing about the other's."""
    return bool(pair.ours.amounts) == bool(pair.theirs.amounts) and bool(pair.ours.dates) == bool(pair.theirs.dates)


def _same_days(pair: _Pair) -> bool:
    """Whether days are equally exact; `the end of March` is not necessarily `30 March`."""
    return all(as_exact(a, b) for a, b in zip(pair.ours.dates, pair.theirs.dates, strict=False))


def _values_apart(pair: _Pair) -> Iterator[tuple[str, str]]:
    """Amounts and days of one kind that cannot both be meant."""
    ours, theirs = pair.ours, pair.theirs
    yield from ((_shown(ours, a), _shown(theirs, b)) for a, b in _amounts_apart(pair))
    if len(ours.dates) == len(theirs.dates) == 1 and apart(ours.dates[0], theirs.dates[0]):
        yield _shown(ours, ours.dates[0]), _shown(theirs, theirs.dates[0])


def _amounts_apart(pair: _Pair) -> Iterator[tuple[Amount, Amount]]:
    for dimension in dict.fromkeys(one.dimension for one in pair.ours.amounts):
        mine = [one for one in pair.ours.amounts if same_kind(one.dimension, dimension)]
        other = [one for one in pair.theirs.amounts if same_kind(one.dimension, dimension)]
        if len(mine) == len(other):
            yield from ((a, b) for a, b in zip(mine, other, strict=True) if _are_apart(a, b, pair))


def _of_one_head(pair: _Pair) -> tuple[str, str] | None:
    """Return two measures of what both name first, unless words before them differ: `the deposit for a helmet`."""
    sides = (pair.ours, pair.theirs)
    if pair.turned or any(len(one.amounts) != 1 or one.refused or one.dates for one in sides):
        return None
    before = [statement(plain(one.text)[: one.amounts[0].start]).stems for one in sides]
    mine, other = (one.topic.intersection(stems[1:]) for one, stems in zip(sides, before, strict=True))
    is_one = before[0][:1] == before[1][:1] != () and (mine <= other or other <= mine)
    is_counted = pair.ours.amounts[0].dimension == COUNT
    return next(_values_apart(pair), None) if is_one and not is_counted else None


def _differ_in_currency(pair: _Pair) -> bool:
    """Whether the two sides use different currencies, which may be prices in different places."""
    ours = {one.dimension for one in pair.ours.amounts} & CURRENCIES
    theirs = {one.dimension for one in pair.theirs.amounts} & CURRENCIES
    return bool(ours and theirs) and ours != theirs


def _are_apart(a: Amount, b: Amount, pair: _Pair) -> bool:
    if a.dimension == COUNT and _count_others(a.nouns, b.nouns):
        return False
    if pair.ours.refused == pair.theirs.refused:
        return compared(a, b) == "contradict"
    allowed, refused = (a, b) if pair.theirs.refused else (b, a)
    if not refused.is_limit:
        return compared(allowed, refused) != "contradict"
    return _is_refused(allowed, refused) if allowed.side == refused.side else compared(a, b) == "contradict"


def _count_others(mine: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two numbers count different things, by the words after them."""
    if not mine or not other:
        return False
    return set(mine).isdisjoint(other) and mine[-1][:4] != other[-1][:4]


def _is_refused(allowed: Amount, limit: Amount) -> bool:
    """Whether the allowed amount is beyond the limit of what is not refused."""
    return allowed.number > limit.number if limit.side == "<" else allowed.number < limit.number


def _shown(said: Statement, value: Amount | Date) -> str:
    return plain(said.text)[value.start : value.end]


_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")


def is_meant(sentence: str) -> bool:
    """Whether a sentence asserts something; questions, suppositions and wishes do not."""
    return not sentence.rstrip(" \"')”").endswith("?") and not has_word("hedges", sentence)


def is_denied(text: str) -> bool:
    """Whether a text contains any negation."""
    return has_word("negations", text) or has_phrase("without", text) or "n't" in text.replace("’", "'")


def refuses(sentence: str) -> bool:
    """Whether a sentence denies something beyond its stated reason: `no, because …`."""
    reason = phrase_in("reasons", sentence)
    return is_meant(sentence) and is_denied(sentence[: reason.start()] if reason else sentence)


def has_word(row: str, text: str) -> bool:
    """Whether a text has a word of one row of the language tables."""
    words = words_of(row)
    return any(hit[0].casefold().replace("’", "'") in words for hit in _WORD.finditer(text))


def has_phrase(row: str, text: str) -> bool:
    """Whether a text has a phrase of one row of the language tables."""
    return phrase_in(row, text) is not None


def phrase_in(row: str, text: str) -> re.Match[str] | None:
    """Return the first match of a row's phrases in a text, or None."""
    return _phrases(row).search(text)


def begins(row: str, text: str) -> re.Match[str] | None:
    """Return the match of a row's phrase that starts a text, after punctuation, or None."""
    return _phrases(row).match(text, len(text) - len(text.lstrip(" \t*_-–>#!.,")))


@cache
def _phrases(row: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{either(phrases_of(row))})(?!\w)", re.IGNORECASE)
