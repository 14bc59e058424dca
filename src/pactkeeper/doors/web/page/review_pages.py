"""The pages of a review: its screens, decisions on items, the diff, apply, and what that wrote, with its undo.

A diff lists what an apply would write, file by file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.catalog.journal import WriteEntry
from pactkeeper.doors.web.page import review
from pactkeeper.doors.web.page.cards import Card
from pactkeeper.doors.web.page.desk import Desk, base_of, onward, page, read_form, wants_part
from pactkeeper.doors.web.page.review import SHOWS, DecisionOutcome, Filter, FormDecision, Progress, Screen, Suite
from pactkeeper.errors import PatchError, RefusedError, UsageError
from pactkeeper.intent.atoms import CATEGORIES
from pactkeeper.operators.apply import apply_patch, next_undo, undo_apply
from pactkeeper.operators.decide import ReviewItem, load_pending, read_sources
from pactkeeper.operators.history import known_run
from pactkeeper.reconcile.applying import Applied, file_diff
from pactkeeper.reconcile.journal import applied_ops
from pactkeeper.store.decisions import deciding
from pactkeeper.workspace import Workspace

SECTION = "/review"
CONFLICT, UNPROCESSABLE = 409, 422
_PLACE: Final = re.compile(r"(?:review/)?[\w-]{1,80}")
MOST_PART = 10_000


async def newest(desk: Desk, request: Request) -> Response:
    """The newest review with open items."""

    def work(workspace: Workspace) -> str:
        try:
            pending = load_pending(workspace, None)
        except PatchError:
            return ""
        run = known_run(workspace, pending.patch)
        return pending.patch.id if run is None else run.id

    run = await desk.look(request, work)
    return onward(request, f"/review/{run}") if run else page(request, "nothing.html", SECTION)


async def show(desk: Desk, request: Request) -> Response:
    """One screen of a review."""
    run, asked = request.path_params["run"], request.query_params
    wanted = Filter(asked.get("show", "all") if asked.get("show") in SHOWS else "all", asked.get("words", ""))
    part = asked.get("part", "1")
    number = int(part) if part.isdecimal() and len(part) < len(str(MOST_PART)) else 1

    def work(workspace: Workspace) -> Screen:
        return review.screen(workspace, run=run, wanted=wanted, suite=asked.get("suite", ""), part=number)

    found = await desk.look(request, work)
    waiting = [one for one in found.cards if one.standing == "open"]
    return page(request, "review.html", SECTION, screen=found, open_cards=waiting, **_about(request, run))


def _about(request: Request, run: str) -> dict[str, Any]:
    action = f"{base_of(request)}/review/{run}/decide"
    return {"run": run, "action": action, "categories": CATEGORIES, "shows": SHOWS}


@dataclass(frozen=True, slots=True)
class _Outcome:
    """The result of a decision: cards to redraw, a message for each, and the progress of the review."""

    cards: tuple[Card, ...]
    progress: Progress
    suites: tuple[Suite, ...]
    messages: Mapping[str, str]
    stale: bool = False


async def decide(desk: Desk, request: Request) -> Response:
    """Store a person's decision, or show the current state and keep what was typed."""
    run = request.path_params["run"]
    form = await read_form(request)
    said = review.said_of(form)

    def work(workspace: Workspace) -> _Outcome:
        with deciding(workspace.history()):
            return taken(workspace)

    def taken(workspace: Workspace) -> _Outcome:
        pending = load_pending(workspace, run)
        try:
            answer = review.take(workspace, pending, said)
        except (UsageError, RefusedError) as error:
            items = [review.named_item(pending, name) for name in said.items]
            return _drawn(workspace, run=run, items=items, messages={one: str(error) for one in said.items})
        return _answered(workspace, run, answer)

    found = await desk.write(request, work)
    if not found.messages and not wants_part(request):
        return onward(request, _back(run, found.cards, said))
    status = CONFLICT if found.stale else UNPROCESSABLE if found.messages else 200
    values = {"changed": found.cards, "progress": found.progress, "suites": found.suites, "messages": found.messages}
    typed = dict.fromkeys(found.messages, said.typed)
    name = "parts.html" if wants_part(request) else "stale.html"
    return page(request, name, SECTION, status, typed=typed, **values, **_about(request, run))


def _answered(workspace: Workspace, run: str, answer: DecisionOutcome) -> _Outcome:
    messages = {one.ops[0].id: _changed(one) for one in answer.stale}
    items = answer.stale or answer.changed
    return _drawn(workspace, run=run, items=items, messages=messages, stale=bool(answer.stale))


def _changed(item: ReviewItem) -> str:
    said = item.decisions[-1] if item.decisions else None
    undone = "the decision on it, or on something it needs, was undone"
    word = f"{said.by} said {said.verdict} at {said.at}" if said else undone
    return f"Nothing was saved: this changed since you looked at it ({word}). This is how it stands now."


def _drawn(
    workspace: Workspace, *, run: str, items: Sequence[ReviewItem], messages: Mapping[str, str], stale: bool = False
) -> _Outcome:
    sources = read_sources(workspace)
    after = load_pending(workspace, run, pact=sources.pact)
    wanted = {one.group for one in items}
    shown = [one for one in after.items if one.group in wanted]
    applied = applied_ops(workspace.state)
    stands = review.standings(after, applied)
    cards = review.cards_of(sources, after, shown, applied)
    suites = review.suites_of(after, stands, [one.suite for one in cards])
    return _Outcome(cards, review.progress_of(after, stands, sources.pact), suites, messages, stale)


def _back(run: str, cards: Sequence[Card], said: FormDecision) -> str:
    card = next((one for one in cards if one.id == said.items[0]), None)
    return f"/review/{run}?{urlencode({'suite': card.suite})}#card-{card.id}" if card else f"/review/{run}"


async def diff(desk: Desk, request: Request) -> Response:
    """The diff of what an apply would write."""
    run = request.path_params["run"]

    def work(workspace: Workspace) -> tuple[ReviewDifference, int, str]:
        pending = load_pending(workspace, run)
        applied = apply_patch(workspace, pending.patch, pending.review.decisions, dry_run=True)
        return difference(applied), len(pending.open), pending.version

    found, waiting, version = await desk.look(request, work)
    return page(request, "diff.html", SECTION, run=run, found=found, waiting=waiting, agreed=version, problem="")


async def apply(desk: Desk, request: Request) -> Response:
    """Write what was accepted, if it is what the page showed."""
    run = request.path_params["run"]
    form = await read_form(request)

    def work(workspace: Workspace) -> bool:
        pending = load_pending(workspace, run)
        if pending.version != form.text("seen"):
            return False
        apply_patch(workspace, pending.patch, pending.review.decisions)
        return True

    if await desk.write(request, work):
        return onward(request, f"/written?from=review/{run}")
    return page(request, "moved.html", SECTION, CONFLICT, run=run)


MOST_LINES: Final = 2_000  # of one file
MOST_FILES: Final = 200


@dataclass(frozen=True, slots=True)
class FileDifference:
    """The unified diff of one file; each line has a kind: `head`, `plus`, `minus` or empty."""

    path: str
    added: int
    taken: int
    lines: tuple[tuple[str, str], ...]
    cut: int


@dataclass(frozen=True, slots=True)
class ReviewDifference:
    """Everything that would be written; `rejected` counts tests whose rejection is stored.

    `refused` are tests whose comment can't be changed, with the reason.
    """

    ops: int
    rejected: int
    files: tuple[FileDifference, ...]
    more: int
    refused: tuple[tuple[str, str], ...]


def difference(applied: Applied) -> ReviewDifference:
    """Convert a dry run."""
    files = tuple(_file(edit.path, tuple(file_diff(edit))) for edit in applied.edits[:MOST_FILES])
    more = len(applied.edits) - len(files)
    rejected = len({op.group for op in applied.rejected})
    return ReviewDifference(len(applied.planned.ops), rejected, files, more, applied.refused)


def _file(path: str, lines: tuple[str, ...]) -> FileDifference:
    told = tuple(_told(lines))
    kinds = Counter(kind for kind, _ in told)
    return FileDifference(path, kinds["plus"], kinds["minus"], told[:MOST_LINES], max(0, len(told) - MOST_LINES))


def _told(lines: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The lines without the two that name the file."""
    for line in lines[2:]:
        yield {"@": "head", "+": "plus", "-": "minus"}.get(line[:1], ""), line


async def written(desk: Desk, request: Request) -> Response:
    """The latest write."""
    entry = await desk.look(request, _latest)
    return page(request, "written.html", SECTION, entry=entry, back=_before(request), undone=False, moved=False)


def _latest(workspace: Workspace) -> WriteEntry | None:
    try:
        return next_undo(workspace)
    except UsageError:
        return None


def _before(request: Request) -> str:
    """The page that led here."""
    asked = request.query_params.get("from", "")
    return asked if _PLACE.fullmatch(asked) else "review"


async def undo(desk: Desk, request: Request) -> Response:
    """Undo the write that the page showed, and no other."""
    form = await read_form(request)

    def work(workspace: Workspace) -> bool:
        entry = next_undo(workspace)
        if form.text("seen") != f"{entry.id} {entry.at}":
            return False
        undo_apply(workspace, entry_id=entry.id)
        return True

    undone = await desk.write(request, work)
    entry = None if undone else await desk.look(request, _latest)
    status = 200 if undone else CONFLICT
    return page(
        request, "written.html", SECTION, status, entry=entry, back=_before(request), undone=undone, moved=not undone
    )
