"""`pk transcripts watch`: keep reading transcripts as they grow."""

from __future__ import annotations

import time

import click

from pactkeeper.doors.cli.output import count, say, tally
from pactkeeper.doors.cli.parameters import personal
from pactkeeper.operators.transcripts_watch import EVERY, WatchRequest, watch_transcripts


@click.command("watch")
@click.option(
    "--every", type=click.FloatRange(min=0.1), default=EVERY, show_default=True, help="Seconds between two looks."
)
@click.option("--looks", type=click.IntRange(min=1), metavar="N", help="End after N looks.")
@click.option("--execute", is_flag=True, help="Do by itself what may happen by itself, as pk transcripts execute.")
@click.option("--daily", is_flag=True, help="Stand up once a day, at its first message, and say what waits.")
@click.pass_context
def watch_command(ctx: click.Context, *, every: float, looks: int | None, execute: bool, daily: bool) -> int:
    """Read what is new whenever a transcript has grown and been quiet, until somebody ends it.

    One process watches at a time. It may be ended or killed at any moment: what was read is stored, all else is read
    by the next one.
    """
    request = WatchRequest(time.sleep, every, looks, execute, daily)
    with personal(ctx) as opened:
        done = watch_transcripts(opened, request, say)
    brought = [("entries", done.entries), ("artifacts", done.artifacts), ("actions", done.actions)]
    say(f"watched: {count(done.looks, 'look')}: {tally(brought) or 'nothing new'}")
    return 1 if done.failures else 0
