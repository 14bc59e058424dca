"""A statement's content: the stems of its words, what is negated, and the amounts, days and names in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final

from pactkeeper.speech.amounts import TURNED, Amount, amounts_in, plain
from pactkeeper.speech.dates import Date, dates_in
from pactkeeper.speech.languages import LANGUAGES, either, language_of, phrases, phrases_of, words_of
from pactkeeper.speech.languages.table import Language

_WORD: Final = re.compile(r"[^\W_][\w'-]*")
_LITERAL: Final = re.compile(
    r"[`\"“„«](?P<quoted>[^`\"”“»\n]{1,80})[`\"”“»]|(?<![\w])'(?P<single>[^'\n]{1,80})'(?!\w)"
    r"|(?P<tag><[\w ]{1,40}>)|(?<![\w/])(?P<path>/[\w./{}:-]+|[^\W\d]\w*(?:\.\w+)+)"
    r"|(?<=[^\W\d_] )(?P<letter>[b-hj-z])(?=[\s.,;]|$)"
)
_SHORTEST: Final = 2
_SHORTEST_TURNED: Final = 4  # letters after a negating prefix; `in` and `un` start many short words
_TURNS: Final = ("un", "in", "non", "non-", "dis", "im")
_NAMED: Final = re.compile(
    rf"\b(?:{either(words_of('numbered'))})\s#?\d{{1,6}}(?:\.\d{{1,6}}){{0,3}}\b(?!\s?[%€$£])", re.IGNORECASE
)
_KEYED: Final = re.compile(r"[^:=]{1,60}[:=]\s")


@dataclass(frozen=True, slots=True)
class Statement:
    """The content of one sentence; `words` are its meaningful words, `stems` their stems in order.

    `negations` counts its negations, `negated` is whether it is denied, `refused` whether a word such as `refused`
    forbids it. `scoped` are the stems that narrow its subject: right before another word, or in a condition. `only` are
    those right after `only`. `is_bound` means that it is only a name with a value, `is_case` that a word such as
    `without` makes part of it a case. `value` is a quoted text that it equates something with.
    """

    text: str
    words: frozenset[str]
    stems: tuple[str, ...]
    negations: int
    negated: bool
    refused: bool
    amounts: tuple[Amount, ...]
    dates: tuple[Date, ...]
    literals: tuple[str, ...]
    scoped: frozenset[str]
    only: frozenset[str]
    is_bound: bool
    is_case: bool
    value: str

    @property
    def topic(self) -> frozenset[str]:
        """Its subject, as a set of stems."""
        return frozenset(self.stems)

    def spelled(self, stemmed: str) -> str:
        """A word of the sentence that has this stem."""
        language = language_of(self.text)
        return next(word for word in sorted(self.words) if stem(word, language) == stemmed)


@lru_cache(maxsize=16384)
def statement(text: str) -> Statement:
    """Read one sentence."""
    source, language = plain(text), language_of(text)
    named = tuple(_NAMED.finditer(source))
    dates = dates_in(source)
    amounts = _amounts_beside(dates, named, text)
    bare, negations = _negations(_without_values(source, (*amounts, *dates)))
    negations -= sum(one.turned for one in dates)
    negated = negations % 2 == 1
    words = _words(bare, language, measured=bool(amounts or dates))
    allowing = [one for one in words if one.word not in words_of("refusals")]
    refused = bool(amounts) and len(allowing) < len(words)
    if refused:
        words = allowing
    if (negated or refused) and any(one.is_limit for one in amounts):
        amounts = tuple(replace(one, bound=TURNED[one.bound]) for one in amounts)
        negated = negated and refused
    value = _valued().search(source)
    return Statement(
        text,
        words=frozenset(one.word for one in words),
        stems=tuple(dict.fromkeys(one.stem for one in words)),
        negations=negations,
        negated=negated,
        refused=refused,
        amounts=amounts,
        dates=dates,
        literals=_literals(source, named),
        scoped=frozenset(one.stem for one in words if one.scopes),
        only=frozenset(one.stem for one in words if one.only),
        is_bound=bool(amounts or dates) and _KEYED.match(text) is not None,
        is_case=not words_of("cases").isdisjoint(_WORD.findall(source)),
        value=value["value"] if value else "",
    )


@dataclass(frozen=True, slots=True)
class Filed:
    """An index of texts by stem, so that a text is compared only with those that share some."""

    places: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Filed:
        """Index texts by their positions."""
        found: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            for name in statement(text).topic:
                found.setdefault(name, []).append(place)
        return cls(found)

    def near(self, text: str, *, share: int = 0) -> Iterator[int]:
        """Yield positions of texts sharing a stem with a text, and at least `share` percent of its stems, in order."""
        wanted = statement(text).topic
        counts = Counter(place for name in wanted for place in self.places.get(name, ()))
        yield from (place for place, number in sorted(counts.items()) if number >= len(wanted) * share // 100)


@dataclass(frozen=True, slots=True)
class _Word:
    word: str
    stem: str
    scopes: bool
    only: bool


def _words(text: str, language: Language, *, measured: bool) -> list[_Word]:
    """Return the meaningful words of a text, with their effect on others."""
    found: list[_Word] = []
    scoped = behind_only = False
    tokens = [hit[0].strip("'-") for hit in _WORD.finditer(text)]
    for at, word in enumerate(tokens):
        scoped = scoped or word in words_of("scopes")
        if word in words_of("only"):
            behind_only = True
        elif not _is_empty(word, measured=measured):
            following = tokens[at + 1] if at + 1 < len(tokens) else ""
            narrows = bool(following) and not _is_empty(following, measured=measured)
            found.append(_Word(word, stem(word, language), scoped or narrows, behind_only))
            behind_only = False
    return found


@lru_cache(maxsize=16384)
def stem(word: str, language: Language = LANGUAGES[0]) -> str:
    """Return the stem that represents all forms of a word and its synonyms."""
    word = word.removesuffix("'s")
    bare = _stemmed(word, language)
    return _synonyms(language).get(bare, bare)


def are_opposite(one: str, other: str) -> bool:
    """Whether two stems exclude each other, by a table or by a negative prefix."""
    if any(frozenset((one, other)) in _pairs(row) for row in ("opposites", "states")):
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= _SHORTEST_TURNED and any(long == f"{prefix}{short}" for prefix in _TURNS)


def tell_kinds_apart(one: str, other: str) -> bool:
    """Whether two opposites, right before a noun, name two kinds of it: open and closed orders."""
    return frozenset((one, other)) in _pairs("states")


def _amounts_beside(dates: Sequence[Date], named: Sequence[re.Match[str]], text: str) -> tuple[Amount, ...]:
    """Return the amounts of a text that are no part of a day or of a numbered name."""
    spans = [(one.start, one.end) for one in dates] + [hit.span() for hit in named]
    taken = {at for start, end in spans for at in range(start, end)}
    return tuple(one for one in amounts_in(text) if one.start not in taken)


def _literals(text: str, named: Sequence[re.Match[str]]) -> tuple[str, ...]:
    quoted = (hit[0].strip("'`\"“”„«»") for hit in _LITERAL.finditer(text))
    return (*quoted, *(hit[0] for hit in named))


def _without_values(text: str, values: Sequence[Amount | Date]) -> str:
    """Return a text without its values, the words of their bounds, and what it quotes."""
    for one in sorted(values, key=lambda one: one.start, reverse=True):
        text = f"{text[: one.start]} {text[one.end :]}"
    return _LITERAL.sub(" ", _bound_words().sub(" ", text) if values else text)


def _negations(text: str) -> tuple[str, int]:
    """Return a text without its negations, and the number of them."""
    text = re.sub(r"(?<=\w)n't\b", " not", text.replace("can't", "can not").replace("won't", "will not"))
    text, phrases_gone = _negative_phrases().subn(" ", text)
    words = text.split()
    negative = words_of("negations")
    kept = [word for word in words if word.strip(".,;:!?") not in negative]
    gone = {word.strip(".,;:!?") for word in words} & negative
    cases = gone & words_of("cases")  # `no … without` negates twice, `ne … pas` once
    return " ".join(kept), phrases_gone + bool(cases) + bool(gone - cases)


def _is_empty(word: str, *, measured: bool) -> bool:
    if len(word) < _SHORTEST and not word.isdigit():
        return True
    if word.removesuffix("'s") in words_of("empty"):
        return True
    if word in words_of("scopes"):
        return measured or word not in words_of("opposites")
    return measured and (word in words_of("limits") or word in words_of("moved"))


@cache
def _bound_words() -> re.Pattern[str]:
    rows = map(phrases_of, ("at_most", "at_least", "less", "more"))
    return re.compile(rf"(?<!\w)(?:{either({one for row in rows for one in row if one[0].isalpha()})})(?!\w)")


@cache
def _negative_phrases() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{either(phrases_of('without'))})(?!\w)")


@cache
def _valued() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{either(words_of('equals'))})\s[`\"'“„«](?P<value>[^`\"'”“»\n]{{1,80}})[`\"'”“»][.!]?$")


@cache
def _stemmers() -> Mapping[str, object]:
    import snowballstemmer  # noqa: PLC0415 - only comparing words needs it

    return {table.stemmer: snowballstemmer.stemmer(table.stemmer) for table in LANGUAGES}


def _stemmed(word: str, language: Language) -> str:
    return str(_stemmers()[language.stemmer].stemWord(word))  # type: ignore[attr-defined]


@cache
def _synonyms(language: Language) -> Mapping[str, str]:
    first_of: dict[str, str] = {}
    for row in phrases(language.synonyms):
        stems = [_stemmed(word, language) for word in row.split()]
        first_of |= dict.fromkeys(stems, stems[0])
    return first_of


@cache
def _pairs(row: str) -> frozenset[frozenset[str]]:
    """Return the stems of each pair of a row, across all tables."""
    found: set[frozenset[str]] = set()
    for table in LANGUAGES:
        for pair in phrases(getattr(table, row)):
            found.add(frozenset(stem(word, table) for word in pair.split()))
    return frozenset(found)
