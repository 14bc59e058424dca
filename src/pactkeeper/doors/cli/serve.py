"""`pk serve` and `pk mcp`: serve the web pages and the REST API, on this machine or for a team, and serve agents."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pactkeeper.doors.cli.output import note
from pactkeeper.doors.cli.parameters import workspace
from pactkeeper.errors import MissingExtra, UsageError, how_to_install
from pactkeeper.verbs.verb import TOOL_CATEGORIES, Category

PARTS = ("fastapi", "uvicorn", "starlette", "prometheus_client", "anyio", "authlib", "joserfc", "argon2")


@click.command()
@click.option("--listen", default="8766", show_default=True, metavar="[HOST:]PORT", help="Where; 0 takes a free port.")
@click.option("--port", hidden=True, metavar="PORT", help="A word for --listen that others use.")
@click.option(
    "--token",
    envvar="PACTKEEPER_SERVE_TOKEN",
    metavar="TOKEN",
    help="What every request must bring (default: a new one for one session, printed to stderr); better in "
    "PACTKEEPER_SERVE_TOKEN.",
)
@click.option("--team", is_flag=True, help="Serve accounts and registered repositories: pk users, pk repos.")
@click.option("--url", default="", metavar="URL", help="With --team: how people reach it, https://HOST.")
@click.option("--behind", default="", metavar="ADDRESS", help="With --team: a proxy that is believed on who calls.")
def command(  # noqa: PLR0913 - click's
    *, listen: str, port: str | None, token: str | None, team: bool, url: str, behind: str
) -> None:
    """Serve this repository's pact as pages and over REST, on this machine, to whoever has the token.

    With --team it serves registered repositories to accounts: docs/team-server.md. /openapi.json describes every path.
    What a program writes is shown first and done on a second request that consents to it; docs/rest.md has the first
    steps.
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
        raise UsageError("the token is empty; give at least 16 characters, or none to get one")
    with workspace() as (opened, _):
        folder = Path(opened.repository.root)
    serve(folder, Address.of(listen), token)


@click.command()
@click.option("--http", "listen", metavar="HOST:PORT", help="Listen there instead of standard input and output.")
@click.option(
    "--token",
    envvar="PACTKEEPER_MCP_TOKEN",
    metavar="TOKEN",
    help="What clients over HTTP must send (default: a new one, printed to stderr); better in PACTKEEPER_MCP_TOKEN.",
)
@click.option(
    "--category",
    "categories",
    multiple=True,
    type=click.Choice(TOOL_CATEGORIES),
    help="Offer the tools of this category alone; may be repeated (default: all tools).",
)
@click.pass_context
def mcp_command(ctx: click.Context, *, listen: str | None, token: str | None, categories: tuple[Category, ...]) -> None:
    """Serve this repository to a coding agent, by the Model Context Protocol.

    The agent reads, reconciles, answers questions and proposes; what is written a person confirms, in the client or by
    `pk apply PATCH --confirm PROPOSAL`; nothing an agent can call commits. Over standard input and output unless --http
    says where to listen; a bare port means 127.0.0.1. docs/agents.md shows how to set up clients.
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
        raise UsageError("--token is for --http; a client over standard input and output needs none")
    with workspace() as (opened, _):
        folder = Path(opened.repository.root)
    if listen is None:
        if sys.stdin.isatty():
            note("waiting for a client on standard input; your client starts this (docs/agents.md). Ctrl-D ends it.")
        serve_stdio(folder, categories=categories)
    else:
        serve_http(folder, Address.of(listen), token, categories=categories)
