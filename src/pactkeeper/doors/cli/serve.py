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
