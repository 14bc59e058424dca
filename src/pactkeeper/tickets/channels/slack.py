"""Slack as a channel: every post carries its key as metadata, by which it is found before it is said again.

The client has to repeat nothing by itself, since a post whose answer was lost would be said twice.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.errors import BoardUnavailable, InputError
from pactkeeper.intent.ids import hashed_id
from pactkeeper.intent.thread_event import Post
from pactkeeper.intent.ticket import Thread
from pactkeeper.tickets.channels.slack_blocks import render
from pactkeeper.tickets.channels.slack_calls import Answer, Gone, TooLong, call
from pactkeeper.tickets.channels.slack_rich import MOST

if TYPE_CHECKING:
    from slack_sdk import WebClient

NAME: Final = "slack"
EVENT_TYPE: Final = "pactkeeper_post"
_PLACE: Final = re.compile(r"(?P<channel>[A-Z][A-Z0-9]{1,20})/(?P<ts>\d{1,12}\.\d{6})")
_MESSAGE: Final = re.compile(r"\d{1,12}\.\d{6}(?=:|\Z)")
_PAGE, _PAGES = 200, 100  # messages that are looked through for a key; a thread of people has fewer
_SMALL: Final = MOST // 4  # characters that are surely not too many; what is left out is said to be


@dataclass(frozen=True, slots=True)
class SlackChannel:
    """Says things in the threads of one workspace; `sleep` waits for so many seconds.

    What is for one person is said in the thread as well, with a call of that person: what only one sees is gone when
    they look again, and cannot be found by its key.
    """

    client: WebClient = field(repr=False)
    name: str = NAME
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def post(self, thread: Thread, post: Post) -> str:
        """Say it, unless a message of the thread bears its key already; gives that message's timestamp."""
        channel, root = read_place(thread.place)
        said = self._said(thread.place, post.key)
        where = {"channel": channel, "thread_ts": root, "unfurl_links": False, "unfurl_media": False}
        return said or self._put("chat.postMessage", where, post, key=post.key)

    def replace(self, thread: Thread, ref: str, post: Post) -> None:
        """Put it in the place of a message, which keeps its key; nothing where somebody deleted that."""
        where = {"channel": read_place(thread.place)[0], "ts": ref}
        try:
            self._put("chat.update", where, post, key=post.instead or post.key)
        except Gone:
            return

    def permalink(self, thread: Thread, message: str) -> str:
        """The address that Slack gives for a message, or for the one a button stands under; empty where it is gone."""
        found = _MESSAGE.match(message)
        if found is None:
            return ""
        where = {"channel": read_place(thread.place)[0], "message_ts": found.group()}
        try:
            return str(self._call("chat.getPermalink", where).get("permalink") or "")
        except Gone:
            return ""

    def _put(self, method: str, where: Mapping[str, Any], post: Post, *, key: str) -> str:
        """Post or update; what Slack finds too long is said shorter, and then says what it leaves out."""
        try:
            answer = self._call(method, {**where, **_content(post, key, most=MOST)})
        except TooLong:
            answer = self._call(method, {**where, **_content(post, key, most=_SMALL)})
        if not isinstance(answer.get("ts"), str):
            raise BoardUnavailable(f"Slack answered {method} without a timestamp; what is to be said waits")
        return str(answer["ts"])

    def _said(self, place: str, key: str) -> str:
        """The message of a thread that bears a key; empty where there is none."""
        for message in self._messages(place):
            metadata = message.get("metadata") or {}
            if metadata.get("event_type") == EVENT_TYPE and (metadata.get("event_payload") or {}).get("key") == key:
                return str(message["ts"])
        return ""

    def _messages(self, place: str) -> Iterator[Mapping[str, Any]]:
        channel, root = read_place(place)
        asked = {"channel": channel, "ts": root, "include_all_metadata": True, "limit": _PAGE}
        for _ in range(_PAGES):
            answer = self._call("conversations.replies", asked)
            yield from answer.get("messages") or ()
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return
            asked = {**asked, "cursor": cursor}
        raise BoardUnavailable(f"{place!r} has more than {_PAGE * _PAGES:,} messages; open a new thread")

    def _call(self, method: str, arguments: Mapping[str, Any]) -> Answer:
        return call(self.client, method, arguments, sleep=self.sleep)


def place_of(channel: str, ts: str) -> str:
    """Where a thread lies: its channel, and the timestamp of its first message."""
    return f"{channel}/{ts}"


def read_place(place: str) -> tuple[str, str]:
    """The channel and timestamp of a place; raises InputError where it is none of Slack's."""
    found = _PLACE.fullmatch(place)
    if found is None:
        raise InputError(f"{place!r} is no place in Slack, such as 'C0123/1700000000.000100'")
    return found["channel"], found["ts"]


def thread_of(team: str, channel: str, ts: str, by: str, at: str) -> Thread:  # noqa: PLR0917 - in the order of Slack
    """The thread that begins with a message; its id is the same whoever opens it, and of no other workspace."""
    return Thread(hashed_id("TH", team, channel, ts), NAME, place_of(channel, ts), by, at)


def _content(post: Post, key: str, *, most: int) -> Mapping[str, Any]:
    """What is said, as Slack takes it: nothing in it is looked through for names and addresses."""
    shown = render(post, most=most)
    metadata = {"event_type": EVENT_TYPE, "event_payload": {"key": key}}
    return {
        "text": shown.text,
        "blocks": list(shown.blocks),
        "metadata": metadata,
        "parse": "none",
        "link_names": False,
    }
