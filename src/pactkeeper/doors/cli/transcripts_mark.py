"""`pk transcripts mark`: have the model that is set up mark what rules did not find."""

from __future__ import annotations

from dataclasses import asdict

import click

from pactkeeper.doors.cli.output import count, document, mark, note, say, tally
from pactkeeper.doors.cli.parameters import DOLLARS, as_json, personal
from pactkeeper.intent.redaction import redacted
from pactkeeper.ledger.answering import Estimate
from pactkeeper.ledger.model import dollars
from pactkeeper.operators.marking import MarkedTranscripts, estimate_marking, mark_transcripts


@click.command("mark")
@click.argument("named", nargs=-1, metavar="[ID]...")
@click.option("--max-cost", type=DOLLARS, metavar="USD", help="Spend at most this on the model.")
@click.option("--estimate", is_flag=True, help="Only say what asking the model would take at most.")
@as_json
@click.pass_context
def mark_command(
    ctx: click.Context, named: tuple[str, ...], *, max_cost: int | None, estimate: bool, json_: bool
) -> int:
    """Have the model that is set up mark plans, analyses and decisions that rules did not find.

    It is shown what was said, without secrets, and names lines; the program copies them. By default the conversations
    of the last days are shown, each part of them once.
    """
    with personal(ctx) as opened:
        if estimate:
            most = estimate_marking(opened, named)
            _estimated(most, json_=json_)
            return 0
        found = mark_transcripts(opened, named, max_cost=max_cost)
    if json_:
        rows = {key: value for key, value in asdict(found).items() if key != "marking"}
        document({**rows, **asdict(found.marking)}, "marking/1")
    else:
        _print(found)
    return 0


def _estimated(most: Estimate, *, json_: bool) -> None:
    if json_:
        document(most, "estimate/1")
        return
    fresh = most.prompts - most.cached
    tokens = most.usage.input_tokens + most.usage.output_tokens
    say(f"{count(fresh, 'part')} of conversations to be shown, {most.cached:,} were shown before")
    say(f"at most {most.usage.calls:,} calls, {tokens:,} tokens, {dollars(most.usage.money)}")


def _print(found: MarkedTranscripts) -> None:
    marking = found.marking
    for line in marking.unread:
        note(f"{mark('warning')} {line}")
    for line in marking.reasons:
        note(f"{mark('warning')} {redacted(line)}")
    asked = [("answered", marking.answered), ("answered before", marking.cached), ("refused", marking.refused)]
    more = [("failed", marking.failed), ("not asked for want of budget", marking.over_budget)]
    say(f"{found.model}: {tally([*asked, *more]) or 'nothing to ask'}; {dollars(marking.money)}")
    say(f"{count(marking.artifacts, 'new artifact')}, {marking.known:,} known before")
    if found.left:
        say(f"{count(found.left, 'conversation')} left; go on with: pk transcripts mark")
    if found.alert:
        note(f"{mark('warning')} {found.alert}")
    if marking.artifacts:
        say("next    pk transcripts artifacts")
