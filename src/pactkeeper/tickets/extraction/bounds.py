"""Sentences that bound the work: what is bounded, and by which value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.amounts import Amount, amount
from pactkeeper.tickets.extraction.ranges import is_range, sides
from pactkeeper.tickets.sayings.speakers import unspoken
from pactkeeper.tickets.sayings.words import KNOWN

_DUTY: Final = (
    r"must not|mustn't|must|should not|shouldn't|should|shall not|shall|has to|have to|needs? to|may not|cannot|can't"
    r"|muss|müssen|soll|sollen|sollte|darf nicht|dürfen nicht|darf|doit|doivent|ne doit pas|ne doivent pas"
    r"|debe|deben|no debe|no deben|no puede|tiene que"
)
_BE: Final = (
    r"be limited to|be set to|be kept for|be kept|be stored for|be|last for|last|take|cost|stay|remain"
    r"|exceed|be longer than|be more than"
    r"|take longer than|take more than|cost more than|be larger than|be older than|use|expire after"
    r"|expire in|expire within|sein|dauern|kosten"
    r"|überschreiten|betragen|être|durer|coûter|dépasser|ser|durar|costar|superar|exceder"
)
_HAS: Final = (
    r"is|are|ist|sind|beträgt|est|sont|es|son|is limited to|are kept for|is kept for|expires? after|expires? in"
)
_LEAD: Final = r"(?:(?:the|a|an|our|der|die|das|le|la|les|el|los|las|also|and)\s+|l')*+"
_MUST: Final = re.compile(
    (
        rf"{_LEAD}(?P<key>[\w][\w \-/'’]{{1,50}}?)\s+(?P<duty>{_DUTY})\s+(?:always\s+"
        rf"|immer\s+)?(?:(?P<be>{_BE})\s+)?(?P<value>.+)"
    ),
    re.IGNORECASE,
)
_IS: Final = re.compile(
    rf"{_LEAD}(?P<key>[\w][\w \-/'’]{{1,50}}?)\s*(?::|=|\b(?:{_HAS}))\s+(?P<value>.+)", re.IGNORECASE
)
_NAMED: Final = re.compile(
    r"\b(?:limit|timeout|retention|budget|deadline|size|length|maximum|minimum|max|min|quota|period|rate"
    r"|window|age|price|latency|ratio"
    r"|response time|load time|uptime|availability|expiry|duration|number|count|capacity|threshold|delay"
    r"|frequency|frist|dauer|größe"
    r"|aufbewahrung\w*|aufbewahrungsfrist|speicherdauer|antwortzeit|ladezeit|grenze|budget|délai|durée"
    r"|taille|limite|budget|plazo|tamaño|duración|límite|presupuesto|tiempo)\b",
    re.IGNORECASE,
)
_FREE_KEYS: Final = re.compile(
    (
        r"(?:budget|deadline|due date|release date|launch date|region|data region|hosting|hosting region"
        r"|platform|supported browsers|browser support|time ?zone|currency|frist|stichtag|région|fecha límite"
        r"|plazo)"
    ),
    re.IGNORECASE,
)
_PLACED: Final = re.compile(
    rf"{_LEAD}(?P<key>[\w][\w \-/'’]{{1,40}}?)\s+(?P<duty>must not|must|should not|should|has to|have to"
    rf"|needs? to|may only|may not)\s+(?:only\s+)?"
    r"(?P<verb>stay|run|live|remain|be hosted|be stored|be kept|be deployed)\s+(?P<value>(?:only\s+)?(?:in"
    r"|on|within|inside|at|outside)\s+.+)",
    re.IGNORECASE,
)
_BOUND: Final = (
    r"at most|at least|no more than|no less than|no longer than|under|below|less than|up to|within|max\.?|min\.?"
    r"|maximal|mindestens|höchstens|unter|au plus|au moins|como máximo|al menos|maximaal|minstens|≤|≥|<=|>=|<|>"
)
# A bound without a verb: `response time under 200 ms`, `a grace period of 24 hours at most`, `pro Liste maximal 30`.
_UNSAID: Final = (
    re.compile(rf"{_LEAD}(?P<key>[\w][\w \-/'’]{{1,40}}?)\s+(?P<value>(?:{_BOUND})\s*[€$£]?\d.*)", re.IGNORECASE),
    re.compile(
        rf"(?:[\w ]{{2,30}}? (?:says?|said) )?{_LEAD}(?P<key>[\w][\w \-/'’]{{1,40}}?)\s+of\s+"
        r"(?P<value>(?:\w+\s+){0,3}?[€$£]?\d\S*(?:\s\w+)?)(?P<most>\s+at (?:the (?:very )?)?most| max(?:imum)?)?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:pro|per|par|por)\s+(?P<each>\w+)\s+(?P<value>(?:{_BOUND})\s+\d[\d.,]*)\s+(?P<key>[^\W\d_]+)",
        re.IGNORECASE,
    ),
)
_DATED: Final = re.compile(
    rf"{_LEAD}(?P<key>due|deadline|[\w][\w \-/'’]{{1,40}}? (?:opens?|starts?|begins?|closes?|ends?))\s+"
    r"(?P<value>(?:on|by|before|after|from|at the latest on|not before|no later than)\s+(?:\w+\s+){0,6}?"
    r"(?:\d{4}-\d\d-\d\d|\d{1,2}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?[^\W\d_]{3,}"
    r"|[^\W\d_]{3,}\s+\d{1,2})(?:\s+\d{4})?)(?:,.*)?",
    re.IGNORECASE,
)
_TODAY: Final = re.compile(
    r"\b(?:currently|today|right now|at the moment|so far|derzeit|aktuell|actuellement|actualmente)\b", re.IGNORECASE
)
_EXCEEDING: Final = re.compile(
    r"exceed|longer|more than|larger|older|überschreiten|dépasser|superar|exceder", re.IGNORECASE
)
_NEGATED: Final = re.compile(r"\b(?:not|n't|mustn't|shouldn't|can't|cannot|nicht|no|ne)\b|n't", re.IGNORECASE)
_AFTERTHOUGHT: Final = re.compile(
    r",\s+[^\d,]{4,}$|\s+(?:for me|for us|imo|i think|i guess|für mich|pour moi|para mí)$", re.IGNORECASE
)
_KEYED: Final = re.compile(r"(?P<key>[^\W\d][^:：=.?!]{1,60}?)\s*(?::\s+|：\s*|=\s*)(?P<value>\S.*)")
# What tells of the work or of what was seen, and bounds nothing.
_TOLD: Final = re.compile(
    r"(?:note|nb|ps|update|eta|effort|estimate|estimated|aufwand|schätzung|example|e\.?g|status|total|sum|took"
    r"|measured|actual|today|currently|yesterday|last (?:run|week|month)|notiz|beispiel|heute|exemple"
    r"|aujourd'hui|ejemplo|hoy)\b",
    re.IGNORECASE,
)
# What something takes or uses is a bound where it is time, money or space; of other things it says what it can do.
_TAKES: Final = re.compile(r"take|use|cost", re.IGNORECASE)
_TAKEN: Final = frozenset({"second", "month", "byte", "euro", "dollar", "pound", "share"})
_MOST_WORDS: Final = 5
_LONGEST: Final = 120  # characters of a line that is a key with its value


@dataclass(frozen=True, slots=True)
class Bounded:
    """What a sentence bounds, and how."""

    key: str
    value: str


def bounded(text: str) -> Bounded | None:
    """The bound that a sentence states; None where it states none, or says how things are today."""
    text = unspoken(_AFTERTHOUGHT.sub("", text.strip(" .!")))
    if _TODAY.search(text):
        return None
    placed = _PLACED.fullmatch(text)
    if placed:
        negation = "not " if _NEGATED.search(placed["duty"]) else ""
        return Bounded(f"{placed['key']} {placed['verb']}".lower(), negation + placed["value"])
    return _must(text) or _is(text) or _unsaid(text) or _dated(text)


def listed(text: str) -> Bounded:
    """A line of a list of constraints: a key with a value, a sentence, or what is simply required or forbidden."""
    bare = unspoken(text.strip(" .!"))
    keyed = re.fullmatch(r"(?P<key>[^:=]{2,60}?)\s*(?::|=|\s[—–-]\s|\s→\s)\s*(?P<value>.+)", bare)
    if keyed:
        return Bounded(keyed["key"].strip("*_ "), keyed["value"].strip("*_ "))
    found = bounded(bare) or _ahead(bare)
    if found:
        return found
    must = re.fullmatch(rf"(?:it |this |that )?(?P<duty>{_DUTY})\s+(?P<rest>.+)", bare, re.IGNORECASE)
    if must:
        return Bounded(must["rest"], "forbidden" if _NEGATED.search(must["duty"]) else "required")
    none = re.fullmatch(
        r"(?P<no>no|only|kein|keine|nur|pas de|aucune?|sin|solo|sólo)\s+(?P<rest>.+)", bare, re.IGNORECASE
    )
    return Bounded(none["rest"], none["no"].lower()) if none else Bounded(bare, "required")


def gives_value(line: str) -> bool:
    """Whether a line is a key with an amount of it, or one of the keys that choose: `Retention: 30 days`."""
    hit = _KEYED.fullmatch(line.strip(" .!")) if len(line) <= _LONGEST else None
    if hit is None or len(hit["key"].split()) > _MOST_WORDS or _TOLD.match(hit["key"]):
        return False
    found = [amount(value) for value in sides(hit["value"])]
    if all(one is not None and _bounds(one, hit["key"]) for one in found):
        return True
    return _FREE_KEYS.fullmatch(hit["key"]) is not None and len(hit["value"].split()) <= _MOST_WORDS


def _bounds(value: Amount, key: str) -> bool:
    """Whether an amount bounds what its key names, rather than to count or number something."""
    return value.dimension in KNOWN or value.bound != "=" or _NAMED.search(key) is not None


def _must(text: str) -> Bounded | None:
    hit = _MUST.fullmatch(text)
    if hit is None or len(hit["key"].split()) > _MOST_WORDS:
        return None
    duty, verb, value = hit["duty"], hit["be"] or "", hit["value"]
    if is_range(value) and not _NEGATED.search(duty):
        return Bounded(hit["key"].strip(), value)
    if not verb and amount(value) is None:
        return None
    exceeding = _EXCEEDING.search(verb)
    if exceeding and _NEGATED.search(duty):
        value = f"at most {value}"
    elif exceeding:
        value = f"more than {value}"
    elif _NEGATED.search(duty):
        return None
    bound = amount(value)
    if bound is None or (_TAKES.match(verb) and bound.dimension not in _TAKEN):
        return None
    return Bounded(hit["key"].strip(), value)


def _is(text: str) -> Bounded | None:
    hit = _IS.fullmatch(text)
    if hit is None or len(hit["key"].split()) > _MOST_WORDS:
        return None
    key = hit["key"].strip()
    named = _NAMED.search(key) or gives_value(text)
    if named and (amount(hit["value"]) is not None or is_range(hit["value"])):
        return Bounded(key, hit["value"])
    return Bounded(key, hit["value"]) if _FREE_KEYS.fullmatch(key) else None


def _unsaid(text: str) -> Bounded | None:
    """A bound that is put beside its thing without a verb."""
    for pattern in _UNSAID:
        hit = pattern.fullmatch(text)
        held = hit.groupdict() if hit else {}
        key = " ".join(held.get("key", "").split())
        value = f"at most {held['value']}" if held.get("most") else held.get("value", "")
        if held.get("each"):
            return Bounded(f"{key} per {held['each']}", value)
        if value and amount(value) is not None and _NAMED.search(key) and len(key.split()) <= _MOST_WORDS:
            return Bounded(key, value)
    return None


def _dated(text: str) -> Bounded | None:
    """When something begins, ends or is due, as somebody states it."""
    hit = _DATED.fullmatch(text)
    return Bounded(hit["key"].strip(), hit["value"]) if hit and len(hit["key"].split()) <= _MOST_WORDS + 1 else None


def _ahead(text: str) -> Bounded | None:
    """A value before what it bounds: `max 5 MB per file`, `at most 3 retries`."""
    words = text.split()
    for cut in range(min(len(words) - 1, _MOST_WORDS), 1, -1):
        value, key = " ".join(words[:cut]), " ".join(words[cut:])
        found = amount(value)
        if found is not None and not re.match(r"(?:or|oder|ou|o)\b", key):
            return Bounded(re.sub(r"^(?:of|for|per|pro|par|por|de)\s+", "", key), value)
    return None
