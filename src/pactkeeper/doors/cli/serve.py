"""`pk serve`, `pk mcp` and `pk slack`: serve the web pages and the REST API, coding agents, and threads of Slack."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import Ended, count, document, ending, mark, note, say
from pactkeeper.doors.cli.parameters import as_json, personal, workspace
from pactkeeper.errors import MissingExtra, UsageError, how_to_install
from pactkeeper.settings.slack import SlackSettings, slack_settings, slack_tokens
from pactkeeper.settings.slack import manifest as made
from pactkeeper.verbs.verb import TOOL_CATEGORIES, Category

PARTS = ("fastapi", "uvicorn", "starlette", "prometheus_client", "anyio", "authlib", "joserfc", "argon2")


@click.command()
@click.option(
    "--listen", default="8766", show_default=True, metavar="[HOST:]PORT", help="Where to listen; 0 picks a free port."
)
@click.option("--port", hidden=True, metavar="PORT", help="An alias of --listen.")
@click.option(
    "--token",
    envvar="PACTKEEPER_SERVE_TOKEN",
    metavar="TOKEN",
    help="The token every request must send (default: a new one per start, printed to stderr); safer in "
    "PACTKEEPER_SERVE_TOKEN.",
)
@click.option("--team", is_flag=True, help="Serve accounts and registered repositories: pk users, pk repos.")
@click.option("--url", default="", metavar="URL", help="With --team: the public address, https://HOST.")
@click.option("--behind", default="", metavar="ADDRESS", help="With --team: a proxy trusted to name the client.")
def command(  # noqa: PLR0913 - click's
    *, listen: str, port: str | None, token: str | None, team: bool, url: str, behind: str
) -> None:
    """Serve this repository's pact as web pages and over REST, on this machine, to anyone with the token.

    With --team it serves registered repositories to accounts: docs/team-server.md. /openapi.json describes every path.
    A write over REST is previewed first and done on a second request that consents; docs/rest.md has the first steps.
    """
    try:
        from pactkeeper.doors.web.serving import Public, serve, serve_team  # noqa: PLC0415 - an extra
        from pactkeeper.verbs.listening import Address  # noqa: PLC0415 - likewise
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in PARTS:
            raise
        raise MissingExtra(f"the server is not installed: {how_to_install('server')}") from error
    if port is not None:
        raise UsageError(f"the port is part of the address: --listen {port}")
    if team:
        serve_team(Address.of(listen, everywhere=bool(url)), Public(url, behind))
        return
    if token == "":
        raise UsageError("the token is empty; give at least 16 characters, or leave it out to get one")
    with workspace() as (opened, _):
        folder = Path(opened.repository.root)
    serve(folder, Address.of(listen), token)


@click.command()
@click.option("--http", "listen", metavar="HOST:PORT", help="Listen here instead of using stdin and stdout.")
@click.option(
    "--token",
    envvar="PACTKEEPER_MCP_TOKEN",
    metavar="TOKEN",
    help="The token HTTP clients must send (default: a new one, printed to stderr); safer in PACTKEEPER_MCP_TOKEN.",
)
@click.option(
    "--category",
    "categories",
    multiple=True,
    type=click.Choice(TOOL_CATEGORIES),
    help="Offer only the tools of this category; repeatable (default: all tools).",
)
@click.pass_context
def mcp_command(ctx: click.Context, *, listen: str | None, token: str | None, categories: tuple[Category, ...]) -> None:
    """Serve this repository to a coding agent over the Model Context Protocol.

    The agent reads, reconciles, answers questions and proposes; a person confirms each write, in the client or with `pk
    apply PATCH --confirm PROPOSAL`; no tool can commit. Speaks over stdin and stdout unless --http says where to
    listen; a bare port means 127.0.0.1. docs/agents.md shows how to set up clients.
    """
    try:
        from pactkeeper.doors.mcp.serving import serve_http, serve_stdio  # noqa: PLC0415 - an extra
        from pactkeeper.verbs.listening import Address  # noqa: PLC0415 - likewise
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("mcp"):
            raise
        raise MissingExtra(f"the MCP server is not installed: {how_to_install('mcp')}") from error
    if (
        token is not None
        and listen is None
        and ctx.get_parameter_source("token") is click.core.ParameterSource.COMMANDLINE
    ):
        raise UsageError("--token is for --http; a client over stdin and stdout needs none")
    with workspace() as (opened, _):
        folder = Path(opened.repository.root)
    if listen is None:
        if sys.stdin.isatty():
            note("waiting for a client on standard input; your client starts this (docs/agents.md). Ctrl-D ends it.")
        serve_stdio(folder, categories=categories)
    else:
        serve_http(folder, Address.of(listen), token, categories=categories)


TURN: Final = 0.5  # seconds
LONGEST_NAME: Final = 35  # characters of an app's name at Slack


@click.group(cls=CommandGroup, invoke_without_command=True)
@click.pass_context
def slack(ctx: click.Context) -> int:
    """Serve Slack: mention the app in a thread and it asks questions, shows a preview, and creates the ticket.

    Runs until stopped, over a web socket or HTTP as slack.toml says, with tokens from the environment. If started in a
    repository, every draft is checked against its pact. docs/slack.md shows how to set it up.
    """
    return 0 if ctx.invoked_subcommand is not None else _serve(ctx)


@slack.command("test")
@as_json
def slack_test(*, json_: bool) -> int:
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


@slack.command()
@click.option("--name", default="Pactkeeper", metavar="NAME", help="The app's name (default: Pactkeeper).")
@click.option("--url", default="", metavar="URL", help="Where Slack reaches your proxy; needed in mode http.")
def manifest(*, name: str, url: str) -> None:
    """Print the manifest of the app, as JSON for "Create New App", "From a manifest" at Slack."""
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
            channels = ", ".join(sorted(settings.channels)) or "every channel it is invited to"
            approvers = ", ".join(sorted(settings.approvers)) or "anybody in a thread"
            say(f"listening on {shown}, in {channels}; approved by {approvers}. Ctrl-C ends it")
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


@contextmanager
def _installed() -> Iterator[None]:
    """Name the missing extra if Slack's library is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(("slack_bolt", "slack_sdk")):
            raise
        raise MissingExtra(f"Slack's library is not installed: {how_to_install('slack')}") from error
