"""Ask a model to place words that no rule can: it names fields and quotes, and every value is copied from a message."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor

from pactkeeper.intent.ticket import FIELDS, Draft, ThreadMessage, values_of
from pactkeeper.ledger.answering import Asker, Budget, Prompt, Reply
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.question import Question
from pactkeeper.ledger.shape import misfits
from pactkeeper.prompts import PromptSection, render
from pactkeeper.tickets.loose import KIND, Consult, Consulted, consulted


def prompt_of(draft: Draft, thread: Sequence[ThreadMessage], unplaced: Sequence[ThreadMessage]) -> Prompt:
    """Render the whole thread, fenced as data, and mark the messages that have words to place."""
    known: dict[str, JsonValue] = {
        name: [said.value for said in values_of(draft, name)] for name in FIELDS if values_of(draft, name)
    }
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
