"""Amounts in the many ways people write them: durations, sizes, money, shares, lengths and counts, with bounds."""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, lru_cache
from typing import Final, Literal

from pactkeeper.speech.languages import LANGUAGES, either, language_of, phrases_of, words_of
from pactkeeper.speech.languages.table import Language

Bound = Literal["=", "<", "<=", ">", ">="]
Relation = Literal["same", "compatible", "contradict"]
COUNT: Final = "count"  # the dimension of a number without a unit
_MOST_DIGITS: Final = 18
_NUMBER: Final = re.compile(
    r"(?<![\w.,:#/-])(?P<sign>[€$£]\s?)?(?P<number>\d{1,3}(?:[.,'  ]\d{3})++(?:[.,]\d{1,9})?|\d{1,18}(?:[.,]\d{1,9})?)"
    r"(?P<many>k(?!\w))?(?!(?:st|nd|rd|th)\b)(?![:/]\d)(?!\.\d)\s?-?(?P<unit>[^\W\d_]{1,16}|[%€$£]|°c)?(?![\w@])"
)
_CLOCK: Final = re.compile(
    r"(?<![\w.,:/-])(?P<hour>[01]?\d|2[0-4])(?:(?:[:.](?P<minute>[0-5]\d))?\s?(?P<half>am\b|pm\b|a\.m\.|p\.m\.|uhr\b)"
    r"|:(?P<minutes>[0-5]\d)|\s?h\s?(?P<past>[0-5]\d))(?![\w:])"
)
CLOCK: Final = "clock"  # the dimension of a time of day, in minutes
_BEHIND: Final = 32  # characters before an amount that may contain its bound
_NOUN: Final = re.compile(r"[^\W\d_][\w'’-]*")
_NOUNS: Final = 3
_CLAUSE: Final = 80  # characters behind an amount that may contain its period
_NAME: Final = re.compile(r"(?=\S*[A-Z0-9_./-])\S+")  # a word in lower case may be anything
_TRUE: Final = frozenset(("yes", "true", "on", "enabled", "required", "mandatory", "ja", "oui", "sí", "si", "vrai"))
_FALSE: Final = frozenset(("no", "false", "off", "disabled", "nein", "non", "faux", "none"))
_AND_A_HALF: Final = re.compile(
    r"(?<!\d)(?P<whole>\d++) and a half\b|(?<!\d)(?P<german>\d++)(?:einhalb| ?½)|(?P<bare>½)"
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number in its dimension's base unit, its bound, and its position `[start, end)`.

    `nouns` are the words right after a bare number, which say what it counts.
    """

    number: Decimal
    dimension: str
    bound: Bound = "="
    nouns: tuple[str, ...] = ()
    start: int = 0
    end: int = 0

    @property
    def side(self) -> str:
        """The side on which it is bound, `<` or `>`; `=` if it is no limit."""
        return self.bound[0]

    @property
    def is_limit(self) -> bool:
        """Whether it bounds a number instead of being one."""
        return self.bound != "="


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """Convert a text to lower case with number words as digits, the form in which amounts are searched."""
    text = " ".join(unicodedata.normalize("NFKC", text).casefold().replace("’", "'").split())
    text, language = _rated(text), language_of(text)
    return _AND_A_HALF.sub(_halved, _in_digits(_with_halves(_with_ones(text, language)), language))


@lru_cache(maxsize=8192)
def amounts_in(text: str) -> tuple[Amount, ...]:
    """Return every amount of a text in order; positions refer to `plain(text)`."""
    return tuple(_amounts(plain(text)))


@lru_cache(maxsize=8192)
def amount(text: str) -> Amount | None:
    """Return the amount of a text that consists of one amount only; None for any other."""
    found = amounts_in(text)
    if len(found) != 1:
        return None
    bare = plain(text)
    rest = f"{bare[: found[0].start]} {bare[found[0].end :]}"
    rest = re.sub(rf"(?<!\w)(?:{either(_all_bounds())})(?!\w)", " ", rest)
    left = [word for word in _NOUN.findall(rest) if word not in words_of("empty")]
    return found[0] if tuple(left) == found[0].nouns[:1] else None


def is_setting(text: str) -> bool:
    """Whether a text looks like a setting's value: one amount, yes or no, or one name such as `EU` or `utf-8`."""
    return amount(text) is not None or _truth(text) is not None or _NAME.fullmatch(text) is not None


def is_period(word: str) -> bool:
    """Whether a lower-case word is a unit of time, as `week`."""
    unit = _units().get(word) or _units().get(word.removesuffix("s"))
    return unit is not None and unit[0] in {"second", "month"}


def relation(one: str, other: str) -> Relation:
    """Compare two values of the same thing; anything but amounts contradicts unless it is the same."""
    if same_text(one, other):
        return "same"
    ours, theirs = amount(one), amount(other)
    if ours is None or theirs is None:
        return "same" if _truth(one) is not None and _truth(one) == _truth(other) else "contradict"
    if COUNT in {ours.dimension, theirs.dimension} and not (ours.nouns and theirs.nouns):
        theirs = replace(theirs, dimension=ours.dimension)
    return compared(ours, theirs)


def compared(ours: Amount, theirs: Amount) -> Relation:
    """Compare two amounts: compatible if a number satisfies both, unless both are upper or both lower limits."""
    if ours.dimension != theirs.dimension:
        return "contradict" if not _is_about(ours, theirs) else "compatible"
    if ours.side == theirs.side:  # `under 200 ms` and `within 0.2 s` are the same
        return "same" if ours.number == theirs.number else "contradict"
    return "compatible" if _overlap(ours, theirs) else "contradict"


def are_rates_apart(one: str, other: str) -> bool:
    """Whether two texts count the same per period, `120 stollen per day` and `90 stollen per day`, and differ in it.

    Limits on both sides that leave a number between them don't differ.
    """
    ours, theirs = _rates_in(one), _rates_in(other)
    found = ((ours[what], theirs[what]) for what in ours.keys() & theirs.keys())
    return any(a.number != b.number and not ({a.side, b.side} == {*"<>"} and _overlap(a, b)) for a, b in found)


def _rates_in(text: str) -> Mapping[tuple[str, ...], Amount]:
    """Map what is counted, with its period and the words behind that, to its amount."""
    found: dict[tuple[str, ...], Amount] = {}
    for one in amounts_in(text):
        clause = re.split(r"[.,;:!?()]", plain(text)[one.end : one.end + _CLAUSE], maxsplit=1)[0]
        words = _NOUN.findall(clause)
        period = next((place for place, word in enumerate(words) if is_period(word)), 0)
        if one.nouns and period:
            found[one.nouns[0], *words[period:]] = one
    return found


def same_text(one: str, other: str) -> bool:
    """Whether two texts are equal up to case, white space, quotation marks and final punctuation."""
    return _bare(one) == _bare(other)


@lru_cache(maxsize=8192)
def _bare(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(" \"'`“”„‘’*_.!;,")


def _amounts(text: str) -> Iterator[Amount]:
    clocks = tuple(_clocks(text))
    bare = list(text)
    for one in clocks:
        bare[one.start : one.end] = " " * (one.end - one.start)
    yield from sorted((*clocks, *_numbers("".join(bare))), key=lambda one: one.start)


def _clocks(text: str) -> Iterator[Amount]:
    """Times of day: `22:00`, `11 pm`, `9 Uhr`, `9h30`."""
    for hit in _CLOCK.finditer(text):
        hour, half = int(hit["hour"]), hit["half"] or ""
        hour = hour % 12 + 12 * half.startswith("p") if half[:1] in {"a", "p"} else hour
        minute = hit["minute"] or hit["minutes"] or hit["past"] or 0
        yield Amount(Decimal(hour * 60 + int(minute)), CLOCK, "=", (), hit.start(), hit.end())


def _numbers(text: str) -> Iterator[Amount]:
    for hit in _NUMBER.finditer(text):
        number = _decimal(hit["number"]) * (1000 if hit["many"] else 1)
        sign, unit = (hit["sign"] or "").strip(), hit["unit"] or ""
        known = _units().get(sign or unit) or _units().get(unit.removesuffix("s"))
        has_unit = unit in _units() if sign else known is not None
        end = hit.end() if has_unit else max(hit.end("number"), hit.end("many"))
        bound = _bound(text, hit.start(), end)
        if known is not None:
            dimension, factor = known
            yield Amount(number * factor, dimension, bound, (), hit.start(), end)
        else:
            nouns = _nouns(text[end:])
            if bound == "=" and nouns:
                bound = _bound(text, hit.start(), text.index(nouns[-1], end) + len(nouns[-1]))
            yield Amount(number, COUNT, bound, nouns, hit.start(), end)


def _nouns(behind: str) -> tuple[str, ...]:
    """Return the words right after a number, up to the end of its clause."""
    clause = re.split(r"[.,;:!?()]", behind[:80], maxsplit=1)[0]
    found: list[str] = []
    for word in _NOUN.findall(clause):
        if word in words_of("empty") or word in _all_bounds() or len(found) == _NOUNS:
            break
        found.append(word)
    return tuple(found)


_EXTREME: Final = re.compile(r"(?<!\d )\b(?P<extreme>m[aá]x|m[ií]n)(?:im\w{1,4})?\b")  # `the minimum order is 20 €`
_SIDES: Final[tuple[tuple[Bound, str], ...]] = (
    ("<=", "at_most"),
    (">=", "at_least"),
    ("<", "less"),
    (">", "more"),
)
TURNED: Final[Mapping[Bound, Bound]] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "="}


def _bound(text: str, start: int, end: int) -> Bound:
    """Return the bound of a number, from the longest phrase right before or after it."""
    before, after = text[max(0, start - _BEHIND) : start].rstrip(), text[end : end + _BEHIND].lstrip()
    found = ((_side_before(pick).search(before), _side_behind(pick).match(after), bound) for bound, pick in _SIDES)
    hits = [(len(hit[1]), bound) for *places, bound in found for hit in places if hit]
    if hits:
        return max(hits)[1]
    named = _EXTREME.search(re.split(r"[.,;:!?]", before)[-1])
    return "=" if named is None else "<=" if named["extreme"].startswith(("max", "máx")) else ">="


@cache
def _side_before(pick: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|(?<=\W)|(?=\W))({either(phrases_of(pick))})(?: of| the| an?| de| von)?\.?$")


@cache
def _side_behind(pick: str) -> re.Pattern[str]:
    return re.compile(
        rf"({either(phrases_of(pick))})(?![^\W_])(?!\s*\d)" if pick in {"at_most", "at_least"} else r"(?!)"
    )


@cache
def _all_bounds() -> tuple[str, ...]:
    return tuple(sorted((one for _, pick in _SIDES for one in phrases_of(pick)), key=len, reverse=True))


@cache
def _units() -> Mapping[str, tuple[str, Decimal]]:
    rows = (line.split() for table in reversed(LANGUAGES) for line in table.units.strip().splitlines())
    return {word.casefold(): (row[0], Decimal(row[1])) for row in rows for word in row[2:]}


def _rated(text: str) -> str:
    """Replace `daily` with `every 1 day`."""
    return " ".join(_rates().get(word.strip(".,;:!?"), word) for word in text.split(" "))


@cache
def _rates() -> Mapping[str, str]:
    pairs = (pair.split(":") for table in LANGUAGES for pair in table.rates.split())
    return {word: f"every 1 {unit}" for word, unit in pairs}


def _with_halves(text: str) -> str:
    """Replace `half an hour` with `0.5 hour`."""
    return _halves().sub("0.5", text)


@cache
def _halves() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?<!and )(?:{either(phrases_of('halves'))})(?=\s[^\W\d_])")


def _with_ones(text: str, language: Language) -> str:
    """Replace a word for one before a unit with the digit: `one hour`, `eine Woche`; elsewhere it is no number."""
    words = text.split(" ")
    ones = frozenset(language.ones.split())
    for at in range(len(words) - 1):
        unit = words[at + 1].strip(".,;:!?)")
        if words[at] in ones and len(unit) > 2 and unit in _units() and words[max(0, at - 1)] not in {"half", "and"}:  # noqa: PLR2004 - single letters are not units there
            words[at] = "1"
    return " ".join(words)


def _in_digits(text: str, language: Language) -> str:
    """Replace number words with digits, except words such as `one` that may not be numbers."""
    if not any(letter.isalpha() for letter in text):
        return text
    from text_to_num import alpha2digit  # noqa: PLC0415 - most texts that are compared have no number

    kept = re.sub(r"\bsecond(?=s?\b)", "sekond", text)  # it would be taken for an ordinal
    return str(alpha2digit(kept, language.code, 1.5)).replace("sekond", "second")


def _halved(hit: re.Match[str]) -> str:
    whole = hit["whole"] or hit["german"]
    return f"{whole}.5" if whole else "0.5"


def _decimal(text: str) -> Decimal:
    """Parse a number as people write it: a mark before exactly three digits is a separator, any other is decimal."""
    digits = text[:_MOST_DIGITS]
    if re.fullmatch(r"\d{1,3}(?:[.,'  ]\d{3})+", digits):
        return Decimal(re.sub(r"[.,'  ]", "", digits))
    bare = re.sub(r"['  ]", "", digits).replace(",", ".")
    head, _, tail = bare.rpartition(".")
    return Decimal(f"{head.replace('.', '')}.{tail}" if head else bare)


def _truth(text: str) -> bool | None:
    word = _bare(text)
    return True if word in _TRUE else False if word in _FALSE else None


CURRENCIES: Final = frozenset({"euro", "dollar", "pound"})
_FAMILIES: Final = (frozenset({"second", "month"}), CURRENCIES)
_MONTH: Final = Decimal(2_629_800)  # seconds
_NEAR: Final = Decimal("0.12")  # by which four weeks and a month differ


def same_kind(one: str, other: str) -> bool:
    """Whether two dimensions measure the same thing, such as days and months."""
    return one == other or any({one, other} <= family for family in _FAMILIES)


def _is_about(one: Amount, other: Amount) -> bool:
    """Whether an amount in days and one in months are nearly equal."""
    if {one.dimension, other.dimension} != {"second", "month"} or {one.side, other.side} == {"<", ">"}:
        return False
    a, b = (amount.number * (_MONTH if amount.dimension == "month" else 1) for amount in (one, other))
    return abs(a - b) <= _NEAR * max(a, b) and a != b


def _overlap(one: Amount, other: Amount) -> bool:
    """Whether a number satisfies both: one of them is fixed, or they bound it from below and above."""
    fixed, bounded = (other, one) if one.is_limit else (one, other)
    if not fixed.is_limit:
        return _COMPARE[bounded.bound](fixed.number, bounded.number)
    low, high = (one, other) if one.side == ">" else (other, one)
    return low.number < high.number or (low.number == high.number and "=" in low.bound and "=" in high.bound)


_COMPARE: Final[Mapping[Bound, Callable[[Decimal, Decimal], bool]]] = {
    "=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
