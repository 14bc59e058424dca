"""Answers as values: sentences, the citations that support them, and what was not searched.

Findings: what was found, how strong the evidence is, and how much of it fits into a given size.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from pactkeeper.errors import some_of
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.published.plain import Codec

# "closest": lines that have some of what was asked for and may not be the answer.
Kind = Literal["answer", "closest", "proposal", "clarification", "cannot_tell"]
# What a sentence rests on: quoted lines, a figure that a verb computed, git or the pact, or a model's reading of
# lines; "missing" means that something was not found.
Basis = Literal["quoted", "computed", "verified", "model", "missing"]
SCHEMA: Final = "pactkeeper.answer/1"
MOST_QUOTED: Final = 12  # lines of one citation


@dataclass(frozen=True, slots=True)
class Citation:
    """Lines of a file, verbatim; `hash` is the digest of the quote, so that readers can tell whether they changed."""

    path: str
    line: int
    end: int
    quote: str

    @property
    def hash(self) -> str:
        """The hash of the cited lines."""
        return digest(self.quote)


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """One sentence with the indexes of the citations that support it."""

    text: str
    basis: Basis
    cites: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible meaning of a question, selected by a single word."""

    word: str
    verb: str
    does: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of a question; `command` is the equivalent command, and `next` suggests commands to run next."""

    kind: Kind
    verb: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""
    says: tuple[AnswerSentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    choices: tuple[Choice, ...] = ()
    next: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    limitations: tuple[str, ...] = ()
    not_looked_at: tuple[str, ...] = ()
    shown: str = ""  # a diff, if the answer is a proposal


def count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def cited(found: Iterable[Finding]) -> tuple[Citation, ...]:
    """Return the findings that quote lines as citations, in order."""
    return tuple(Citation(one.source, one.line, one.end, one.text) for one in found if one.line)


def lines_at(path: str, text: str, line: int, end: int | None = None) -> Finding:
    """Return lines `line` to `end` of a text as a finding, truncated to the maximum length of a citation."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    last = min(end or line, line + MOST_QUOTED - 1, len(lines))
    return Finding(path, "\n".join(lines[line - 1 : last]), line, last)


CITATION: Final = Codec(Citation, "path line end quote hash")
_ANSWER: Final = Codec(
    Answer,
    "kind verb arguments command says citations choices diff=shown next searched limitations not_looked_at",
    citations=CITATION,
)
_AROUND: Final = {"schema": str, "question": str, "trace": [str], "thread": str, "calls": [dict[str, str]]}
ANSWERED: Final = (_ANSWER, _AROUND)


def answer_document(answer: Answer, *, question: str, trace: Iterable[str] = (), thread: str = "") -> dict[str, Any]:
    """Return an answer as JSON, which depends only on the question and the files."""
    return {"schema": SCHEMA, "question": question, **_ANSWER(answer), "trace": list(trace), "thread": thread}


LISTED, RAW, PARSED, COMPUTED, VERIFIED = range(5)
LEVELS: Final = ("listed", "quoted", "parsed", "computed", "verified")
MOST_FACTS: Final = 40
DEEPEST: Final = 4
SHORT: Final = 160  # characters kept when a text is summarised
Fact = str | int | bool


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found in a source: a path, or the name of a verb.

    `text` is quoted verbatim from `line` to `end`; `parsed` holds facts extracted from it, and `computed` facts that
    Pactkeeper derived. `verified` means that they were compared with git or the pact. `limits` state what is missing.
    """

    source: str
    text: str = ""
    line: int = 0
    end: int = 0
    parsed: Mapping[str, Fact] = field(default_factory=dict)
    computed: Mapping[str, Fact] = field(default_factory=dict)
    verified: bool = False
    limits: tuple[str, ...] = ()

    @property
    def level(self) -> int:
        """The strength of the evidence, from 0 (listed) to 4 (verified against git or the pact)."""
        if self.verified:
            return VERIFIED
        if self.computed:
            return COMPUTED
        return PARSED if self.parsed else RAW if self.text else LISTED

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What is known without reading the text."""
        return {**self.parsed, **self.computed}


def normal_source(source: str) -> str:
    """Normalise a path relative to the root, whatever tool wrote it: no `./`, no `a/../`, forward slashes only."""
    path = source.replace("\\", "/")
    return posixpath.normpath(path) if path else ""


def deduplicated(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Keep one finding per place, the one with the stronger evidence; the limits of both are kept."""
    kept: dict[tuple[str, int], Finding] = {}
    for given in found:
        one = replace(given, source=normal_source(given.source))
        key = (one.source, one.line)
        before = kept.get(key)
        if before is None:
            kept[key] = one
        else:
            best, other = (one, before) if one.level > before.level else (before, one)
            kept[key] = replace(best, limits=tuple(dict.fromkeys((*best.limits, *other.limits))))
    return tuple(kept.values())


def compact(one: Finding) -> Finding:
    """Return the finding with its text summarised; facts, place and limits stay."""
    if len(one.text) <= SHORT:
        return one
    head = one.text[:SHORT].rsplit("\n", 1)[0]
    return replace(one, text=f"{head}…", limits=(*one.limits, f"{len(one.text):,} characters are summed up"))


def facts_of(value: JsonValue, *, most: int = MOST_FACTS, depth: int = DEEPEST) -> dict[str, Fact]:
    """Collect the numbers, booleans and short strings of a JSON value by JSON pointer, shallow ones first."""
    found: dict[str, Fact] = {}
    level: list[tuple[str, JsonValue]] = [("", value)]
    for _ in range(depth + 1):
        below: list[tuple[str, JsonValue]] = []
        for pointer, one in level:
            if isinstance(one, Mapping):
                below += [(f"{pointer}/{_escaped(str(key))}", member) for key, member in one.items()]
            elif isinstance(one, list | tuple):
                found[f"{pointer}/#"] = len(one)
            elif isinstance(one, int) or (isinstance(one, str) and len(one) <= SHORT):
                found[pointer or "/"] = one
            if len(found) >= most:
                return found
        level = below
    return found


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def summary_of(value: JsonValue) -> str:
    """Summarise a JSON value in one line: its type, and its top-level keys with their types."""
    if isinstance(value, Mapping):
        keys = [f"{key} ({_kind(one)})" for key, one in value.items()]
        return f"object: {some_of(keys, 12)}" if keys else "object without keys"
    if isinstance(value, list | tuple):
        kinds = Counter(_kind(one) for one in value)
        return f"list of {len(value)}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    return _kind(value)


def _kind(value: object) -> str:
    names = ((bool, "truth"), (int, "number"), (float, "number"), (str, "text"), (Mapping, "object"), (list, "list"))
    return next((name for kind, name in names if isinstance(value, kind)), "nothing")


def in_one_line(found: Sequence[Finding]) -> str:
    """Summarise findings, strongest evidence first: `3 parsed, 2 quoted`."""
    counts = Counter(one.level for one in found)
    return ", ".join(f"{counts[level]} {LEVELS[level]}" for level in sorted(counts, reverse=True)) or "nothing found"


def best_level(found: Iterable[Finding]) -> int:
    """Return the level of the strongest evidence; 0 if there is none."""
    return max((one.level for one in found), default=LISTED)


def merged_limits(found: Iterable[Finding], more: Iterable[str] = ()) -> tuple[str, ...]:
    """Merge the limits of all findings, each listed once with the sources it applies to."""
    sources: dict[str, list[str]] = {}
    for one in found:
        for limit in one.limits:
            sources.setdefault(limit, []).append(one.source)
    said = [f"{', '.join(dict.fromkeys(where))}: {limit}" for limit, where in sources.items()]
    return tuple(dict.fromkeys((*said, *more)))


def rendered(found: Sequence[Finding], *, budget: int) -> str:
    """Render numbered findings within a budget of characters: the best whole, others compact, the rest left out."""
    ranked = sorted(enumerate(found), key=lambda item: (-item[1].level, item[0]))
    parts: list[tuple[int, str]] = []
    left = budget
    for number, one in ranked:
        text = next((text for text in (_shown(number, one), _shown(number, compact(one))) if len(text) <= left), "")
        if text:
            parts.append((number, text))
            left -= len(text)
    out = len(found) - len(parts)
    note = [f"[{out} findings did not fit]"] if out else []
    return "\n".join([*(text for _, text in sorted(parts)), *note])


def _shown(number: int, one: Finding) -> str:
    place = f"{one.source}:{one.line}-{one.end}" if one.line else one.source
    facts = "".join(f"\n  {name} = {value}" for name, value in one.facts.items())
    return f"[{number}] {place} ({LEVELS[one.level]}){facts}\n{one.text}".rstrip()
