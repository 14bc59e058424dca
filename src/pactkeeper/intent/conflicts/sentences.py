"""A sentence as what it says: the words that carry meaning, in order, with what each does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from pactkeeper.intent.conflicts.opposites import stem
from pactkeeper.intent.reading.clauses import Reading, read
from pactkeeper.intent.reading.tokens import Token, tokens
from pactkeeper.intent.wording.tables import table

Part = Literal["condition", "subject", "verb", "rest"]
PARTS: Final[tuple[Part, ...]] = ("condition", "subject", "verb", "rest")
Kind = Literal["word", "number", "quoted"]

# Words that change nothing of what is said, or that every other sentence has.
_EMPTY: Final = table(
    "a an the this that these those which who of to it its their his her there is are was were be been being am do "
    "does did can could may might must shall should will would also now then still just correctly properly always "
    "successfully system application app program software"
)
_NOT: Final = table("not no never cannot neither nor")


@dataclass(frozen=True, slots=True)
class Said:
    """One word, number or quotation that carries meaning: its stem or literal text, and whether it is negated."""

    stem: str
    kind: Kind
    negated: bool
    token: Token


class Sentence:
    """A sentence of an atom; what costs time to find is found when it is asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.said: tuple[Said, ...] = tuple(_said(tokens(text)))
        self.stems: tuple[str, ...] = tuple(one.stem for one in self.said)
        self.bag: tuple[str, ...] = tuple(sorted(self.stems))
        self.is_template = any(one.token.text.startswith("<") for one in self.said)  # "accepts <string>" says no value

    @cached_property
    def reading(self) -> Reading | None:
        """The parts of the sentence; None where it is more than one sentence or says nothing."""
        found = read(self.text)
        return found[0] if len(found) == 1 and found[0].predicate is not None else None

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What each word that carries meaning does; empty without a reading."""
        reading = self.reading
        if reading is None or reading.predicate is None:
            return ()
        starts = [word.token.start for word in reading.words]
        return tuple(_part(starts.index(one.token.start), reading) for one in self.said)

    @property
    def verb(self) -> str:
        """The stem of the main verb; `be` where the sentence only links two things."""
        reading = self.reading
        if reading is None or reading.predicate is None:
            return ""
        return "be" if reading.predicate.kind == "be" else stem(reading.words[reading.predicate.verb].lower)

    @property
    def title(self) -> str:
        """The heading before the last colon, which names a thing and states nothing; its marks tell things apart."""
        return self.text.rpartition(": ")[0].casefold()


def _said(found: Sequence[Token]) -> Iterator[Said]:
    negated = False
    for token in found:
        if token.lower in _NOT or token.lower.endswith(("n't", "n’t")):
            negated = True
        elif token.kind == "number":
            yield Said(token.text, "number", negated, token)
            negated = False
        elif token.kind in {"quoted", "name"}:
            yield Said(token.text.strip("\"'`“”‘’"), "quoted", negated, token)
            negated = False
        elif token.kind == "word" and token.lower not in _EMPTY:
            yield Said(stem(token.lower), "word", negated, token)
            negated = False


def _part(position: int, reading: Reading) -> Part:
    predicate = reading.predicate
    if predicate is None or position < reading.lead or position >= reading.tail:
        return "condition"
    if position < predicate.start:
        return "subject"
    return "verb" if position < predicate.end else "rest"
