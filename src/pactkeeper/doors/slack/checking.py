"""Whether Slack is set up: who we are there, which scopes are missing, and where nobody invited us yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from pactkeeper.doors.slack.manifest import APP_SCOPE, SCOPES
from pactkeeper.doors.slack.people import reason_of
from pactkeeper.doors.slack.serving import PATIENT, Tell, client_of, reaching
from pactkeeper.doors.slack.telling import logger
from pactkeeper.settings.slack import APP, SlackSettings, SlackTokens

_NO_TS = "1.000000"  # no message has it, so asking for it tells only whether we may ask
_AWAY = frozenset({"not_in_channel", "channel_not_found", "is_archived"})


@dataclass(frozen=True, slots=True)
class Checked:
    """Who the bot is in which workspace, the scopes that it has, and each thing that is missing with what to do."""

    team: str
    team_name: str
    user: str
    user_name: str
    scopes: tuple[str, ...]
    problems: tuple[str, ...]


def check(settings: SlackSettings, tokens: SlackTokens, tell: Tell) -> Checked:
    """Ask Slack; nothing is posted. Raises SourceError where it cannot be reached or does not take the bot's token."""
    client = client_of(settings, tokens, seconds=PATIENT, log=logger(tell))
    with reaching():
        found = client.auth_test()
        scopes = _scopes(found.headers)
        problems = (*_missing(scopes), *_unreached(client, settings, tokens))
    team, team_name, user, user_name = (str(found.get(one) or "") for one in ("team_id", "team", "user_id", "user"))
    return Checked(team, team_name, user, user_name, tuple(sorted(scopes)), problems)


def _scopes(headers: dict[str, object]) -> frozenset[str]:
    """What `x-oauth-scopes` lists; its name comes in any case, and its value alone or in a list."""
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
            client.apps_connections_open(app_token=tokens.app)
        except SlackApiError as error:
            yield f"Socket Mode does not open: {reason_of(error)}; {APP} needs the scope {APP_SCOPE}, and it must be on"
    for channel in sorted(settings.channels):
        try:
            client.conversations_replies(channel=channel, ts=_NO_TS, limit=1)
        except SlackApiError as error:
            if error.response["error"] in _AWAY:
                yield f"the channel {channel} is not open to it ({reason_of(error)}): invite it there with /invite"
