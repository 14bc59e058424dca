"""What a test is about, for a reviewer: its assertions and concepts, the code it reaches, documents that say why.

A context is written within a budget of characters. Every part is ordered, most useful first, and anything that does not
fit is counted, so that nobody takes a part for the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, Literal

from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.wording import singular, split_identifier, table

STOP = table("""
    a about above after again against all also although am among an and another any are aren as at be became because
    become been before being below between both but by can cannot could couldn did didn do does doesn doing don done
    during each either else even ever every few for from further had has hasn have haven having he hence her here hers
    him his how however i if in into is isn it its itself just least less let lets like many may maybe me might more
    most much must my neither never no none nor not now of off often on once only onto or other others otherwise our
    out over own per perhaps please quite rather same shall she should shouldn since so some such than that the their
    them themselves then there therefore these they this those though through thus to together too toward towards
    under unless until up upon us very via was wasn we well were weren what whatever when whenever where wherever
    whether which while who whole whom whose why will with within without would wouldn yet you your yours
""")
"""English words that say nothing about a subject; a search drops them."""

SLIGHT = table("""
    able across actual actually allow allowed almost along already always anything around available back based came
    call called calling certain come common different down ensure ensured etc everything exactly except find first
    found gave general generally get getting give given giving go going good got handle handled handling help helps
    inside instead keep keeping kept kind know known last likely little look looks lot made mainly make making mine
    namely need needed new next nothing old one ones possible possibly produce produced properly provide provided put
    really remain remains respect respected say said see seen set shown show simply something sometimes soon still
    support supported sure take taken thing things true try trying turn two type use used useful using usual
    usually various want wanted way ways went work worked working yes
""")
"""Words that say little where they stand in a test's name."""

TEST_WORDS = table("""
    actual assert asserted assertion bar basic baz case check checked correct correctly default demo dummy example
    expect expected fail failed failing failure false fixture foo happy integration invalid issue misc mock mocked
    multiple pass passed regression return returned returning result right sample scenario scratch simple single
    smoke spec stub success successful suite test tested testing tests twice unit valid value verify wrong
""")
"""Words that tests use to say that they are tests; they name no subject."""

TECHNICAL = table("""
    abstract algorithm alias annotation api app arg args argument array assign async asyncio attr attribute attributes
    await backend base binary bool boolean branch buffer build builder byte bytes cache callable callback char class
    cli client code codec collection column command comment compile compiler component config configuration connection
    const constant constructor container context converter coroutine css csv data database datetime debug decode
    decoder decorator def dict dictionary dir directory dom encode encoder encoding endpoint engine enum env environment
    error event exception executor export expression factory field file filter flag float folder format formatter
    frontend function generator get getter global graph handler hash header hook html http https id identifier import
    index inheritance init input instance int integer interface io ip iterable iterator javascript json key keyword
    kwarg kwargs lambda lazy len library line list listener load loader local log logger logging loop map mapping
    memory message metadata method middleware mime mixin module mutable name namespace nested node null number object
    option optional output override package param parameter parse parser patch path pattern payload pipeline plugin
    pointer pool post prefix process promise property protocol proxy python query queue raw reader recursive ref
    reference regex register registry render renderer request resolve resolver resource response rest runner runtime
    schema scope script selector serialize serializer server session set setter setting shell signal signature socket
    source sql stack state static status stdin stdout stream string struct subclass suffix symbol sync syntax table
    task template text thread timeout token tree tuple type typescript undefined unicode uri url utf util utils
    uuid validate validation validator var variable version view void wrapper writer xml yaml
""")
"""Words of programming itself: they occur in every project and tell little about this one."""

_WORD = re.compile(r"\w+")
_SHORTEST = 3
_SHORT_BUT_TELLING = table("ai ca db id ip qr tz ui ux vm")
_NAME, _SUITE, _DOCSTRING, _FILE = 8, 5, 3, 4
"""How much a word counts by where it stands."""
_TEST_FILE = re.compile(r"(?:^|[._-])(?:tests?|spec|specs|cy|e2e)(?=$|[._-])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Concepts:
    """What one test is about, the most telling first; `technical` are words and names from the code."""

    domain: tuple[str, ...] = ()
    technical: tuple[str, ...] = ()

    def naming(self, names: Iterable[str]) -> Concepts:
        """Return the same concepts with the names of the code the test reaches ahead of the other technical words."""
        return Concepts(self.domain, tuple(dict.fromkeys((*names, *self.technical))))


def concepts_of(evidence: TestEvidence, file: str) -> Concepts:
    """The concepts of a test from its name, suites, docstring and file."""
    weights: dict[str, int] = {}
    stem = _TEST_FILE.sub(" ", file.rpartition("/")[2].partition(".")[0])
    sources = (
        (evidence.name, _NAME),
        *((suite, _SUITE) for suite in evidence.suite),
        (evidence.docstring or "", _DOCSTRING),
        (stem, _FILE),
    )
    for text, weight in sources:
        for word in subject_words(text):
            weights[word] = weights.get(word, 0) + weight
    ranked = sorted(
        weights, key=lambda word: -weights[word]
    )  # a stable sort: equal words stay in the order of the text
    domain = tuple(word for word in ranked if word not in TECHNICAL)
    return Concepts(domain, tuple(word for word in ranked if word in TECHNICAL))


def subject_words(text: str) -> tuple[str, ...]:
    """Return the words of a name or prose that can name a subject: lower case, singular, unique, in order."""
    return tuple(dict.fromkeys(word for word in words_of(text) if word not in TEST_WORDS and word not in SLIGHT))


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a name or prose without stop words: lower case and singular, in order."""
    return tuple(word for piece in _WORD.findall(text) for word in _words(piece))


@lru_cache(maxsize=8192)
def _words(piece: str) -> tuple[str, ...]:
    found = (word.lower() for word in split_identifier(piece))
    return tuple(singular(word) for word in found if word not in STOP and _tells(word))


def _tells(word: str) -> bool:
    return (len(word) >= _SHORTEST and not word[0].isdigit()) or word in _SHORT_BUT_TELLING


BUDGET: Final = 8_000
SMALLEST_BUDGET: Final = 300

Part = Literal["assertions", "concepts", "code", "documents", "related"]
SHARES: Final[tuple[tuple[Part, int], ...]] = (
    ("assertions", 30),
    ("concepts", 8),
    ("code", 32),
    ("documents", 25),
    ("related", 5),
)
"""The parts in their order, with the hundredths of the budget that each may use before the others had their turn."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """One claim of a test: `relation` as in `intent.claims`, `quote` its first line, `via` the helper that makes it."""

    line: int
    relation: str
    quote: str
    via: str | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """A function, class or value of the repository that a test reaches.

    `summary` is the first line of its documentation. `support` means that it lives among the tests (a fixture, a
    helper). `steps` counts the support functions in between: 0 if the test names it directly.
    """

    name: str
    kind: str
    path: str
    line: int
    signature: str
    summary: str = ""
    support: bool = False
    steps: int = 0


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document under one heading, or a documentation comment in code.

    `trail` holds the headings from the outermost to its own, or, in code, the names of what is documented. `line` and
    `last` are its first and last line. `excerpt` is the part of its text that matches the search, on one line.
    """

    path: str
    line: int
    last: int
    trail: tuple[str, ...]
    excerpt: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class RelatedFile:
    """A file of the repository that belongs to a test, and why."""

    path: str
    why: str


@dataclass(frozen=True, slots=True)
class TestContext:
    """The context of one test; `cut` counts what was left out of each part, `size` the characters of its `lines_of`.

    `searched` is False if documents were not searched, so that an empty `documents` proves nothing.
    """

    __test__ = False

    test: str
    assertions: tuple[Assertion, ...] = ()
    concepts: Concepts = field(default_factory=Concepts)
    code: tuple[Reached, ...] = ()
    documents: tuple[Passage, ...] = ()
    related: tuple[RelatedFile, ...] = ()
    searched: bool = False
    cut: tuple[tuple[Part, int], ...] = ()
    budget: int = BUDGET
    size: int = 0


def fitted(context: TestContext, budget: int = BUDGET) -> TestContext:
    """Cut a whole context down to `budget` characters; raises ValueError if the budget is below the minimum."""
    if budget < SMALLEST_BUDGET:
        raise ValueError(f"a context needs a budget of at least {SMALLEST_BUDGET} characters, not {budget!r}")
    blocks = {part: _blocks(context, part) for part, _ in SHARES}
    kept = _fill(blocks, budget)
    cut = tuple((part, len(found) - kept[part]) for part, found in blocks.items() if len(found) > kept[part])
    domain = min(kept["concepts"], len(context.concepts.domain))
    fitting = replace(
        context,
        assertions=context.assertions[: kept["assertions"]],
        concepts=Concepts(context.concepts.domain[:domain], context.concepts.technical[: kept["concepts"] - domain]),
        code=context.code[: kept["code"]],
        documents=context.documents[: kept["documents"]],
        related=context.related[: kept["related"]],
        cut=cut,
        budget=budget,
    )
    return replace(fitting, size=sum(len(line) + 1 for line in lines_of(fitting)))


def lines_of(context: TestContext) -> tuple[str, ...]:
    """Return the context as lines without its title; each part's name is on a line above its indented entries."""
    lines: list[str] = []
    for part, _ in SHARES:
        shown = [line for block in _blocks(context, part) for line in block]
        if part == "concepts":
            shown = _concept_lines(context.concepts)
        if shown:
            lines += [part, *shown]
    if context.cut:
        lines.append(_left_out(context.cut, context.budget))
    return tuple(lines)


def related_docs(context: TestContext) -> tuple[str, ...]:
    """Return references `path#heading` to the documents of a context, with headings as anchors; each once."""
    found = (f"{one.path}{_anchor(one)}" for one in context.documents)
    return tuple(dict.fromkeys(found))


def _anchor(passage: Passage) -> str:
    if not passage.trail:
        return ""
    if passage.code:
        return f"#{'.'.join(passage.trail)}"
    return "#" + re.sub(r"[^\w\- ]", "", passage.trail[-1].strip().lower()).replace(" ", "-")


def _fill(blocks: Mapping[Part, Sequence[tuple[str, ...]]], budget: int) -> Mapping[Part, int]:
    """Return how many entries of each part fit: each part within its share first, then the rest in order."""
    reserved = len(_left_out(tuple((part, len(found)) for part, found in blocks.items()), budget)) + 1
    room = budget - reserved
    kept: dict[Part, int] = dict.fromkeys(blocks, 0)
    limits = [(part, room * share // 100) for part, share in SHARES]
    for part, limit in (*limits, *((part, budget) for part, _ in SHARES)):
        room -= _take(blocks[part], part, kept, min(room, limit))
    return kept


def _take(entries: Sequence[tuple[str, ...]], part: Part, kept: dict[Part, int], allowed: int) -> int:
    """Take the next entries of a part while they fit, and return the characters they use."""
    spent = 0
    while kept[part] < len(entries):
        cost = sum(len(line) + 1 for line in entries[kept[part]])
        if kept[part] == 0:
            cost += len(part) + 1 + _LABELS.get(part, 0)
        if spent + cost > allowed:
            break
        spent += cost
        kept[part] += 1
    return spent


_DOMAIN, _TECHNICAL = "  domain     ", "  technical  "
_LABELS: Final[Mapping[Part, int]] = {"concepts": len(_DOMAIN) + len(_TECHNICAL) + 2}


def _blocks(context: TestContext, part: Part) -> list[tuple[str, ...]]:
    """Return the lines of every entry of a part; concepts are single words, measured with their trailing comma."""
    if part == "assertions":
        return [_assertion_lines(one) for one in context.assertions]
    if part == "concepts":
        return [(f"{word},",) for word in (*context.concepts.domain, *context.concepts.technical)]
    if part == "code":
        return [_reached_lines(one) for one in context.code]
    if part == "documents":
        return [_passage_lines(one) for one in context.documents]
    return [(f"  {one.path}  ({one.why})",) for one in context.related]


def _assertion_lines(one: Assertion) -> tuple[str, ...]:
    via = f"  (via {one.via})" if one.via else ""
    return (f"  {one.line}: {one.quote}{via}",)


def _concept_lines(concepts: Concepts) -> list[str]:
    labelled = ((_DOMAIN, concepts.domain), (_TECHNICAL, concepts.technical))
    return [label + ", ".join(words) for label, words in labelled if words]


def _reached_lines(one: Reached) -> tuple[str, ...]:
    head = f"  {one.path}:{one.line}  {one.signature}"
    return (head, f"      {one.summary}") if one.summary else (head,)


def _passage_lines(one: Passage) -> tuple[str, ...]:
    return (f"  {one.path}:{one.line}  {' › '.join(one.trail)}", f"      {one.excerpt}")


_NOUNS: Final[Mapping[Part, tuple[str, str]]] = {
    "assertions": ("assertion", "assertions"),
    "concepts": ("concept", "concepts"),
    "code": ("definition", "definitions"),
    "documents": ("document", "documents"),
    "related": ("related file", "related files"),
}


def _left_out(cut: Sequence[tuple[Part, int]], budget: int) -> str:
    counted = (f"{number} {_NOUNS[part][number != 1]}" for part, number in cut if number)
    return f"left out to stay within {budget} characters: {', '.join(counted)}"
