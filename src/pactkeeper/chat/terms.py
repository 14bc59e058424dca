"""What to look for when a question has a word, and how much the word tells."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

from pactkeeper.chat.forms import Form, form_of, parts_of
from pactkeeper.chat.words import both_stems, stored

LIGHT: Final = 0.3  # how much a word counts that says little about the place of an answer
NAMED: Final = 2.0  # the same for a name


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A word of a question with the forms to look for and how much it counts."""

    word: str
    forms: tuple[Form, ...]
    weight: float

    @property
    def light(self) -> bool:
        """Whether nothing follows from its absence."""
        return self.weight <= LIGHT

    def stands_in(self, text: str) -> bool:
        """Whether a text has it."""
        return any(form.count(text) for form in self.forms)


def query_terms(words: Sequence[str], *, beside: Collection[str] = ()) -> tuple[Term, ...]:
    """Return what words mean, once for words of one stem; those `beside` the subject count as light.

    Two words in a row may be one in the code: `progress bar`, `progressbar`.
    """
    joined: dict[str, list[Form]] = {}
    for one, two in pairwise(words):
        if one.isalpha() and two.isalpha():
            joined.setdefault(one, []).append(form_of(f"{one}_{two}"))
            joined.setdefault(two, []).append(form_of(f"{one}_{two}"))
    found: dict[str, Term] = {}
    for word in (*words, *beside):
        light = word in beside or is_light(word)
        weight = NAMED if len(parts_of(word)) > 1 else LIGHT if light else 1.0
        forms = (form_of(word), *joined.get(word, ()))
        found.setdefault(form_of(word).stem or word.casefold(), Term(word, forms, weight))
    return tuple(found.values())


def is_light(word: str) -> bool:
    """Whether a word says little about the place of an answer."""
    return both_stems(word.casefold()) in _light()


@cache
def _light() -> frozenset[str]:
    return frozenset(stored()["light"])
