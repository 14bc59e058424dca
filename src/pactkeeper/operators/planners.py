"""What is told of every sweep that a watch makes: a feed, a webhook, a task board."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pactkeeper.operators.board_tasks import put_on_board
from pactkeeper.operators.sweep_document import as_feed

if TYPE_CHECKING:
    from pactkeeper.health.feed import Feed
    from pactkeeper.health.webhook import Webhook
    from pactkeeper.operators.sweep import Swept
    from pactkeeper.operators.watch import Opener, Planner


def to_feed(feed: Feed) -> Planner:
    """Add a line for every sweep."""
    return lambda found: feed.add(as_feed(found))


def to_webhook(webhook: Webhook) -> Planner:
    """Post every sweep, under the id of the sweep."""
    return lambda found: webhook.deliver(found.sweep.id, as_feed(found))


def to_board(opener: Opener, board: str) -> Planner:
    """Bring a board up to date with all fix tasks after every sweep that is not stale.

    Raises UsageError at once for a board that is not set up.
    """
    with opener() as workspace:
        workspace.board(board)

    def put(found: Swept) -> None:
        if not found.sweep.stale:
            with opener() as workspace:
                put_on_board(workspace, board)

    return put
