"""Messages missed while nothing was listening: read from the most recent threads only."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from slack_sdk.errors import SlackClientError

from pactkeeper.doors.slack.door import CHANNEL, Door, keep, thread_named
from pactkeeper.doors.slack.events import Spot, from_a_person, reason_of, said, ts_of
from pactkeeper.operators.slack import BoundThread, bound_threads
from pactkeeper.tickets.channels.slack import answered, part, parts, read_place

MOST_THREADS: Final = 50
MOST_PAGES, PAGE = 5, 200
MOST_SECONDS: Final = 60.0  # nothing is acted on meanwhile, so it must end


def hear_missed(door: Door) -> None:
    """Store what people said since each thread was last heard.

    Threads that can't be read are reported, and so are those left out; a rate limit ends it.
    """
    bound = [one for one in bound_threads(door.desk, CHANNEL) if _is_ours(door, one)]
    looked, end = 0, time.monotonic() + MOST_SECONDS
    for one in bound[:MOST_THREADS]:
        looked += 1
        if not _try(door, one) or time.monotonic() > end:
            break
    if looked < len(bound):
        left = f"{len(bound) - looked} of {len(bound)} threads were not looked at for what was said meanwhile"
        door.tell(f"{left}; new messages there are received")


def hear_missed_in(door: Door, name: str) -> None:
    """Do the same for one thread, when a delivery came late and others may have come before it."""
    for one in bound_threads(door.desk, CHANNEL):
        if one.thread.id == name:
            _hear(door, one)


def _try(door: Door, bound: BoundThread) -> bool:
    """Read one thread; returns whether the next may be tried, that is, Slack set no rate limit."""
    try:
        _hear(door, bound)
    except (SlackClientError, OSError) as error:
        door.tell(f"what was said in {bound.thread.id} meanwhile cannot be read: {reason_of(error)}")
        return reason_of(error) != "ratelimited"
    return True


def _hear(door: Door, bound: BoundThread) -> None:
    spot = _spot(bound)
    for message in _replies(door, spot, oldest=ts_of(bound.thread.opened_at)):
        if from_a_person(message, door.here):
            found = said(message, spot.channel, door.here)
            if found.sequence > bound.last:
                keep(door, found)


def _replies(door: Door, spot: Spot, *, oldest: str) -> Iterator[Mapping[str, Any]]:
    """The messages of a thread from `oldest` on, page by page; reports if there are more than are read."""
    cursor = ""
    for _ in range(MOST_PAGES):
        asked = partial(
            door.patient.conversations_replies,
            channel=spot.channel, ts=spot.root, oldest=oldest, inclusive=True, limit=PAGE, cursor=cursor or None,
        )  # fmt: skip
        page = answered(asked)
        yield from parts(page, "messages")
        cursor = str(part(page, "response_metadata").get("next_cursor") or "")
        if not cursor:
            return
    door.tell(
        f"{spot.channel}/{spot.root} has more than {MOST_PAGES * PAGE:,} messages; the newest were not read again"
    )


def _spot(bound: BoundThread) -> Spot:
    channel, root = read_place(bound.thread.place)
    return Spot(channel, root, root)


def _is_ours(door: Door, bound: BoundThread) -> bool:
    """Whether a thread belongs to this workspace and to a channel that is listened to."""
    spot = _spot(bound)
    return door.listens(spot.channel) and thread_named(door, spot) == bound.thread.id
