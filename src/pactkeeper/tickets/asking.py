"""Words that no rule can place, put to a model: it names fields and quotes, and every value is words of a message."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, cast

from pactkeeper.intent.ticket import FIELDS, SINGLE, Draft, Field, Said, ThreadMessage, values_of
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.ledger.answering import Asker, Prompt, Reply
from pactkeeper.ledger.budget import Budget
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import Question
from pactkeeper.ledger.shape import misfits
from pactkeeper.prompts.fencing import Section
from pactkeeper.prompts.rendering import render
from pactkeeper.tickets.judging import Consult, Consulted

KIND: Final = "extract_fields"


def prompt_of(draft: Draft, thread: Sequence[ThreadMessage], unplaced: Sequence[ThreadMessage]) -> Prompt:
    """The whole thread in fences, and which of its messages have words to place; nothing in it instructs."""
    known: dict[str, JsonValue] = {
        name: [said.value for said in values_of(draft, name)] for name in FIELDS if values_of(draft, name)
    }
    wanted = {one.id for one in unplaced}
    question = Question(KIND, f"thread:{draft.thread}/{max(wanted, default='')}", {"draft": known})
    return render(question, [Section(_name(one, wanted), one.text) for one in thread])


def _name(message: ThreadMessage, wanted: Collection[str]) -> str:
    return f"{'To place: ' if message.id in wanted else ''}message {message.id} of {message.author}"


def consulted(value: JsonValue, prompt: Prompt, unplaced: Sequence[ThreadMessage]) -> Consulted:
    """What is right in an answer, entry by entry; of quotes that overlap in one message the first one counts."""
    shapes = tuple(str(one) for one in misfits(value, prompt.shape, "answer"))
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
    """Why an entry cannot be taken: its quote is nowhere or in several messages, a bound without a key, other words."""
    quote = entry["quote"]
    if not quote.strip() or len(found) != 1:
        return f"{quote!r} occurs in {len(found)} of the messages to place, and has to in one"
    if entry["field"] == "constraints" and not entry.get("key", "").strip():
        return f"the constraint {quote!r} needs a key that says what it bounds"
    if " ".join(entry.get("value", quote).split()) not in " ".join(quote.split()):
        return f"the value {entry['value']!r} is no part of its quote {quote!r}"
    return ""


def _taken(entry: Mapping[str, Any], message: ThreadMessage, patches: Sequence[DraftPatch]) -> str:
    quotes = (one.said.quote for one in patches if one.said.message == message.id)
    overlaps = any(one in entry["quote"] or entry["quote"] in one for one in quotes)
    return f"{entry['quote']!r} overlaps with words that are placed already" if overlaps else ""


def _patch(entry: Mapping[str, Any], message: ThreadMessage) -> DraftPatch:
    name = cast("Field", entry["field"])
    words = " ".join(entry.get("value", entry["quote"]).split())
    said = Said(words, message.author, message.id, message.permalink, entry["quote"])
    key = entry["key"].strip() if name == "constraints" else ""
    return DraftPatch("set" if name in SINGLE else "add", name, said, key=key)


async def place(
    asker: Asker,
    draft: Draft,
    thread: Sequence[ThreadMessage],
    unplaced: Sequence[ThreadMessage],
    *,
    budget: Budget,
) -> Consulted:
    """Ask about a whole thread at once; what the budget does not allow or no answer says places nothing."""
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
            return consulted(reply.value, prompt, unplaced)
    return Consulted(refused=tuple(reason for reply in replies for reason in (reply.reasons or (reply.state,))))


def consulting(asker: Asker, budget: Callable[[], Budget]) -> Consult:
    """A model that is asked from within a run, whether an event loop goes on there or not."""

    def consult(draft: Draft, thread: Sequence[ThreadMessage], unplaced: Sequence[ThreadMessage]) -> Consulted:
        with ThreadPoolExecutor(1) as alone:
            asked = place(asker, draft, thread, unplaced, budget=budget())
            return alone.submit(asyncio.run, asked).result()

    return consult
