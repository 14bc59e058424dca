"""The page for questions in plain language: an answer with the lines that prove it; nothing is written."""

from __future__ import annotations

from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from pactkeeper.doors.web.page.desk import Desk
from pactkeeper.doors.web.page.rendering import page
from pactkeeper.workspace import Workspace

SECTION: Final = "/ask"


async def show(desk: Desk, request: Request) -> Response:
    """The question in the URL and its answer; the URL can be shared."""
    asked = request.query_params
    question, thread, word = (asked.get(name, "") for name in ("question", "thread", "word"))

    def work(workspace: Workspace) -> dict[str, Any]:
        from pactkeeper.chat.asking import ask, reply  # noqa: PLC0415 - graphs load slowly, and no other page asks
        from pactkeeper.chat.here import Here  # noqa: PLC0415 - likewise

        workspace.ensure_settled()
        here = Here(workspace)
        return reply(here, thread, word) if thread and word else ask(here, question)

    found = await desk.look(request, work) if question or (thread and word) else None
    return page(request, "ask.html", SECTION, found=found, question=question)
