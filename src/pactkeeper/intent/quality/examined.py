"""The sentences of an atom, read once for all criteria: which of their words are in which list, and nothing more.

No grammar is guessed. A word counts anywhere outside quotations and the project's clear words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from pactkeeper.intent.quality.vague import BuildingKind, VagueKind, directives_in, vague_in
from pactkeeper.intent.quality.values import AtomWords, Place, QualityVocabulary
from pactkeeper.intent.wording.outcomes import is_code
from pactkeeper.intent.wording.stating import headless
from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.tokens import masked, tokens
from pactkeeper.intent.wording.verbs import commands, is_finite, joints, says

_MEASURED: frozenset[VagueKind] = frozenset({"time", "amount", "gain", "judgement"})
"""Kinds that a number or a quoted value in the same sentence makes clear."""
_NUMBERS = re.compile(
    r"\d|\b(?:once|twice|zero|one|two|three|four|five|six|seven|eight|nine|ten|none)\b", re.IGNORECASE
)
_LONG = 5  # words; with a full stop they count as a sentence, whatever the verb
_POINTING = table("it they them this these those he she")


@dataclass(frozen=True, slots=True)
class Vague:
    """A vague phrase at `[start, end)` of its text."""

    kind: VagueKind
    phrase: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Directive:
    """Words that say how to build; `bound` if `with`, `using` or the like comes before them."""

    kind: BuildingKind
    text: str
    bound: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """One text of an atom at its place.

    It `states` something if it has a visible verb and neither asks nor commands. `opaque` are words that name no value,
    `unnamed` a pronoun that it starts with. It is `concrete` if two readers would look for the same thing.
    """

    text: str
    place: Place
    at: int
    vague: tuple[Vague, ...] = ()
    opaque: str = ""
    unnamed: str = ""
    asks: bool = False
    commands: bool = False
    states: bool = True

    @property
    def concrete(self) -> bool:
        """Whether nothing in it is left to interpretation."""
        return self.states and not (self.vague or self.opaque or self.unnamed)


@dataclass(frozen=True, slots=True)
class Examined:
    """An atom's words as all criteria see them; `concrete_outcomes` are those that say what to look for."""

    words: AtomWords
    vocabulary: QualityVocabulary
    intent: Sentence
    outcomes: tuple[Sentence, ...]
    falsifiers: tuple[Sentence, ...]
    joints: tuple[str, ...]

    @property
    def concrete_outcomes(self) -> tuple[Sentence, ...]:
        """The outcomes that say what to look for."""
        return tuple(one for one in self.outcomes if one.concrete)


def examine(words: AtomWords, vocabulary: QualityVocabulary) -> Examined:
    """Read all sentences of an atom."""
    return Examined(
        words,
        vocabulary,
        _sentence(words.intent, "intent", 0, vocabulary),
        tuple(_sentence(text, "outcomes", at, vocabulary) for at, text in enumerate(words.outcomes)),
        tuple(_sentence(text, "falsified_by", at, vocabulary) for at, text in enumerate(words.falsified_by)),
        joints(words.intent),
    )


def statement(text: str) -> Sentence:
    """Examine a single sentence without a project's vocabulary."""
    return _sentence(text, "intent", 0, QualityVocabulary())


def directives(text: str, vocabulary: QualityVocabulary) -> Iterator[Directive]:
    """Yield every technology and part of a program that a text names, except the project's own terms."""
    allowed = {term.lower() for term in vocabulary.domain_terms}
    for kind, start, end, bound in directives_in(masked(text, ("quoted",))):
        if text[start:end].lower() not in allowed:
            yield Directive(cast("BuildingKind", kind), text[start:end], bound)


def _sentence(text: str, place: Place, at: int, vocabulary: QualityVocabulary) -> Sentence:
    if place == "outcomes" and is_code(text):
        return Sentence(text, place, at)
    words = [one.lower for one in tokens(text) if one.kind != "mark"]
    asks, orders = text.rstrip().endswith("?"), commands(words)
    pointing = len(words) > 1 and words[0] in _POINTING and (is_finite(words, 1) or words[1].endswith("s"))
    whole = len(words) >= _LONG and text.rstrip().endswith((".", "!"))
    states = len(words) > 1 and not (asks or orders) and (whole or says(words) or headless(text))
    vague = tuple(_vague(text, vocabulary))
    unnamed = text.split(maxsplit=1)[0] if pointing else ""
    return Sentence(text, place, at, vague, opaque_words(text), unnamed, asks, orders, states)


def _vague(text: str, vocabulary: QualityVocabulary) -> Iterator[Vague]:
    own = tuple(sorted(word.lower() for word in vocabulary.vague_words))
    clear = {word.lower() for word in (*vocabulary.clear_words, *vocabulary.domain_terms)} - {*own}
    for kind, start, end in vague_in(masked(text, ("quoted",)), own):
        found = Vague(cast("VagueKind", kind), text[start:end].lower(), start, end)
        if found.phrase not in clear and not _given(text, found):
            yield found


def _given(text: str, found: Vague) -> bool:
    """Whether the sentence supplies the number, value or comparison that the word alone leaves out."""
    if found.kind not in _MEASURED:
        return False
    others = f"{text[: found.start]} {text[found.end :]}"
    if _NUMBERS.search(others) or (found.kind in {"time", "amount"} and text[found.end :].lstrip().startswith("than ")):
        return True
    return found.kind == "judgement" and any(one.kind == "quoted" for one in tokens(others))


_OPAQUE = re.compile(
    r"""\b(?:
      (?:equals?|returns?|is|are|has|have|match(?:es)?|contains?|yields?|gives?)\s+(?:an?\s+|the\s+)?
      (?:expected|correct|right|proper|appropriate|desired|intended|given|actual)\s+
      (?:values?|results?|outputs?|outcome|thing|behaviou?r|answer|response|data)\b
    | (?<!\ba\ )(?<!\b(?:the|its|our|his|her|any)\ )(?<!\b(?:your|more|that|this)\ )(?<!\btheir\ )
      (?:works?|working|behaves?|functions?|performs?|operates?)
      (?:\s+(?:again|fine|well|ok|correctly|properly))?\s*[.]?$
    | is\s+(?:done|ok|okay|fine|handled|supported|covered|fulfilled|satisfied|achieved|successful|a\s+success)\s*[.]?$
    | (?:no\s+problems?|no\s+issues?|nothing\s+bad)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def opaque_words(text: str) -> str:
    """Return words that name no value: `returns the expected value`, `it works`; quotations are not judged."""
    found = _OPAQUE.search(masked(text))
    return text[found.start() : found.end()].strip(" .") if found else ""
