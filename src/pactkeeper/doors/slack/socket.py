"""Listening to Slack over a web socket that we open, which Slack's library opens anew whenever it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from logging import Logger
from typing import Any

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler

from pactkeeper.errors import BoardUnavailable


class SocketListener:
    """A connection that stays; `lost` is called when one begins after an earlier one broke off.

    Envelopes are taken one after the other, so that what people say is kept in the order in which it is delivered.
    """

    shown = "a web socket (Socket Mode)"

    def __init__(self, app: App, token: str, log: Logger, lost: Callable[[], None]) -> None:
        self._handler = SocketModeHandler(app, token, logger=log, concurrency=1)
        self._lost, self._met, self._asked = lost, False, False
        self._handler.client.on_message_listeners.append(self._look)

    def start(self) -> None:
        """Connect; raises what Slack's library raises, and BoardUnavailable where no connection came of it."""
        self._handler.connect()  # type: ignore[no-untyped-call]  # as the library has it
        if not self._handler.client.is_connected():
            raise BoardUnavailable("Slack gave an address for Socket Mode, and nothing answers there; try again")

    def stop(self) -> None:
        """Take nothing more, and wait for what is being kept."""
        self._handler.close()  # type: ignore[no-untyped-call]  # likewise

    def _look(self, raw: str) -> None:
        """Notice that a connection begins, and whether Slack had asked for it and so nothing was missed."""
        kind = _kind(raw)
        if kind == "disconnect":
            self._asked = True
        elif kind == "hello":
            missed, self._met, self._asked = self._met and not self._asked, True, False
            if missed:
                self._lost()


def _kind(raw: str) -> Any:  # noqa: ANN401 - whatever stands there
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found.get("type") if isinstance(found, dict) else None
