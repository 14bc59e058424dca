"""Search files for what words mean: the definitions and sections that fit best, and the best line in each."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import log
from typing import Final

from pactkeeper.chat.answers import MOST_QUOTED
from pactkeeper.chat.blocks import DOCUMENTS, Block, Units
from pactkeeper.chat.words import Form, Term, stem_of

Kind = str
KINDS: Final = ("code", "test", "document", "plan", "other")
WEIGHTS: Final = {"code": 1.0, "test": 0.75, "document": 0.95, "plan": 0.75, "other": 0.6}
MOST_LINES: Final = 20_000  # lines read per file
MOST_UNITS: Final = 400  # units that are read line by line
ALL: Final = 0.999  # share of all words, but for rounding
AROUND: Final = 3  # lines within which words count as being together
ABOVE: Final = 5  # lines quoted above the best one
# How much a word counts on the line itself, near it or in the name of its unit, elsewhere in the unit, and in the path:
# each more than the next.
ON, NEAR, HELD, PATHED = 1.0, 0.9, 0.6, 0.5
# How often a word counts that is in the name of a unit, in the name of what holds it and in the path; on the line that
# defines it, at its beginning, in a comment, and on other lines.
NAME, OUTER, PATH = 4.0, 1.0, 0.7
HEAD, OPENS, TOLD, CODE = 2.0, 1.5, 1.2, 1.0
SATURATED: Final = 1.5  # occurrences in a unit of usual length from which more count little (k1 of BM25)
USUAL: Final = 25  # lines of a unit
LENGTH: Final = 0.5  # how much longer units count less (b of BM25)
UNIT: Final = 0.8  # how much the unit counts beside its best line
CALLED: Final = 0.3  # bonus for a name that is all of what is asked for and nothing else
ASIDE: Final = 0.2  # deducted for imports, examples of a session and overlong lines
OPENING: Final = 4  # lines at the start of a definition that say what it is for
SAYS: Final = 0.05  # bonus for these lines
WANTED: Final = 0.2  # bonus for a line of the kind the question wants
ANSWERS, CLOSE = 65, 45  # of 100: share of the words from which a place answers, and from which it is close
# Words that want lines of a kind, and what such lines look like: errors raised, figures, defaults, definitions.
_KINDS_OF_LINES: Final = (
    ("error exception raise throw happen fehler ausnahme", re.compile(r"\b(?:raise|throws?)\b|Error\(")),
    ("default standard standardwert", re.compile(r"[\w\])]\s*=(?![=>])|\?\?|\|\||(?i:default)")),
    ("many often maximum minimum limit long size number value viele oft", re.compile(r"(?<![\w.#])\d+(?!\w)")),
    ("class klasse", re.compile(r"\bclass \w")),
    ("function method funktion methode", re.compile(r"\b(?:def|function|fn|func)\b|\)\s{0,9}(?::[^;{]{0,80})?\{|=>")),
)
# Words that want files of a kind, and how much these count then.
_KINDS_OF_FILES: Final = (("version release since when", "plan", 1.2), ("test tests tested", "test", 1.1))
_COMMENT: Final = re.compile(r"\s*(?:#|//|/?\*|['\"]{3})")
_ASIDE: Final = re.compile(r"\s*+(?:import\b|from\b.*\bimport\b|>>>|__\w+__\b|export \{|.{400})")
_CODE: Final = (
    *(".py", ".pyi", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts", ".go", ".rs", ".java", ".kt"),
    *(".rb", ".php", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".swift", ".scala", ".sh"),
)
_TESTS: Final = re.compile(r"(?:^|/)(?:tests?|specs?|__tests__)/|(?:^|/)test_|[._-](?:test|spec)s?\.\w+$")
_PLANNED: Final = re.compile(
    r"(?i)(?:^|/)(?:change(?:log|s)|history|roadmap|todo|plans?|news|releases?|rfcs?)(?:[./_-]|$)"
)


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a file in one definition or section, `inside`, and the `telling` line among them that fits best.

    `share` is the weighted share of the words at that line, of 100, by how near they are there.
    """

    path: str
    kind: Kind
    line: int
    end: int
    inside: str
    telling: int
    score: float
    share: int

    @property
    def bears(self) -> bool:
        """Whether it has enough of the words to be an answer."""
        return self.share >= ANSWERS

    @property
    def close(self) -> bool:
        """Whether it has enough of the words to be worth showing."""
        return self.share >= CLOSE


@dataclass(frozen=True, slots=True)
class Looked:
    """The result of a search, best first; `absent` are words that no file has, `files` how many were searched.

    `having` counts the units that have all of the words.
    """

    passages: tuple[Passage, ...]
    absent: tuple[str, ...]
    files: int
    having: int = 0


def kind_of(path: str) -> Kind:
    """Classify a file by its name."""
    folded = path.lower()
    if _TESTS.search(folded):
        return "test"
    if _PLANNED.search(path) or folded.startswith("docs/decisions/"):
        return "plan"
    if folded.endswith(DOCUMENTS):
        return "document"
    return "code" if folded.endswith(_CODE) else "other"


def look(  # noqa: PLR0913 - what is searched, for what, and how
    files: Iterable[tuple[str, bytes]],
    asked: Sequence[Term],
    kinds: Mapping[str, Kind],
    *,
    wanting: Iterable[str] = (),
    most: int,
    units: Units,
) -> Looked:
    """Find the units with the words; `kinds` is by path, and `units` splits a file.

    Words `wanting` lines or files of a kind raise these.

    At most `most` files are examined and as many places returned.
    """
    texts: dict[str, _Text] = {}
    number = size = 0
    for path, data in files:
        number, size = number + 1, size + data.count(b"\n")
        text = _read(path, data, asked)
        if text.lines or text.pathed:
            texts[path] = text
    sought = _sought(asked, wanting, list(texts.values()), size)
    weights = {**WEIGHTS, **sought.kinds}
    ranked = sorted(texts, key=lambda path: (-sought.held(texts[path]) * weights[kinds[path]], path))[:most]
    files_of = [_file(path, texts[path], kind=kinds[path], weight=weights[kinds[path]]) for path in ranked]
    shares: dict[AbstractSet[Term], float] = {}
    found = [one for file in files_of for one in _units(file, sought, units, shares)]
    likely = sorted(found, key=lambda one: -one.share * one.file.weight)[:MOST_UNITS]
    passages = [one for unit in likely for one in _best(unit, sought)]
    best = sorted(passages, key=lambda one: (-one.score, KINDS.index(one.kind), one.path, one.line))
    having = sum(one.share > ALL for one in found)
    return Looked(tuple(best[:most]), tuple(one.word for one in sought.absent), number, having)


@dataclass(frozen=True, slots=True)
class _Text:
    """A file: the lines, counted from 0, with each word that it has, and the words that its path has."""

    data: bytes
    lines: Mapping[Term, AbstractSet[int]]
    pathed: AbstractSet[Term]


def _read(path: str, data: bytes, asked: Sequence[Term]) -> _Text:
    lowered = data.lower()
    lines: dict[Term, AbstractSet[int]] = {}
    for one in asked:
        held = {at for form in one.forms for at in _lines(form, data, lowered)}
        if held:
            lines[one] = held
    return _Text(data, lines, {one for one in asked if one.stands_in(path)})


def _lines(form: Form, data: bytes, lowered: bytes) -> Iterator[int]:
    line = before = 0
    for at in form.places(data, lowered):
        line, before = line + data.count(b"\n", before, at), at
        yield line


def _weight(having: float, number: int) -> float:
    """Weight a word by how few of the lines have it."""
    return log(1 + (number + 1) / (having + 1))


@dataclass(frozen=True, slots=True)
class _Sought:
    """What is searched for: how much each word counts, which are nowhere, and what lines and files are wanted."""

    weights: Mapping[Term, float]
    absent: tuple[Term, ...]
    wants: tuple[re.Pattern[str], ...]
    kinds: Mapping[Kind, float]
    whole: float

    def part(self, having: Mapping[Term, float]) -> float:
        """Return the weighted share of the words, each with how near it is."""
        return sum(self.weights.get(one, 0) * how for one, how in having.items()) / self.whole

    def held(self, text: _Text) -> float:
        """Score how much of the words a file has."""
        often = {one: 0.7 + 0.3 * _often(len(lines)) for one, lines in text.lines.items()}
        return self.part(dict.fromkeys(text.pathed, 1.0) | often)


def _sought(asked: Sequence[Term], wanting: Iterable[str], texts: Sequence[_Text], size: int) -> _Sought:
    having = Counter(one for text in texts for one, lines in text.lines.items() for _ in lines)
    there = {one for text in texts for one in (*text.lines, *text.pathed)}
    weights = {one: one.weight * _weight(having[one], size) for one in asked if one in there or not one.light}
    stems = {stem_of(one.lower()) for one in wanting}
    wants = tuple(lines for words, lines in _KINDS_OF_LINES if _any(stems, words))
    kinds = {kind: weight for words, kind, weight in _KINDS_OF_FILES if _any(stems, words)}
    absent = tuple(one for one in weights if one not in there)
    return _Sought(weights, absent, wants, kinds, sum(weights.values()) or 1)


def _any(stems: set[str], words: str) -> bool:
    return not stems.isdisjoint(map(stem_of, words.split()))


def _often(count: float, length: int = USUAL) -> float:
    """Let a word that occurs again count less each time, and in a long text less than in a short one."""
    return count / (count + SATURATED * (1 - LENGTH + LENGTH * length / USUAL))


RAREST: Final = 0.9  # words of a short text at least this rare, relative to the rarest one, have to occur
MOST_OF: Final = 75  # of 100: share of the words that a short text must have


def share_of(text: str, weights: Mapping[Form, float]) -> int:
    """Return the weighted share of the words that a text has, of 100."""
    return round(
        100 * sum(weight for form, weight in weights.items() if form.count(text)) / (sum(weights.values()) or 1)
    )


def holds_rarest(text: str, weights: Mapping[Form, float]) -> bool:
    """Whether a text has the most telling words."""
    rarest = RAREST * max(weights.values(), default=0)
    return all(form.count(text) for form, weight in weights.items() if weight >= rarest)


def occurring(forms: Iterable[Form], texts: Sequence[str]) -> list[Form]:
    """Return the words that any of the texts has."""
    return [form for form in forms if any(map(form.count, texts))]


def weighed(texts: Sequence[str], forms: Sequence[Form]) -> dict[Form, float]:
    """Weight each word by how few of the texts have it."""
    return {form: _weight(sum(form.count(text) > 0 for text in texts), len(texts)) for form in forms}


_Words = Mapping[int, AbstractSet[Term]]  # the words of each line that has any


@dataclass(frozen=True, slots=True)
class _File:
    """A file with the words on its lines and in its path; `weight` is how much files of its kind count."""

    path: str
    kind: Kind
    weight: float
    lines: Sequence[str]
    having: _Words
    pathed: AbstractSet[Term]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A definition, section or test with the words on its lines; `share` is the weighted share of the words it has."""

    file: _File
    block: Block
    held: _Words
    share: float


def _file(path: str, text: _Text, *, kind: Kind, weight: float) -> _File:
    lines = text.data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")[:MOST_LINES]
    having: dict[int, set[Term]] = {}
    for one, places in text.lines.items():
        for at in places:
            having.setdefault(at, set()).add(one)
    return _File(path, kind, weight, lines, dict(sorted(having.items())), text.pathed)


def _units(file: _File, sought: _Sought, units: Units, shares: dict[AbstractSet[Term], float]) -> Iterator[_Unit]:
    """Yield the units of a file that have any of the words; `shares` keeps the share of words met before."""
    places = [at for at in file.having if at < len(file.lines)]
    for block in units(file.path, file.lines):
        mine = places[bisect_left(places, block.first) : bisect_left(places, block.end)]
        if mine:
            words = frozenset(file.pathed).union(*(file.having[at] for at in mine))
            if words not in shares:
                shares[words] = sought.part(dict.fromkeys(words, 1))
            yield _Unit(file, block, {at: file.having[at] for at in mine}, shares[words])


def _best(unit: _Unit, sought: _Sought) -> list[Passage]:
    """Return the place of a unit's best line, and of the best one of the kind that is wanted, if it is elsewhere."""
    file, block = unit.file, unit.block
    outer = _in_text(block.called, sought)
    whole = UNIT * sought.part(_counted(unit, outer, sought)) + CALLED * _called(block.name, sought)
    near = {at: sought.part(one) for at, one in _near(unit.held, outer, file.pathed).items()}
    near |= _beside(unit, near, sought)
    wanted = {at for at in near if _wanted(file.lines[at], sought)}
    scores = {
        at: share + SAYS * _opens(block, at) + WANTED * (at in wanted) - ASIDE * bool(_ASIDE.match(file.lines[at]))
        for at, share in near.items()
    }
    found: list[Passage] = []
    for among in (scores.keys(), wanted):
        at = max(among, key=lambda at: (scores[at], -at), default=-1)
        if at >= 0 and not any(one.line <= at + 1 <= one.end for one in found):
            first, last = _window(file.lines, block, at)
            place = (file.path, file.kind, first + 1, last, block.name, at + 1)
            found.append(Passage(*place, file.weight * (whole + scores[at]), round(100 * near[at])))
    return found


def _beside(unit: _Unit, near: Mapping[int, float], sought: _Sought) -> dict[int, float]:
    """Return wanted lines without any of the words just below one that has some, such as a comment."""
    end = min(unit.block.end, len(unit.file.lines))
    below = ((at, one) for one in near for at in range(one + 1, min(one + AROUND, end)) if at not in near)
    return {at: NEAR * near[one] for at, one in below if sought.wants and _wanted(unit.file.lines[at], sought)}


def _counted(unit: _Unit, outer: AbstractSet[Term], sought: _Sought) -> dict[Term, float]:
    """Return how often a unit has each word, saturated; fields count by how much they tell."""
    file, block = unit.file, unit.block
    places = [(words, _field(file, block, at)) for at, words in unit.held.items()]
    names = [(_in_text(block.name, sought), NAME), (outer, OUTER), (file.pathed, PATH)]
    counts: dict[Term, float] = {}
    for words, factor in (*places, *names):
        for one in words:
            counts[one] = counts.get(one, 0) + factor
    return {one: _often(count, block.end - block.first) for one, count in counts.items()}


def _wanted(line: str, sought: _Sought) -> bool:
    return any(one.search(line) for one in sought.wants)


def _called(name: str, sought: _Sought) -> float:
    """Return how much of the words a name has, times how much of the name that is."""
    told = _in_text(name, sought)
    return sought.part(dict.fromkeys(told, 1)) * min(1, sum(len(one.word) for one in told) / max(len(name), 1))


def _field(file: _File, block: Block, at: int) -> float:
    if _opens(block, at):
        return HEAD if at == block.head else OPENS
    return TOLD if _COMMENT.match(file.lines[at]) else CODE


def _opens(block: Block, at: int) -> bool:
    """Whether a line is at the start of a definition or section, which says what it is for."""
    return block.head >= 0 and 0 <= at - block.head < OPENING


def _near(held: _Words, outer: AbstractSet[Term], pathed: AbstractSet[Term]) -> dict[int, dict[Term, float]]:
    """For each line that has any word, return how near each word of its unit is."""
    anywhere = {one for words in held.values() for one in words}
    found: dict[int, dict[Term, float]] = {}
    for at, words in held.items():
        around = {one for near in range(at - AROUND, at + AROUND + 1) for one in held.get(near, ())}
        far = dict.fromkeys(pathed, PATHED) | dict.fromkeys(anywhere, HELD)
        found[at] = far | dict.fromkeys(outer | around, NEAR) | dict.fromkeys(words, ON)
    return found


def _in_text(text: str, sought: _Sought) -> set[Term]:
    return {one for one in sought.weights if one.stands_in(text)} if text else set()


def _window(lines: Sequence[str], block: Block, best: int) -> tuple[int, int]:
    """Return which lines of a block to quote: all of a short one, else those around the best line."""
    near = block.head >= 0 and best - MOST_QUOTED // 2 < block.head <= best
    first = block.head if near else max(block.first, best - ABOVE)
    first = block.first if block.end - block.first <= MOST_QUOTED else first
    last = min(block.end, first + MOST_QUOTED)
    while last > best + 1 and not lines[last - 1].strip():
        last -= 1
    while first < best and not lines[first].strip():
        first += 1
    return first, last
