"""`pk doctor`, `pk recover` and `pk completion`: maintain an installation."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from pactkeeper.doors.cli.output import Faults, document, note, say
from pactkeeper.doors.cli.parameters import as_json, in_workspace, workspace
from pactkeeper.doors.cli.parameters import personal as own
from pactkeeper.doors.cli.thread import lines_since_ticket
from pactkeeper.errors import UsageError
from pactkeeper.operators.apply import settle_write
from pactkeeper.operators.doctor import examine_installation
from pactkeeper.operators.thread_ground import Desk
from pactkeeper.operators.threads import tick_threads
from pactkeeper.reconcile.journal import Ticked, tick

WORDS = {"ok": "ok      ", "optional": "not used", "wrong": "WRONG   "}


@click.command()
@as_json
@click.pass_context
def doctor(ctx: click.Context, *, json_: bool) -> int:
    """Check versions, extras, folders, repository, database, clocks and ports; exit 1 if anything is wrong.

    Changes nothing. A line that is not ok ends with the remedy.
    """
    folder = Path(ctx.obj)
    if not folder.is_dir():
        raise UsageError(f"-C {ctx.obj!r} is no folder")
    lines = examine_installation(folder.resolve())
    wrong = sum(one.state == "wrong" for one in lines)
    if json_:
        document({"lines": lines, "wrong": wrong})
        return int(wrong > 0)
    for one in lines:
        say(f"{WORDS[one.state]} {one.name}: {one.found}{f' -> {one.todo}' if one.todo else ''}")
    return int(wrong > 0)


@click.command()
@click.option("--set-aside", "aside", is_flag=True, help="Leave every file as it is and close the journal entry.")
def recover(*, aside: bool) -> None:
    """Finish an interrupted write, or roll it back if no file was changed yet.

    Every command that writes does this first; commands that only read stop with an error.
    """
    say(in_workspace(settle_write, aside=aside))


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    r"""Print the completion script for SHELL.

    \b
    bash  pk completion bash > ~/.local/share/bash-completion/completions/pk
    zsh   pk completion zsh > "${fpath[1]}/_pk"
    fish  pk completion fish > ~/.config/fish/completions/pk.fish
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell!r}")
    click.echo(kind(ctx.find_root().command, {}, "pk", "_PK_COMPLETE").source(), nl=False)


@click.command()
@as_json
def tick_command(*, json_: bool) -> None:
    """Do what is due: remind of waiting reviews and ended snoozes, and continue threads. Meant for cron.

    Covers the timers of the repository and of the person who runs the command.
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
        say(f"continued a thread: pk thread show {thread}")
    for name, reason in heard.failed.items():
        note(f"{name} cannot continue: {reason}")
    for line in lines_since_ticket(heard):
        say(line)
    if not heard.ran and not heard.since_ticket and not any(one.message for one in found):
        say("nothing is due")
    faults.end()
