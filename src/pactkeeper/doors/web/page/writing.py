"""What the latest write did, and how to undo it."""

from __future__ import annotations

import re
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.catalog.journal import WriteEntry
from pactkeeper.doors.web.page.desk import Desk, read_form
from pactkeeper.doors.web.page.rendering import page
from pactkeeper.errors import UsageError
from pactkeeper.operators.apply import next_undo, undo_apply
from pactkeeper.workspace import Workspace

SECTION: Final = "/review"
CONFLICT: Final = 409
_PLACE: Final = re.compile(r"(?:review/)?[\w-]{1,80}")


async def show(desk: Desk, request: Request) -> Response:
    """The latest write."""
    entry = await desk.look(request, _latest)
    return page(request, "written.html", SECTION, entry=entry, back=_back(request), undone=False, moved=False)


def _latest(workspace: Workspace) -> WriteEntry | None:
    try:
        return next_undo(workspace)
    except UsageError:
        return None


def _back(request: Request) -> str:
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
        request, "written.html", SECTION, status, entry=entry, back=_back(request), undone=undone, moved=not undone
    )
