"""An answer as a value: sentences, the places that bear them, and what was not looked at.

What was found, how good a proof it is, and how much of it fits where it is shown.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.published.plain import Codec

Kind = Literal["answer", "proposal", "clarification", "cannot_tell"]
# What a sentence rests on: lines that it quotes, a figure that a verb computed, git or the pact, a model's reading of
# lines; "missing" says that something is not there.
Basis = Literal["quoted", "computed", "verified", "model", "missing"]
SCHEMA: Final = "pactkeeper.answer/1"
MOST_QUOTED: Final = 12  # lines of one citation


@dataclass(frozen=True, slots=True)
class Citation:
    """Lines of a file as they stand; `hash` is that of the quote, so that a reader sees whether they still do."""

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
    """One sentence with the numbers of the citations that bear it."""

    text: str
    basis: Basis
    cites: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that may be meant, named by one word."""

    word: str
    verb: str
    does: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """What comes of a question; `command` asks the same of the command line, `next` are commands to go on with."""

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
    shown: str = ""  # a diff, where the answer is a proposal


def cited(found: Iterable[Finding]) -> tuple[Citation, ...]:
    """The findings that quote lines, as citations in their order."""
    return tuple(Citation(one.source, one.line, one.end, one.text) for one in found if one.line)


def lines_at(path: str, text: str, line: int, end: int | None = None) -> Finding:
    """The lines of a text from `line` to `end` as a finding, no more than a citation may have."""
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
    """An answer as JSON, the same for the same question about the same files."""
    return {
        "schema": SCHEMA,
        "question": question,
        **_ANSWER(answer),
        "trace": list(trace),
        "thread": thread,
    }


LISTED, RAW, PARSED, COMPUTED, VERIFIED = range(5)
LEVELS: Final = ("listed", "quoted", "parsed", "computed", "verified")
MOST_FACTS: Final = 40
DEEPEST: Final = 4
SHORT: Final = 160  # characters of a text that is only summed up
Fact = str | int | bool


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found at a source: a path, or the name of a verb.

    `text` is quoted as it stands from `line` to `end`; `parsed` are facts read out of it, `computed` facts that
    Pactkeeper worked out. `verified` says that they were compared with git or the pact. `limits` say what is missing.
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
        """How good a proof it is, from 0 (listed) to 4 (verified against git or the pact)."""
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
    """A path below the root, whatever tool wrote it: no `./`, no `a/../`, slashes one way round."""
    path = source.replace("\\", "/")
    return posixpath.normpath(path) if path else ""


def deduplicated(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding a place, the better proof; what the other could not see is remembered."""
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
    """The same with its text summed up; facts, place and limits stay."""
    if len(one.text) <= SHORT:
        return one
    head = one.text[:SHORT].rsplit("\n", 1)[0]
    return replace(one, text=f"{head}…", limits=(*one.limits, f"{len(one.text):,} characters are summed up"))


def facts_of(value: JsonValue, *, most: int = MOST_FACTS, depth: int = DEEPEST) -> dict[str, Fact]:
    """The numbers, truths and short texts of any JSON value by their JSON pointer, shallow ones first."""
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
    """A JSON value in one line: its kind, and its top-level keys with theirs."""
    if isinstance(value, Mapping):
        keys = [f"{key} ({_kind(one)})" for key, one in list(value.items())[:12]]
        more = f" and {len(value) - 12} more" if len(value) > 12 else ""  # noqa: PLR2004 - as many as above
        return f"object: {', '.join(keys)}{more}" if keys else "object without keys"
    if isinstance(value, list | tuple):
        kinds = Counter(_kind(one) for one in value)
        return f"list of {len(value)}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    return _kind(value)


def _kind(value: object) -> str:
    names = ((bool, "truth"), (int, "number"), (float, "number"), (str, "text"), (Mapping, "object"), (list, "list"))
    return next((name for kind, name in names if isinstance(value, kind)), "nothing")


def in_one_line(found: Sequence[Finding]) -> str:
    """`3 parsed, 2 raw`, the best proof first."""
    counts = Counter(one.level for one in found)
    return ", ".join(f"{counts[level]} {LEVELS[level]}" for level in sorted(counts, reverse=True)) or "nothing found"


def best_level(found: Iterable[Finding]) -> int:
    """The level of the best proof there is; 0 for none."""
    return max((one.level for one in found), default=LISTED)


def merged_limits(found: Iterable[Finding], more: Iterable[str] = ()) -> tuple[str, ...]:
    """What all findings could not see, each said once and with the sources that it is true of."""
    sources: dict[str, list[str]] = {}
    for one in found:
        for limit in one.limits:
            sources.setdefault(limit, []).append(one.source)
    said = [f"{', '.join(dict.fromkeys(where))}: {limit}" for limit, where in sources.items()]
    return tuple(dict.fromkeys((*said, *more)))


def rendered(found: Sequence[Finding], *, budget: int) -> str:
    """Findings as numbered texts within so many characters: the best proof whole, others compact, the last left out."""
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
