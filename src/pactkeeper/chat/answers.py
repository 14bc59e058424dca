"""An answer as a value: sentences, the places that bear them, and what was not looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pactkeeper.chat.evidence import Finding
from pactkeeper.ledger.canonical import digest
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
