"""`pk transcripts execute`, `log` and `precision`: do what is plain, what was done, and how often that was right."""

from __future__ import annotations

from typing import Final

import click

from pactkeeper.doors.cli.output import count, dim, document, say
from pactkeeper.doors.cli.parameters import as_json, personal
from pactkeeper.doors.cli.standup import print_deed, print_standup
from pactkeeper.errors import UsageError
from pactkeeper.operators.standup import action_precision, past_actions, stand_up
from pactkeeper.published.plain import Codec
from pactkeeper.published.standup import deed_row, standup_document
from pactkeeper.settings.actions import NEVER
from pactkeeper.transcripts.executing.carrying import Precision

_PRECISION: Final = Codec(Precision, "verb kind right wrong percent threshold")


@click.command("execute")
@click.option("--dry-run", is_flag=True, help="Write to no board; say what would happen.")
@click.option("--board", default="", metavar="NAME", help="Do only what was proposed last for this board.")
@as_json
@click.pass_context
def execute_command(ctx: click.Context, *, dry_run: bool, board: str, json_: bool) -> int:
    """Reconcile and do what may happen by itself, asking nobody; the rest waits for pk transcripts standup."""
    if board and dry_run:
        raise UsageError("--dry-run looks at all boards; leave it out, or leave out --board")
    with personal(ctx) as opened:
        found = stand_up(opened, dry_run=dry_run, board=board)
    if json_:
        document(standup_document(found))
    else:
        print_standup(found)
        if found.asked:
            say(f"next    pk transcripts standup decides {count(len(found.asked), 'action')}")
    return 1 if found.failed else 0


@click.command("log")
@click.option("--limit", "-n", type=click.IntRange(min=1), default=50, show_default=True, help="How many, newest last.")
@as_json
@click.pass_context
def log_command(ctx: click.Context, *, limit: int, json_: bool) -> int:
    """List past actions: when, who wanted it or that it happened by itself, and what became of it."""
    with personal(ctx) as opened:
        found = past_actions(opened)[-limit:]
    if json_:
        document({"deeds": [deed_row(one) for one in found]}, "deeds/1")
        return 0
    for one in found:
        say(dim(f"{one.at[:16].replace('T', ' ')}  {one.standing}, {one.by or 'by itself'}"))
        print_deed(one)
    if not found:
        say("nothing was done yet: pk transcripts standup")
    return 0


@click.command("precision")
@as_json
@click.pass_context
def precision_command(ctx: click.Context, *, json_: bool) -> int:
    """Say how often each kind of action was right, by what you said, and which threshold would help."""
    with personal(ctx) as opened:
        found = action_precision(opened)
    if json_:
        document({"precision": _PRECISION.each(found)}, "precision/1")
        return 0
    for one in found:
        how = "by itself" if one.kind == "auto" else "asked"
        say(f"{one.verb:<20}  {how:<9}  {one.percent:>3} %  {one.right} right, {one.wrong} wrong")
        if one.threshold is not None:
            _say_threshold(one)
    if not found:
        say("nobody has said anything to an action yet; pk transcripts standup")
    return 0


def _say_threshold(one: Precision) -> None:
    never = ", which is never" if one.threshold == NEVER else ""
    say(f"    to have fewer wrong ones, write into transcripts.toml: [actions.{one.kind}] {one.verb} = {one.threshold}")
    say(f"    that is the least number of points{never}")
