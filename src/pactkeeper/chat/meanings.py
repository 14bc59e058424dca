"""What to look for when a question has a word: the word itself, and other words for the same thing, in English code."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

from pactkeeper.chat.forms import Form, form_of, parts_of
from pactkeeper.chat.words import both_stems, stored

LIKE: Final = 0.7  # how surely another word for the same thing is meant
LIGHT: Final = 0.3  # how much a word counts that says little about the place of an answer
NAMED: Final = 2.0  # the same for a name


@dataclass(frozen=True, slots=True, eq=False)
class Meant:
    """A word of a question with the forms to look for, each with how surely it is meant, and how much it counts."""

    word: str
    forms: Mapping[Form, float]
    weight: float

    @property
    def light(self) -> bool:
        """Whether nothing follows from its absence."""
        return self.weight <= LIGHT

    def sure(self, text: str) -> float:
        """Return how surely a text has it; 0 if it does not."""
        return max((sure for form, sure in self.forms.items() if form.count(text)), default=0)


def meant(words: Sequence[str], *, beside: Collection[str] = (), foreign: bool = False) -> tuple[Meant, ...]:
    """Return what words mean, once for words of one stem; those `beside` the subject count as light.

    Two words in a row may be one in the code: `progress bar`, `progressbar`. In a question that is `foreign`, not
    English, a word without a translation counts as light.
    """
    joined: dict[str, set[Form]] = {}
    for one, two in pairwise(words):
        if one.isalpha() and two.isalpha():
            joined.setdefault(one, set()).add(form_of(f"{one}_{two}"))
            joined.setdefault(two, set()).add(form_of(f"{one}_{two}"))
    found: dict[str, Meant] = {}
    for word in (*words, *beside):
        light = word in beside or is_light(word) or (foreign and not others(word))
        weight = NAMED if len(parts_of(word)) > 1 else LIGHT if light else 1.0
        alike = {form_of(one): LIKE for one in others(word)}
        forms = alike | dict.fromkeys(joined.get(word, ()), 1.0) | {form_of(word): 1.0}
        found.setdefault(form_of(word).stem or word.casefold(), Meant(word, forms, weight))
    return tuple(found.values())


def others(word: str) -> tuple[str, ...]:
    """Return the other words for the same thing."""
    known = stored()["meanings"]
    return tuple(known.get(both_stems(word.casefold()), ()))


def is_light(word: str) -> bool:
    """Whether a word says little about the place of an answer."""
    return both_stems(word.casefold()) in _light()


@cache
def _light() -> frozenset[str]:
    return frozenset(stored()["light"])
