"""Slack as a channel: every post carries its key as metadata, and is looked up by it before it is posted again.

The Slack client must not retry by itself, since a post whose response was lost would be posted twice.

Also the calls to Slack's Web API: short rate limits are waited for; any other failure means that the post has to wait.

Nothing is repeated after a lost response, since it may have succeeded. No message contains the token.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from errno import EBADMSG
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Final, cast

from pactkeeper.errors import BoardUnavailable, InputError
from pactkeeper.intent.ids import hashed_id
from pactkeeper.intent.thread_event import Post
from pactkeeper.intent.ticket import Thread
from pactkeeper.tickets.channels.slack_blocks import render
from pactkeeper.tickets.channels.slack_rich import MOST

if TYPE_CHECKING:
    from slack_sdk import WebClient
    from slack_sdk.errors import SlackApiError
    from slack_sdk.web import SlackResponse


NAME: Final = "slack"
EVENT_TYPE: Final = "pactkeeper_post"
_PLACE: Final = re.compile(r"(?P<channel>[A-Z][A-Z0-9]{1,20})/(?P<ts>\d{1,12}\.\d{6})")
_MESSAGE: Final = re.compile(r"\d{1,12}\.\d{6}(?=:|\Z)")
_PAGE, _PAGES = 200, 100  # messages searched for a key; no thread between people is longer
_SMALL: Final = MOST // 4  # characters that certainly fit; the message says what is left out


@dataclass(frozen=True, slots=True)
class SlackChannel:
    """Posts in the threads of one workspace; `sleep` waits for a number of seconds.

    A post for one person also goes to the thread, mentioning that person: ephemeral messages disappear and can't be
    found by their key.
    """

    client: WebClient = field(repr=False)
    name: str = NAME
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def post(self, thread: Thread, post: Post) -> str:
        """Post it unless a message in the thread already has its key; return that message's timestamp."""
        channel, root = read_place(thread.place)
        said = self._said(thread.place, post.key)
        where = {"channel": channel, "thread_ts": root, "unfurl_links": False, "unfurl_media": False}
        return said or self._put("chat.postMessage", where, post, key=post.key)

    def replace(self, thread: Thread, ref: str, post: Post) -> None:
        """Replace a message, keeping its key; do nothing if it was deleted."""
        where = {"channel": read_place(thread.place)[0], "ts": ref}
        try:
            self._put("chat.update", where, post, key=post.instead or post.key)
        except Gone:
            return

    def permalink(self, thread: Thread, message: str) -> str:
        """Slack's link to a message, or to the one a button belongs to; empty if it is gone."""
        found = _MESSAGE.match(message)
        if found is None:
            return ""
        where = {"channel": read_place(thread.place)[0], "message_ts": found.group()}
        try:
            return str(self._call("chat.getPermalink", where).get("permalink") or "")
        except Gone:
            return ""

    def _put(self, method: str, where: Mapping[str, Any], post: Post, *, key: str) -> str:
        """Post or update; if Slack says it is too long, retry with a shorter text that says what it leaves out."""
        try:
            answer = self._call(method, {**where, **_content(post, key, most=MOST)})
        except TooLong:
            answer = self._call(method, {**where, **_content(post, key, most=_SMALL)})
        if not isinstance(answer.get("ts"), str):
            raise BoardUnavailable(f"Slack answered {method} without a timestamp; the post waits")
        return str(answer["ts"])

    def _said(self, place: str, key: str) -> str:
        """The timestamp of the thread's message with a key; empty if there is none."""
        for message in self._messages(place):
            metadata = part(message, "metadata")
            if metadata.get("event_type") == EVENT_TYPE and part(metadata, "event_payload").get("key") == key:
                return str(message.get("ts") or "")
        return ""

    def _messages(self, place: str) -> Iterator[Mapping[str, Any]]:
        channel, root = read_place(place)
        asked = {"channel": channel, "ts": root, "include_all_metadata": True, "limit": _PAGE}
        for _ in range(_PAGES):
            answer = self._call("conversations.replies", asked)
            yield from parts(answer, "messages")
            cursor = part(answer, "response_metadata").get("next_cursor")
            if not cursor:
                return
            asked = {**asked, "cursor": cursor}
        raise BoardUnavailable(f"{place!r} has more than {_PAGE * _PAGES:,} messages; open a new thread")

    def _call(self, method: str, arguments: Mapping[str, Any]) -> Answer:
        return call(self.client, method, arguments, sleep=self.sleep)


def place_of(channel: str, ts: str) -> str:
    """The place of a thread: its channel, and the timestamp of its first message."""
    return f"{channel}/{ts}"


def read_place(place: str) -> tuple[str, str]:
    """The channel and timestamp of a place; raise InputError if it isn't one of Slack's."""
    found = _PLACE.fullmatch(place)
    if found is None:
        raise InputError(f"{place!r} is not a place in Slack, such as 'C0123/1700000000.000100'")
    return found["channel"], found["ts"]


def thread_of(team: str, channel: str, ts: str, by: str, at: str) -> Thread:  # noqa: PLR0917 - in Slack's order
    """The thread that starts with a message; its id depends only on the workspace, channel and timestamp."""
    return Thread(hashed_id("TH", team, channel, ts), NAME, place_of(channel, ts), by, at)


def _content(post: Post, key: str, *, most: int) -> Mapping[str, Any]:
    """The message body for Slack, with name and link detection switched off."""
    shown = render(post, most=most)
    metadata = {"event_type": EVENT_TYPE, "event_payload": {"key": key}}
    return {
        "text": shown.text,
        "blocks": list(shown.blocks),
        "metadata": metadata,
        "parse": "none",
        "link_names": False,
    }


Answer = Mapping[str, Any]
_TRIPPED: Final = (ValueError, TypeError, AttributeError, LookupError)  # raised by Slack's library on a bad response
_UNREADABLE: Final = "its answer cannot be read"
_TRIES: Final = 3
_PATIENCE: Final = 30.0  # seconds one call may wait for rate limits; a longer wait is left to a later run
_LIMITED: Final = 429
_FORMS: Final = frozenset({"chat.getPermalink", "conversations.replies"})  # these don't accept JSON
_GONE: Final = frozenset({"message_not_found"})
_TOO_LONG: Final = frozenset({"msg_blocks_too_long", "msg_too_long", "invalid_blocks"})
_INVITE: Final = "invite the app there with /invite"
_TOKEN: Final = "check SLACK_BOT_TOKEN with: pk slack test"  # noqa: S105 - the name of a variable
_NEXT: Final[Mapping[str, str]] = {
    "not_in_channel": _INVITE,
    "channel_not_found": _INVITE,
    "is_archived": "open the channel again",
    "thread_not_found": "its first message was deleted; open a new thread",
    "missing_scope": "add the scope and reinstall the app; pk slack manifest lists them all",
    **dict.fromkeys(("invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive"), _TOKEN),
}


class Gone(BoardUnavailable):
    """The message doesn't exist any more."""


class TooLong(BoardUnavailable):
    """The content is too long for one Slack message."""


def call(client: WebClient, method: str, arguments: Mapping[str, Any], *, sleep: Callable[[float], None]) -> Answer:
    """Make a call, retrying after rate limits of a few seconds; raise BoardUnavailable for any other failure."""
    from slack_sdk.errors import SlackApiError, SlackClientError  # noqa: PLC0415 - installed by an extra

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
        except (SlackClientError, OSError) as error:
            why = f"Slack did not answer {method} ({type(error).__name__})"
            raise BoardUnavailable(f"{why}; the post waits, and is looked up before posting again") from error
    raise AssertionError  # pragma: no cover - the last try returns or raises


def _once(client: WebClient, method: str, arguments: Mapping[str, Any]) -> Answer:
    sent = dict(arguments)
    if method in _FORMS:
        return answered(lambda: client.api_call(method, params=sent))
    return answered(lambda: client.api_call(method, json=sent))


def answered(ask: Callable[[], SlackResponse]) -> Answer:
    """The JSON object in Slack's response; raises what `heard` raises."""
    return cast("Answer", heard(ask).data)


def heard(ask: Callable[[], SlackResponse]) -> SlackResponse:
    """A response of Slack with a JSON object; raises its library's errors, and OSError for any other response."""
    try:
        found = ask()
    except (HTTPException, *_TRIPPED) as error:
        raise OSError(EBADMSG, _UNREADABLE) from error
    if not isinstance(found.data, dict):
        raise OSError(EBADMSG, _UNREADABLE)
    return found


def part(whole: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The object under a key of a response or event; empty if it is missing or anything else."""
    found = whole.get(name)
    return found if isinstance(found, dict) else {}


def parts(whole: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The objects in a list of a response; empty if there is no list."""
    found = whole.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _limit(error: SlackApiError) -> float | None:
    """The seconds to wait for a rate limit; None if the response isn't about one."""
    response = error.response
    if getattr(response, "status_code", 0) != _LIMITED:
        return None
    found = next((value for name, value in response.headers.items() if name.lower() == "retry-after"), "")
    text = str(found[0] if isinstance(found, list) else found)
    return float(text) if text.isdigit() else 1.0


def _refusal(method: str, arguments: Mapping[str, Any], error: SlackApiError) -> BoardUnavailable:
    """An error with Slack's own error code and what to do next."""
    said = _word(error)
    kind = Gone if said in _GONE else TooLong if said in _TOO_LONG else BoardUnavailable
    seconds = _limit(error)
    needed = _data(error).get("needed") or ""
    next_ = _NEXT.get(said, "for the cause, try: pk slack test")
    if seconds is not None:
        next_ = f"it can be tried again in {seconds:.0f} s"
    return kind(
        f"Slack refused {method} in {arguments.get('channel')!r}: {said}{f' ({needed})' if needed else ''}; "
        f"{next_}. The post waits"
    )


def _data(error: SlackApiError) -> Mapping[str, Any]:
    return part({"data": getattr(error.response, "data", None)}, "data")


def _word(error: SlackApiError) -> str:
    """Slack's error code; a response that isn't JSON may come from anybody and has none."""
    said = str(_data(error).get("error") or "")
    return said if said.isidentifier() else "an answer that is not Slack's"
