"""The labelled tests: their source, the wording of a careful reader, and those that have none.

A file of `labelled/` is one test file: `path`, `source`, and under `tests` one table for every test. In `intent` and
`outcomes` stand `{alternatives|of words}` that an answer must say; in an intent they are marked `s:` (whose behaviour),
`c:` (under which condition) and `o:` (what is seen). `never` are words that nothing in the test speaks of; `abstain`
names why no sentence can be made.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pactkeeper.intent.wording import split_identifier
from pactkeeper.speech.words import stem

LABELLED: Final = Path(__file__).parent / "labelled"
SETS: Final = ("tuned", "held_out")
_PART: Final = re.compile(r"\{(?:(?P<facet>[sco]):)?(?P<words>[^{}]+)\}")
_WORD: Final = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+")
_NAME: Final = re.compile(r"[^\W\d]\w*")
_FACETS: Final = {"s": "subject", "c": "condition", "o": "outcome"}


@dataclass(frozen=True, slots=True)
class Part:
    """Words of which one alternative must be said; `facet` is empty in an outcome."""

    facet: str
    alternatives: tuple[str, ...]

    def said_in(self, sentence: str) -> bool:
        """Whether all words of one alternative stand in the sentence, whatever their endings."""
        said = stems(sentence)
        return any(stems(words) <= said for words in self.alternatives)


def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text, names taken apart, and its numbers as they are written."""
    apart = _NAME.sub(lambda name: " ".join(split_identifier(name[0])), text)
    return frozenset(stem(word.lower()) for word in _WORD.findall(apart))


@dataclass(frozen=True, slots=True)
class Label:
    """A sentence that is right, and what has to be in any other that is right too."""

    sentence: str
    parts: tuple[Part, ...]

    @staticmethod
    def of(text: str) -> Label:
        """Read a label; the first alternatives make the sentence."""
        parts = tuple(
            Part(_FACETS.get(one["facet"] or "", ""), tuple(one["words"].split("|"))) for one in _PART.finditer(text)
        )
        if not parts or any(not stems(words) for part in parts for words in part.alternatives):
            raise ValueError(f"a label needs words to look for, and every alternative a word: {text!r}")
        sentence = _PART.sub(lambda one: one["words"].split("|")[0], text)
        return Label(sentence[:1].upper() + sentence[1:], parts)

    def said_in(self, sentence: str) -> bool:
        """Whether a sentence says all that the label asks for."""
        return all(part.said_in(sentence) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled test; `intent` is None where `abstain` says why no sentence can be made."""

    path: str
    name: str
    source: str
    intent: Label | None
    outcomes: tuple[Label, ...]
    never: tuple[Part, ...]
    abstain: str


def cases(which: str) -> tuple[Case, ...]:
    """All labelled tests of a set, in the order of their files."""
    return tuple(case for place in sorted((LABELLED / which).glob("*.toml")) for case in _of_file(place))


def _of_file(place: Path) -> Iterator[Case]:
    document = tomllib.loads(place.read_text(encoding="utf-8"))
    for name, label in document["tests"].items():
        intent = None if "abstain" in label else Label.of(label["intent"])
        yield Case(
            document["path"],
            name,
            document["source"].lstrip("\n"),
            intent,
            tuple(Label.of(one) for one in label.get("outcomes", ())),
            tuple(Part("", (words,)) for words in label.get("never", ())),
            label.get("abstain", ""),
        )
