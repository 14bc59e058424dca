"""Search files for words: which files match best, and the lines that support an answer."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import log
from typing import Final

from pactkeeper.chat.answers import MOST_QUOTED
from pactkeeper.chat.forms import Form, form_of, forms_of, parts_of, stem_of
from pactkeeper.repo.languages.outline import Definition

Kind = str
Outlined = Callable[[str], Sequence[Definition]]
KINDS: Final = ("code", "test", "document", "plan", "other")
WEIGHTS: Final = {"code": 1.0, "test": 0.75, "document": 0.85, "plan": 0.8, "other": 0.6}
MOST_LINES: Final = 20_000  # lines read per file
AROUND: Final = 3  # lines within which words count as being together
LONGEST: Final = 60  # maximum lines of a block of a definition
# How much a word counts on the line itself, near it or in the name of its definition, elsewhere in the definition,
# and in the path; below `TOGETHER` it counts as absent.
ON, NEAR, HELD, PATHED = 1.0, 0.8, 0.6, 0.5
TOGETHER: Final = 0.5
RAREST: Final = 0.9  # words at least this rare, relative to the rarest one, have to occur in a supporting place
BEARS: Final = 75  # of 100: share of the words that has to occur in a supporting place
NAMED: Final = 60  # the same if two words are in the name of the definition
NAME: Final = 2  # factor by which a name tells more than a plain word
CALLED: Final = 0.4  # bonus if the definition's name has the words, and again for its first line
OFTEN: Final = 0.25  # bonus if the words are on many of its lines
BESIDE: Final = 1.0  # weight of a word people ask with, beside those of the subject
ASKED_BY: Final = 0.5  # the same if it is searched for as well
OPENING: Final = 4  # lines at the start of a definition that say what it is for
SAYS: Final = 0.1  # bonus for these lines
WANTED: Final = 0.15  # bonus for a line of the kind the question wants
# Words that want lines of a kind, and what such lines look like: errors raised, figures.
_KINDS_OF_LINES: Final = (
    ("error exception raised thrown fails happens fehler ausnahme", re.compile(r"\b(?:raise|throws?)\b|Error\(")),
    ("default many often maximum minimum limit long size number value viele oft", re.compile(r"(?<![\w.#])\d+(?!\w)")),
)
# Words that ask for releases, and the weight of plan files in that case.
_PAST: Final = ("version", "release", "since", "when")
PAST: Final = 1.2
_TITLED: Final = re.compile(r"\s*(?:it|test|describe|context|suite)(?:\.\w+)?\(\s*['\"`]([^'\"`\n]{1,120})")
_HEADING: Final = re.compile(r"#{1,6}\s+(.+)")
_UNDERLINE: Final = re.compile(r"([=~^\"'*+#-])\1{2,}\s*$")
_DOCUMENTS: Final = (".md", ".rst", ".txt", ".adoc")
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
    """Lines of a file in one definition or section, `inside`, and the `telling` line among them with most of the words.

    `share` is the weighted share of the search words at that line, of 100; the passage `bears` an answer if the rarest
    words occur there as well.
    """

    path: str
    kind: Kind
    line: int
    end: int
    inside: str
    telling: int
    score: float
    share: int
    bears: bool


@dataclass(frozen=True, slots=True)
class Looked:
    """The result of a search, best first; `absent` are words that no file has, `files` how many were searched."""

    passages: tuple[Passage, ...]
    absent: tuple[str, ...]
    files: int


def kind_of(path: str) -> Kind:
    """Classify a file by its name."""
    folded = path.casefold()
    if _TESTS.search(folded):
        return "test"
    if _PLANNED.search(path) or folded.startswith("docs/decisions/"):
        return "plan"
    if folded.endswith(_DOCUMENTS):
        return "document"
    return "code" if folded.endswith(_CODE) else "other"


def look(  # noqa: PLR0913 - the query, where to search, and what is known of the files
    files: Iterable[tuple[str, bytes]],
    terms: Sequence[str],
    kinds: Mapping[str, Kind],
    *,
    most: int,
    beside: Sequence[str] = (),
    asking: Collection[str] = (),
    outline: Outlined = lambda _: (),
) -> Looked:
    """Find the lines where the words occur together; `kinds` is by path.

    At most `most` files are examined and as many places returned. `outline` lists a file's definitions, or nothing if
    it cannot be parsed. Words `beside` the terms raise the score of places that have them and are not required; terms
    people ask with, `asking`, count half, and nothing if no file has them.
    """
    asked = forms_of(terms)
    forms = {**asked, **{one: form for one, form in forms_of((*terms, *beside)).items() if one not in asked}}
    texts: dict[str, _Text] = {}
    number = size = 0
    for path, data in files:
        number, size = number + 1, size + data.count(b"\n")
        text = _read(path, data, forms)
        if text.words:
            texts[path] = text
    having = {one: sum(len(text.lines.get(one, ())) for text in texts.values()) for one in forms}
    named = {one: len(parts_of(one)) > 1 for one in asked}
    weights = {one: _weight(having[one], size) * (NAME if named.get(one, any(named.values())) else 1) for one in forms}
    there = {one for text in texts.values() for one in text.words}
    telling = {one for one in asked if one not in asking} or set(asked)
    sought = Sought(
        {one: weights[one] * (1 if one in telling else ASKED_BY * (one in there)) for one in asked},
        {one: weights[one] for one in forms if one not in asked},
        frozenset(telling),
        tuple(lines for words, lines in _KINDS_OF_LINES if not _stems(words.split()).isdisjoint(_stems(forms))),
    )
    weight = WEIGHTS | ({"plan": PAST} if not _stems(_PAST).isdisjoint(_stems(forms)) else {})
    ranked = sorted(texts, key=lambda path: (-sought.held(texts[path]) * weight[kinds[path]], path))
    passages = [
        replace(one, score=one.score * weight[one.kind])
        for path in ranked[:most]
        for one in _passages(path, texts[path], sought, kind=kinds[path], outline=outline)
    ]
    best = sorted(passages, key=lambda one: (not one.bears, -one.score, KINDS.index(one.kind), one.path, one.line))
    return Looked(tuple(best[:most]), tuple(one for one in asked if one in telling - there), number)


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(stem_of, words))


@dataclass(frozen=True, slots=True)
class _Text:
    """A file with the lines, counted from 0, that have each word; `pathed` are the words in its path."""

    data: bytes
    lines: Mapping[str, frozenset[int]]
    pathed: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        """All words it has, in lines or path."""
        return self.pathed.union(self.lines)


def _read(path: str, data: bytes, forms: Mapping[str, Form]) -> _Text:
    lowered = data.lower()
    places = {one: found for one, form in forms.items() if (found := form.places(data, lowered))}
    starts = [hit.end() for hit in re.finditer(rb"\n", data)] if places else []
    lines = {one: frozenset(bisect_right(starts, at) for at in found) for one, found in places.items()}
    return _Text(data, lines, frozenset(one for one, form in forms.items() if form.count(path)))


def _weight(having: int, number: int) -> float:
    """Weight a word by how few of the lines have it."""
    return log(1 + (number + 1) / (having + 1))


@dataclass(frozen=True, slots=True)
class Sought:
    """The search terms with their weights; words `beside` are never required."""

    asked: Mapping[str, float]
    beside: Mapping[str, float]
    telling: frozenset[str]
    wants: tuple[re.Pattern[str], ...]

    def held(self, text: _Text) -> float:
        """Score how much of the query a file has."""
        have = sum(weight for one, weight in self.asked.items() if one in text.words)
        return have + 0.1 * sum(weight for one, weight in self.beside.items() if one in text.lines)

    def called(self, name: str) -> float:
        """Score how much of the query a name has, and how much of the name that is."""
        told = [one for one in (*self.asked, *self.beside) if form_of(one).count(name)]
        asked = [one for one in told if one in self.asked]
        return self._part(asked) ** 2 * min(1, sum(map(len, told)) / max(len(name), 1))

    def often(self, counts: Mapping[str, int]) -> float:
        """Score how much of the query is on many lines."""
        return self._part(self.asked, lambda one: counts.get(one, 0) / (counts.get(one, 0) + 3))

    def near(self, near: Mapping[str, float]) -> float:
        """Score a line by how near each word is to it."""
        beside = (weight for one, weight in self.beside.items() if near.get(one, 0) == ON)
        return self._part(self.asked, lambda one: near.get(one, 0)) + BESIDE * sum(beside) / self._whole

    def judge(self, near: Mapping[str, float], name: str) -> tuple[int, bool]:
        """Return the share of the query at a line, of 100, and whether that supports an answer.

        Two words in the name of a definition make up for a rare one elsewhere.
        """
        there = [one for one in self.asked if near.get(one, 0) >= TOGETHER]
        rarest = RAREST * max((self.asked[one] for one in self.telling), default=0)
        share = round(100 * self._part(there))
        named = sum(form_of(one).count(name) > 0 for one in self.asked) > 1 and share >= NAMED
        return share, named or (
            share >= BEARS and all(one in there for one in self.telling if self.asked[one] >= rarest)
        )

    @property
    def _whole(self) -> float:
        return sum(self.asked.values()) or 1

    def _part(self, words: Iterable[str], how: Callable[[str], float] = lambda _: 1) -> float:
        return sum(self.asked[one] * how(one) for one in words) / self._whole


def share_of(text: str, weights: Mapping[Form, float]) -> int:
    """Return the weighted share of the words that a text has, of 100."""
    return round(
        100 * sum(weight for form, weight in weights.items() if form.count(text)) / (sum(weights.values()) or 1)
    )


def holds_rarest(text: str, weights: Mapping[Form, float]) -> bool:
    """Whether a text has the most telling words."""
    rarest = RAREST * max(weights.values(), default=0)
    return all(form.count(text) for form, weight in weights.items() if weight >= rarest)


def weighed(texts: Sequence[str], forms: Sequence[Form]) -> dict[Form, float]:
    """Weight each word by how few of the texts have it."""
    return {form: _weight(sum(form.count(text) > 0 for text in texts), len(texts)) for form in forms}


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines of a file from `first` (counted from 0) up to `end` that belong to one definition or section.

    `head` is the line that defines it, -1 for none; `called` is its name qualified by those of its parents.
    """

    first: int
    end: int
    head: int = -1
    name: str = ""
    called: str = ""


def _blocks(path: str, lines: Sequence[str], outline: Sequence[Definition]) -> list[_Block]:
    """Split a file into definitions, sections and the lines between them; long ones into several blocks."""
    names = _sections(lines) if path.casefold().endswith(_DOCUMENTS) else _names(lines, outline)
    starts = [at for at in range(len(lines)) if at == 0 or names.get(at) != names.get(at - 1)]
    return [
        _Block(at, min(at + LONGEST, end), *names.get(first, ()))
        for first, end in zip(starts, [*starts[1:], len(lines)], strict=False)
        for at in range(first, end, LONGEST)
    ]


_Held = tuple[int, str, str]  # the first line of the definition, its name, its qualified name


def _sections(lines: Sequence[str]) -> dict[int, _Held]:
    """Map each line of a document to the heading above it: its line and text."""
    fences = accumulate(line.lstrip().startswith("```") for line in lines)
    heads = [(at, title, title) for at, fence in enumerate(fences) if fence % 2 == 0 and (title := _heading(lines, at))]
    ends = [*(head[0] for head in heads[1:]), len(lines)]
    return {line: head for head, end in zip(heads, ends, strict=False) for line in range(head[0], end)}


def _heading(lines: Sequence[str], at: int) -> str:
    """Return the heading on a line of a document; empty if there is none."""
    line, under = lines[at][:300], lines[at + 1] if at + 1 < len(lines) else ""
    hit = _HEADING.match(line)
    return hit[1].strip() if hit else line.strip() if _UNDERLINE.match(under) and line[:1].isalnum() else ""


def _names(lines: Sequence[str], outline: Sequence[Definition]) -> dict[int, _Held]:
    """Map each line to the innermost definition or titled test that contains it: its first line and names.

    Lines directly above a definition, such as decorators and comments, belong to it.
    """
    found: dict[int, _Held] = {}
    spread = [one for one in outline if one.kind != "value" or "." not in one.name]
    ends = {one.last - 1 for one in spread}
    for one in sorted(spread, key=lambda one: one.line - one.last):
        first = one.line - 1
        outer = found.get(first)
        while first and lines[first - 1].strip() and first - 1 not in ends and (outer is None or outer[0] != first - 1):
            first -= 1
        held = range(first, min(one.last, len(lines)))
        found |= dict.fromkeys(held, (one.line - 1, one.name.rpartition(".")[2], one.name))
    titled = ((at, hit[1].strip()) for at in range(len(lines)) if (hit := _TITLED.match(lines[at][:300])))
    for at, name in titled:
        found |= dict.fromkeys(range(at, _closed(lines, at)), (at, name, name))
    return found


def _closed(lines: Sequence[str], at: int) -> int:
    """Return the end of the block that a line opens: after the next line that is indented no deeper."""
    deep = len(lines[at]) - len(lines[at].lstrip())
    rest = range(at + 1, len(lines))
    return 1 + next(
        (one for one in rest if lines[one].strip() and len(lines[one]) - len(lines[one].lstrip()) <= deep), at
    )


def _passages(path: str, text: _Text, sought: Sought, *, kind: Kind, outline: Outlined) -> list[Passage]:
    """Return the best lines of each definition or section that has any of the words."""
    lines = text.data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")[:MOST_LINES]
    having: dict[int, set[str]] = {}
    for one, places in text.lines.items():
        for at in places:
            having.setdefault(at, set()).add(one)
    blocks = _blocks(path, lines, outline(path))
    return [
        found
        for one in blocks
        for found in _best(path, lines, one, kind=kind, sought=sought, near=_near(one, having, text.pathed))
    ]


def _near(block: _Block, having: Mapping[int, Collection[str]], pathed: Collection[str]) -> dict[int, dict[str, float]]:
    """For each line of a block that has any word, return how near each word is to it."""
    held = {at: having[at] for at in range(block.first, block.end) if at in having}
    if not held:
        return {}
    called = (one for one in frozenset().union(*having.values()) if form_of(one).count(block.called))
    far = dict.fromkeys(pathed, PATHED) | dict.fromkeys((one for words in held.values() for one in words), HELD)
    far |= dict.fromkeys(called, NEAR)
    found = {}
    for at, words in held.items():
        around = (one for other in held if abs(other - at) <= AROUND for one in held[other])
        found[at] = far | dict.fromkeys(around, NEAR) | dict.fromkeys(words, ON)
    return found


def _best(  # noqa: PLR0913 - the parts of one place
    path: str,
    lines: Sequence[str],
    block: _Block,
    *,
    kind: Kind,
    sought: Sought,
    near: Mapping[int, Mapping[str, float]],
) -> list[Passage]:
    """Return the best line of a block, and the best one of the kind that is wanted; empty if no line has a word."""
    counts = Counter(one for words in near.values() for one, how in words.items() if how == ON)
    wanted = {at for at in near if any(one.search(lines[at]) is not None for one in sought.wants)}
    scores = {
        at: sought.near(words) + WANTED * (at in wanted) + SAYS * (0 <= at - block.head < OPENING and block.head >= 0)
        for at, words in near.items()
        if any(words.get(one, 0) == ON for one in sought.asked)
    }
    called = sought.called(block.name)
    found: dict[int, Passage] = {}
    for among in (scores, wanted & scores.keys()):
        best = max(among, key=lambda at: (scores[at] + (at == block.head) * CALLED * called, -at), default=-1)
        if best >= 0 and not any(one.line <= best + 1 <= one.end for one in found.values()):
            score = scores[best] + CALLED * called + OFTEN * sought.often(counts)
            judged = sought.judge(near[best], block.name if kind == "code" else "")
            first, last = _window(lines, block, best)
            found[best] = Passage(path, kind, first + 1, last, block.name, best + 1, score, *judged)
    return list(found.values())


def _window(lines: Sequence[str], block: _Block, best: int) -> tuple[int, int]:
    """Return which lines of a block to quote: all of a short one, else those around the best line."""
    near = block.head >= 0 and best - MOST_QUOTED // 2 < block.head <= best
    first = block.head if near else max(block.first, best - AROUND)
    first = block.first if block.end - block.first <= MOST_QUOTED else first
    last = min(block.end, first + MOST_QUOTED)
    while last > best + 1 and not lines[last - 1].strip():
        last -= 1
    while first < best and not lines[first].strip():
        first += 1
    return first, last
