"""Words that nothing marks: numbered within their thread, kept verbatim, and placed by people or a model.

How people place words: `2=problem 3,4=criterion 5-7=drop`, with the field names that labels use.

Also the results that the flow gets from the draft rules: a judgement, and a model's answer.

A model's or agent's placements are checked entry by entry, and marked as theirs in the draft.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Final, Literal, cast

from pactkeeper.errors import UsageError
from pactkeeper.intent.thread_event import Blocker
from pactkeeper.intent.ticket import (
    FIELDS,
    SINGLE,
    Ask,
    Draft,
    Field,
    Loose,
    Phase,
    PlacedValue,
    ThreadMessage,
    is_same_person,
    values_of,
)
from pactkeeper.intent.ticket_patch import DraftPatch, removal
from pactkeeper.ledger.answering import Asker, Budget, Prompt, Reply
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import KINDS, Question
from pactkeeper.ledger.shape import misfits
from pactkeeper.prompts import PromptSection, render
from pactkeeper.speech.amounts import same_text
from pactkeeper.speech.blocks import Block, blocks
from pactkeeper.speech.labels import field_named
from pactkeeper.speech.replying import is_small_talk
from pactkeeper.speech.spans import span

DROP: Final = "drop"
MOST_SHOWN: Final = 12
_JOINED: Final[frozenset[str]] = frozenset({"problem", "proposed_solution"})


@dataclass(frozen=True, slots=True)
class Placing:
    """A person's instruction about unplaced words: their numbers, and the field they belong to, or `drop`.

    `key` is the name of the constraint, for constraints.
    """

    numbers: tuple[int, ...]
    place: str
    key: str = ""


def heard(known: Sequence[Loose], new: Sequence[Loose], *, edits: str = "") -> tuple[Loose, ...]:
    """Merge a message's unplaced words into those of its thread; an edit replaces its earlier form."""
    kept = [one for one in known if not is_of(one.said, edits)]
    gone = {one.said.value: one for one in known if is_of(one.said, edits) and not one.place}
    number = max((one.number for one in known), default=0)
    for one in new:
        same = gone.pop(one.said.value, None)
        number += same is None
        kept.append(replace(one, number=number if same is None else same.number))
    return tuple(sorted(kept, key=lambda one: one.number))


def to_place(loose: Sequence[Loose]) -> tuple[Loose, ...]:
    """The words that still have to be placed; greetings don't."""
    return tuple(one for one in loose if not one.place and not is_small_talk(one.said.value))


def placed(
    draft: Draft, loose: Sequence[Loose], placings: Sequence[Placing], *, by: str
) -> tuple[tuple[DraftPatch, ...], tuple[Loose, ...]]:
    """Return the patches that placings make, and the words with their places; unknown numbers are ignored."""
    now = {one.number: one for one in loose}
    patches: list[DraftPatch] = []
    for placing in placings:
        named = [now[number] for number in placing.numbers if number in now]
        held = {one.number: value for one in named if (value := _others(draft, one, by))}
        moving = [one for one in named if one.number in held and (placing.key or one.place != placing.place)]
        patches += (_moved(held[one.number], one, placing, by) for one in moving)
        meant = [one for one in named if one.number not in held]
        patches += chain.from_iterable(map(_taken_back, meant))
        if placing.place != DROP:
            patches += _put(draft, now, meant, placing, by=by)
        now |= {one.number: replace(one, place=placing.place) for one in meant}
    return tuple(patches), tuple(now.values())


def without(loose: Sequence[Loose], patches: Sequence[DraftPatch]) -> tuple[Loose, ...]:
    """The words, placed wherever a patch quotes the same message and text."""
    return tuple(_with_place(one, patches) for one in loose)


def is_of_loose(patch: DraftPatch, loose: Sequence[Loose]) -> bool:
    """Whether a patch quotes words waiting to be placed, rather than marked ones."""
    return any(one.said.message == patch.said.message and _overlap(patch.said.quote, one.said.quote) for one in loose)


def _with_place(one: Loose, patches: Sequence[DraftPatch]) -> Loose:
    quoted = (patch for patch in patches if patch.said.message == one.said.message)
    hit = next((patch for patch in quoted if _overlap(patch.said.quote, one.said.quote)), None)
    return one if one.place or hit is None else replace(one, place=hit.field)


def _overlap(one: str, other: str) -> bool:
    return one in other or other in one


def _put(
    draft: Draft, now: dict[int, Loose], meant: Sequence[Loose], placing: Placing, *, by: str
) -> Iterator[DraftPatch]:
    """The patches that put words into a field; several for a single text field are joined."""
    name = cast("Field", placing.place)
    said = [replace(one.said, value=_stated(one.said.value, name).value, placed_by=by) for one in meant]
    if name in _JOINED and len(said) > 1:
        said = [replace(said[0], value=" ".join(one.value for one in said), quote="\n".join(one.quote for one in said))]
    if name not in SINGLE:
        keys = (placing.key or _stated(one.said.value, name).key for one in meant)
        yield from (DraftPatch("add", name, one, key=key) for one, key in zip(said, keys, strict=True))
        return
    was_tapped = _is_tapped(values_of(draft, name), by)
    if was_tapped:
        now |= {one.number: replace(one, place="") for one in now.values() if one.place == name}
    if said:
        yield DraftPatch("correct" if was_tapped else "set", name, said[-1], key=placing.key)


def _is_tapped(held: Sequence[PlacedValue], by: str) -> bool:
    """Whether a field has words that somebody placed, and none that another person said or placed."""
    return any(one.placed_by for one in held) and all(_is_by(one, by) for one in held)


def _is_by(one: PlacedValue, person: str) -> bool:
    """Whether somebody said or placed a value."""
    return any(is_same_person(person, each) for each in (one.author, one.placed_by))


def _others(draft: Draft, one: Loose, by: str) -> PlacedValue | None:
    """The value that words became in their field, unless this person said them or put them there."""
    if one.place in {"", DROP}:
        return None
    words = _stated(one.said.value, one.place).value
    found = (held for held in values_of(draft, cast("Field", one.place)) if same_text(held.value, words))
    return next((held for held in found if not _is_by(held, by)), None)


def _moved(held: PlacedValue, one: Loose, placing: Placing, by: str) -> DraftPatch:
    """The patch that asks whether words which somebody drops or puts elsewhere leave their field."""
    words = as_text([replace(placing, numbers=(one.number,))])
    return removal(cast("Field", one.place), held, PlacedValue(words, by, "", "", words))


def _taken_back(one: Loose) -> Iterator[DraftPatch]:
    """The patch that removes words from the field they were placed in."""
    if one.place and one.place != DROP:
        old = _stated(one.said.value, one.place).value
        yield DraftPatch("retract", cast("Field", one.place), one.said, old=old)


def _stated(words: str, place: str) -> Block:
    """What words say in a field: without their label if it names that field, and with the key of a constraint."""
    found = blocks(words)
    is_named = len(found) == 1 and found[0].field == place
    return found[0] if is_named else Block("sentence", span(words, 0, len(words)), words)


def is_of(said: PlacedValue, message: str) -> bool:
    """Whether a value was said in a message, in any of its forms."""
    return bool(message) and (said.message == message or said.message.startswith(f"{message}:"))


_ONE: Final = re.compile(
    r"(?P<numbers>all|\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*)=(?P<place>[^=\s:][^=:]*)(?::(?P<key>.+))?"
)
_MOST: Final = 1_000  # most numbers in a range
_ADVICE: Final = "such as 2=problem 3,4=criterion 5-7=drop"


def placings(words: Sequence[str]) -> tuple[Placing, ...]:
    """Parse placings; raise UsageError listing everything wrong with them."""
    found, wrong = list[Placing](), list[str]()
    for word in words:
        hit = _ONE.fullmatch(word.strip())
        place = _place(hit["place"]) if hit else ""
        if hit is None:
            wrong.append(f"{word!r} has no field, {_ADVICE}")
        elif not place:
            wrong.append(f"{hit['place']!r} is not a field; fields are {', '.join(FIELDS)} and drop")
        else:
            found.append(Placing(_numbers(hit["numbers"]), place, (hit["key"] or "").strip()))
    if wrong or not found:
        raise UsageError("; ".join(wrong) or f"say where something belongs, {_ADVICE}")
    return tuple(found)


def with_numbers(found: Sequence[Placing], loose: Sequence[Loose]) -> tuple[Placing, ...]:
    """Replace `all` by the numbers of the waiting words; raise UsageError for a number that doesn't exist."""
    known = {one.number for one in loose}
    waiting = tuple(one.number for one in to_place(loose))
    named = {number for one in found for number in one.numbers}
    rest = tuple(number for number in waiting if number not in named)
    whole = tuple(one if one.numbers else Placing(rest, one.place, one.key) for one in found)
    missing = sorted({number for one in whole for number in one.numbers} - known)
    if missing:
        raise UsageError(f"there is no sentence {missing[0]} to place; for the numbers: pk thread show THREAD")
    return whole


def as_text(found: Sequence[Placing]) -> str:
    """Placings in one line that `placings` can read."""
    return " ".join(
        f"{','.join(map(str, one.numbers)) or 'all'}={one.place}{f':{one.key}' if one.key else ''}" for one in found
    )


def read_text(text: str) -> tuple[Placing, ...]:
    """Parse what `as_text` wrote; a key ends where the next placing begins."""
    return placings(re.split(r"(?<!\s)\s++(?=(?:all|\d[\d,-]*+)=)", text.strip()))


def _place(name: str) -> str:
    bare = name.strip().casefold().replace(" ", "_")
    if bare == DROP or bare in FIELDS:
        return bare
    return field_named(name.replace("_", " "))


def _numbers(text: str) -> tuple[int, ...]:
    """Parse numbers such as `3,5-7`; empty for `all`."""
    found: list[int] = []
    for part in text.split(",") if text != "all" else ():
        first, _, last = part.partition("-")
        found += range(int(first), min(int(last or first), int(first) + _MOST) + 1)
    return tuple(dict.fromkeys(found))


Decision = Literal["ask", "preview", "gaps", "execute"]


@dataclass(frozen=True, slots=True)
class DraftJudgement:
    """What to do about a draft and why; `facts` record what the reason is based on, for the trace.

    `blockers` are shown with a preview, errors first. A preview is `approvable` if nothing prevents a ticket.
    """

    decided: Decision
    reason: str
    phase: Phase
    asks: tuple[Ask, ...] = ()
    blockers: tuple[Blocker, ...] = ()
    approvable: bool = False
    facts: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Consulted:
    """The patches from a model's answer, and why its other entries were refused."""

    patches: tuple[DraftPatch, ...] = ()
    refused: tuple[str, ...] = ()


Consult = Callable[[Draft, Sequence[ThreadMessage], Sequence[ThreadMessage]], Consulted | None]
"""A model: the draft, the whole thread, and those of its messages with words to place."""


KIND: Final = "extract_fields"


def consulted(value: JsonValue, unplaced: Sequence[ThreadMessage]) -> Consulted:
    """Turn the valid entries of an answer into patches; of overlapping quotes in one message the first wins."""
    shapes = tuple(str(one) for one in misfits(value, KINDS[KIND].answer, "answer"))
    if shapes:
        return Consulted(refused=shapes)
    patches: list[DraftPatch] = []
    refused: list[str] = []
    for entry in cast("list[Mapping[str, Any]]", value):
        found = [one for one in unplaced if entry["quote"] in one.text]
        wrong = _wrong(entry, found) or _taken(entry, found[0], patches)
        if wrong:
            refused.append(wrong)
        else:
            patches.append(_patch(entry, found[0]))
    return Consulted(tuple(patches), tuple(dict.fromkeys(refused)))


def _wrong(entry: Mapping[str, Any], found: Sequence[ThreadMessage]) -> str:
    """Why an entry is invalid: its quote isn't in exactly one message, it lacks a key, or its value isn't quoted."""
    quote = entry["quote"]
    if not quote.strip() or len(found) != 1:
        return f"{quote!r} occurs in {len(found)} of the messages to place, but must occur in exactly one"
    if entry["field"] == "constraints" and not entry.get("key", "").strip():
        return f"the constraint {quote!r} needs a key that says what it limits"
    if " ".join(entry.get("value", quote).split()) not in " ".join(quote.split()):
        return f"the value {entry['value']!r} is not part of its quote {quote!r}"
    return ""


def _taken(entry: Mapping[str, Any], message: ThreadMessage, patches: Sequence[DraftPatch]) -> str:
    quotes = (one.said.quote for one in patches if one.said.message == message.id)
    overlaps = any(_overlap(one, entry["quote"]) for one in quotes)
    return f"{entry['quote']!r} overlaps with words already placed" if overlaps else ""


def _patch(entry: Mapping[str, Any], message: ThreadMessage) -> DraftPatch:
    name = cast("Field", entry["field"])
    words = " ".join(entry.get("value", entry["quote"]).split())
    said = PlacedValue(_stated(words, name).value, message.author, message.id, message.permalink, entry["quote"])
    key = entry["key"].strip() if name == "constraints" else ""
    return DraftPatch("set" if name in SINGLE else "add", name, said, key=key)


def taken(found: Consulted, draft: Draft, loose: Sequence[Loose], *, by: str) -> Consulted:
    """The patches that may enter the draft, attributed to `by`; a filled single field keeps its value."""
    patches: list[DraftPatch] = []
    refused = list(found.refused)
    for one in found.patches:
        if one.field in SINGLE and values_of(draft, one.field):
            refused.append(f"the {one.field} is already filled, so {one.said.value!r} stays unplaced")
        elif not is_of_loose(one, loose):
            refused.append(f"{one.said.quote!r} is not among the unplaced words")
        else:
            patches.append(replace(one, said=replace(one.said, placed_by=by)))
    return Consulted(tuple(patches), tuple(refused))


def prompt_of(draft: Draft, thread: Sequence[ThreadMessage], unplaced: Sequence[ThreadMessage]) -> Prompt:
    """Render the whole thread, fenced as data, and mark the messages that have words to place."""
    known: dict[str, JsonValue] = {}
    for name in FIELDS:
        if held := values_of(draft, name):
            known[name] = [one.value for one in held]
    wanted = {one.id for one in unplaced}
    question = Question(KIND, f"thread:{draft.thread}/{max(wanted, default='')}", {"draft": known})
    return render(question, [PromptSection(_name(one, wanted), one.text) for one in thread])


def _name(message: ThreadMessage, wanted: Collection[str]) -> str:
    return f"{'To place: ' if message.id in wanted else ''}message {message.id} of {message.author}"


async def place(
    asker: Asker,
    draft: Draft,
    thread: Sequence[ThreadMessage],
    unplaced: Sequence[ThreadMessage],
    *,
    budget: Budget,
) -> Consulted:
    """Ask about a whole thread at once; without budget or a valid answer nothing is placed."""
    prompt = prompt_of(draft, thread, unplaced)
    replies: list[Reply] = []
    await asker.ask(
        [prompt],
        check=lambda one, value: tuple(str(wrong) for wrong in misfits(value, one.shape, "answer")),
        keep=replies.append,
        budget=budget,
    )
    for reply in replies:
        if reply.state == "answered":
            return consulted(reply.value, unplaced)
    return Consulted(refused=tuple(reason for reply in replies for reason in (reply.reasons or (reply.state,))))


def consulting(asker: Asker, budget: Callable[[], Budget]) -> Consult:
    """Make a synchronous function that asks a model, usable whether or not an event loop is running."""

    def consult(draft: Draft, thread: Sequence[ThreadMessage], unplaced: Sequence[ThreadMessage]) -> Consulted:
        with ThreadPoolExecutor(1) as alone:
            asked = place(asker, draft, thread, unplaced, budget=budget())
            return alone.submit(asyncio.run, asked).result()

    return consult
