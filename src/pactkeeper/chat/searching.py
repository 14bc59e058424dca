"""Looking for words in files: which files speak of them most, and the lines that bear them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log, sqrt
from typing import Final

from pactkeeper.chat.answers import MOST_QUOTED
from pactkeeper.chat.forms import Form, forms_of
from pactkeeper.repo.languages.outline import Definition

Kind = str
Outlined = Callable[[str], Sequence[Definition]]
KINDS: Final = ("code", "test", "document", "plan", "other")
WEIGHTS: Final = {"code": 1.0, "test": 0.6, "document": 0.8, "plan": 0.4, "other": 0.5}
MOST_FILES: Final = 40  # whose lines are looked at
MOST_LINES: Final = 20_000  # of one file
AROUND: Final = 5  # lines in which words count as being together
LONGEST: Final = 60  # lines of one piece of a definition
USUAL: Final = 20  # lines of a definition of usual length
PLACES: Final = 3  # of one file
BESIDE: Final = 0.5  # how much a word counts that one asks by, beside those that are asked about
NAMED: Final = 1.6  # how much a definition that is called by the words counts more than one that has them
K1, B = 1.2, 0.4
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
    """Lines of a file that bear words: where they are, in which definition or section, and how well they fit.

    `telling` is the line among them that has most of the words, 0 where none has any. `share` is how much of what was
    looked for stands in them, by weight, of 100.
    """

    path: str
    kind: Kind
    line: int
    end: int
    inside: str
    telling: int
    score: float
    share: int


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
    outline: Outlined = lambda _: (),
) -> Looked:
    """Rank files by BM25 and then their lines by which words stand together; `kinds` is by path.

    `outline` gives what a file defines, nothing where that cannot be read. Words `beside` the terms lift the
    places that have them and are not missed elsewhere.
    """
    forms = forms_of(terms)
    more = {one: form for one, form in forms_of((*terms, *beside)).items() if one not in forms}
    wanted = {**forms, **more}
    counts: dict[str, list[int]] = {}
    texts: dict[str, bytes] = {}
    number = total = 0
    for path, data in files:
        number, total = number + 1, total + len(data)
        lowered = data.lower()
        found = [_count(path, data, lowered, form) for form in wanted.values()]
        if any(found):
            counts[path], texts[path] = found, data
    there = frozenset(one for at, one in enumerate(wanted) if any(row[at] for row in counts.values()))
    missing = (one for one in wanted if one not in there and not one.isalnum())
    split = frozenset(one for one in missing if any(two in one for two in there))
    weights = _weights([*wanted], counts, number)
    weights |= {one: BESIDE * weights[one] for one in more} | dict.fromkeys(split, 0.0)
    ranked = sorted(counts, key=lambda path: (-_file_score(path, counts, texts, weights, total / number, kinds), path))
    sought = Sought(weights, there | split, wanted, frozenset(more))
    passages = [
        one
        for path in ranked[:MOST_FILES]
        for one in _passages(path, texts[path], sought, kind=kinds[path], outline=outline)
    ]
    best = sorted(passages, key=lambda one: (-one.score, KINDS.index(one.kind), one.path, one.line))
    return Looked(tuple(best[:most]), tuple(one for one in forms if one not in sought.there), number)


def _count(path: str, data: bytes, lowered: bytes, form: Form) -> int:
    """How much a file may have of a word; nothing where no form of it stands there."""
    inside = lowered.count(form.base.encode())
    return (inside if inside and form.within(data) else 0) + 3 * form.count(path)


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for: how much each word tells, which stand anywhere at all, and the forms of each.

    Those `beside` are never missed.
    """

    weights: Mapping[str, float]
    there: frozenset[str]
    forms: Mapping[str, Form]
    beside: frozenset[str] = frozenset()

    def share(self, found: Collection[str]) -> float:
        """How much of it was found in one place; what stands elsewhere is missed less than what is nowhere.

        Few words that are nowhere are not missed where several others stand together.
        """
        asked = [one for one in self.weights if one not in self.beside]
        have = sum(self.weights[one] for one in asked if one in found)
        here = [one for one in asked if one in self.there]
        nowhere = 0.0 if len(asked) - len(here) < len(here) <= sum(one in found for one in here) else 1.5
        missed = (self.weights[one] * (0.5 if one in self.there else nowhere) for one in asked if one not in found)
        return have / ((have + sum(missed)) or 1)

    def held(self, line: str) -> frozenset[str]:
        """Which of the words a line has."""
        return frozenset(one for one, form in self.forms.items() if form.count(line))

    def worth(self, having: Sequence[frozenset[str]], at: int, length: int = MOST_QUOTED) -> float:
        """How much the words tell that some lines have together."""
        return sum(self.weights[one] for one in frozenset[str]().union(*having[at : at + length]))


def share_of(text: str, weights: Mapping[Form, float]) -> int:
    """How much of the words, by weight, stands in a text, of 100."""
    return round(
        100 * sum(weight for form, weight in weights.items() if form.count(text)) / (sum(weights.values()) or 1)
    )


def weighed(texts: Sequence[str], forms: Sequence[Form]) -> dict[Form, float]:
    """How much each word tells, by how few of the texts have it."""
    counts = {str(at): [int(form.count(text) > 0) for form in forms] for at, text in enumerate(texts)}
    return dict(zip(forms, _weights([one.word for one in forms], counts, len(texts)).values(), strict=True))


def _weights(wanted: Sequence[str], counts: Mapping[str, Sequence[int]], number: int) -> dict[str, float]:
    having = (sum(1 for row in counts.values() if row[at]) for at in range(len(wanted)))
    return {one: sqrt(log(1 + (number - have + 0.5) / (have + 0.5))) for one, have in zip(wanted, having, strict=True)}


def _file_score(  # noqa: PLR0913, PLR0917 - the parts of one formula
    path: str,
    counts: Mapping[str, Sequence[int]],
    texts: Mapping[str, bytes],
    weights: Mapping[str, float],
    mean: float,
    kinds: Mapping[str, Kind],
) -> float:
    size = K1 * (1 - B + B * len(texts[path]) / mean)
    found = zip(weights.values(), counts[path], strict=True)
    return WEIGHTS[kinds[path]] * sum(weight * count * (K1 + 1) / (count + size) for weight, count in found)


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines of a file from `first` (counted from 0) up to `end` that belong to one definition or section.

    `head` is the line that defines; -1 where these lines lie in a class, between its members.
    """

    first: int
    end: int
    name: str
    head: int


def _blocks(path: str, lines: Sequence[str], outline: Sequence[Definition]) -> list[_Block]:
    """A file in its definitions and sections, long ones in pieces; what stands outside of them is one as well."""
    names = _sections(lines) if path.casefold().endswith(_DOCUMENTS) else _names(lines, outline)
    starts = [at for at in range(len(lines)) if at == 0 or names.get(at) != names.get(at - 1)]
    begun: set[int] = set()
    found: list[_Block] = []
    for first, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        head, name = names.get(first, (-1, ""))
        head = -1 if head in begun else head
        begun.add(head)
        found += [
            _Block(at, min(at + LONGEST, end), name, head if head < 0 else max(at, head))
            for at in range(first, end, LONGEST)
        ]
    return found


def _sections(lines: Sequence[str]) -> dict[int, tuple[int, str]]:
    """For each line of a document the heading above it: its line and its text."""
    fences = accumulate(line.lstrip().startswith("```") for line in lines)
    heads = [(at, title) for at, fence in enumerate(fences) if fence % 2 == 0 and (title := _heading(lines, at))]
    ends = [*(at for at, _ in heads[1:]), len(lines)]
    return {line: head for head, end in zip(heads, ends, strict=False) for line in range(head[0], end)}


def _heading(lines: Sequence[str], at: int) -> str:
    """The heading that a line of a document is; empty for none."""
    line, under = lines[at][:300], lines[at + 1] if at + 1 < len(lines) else ""
    hit = _HEADING.match(line)
    return hit[1].strip() if hit else line.strip() if _UNDERLINE.match(under) and line[:1].isalnum() else ""


def _names(lines: Sequence[str], outline: Sequence[Definition]) -> dict[int, tuple[int, str]]:
    """For each line of a file the innermost definition or titled test that holds it: the line that begins it, its name.

    What stands right above a definition, as its decorators and comments do, belongs to it.
    """
    found: dict[int, tuple[int, str]] = {}
    spread = [one for one in outline if one.kind != "value" or "." not in one.name]
    ends = {one.last - 1 for one in spread}
    for one in sorted(spread, key=lambda one: one.line - one.last):
        first = one.line - 1
        outer = found.get(first)
        while first and lines[first - 1].strip() and first - 1 not in ends and (outer is None or outer[0] != first - 1):
            first -= 1
        held = range(first, min(one.last, len(lines)))
        found |= dict.fromkeys(held, (one.line - 1, one.name.rpartition(".")[2]))
    titled = ((at, hit[1].strip()) for at in range(len(lines)) if (hit := _TITLED.match(lines[at][:300])))
    for at, name in titled:
        found |= dict.fromkeys(range(at, _closed(lines, at)), (at, name))
    return found


def _closed(lines: Sequence[str], at: int) -> int:
    """Where what a line opens is closed: behind the next line that is indented no deeper."""
    deep = len(lines[at]) - len(lines[at].lstrip())
    rest = range(at + 1, len(lines))
    return 1 + next(
        (one for one in rest if lines[one].strip() and len(lines[one]) - len(lines[one].lstrip()) <= deep), at
    )


def _passages(path: str, data: bytes, sought: Sought, *, kind: Kind, outline: Outlined) -> list[Passage]:
    """The best places of a file, each in a definition or section of its own."""
    lines = data.decode("utf-8", "replace").splitlines()[:MOST_LINES]
    found: list[Passage] = []
    for block in _blocks(path, lines, outline(path)):
        text = "\n".join(lines[block.first : block.end])
        counts = {one: form.count(text) for one, form in sought.forms.items()}
        if any(counts.values()):
            found.append(_passage(path, lines, block, kind=kind, sought=sought, counts=counts))
    return sorted(found, key=lambda one: -one.score)[:PLACES]


def _passage(  # noqa: PLR0913 - the parts of one place
    path: str,
    lines: Sequence[str],
    block: _Block,
    *,
    kind: Kind,
    sought: Sought,
    counts: Mapping[str, int],
) -> Passage:
    weights, forms = sought.weights, sought.forms
    size = K1 * (1 - B + B * (block.end - block.first) / USUAL)
    body = sum(weights[one] * count * (K1 + 1) / (count + size) for one, count in counts.items())
    named = [one for one in weights if block.head >= 0 and forms[one].count(block.name)]
    called = sum(weights[one] for one in named) * (0.6 + sum(map(len, named)) / max(len(block.name), 1))
    pathed = [one for one in weights if forms[one].count(path)]
    placed = 0.4 * sum(weights[one] for one in pathed)
    share = sought.share([one for one in weights if counts[one] or one in named or one in pathed])
    score = WEIGHTS[kind] * (body + NAMED * called + placed) * (0.3 + 0.7 * share)
    first, last = _window(lines, block, sought, named=bool(named))
    telling = _telling(lines[first:last], sought, named)
    return Passage(
        path, kind, first + 1, last, block.name, first + telling if telling else 0, score, round(100 * share)
    )


def _window(lines: Sequence[str], block: _Block, sought: Sought, *, named: bool) -> tuple[int, int]:
    """Which lines of a block are quoted: all of a short one, else where most of the words stand together.

    What is named by the words begins with its name where no other lines have more of them.
    """
    having = [sought.held(line) for line in lines[block.first : block.end]]
    first = block.first
    if len(having) > MOST_QUOTED:
        first += _densest(having, sought)
        if named and sought.worth(having, block.head - block.first) >= sought.worth(having, first - block.first):
            first = block.head
    last = min(block.end, first + MOST_QUOTED)
    while last > first + 1 and not lines[last - 1].strip():
        last -= 1
    while first + 1 < last and not lines[first].strip():
        first += 1
    return first, last


def _densest(having: Sequence[frozenset[str]], sought: Sought) -> int:
    """Where the lines begin that have most of the words together; the first of equal ones."""
    best = max(range(len(having)), key=lambda at: (sought.worth(having, at, AROUND), -at))
    bearing = (at for at in range(best, len(having)) if having[at])
    return max(0, next(bearing, best) - 1)


def _telling(lines: Sequence[str], sought: Sought, named: Collection[str]) -> int:
    """Which line, counted from 1, says most beside the name of what holds it; 0 where none has a word of the terms."""
    having = [sought.held(line) for line in lines]
    asked = [frozenset(one for one in held if one not in sought.beside) for held in having]

    def weight(at: int) -> float:
        return sum(sought.weights[one] * (0.5 if one in named else 1.0) for one in having[at])

    bearing = [at for at in range(len(lines)) if asked[at] or (named and having[at])]
    return 1 + max(bearing, key=lambda at: (weight(at), -at)) if any(asked) else 0
