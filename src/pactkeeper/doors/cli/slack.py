"""`pk slack`: turn Slack threads into tickets."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import Ended, count, document, ending, mark, note, say
from pactkeeper.doors.cli.parameters import as_json, personal
from pactkeeper.errors import MissingExtra, UsageError, how_to_install
from pactkeeper.settings.slack import SlackSettings, slack_settings, slack_tokens

TURN: Final = 0.5  # seconds
LONGEST_NAME: Final = 35  # characters of an app's name at Slack


@click.group(cls=CommandGroup, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> int:
    """Serve Slack: mention the app in a thread and it asks questions, shows a preview, and creates the ticket.

    Runs until stopped, over a web socket or HTTP as slack.toml says, with tokens from the environment. If started in a
    repository, every draft is checked against its pact. docs/slack.md shows how to set it up.
    """
    return 0 if ctx.invoked_subcommand is not None else _serve(ctx)


@command.command()
@as_json
def test(*, json_: bool) -> int:
    """Check the set-up at Slack and list what is missing; exit 1 if anything is. Posts nothing."""
    settings = _settings()
    with _installed():
        from pactkeeper.doors.slack.serving import check  # noqa: PLC0415 - an extra
    found = check(settings, slack_tokens(settings.mode), note)
    if json_:
        document({"mode": settings.mode, **asdict(found)}, "slack-test/1")
        return 1 if found.problems else 0
    say(f"{found.user_name} ({found.user}) in {found.team_name} ({found.team}), mode {settings.mode}")
    for problem in found.problems:
        say(f"{mark('error')} {problem}")
    say(count(len(found.problems), "problem") if found.problems else "everything it needs is there")
    return 1 if found.problems else 0


@command.command()
@click.option("--name", default="Pactkeeper", metavar="NAME", help="The app's name (default: Pactkeeper).")
@click.option("--url", default="", metavar="URL", help="Where Slack reaches your proxy; needed in mode http.")
def manifest(*, name: str, url: str) -> None:
    """Print the manifest of the app, as JSON for "Create New App", "From a manifest" at Slack."""
    from pactkeeper.settings.slack import manifest as made  # noqa: PLC0415 - like every part of that package

    mode = _settings().mode
    if mode == "socket" and url:
        raise UsageError('--url is for mode http, and slack.toml says socket; leave it out, or write mode = "http"')
    if mode == "http" and not url.startswith("https://"):
        raise UsageError(f"--url {url!r} is not an https address; say where Slack reaches your proxy")
    if not 0 < len(name.strip()) <= LONGEST_NAME:
        raise UsageError(f"--name {name!r} does not fit: Slack takes 1 to {LONGEST_NAME} characters")
    document(made(name.strip(), url))


def _serve(ctx: click.Context) -> int:
    settings = _settings()
    tokens = slack_tokens(settings.mode)
    with _installed():
        from pactkeeper.doors.slack.serving import serving  # noqa: PLC0415 - an extra
    try:
        with ending(), serving(Path(ctx.obj).resolve(), settings, tokens, note) as shown:
            say(f"listening on {shown}, in {_where(settings)}; {_whose(settings)}. Ctrl-C ends it")
            _wait_for_a_signal()
    except Ended as error:
        note(f"ended by {error}; messages received are kept, and running work was finished")
        return error.exit_code
    return 0


def _wait_for_a_signal() -> None:
    """Wait in short turns: a signal that arrives as a long wait begins would be noticed only after it."""
    never = threading.Event()
    while True:
        never.wait(TURN)


def _settings() -> SlackSettings:
    with personal() as own:
        return slack_settings(own.surroundings.preferences)


def _where(settings: SlackSettings) -> str:
    return ", ".join(sorted(settings.channels)) or "every channel it is invited to"


def _whose(settings: SlackSettings) -> str:
    return f"approved by {', '.join(sorted(settings.approvers)) or 'anybody in a thread'}"


@contextmanager
def _installed() -> Iterator[None]:
    """Name the missing extra if Slack's library is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(("slack_bolt", "slack_sdk")):
            raise
        raise MissingExtra(f"Slack's library is not installed: {how_to_install('slack')}") from error
