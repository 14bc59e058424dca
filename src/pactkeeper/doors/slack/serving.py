"""Serve Slack: listen, read what was missed, and then run what is due, until stopped.

Slack's library checks signatures and times, and passes events, clicks and forms on. A handler returns before Slack gets
its answer: whatever is acknowledged is stored, and whatever fails is delivered again.

The setup check is here too: our identity at Slack, missing scopes, and channels without an invitation.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from errno import EBADMSG
from functools import partial
from logging import Logger
from pathlib import Path
from typing import Any, Final, Protocol

from slack_bolt import Ack, App, BoltRequest
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_bolt.error import BoltError
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from pactkeeper.doors.slack.clicking import FIELD, FORM, clicked, submitted
from pactkeeper.doors.slack.door import CHANNEL, PAUSE, Door, Work, hear, hear_missed, hear_missed_in
from pactkeeper.doors.slack.events import Here, People, reason_of
from pactkeeper.doors.slack.http import HttpServer
from pactkeeper.errors import BoardUnavailable, InputError, NotARepository, SourceError
from pactkeeper.operators.slack import due_in_channel, run_bound_thread
from pactkeeper.operators.thread_ground import Desk
from pactkeeper.personal import open_personal
from pactkeeper.settings.slack import APP, APP_SCOPE, SCOPES, SlackSettings, SlackTokens
from pactkeeper.tickets.channels import Channel
from pactkeeper.tickets.channels.slack import SlackChannel, answered, heard
from pactkeeper.workspace import open_workspace


class SocketListener:
    """A persistent connection; `lost` is called when one begins after an earlier one broke off.

    Envelopes are processed one at a time, so that messages are stored in the order of delivery.
    """

    shown = "a web socket (Socket Mode)"

    def __init__(self, app: App, token: str, log: Logger, lost: Callable[[], None]) -> None:
        self._handler = SocketModeHandler(app, token, logger=log, concurrency=1)
        self._lost, self._met, self._asked = lost, False, False
        self._handler.client.on_message_listeners.append(self._look)

    def start(self) -> None:
        """Connect; raises what Slack's library raises, and BoardUnavailable if no connection was made."""
        self._handler.connect()  # type: ignore[no-untyped-call]  # as the library has it
        if not self._handler.client.is_connected():
            raise BoardUnavailable("Slack gave an address for Socket Mode, and nothing answers there; try again")

    def stop(self) -> None:
        """Accept nothing more, and wait for what is being stored."""
        self._handler.close()  # type: ignore[no-untyped-call]  # likewise

    def _look(self, raw: str) -> None:
        """Notice a new connection, and whether Slack had asked for the reconnect, in which case nothing was missed."""
        kind = _kind(raw)
        if kind == "disconnect":
            self._asked = True
        elif kind == "hello":
            missed, self._met, self._asked = self._met and not self._asked, True, False
            if missed:
                self._lost()


def _kind(raw: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return found.get("type") if isinstance(found, dict) else None


QUICK, PATIENT = 2, 20  # seconds for one call; Slack waits three for an acknowledgement
Tell = Callable[[str], None]


class Listener(Protocol):
    """Receives what Slack sends."""

    @property
    def shown(self) -> str:
        """The address it listens on, for display."""

    def start(self) -> None:
        """Start listening."""

    def stop(self) -> None:
        """Accept nothing more, and answer what has arrived."""


@contextmanager
def serving(
    folder: Path, settings: SlackSettings, tokens: SlackTokens, tell: Tell, *, pause: float = PAUSE
) -> Iterator[str]:
    """Serve Slack while this is open, with the repository around `folder` if there is one; yields the address.

    At the end nothing new is accepted, and running work finishes its run. Raises SourceError if Slack can't be reached
    or rejects the tokens, UsageError if the address can't be bound.
    """
    with ExitStack() as closing:
        own = closing.enter_context(open_personal(notice=tell))
        own.history(make=True)
        log = logger(tell)
        client, patient = (client_of(settings, tokens, seconds=one, log=log) for one in (QUICK, PATIENT))
        with reaching():
            here = who(patient)
        desk = Desk(own)
        run = partial(_run, folder, SlackChannel(patient), tell)
        work = Work(run, partial(due_in_channel, desk, CHANNEL), tell, pause=pause)
        closing.callback(work.stop)
        door = Door(here, settings, desk, client, patient, People(client, tell), work, tell)
        with reaching():
            listener = _listener(door, tokens, log)
            closing.callback(listener.stop)
            listener.start()
        hear_missed(door)
        work.begin()
        yield listener.shown


def client_of(settings: SlackSettings, tokens: SlackTokens, *, seconds: int, log: Logger) -> WebClient:
    """A client that tries once, with a timeout of `seconds`."""
    return WebClient(tokens.bot, base_url=settings.base_url, timeout=seconds, logger=log, retry_handlers=[])


def who(client: WebClient) -> Here:
    """Our identity at Slack; raises what Slack's library raises."""
    found = answered(client.auth_test)
    team, user = (str(found.get(name) or "") for name in ("team_id", "user_id"))
    if not (team and user):
        raise OSError(EBADMSG, "it does not say which app this is")
    return Here(team, user)


@contextmanager
def reaching() -> Iterator[None]:
    """Raise SourceError instead of the errors of Slack's library; it contains no token."""
    try:
        yield
    except (SlackClientError, BoltError, OSError) as error:
        raise SourceError(
            f"Slack cannot be served: {reason_of(error)}; to see what is missing: pk slack test"
        ) from error


def _listener(door: Door, tokens: SlackTokens, log: Logger) -> Listener:
    settings, app = door.settings, build(door, tokens.signing, log)
    if settings.mode == "http":
        address = (settings.host, settings.port)
        return HttpServer(app, address, settings.path, logger(door.tell, by="HTTP"))
    return SocketListener(app, tokens.app, log, partial(_again, door))


def _again(door: Door) -> None:
    """Read what was missed while a connection was lost, before acting on anything later."""
    door.work.hold()
    door.tell("the web socket broke and was reopened; messages sent meanwhile are read now")

    def hear() -> None:
        try:
            hear_missed(door)
        finally:
            door.work.release()

    door.work.aside(hear)


def _run(folder: Path, channel: Channel, tell: Tell, name: str) -> str:
    """Do everything due in a thread; returns why it has to be retried, empty if it needn't."""
    with _desk(folder, channel, tell) as desk:
        went = run_bound_thread(desk, name)
    if went.unsaid and went.ran != "busy":
        return f"{went.unsaid} posts wait for Slack; for the reason: pk thread show {name} --trace"
    return ""


@contextmanager
def _desk(folder: Path, channel: Channel, tell: Tell) -> Iterator[Desk]:
    """The desk of a run, opened anew, so that it uses the current settings and pact."""
    with ExitStack() as stack:
        own = stack.enter_context(open_personal(notice=tell))
        try:
            opened = stack.enter_context(open_workspace(folder, notice=tell))
        except NotARepository:
            opened = None
        yield Desk(own, opened, (channel,))


_ANY: Final = re.compile(".*", re.DOTALL)


def build(door: Door, signing: str, log: logging.Logger) -> App:
    """Wire up the listeners; raises what Slack's library raises if the client's token is invalid."""
    app = App(name="pactkeeper", client=door.patient, signing_secret=signing, process_before_response=True, logger=log)
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
        door.tell(str(error))  # a retry would fail in the same way, so the event is acknowledged
        return
    if thread and _tried_before(request):
        door.work.aside(partial(hear_missed_in, door, thread))


def _tried_before(request: BoltRequest) -> bool:
    """Whether Slack got no answer to an earlier delivery; over a web socket it counts from 0."""
    return request.headers.get("x-slack-retry-num", ["0"])[0] not in {"", "0"}


def _ignored() -> None:
    """Do nothing: acknowledge events that the app is subscribed to but doesn't use, or Slack would stop sending any."""


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


_NO_TS = "1.000000"  # no message has this timestamp, so reading it only tells whether we may
_AWAY = frozenset({"not_in_channel", "channel_not_found", "is_archived"})


@dataclass(frozen=True, slots=True)
class CheckedSlack:
    """The bot's identity and workspace, and every problem with what to do about it."""

    team: str
    team_name: str
    user: str
    user_name: str
    problems: tuple[str, ...]


def check(settings: SlackSettings, tokens: SlackTokens, tell: Tell) -> CheckedSlack:
    """Ask Slack, without posting. Raises SourceError if it can't be reached or rejects the bot's token."""
    client = client_of(settings, tokens, seconds=PATIENT, log=logger(tell))
    with reaching():
        found = heard(client.auth_test)
        problems = (*_missing(_scopes(found.headers)), *_unreached(client, settings, tokens))
    team, team_name, user, user_name = (str(found.get(one) or "") for one in ("team_id", "team", "user_id", "user"))
    return CheckedSlack(team, team_name, user, user_name, problems)


def _scopes(headers: dict[str, object]) -> frozenset[str]:
    """The scopes listed in `x-oauth-scopes`, whose name comes in any case, and whose value may be in a list."""
    found = next((value for name, value in headers.items() if name.lower() == "x-oauth-scopes"), "")
    said = ",".join(found) if isinstance(found, list) else str(found)
    return frozenset(one.strip() for one in said.split(",") if one.strip())


def _missing(scopes: frozenset[str]) -> Iterator[str]:
    for scope, use in SCOPES.items():
        if scope not in scopes:
            yield f"the scope {scope} is missing, by which it would {use}: add it, and install the app again"


def _unreached(client: WebClient, settings: SlackSettings, tokens: SlackTokens) -> Iterator[str]:
    if settings.mode == "socket":
        try:
            answered(partial(client.apps_connections_open, app_token=tokens.app))
        except SlackApiError as error:
            yield f"Socket Mode does not open: {reason_of(error)}; {APP} needs the scope {APP_SCOPE}, and it must be on"
    for channel in sorted(settings.channels):
        try:
            answered(partial(client.conversations_replies, channel=channel, ts=_NO_TS, limit=1))
        except SlackApiError as error:
            if reason_of(error).partition(" ")[0] in _AWAY:
                yield f"the channel {channel} is not open to it ({reason_of(error)}): invite it there with /invite"


_APART, _MOST = 60.0, 50  # seconds before a text is repeated; how many texts are remembered
_SESSION: Final = re.compile(r"session id: [\w-]+,? ?")
_SECRET: Final = re.compile(r"xox[a-z]-[\w-]+|xapp-[\w-]+|(?<=ticket=)[\w-]+")


def logger(tell: Callable[[str], None], *, by: str = "Slack's library") -> logging.Logger:
    """A logger that passes errors of Slack's library, or of `by`, to `tell` with secrets removed, and nothing else."""
    found = logging.Logger("slack", logging.ERROR)  # noqa: LOG001 - a global logger would keep the handlers of others
    found.addHandler(_Told(tell, by))
    return found


class _Told(logging.Handler):
    """Passes records on; a recurring one, as while Slack is down, at most once a minute and with a count."""

    def __init__(self, tell: Callable[[str], None], by: str) -> None:
        super().__init__(logging.ERROR)
        self._tell, self._by = tell, by
        self._before: dict[str, tuple[float, int]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Pass on a record, with its traceback if it has one."""
        text = _SESSION.sub("", _SECRET.sub("…", self.format(record)))
        told, since = self._before.get(text, (0.0, 0))
        if since and record.created - told < _APART:
            self._before[text] = (told, since + 1)
            return
        self._before = {**dict(list(self._before.items())[-_MOST:]), text: (record.created, 1)}
        self._tell(f"{self._by}: {text}{f' ({since} times before)' if since > 1 else ''}")
