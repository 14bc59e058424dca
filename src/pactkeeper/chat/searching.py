"""Looking for words in files: which files speak of them most, and the lines that bear them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
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
_DEFINES: Final = re.compile(
    r"\s*(?:@?(?:export|default|public|private|protected|static|abstract|async|pub|final|declare)\s)*"
    r"(?:def|class|function\*?|func|fn|interface|type|enum|struct|impl|trait|module)\s+[*(]?([\w$.]+)"
)
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
    """Lines of a file that bear words: where they are, in which definition, and how well they fit.

    `share` is how much of what was looked for stands in them, by weight, of 100.
    """

    path: str
    kind: Kind
    line: int
    end: int
    inside: str
    words: tuple[str, ...]
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
    starts = [] if outline else [(at, name) for at in range(len(lines)) if (name := titled_at(path, lines, at))]
    heads = {at: at for at, _ in starts}
    if outline:
        names = _names(lines, outline)
        titled = ((at, hit[1].strip()) for at in range(len(lines)) if (hit := _TITLED.match(lines[at][:300])))
        for at, name in titled:
            names |= dict.fromkeys(range(at, _closed(lines, at)), (at, name))
        starts = [(at, names.get(at, (0, ""))[1]) for at in range(len(lines)) if names.get(at) != names.get(at - 1)]
        begun: set[int] = set()
        for at, _ in starts:
            head = names.get(at, (-1, ""))[0]
            heads[at] = -1 if head in begun else head
            begun.add(head)
    starts = [(0, "")] * (not starts or starts[0][0] > 0) + starts
    found: list[_Block] = []
    for (first, name), (end, _) in zip(starts, [*starts[1:], (len(lines), "")], strict=True):
        head = heads.get(first, -1)
        found += [
            _Block(at, min(at + LONGEST, end), name, head if head < 0 else max(at, head))
            for at in range(first, end, LONGEST)
        ]
    return found


def _names(lines: Sequence[str], outline: Sequence[Definition]) -> dict[int, tuple[int, str]]:
    """For each line of a file the innermost definition that holds it: the line that defines, and the name.

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
    brief = block.end - block.first <= MOST_QUOTED
    first = block.head if named else block.first if brief else _densest(lines, block, sought)
    last = min(block.end, first + MOST_QUOTED)
    while last > first + 1 and not lines[last - 1].strip():
        last -= 1
    shown = "\n".join(lines[first:last])
    said = [forms[one].written(shown) for one in weights if one not in sought.beside]
    return Passage(path, kind, first + 1, last, block.name, tuple(filter(None, said)), score, round(100 * share))


def _densest(lines: Sequence[str], block: _Block, sought: Sought) -> int:
    """Where the lines begin that have most of the words together; the first of equal ones."""
    having = [
        frozenset(one for one, form in sought.forms.items() if form.count(line))
        for line in lines[block.first : block.end]
    ]

    def weight(at: int) -> float:
        near = frozenset().union(*having[at : at + AROUND])
        return sum(sought.weights[one] for one in near)

    best = max(range(len(having)), key=lambda at: (weight(at), -at))
    bearing = (at for at in range(best, len(having)) if having[at])
    return max(block.first, block.first + next(bearing, best) - 1)


def titled_at(path: str, lines: Sequence[str], at: int) -> str:
    """The test or section that a line begins, in files without an outline also what it defines; empty for none."""
    line = lines[at]
    if len(line) > 300 or not line.strip():  # noqa: PLR2004 - generated
        return ""
    if path.casefold().endswith(_DOCUMENTS):
        under = lines[at + 1] if at + 1 < len(lines) else ""
        hit = _HEADING.match(line)
        return hit[1].strip() if hit else line.strip() if _UNDERLINE.match(under) and line[0].isalnum() else ""
    hit = _TITLED.match(line) or _DEFINES.match(line)
    return "" if hit is None else hit[1].strip()
