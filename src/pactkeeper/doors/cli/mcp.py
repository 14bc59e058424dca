"""`pk mcp`: serve agents over the Model Context Protocol."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pactkeeper.doors.cli.output import note
from pactkeeper.doors.cli.parameters import workspace
from pactkeeper.errors import MissingExtra, UsageError, how_to_install
from pactkeeper.verbs.verb import TOOL_CATEGORIES, Category


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
def command(ctx: click.Context, *, listen: str | None, token: str | None, categories: tuple[Category, ...]) -> None:
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
