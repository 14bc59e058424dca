"""What each word of a sentence does in it: verb, noun, condition, conjunction; by tables and by its neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from pactkeeper.intent.reading.classes import (
    ADVERBS,
    AS_LONG,
    BE,
    COORDINATORS,
    DETERMINERS,
    DO,
    HAVE,
    MODALS,
    NEGATIVE,
    NOT_ADVERBS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    SINGULAR,
    STANDING,
    SUBORDINATORS,
    described,
)
from pactkeeper.intent.reading.neighbours import Neighbours
from pactkeeper.intent.reading.tokens import Token, sentences
from pactkeeper.intent.reading.verbs import Form, also_noun, forms_of
from pactkeeper.intent.reading.words import Tag, Word

_BEFORE_NOUNS: frozenset[Tag | None] = frozenset({"det", "adj", "prep", "num", "mark", "coord", "verb", None})


def words_of(text: str) -> tuple[tuple[Word, ...], ...]:
    """The words of each sentence, tagged."""
    return _words_of(text)


def with_verb(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """A sentence without a predicate, with the noun taken for a verb that could best be one; None where none can."""
    best: tuple[bool, int] | None = None
    for at in range(len(words) - 1):
        word, after = words[at], words[at + 1]
        opens = at == 0 or words[at - 1].token.text in _TITLE_ENDS
        fits = _opens_statement(words, at) if opens else words[at - 1].tag in _SUBJECTS
        ends = after.token.text == "." and not also_noun(word.lower)
        fits = fits and word.tag == "noun" and _can_follow(after, opens=opens, ends=ends)
        if fits and "third" in forms_of(word.lower):
            best = max(best or (False, 0), (after.tag in _SURE_OBJECTS, at))
    if best is None:
        return None
    at = best[1]
    verb = Word(words[at].token, "verb", "third", forms_of(words[at].lower)["third"])
    return (*words[:at], verb, *words[at + 1 :])


def _can_follow(after: Word, *, opens: bool, ends: bool) -> bool:
    """Whether what stands after a word lets it be a verb."""
    return after.tag in _OBJECTS or after.form == "participle" or ends or (opens and after.tag in _GOES_ON)


def _opens_statement(words: tuple[Word, ...], at: int) -> bool:
    """Whether a verb without a subject can open what is said: `rejects input`, and not `Orders page`."""
    sure = words[at + 1].tag in _SURE_OBJECTS or (words[at + 1].tag == "noun" and len(words) > _FEW)
    return at > 0 or sure or not also_noun(words[at].lower)


_FEW = 4
_GOES_ON: frozenset[Tag] = frozenset({"sub", "coord", "to"})
_TITLE_ENDS = frozenset({":", "-", "–", "—"})
_SUBJECTS: frozenset[Tag] = frozenset({"noun", "adj", "lit", "adv", "num", "pron", "verb", "prep"})
_OBJECTS: frozenset[Tag] = frozenset({"det", "num", "lit", "pron", "noun", "adj", "prep", "adv", "rel"})
_SURE_OBJECTS: frozenset[Tag] = frozenset({"det", "num", "lit", "pron"})


@lru_cache(maxsize=4096)
def _words_of(text: str) -> tuple[tuple[Word, ...], ...]:
    return tuple(tuple(_Tagger(one).run()) for one in sentences(text))


class _Tagger:
    """One pass from left to right; each word is decided by what stands before and what could come after."""

    def __init__(self, given: Sequence[Token]) -> None:
        self.tokens = given
        self.words: list[Word] = []
        self.see = Neighbours(given, self.words)

    def run(self) -> list[Word]:
        for at in range(len(self.tokens)):
            self.words.append(self._word(at))
        return self.words

    def _word(self, at: int) -> Word:
        token = self.tokens[at]
        match token.kind:
            case "mark":
                return Word(token, "coord" if token.text == "&" else "mark")
            case "number":
                return Word(token, "num")
            case "quoted" | "name":
                return Word(token, "lit")
        closed = self._closed(at)
        if closed is not None:
            return Word(token, closed)
        return self._verb(at) or Word(token, self._other(at))

    def _closed(self, at: int) -> Tag | None:
        """The tag of a word that stands in a table."""
        lower = self.tokens[at].lower
        for known, tag in _CLOSED:
            if lower in known:
                return tag
        if lower == "to":
            return "to" if self.see.infinitive(at + 1) else "prep"
        if lower == "that":
            return self._that(at)
        if lower == "as":
            return self._as(at)
        if lower == "so":
            return "sub" if self.see.next(at) == "that" else "coord"
        if lower in {"once", "until", "while"}:
            return "adv" if lower == "once" and self.see.ends_phrase(at) else "sub"
        return self._open_class(at, lower)

    def _open_class(self, at: int, lower: str) -> Tag | None:
        if lower in SUBORDINATORS and not (lower == "given" and self.see.before() == "be"):
            return self._subordinator(lower)
        if lower in RELATIVES:
            return "rel"
        if lower in {"either", "both"} and self.see.before() in {"modal", "be", "have"}:
            return "adv"
        if lower in PRONOUNS and not (lower == "one" and self.see.is_nounish(at + 1)):
            return "pron"
        if lower in DETERMINERS:
            return "det"
        if lower in PREPOSITIONS:
            return self._preposition_or_particle(at, lower)
        if lower in ADVERBS or (lower.endswith("ly") and lower not in NOT_ADVERBS):
            return "adv"
        return None

    def _preposition_or_particle(self, at: int, lower: str) -> Tag:
        if self.see.next(at) in {"now", "then"}:
            return "adv"
        return "adv" if lower in PARTICLES and self.see.before() != "be" and not self.see.phrase_at(at + 1) else "prep"

    def _subordinator(self, lower: str) -> Tag:
        before = self.see.before()
        if lower == "else" and before == "pron":
            return "adv"  # "something else"
        return "noun" if before in {"det", "adj"} else "sub"

    def _as(self, at: int) -> Tag:
        """`as soon as` opens a condition, `as well` adds, any other `as` is a preposition."""
        following = self.see.next(at)
        if following in AS_LONG:
            return "sub"
        alone = following == "well" and (at + 2 >= len(self.tokens) or self.tokens[at + 2].lower != "as")
        return "adv" if alone or self.see.opened(at) in AS_LONG else "prep"

    def _that(self, at: int) -> Tag:
        if self.see.opened(at) == "so":
            return "adv"
        before = self.see.before()
        if before in {"noun", "lit", "pron", "num", "adj"}:
            return "rel"
        return "sub" if before == "verb" or self.see.next(at) in DETERMINERS else "det"

    def _verb(self, at: int) -> Word | None:
        """The word as a verb, where its place allows one."""
        token = self.tokens[at]
        opens = at == 0 or self.see.opened(at) == ":"
        if opens and token.text.islower() and self.see.predicate_at(at + 1):
            return None  # a name from code: `found returns a list`
        acronym = sum(letter.isupper() for letter in token.text) > 1
        forms = {} if acronym else _forms(token, first=at == 0)
        for form, fits in (
            ("base", self._fits_base),
            ("third", self._fits_third),
            ("participle", self._fits_participle),
            ("past", self._fits_participle),
            ("gerund", self._fits_gerund),
        ):
            if form in forms and fits(at):
                return Word(token, "verb", form, forms[form])  # type: ignore[arg-type,index]  # likewise
        return None

    def _fits_base(self, at: int) -> bool:
        before = self.see.before()
        noun_too = also_noun(self.tokens[at].lower)
        free = not noun_too or self.see.opens_object(at + 1) or self.see.links(at)
        if before in {"modal", "do", "to"}:
            return True
        if before == "not":
            return any(word.tag in {"modal", "do", "to"} for word in self.words[-3:])
        if before is None:
            fits = self.see.opens_object(at + 1) or (not noun_too and self.see.is_nounish(at + 1))
            other = self.see.next(at) == "that" or self.see.verb_ahead(at + 1) or self.see.predicate_at(at + 1)
            return fits and not other
        if before in {"coord", "mark"}:
            return self._joins_base(at, free=free)
        if before == "rel":
            return True
        if self.see.in_object_relative():
            return self.see.plural_before(far=False)
        fits = before in {"noun", "pron", "lit", "num", "adj"} or (before == "verb" and self.see.after_participle())
        if not fits or self.see.has_predicate():
            return False
        sure = not noun_too or self.see.object_ahead(at + 1) or self.see.ends_sentence(at + 1)
        lone = self.see.is_nounish(at + 1) and not self.see.verb_ahead(at + 1)
        return self.see.plural_before(far=sure) and (free or lone or self.see.preposition(at + 1))

    def _joins_base(self, at: int, *, free: bool) -> bool:
        """Whether a base form after `and` or a comma continues a verb before it: `create, edit and delete notes`."""
        left = [word for word in self.words if word.tag not in {"coord", "mark", "adv"}]
        if not left:
            return self.see.opens_object(at + 1)
        if left[-1].tag == "verb" and left[-1].form == "base":
            return True
        return free and any(word.tag in {"modal", "to"} or word.form == "base" for word in self.words)

    def _fits_third(self, at: int) -> bool:
        before = self.see.before()
        if before in {"rel", "pron"} or (self.see.in_object_relative() and before in {"noun", "lit", "det"}):
            return True
        noun_too = also_noun(self.tokens[at].lower)
        free = not noun_too or self.see.opens_object(at + 1)
        if before in {"coord", "mark"}:
            joins = any(word.form == "third" or word.lower in SINGULAR for word in self.words)
            return joins and (free or self.see.is_nounish(at + 1) or self.see.preposition(at + 1))
        first = at == 1 or (at > 1 and self.tokens[at - 2].text == ":")
        alone = self.see.opened(at) in STANDING or (before != "det" and (before == "adj" or first))
        named = alone and (not noun_too or self.see.object_ahead(at + 1))
        if not (before in {"noun", "lit", "num", "verb"} or named) or self.see.has_predicate():
            return False
        if noun_too and self.see.surely_verb(at + 1):
            return False
        return free or not self.see.plural_predicate_ahead(at + 1)

    def _fits_participle(self, at: int) -> bool:
        before = self.see.before()
        if self.see.group_open():
            return True
        if before in _BEFORE_NOUNS and self.see.is_nounish(at + 1):
            return False  # "the deleted message"
        return before is not None or self.see.preposition(at + 1)

    def _fits_gerund(self, at: int) -> bool:
        before = self.see.before()
        if before in {"det", "adj"}:
            return False
        if before in {"noun", "lit"}:
            last = at + 1 >= len(self.tokens) or self.tokens[at + 1].kind == "mark"
            return not last and not self.see.finite(at + 1) and "third" not in forms_of(self.tokens[at + 1].lower)
        return True

    def _other(self, at: int) -> Tag:
        lower = self.tokens[at].lower
        known = forms_of(lower)
        return "adj" if described(lower) or ("participle" in known and "base" not in known) else "noun"


def _forms(token: Token, *, first: bool) -> Mapping[Form, str]:
    """The forms of a word; one that no table has and that ends as a participle is taken for one."""
    lower = token.lower
    known = forms_of(lower)
    if (
        not known
        and (first or token.text.islower())
        and lower.endswith("ed")
        and len(lower) > _SHORTEST
        and not described(lower)
    ):
        return {"participle": lower.removesuffix("ed")}
    return known


_SHORTEST = 5
_CLOSED: tuple[tuple[frozenset[str], Tag], ...] = (
    (BE, "be"),
    (MODALS, "modal"),
    (HAVE, "have"),
    (DO, "do"),
    (NEGATIVE, "not"),
    (COORDINATORS, "coord"),
)
