"""The sentences of an atom, read once for all criteria: which of their words stand in which list, and nothing more.

No grammar is guessed. A word counts wherever it stands outside quotations, names and what the project calls clear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pactkeeper.intent.atomicity import joints
from pactkeeper.intent.quality.phrases import BuildingKind, Hit, Phrases, directives_in, phrases
from pactkeeper.intent.quality.vague import ROWS, VagueKind
from pactkeeper.intent.quality.values import AtomWords, Place, QualityVocabulary
from pactkeeper.intent.reading.tokens import Token, masked, tokens
from pactkeeper.intent.reading.verbs import also_noun, forms_of
from pactkeeper.intent.wording.outcomes import is_code
from pactkeeper.intent.wording.stating import form_of
from pactkeeper.intent.wording.tables import table

MEASURED: frozenset[VagueKind] = frozenset({"time", "often", "amount", "size", "compared", "gain", "ease", "quality"})
"""Kinds that a number or a quoted value in the same sentence makes clear."""
_COMPARABLE: frozenset[VagueKind] = frozenset({"compared", "time", "size"})
_COUNTS = table("once twice thrice zero one two three four five six seven eight nine ten eleven twelve none")
_POINTING = table("it they them this these those he she")
_FINITE = {"third", "base", "past"}
_LONGER = 4
_CERTAIN = table("""
    is are was were isn't aren't wasn't weren't has hasn't have haven't does doesn't do don't did didn't can cannot
    can't could couldn't must mustn't may might should shouldn't will won't would wouldn't shall
""")


@dataclass(frozen=True, slots=True)
class Vague:
    """A vague phrase at `[start, end)` of its text."""

    kind: VagueKind
    phrase: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Directive:
    """Words that say how to build; `bound` where `with`, `using` or the like stands before them."""

    kind: BuildingKind
    text: str
    bound: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """One text of an atom at its place.

    It `states` something where a verb of a main clause is seen and it neither asks nor commands. `opaque` are words
    that name no value, `unnamed` a pronoun that it begins with. It is `concrete` where two readers look for the same.
    """

    text: str
    place: Place
    at: int
    vague: tuple[Vague, ...]
    opaque: str
    unnamed: str
    asks: bool
    commands: bool
    states: bool

    @property
    def concrete(self) -> bool:
        """Whether nothing in it is left to the reader."""
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


@dataclass(frozen=True, slots=True)
class _Dictionary:
    """The vague phrases that count in a project, and the words it says are clear."""

    lexicon: Phrases[VagueKind]
    clear: frozenset[str]


def examine(words: AtomWords, vocabulary: QualityVocabulary) -> Examined:
    """Read all sentences of an atom."""
    own = tuple(sorted(word.replace("|", " ").replace("/", " ").lower() for word in vocabulary.vague_words))
    clear = frozenset(word.lower() for word in (*vocabulary.clear_words, *vocabulary.domain_terms)) - set(own)
    known = _Dictionary(_lexicon(own), clear)
    return Examined(
        words,
        vocabulary,
        _sentence(words.intent, "intent", 0, known),
        tuple(_sentence(text, "outcomes", at, known) for at, text in enumerate(words.outcomes)),
        tuple(_sentence(text, "falsified_by", at, known) for at, text in enumerate(words.falsified_by)),
        joints(words.intent),
    )


def statement(text: str) -> Sentence:
    """A sentence by itself, without a project's own words."""
    return _sentence(text, "intent", 0, _Dictionary(_lexicon(()), frozenset()))


def directives(text: str, vocabulary: QualityVocabulary) -> Iterator[Directive]:
    """Every technology and part of a program that a text names, but for the project's own terms."""
    allowed = {term.lower() for term in vocabulary.domain_terms}
    for kind, phrase, said, bound in directives_in(text):
        if phrase not in allowed and said.lower() not in allowed:
            yield Directive(kind, said, bound)


def _sentence(text: str, place: Place, at: int, known: _Dictionary) -> Sentence:
    if place == "outcomes" and is_code(text):
        return Sentence(text, place, at, (), "", "", asks=False, commands=False, states=True)
    found = tokens(text)
    spoken = [one for one in found if one.kind != "mark"]
    asks, commands = text.rstrip().endswith("?"), _commands(spoken)
    unnamed = spoken[0].text if spoken and spoken[0].lower in _POINTING and _is_verb(spoken[1:2]) else ""
    states = not (asks or commands) and (_is_certain(spoken) or form_of(text, prose=True) is not None)
    return Sentence(
        text,
        place,
        at,
        tuple(_vague(found, known)),
        opaque_words(text),
        unnamed,
        asks=asks,
        commands=commands,
        states=states,
    )


def _is_certain(spoken: Sequence[Token]) -> bool:
    """Whether a verb that is nothing else stands behind a first word, or in a longer text one that may be a noun."""
    words = [one for one in spoken[1:] if one.kind == "word"]
    longer = len(spoken) >= _LONGER and any(_FINITE & forms_of(one.lower).keys() for one in words)
    return longer or any(_is_verb([one]) for one in words)


def _is_verb(words: Sequence[Token]) -> bool:
    """Whether one of the words is a verb with a subject and nothing else: `sends`, `wrote`, and not `refused`."""
    return any(one.lower in _CERTAIN or _only_finite(one.lower) for one in words)


def _only_finite(word: str) -> bool:
    known = forms_of(word)
    return not also_noun(word) and ("third" in known or ("past" in known and "participle" not in known))


def _commands(spoken: Sequence[Token]) -> bool:
    """Whether it begins with the bare form of a verb that is no noun: `Add a button`."""
    first = spoken[0] if len(spoken) > 1 else None
    if (
        first is None
        or first.kind != "word"
        or first.text.isupper()
        or "base" not in forms_of(first.lower)
        or also_noun(first.lower)
    ):
        return False
    return not _is_verb(spoken[1:2])


@lru_cache(maxsize=8)
def _lexicon(more: tuple[str, ...]) -> Phrases[VagueKind]:
    return phrases((*ROWS, *(("project", word) for word in more)))


def _vague(found: Sequence[Token], known: _Dictionary) -> Iterator[Vague]:
    for hit in known.lexicon.hits(found):
        said = " ".join(one.lower for one in found[hit.start : hit.end])
        if hit.kind != "clear" and hit.phrase not in known.clear and said not in known.clear and not _given(found, hit):
            yield Vague(hit.kind, hit.phrase, found[hit.start].start, found[hit.end - 1].end)


def _given(found: Sequence[Token], hit: Hit[VagueKind]) -> bool:
    """Whether the sentence gives the number, the value or the comparison that the word alone leaves out."""
    if hit.kind not in MEASURED:
        return False
    others = (*found[: hit.start], *found[hit.end :])
    if any(one.kind == "number" or one.lower in _COUNTS for one in others):
        return True
    if hit.kind in _COMPARABLE and any(one.lower == "than" for one in found[hit.end : hit.end + 3]):
        return True
    return hit.kind in {"quality", "ease"} and any(one.kind == "quoted" for one in others)


_OPAQUE = re.compile(
    r"""\b(?:
      (?:equals?|returns?|is|are|has|have|matches|match|contains?|yields?|gives?)\s+
      (?:an?\s+|the\s+)?(?:expected|correct|right|proper|appropriate|desired|intended|given|actual)\s+
      (?:value|values|result|results|output|outcome|thing|behaviou?r|answer|response|data)\b
    | (?<!\ba\ )(?<!\bthe\ )(?<!\b(?:its|our|his|her|any)\ )(?<!\b(?:your|more|that|this)\ )(?<!\btheir\ )
      (?:works?|working|behaves?|functions?|performs?|operates?)
      (?:\s+(?:again|fine|well|ok|correctly|properly))?\s*[.]?$
    | is\s+(?:done|ok|okay|fine|handled|supported|covered|fulfilled|satisfied|achieved|successful|a\s+success)\s*[.]?$
    | (?:no\s+problems?|no\s+issues?|nothing\s+bad)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def opaque_words(text: str) -> str:
    """The words that name no value: `returns the expected value`, `it works`; those in quotations are not judged."""
    found = _OPAQUE.search(masked(text))
    return text[found.start() : found.end()].strip(" .") if found else ""
