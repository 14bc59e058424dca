"""Whether somebody outside can see what is said: a statement, about something that happens and not that is felt."""

from __future__ import annotations

from collections.abc import Iterator

from pactkeeper.intent.quality.examined import Examined
from pactkeeper.intent.quality.values import Criterion, Deduction, share
from pactkeeper.intent.wording.tables import table

NAME: Criterion = "observable"
_SLIGHT, _CLEAR, _GRAVE, _ALL = (share(NAME, fifths) for fifths in (1, 2, 3, 5))


def observable(seen: Examined) -> Iterator[Deduction]:
    """What keeps the intent, or its outcomes, from being seen."""
    fragment = _fragment(seen)
    if fragment is not None:
        yield fragment
        return
    found = list(_empty(seen))
    yield from found
    if not found:
        yield from _judged(seen)
    if seen.outcomes and not any(one.states for one in seen.outcomes):
        text = seen.outcomes[0].text
        yield Deduction(_SLIGHT, text, "no outcome is a statement", "say in a sentence what is seen", "outcomes")


def _fragment(seen: Examined) -> Deduction | None:
    text = seen.intent.text.strip()
    readings = seen.intent.readings
    if seen.intent.states:
        return None
    if any(one.asks for one in readings):
        return Deduction(_GRAVE, text, "a question states nothing", "write down the answer as a sentence")
    if any(one.commands for one in readings):
        why = "tells somebody what to do, not how the product behaves"
        return Deduction(_GRAVE, text, why, "say what holds when it is done")
    why = "no predicate was found: nothing is said to happen"
    return Deduction(_ALL, text, why, "say in a sentence who or what does what")


def _empty(seen: Examined) -> Iterator[Deduction]:
    """A predicate that names no result; concrete outcomes say it in its place, but for feelings."""
    empty = seen.intent.empty
    if empty is not None and (empty.inner or not seen.concrete_outcomes):
        points = _GRAVE if empty.inner and not seen.concrete_outcomes else _CLEAR
        yield Deduction(points, empty.words, empty.why, empty.advice, rewording=empty.rewording)


def _judged(seen: Examined) -> Iterator[Deduction]:
    """A predicate that is nothing but a judgement: `is secure`, `looks modern`."""
    if seen.concrete_outcomes:
        return
    for vague in seen.intent.vague:
        reading = vague.reading
        main = reading.predicate
        if main is None or vague.kind not in {"quality", "ease", "time", "size", "gain"} or vague.first < main.start:
            continue
        words = reading.words
        between = words[main.end : vague.first]
        judging = words[vague.first].tag != "adv" and all(word.tag in {"adv", "not"} for word in between)
        linking = words[main.end - 1].tag in {"be", "adv"} or words[main.verb].base in _LINKING
        if (judging and linking) or vague.kind == "gain":
            said = seen.intent.text[vague.start : vague.end]
            why = "is a judgement about it; nothing is said to happen"
            yield Deduction(_GRAVE, said, why, "say what somebody does and what they then see")
            return


_LINKING = table("be look seem appear stay remain become feel sound")
