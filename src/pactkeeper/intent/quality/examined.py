"""The sentences of an atom, read once for all criteria: which of their words are in which list of ambiguous words.

No grammar is guessed. A word counts anywhere outside quotations and the project's clear words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, cast

from pactkeeper.intent.quality.values import AtomWords, Place, QualityVocabulary
from pactkeeper.intent.wording import table
from pactkeeper.intent.wording.intents import headless
from pactkeeper.intent.wording.outcomes import is_code, is_of_cases
from pactkeeper.intent.wording.tokens import commands, is_finite, joints, masked, says, tokens

VagueKind = Literal[
    "time", "amount", "judgement", "feeling", "gain", "empty", "hedge", "open", "placeholder", "project"
]


@dataclass(frozen=True, slots=True)
class Missing:
    """What a vague word leaves out, how to say it, and what to ask someone who knows."""

    why: str
    suggestion: str
    question: str


MISSING: Final[Mapping[VagueKind, Missing]] = {
    "time": Missing(
        "gives no time",
        'say how long it may take or how often it happens: "within 2 seconds", "every 24 hours"',
        "when does the time start and end, and how long is too long?",
    ),
    "amount": Missing(
        "gives no number",
        'say how many, how much or which: "at least 3", "more than 10 MB"',
        "how many, how much, or which?",
    ),
    "judgement": Missing(
        "is a judgement, not an observation",
        "say what would be observed",
        "how would you tell that it is so, and what would show that it is not?",
    ),
    "feeling": Missing(
        "what people feel or think cannot be observed",
        "say what they do or see",
        "what do they do or see that would show it?",
    ),
    "gain": Missing(
        "names a direction but no target",
        "give the target value and where it is measured",
        "which value is measured, what is it now, and what should it be?",
    ),
    "empty": Missing(
        "names no result", "say what is shown, returned or changed", "what is seen, shown or changed when it happens?"
    ),
    "hedge": Missing(
        "leaves open when it holds",
        "say when it holds, and state it without hedging",
        "when does it hold, and what happens when it does not?",
    ),
    "open": Missing("refers to something that is not here", "name everything that is meant", "what exactly is meant?"),
    "placeholder": Missing(
        "says that this is not decided yet", "decide it, then write it down", "what has been decided?"
    ),
    "project": Missing("is vague here, according to pact.toml", "say what would be seen", "what would be seen?"),
}

_VAGUE: Final[Mapping[str, str]] = {
    "time": r"""
        fast(er|est)? | quick(ly|er)? | swiftly | rapid(ly)? | promptly | speedy | timely | soon(er)? | asap |
        slow(ly|er)? | (almost|nearly) (immediately|instantly) | (near )?real[- ]time | responsive | recent(ly)? |
        eventually | (short|some|long|enough|in good|in no) time | (a|after a) while | without (\w{1,40} )?delay | low
        latency | in a timely (manner|fashion) | as \w{1,40} as possible | perform(ant|s well) |
        regular(ly)? | periodically | frequent(ly)? | from time to time | constantly | repeatedly | every so often
        """,
    "amount": r"""
        some | several | various | many | few | numerous | (a )?lots? of | plenty of | a
        (number|couple|variety|range|handful) of | multiple | most | too (many|much) | certain | enough |
        large(r|st)? | big(ger)? | huge | small(er)? | tiny |
        (high|heavy) (load|traffic|volume) | high(er)? | low(er)? | strong(er)? | weak(er)? | near | close to |
        nearby | minimal | maximal | cheaper | longer | shorter | later | (more|less) often
        """,
    "judgement": r"""
        eas(y|ily|ier)([- ]to[- ]use)? | user[- ]friendly | intuitive(ly)? | convenient(ly)? | comfortably |
        effortless(ly)? | seamless(ly)? | smooth(ly)? | hassle-free | straightforward | simply | is simple | simple
        to | at a glance | self-explanatory | good | better | worse | well | nice(ly)? | great | excellent |
        optimal(ly)? | ideal | perfect(ly)? | high[- ]quality | robust(ly)? | reliabl[ey] | stable | scalabl[ey] |
        flexibl[ey] | extensible | efficient(ly)? | effective(ly)? | modern | attractive | beautiful | elegant |
        clean(ly)? | maintainable | secure(ly)? | safe(ly)? | proper(ly)? | correctly | appropriate(ly)? |
        suitabl[ey] | adequate(ly)? | sufficient(ly)? | reasonabl[ey] | acceptabl[ey] | meaningful | helpful |
        useful | relevant | realistic(ally)? | graceful(ly)? | sensibl[ey] | as
        (expected|intended|desired|designed|it should) | powerful | accurate(ly)? | suspicious | unusual | important
        | noticeable | interesting | usual | typical | clever | decent | satisfactor(y|ily) | competitive |
        innovative | state of the art | production-ready | unnecessar(y|ily) | normal (conditions|load|use|lighting)
        | high standards? | (business|customer|user) needs | look and feel
        """,
    "feeling": r"""
        feels? | happy | enjoys? | enjoyable | motivated | satisfied | satisfaction | delight(s|ed)? | confident |
        frustrat\w{1,40} | comfortable | loves? | fun | (user|great|customer) experience | peace of mind |
        engage(d|ment) | impressed | excited | annoy\w{1,40} | confused | assumes | believes | cares | considers |
        understands? | knows | thinks | reali[sz]es | wishes | trusts?
        """,
    "gain": r"""
        (improv|enhanc|optimi[sz]|minimi[sz]|maximi[sz]|streamlin|moderni[sz]|accelerat)(e|es|ed|ing) |
        boost(s|ed|ing)? | simplif(y|ies|ied|ying)
        """,
    "empty": r"""
        addresses | adapts | allows | behaves | caters | deals with | enables | ensures | facilitates | handles |
        lets | integrates | leverages | manages | permits | performs | provides | supports | takes care
        """,
    "hedge": r"""
        usually | normally | typically | generally | in general | often | sometimes | occasionally | mostly | mainly
        | largely | ideally | preferably | (if|when|where|whenever|wherever|as far as|to the extent)
        (possible|necessary|needed|appropriate|applicable) | as (needed|necessary|appropriate|applicable|a rule) |
        in (most|many|some|certain) cases | likely | probably | possibly | perhaps | maybe | hopefully | might |
        could | (try|tries|attempts?|aims?|strives?) (to|for) | best effort | more or less | approximately | roughly
        | rarely | seldom | to some extent | somehow | under (certain|normal) \w{1,40} | nice to have
        """,
    "open": r"""
        etc\.? | and so (on|forth) | and ?/ ?or | among(st)? others | including but not limited to | (or|and)
        similar | and more | (and|or) the like | or something | and other(s| things) | to name a few | as
        (discussed|agreed|mentioned|specified|required|before|usual|today|is) | as described (above|below) |
        (see|the|same as) (above|below|the ticket|ticket) | likewise | as (in|per) the
        (old|current|specification)\w{0,40} | legally required
        """,
    "placeholder": r"""
        tbd | todo | fixme | xxx | to be (defined|decided|determined|discussed) | \?\?\?
        """,
}
_CLEAR: Final = r"""
    as well( as)? | at (most|least) | no (more than|longer) | any longer | (the )?most recent(ly)? | (least|most)?
    ?recently used | fast[- ](forward|lane|fashion) | quick (start|reply) | long press | low battery | safe mode |
    secure (cookie|flag|attribute) | clean (install|up) | stable (sort|release) | high[- ]contrast | eas(y|ier)
    (mode|level) | simple interest | normal (form|mode) | multiples? (of|choice) | as
    (long|soon|fast|high|low|big|small) as(?! possible) | how (long|many|often|soon) | well[- ](known|formed) |
    (low|high) tide | (long|short)[- ]term | high school | (large|small) intestine | reasonable doubt | (strong|weak)
    (password|reference) | low stock | small caps | high score | once more
    """
"""Terms of art: nothing is missing in them."""


def _rows(rows: Mapping[str, str]) -> re.Pattern[str]:
    """Compile one pattern for all rows: whole words that are not part of a name, an option or a path."""
    told = {kind: " ".join(text.split()).replace(" |", "|").replace("| ", "|") for kind, text in rows.items()}
    groups = (f"(?P<{kind}>(?<![\\w-])(?:{text})(?![\\w(=-]|\\.\\w))" for kind, text in told.items())
    return re.compile("|".join(groups), re.IGNORECASE)


@lru_cache(maxsize=8)
def _vague_words(own: tuple[str, ...]) -> re.Pattern[str]:
    return _rows({"project": " | ".join(map(re.escape, own)) or "(?!)", "clear": _CLEAR, **_VAGUE})


_NEXT_CAPITAL: Final = re.compile(r"\s[A-Z]")


def vague_in(masked: str, own: tuple[str, ...]) -> Iterator[tuple[str, int, int]]:
    """Yield each vague phrase with its kind and position; `Quick Start` and `Simple Interest` are names."""
    for found in _vague_words(own).finditer(masked):
        first = found.group()
        named = first[:1].isupper() and not first.isupper() and not first.lower().endswith("ly")
        name = named and (found.start() > 0 or _NEXT_CAPITAL.match(masked, found.end()))
        if found.lastgroup != "clear" and not name:
            yield str(found.lastgroup), found.start(), found.end()


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
        _sentence(words.intent, "intent", 0, vocabulary),
        tuple(_sentence(text, "outcomes", at, vocabulary) for at, text in enumerate(words.outcomes)),
        tuple(_sentence(text, "falsified_by", at, vocabulary) for at, text in enumerate(words.falsified_by)),
        joints(words.intent),
    )


def respells(words: AtomWords) -> bool:
    """Whether an intent is only the name of its test, spelled apart, and nothing before its last word is a verb."""
    said = _words(words.intent)
    return not says(said[:-1]) and "".join(said) == words.name.lower().removeprefix("test").replace("_", "")


def statement(text: str) -> Sentence:
    """Examine a single sentence without a project's vocabulary."""
    return _sentence(text, "intent", 0, QualityVocabulary())


def _sentence(text: str, place: Place, at: int, vocabulary: QualityVocabulary) -> Sentence:
    if place == "outcomes" and (is_code(text) or is_of_cases(text)):
        return Sentence(text, place, at)
    words = _words(text)
    asks, orders = text.rstrip().endswith("?"), commands(_words(_without_subject(text)))
    pointing = len(words) > 1 and words[0] in _POINTING and (is_finite(words, 1) or words[1].endswith("s"))
    whole = len(words) >= _LONG and text.rstrip().endswith((".", "!"))
    states = len(words) > 1 and not (asks or orders) and (whole or says(words) or headless(text))
    vague = tuple(_vague(text, vocabulary))
    unnamed = text.split(maxsplit=1)[0] if pointing else ""
    return Sentence(text, place, at, vague, opaque_words(text), unnamed, asks, orders, states)


def _without_subject(text: str) -> str:
    """The statement behind the name of its subject, if there is one, as in `Price: A total is rounded`."""
    name, _, behind = text.partition(": ")
    return behind if behind and not says(_words(name)) else text


def _words(text: str) -> list[str]:
    return [one.lower for one in tokens(text) if one.kind != "mark"]


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
