"""Words that no rule can place, put to a model: it names fields and quotes, and every value is words of the message."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, cast

from pactkeeper.intent.ticket import FIELDS, SINGLE, Draft, Field, Said, ThreadMessage, values_of
from pactkeeper.intent.ticket_patch import DraftPatch
from pactkeeper.ledger.answering import Asker, Prompt, Reply
from pactkeeper.ledger.budget import Budget
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import Question, quotes_in, verify_quotes
from pactkeeper.ledger.shape import misfits
from pactkeeper.prompts.fencing import Section
from pactkeeper.prompts.rendering import render

KIND: Final = "extract_fields"


def question_of(message: ThreadMessage, draft: Draft) -> Question:
    """What is asked about a message, given what the draft has already."""
    known: dict[str, JsonValue] = {
        name: [said.value for said in values_of(draft, name)] for name in FIELDS if values_of(draft, name)
    }
    return Question(KIND, f"message:{message.thread}/{message.id}", {"message": message.text, "draft": known})


def prompt_of(message: ThreadMessage, draft: Draft) -> Prompt:
    """The question as it is put; the message stands in the fence, and nothing in it instructs."""
    question = question_of(message, draft)
    return render(question, [Section(f"The message of {message.author}", message.text)])


def wrong_with(value: JsonValue, message: ThreadMessage, prompt: Prompt) -> tuple[str, ...]:
    """What keeps an answer from being taken: its shape, quotes that are not in the message, bounds without a key."""
    shapes = tuple(str(one) for one in misfits(value, prompt.shape, "answer"))
    if shapes:
        return shapes
    missing = verify_quotes(quotes_in(value, prompt.shape), message.text)
    found = [f"{quote!r} does not occur in the message" for quote in missing]
    for one in _entries(value):
        if one["field"] == "constraints" and not one.get("key", "").strip():
            found.append(f"the constraint {one['quote']!r} needs a key that says what it bounds")
        if " ".join(one.get("value", one["quote"]).split()) not in " ".join(one["quote"].split()):
            found.append(f"the value {one['value']!r} is no part of its quote {one['quote']!r}")
    return tuple(dict.fromkeys(found))


def patches_of(value: JsonValue, message: ThreadMessage) -> tuple[DraftPatch, ...]:
    """The changes of an answer in which nothing is wrong; they add and never overwrite."""
    return tuple(_patch(one, message) for one in _entries(value))


def _entries(value: JsonValue) -> list[Mapping[str, Any]]:
    return cast("list[Mapping[str, Any]]", value)


def _patch(entry: Mapping[str, Any], message: ThreadMessage) -> DraftPatch:
    name = cast("Field", entry["field"])
    words = " ".join(entry.get("value", entry["quote"]).split())
    said = Said(words, message.author, message.id, message.permalink, entry["quote"])
    key = entry["key"].strip() if name == "constraints" else ""
    return DraftPatch("set" if name in SINGLE else "add", name, said, key=key)


async def place(
    asker: Asker, draft: Draft, messages: Sequence[ThreadMessage], *, budget: Budget
) -> tuple[DraftPatch, ...]:
    """Ask about all messages at once; answers that are refused, or that the budget does not allow, place nothing."""
    prompts = {prompt.key: (prompt, one) for one in messages for prompt in [prompt_of(one, draft)]}
    replies: dict[str, Reply] = {}
    await asker.ask(
        [prompt for prompt, _ in prompts.values()],
        check=lambda prompt, value: wrong_with(value, prompts[prompt.key][1], prompt),
        keep=lambda reply: replies.__setitem__(reply.prompt.key, reply),
        budget=budget,
    )
    return tuple(_taken(prompts.items(), replies))


def _taken(
    prompts: Iterable[tuple[str, tuple[Prompt, ThreadMessage]]], replies: Mapping[str, Reply]
) -> Iterable[DraftPatch]:
    """What the answers say, in the order of the messages; each is looked at again, whoever asked for it."""
    for key, (prompt, message) in prompts:
        reply = replies.get(key)
        if reply is not None and reply.state == "answered" and not wrong_with(reply.value, message, prompt):
            yield from patches_of(reply.value, message)


def consulting(
    asker: Asker, budget: Callable[[], Budget]
) -> Callable[[Draft, Sequence[ThreadMessage]], tuple[DraftPatch, ...]]:
    """A model that is asked from within a run, whether an event loop goes on there or not."""

    def consult(draft: Draft, unplaced: Sequence[ThreadMessage]) -> tuple[DraftPatch, ...]:
        with ThreadPoolExecutor(1) as alone:
            asked = place(asker, draft, unplaced, budget=budget())
            return alone.submit(asyncio.run, asked).result()

    return consult
