"""Execute calls: validate the arguments, run one verb in its own thread, and turn errors into messages."""

from __future__ import annotations

import secrets
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

import anyio
import anyio.to_thread

from pactkeeper.advice import Reader
from pactkeeper.errors import ForbiddenError, PactkeeperError
from pactkeeper.flows.observing import tagged
from pactkeeper.ledger.canonical import canonical_json, digest
from pactkeeper.ledger.policy import OWNER, Principal, why_not
from pactkeeper.ledger.shape import misfits
from pactkeeper.published.plain import READER, printable, told
from pactkeeper.repo.memory import Memory
from pactkeeper.verbs.pages import Pages, fold, room, sliced
from pactkeeper.verbs.verb import Call, Document, Verb, YesWanted
from pactkeeper.workspace import Workspace, open_workspace

EVERY: Final = 0.25  # seconds between progress reports
MOST_PROBLEMS: Final = 10

Found = TypeVar("Found")
Tell = Callable[[float, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class House:
    """What all calls of a server share: the repository folder, the open cursors, and the lock for its one writer."""

    folder: Path
    pages: Pages = field(default_factory=lambda: Pages(time.monotonic, lambda: secrets.token_urlsafe(12)))
    writing: anyio.Lock = field(default_factory=anyio.Lock)
    memory: Memory = field(default_factory=lambda: Memory(lasts=True), repr=False)

    def opened(self, progress: Callable[[int, int], None] | None = None) -> AbstractContextManager[Workspace]:
        """Open the repository for one call."""
        return open_workspace(self.folder, notice=to_stderr, progress=progress, memory=self.memory)


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a verb: the program's display name and how to report progress to it.

    `granted` is the key of what a person agreed to, `seen` the version a decision is based on, `who` the person behind
    the program, with their permissions, and `reader` who reads the answer.
    """

    name: str
    tell: Tell
    granted: str = ""
    seen: str = ""
    who: Principal = OWNER
    reader: Reader = "person"


class Failed(Exception):
    """A call that failed; the message is for the caller and says what to do next."""


async def carry_out(house: House, verb: Verb, given: Mapping[str, Any], caller: Caller) -> Document | YesWanted:
    """Run a verb; cancelling a call stops the work if the verb supports it. Raises Failed with a message."""
    READER.set(caller.reader)
    _with_words(lambda: permit(verb, caller))
    _refuse_misfits(verb, given)
    if "cursor" in given and not verb.sliced:
        page = _with_words(lambda: _next_page(house, verb, given))
        return await _dressed(house, verb, given, page)
    if verb.reads:
        found = await _in_a_thread(house, verb, given, caller)
    else:
        async with house.writing:
            found = await _in_a_thread(house, verb, given, caller)
    if isinstance(found, YesWanted) or not verb.pages:
        return found
    if verb.sliced:
        return sliced(found, verb.pages)
    page = house.pages.first(_owner(verb, given), found, rows=verb.pages, limit=_limit(verb, given))
    return await _dressed(house, verb, given, page)


def permit(verb: Verb, caller: Caller) -> None:
    """Raise ForbiddenError if the caller may not run this verb."""
    offered = verb.reads or bool(verb.title)
    why = why_not(caller.who, verb.role, for_agents=offered, consents=bool(caller.granted) and not verb.reads)
    if why:
        raise ForbiddenError(f"{verb.name}: {why}")


def capped(house: House, document: Document, reader: Verb) -> Document:
    """Truncate the document to the size limit, with a cursor for each part that was cut; `reader` serves the rest."""
    folded = fold(document)
    if not folded.rests:
        return document
    owner = _owner(reader, {})
    more = [
        {
            "at": one.at,
            "shown": one.shown,
            "left": len(one.rows),
            "cursor": house.pages.keep(owner, {"at": one.at, "total": len(one.rows)}, one.rows),
        }
        for one in folded.rests
    ]
    return {**folded.document, "more": more}


def _refuse_misfits(verb: Verb, given: Mapping[str, Any]) -> None:
    wrong = [str(one) for one in misfits(dict(given), verb.shape)][:MOST_PROBLEMS]
    try:
        canonical_json(given)
    except (TypeError, ValueError) as error:  # a float, a lone surrogate, or nesting that is too deep
        wrong.append(str(error))
    if wrong:
        raise Failed(printable(f"{verb.name} was not called: {'; '.join(wrong)}"))


def _next_page(house: House, verb: Verb, given: Mapping[str, Any]) -> Document:
    return house.pages.next(_owner(verb, given), given["cursor"], rows=verb.pages, limit=_limit(verb, given))


def _owner(verb: Verb, given: Mapping[str, Any]) -> str:
    """Return the key that ties a cursor to a call: the verb and all its arguments except those for paging."""
    said = {name: one for name, one in given.items() if name not in {"cursor", "limit"}}
    return f"{verb.name} {digest(said)}"


def _limit(verb: Verb, given: Mapping[str, Any]) -> int:
    return int(given.get("limit", verb.per_page))


async def _dressed(house: House, verb: Verb, given: Mapping[str, Any], page: Mapping[str, Any]) -> Document:
    """Replace the page's members by their documents, as many as fit."""
    if verb.dress is None:
        return page
    members = page[verb.pages]

    def work() -> Sequence[object] | Failed:
        try:
            with house.opened() as opened:
                return _with_words(lambda: verb.dressed(opened, members))
        except Failed as words:
            return words

    found = await anyio.to_thread.run_sync(work)
    if isinstance(found, Failed):
        raise found
    count = room({**page, verb.pages: []}, found)
    if count < len(found):
        page = house.pages.shortened(_owner(verb, given), page, rows=verb.pages, count=count)
    return {**page, verb.pages: list(found[:count])}


@dataclass(slots=True)
class _Work:
    """A call in progress."""

    verb: Verb
    far: tuple[int, int] = (0, 0)
    over: bool = False

    def progress(self, done: int, total: int) -> None:
        self.far = done, total


async def _in_a_thread(house: House, verb: Verb, given: Mapping[str, Any], caller: Caller) -> Document | YesWanted:
    """Run a verb in a thread, reporting progress, and stop it if the caller disconnects."""
    work = _Work(verb)

    def run() -> Document | YesWanted:
        with house.opened(work.progress) as opened, tagged(agent=caller.name), opened.watching().tool(verb.name):
            return verb.run(Call(opened.acting_for(caller.name, caller.who.person), given, caller.granted, caller.seen))

    def outcome() -> Document | YesWanted | Failed:
        try:
            return _with_words(run)
        except Failed as words:
            return words
        finally:
            work.over = True

    async with anyio.create_task_group() as around:
        around.start_soon(_watch, house, work, caller)
        found = await anyio.to_thread.run_sync(outcome)
        around.cancel_scope.cancel()
    if isinstance(found, Failed):
        raise found
    return found


async def _watch(house: House, work: _Work, caller: Caller) -> None:
    """Report progress; if the caller disconnects before the work is done, stop it."""
    said, count = (-1, -1), 0.0
    try:
        while True:
            if work.far != said:
                said, count = work.far, count + 1
                await caller.tell(count, f"{said[0]:,} of {said[1]:,}" if said[1] else f"{work.verb.name} begins")
            await anyio.sleep(EVERY)
    finally:
        if work.verb.cancel is not None and not work.over:
            with anyio.CancelScope(shield=True):
                await _stop(house, work, work.verb.cancel)


async def _stop(house: House, work: _Work, cancel: Callable[[Workspace], bool]) -> None:
    """Retry cancelling until it took effect or the work is over."""

    def ask() -> bool:
        with house.opened() as opened:
            return cancel(opened)

    while not work.over and not await anyio.to_thread.run_sync(ask):  # noqa: ASYNC110 - the work runs in a thread
        await anyio.sleep(EVERY)


def _with_words(do: Callable[[], Found]) -> Found:
    """Run it and turn errors into messages for the reader; a bug's traceback goes to stderr only."""
    try:
        return do()
    except PactkeeperError as error:
        raise Failed(told(error.message)) from error
    except Exception as error:  # a bug: its traceback goes to the log, and the caller gets one sentence
        traceback.print_exception(error, file=sys.stderr)
        raise Failed(
            f"this is a bug in Pactkeeper ({type(error).__name__}); the server's log has the lines to report"
        ) from error


def to_stderr(text: str) -> None:
    """Print a line for whoever runs the server; stdout belongs to the protocol."""
    print(printable(text), file=sys.stderr)  # noqa: T201 - the server's log
