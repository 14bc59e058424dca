"""What a reviewer needs beside a test: its assertions, its subject, the code it reaches, documents that say why.

A context is written within a budget of characters. Every part is ordered, most useful first, and anything that does not
fit is counted, so that nobody takes a part for the whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from pactkeeper.intent.concepts import Concepts

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
        shown = _concept_lines(context.concepts) if part == "concepts" else _flat(_blocks(context, part))
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


def _flat(blocks: Sequence[tuple[str, ...]]) -> list[str]:
    return [line for block in blocks for line in block]


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
