"""Looking for words in files: which files speak of them most, and the lines that bear them."""

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
MOST_LINES: Final = 20_000  # of one file
AROUND: Final = 3  # lines in which words count as being together
LONGEST: Final = 60  # lines of one piece of a definition
# How much a word counts on the line itself, near it or in the name of what holds it, elsewhere in what holds it, in
# the path; below `TOGETHER` it does not stand there.
ON, NEAR, HELD, PATHED = 1.0, 0.8, 0.6, 0.5
TOGETHER: Final = 0.5
RAREST: Final = 0.9  # words that are as rare as this beside the rarest one have to stand in a place that bears
BEARS: Final = 75  # of 100: how much of what is asked has to stand in a place that bears an answer
NAMED: Final = 60  # the same where two words are in the name of what holds them
NAME: Final = 2  # how much more a name tells than a plain word
CALLED: Final = 0.4  # how much it counts that a definition is called by the words, and its first line once more
OFTEN: Final = 0.25  # and that they stand in many of its lines
BESIDE: Final = 1.0  # how much a word counts that one asks by, beside those that are asked about
ASKED_BY: Final = 0.5  # the same where it is looked for as well
OPENING: Final = 4  # lines of a definition that say what it is for
SAYS: Final = 0.1  # and how much more they count
WANTED: Final = 0.15  # how much it counts that a line is of the kind that the question wants
# Words that want lines of a kind, and those lines: what is raised, a figure, a version.
_KINDS_OF_LINES: Final = (
    ("error exception raised thrown fails happens fehler ausnahme", re.compile(r"\b(?:raise|throws?)\b|Error\(")),
    ("default many often maximum minimum limit long size number value viele oft", re.compile(r"(?<![\w.#])\d+(?!\w)")),
)
# Words that ask for what was released, and how much that counts then.
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
    """Lines of a file in one definition or section, `inside`, and the one among them that has most of the words.

    `share` is how much of what was looked for stands at that line, by weight, of 100; it `bears` an answer where the
    rarest words stand there as well.
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
    """What a search found, the best first; `absent` are words that no file has, `files` how many were searched."""

    passages: tuple[Passage, ...]
    absent: tuple[str, ...]
    files: int


def kind_of(path: str) -> Kind:
    """What a file is for, by its name."""
    folded = path.casefold()
    if _TESTS.search(folded):
        return "test"
    if _PLANNED.search(path) or folded.startswith("docs/decisions/"):
        return "plan"
    if folded.endswith(_DOCUMENTS):
        return "document"
    return "code" if folded.endswith(_CODE) else "other"


def look(  # noqa: PLR0913 - what is looked for, where, and what is known of the files
    files: Iterable[tuple[str, bytes]],
    terms: Sequence[str],
    kinds: Mapping[str, Kind],
    *,
    most: int,
    beside: Sequence[str] = (),
    asking: Collection[str] = (),
    outline: Outlined = lambda _: (),
) -> Looked:
    """Find the lines where the words stand together; `kinds` is by path.

    The lines of `most` files are looked at, and so many places are given. `outline` gives what a file defines,
    nothing where that cannot be read. Words `beside` the terms lift the places that have them and are not missed
    elsewhere; terms by which people ask, `asking`, tell half as much, and nothing where no file has them.
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
    """A file with the lines, counted from 0, that have each word; `pathed` are those that its path has."""

    data: bytes
    lines: Mapping[str, frozenset[int]]
    pathed: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        """What it has at all."""
        return self.pathed.union(self.lines)


def _read(path: str, data: bytes, forms: Mapping[str, Form]) -> _Text:
    lowered = data.lower()
    places = {one: found for one, form in forms.items() if (found := form.places(data, lowered))}
    starts = [hit.end() for hit in re.finditer(rb"\n", data)] if places else []
    lines = {one: frozenset(bisect_right(starts, at) for at in found) for one, found in places.items()}
    return _Text(data, lines, frozenset(one for one, form in forms.items() if form.count(path)))


def _weight(having: int, number: int) -> float:
    """How much a word tells, by how few of the lines have it."""
    return log(1 + (number + 1) / (having + 1))


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for, with how much each word tells; words `beside` are never missed."""

    asked: Mapping[str, float]
    beside: Mapping[str, float]
    telling: frozenset[str]
    wants: tuple[re.Pattern[str], ...]

    def held(self, text: _Text) -> float:
        """How much of it a file has."""
        have = sum(weight for one, weight in self.asked.items() if one in text.words)
        return have + 0.1 * sum(weight for one, weight in self.beside.items() if one in text.lines)

    def called(self, name: str) -> float:
        """How much of it a name has, and how much of the name it is."""
        told = [one for one in (*self.asked, *self.beside) if form_of(one).count(name)]
        asked = [one for one in told if one in self.asked]
        return self._part(asked) ** 2 * min(1, sum(map(len, told)) / max(len(name), 1))

    def often(self, counts: Mapping[str, int]) -> float:
        """How much of it stands in many lines."""
        return self._part(self.asked, lambda one: counts.get(one, 0) / (counts.get(one, 0) + 3))

    def near(self, near: Mapping[str, float]) -> float:
        """How well a line fits where each word is so near to it."""
        beside = (weight for one, weight in self.beside.items() if near.get(one, 0) == ON)
        return self._part(self.asked, lambda one: near.get(one, 0)) + BESIDE * sum(beside) / self._whole

    def judge(self, near: Mapping[str, float], name: str) -> tuple[int, bool]:
        """How much of it stands at a line, of 100, and whether that bears an answer.

        Two words in the name of a definition make up for a rare one that is elsewhere.
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
    """How much of the words, by weight, stands in a text, of 100."""
    return round(
        100 * sum(weight for form, weight in weights.items() if form.count(text)) / (sum(weights.values()) or 1)
    )


def holds_rarest(text: str, weights: Mapping[Form, float]) -> bool:
    """Whether the words that tell most stand in a text."""
    rarest = RAREST * max(weights.values(), default=0)
    return all(form.count(text) for form, weight in weights.items() if weight >= rarest)


def weighed(texts: Sequence[str], forms: Sequence[Form]) -> dict[Form, float]:
    """How much each word tells, by how few of the texts have it."""
    return {form: _weight(sum(form.count(text) > 0 for text in texts), len(texts)) for form in forms}


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines of a file from `first` (counted from 0) up to `end` that belong to one definition or section.

    `head` is the line that defines it, -1 for none; `called` is its name with those of what holds it.
    """

    first: int
    end: int
    head: int = -1
    name: str = ""
    called: str = ""


def _blocks(path: str, lines: Sequence[str], outline: Sequence[Definition]) -> list[_Block]:
    """A file in its definitions and sections, long ones in pieces; what stands outside of them is one as well."""
    names = _sections(lines) if path.casefold().endswith(_DOCUMENTS) else _names(lines, outline)
    starts = [at for at in range(len(lines)) if at == 0 or names.get(at) != names.get(at - 1)]
    return [
        _Block(at, min(at + LONGEST, end), *names.get(first, ()))
        for first, end in zip(starts, [*starts[1:], len(lines)], strict=False)
        for at in range(first, end, LONGEST)
    ]


_Held = tuple[int, str, str]  # the line that begins what holds a line, its name, its name with those above it


def _sections(lines: Sequence[str]) -> dict[int, _Held]:
    """For each line of a document the heading above it: its line and its text."""
    fences = accumulate(line.lstrip().startswith("```") for line in lines)
    heads = [(at, title, title) for at, fence in enumerate(fences) if fence % 2 == 0 and (title := _heading(lines, at))]
    ends = [*(head[0] for head in heads[1:]), len(lines)]
    return {line: head for head, end in zip(heads, ends, strict=False) for line in range(head[0], end)}


def _heading(lines: Sequence[str], at: int) -> str:
    """The heading that a line of a document is; empty for none."""
    line, under = lines[at][:300], lines[at + 1] if at + 1 < len(lines) else ""
    hit = _HEADING.match(line)
    return hit[1].strip() if hit else line.strip() if _UNDERLINE.match(under) and line[:1].isalnum() else ""


def _names(lines: Sequence[str], outline: Sequence[Definition]) -> dict[int, _Held]:
    """For each line of a file the innermost definition or titled test that holds it: the line that begins it, its name.

    What stands right above a definition, as its decorators and comments do, belongs to it.
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
    """Where what a line opens is closed: behind the next line that is indented no deeper."""
    deep = len(lines[at]) - len(lines[at].lstrip())
    rest = range(at + 1, len(lines))
    return 1 + next(
        (one for one in rest if lines[one].strip() and len(lines[one]) - len(lines[one].lstrip()) <= deep), at
    )


def _passages(path: str, text: _Text, sought: Sought, *, kind: Kind, outline: Outlined) -> list[Passage]:
    """The best line of each definition or section of a file that has any of the words."""
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
    """For each line of a block that has any word how near each word is to it."""
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
    """The best line of a block, and the best one of the kind that is wanted; none where no line has a word."""
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
    """Which lines of a block are quoted: all of a short one, else those around the best line."""
    near = block.head >= 0 and best - MOST_QUOTED // 2 < block.head <= best
    first = block.head if near else max(block.first, best - AROUND)
    first = block.first if block.end - block.first <= MOST_QUOTED else first
    last = min(block.end, first + MOST_QUOTED)
    while last > best + 1 and not lines[last - 1].strip():
        last -= 1
    while first < best and not lines[first].strip():
        first += 1
    return first, last
