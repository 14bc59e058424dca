"""What stands around a word: what was said before it, and what could come after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pactkeeper.intent.reading.classes import (
    ADVERBS,
    BE,
    CLOSERS,
    COORDINATORS,
    DETERMINERS,
    DO,
    HAVE,
    LINKING,
    MODALS,
    NEGATIVE,
    NOT_ADVERBS,
    PLURAL,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    SUBORDINATORS,
    described,
)
from pactkeeper.intent.reading.tokens import Token
from pactkeeper.intent.reading.verbs import Form, also_noun, forms_of
from pactkeeper.intent.reading.words import Tag, Word
from pactkeeper.intent.wording.words import is_plural

_FINITE: frozenset[Form | None] = frozenset({"base", "third"})


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The tokens of a sentence, and the words that are decided so far; positions count tokens."""

    tokens: Sequence[Token]
    words: Sequence[Word]

    def links(self, at: int) -> bool:
        """Whether the word ties a subject to an adjective: `buttons stay green`."""
        following = self.next(at)
        return self.tokens[at].lower in LINKING and bool(following) and described(following)

    def predicate_at(self, at: int) -> bool:
        """Whether the predicate stands at a position: an auxiliary or a third person."""
        if at >= len(self.tokens):
            return False
        lower = self.tokens[at].lower
        followed = not self.ends_sentence(at + 1) and (self.opens_object(at + 1) or self.preposition(at + 1))
        verb = "third" in forms_of(lower) and (not also_noun(lower) or followed)
        return verb or self.finite(at)

    def infinitive(self, at: int) -> bool:
        """Whether the word at a position is a base form that `to` can open; `to checkout` is a place."""
        if at >= len(self.tokens):
            return False
        lower = self.tokens[at].lower
        if lower in {"be", "have", "do", "not"}:
            return True
        if "base" not in forms_of(lower):
            return False
        return not also_noun(lower) or self.opens_object(at + 1)

    def opens_object(self, at: int) -> bool:
        """Whether what stands at a position can be the object or end of a verb before it."""
        if at >= len(self.tokens):
            return True
        token = self.tokens[at]
        if token.kind in {"quoted", "name", "number"}:
            return True
        lower = token.lower
        return (
            lower in DETERMINERS
            or lower in PRONOUNS
            or lower in ADVERBS
            or lower in NEGATIVE
            or lower in SUBORDINATORS
            or (lower.endswith("ly") and lower not in NOT_ADVERBS)
            or token.text in {".", ";"}
        )

    def before(self) -> Tag | None:
        """The tag of the nearest word before, adverbs skipped; None at the start."""
        return next((word.tag for word in reversed(self.words) if word.tag != "adv"), None)

    def opened(self, at: int) -> str:
        """The word just before a position, in lower case; empty at the start."""
        return self.tokens[at - 1].lower if at else ""

    def next(self, at: int) -> str:
        """The word just after a position, in lower case; empty at the end."""
        return self.tokens[at + 1].lower if at + 1 < len(self.tokens) else ""

    def group_open(self) -> bool:
        """Whether an auxiliary waits for its participle."""
        for word in reversed(self.words):
            if word.tag in {"adv", "not"}:
                continue
            return word.tag in {"be", "have"} or word.lower in {"get", "gets"}
        return False

    def after_participle(self) -> bool:
        """Whether the last word that counts is a participle."""
        last = next((word for word in reversed(self.words) if word.tag != "adv"), None)
        return last is not None and last.form in {"participle", "past"}

    def in_object_relative(self) -> bool:
        """Whether a relative clause with a subject of its own waits for its verb: `what the patch …`."""
        for place in range(len(self.words) - 1, -1, -1):
            word = self.words[place]
            if word.tag in {"verb", "be", "have", "do", "modal", "coord", "mark", "sub"}:
                return False
            if word.tag == "rel":
                return place + 1 < len(self.words) and self.words[place + 1].tag in {
                    "det",
                    "noun",
                    "pron",
                    "lit",
                    "adj",
                }
        return False

    def has_predicate(self) -> bool:
        """Whether the clause that is being read has its finite verb already; a relative clause has one of its own."""
        free = 1
        inside = False
        for word in reversed(self.words):
            if word.tag == "coord" or word.token.text in {",", ";", ":"}:
                break
            finite = word.tag in {"be", "have", "do", "modal"} or word.form in {"base", "third"}
            free += (word.tag in {"rel", "sub"}) - (finite and not inside)
            inside = finite
        return free <= 0

    def plural_before(self, *, far: bool) -> bool:
        """Whether the subject is plural: the noun just before, or where `far` any noun of the phrase."""
        said = any(word.tag in {"be", "have", "do", "modal"} or word.form in _FINITE for word in self.words)
        joint = max((at for at, word in enumerate(self.words) if word.tag == "coord"), default=-1) if said else -1
        nouns = [word for word in self.words[joint + 1 :] if word.tag in {"noun", "pron"}]
        joined = far and not said and any(word.lower == "and" for word in self.words) and len(nouns) > 1
        return joined or any(_plural(word) for word in (nouns if far else nouns[-1:]))

    def surely_verb(self, at: int) -> bool:
        """Whether a plural verb stands at a position, so that the word before it is a noun: `results appear`."""
        if at >= len(self.tokens):
            return False
        lower = self.tokens[at].lower
        if "third" in forms_of(lower) and not also_noun(lower):
            return True
        if described(lower) or "base" not in forms_of(lower):
            return self.finite(at)
        return not also_noun(lower) or self.links(at) or self.opens_object(at + 1)

    def object_ahead(self, at: int) -> bool:
        """Whether an object surely begins at a position."""
        if at >= len(self.tokens):
            return False
        token = self.tokens[at]
        known = token.lower in DETERMINERS or token.lower in PRONOUNS
        return known or token.kind in {"quoted", "name", "number"}

    def phrase_at(self, at: int) -> bool:
        """Whether a noun phrase begins at a position."""
        if at >= len(self.tokens):
            return False
        token = self.tokens[at]
        if token.kind in {"quoted", "name", "number"} or token.lower in DETERMINERS | PRONOUNS:
            return True
        known = forms_of(token.lower)
        return self.is_nounish(at) and not ("third" in known and not also_noun(token.lower))

    def is_nounish(self, at: int) -> bool:
        """Whether a noun phrase goes on at a position."""
        if at >= len(self.tokens):
            return False
        token = self.tokens[at]
        lower = token.lower
        if token.kind != "word":
            return token.kind == "name"
        return not (
            self.finite(at)
            or lower in DETERMINERS
            or lower in PREPOSITIONS
            or lower in COORDINATORS
            or lower in SUBORDINATORS
            or lower in RELATIVES
            or lower in ADVERBS
            or lower in {"to", "as", "not", "that"}
            or (lower.endswith("ly") and lower not in NOT_ADVERBS)
        )

    def finite(self, at: int) -> bool:
        """Whether an auxiliary stands at a position."""
        if at >= len(self.tokens):
            return False
        lower = self.tokens[at].lower
        return lower in BE or lower in MODALS or lower in HAVE or lower in DO

    def plural_predicate_ahead(self, at: int) -> bool:
        """Whether a later verb agrees with a plural: then the word before it is that plural, and no verb."""
        joined = False
        for position in range(at, len(self.tokens)):
            lower = self.tokens[position].lower
            if lower in SUBORDINATORS or lower in RELATIVES or self.tokens[position].text in {";", ","}:
                return False
            joined = joined or lower in COORDINATORS
            plain = "base" in forms_of(lower) and not also_noun(lower) and self.opens_object(position + 1)
            if lower in PLURAL or ((lower in MODALS or plain) and not joined):
                return self.opened(position) not in COORDINATORS
        return False

    def verb_ahead(self, at: int) -> bool:
        """Whether the sentence has its verb later on."""
        for position in range(at, len(self.tokens)):
            lower = self.tokens[position].lower
            known = forms_of(lower)
            after_plural = "base" in known and is_plural(self.opened(position))
            if self.finite(position) or after_plural or ("third" in known and not also_noun(lower)):
                return True
        return False

    def ends_sentence(self, at: int) -> bool:
        """Whether nothing but a full stop stands at a position."""
        return at >= len(self.tokens) or self.tokens[at].text in {".", "!", "?"}

    def preposition(self, at: int) -> bool:
        """Whether a preposition stands at a position."""
        return at < len(self.tokens) and self.tokens[at].lower in PREPOSITIONS | {"to", "as"}

    def ends_phrase(self, at: int) -> bool:
        """Whether the phrase ends with the word at a position."""
        if at + 1 >= len(self.tokens):
            return True
        token = self.tokens[at + 1]
        return token.kind == "mark" or token.lower in CLOSERS | SUBORDINATORS | COORDINATORS | PREPOSITIONS


def _plural(word: Word) -> bool:
    if word.tag == "pron":
        return word.lower in {"they", "we", "you", "i"}
    return word.lower in {"people", "children", "men", "women", "others"} or is_plural(word.token.text)
