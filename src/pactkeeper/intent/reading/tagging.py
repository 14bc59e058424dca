"""What each word of a sentence does in it: verb, noun, condition, conjunction; by tables and by its neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pactkeeper.intent.reading.tokens import Token, sentences
from pactkeeper.intent.reading.verbs import Form, also_noun, forms_of
from pactkeeper.intent.wording.prose import ADVERBS, DETERMINERS, PREPOSITIONS, PRONOUNS, SUBORDINATORS, is_adjective
from pactkeeper.intent.wording.tables import table
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


BE = table("is are was were be been being am isn't aren't wasn't weren't")
HAVE = table("has have had hasn't haven't hadn't having")
DO = table("does do did doesn't don't didn't")
MODALS = table("""
    can cannot can't could couldn't must mustn't shall shan't should shouldn't may might mightn't will won't would
    wouldn't needn't
""")
NEGATIVE = table("not n't")
RELATIVES = table("who which whose whom that what whatever whoever whichever")
COORDINATORS = table("and or but nor yet & plus")
_SUBORDINATORS = SUBORDINATORS | table("since provided given whereas though otherwise else lest")
_PREPOSITIONS = (PREPOSITIONS | table("upon amid beside besides among amongst against off out throughout via")) - {
    "since",
    "after",
    "before",
    "until",
    "given",
}
_NOT_ADVERBS = table("""
    family reply supply apply assembly anomaly monopoly july friendly ugly lonely user-friendly butterfly fly rely
    comply multiply imply italy daily weekly monthly yearly hourly nightly bully belly jelly
""")
_ADVERBS = (
    ADVERBS
    | table("""
    too very soon often seldom almost nearly mostly thus hence therefore then instead well nearby
""")
) - {
    "both",
    "up",
    "down",
}
_PLURAL = table("are were have do aren't weren't haven't don't")
_SINGULAR = table("is was has does isn't wasn't hasn't doesn't")
_PARTICLES = table("in out off on up down over back away through")
_AS_LONG = table("soon long far")
_CLOSERS = table("per each a an")
_BEFORE_NOUNS: frozenset[Tag | None] = frozenset({"det", "adj", "prep", "num", "mark", "coord", "verb", None})


def words_of(text: str) -> tuple[tuple[Word, ...], ...]:
    """The words of each sentence, tagged."""
    return _words_of(text)


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
            return "sub" if self._next(at) in _AS_LONG else "adv" if self._opened(at) in _AS_LONG else "prep"
        if lower == "so":
            return "sub" if self._next(at) == "that" else "coord"
        if lower in {"once", "until", "while"}:
            return "adv" if lower == "once" and self._ends_phrase(at) else "sub"
        return self._open_class(at, lower)

    def _open_class(self, at: int, lower: str) -> Tag | None:
        if lower in _SUBORDINATORS:
            return "noun" if self._before() in {"det", "adj"} else "sub"
        if lower in RELATIVES:
            return "rel"
        if lower in {"either", "both"} and self._before() in {"modal", "be", "have"}:
            return "adv"
        if lower in PRONOUNS and not (lower == "one" and self._is_nounish(at + 1)):
            return "pron"
        if lower in DETERMINERS:
            return "det"
        if lower in _PREPOSITIONS:
            return "adv" if lower in _PARTICLES and self._before() != "be" and not self._phrase_at(at + 1) else "prep"
        if lower in _ADVERBS or (lower.endswith("ly") and lower not in _NOT_ADVERBS):
            return "adv"
        return None

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
            or lower in _ADVERBS
            or lower in NEGATIVE
            or lower in _SUBORDINATORS
            or (lower.endswith("ly") and lower not in _NOT_ADVERBS)
            or token.text in {".", ";"}
        )

    def _verb(self, at: int) -> Word | None:
        """The word as a verb, where its place allows one."""
        token = self.tokens[at]
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
            return self._opens_object(at + 1) or (
                not noun_too and self._is_nounish(at + 1) and not self._verb_ahead(at + 1)
            )
        if before in {"coord", "mark"}:
            return self._joins_base(at, free=free)
        if before == "rel":
            return True
        if before not in {"noun", "pron", "lit", "num"} or self._has_predicate():
            return False
        sure = not noun_too or self._object_ahead(at + 1)
        return self._plural_before(far=sure) and (free or self._preposition(at + 1))

    def _links(self, at: int) -> bool:
        """Whether the word ties a subject to an adjective: `buttons stay green`."""
        following = self._next(at)
        return self.tokens[at].lower in _LINKING and bool(following) and described(following)

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
        if before in {"rel", "pron"}:
            return True
        noun_too = also_noun(self.tokens[at].lower)
        free = not noun_too or self._opens_object(at + 1)
        if before in {"coord", "mark"}:
            joins = any(word.form == "third" or word.lower in _SINGULAR for word in self.words)
            return joins and (free or self._is_nounish(at + 1) or self._preposition(at + 1))
        if before not in {"noun", "lit", "num", "verb"} or self._has_predicate():
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
        return "adj" if described(lower) else "noun"

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
        chosen = nouns if far else nouns[-1:]
        return any(_plural(word) for word in chosen)

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
        return token.kind in {"quoted", "name", "number"} or token.lower in DETERMINERS

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
            or lower in _PREPOSITIONS
            or lower in COORDINATORS
            or lower in _SUBORDINATORS
            or lower in RELATIVES
            or lower in _ADVERBS
            or lower in {"to", "as", "not", "that"}
            or (lower.endswith("ly") and lower not in _NOT_ADVERBS)
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
            if lower in _SUBORDINATORS or lower in RELATIVES or self.tokens[position].text in {";", ","}:
                return False
            joined = joined or lower in COORDINATORS
            if lower in _PLURAL or (lower in MODALS and not joined):
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
        return at < len(self.tokens) and self.tokens[at].lower in _PREPOSITIONS | {"to", "as"}

    def _ends_phrase(self, at: int) -> bool:
        if at + 1 >= len(self.tokens):
            return True
        token = self.tokens[at + 1]
        return token.kind == "mark" or token.lower in _CLOSERS | _SUBORDINATORS | COORDINATORS | _PREPOSITIONS


def described(lower: str) -> bool:
    """Whether a word says how something is."""
    if lower in _NO_ADJECTIVES:
        return False
    return lower in _ADJECTIVES or is_adjective(lower) or lower.endswith(("-based", "-friendly", "-proof", "-free"))


_NO_ADJECTIVES = table("timetable vegetable constable syllable table variable cable deliverable")
_LINKING = table("appear become feel keep look remain seem sound stay taste get grow turn")
_ADJECTIVES = table("""
    absent accessible accurate active adequate alive angry appropriate asleep attractive awake aware bad bare
    beautiful better big black blank blue bold bright broad busy calm cheap clever cold comfortable common
    complicated compliant confident convenient cool correct daily dark dead deep difficult dirty distinct dry easy
    economic effective efficient elegant enough equal ergonomic excellent expensive extra fair famous fast few fine
    firm fit flat free friendly full general gentle good great green grey happy hard hassle-free healthy heavy high
    ideal idle illegal important intelligent intuitive invisible late legal less light likely liquid long loose loud
    low main major manual modern monthly multiple narrow natural neat nice nightly normal offline online optimal
    optimum orange overdue pending perfect plain pleasant polite poor popular positive powerful precise premium
    present pretty private professional prompt proper public quick quiet rapid rare ready realistic red relevant
    responsive rich right robust rough round rude safe scalable seamless secure sensible sensitive severe shallow
    sharp short sick silent similar simple single slow small smart smooth soft solid stable steep straight
    straightforward strange strong sufficient suitable sure suspicious sweet swift tall thick thin tidy tight timely
    tough true ugly unusual urgent useful user-friendly valid various visible warm weak weekly well wet white wide
    wild worse worst wrong yellow young
""")


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
