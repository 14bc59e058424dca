"""Calls of Slack's Web API for what is said: a short limit is waited for, and all else that fails is a reason to wait.

Nothing is repeated after a lost answer, since what it asked for may have been done. No token is in any message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.errors import BoardUnavailable

if TYPE_CHECKING:
    from slack_sdk import WebClient
    from slack_sdk.errors import SlackApiError

Answer = Mapping[str, Any]
_TRIES: Final = 3
_PATIENCE: Final = 30.0  # seconds that one call may wait for a limit; a longer wait is for a later run
_LIMITED: Final = 429
_FORMS: Final = frozenset({"chat.getPermalink", "conversations.replies"})  # these take no JSON
_GONE: Final = frozenset({"message_not_found"})
_TOO_LONG: Final = frozenset({"msg_blocks_too_long", "msg_too_long", "invalid_blocks"})
_INVITE: Final = "invite the app there with /invite"
_TOKEN: Final = "look at SLACK_BOT_TOKEN with: pk slack test"  # noqa: S105 - the name of a variable
_NEXT: Final[Mapping[str, str]] = {
    "not_in_channel": _INVITE,
    "channel_not_found": _INVITE,
    "is_archived": "open the channel again",
    "thread_not_found": "its first message was deleted, so open a new thread",
    "missing_scope": "add the scope and install the app again; pk slack manifest has all of them",
    **dict.fromkeys(("invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"), _TOKEN),
}


class Gone(BoardUnavailable):
    """The message that a call was about is not there."""


class TooLong(BoardUnavailable):
    """Slack does not take so much in one message."""


def call(client: WebClient, method: str, arguments: Mapping[str, Any], *, sleep: Callable[[float], None]) -> Answer:
    """Make one call, and again after a limit of few seconds; raises BoardUnavailable for all that Slack does not do."""
    from slack_sdk.errors import SlackApiError, SlackClientError  # noqa: PLC0415 - an extra brings it

    waited = 0.0
    for left in reversed(range(_TRIES)):
        try:
            return _once(client, method, arguments)
        except SlackApiError as error:
            seconds = _limit(error)
            if seconds is None or not left or waited + seconds > _PATIENCE:
                raise _refusal(method, arguments, error) from error
            waited += seconds
            sleep(seconds)
        except (SlackClientError, HTTPException, OSError, ValueError) as error:
            why = f"Slack gave no answer to {method} ({type(error).__name__})"
            raise BoardUnavailable(
                f"{why}; what is to be said waits, and is looked for before it is said again"
            ) from error
    raise AssertionError  # pragma: no cover - the last try returns or raises


def _once(client: WebClient, method: str, arguments: Mapping[str, Any]) -> Answer:
    is_form, sent = method in _FORMS, dict(arguments)
    answer = client.api_call(method, params=sent) if is_form else client.api_call(method, json=sent)
    data = answer.data
    if not isinstance(data, dict):
        raise ValueError("it is no object")  # noqa: TRY004 - judged with all else that cannot be read
    return data


def _limit(error: SlackApiError) -> float | None:
    """The seconds that a limit asks to wait; None where the answer is not about one."""
    response = error.response
    if getattr(response, "status_code", 0) != _LIMITED:
        return None
    found = next((value for name, value in response.headers.items() if name.lower() == "retry-after"), "")
    text = str(found[0] if isinstance(found, list) else found)
    return float(text) if text.isdigit() else 1.0


def _refusal(method: str, arguments: Mapping[str, Any], error: SlackApiError) -> BoardUnavailable:
    """What Slack said, in its own word, with what to do next."""
    said = _word(error)
    kind = Gone if said in _GONE else TooLong if said in _TOO_LONG else BoardUnavailable
    seconds = _limit(error)
    needed = error.response.get("needed") or ""
    next_ = (
        f"it can be tried in {seconds:.0f} s" if seconds is not None else _NEXT.get(said, "pk slack test may say why")
    )
    return kind(
        f"Slack refused {method} in {arguments.get('channel')!r}: {said}{f' ({needed})' if needed else ''}; "
        f"{next_}. What is to be said waits"
    )


def _word(error: SlackApiError) -> str:
    """The name of an error; an answer that is no JSON has none, and may be of anybody's making."""
    said = str(error.response.get("error") or "")
    return said if said.isidentifier() else "an answer that is not Slack's"
