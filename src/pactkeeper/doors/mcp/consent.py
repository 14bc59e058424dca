"""Asking a person through the client: by elicitation, in the form of either generation of the protocol.

A client of 2026-07-28 gets the question as the result of its call and calls again with the answer; an earlier one is
asked while its call waits. A client that cannot ask leaves the decision pending.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from mcp.server.context import ServerRequestContext
from mcp.types import CallToolRequestParams, ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from pactkeeper.verbs.verb import YesWanted

Context = ServerRequestContext[Any, Any]
Word = Literal["accepted", "declined", "pending"]

NAME: Final = "consent"
FORM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"confirm": {"type": "boolean", "title": "Yes, do exactly this", "default": False}},
    "required": ["confirm"],
}


def granted(params: CallToolRequestParams) -> str:
    """The key of what a person said yes to in the round before; empty where nobody did."""
    return params.request_state or "" if _said(params) == "accepted" else ""


def refused(params: CallToolRequestParams) -> bool:
    """Whether a person was asked in the round before and did not say yes."""
    return _said(params) == "declined"


def _said(params: CallToolRequestParams) -> Word:
    answer = (params.input_responses or {}).get(NAME)
    return "pending" if not isinstance(answer, ElicitResult) else _word(answer)


def _word(answer: ElicitResult) -> Word:
    confirmed = answer.action == "accept" and (answer.content or {}).get("confirm") is True
    return "accepted" if confirmed else "declined"


async def ask(ctx: Context, wanted: YesWanted) -> Word | InputRequiredResult:
    """Ask a person for exactly this; "pending" where the client has no way to."""
    if not wanted.message or not _can_ask(ctx):
        return "pending"
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        form = ElicitRequestFormParams(message=wanted.message, requested_schema=FORM)
        return InputRequiredResult(input_requests={NAME: ElicitRequest(params=form)}, request_state=wanted.key)
    return _word(await ctx.session.elicit_form(wanted.message, FORM, related_request_id=ctx.request_id))


def _can_ask(ctx: Context) -> bool:
    has = ctx.session.client_capabilities
    elicits = None if has is None else has.elicitation
    return elicits is not None and (elicits.form is not None or elicits.url is None)
