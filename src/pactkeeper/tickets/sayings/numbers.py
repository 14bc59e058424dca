"""Claims by numbers: how long, how large, how many, how dear; whatever word or verb says which side is bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from pactkeeper.intent.amounts import Amount, Bound, amount
from pactkeeper.intent.calendar import MONTHS
from pactkeeper.intent.wording.tables import table
from pactkeeper.tickets.sayings.claims import ENDLESS, Claim, Force, Range
from pactkeeper.tickets.sayings.topic import Topic
from pactkeeper.tickets.sayings.words import EMPTY, NEGATIONS, stem_of, stems_of

# One line a bound: how people write it, in the order in which they are tried.
_BOUNDS: Final[tuple[tuple[Bound, str], ...]] = (
    (
        "<=",
        (
            r"at most|up to|no more than|not more than|no longer than|not longer than|no later than|not later than"
            r"|within|max(?:imum|imal)?(?: of)?|höchstens|bis zu|au plus|au maximum|como máximo|máximo|hasta|≤|<="
        ),
    ),
    (">=", r"at least|no less than|not less than|no fewer than|min(?:imum)?(?: of)?|mindestens|au moins|al menos|≥|>="),
    (
        "<",
        (
            r"less than|in under|under|below|fewer than|shorter than|smaller than|younger than|unter|weniger als"
            r"|moins de|en menos de|menos de|<"
        ),
    ),
    (
        ">",
        (
            r"more than|over|above|longer than|larger than|bigger than|older than|greater than|exceed(?:s|ing)?|über"
            r"|mehr als|plus de|más de|>"
        ),
    ),
    ("=", r"for|after|in|every|exactly|nach|für|après|después de"),
)
_BEFORE: Final = "|".join(rf"(?P<b{number}>{words})" for number, (_, words) in enumerate(_BOUNDS))
_QUANTITY: Final = re.compile(
    rf"(?:(?<!\w)(?:(?:for|after|nach|für) )?(?:{_BEFORE})\s+)?"
    r"(?:(?P<number>[€$£]?\s?\d[\d.,]*(?:k\b)?)|(?P<word>an?|one|two|three|five|ten|eine?[rmn]?|une?|un[ao]"
    r"|(?<=every\s))(?=\s|(?<=\s)\w))"
    r"\s?(?P<unit>%|€|\$|£|[^\W\d_]+)?(?:\s*(?:/|\b(?:per|a|an|pro|par|por)\s)\s*(?P<per>[^\W\d_]+))?",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(
    r"\W*(?:(?P<most>at the (?:very )?most|at most|max(?:imum)?|tops|or less|höchstens)"
    r"|(?P<least>at the (?:very )?least|at least|min(?:imum)?|or more|mindestens))\b",
    re.IGNORECASE,
)
_NEGATED: Final[Mapping[Bound, Bound]] = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "="}
_NOT: Final = re.compile(rf"(?:\b(?:{'|'.join(sorted(NEGATIONS))})|n't)\b", re.IGNORECASE)
_REFUSED: Final = re.compile(
    r"\b(?:refused|rejected|declined|blocked|forbidden|denied|prohibited|not (?:allowed|accepted|possible|permitted)"
    r"|abgelehnt|refusée?s?|rechazad[oa]s?)\b",
    re.IGNORECASE,
)
_ACCEPTED: Final = re.compile(r"\b(?:accepted|allowed|permitted|akzeptiert|acceptée?s?|aceptad[oa]s?)\b", re.IGNORECASE)
_LIFETIME: Final = re.compile(
    r"\b(?:expir|delet|remov|purg|kept|keep|retain|retention|stor(?:ed|age)|valid|archiv|session|lifetime|lasts?\b"
    r"|gelöscht|aufbewahr|gültig|conserv|supprim|caduc|borra)",
    re.IGNORECASE,
)
_LATENCY: Final = re.compile(
    r"\b(?:takes?\b|answer|respon|load|appear|shown?\b|finish|complet|latency|deliver|arriv|sent\b|visible|render"
    r"|dauer|antwort|réponse|tarda)",
    re.IGNORECASE,
)
_COSTS: Final = re.compile(
    r"\b(?:costs?|price|budget|fee|charged?|kosten|kostet|preis|coûte|prix|cuesta|precio)\b", re.IGNORECASE
)
_FOR_EVER: Final = re.compile(
    r"\bnever (?:deleted|removed|purged|expires?|lost)\b|\b(?:kept|stored|retained) (?:for ?ever|indefinitely)\b",
    re.IGNORECASE,
)
# Aspects in which the unit tells what is bounded, whichever verb says so: "expires after", "is kept for".
_BY_UNIT: Final = frozenset({"lifetime", "latency", "size"})
# Without a verb that tells, "for 5 minutes" and "after 5 minutes" say different things.
_LEADS: Final = frozenset({"for", "after", "within"})
_MONTH: Final = (Decimal(28 * 86_400), Decimal(31 * 86_400))
_SPELT: Final = {"two": "2", "three": "3", "five": "5", "ten": "10"}
_PREPOSITIONS: Final = table("of in on at for with from by to into per about de von für pour para in im am auf sur en")
_BARELY: Final = Decimal("1E-9")


@dataclass(frozen=True, slots=True)
class _Quantity:
    start: int
    end: int
    held: Amount
    per: str
    lead: str


def numbers(topic: Topic) -> Iterator[Claim]:
    """The claims by numbers of a saying; a number that only tells which things are meant is none."""
    text = topic.text
    for one in _quantities(text):
        force = _force(text, one)
        if force == "limit" and not _is_said(topic, one):
            continue
        aspect = _aspect(text, one)
        if aspect:
            around = topic.around if aspect in _BY_UNIT else topic.besides
            yield Claim(aspect, topic.about(one.start), around(one.start, one.end), range_of(one.held), force)
    for_ever = _FOR_EVER.search(text)
    if for_ever:
        about, whole = topic.about(for_ever.start()), topic.around(*for_ever.span())
        yield Claim("lifetime", about, whole, Range(ENDLESS, ENDLESS))


def _quantities(text: str) -> Iterator[_Quantity]:
    for hit in _QUANTITY.finditer(text):
        found = next((number for number in range(len(_BOUNDS)) if hit[f"b{number}"]), None)
        if hit["number"] is None and found is None:
            continue
        number = hit["number"] or _SPELT.get(hit["word"].lower(), "1")
        held = amount(f"{number} {hit['unit'] or ''}".strip())
        if held is None:
            continue
        bound, end = _bound(text, hit, "=" if found is None else _BOUNDS[found][0])
        lead = hit.group().split()[0].lower()
        yield _Quantity(hit.start(), end, Amount(held.number, held.dimension, bound), (hit["per"] or "").lower(), lead)


def _bound(text: str, hit: re.Match[str], bound: Bound) -> tuple[Bound, int]:
    """The bound of a quantity, turned where a negation stands right before it, or put by the words behind it."""
    behind = _BEHIND.match(text, hit.end())
    if behind and bound == "=":
        return ("<=" if behind["most"] else ">="), behind.end()
    clause = text[: hit.start()].rpartition(",")[2]
    negated = bound in {"<", ">", ">="} and _NOT.search(clause[-40:]) is not None
    return (_NEGATED[bound] if negated else bound), hit.end()


def _force(text: str, one: _Quantity) -> Force:
    if _REFUSED.search(text, one.end):
        return "refusal"
    return "sample" if one.held.bound == "=" and _ACCEPTED.search(text, one.end) else "limit"


def _is_said(topic: Topic, one: _Quantity) -> bool:
    """Whether a quantity is what is said of the subject: no part of it, of a condition, or of a circumstance."""
    if one.start < topic.verb < len(topic.text) or one.start >= topic.closing:
        return False
    between = topic.text[min(topic.after, one.start) : one.start].casefold().split()
    first = next((at for at, word in enumerate(between) if word in _PREPOSITIONS), len(between))
    return len(between) - first <= 1


def _aspect(text: str, one: _Quantity) -> str:
    """In which respect a quantity bounds its thing; empty where that cannot be told."""
    dimension = one.held.dimension
    if dimension in {"second", "month"}:
        if one.per or one.lead == "every":
            return "interval" if one.lead == "every" else ""
        sense = "lifetime" if _LIFETIME.search(text) else "latency" if _LATENCY.search(text) else ""
        return sense or (f"time {one.lead}" if one.lead in _LEADS else "")
    if dimension in {"euro", "dollar", "pound"}:
        return f"cost in {dimension}" if _COSTS.search(text) else ""
    if dimension in {"byte", "share"}:
        return {"byte": "size", "share": "share"}[dimension] + _per(one)
    noun = stem_of(dimension.split()[0]) if dimension else ""
    counted = noun and noun not in EMPTY and noun not in NEGATIONS and noun not in MONTHS
    return f"count of {noun}{_per(one)}" if counted else ""


def _per(one: _Quantity) -> str:
    return f" per {min(stems_of(one.per), default='')}" if one.per else ""


def range_of(held: Amount) -> Range:
    """The numbers that an amount leaves open; a month is as long as any month may be."""
    low, high = (held.number * _MONTH[0], held.number * _MONTH[1]) if held.dimension == "month" else (held.number,) * 2
    least = {">": high * (1 + _BARELY), ">=": low, "=": low}.get(held.bound, Decimal(0))
    most = {"<": low * (1 - _BARELY), "<=": high, "=": high}.get(held.bound, ENDLESS)
    return Range(least, most)
