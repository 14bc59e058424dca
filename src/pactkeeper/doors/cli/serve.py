"""`pk serve`: the REST API on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from pactkeeper.doors.cli.parameters import workspace
from pactkeeper.errors import MissingExtra, UsageError, how_to_install

PARTS = ("fastapi", "uvicorn", "starlette", "prometheus_client", "anyio")


@click.command()
@click.option("--listen", default="8766", show_default=True, metavar="[HOST:]PORT", help="Where; 0 takes a free port.")
@click.option(
    "--token",
    envvar="PACTKEEPER_SERVE_TOKEN",
    metavar="TOKEN",
    help="What every request must bring (default: a new one for one session, told on stderr); better in "
    "PACTKEEPER_SERVE_TOKEN.",
)
@click.pass_context
def command(ctx: click.Context, *, listen: str, token: str | None) -> int:
    """Serve this repository's pact over REST, to programs on this machine that have the token.

    /openapi.json describes every path. What is written is shown first and done on a second request that consents to it;
    nothing here commits. docs/rest.md has the first steps.
    """
    try:
        from pactkeeper.doors.rest.serving import serve  # noqa: PLC0415 - an extra
        from pactkeeper.verbs.listening import Address  # noqa: PLC0415 - likewise
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in PARTS:
            raise
        raise MissingExtra(f"the server is not installed: {how_to_install('server')}") from error
    if token == "":
        raise UsageError("the token is empty; give at least 16 characters, or none to get one")
    with workspace(ctx) as (opened, _):
        folder = Path(opened.repository.root)
    serve(folder, Address.of(listen), token)
    return 0
