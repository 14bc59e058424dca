"""Plain statements, which name no field: trouble that opens a thread, and what shall be so once it is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.reading.clauses import read
from pactkeeper.tickets.extraction.hints import PAINS
from pactkeeper.tickets.extraction.phrases import AUTHORS, found

_FEWEST: Final = 5  # words of a statement; fewer are an interjection as often
_FEWEST_OF_TROUBLE: Final = 7
# What people add who tell of trouble: how often, for how long, why, and what comes of it.
_TROUBLE: Final = re.compile(
    r"\b(?:every (?:single )?(?!\d)\w+|each time|again|all the time|(?:\d+|three|four|five) times|for the same"
    r"|over and over|whenever|because|since|while"
    r"|although|even though"
    r"|but|yet|so (?:they|we|people|i)|hours|the whole \w+|whole (?:day|evening|night|week)|half of"
    r"|jede[nrs]? \w+|immer|weil|obwohl|aber|wieder|dauernd"
    r"|chaque|toujours|parce qu\w*|alors que|mais|sans cesse|cada|siempre|porque|aunque|pero|todos los|todas las"
    r"|elke|steeds|omdat|terwijl|maar|altijd)\b",
    re.IGNORECASE,
)
_ABOUT_TALK: Final = re.compile(
    r"(?:i(?:'m|'ll|'ve)?|me|this|that|that's|it|it's|there|here|ich|das|es|je|c'est|ça|yo|eso|esto|ik|dat|het is"
    r"|thanks?|thx|ticket|new ticket)\b",
    re.IGNORECASE,
)
_OVER: Final = re.compile(
    r"\b(?:was|were|had|did|got|went|said|told|asked|saw|met|talked|yesterday|last (?:week|night|month|year"
    r"|time)|war|waren"
    r"|hatten?|hat|haben|wurden?|gestern|était|étaient|ont|hier|fue|fueron|han|ayer|heeft|hebben|waren|gisteren)\b",
    re.IGNORECASE,
)
_TODAY: Final = re.compile(
    r"\b(?:currently|today|right now|at the moment|these days|so far|still|derzeit|aktuell|heute|actuellement"
    r"|actualmente|momenteel|vandaag)\b",
    re.IGNORECASE,
)
# A thing that stands for all of its kind, as in rules: "a caller who …", "each key …", "only admins …".
_GENERIC: Final = re.compile(
    r"(?:(?:an?|each|any|all|only|no|both)\s+(?!(?:lot|few|bit|couple|third|quarter|half|friend|good|bad|idea"
    r"|one|way|time|of"
    r"|the time|day|week)\b)|every\s+(?!(?:single|time|day|week|month|morning|night|year|monday|friday|now)\b))",
    re.IGNORECASE,
)
_GENERIC_ELSEWHERE: Final = re.compile(
    r"(?:jede[rsn]?|alle|nur|k?eine?[rmn]?|une?|una|chaque|tous les|toutes les|seule?s?|aucune?|cada|todos los"
    r"|todas las|solo"
    r"|sólo|ninguna?|elke?|ieder|iedere|alleen|geen|een)\s+(?!(?:paar|bisschen|peu|poco|beetje|tag|jour|día|dag"
    r"|mal|fois|vez)\b)",
    re.IGNORECASE,
)
_NORM: Final = re.compile(
    r"\b(?:(?:is|are) (?:always|never)|can also|(?:at most|at least|no more than|no later than|within|up to)"
    r"\s+(?:\d|an?\b|one\b|two\b|three\b)|no longer|nur noch|höchstens \d|mindestens \d|au plus \d|como máximo \d)",
    re.IGNORECASE,
)
_REASON: Final = re.compile(
    r",\s+(?:they|we|i|you|he|she|otherwise|else|because|there's|there is|that's|sonst|weil|denn|sinon|car"
    r"|porque|anders)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_ASKED: Final = re.compile(
    r"(?:is|are|does|do|did|can|could|would|will|should|has|have) (?:it|there|that|this|we|you|i|they|the|an?|someone"
    r"|anyone|anybody)\b",
    re.IGNORECASE,
)
_BACK: Final = re.compile(r"(?:if|when|once) (?:that|this|it|you|we|i|they)\b|.*\bwould\b", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"(?:the|an?|our|some)\s", re.IGNORECASE)  # what begins so may be a thing and no sentence
_WE: Final = re.compile(r"\b(?:we|us|wir|uns|nous|nosotros|wij)\b", re.IGNORECASE)
_HEDGED: Final = re.compile(
    r"\b(?:might|could|perhaps|maybe|probably|about|roughly|around|usually|often|sometimes|mostly|tends?|seems?)\b",
    re.IGNORECASE,
)
_MODAL: Final = re.compile(r"\b(?:can(?:not|'t)?|may|will|won't)\b", re.IGNORECASE)
_LASTING: Final = frozenset({"stay", "stays", "remain", "remains"})
_ANYBODY: Final = re.compile(r"(?:every|any|no|some)(?:body|one|thing)\b|people\b", re.IGNORECASE)
_RELATIVE: Final = frozenset({"who", "which", "that"})
_EVER: Final = re.compile(r".{3,60}?\b(?:can (?:never|only)|may (?:never|only)|is only|are only)\b", re.IGNORECASE)
_IN_A_CASE: Final = re.compile(
    r"\b(?:is|are|stays?|remains?) (?:\w+ )?(?:when|once|as long as|unless)\b", re.IGNORECASE
)
_PAST: Final = re.compile(r"(?:was|were|had|did)\b", re.IGNORECASE)
_CASE: Final = re.compile(
    r"(?:when|once|if|after|as soon as|before|wenn|sobald|nach|quand|dès que|après|cuando|tras|después de|als"
    r"|zodra|na)\s",
    re.IGNORECASE,
)
_NOT_ENGLISH: Final = re.compile(
    r"\b(?:man|wird|werden|bekommt|ist|est|sont|reçoit|recibe|es|se|krijgt|ziet|komt)\b", re.IGNORECASE
)


def without_reason(text: str) -> str:
    """A statement without what its speaker adds behind a comma to say why; the quote keeps it."""
    hit = _REASON.search(text)
    return text[: hit.start()] if hit and len(text[: hit.start()].split()) >= _FEWEST else text


def opens_with_trouble(text: str) -> bool:
    """Whether a statement tells of trouble although none of its words does: how often it is, why, what comes of it."""
    return _TROUBLE.search(text) is not None and is_statement(text)


def tells_how_often(text: str) -> bool:
    """Whether a sentence says how often or how long something goes on, why, or what comes of it."""
    return _TROUBLE.search(text) is not None


def is_statement(text: str) -> bool:
    """Whether a sentence states something of the world, rather than of the talk or of the one who speaks.

    People open a thread with what troubles them, so its first statement is the problem.
    """
    if len(text.split()) < _FEWEST_OF_TROUBLE or text.endswith("?") or _ASKED.match(text) or _ABOUT_TALK.match(text):
        return False
    readings = read(text)
    if any(one.commands for one in readings) or (
        _ARTICLE.match(text) and all(one.predicate is None for one in readings)
    ):
        return False
    return _OVER.search(text) is None or _TROUBLE.search(text) is not None


def is_of_a_kind(text: str) -> bool:
    """Whether a sentence speaks of all things of a kind, or of a case, as rules do and complaints do not."""
    return any(pattern.match(text) for pattern in (_GENERIC, _GENERIC_ELSEWHERE, _CASE))


def states_a_rule(text: str) -> bool:
    """Whether a plain statement says how things shall be: of all things of a kind, in every case, or within bounds."""
    if len(text.split()) < _FEWEST or text.endswith("?") or AUTHORS.match(text) or _ABOUT_TALK.match(text):
        return False
    if _TODAY.search(text) or _BACK.match(text) or _HEDGED.search(text):
        return False
    if _EVER.match(text):
        return True
    if _GENERIC_ELSEWHERE.match(text):
        return _OVER.search(text) is None and found(PAINS, text, whole=False) is None
    main = _main(text)
    if main is None:
        told = _OVER.search(text) is None and (_NOT_ENGLISH.search(text) or _MODAL.search(text)) is not None
    else:
        told = not (main.past or main.ours)
    if not told or _GENERIC.match(text):
        return told
    if _CASE.match(text) and _WE.search(text):
        return False
    bounded = _NORM.search(text) or _CASE.match(text) or _IN_A_CASE.search(text) or (main is not None and main.ruled)
    return bool(bounded) and found(PAINS, text, whole=False) is None


@dataclass(frozen=True, slots=True)
class _Main:
    """What is known of a main verb: `past`, with the speakers as its subject (`ours`), `ruled` as only rules put it."""

    past: bool
    ours: bool
    ruled: bool


def _main(text: str) -> _Main | None:
    """The main verb of a statement; None where it cannot be told, as when only a relative clause has one."""
    readings = read(text)
    if not readings or readings[0].predicate is None:
        return None
    words, main = readings[0].words, readings[0].predicate
    if main.start and words[main.start - 1].lower in _RELATIVE:
        return None
    past = main.kind == "past" or _PAST.match(text, words[main.start].token.start) is not None
    ours = AUTHORS.match(text, words[readings[0].lead].token.start) is not None
    can = words[main.start].lower == "can" and not _ANYBODY.match(text)
    return _Main(past, ours, can or words[main.verb].lower in _LASTING)
