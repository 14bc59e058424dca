"""A line of text by fields, and the items of plans: their words, and the details that distinguish pieces of work.

Also compares two lines: fields decide whether they name the same work; similarity only leads to a question.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Generic, Literal, TypeVar

from pactkeeper.speech.clash import begins, has_phrase, has_word
from pactkeeper.speech.dates import Date, dates_in
from pactkeeper.speech.languages import language_of, words_of
from pactkeeper.speech.layout import LayoutItem, LayoutSection, sections
from pactkeeper.speech.words import statement, stem
from pactkeeper.transcripts.extraction.products import names_step

_ID: Final = re.compile(r"https?://[^\s)>\]\"']+|(?<![\w-])(?:[A-Z][A-Z0-9]+-\d+|T-[0-9a-f]{6,})(?!\w)|(?<!\w)#\d+\b")
_MARKS: Final = re.compile(r"\[daemon\]|[`*_~]+", re.IGNORECASE)
# A party is a capitalised name after a preposition.
_PARTY: Final = re.compile(
    r"\b(?:to|for|with|from|by|an|für|mit|von|bei|à|pour|avec|chez|para|con)\s+"
    r"((?:[A-ZÀ-Þ][\w'’-]+)(?:\s[A-ZÀ-Þ][\w'’-]+)*)"
)


@dataclass(frozen=True, slots=True)
class LineFields:
    """One line by fields; `words` excludes ids and details.

    `stems` maps the stems that distinguish this work to their words; `topics` also includes the stems of names.
    `details` holds what must agree if both sides have it: ids, amounts, dates, numbers and parties.
    """

    words: frozenset[str]
    stems: Mapping[str, str]
    topics: frozenset[str]
    details: Mapping[str, frozenset[str]]

    @property
    def key(self) -> tuple[frozenset[str], frozenset[tuple[str, frozenset[str]]]]:
        """Equal for two lines that say the same: all of their words and details."""
        return self.words, frozenset(self.details.items())

    @property
    def plain(self) -> str:
        """Its words in sorted order."""
        return " ".join(sorted(self.words))


@lru_cache(maxsize=8192)
def said(text: str) -> LineFields:
    """Split a line into its fields."""
    bare = unicodedata.normalize("NFKC", _MARKS.sub(" ", text))
    read = statement(_ID.sub(" ", bare))
    named = {one.casefold() for one in _PARTY.findall(bare) if not dates_in(f"in {one.casefold()}")}
    details: dict[str, frozenset[str]] = {
        "amounts": frozenset(f"{one.number.normalize():f} {one.dimension}" for one in read.amounts),
        "dates": frozenset(map(_day, read.dates)),
        "ids": frozenset(_bare(one) for one in _ID.findall(bare)),
        "numbers": frozenset(read.literals),
        "parties": frozenset(named),
    }
    language = language_of(text)
    stems = {stem(word, language): word for word in sorted(read.words - words_of("deeds"))}
    of_parties = frozenset(" ".join(named).split())
    own = {name: word for name, word in stems.items() if word not in of_parties}
    return LineFields(read.words, own, frozenset(stems), {name: values for name, values in details.items() if values})


def _day(date: Date) -> str:
    parts = ("year", "quarter", "month", "day", "weekday", "part")
    return " ".join(f"{name} {value}" for name in parts if (value := getattr(date, name)))


def _bare(text: str) -> str:
    return text.rstrip(".,;:/").replace(" ", "").casefold()


def ids_in(text: str) -> frozenset[str]:
    """Every id and address in a text, case-folded."""
    return frozenset(_bare(one) for one in _ID.findall(text))


Sameness = Literal["same", "different", "perhaps", "unrelated"]
LIKE: Final = 85  # points of similarity out of 100
MANY: Final = 2  # shared words that make two lines similar
Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of comparing two lines, and why."""

    sameness: Sameness
    why: str


@dataclass(frozen=True, slots=True)
class Matches(Generic[Thing]):
    """Things that are the same, and those that may be, most similar first and each with the reason."""

    same: tuple[Thing, ...]
    perhaps: tuple[tuple[Thing, str], ...]


def compare(one: str, other: str) -> Comparison:
    """Compare two titles.

    Different values in a detail that both have make them different. Equal words and details make them the same. Mere
    similarity leads to a question.
    """
    a, b = said(one), said(other)
    for field, values in a.details.items():
        theirs = b.details.get(field)
        if theirs and values - theirs and theirs - values and field != "parties":
            return Comparison("different", f"{field}: {_listed(values)} is not {_listed(theirs)}")
    alike = _alike(a, b)
    if alike and _other_party(a, b):
        mine, theirs = a.details["parties"], b.details["parties"]
        return Comparison("different", f"it is about {_listed(mine)}, not {_listed(theirs)}")
    if a.words and a.key == b.key:
        return Comparison("same", "the same words and details")
    if shared := a.details.get("ids", frozenset()) & b.details.get("ids", frozenset()):
        return Comparison("perhaps", f"both name {_listed(shared)}")
    return Comparison("perhaps", alike) if alike else Comparison("unrelated", "they share no significant words")


def matches(title: str, things: Iterable[Thing], name: Callable[[Thing], str]) -> Matches[Thing]:
    """Find the things whose names are, or may be, the same work."""
    known = tuple(things)
    names = tuple(map(name, known))
    same: list[Thing] = []
    perhaps: list[tuple[int, Thing, str]] = []
    for position in _candidates(said(title), names):
        found = compare(title, names[position])
        if found.sameness == "same":
            same.append(known[position])
        elif found.sameness == "perhaps":
            perhaps.append((_points(said(title), said(names[position])), known[position], found.why))
    perhaps.sort(key=lambda one: (-one[0], name(one[1])))
    return Matches(tuple(same), tuple((thing, why) for _, thing, why in perhaps))


def _candidates(wanted: LineFields, names: tuple[str, ...]) -> list[int]:
    """The positions of all names that may be related, in order."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - loaded only when something is compared

    index, plains = _index(names)
    ids = wanted.details.get("ids", frozenset())
    found = {position for word in (*wanted.stems, *wanted.words, *ids) for position in index.get(word, ())}
    hits = process.extract(wanted.plain, plains, scorer=fuzz.ratio, score_cutoff=LIKE, limit=None)
    return sorted(found | {position for _, _, position in hits})


@lru_cache(maxsize=64)
def _index(names: tuple[str, ...]) -> tuple[Mapping[str, list[int]], tuple[str, ...]]:
    """Positions by stem, word and id, and the plain form of every name."""
    found: dict[str, list[int]] = {}
    for position, name in enumerate(names):
        line = said(name)
        for word in {*line.stems, *(line.words if not line.stems else ()), *line.details.get("ids", ())}:
            found.setdefault(word, []).append(position)
    return found, tuple(said(name).plain for name in names)


def _alike(a: LineFields, b: LineFields) -> str:
    """Why two lines may say the same; empty if nothing suggests it."""
    shared = a.stems.keys() & b.stems.keys()
    least = min(len(a.stems), len(b.stems))
    if shared and len(shared) * 3 >= least * 2 and (len(shared) >= MANY or len(shared) == least):
        return f"both are about {_listed(a.stems[one] for one in shared)}"
    if a.stems and b.stems and _points(a, b) >= LIKE:
        return "they are spelled alike"
    return ""


def _other_party(a: LineFields, b: LineFields) -> bool:
    mine, theirs = a.details.get("parties", frozenset()), b.details.get("parties", frozenset())
    return bool(mine - theirs and theirs - mine)


def _points(a: LineFields, b: LineFields) -> int:
    from rapidfuzz import fuzz  # noqa: PLC0415 - loaded only when something is compared

    return int(fuzz.ratio(a.plain, b.plain))


def _listed(values: Iterable[str]) -> str:
    return ", ".join(sorted(values))


_STRUCK: Final = re.compile(r"~~.+~~\W*")
_STEP: Final = re.compile(r"\s+\d+\s*[:.–—-]\s*(.+)$")
TITLE: Final = 120
_LINK: Final = re.compile(r"!?\[([^\]]{0,300})\]\([^)]{0,1000}\)")


@dataclass(frozen=True, slots=True)
class ListItem:
    """One item: its title without markup, its whole text verbatim, whether it is ticked, and its number or 0."""

    title: str
    text: str
    done: bool = False
    number: int = 0


def steps(text: str) -> tuple[ListItem, ...]:
    """The steps of a plan: numbered items and boxes outside risks and other asides, else headings such as Step 1."""
    counted = (one for section in sections(text) for one in _steps_in(section))
    return tuple(_item(text, one) for one in counted) or tuple(_headed(text))


@lru_cache(maxsize=64)
def is_one_list(text: str) -> bool:
    """Whether a plan has a single list of steps, all open, and no words outside of it about a step by its number."""
    found = [(section, _steps_in(section)) for section in sections(text)]
    lists = [(section, items) for section, items in found if items]
    if len(lists) != 1:
        return False
    section, items = lists[0]
    outside = text[: items[0].first] + text[items[-1].last :]
    is_counted = section.numbered == len(items) or section.boxes == len(items)
    is_open = not any("~~" in one.line.text or _is_done(one.line.text) for one in items)
    return is_counted and is_open and len({one.over for one in items}) == 1 and not names_step(outside)


def _is_done(text: str) -> bool:
    return has_word("done", text) and not has_word("scopes", text)


def recommendations(text: str) -> tuple[ListItem, ...]:
    """Items of any kind below a heading or a lead line that recommends them."""
    return tuple(_item(text, one) for one in _items(text) if has_phrase("wanted", one.over))


def reasoning(text: str) -> int:
    """The number of characters in a text outside items and headings."""
    items = sum(len(_item(text, one).text) for one in _items(text))
    return max(0, len(text.strip()) - items - sum(len(one.title) for one in sections(text)))


def _steps_in(section: LayoutSection) -> list[LayoutItem]:
    return [one for one in section.items if (one.line.number or one.line.box) and not has_phrase("asides", one.over)]


def _items(text: str) -> Iterator[LayoutItem]:
    return (one for section in sections(text) for one in section.items)


def _item(text: str, found: LayoutItem) -> ListItem:
    is_done = found.line.box == "x" or _STRUCK.fullmatch(found.line.text) is not None
    return ListItem(_title(found.line.text), text[found.first : found.last].strip(), is_done, found.line.number)


def _headed(text: str) -> Iterator[ListItem]:
    for section in sections(text):
        named = begins("steps", section.title)
        found = named and _STEP.match(section.title, named.end())
        if found:
            yield ListItem(_title(found[1]), text[section.first : section.own_last].partition("\n")[0].strip())


def _title(text: str) -> str:
    """The first clause of an item, without links, bold and code markup."""
    bare = _LINK.sub(r"\1", text).replace("**", "").replace("`", "").strip()
    first = re.split(r"(?<=\w)[.;](?=\s|$)| — | – |: ", bare, maxsplit=1)[0].strip()
    return (first or bare)[:TITLE].rstrip(" .,;:")
