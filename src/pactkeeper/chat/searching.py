"""Looking for words in files: which files speak of them most, and the lines that bear them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log, sqrt
from typing import Any, Final

from pactkeeper.chat.answers import MOST_QUOTED
from pactkeeper.speech.languages import language_of

Kind = str
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
SHORTEST: Final = 4  # letters of a root
_DEFINES: Final = re.compile(
    r"\s*(?:@?(?:export|default|public|private|protected|static|abstract|async|pub|final|declare)\s)*"
    r"(?:def|class|function\*?|func|fn|interface|type|enum|struct|impl|trait|module)\s+[*(]?([\w$.]+)"
)
_BOUND: Final = re.compile(r"(?:(?:export|default|const|let|var)\s+)*([\w$]+(?:\.[\w$]+)*)\s*(?::[^=]{1,80})?=(?![=>])")
_METHOD: Final = re.compile(r"\s+(?:(?:async|static|get|set)\s)*\*?([\w$#]+)\s*\([^()]{0,200}\)\s*\{\s*$")
_TITLED: Final = re.compile(r"\s*(?:it|test|describe|context|suite)(?:\.\w+)?\(\s*['\"`]([^'\"`\n]{1,120})")
_HEADING: Final = re.compile(r"#{1,6}\s+(.+)")
_UNDERLINE: Final = re.compile(r"([=~^\"'*+#-])\1{2,}\s*$")
_NO_METHODS: Final = frozenset({"if", "for", "while", "switch", "catch", "function", "with", "return"})
_HUMP: Final = re.compile(r"([a-z0-9])([A-Z])")
_TELLING: Final = 7  # letters of a root that is no part of another word by chance
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


def roots_of(terms: Sequence[str]) -> dict[str, str]:
    """What stands for each word in all its forms: the beginning that it shares with its stem, in small letters."""
    stemmer = _stemmer(language_of(" ".join(terms)).stemmer)
    return {term: _shared(term, stemmer.stemWord(term)) for term in terms}


@cache
def _stemmer(name: str) -> Any:  # noqa: ANN401 - the library has no types
    import snowballstemmer  # noqa: PLC0415 - only what searches needs it

    return snowballstemmer.stemmer(name)


def _shared(term: str, stemmed: str) -> str:
    """`proxies` and its stem `proxi` share `proxi`; what is left of a word may not be too short to tell anything."""
    same = next((at for at, (one, two) in enumerate(zip(term, stemmed, strict=False)) if one != two), len(stemmed))
    root = term[:same].removesuffix("i") if term.endswith("ies") else term[:same]
    return root if len(root) >= min(SHORTEST, len(term)) else term


def look(
    files: Iterable[tuple[str, bytes]],
    terms: Sequence[str],
    kinds: Mapping[str, Kind],
    *,
    most: int,
    beside: Sequence[str] = (),
) -> Looked:
    """Rank files by BM25 and then their lines by which words stand together; `kinds` is by path.

    Words `beside` the terms lift the places that have them and are not missed elsewhere.
    """
    roots = roots_of(terms)
    more = frozenset(roots_of(beside).values()) - frozenset(roots.values())
    wanted = [*dict.fromkeys(roots.values()), *sorted(more)]
    counts: dict[str, list[int]] = {}
    texts: dict[str, bytes] = {}
    number = total = 0
    for path, data in files:
        number, total = number + 1, total + len(data)
        lowered = data.lower()
        found = [lowered.count(root.encode()) + 3 * path.casefold().count(root) for root in wanted]
        if any(found):
            counts[path], texts[path] = found, data
    there = frozenset(root for at, root in enumerate(wanted) if any(row[at] for row in counts.values()))
    missing = (one for one in wanted if one not in there and not one.isalnum())
    parted = frozenset(one for one in missing if any(two in one for two in there))
    weights = _weights(wanted, counts, number)
    weights |= {one: BESIDE * weights[one] for one in more} | dict.fromkeys(parted, 0.0)
    ranked = sorted(counts, key=lambda path: (-_file_score(path, counts, texts, weights, total / number, kinds), path))
    sought = Sought(weights, there, {root: term for term, root in reversed(roots.items())}, more)
    passages = [one for path in ranked[:MOST_FILES] for one in _passages(path, texts[path], sought, kinds[path])]
    best = sorted(passages, key=lambda one: (-one.score, KINDS.index(one.kind), one.path, one.line))
    absent = tuple(term for term, root in roots.items() if root not in there | parted)
    return Looked(tuple(best[:most]), absent, number)


@dataclass(frozen=True, slots=True)
class Sought:
    """What is looked for: how much each word tells, which stand anywhere at all, and each as it was asked.

    Those `beside` are never missed.
    """

    weights: Mapping[str, float]
    there: frozenset[str]
    asked: Mapping[str, str]
    beside: frozenset[str] = frozenset()

    def share(self, found: Collection[str]) -> float:
        """How much of it was found in one place; what stands elsewhere is missed less than what is nowhere."""
        have = sum(self.weights[root] for root in found if root not in self.beside)
        missed = (
            weight * (0.5 if root in self.there else 1.5)
            for root, weight in self.weights.items()
            if root not in found and root not in self.beside
        )
        return have / ((have + sum(missed)) or 1)


def share_of(text: str, weights: Mapping[str, float]) -> int:
    """How much of the words, by weight, stands in a text, of 100."""
    folded = text.casefold()
    return round(100 * sum(weight for root, weight in weights.items() if root in folded) / (sum(weights.values()) or 1))


def weighed(texts: Sequence[str], roots: Sequence[str]) -> dict[str, float]:
    """How much each word tells, by how few of the texts have it."""
    folded = [text.casefold() for text in texts]
    counts = {root: [int(root in text) for text in folded] for root in roots}
    return _weights(
        list(counts), {str(at): row for at, row in enumerate(zip(*counts.values(), strict=True))}, len(texts)
    )


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


def begun(text: str, root: str) -> int:
    """How many words of a text begin with a root; a long root may stand anywhere in a word."""
    if len(root) >= _TELLING:
        return text.count(root) or text.replace(" ", "").count(root)
    return sum(
        1 for hit in re.finditer(re.escape(root), text) if hit.start() == 0 or not text[hit.start() - 1].isalpha()
    )


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines of a file from `first` (counted from 0) up to `end` that belong to one definition or section."""

    first: int
    end: int
    name: str


def _blocks(path: str, lines: Sequence[str]) -> list[_Block]:
    """A file in its definitions and sections, long ones in pieces; what stands above the first is one as well."""
    starts = [(at, name) for at in range(len(lines)) if (name := defined_at(path, lines, at))]
    starts = [(0, "")] * (not starts or starts[0][0] > 0) + starts
    found: list[_Block] = []
    for (first, name), (end, _) in zip(starts, [*starts[1:], (len(lines), "")], strict=True):
        found += [_Block(at, min(at + LONGEST, end), name) for at in range(first, end, LONGEST)]
    return found


def _passages(path: str, data: bytes, sought: Sought, kind: Kind) -> list[Passage]:
    """The best places of a file, each in a definition or section of its own."""
    lines = data.decode("utf-8", "replace").splitlines()[:MOST_LINES]
    lowered = [_HUMP.sub(r"\1 \2", line).casefold() for line in lines]
    found: list[Passage] = []
    for block in _blocks(path, lines):
        text = "\n".join(lowered[block.first : block.end])
        counts = {root: begun(text, root) for root in sought.weights}
        if any(counts.values()):
            found.append(_passage(path, lowered, block, kind=kind, sought=sought, counts=counts))
    return sorted(found, key=lambda one: -one.score)[:PLACES]


def _passage(  # noqa: PLR0913 - the parts of one place
    path: str,
    lowered: Sequence[str],
    block: _Block,
    *,
    kind: Kind,
    sought: Sought,
    counts: Mapping[str, int],
) -> Passage:
    weights = sought.weights
    name, folded = _HUMP.sub(r"\1 \2", block.name).casefold(), path.casefold()
    size = K1 * (1 - B + B * (block.end - block.first) / USUAL)
    body = sum(weights[root] * count * (K1 + 1) / (count + size) for root, count in counts.items())
    named = [root for root in weights if root in name]
    called = sum(weights[root] for root in named) * (0.6 + sum(map(len, named)) / max(len(name), 1))
    placed = 0.4 * sum(weights[root] for root in weights if root in folded)
    words = tuple(root for root in weights if counts[root] or root in name or root in folded)
    share = sought.share(words)
    score = WEIGHTS[kind] * (body + NAMED * called + placed) * (0.3 + 0.7 * share)
    first = block.first if named or block.end - block.first <= MOST_QUOTED else _densest(lowered, block, weights)
    last = min(block.end, first + MOST_QUOTED)
    while last > first + 1 and not lowered[last - 1].strip():
        last -= 1
    said = tuple(sought.asked[root] for root in words if root not in sought.beside)
    return Passage(path, kind, first + 1, last, block.name, said, score, round(100 * share))


def _densest(lowered: Sequence[str], block: _Block, weights: Mapping[str, float]) -> int:
    """Where the lines begin that have most of the words together; the first of equal ones."""

    def weight(at: int) -> float:
        near = " ".join(lowered[at : min(at + AROUND, block.end)])
        return sum(weights[root] for root in weights if root in near)

    best = max(range(block.first, block.end), key=lambda at: (weight(at), -at))
    bearing = (at for at in range(best, block.end) if any(root in lowered[at] for root in weights))
    return max(block.first, next(bearing, best) - 1)


def is_definition(line: str) -> bool:
    """Whether a line begins a function or a class, and not just a value."""
    return _DEFINES.match(line) is not None or " = function" in line


def defined_at(path: str, lines: Sequence[str], at: int) -> str:
    """The name that a line defines: a function, a class, a global, a test or a section; empty where it defines none."""
    line = lines[at]
    if len(line) > 300 or not line.strip():  # noqa: PLR2004 - generated
        return ""
    if path.casefold().endswith(_DOCUMENTS):
        under = lines[at + 1] if at + 1 < len(lines) else ""
        hit = _HEADING.match(line)
        return hit[1].strip() if hit else line.strip() if _UNDERLINE.match(under) and line[0].isalnum() else ""
    hit = _DEFINES.match(line) or _TITLED.match(line) or _METHOD.match(line) or _BOUND.match(line)
    return "" if hit is None or hit[1] in _NO_METHODS else hit[1].strip()
