"""What a reply to a conflict says: one side, both, or a new value in the place of a side; nothing where unclear."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.amounts import amount, relation
from pactkeeper.intent.ticket import SINGLE, Ask, Choice
from pactkeeper.intent.wording.tables import table
from pactkeeper.tickets.extraction.meant import means, with_unit
from pactkeeper.tickets.extraction.noise import is_noise, lead_of, not_knowing
from pactkeeper.tickets.extraction.spans import clean
from pactkeeper.tickets.sayings.words import stem_of, words_of

CHOICE_OF: Final[tuple[Choice, ...]] = ("keep_a", "keep_b")
_BOTH: Final = re.compile(
    r"(?:both|beide|les deux|ambos|ambas)(?: of them| are (?:true|right|fine|ok)| hold| gelten)?", re.IGNORECASE
)
_FIRST: Final = re.compile(
    r"(?:option |side )?(?:a|first|1st|1|former|erste|ersten|premi[eè]re?|primer[oa]?)(?: (?:one|option|side))?",
    re.IGNORECASE,
)
_SECOND: Final = re.compile(
    r"(?:option |side )?(?:b|second|2nd|2|latter|zweite|zweiten|deuxième|second|segund[oa])(?: (?:one|option|side))?",
    re.IGNORECASE,
)
# What says that a value stays, and what says that another one comes.
_STAYS: Final = (
    r"(?:(?:keep|take|stay with|stick (?:to|with)|we (?:need|want|take|keep)|wir nehmen|nehmen wir|behalten(?: wir)?"
    r"|on garde|gardons|nos quedamos con|dejemos)\b)"
)
_COMES: Final = (
    r"(?:(?:neither|none(?: of (?:them|both|the two))?|use|make it|set it to|it['’]s|it is|go with|say|i['’]d say"
    r"|we go with|keins von beiden|keine von beiden|weder noch|ni l['’]une? ni l['’]autre|aucun des deux|ninguno"
    r"|ni uno ni otro)\b)"
)
_LEADS: Final = re.compile(
    rf"(?:(?:let['’]s|please|just|then|option|i think|i['’]d|i would|we should)\s+"
    rf"|(?P<stays>{_STAYS})[\s,:–—-]+|(?P<comes>{_COMES})[\s,.:–—-]+"
    r"|(?:the|die|das|der|den|le|la|el|los|les)\s+)+",
    re.IGNORECASE,
)
_BESIDE: Final = re.compile(
    r"(?:\s*[,;:!.](?=\s)|\s[–—-]\s|\s(?=(?:because|since|as|so|weil|parce qu|porque)\b))\s*(?P<beside>.+)",
    re.IGNORECASE | re.DOTALL,
)
# Behind a choice these take it back, or bound it.
_TURNS: Final = re.compile(
    r"\d|\?|\b(?:not|no|but|or|only|except|unless|if|when|while|until|neither|both|first|second|rather|better|nicht|aber"
    r"|oder|nur|wenn|pas|mais|ou|si|sauf|pero|o|salvo)\b|n['’]t\b",
    re.IGNORECASE,
)
_PUTS_OFF: Final = re.compile(
    r"(?:ask|check|wait|talk|discuss|decide|see|let|maybe|perhaps|depends|it depends|frag|demande|pregunta|of)\b",
    re.IGNORECASE,
)
_CHOOSES: Final = re.compile(
    r"(?:keep|neither|none of|both|the (?:first|second|former|latter)\b|beide|keins|option [ab12]\b"
    r"|take (?:the )?(?:\d|first|second)|not (?:the )?(?:\d|first|second))",
    re.IGNORECASE,
)
_FILLING: Final = frozenset(
    stem_of(word)
    for word in table(
        "one option side value version fine ok okay good right correct please then thanks enough bitte it is"
    )
)
_FEWEST: Final = 2  # words that a sentence shares with a side whose place it takes


@dataclass(frozen=True, slots=True)
class Settlement:
    """A choice with the value that follows from it, empty for both, and the side that the value comes from."""

    choice: Choice
    value: str = ""
    side: str = ""


def settlement(text: str, ask: Ask) -> Settlement | None:
    """What a reply says to the conflict of `ask`; None where it cannot be told, so that the conflict stays."""
    text = clean(text).strip(" .!")
    text = text[lead_of(text) :]
    lead = _LEADS.match(text)
    bare = text[lead.end() if lead else 0 :]
    for said in (text, bare):
        if found := _as_side(said, ask):
            return found
    beside = _BESIDE.search(bare)
    if beside is not None:
        bare = bare if _TURNS.search(beside["beside"]) else bare[: beside.start()]
    found = _by_word(bare, ask) or _as_side(bare, ask) or _by_amount(bare, ask) or _restated(bare, ask)
    if found is None and lead is not None and not _TURNS.search(bare):
        found = _by_its_words(bare, ask) if lead["stays"] or bare.endswith(" one") else None
    if found is None and lead is not None and lead["comes"] and _is_new(bare, ask):
        found = Settlement("amend", bare)
    return found if found is not None and found.choice in ask.choices else None


def speaks_of_choice(text: str) -> bool:
    """Whether a reply means to choose, or says that its speaker cannot: it is no content, even where it is unclear."""
    text = clean(text)
    text = text[lead_of(text) :]
    return _CHOOSES.match(text) is not None or not_knowing(text) > 0


def _kept(ask: Ask, side: str) -> Settlement:
    return Settlement(CHOICE_OF[ask.sides.index(side)], side, side)


def _as_side(text: str, ask: Ask) -> Settlement | None:
    """A side said again."""
    return next((_kept(ask, side) for side in ask.sides if relation(side, text) == "same"), None)


def _by_word(text: str, ask: Ask) -> Settlement | None:
    """`both`, `the first`, `B`."""
    if _BOTH.fullmatch(text):
        return Settlement("both")
    for number, pattern in enumerate((_FIRST, _SECOND)):
        if pattern.fullmatch(text) and number < len(ask.sides):
            return _kept(ask, ask.sides[number])
    return None


def _by_amount(text: str, ask: Ask) -> Settlement | None:
    """`30`, `the 30 days one`, `20 days`: the side with that amount, or a side with this one in place of its own."""
    words = words_of(text)
    if len(words.amounts) != 1 or words.negated or _TURNS.search(text.replace(words.amounts[0], "", 1)):
        return None
    said = words.amounts[0]
    apart = [(side, held) for side, held in _apart(ask) if words.stems <= words_of(side).stems | _FILLING]
    same = {side for side, held in apart if means(held, said)}
    if same:
        return _kept(ask, same.pop()) if len(same) == 1 else None
    for side, held in apart:
        ours, theirs = amount(held), amount(said)
        if ours is not None and theirs is not None and theirs.dimension in {ours.dimension, ""}:
            if ask.field == "constraints" and theirs.dimension:
                return Settlement("amend", said, side)  # nobody repeated whether it is a least or a most
            return Settlement("amend", side.replace(held, with_unit(said, held), 1), side)
    return None


def _apart(ask: Ask) -> Iterator[tuple[str, str]]:
    """Each side that has one amount that no other side has, with that amount."""
    for side in ask.sides:
        others = [held for other in ask.sides if other != side for held in words_of(other).amounts]
        own = [held for held in words_of(side).amounts if not any(means(other, held) for other in others)]
        if len(own) == 1:
            yield side, own[0]


def _restated(text: str, ask: Ask) -> Settlement | None:
    """A whole sentence in the words of a side, with an amount of its own."""
    words = words_of(text)
    alike = [side for side in ask.sides if words_of(side).stems == words.stems and words_of(side).amounts]
    fits = len(words.stems) >= _FEWEST and len(words.amounts) == 1 and "?" not in text
    return Settlement("amend", text) if fits and alike else None


def _by_its_words(text: str, ask: Ask) -> Settlement | None:
    """`keep the export one`: the only side that has all the words."""
    wanted = words_of(text).stems - _FILLING
    having = [side for side in ask.sides if wanted and wanted <= words_of(side).stems]
    return _kept(ask, having[0]) if len(having) == 1 and not words_of(text).amounts else None


def _is_new(text: str, ask: Ask) -> bool:
    """Whether words can stand in place of both sides: a name where one is wanted, else a sentence about the same."""
    if is_noise(text) or not_knowing(text) or _PUTS_OFF.match(text) or "?" in text or not text:
        return False
    words = words_of(text)
    if any(_apart(ask)) and not words.amounts:
        return False
    if ask.field in SINGLE or (ask.field == "constraints" and not words.amounts):
        return True
    return any(len(words.stems & words_of(side).stems) >= _FEWEST for side in ask.sides)
