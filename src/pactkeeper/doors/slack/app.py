"""The app of Slack's library: it looks at signatures and times, and hands events, clicks and forms to the door.

A listener comes back before Slack is answered: what is acknowledged is stored, and what fails is delivered again.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from slack_bolt import Ack, App, BoltRequest

from pactkeeper.doors.slack.clicking import clicked, submitted
from pactkeeper.doors.slack.clicks import FIELD, FORM
from pactkeeper.doors.slack.door import Door
from pactkeeper.doors.slack.hearing import hear
from pactkeeper.doors.slack.missed import hear_missed_in
from pactkeeper.errors import InputError

_ANY: Final = re.compile(".*", re.DOTALL)


def build(door: Door, signing: str, log: logging.Logger) -> App:
    """Wire listeners; raises as Slack's library does where the token of the client opens nothing."""
    app = App(
        name="pactkeeper",
        client=door.patient,
        signing_secret=signing,
        process_before_response=True,
        logger=log,
    )
    for kind in ("app_mention", "message"):
        app.event(kind)(partial(_heard, door))
    app.event(_ANY)(_ignored)
    app.action(_ANY)(partial(_clicked, door))
    app.view(FORM)(partial(_submitted, door))
    return app


def _heard(door: Door, event: Mapping[str, Any], request: BoltRequest) -> None:
    try:
        thread = hear(door, event)
    except InputError as error:
        door.tell(str(error))  # the same again would be no better, so it is acknowledged
        return
    if thread and _tried_before(request):
        door.work.aside(partial(hear_missed_in, door, thread))


def _tried_before(request: BoltRequest) -> bool:
    """Whether Slack got no answer before; over a web socket it counts from 0."""
    return request.headers.get("x-slack-retry-num", ["0"])[0] not in {"", "0"}


def _ignored() -> None:
    """Nothing: what somebody subscribed the app to besides is acknowledged, or Slack would stop sending all of it."""


def _clicked(door: Door, body: Mapping[str, Any], ack: Ack) -> None:
    try:
        clicked(door, body)
    except InputError as error:
        door.tell(str(error))
    ack()


def _submitted(door: Door, body: Mapping[str, Any], ack: Ack) -> None:
    wrong = submitted(door, body)
    if wrong:
        ack(response_action="errors", errors={FIELD: wrong})
    else:
        ack()
