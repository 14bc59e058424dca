"""`pk tick`: do what is due."""

from __future__ import annotations

from dataclasses import asdict

import click

from pactkeeper.doors.cli.faults import Faults
from pactkeeper.doors.cli.output import document, note, say
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.doors.cli.parameters import personal as own
from pactkeeper.operators.thread_ground import Desk
from pactkeeper.operators.threads import tick_threads
from pactkeeper.operators.timers import Ticked, tick


@click.command()
@as_json
def command(*, json_: bool) -> None:
    """Do what is due: remind of reviews that wait and of snoozes that ended, and go on with threads. Meant for cron.

    Timers of the repository are looked at, and those of the person that runs the command.
    """
    faults = Faults()
    with workspace() as (opened, _), own() as person:
        histories = [opened.history()] if opened.has_history else []
        personal = opened.personal()
        found: list[Ticked] = [one for history in (*histories, *personal) for one in tick(history, now=opened.now())]
        heard = tick_threads(Desk(person, opened), faults.attempt)
    if json_:
        document({"ticked": found, "threads": asdict(heard)}, "tick/1")
        faults.end()
        return
    for one in found:
        if one.message:
            say(one.message)
    for thread in heard.ran:
        say(f"went on with a thread: pk thread show {thread}")
    for name, reason in heard.failed.items():
        note(f"{name} cannot go on: {reason}")
    if not heard.ran and not any(one.message for one in found):
        say("nothing is due")
    faults.end()
