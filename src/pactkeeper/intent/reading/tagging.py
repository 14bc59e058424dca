"""What each word of a sentence does in it: verb, noun, condition, conjunction; by tables and by its neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pactkeeper.intent.reading.classes import (
    ADVERBS,
    AS_LONG,
    BE,
    CLOSERS,
    COORDINATORS,
    DO,
    HAVE,
    LINKING,
    MODALS,
    NEGATIVE,
    NOT_ADVERBS,
    PARTICLES,
    PLURAL,
    PREPOSITIONS,
    RELATIVES,
    SINGULAR,
    STANDING,
    SUBORDINATORS,
    described,
)
from pactkeeper.intent.reading.tokens import Token, sentences
from pactkeeper.intent.reading.verbs import Form, also_noun, forms_of
from pactkeeper.intent.wording.prose import DETERMINERS, PRONOUNS
from pactkeeper.intent.wording.words import is_plural

Tag = Literal[
    "noun",
    "verb",
    "be",
    "have",
    "do",
    "modal",
    "not",
    "to",
    "adj",
    "adv",
    "det",
    "pron",
    "prep",
    "sub",  # opens a condition, a time or a reason
    "rel",  # opens a relative clause
    "coord",
    "num",
    "lit",  # a quotation or a name from code
    "mark",
]


@dataclass(frozen=True, slots=True)
class Word:
    """A token with what it does; `form` and `base` are of verbs."""

    token: Token
    tag: Tag
    form: Form | None = None
    base: str = ""

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.token.lower


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
        fits = fits and word.tag == "noun" and (after.tag in _OBJECTS or after.token.text == ".")
        if fits and "third" in forms_of(word.lower):
            best = max(best or (False, 0), (after.tag in _SURE_OBJECTS, at))
    if best is None:
        return None
    at = best[1]
    verb = Word(words[at].token, "verb", "third", forms_of(words[at].lower)["third"])
    return (*words[:at], verb, *words[at + 1 :])


def _opens_statement(words: tuple[Word, ...], at: int) -> bool:
    """Whether a verb without a subject can open what is said: `rejects input`, and not `Orders page`."""
    return at > 0 or words[at + 1].tag != "noun" or not also_noun(words[at].lower) or len(words) > _FEW


_FEW = 4
_FINITE: frozenset[Form | None] = frozenset({"base", "third"})
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
            return "to" if self._infinitive(at + 1) else "prep"
        if lower == "that":
            return self._that(at)
        if lower == "as":
            return self._as(at)
        if lower == "so":
            return "sub" if self._next(at) == "that" else "coord"
        if lower in {"once", "until", "while"}:
            return "adv" if lower == "once" and self._ends_phrase(at) else "sub"
        return self._open_class(at, lower)

    def _open_class(self, at: int, lower: str) -> Tag | None:
        if lower in SUBORDINATORS:
            return self._subordinator(lower)
        if lower in RELATIVES:
            return "rel"
        if lower in {"either", "both"} and self._before() in {"modal", "be", "have"}:
            return "adv"
        if lower in PRONOUNS and not (lower == "one" and self._is_nounish(at + 1)):
            return "pron"
        if lower in DETERMINERS:
            return "det"
        if lower in PREPOSITIONS:
            return self._preposition_or_particle(at, lower)
        if lower in ADVERBS or (lower.endswith("ly") and lower not in NOT_ADVERBS):
            return "adv"
        return None

    def _preposition_or_particle(self, at: int, lower: str) -> Tag:
        if self._next(at) in {"now", "then"}:
            return "adv"
        return "adv" if lower in PARTICLES and self._before() != "be" and not self._phrase_at(at + 1) else "prep"

    def _subordinator(self, lower: str) -> Tag:
        before = self._before()
        if lower == "else" and before == "pron":
            return "adv"  # "something else"
        return "noun" if before in {"det", "adj"} else "sub"

    def _as(self, at: int) -> Tag:
        """`as soon as` opens a condition, `as well` adds, any other `as` is a preposition."""
        following = self._next(at)
        if following in AS_LONG:
            return "sub"
        alone = following == "well" and (at + 2 >= len(self.tokens) or self.tokens[at + 2].lower != "as")
        return "adv" if alone or self._opened(at) in AS_LONG else "prep"

    def _that(self, at: int) -> Tag:
        if self._opened(at) == "so":
            return "adv"
        before = self._before()
        if before in {"noun", "lit", "pron", "num", "adj"}:
            return "rel"
        return "sub" if before == "verb" or self._next(at) in DETERMINERS else "det"

    def _infinitive(self, at: int) -> bool:
        """Whether the word at a position is a base form that `to` can open; `to checkout` is a place."""
        if at >= len(self.tokens):
            return False
        lower = self.tokens[at].lower
        if lower in {"be", "have", "do", "not"}:
            return True
        if "base" not in forms_of(lower):
            return False
        return not also_noun(lower) or self._opens_object(at + 1)

    def _opens_object(self, at: int) -> bool:
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

    def _predicate_at(self, at: int) -> bool:
        if at >= len(self.tokens):
            return False
        lower = self.tokens[at].lower
        verb = "third" in forms_of(lower) and (not also_noun(lower) or self._object_ahead(at + 1))
        return verb or self._finite(at)

    def _verb(self, at: int) -> Word | None:
        """The word as a verb, where its place allows one."""
        token = self.tokens[at]
        opens = at == 0 or self._opened(at) == ":"
        if opens and token.text.islower() and self._predicate_at(at + 1):
            return None  # a name from code: `found returns a list`
        forms = {} if token.text.isupper() and len(token.text) > 1 else _forms(token, first=at == 0)
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
        before = self._before()
        noun_too = also_noun(self.tokens[at].lower)
        free = not noun_too or self._opens_object(at + 1) or self._links(at)
        if before in {"modal", "do", "to"}:
            return True
        if before == "not":
            return any(word.tag in {"modal", "do", "to"} for word in self.words[-3:])
        if before is None:
            fits = self._opens_object(at + 1) or (not noun_too and self._is_nounish(at + 1))
            return fits and not (self._next(at) == "that" or self._verb_ahead(at + 1))
        if before in {"coord", "mark"}:
            return self._joins_base(at, free=free)
        if before == "rel":
            return True
        if self._in_object_relative():
            return self._plural_before(far=False)
        fits = before in {"noun", "pron", "lit", "num", "adj"} or (before == "verb" and self._after_participle())
        if not fits or self._has_predicate():
            return False
        sure = not noun_too or self._object_ahead(at + 1)
        return self._plural_before(far=sure) and (free or self._preposition(at + 1))

    def _links(self, at: int) -> bool:
        """Whether the word ties a subject to an adjective: `buttons stay green`."""
        following = self._next(at)
        return self.tokens[at].lower in LINKING and bool(following) and described(following)

    def _joins_base(self, at: int, *, free: bool) -> bool:
        """Whether a base form after `and` or a comma continues a verb before it: `create, edit and delete notes`."""
        left = [word for word in self.words if word.tag not in {"coord", "mark", "adv"}]
        if not left:
            return self._opens_object(at + 1)
        if left[-1].tag == "verb" and left[-1].form == "base":
            return True
        return free and any(word.tag in {"modal", "to"} or word.form == "base" for word in self.words)

    def _fits_third(self, at: int) -> bool:
        before = self._before()
        if before in {"rel", "pron"} or (self._in_object_relative() and before in {"noun", "lit", "det"}):
            return True
        noun_too = also_noun(self.tokens[at].lower)
        free = not noun_too or self._opens_object(at + 1)
        if before in {"coord", "mark"}:
            joins = any(word.form == "third" or word.lower in SINGULAR for word in self.words)
            return joins and (free or self._is_nounish(at + 1) or self._preposition(at + 1))
        first = at == 1 or (at > 1 and self.tokens[at - 2].text == ":")
        named = (not noun_too or self._object_ahead(at + 1)) and (
            before == "adj" or first or self._opened(at) in STANDING
        )
        if not (before in {"noun", "lit", "num", "verb"} or named) or self._has_predicate():
            return False
        if noun_too and self._surely_verb(at + 1):
            return False
        return free or not self._plural_predicate_ahead(at + 1)

    def _fits_participle(self, at: int) -> bool:
        before = self._before()
        if self._group_open():
            return True
        if before in _BEFORE_NOUNS and self._is_nounish(at + 1):
            return False  # "the deleted message"
        return before is not None or self._preposition(at + 1)

    def _fits_gerund(self, at: int) -> bool:
        before = self._before()
        if before in {"det", "adj"}:
            return False
        if before in {"noun", "lit"}:
            last = at + 1 >= len(self.tokens) or self.tokens[at + 1].kind == "mark"
            return not last and not self._finite(at + 1) and "third" not in forms_of(self.tokens[at + 1].lower)
        return True

    def _other(self, at: int) -> Tag:
        lower = self.tokens[at].lower
        known = forms_of(lower)
        return "adj" if described(lower) or ("participle" in known and "base" not in known) else "noun"

    # Neighbours ----------------------------------------------------------------

    def _before(self) -> Tag | None:
        """The tag of the nearest word before, adverbs skipped; None at the start."""
        return next((word.tag for word in reversed(self.words) if word.tag != "adv"), None)

    def _opened(self, at: int) -> str:
        return self.tokens[at - 1].lower if at else ""

    def _next(self, at: int) -> str:
        return self.tokens[at + 1].lower if at + 1 < len(self.tokens) else ""

    def _group_open(self) -> bool:
        """Whether an auxiliary waits for its participle."""
        for word in reversed(self.words):
            if word.tag in {"adv", "not"}:
                continue
            return word.tag in {"be", "have"} or word.lower in {"get", "gets"}
        return False

    def _after_participle(self) -> bool:
        last = next((word for word in reversed(self.words) if word.tag != "adv"), None)
        return last is not None and last.form in {"participle", "past"}

    def _in_object_relative(self) -> bool:
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

    def _has_predicate(self) -> bool:
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

    def _plural_before(self, *, far: bool) -> bool:
        """Whether the subject is plural: the noun just before, or where `far` any noun of the phrase."""
        nouns = [word for word in self.words if word.tag in {"noun", "pron"}]
        said = any(word.tag in {"be", "have", "do", "modal"} or word.form in _FINITE for word in self.words)
        joined = far and not said and any(word.lower == "and" for word in self.words) and len(nouns) > 1
        return joined or any(_plural(word) for word in (nouns if far else nouns[-1:]))

    def _surely_verb(self, at: int) -> bool:
        """Whether a plural verb stands at a position, so that the word before it is a noun: `results appear`."""
        if at >= len(self.tokens):
            return False
        lower = self.tokens[at].lower
        if "third" in forms_of(lower) and not also_noun(lower):
            return True
        if described(lower) or "base" not in forms_of(lower):
            return self._finite(at)
        return not also_noun(lower) or self._links(at) or self._opens_object(at + 1)

    def _object_ahead(self, at: int) -> bool:
        """Whether an object surely begins at a position."""
        if at >= len(self.tokens):
            return False
        token = self.tokens[at]
        known = token.lower in DETERMINERS or token.lower in PRONOUNS
        return known or token.kind in {"quoted", "name", "number"} or token.text == "."

    def _phrase_at(self, at: int) -> bool:
        """Whether a noun phrase begins at a position."""
        if at >= len(self.tokens):
            return False
        token = self.tokens[at]
        if token.kind in {"quoted", "name", "number"} or token.lower in DETERMINERS | PRONOUNS:
            return True
        known = forms_of(token.lower)
        return self._is_nounish(at) and not ("third" in known and not also_noun(token.lower))

    def _is_nounish(self, at: int) -> bool:
        """Whether a noun phrase goes on at a position."""
        if at >= len(self.tokens):
            return False
        token = self.tokens[at]
        lower = token.lower
        if token.kind != "word":
            return token.kind == "name"
        return not (
            self._finite(at)
            or lower in DETERMINERS
            or lower in PREPOSITIONS
            or lower in COORDINATORS
            or lower in SUBORDINATORS
            or lower in RELATIVES
            or lower in ADVERBS
            or lower in {"to", "as", "not", "that"}
            or (lower.endswith("ly") and lower not in NOT_ADVERBS)
        )

    def _finite(self, at: int) -> bool:
        if at >= len(self.tokens):
            return False
        lower = self.tokens[at].lower
        return lower in BE or lower in MODALS or lower in HAVE or lower in DO

    def _plural_predicate_ahead(self, at: int) -> bool:
        """Whether a later verb agrees with a plural: then the word before it is that plural, and no verb."""
        joined = False
        for position in range(at, len(self.tokens)):
            lower = self.tokens[position].lower
            if lower in SUBORDINATORS or lower in RELATIVES or self.tokens[position].text in {";", ","}:
                return False
            joined = joined or lower in COORDINATORS
            plain = "base" in forms_of(lower) and not also_noun(lower) and self._opens_object(position + 1)
            if lower in PLURAL or ((lower in MODALS or plain) and not joined):
                return self._opened(position) not in COORDINATORS
        return False

    def _verb_ahead(self, at: int) -> bool:
        """Whether the sentence has its verb later on."""
        for position in range(at, len(self.tokens)):
            lower = self.tokens[position].lower
            known = forms_of(lower)
            after_plural = "base" in known and is_plural(self._opened(position))
            if self._finite(position) or after_plural or ("third" in known and not also_noun(lower)):
                return True
        return False

    def _preposition(self, at: int) -> bool:
        return at < len(self.tokens) and self.tokens[at].lower in PREPOSITIONS | {"to", "as"}

    def _ends_phrase(self, at: int) -> bool:
        if at + 1 >= len(self.tokens):
            return True
        token = self.tokens[at + 1]
        return token.kind == "mark" or token.lower in CLOSERS | SUBORDINATORS | COORDINATORS | PREPOSITIONS


def _plural(word: Word) -> bool:
    if word.tag == "pron":
        return word.lower in {"they", "we", "you", "i"}
    return word.lower in {"people", "children", "men", "women", "others"} or is_plural(word.token.text)


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
