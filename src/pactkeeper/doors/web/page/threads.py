"""The pages of threads: the state of each, and one with its draft, open questions and unplaced words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.doors.web.page.desk import Desk, PageForm, onward, page, read_form
from pactkeeper.doors.web.problems import WebProblem
from pactkeeper.errors import InputError, RefusedError, StaleError, UsageError
from pactkeeper.intent.ticket import FIELDS, Field, PlacedValue, values_of
from pactkeeper.ledger.policy import needed
from pactkeeper.operators.thread_ground import Desk as ThreadDesk
from pactkeeper.operators.threads import (
    Heard,
    ListedThread,
    Saying,
    ShownThread,
    list_threads,
    place_in_thread,
    say_in_thread,
    show_thread,
)
from pactkeeper.tickets.loose import DROP, to_place
from pactkeeper.workspace import Workspace

SECTION: Final = "/threads"
UNPROCESSABLE: Final = 422
_LOGGED: Final = 80  # characters of a form's field that the audit log takes
# The fields that words can be put in, in the order of their keys.
PLACES: Final[Mapping[str, str]] = {
    "title": "title",
    "problem": "problem",
    "proposed_solution": "solution",
    "acceptance_criteria": "criterion",
    "constraints": "constraint",
    "risks": "risk",
    "dependencies": "dependency",
    "open_questions": "open question",
    DROP: "leave out",
}


@dataclass(frozen=True, slots=True)
class ThreadPart:
    """A field of the draft and its values."""

    field: Field
    values: tuple[PlacedValue, ...]

    @property
    def takes(self) -> bool:
        """Whether words can be put in this field."""
        return self.field in PLACES


async def listed(desk: Desk, request: Request) -> Response:
    """Every thread."""
    found = await desk.look(request, lambda workspace: list_threads(ThreadDesk.served(workspace)))
    return page(request, "threads.html", SECTION, found=tuple(map(_row, reversed(found))))


def _row(one: ListedThread) -> tuple[ListedThread, str]:
    return one, " / ".join(said.value for said in values_of(one.draft, "title"))


async def shown(desk: Desk, request: Request) -> Response:
    """One thread."""
    name = request.path_params["thread"]
    try:
        found = await desk.look(request, lambda workspace: show_thread(ThreadDesk.served(workspace), name))
    except InputError as error:
        raise WebProblem(404, str(error)) from error
    return _page(request, found)


def _page(request: Request, found: ShownThread, status: int = 200, *, problem: str = "", typed: str = "") -> Response:
    draft, state = found.listed.draft, found.listed.state
    parts = tuple(ThreadPart(field, values_of(draft, field)) for field in FIELDS)
    waiting = to_place(state.loose)
    last = next((one.post for one in reversed(found.posts) if not one.post.instead), None)
    shows = {"parts": parts, "waiting": waiting, "places": PLACES, "last": last, "written": found.tickets[-1:]}
    return page(request, "thread.html", SECTION, status, found=found, problem=problem, typed=typed, **shows)


async def speak(desk: Desk, request: Request) -> Response:
    """Place words, answer, say or approve something, and run what is due; a rejected input shows the reason."""
    name, form = request.path_params["thread"], await read_form(request)
    request.state.deed = _deed(form)

    def work(workspace: Workspace) -> tuple[ShownThread, str]:
        threads = ThreadDesk.served(workspace)
        try:
            problem = _unheard(_spoken(threads, name, form))
        except (InputError, RefusedError, StaleError, UsageError) as error:
            problem = str(error)
        return show_thread(threads, name), problem

    found, problem = await desk.write(request, work, need=needed("human-act", runs_code=False), program="")
    if problem:
        return _page(request, found, UNPROCESSABLE, problem=problem, typed=form.text("text"))
    return onward(request, f"/threads/{found.listed.thread.id}")


def _unheard(heard: Heard) -> str:
    """Why something had no effect: it came too late, or an approval doesn't count; empty if it had."""
    if heard.kept == "late":
        return "This arrived after a later message was read, so it was not read."
    refused = next((one.post for one in heard.posts if one.post.kind == "stale" and not one.post.instead), None)
    return refused.text.partition("\n")[0] if refused else ""


def _deed(form: PageForm) -> str:
    """What a form asks for, as the audit log names it."""
    if form.text("place"):
        return "place words"
    if form.text("shown"):
        return f"approve {form.text('shown')[:_LOGGED]}"
    return f"answer {form.text('ask')[:_LOGGED]}" if form.text("ask") else "say"


def _spoken(threads: ThreadDesk, name: str, form: PageForm) -> Heard:
    if form.text("place"):
        return place_in_thread(threads, name, (f"{form.text('number')}={form.text('place')}",))
    if form.text("shown"):
        return say_in_thread(threads, name, Saying("approve", shown=form.text("shown")))
    text = form.text("choice") or form.text("text").strip()
    if not text:
        raise UsageError("the field is empty; type something")
    return say_in_thread(threads, name, Saying("answer" if form.text("ask") else "mention", text, ask=form.text("ask")))
