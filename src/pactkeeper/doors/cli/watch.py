"""`pk health watch`: sweep whenever one is due, until stopped."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from pactkeeper.doors.cli.out_file import ensure_writable
from pactkeeper.doors.cli.output import Ended, count, ending, note, say, verbatim
from pactkeeper.doors.cli.parameters import trust_option
from pactkeeper.errors import UsageError
from pactkeeper.health.webhook import STANDARD_OUTPUT, Feed, Webhook
from pactkeeper.operators.watch import Clock, Opener, Planner, WatchRequest, watch_repo
from pactkeeper.settings.environment import search_path, webhook_secret
from pactkeeper.workspace import Workspace, open_workspace

OPTIONS = ("at", "seconds", "feed", "webhook", "secret_env", "board")


@click.command()
@click.option("--at", metavar="BRANCH", help="Watch this branch instead of HEAD.")
@click.option("--once", is_flag=True, help="Sweep if one is due or the branch has moved, and end.")
@click.option("--for", "seconds", type=click.FloatRange(min=0), metavar="SECONDS", help="End after this time.")
@click.option("--feed", metavar="FILE|-", help="Add a line of JSON for every sweep to a file, or print it.")
@click.option("--webhook", metavar="URL", help="Post every sweep to this address, signed.")
@click.option("--secret-env", metavar="NAME", help="The variable that holds the secret of --webhook.")
@click.option("--board", metavar="BOARD", help="Keep fix tasks on this task board (see `pk boards`).")
@trust_option
@click.option("--systemd", is_flag=True, help="Print a unit file that runs this command, and end.")
@click.pass_context
def command(ctx: click.Context, /, *, once: bool, systemd: bool, **options: Any) -> int:  # noqa: ANN401 - as click gives them
    """Sweep whenever one is due: every 5 minutes, every minute after a red sweep or a new commit.

    `[health]` of pact.toml sets the pace. A sweep that can't start is reported and retried, later each time.
    SIGTERM and Ctrl-C end the running check and remove its worktree. docs/health.md has the details.
    """
    folder = Path(ctx.obj).resolve()
    _ensure_possible(folder, options, once=once and systemd)
    if systemd:
        verbatim(unit(_command_line(folder, options), folder, search_path()))
        return 0
    request = WatchRequest(options["at"], once, options["seconds"], options["trust"])
    opener = partial(_opened, folder)
    return _watch(opener, request, _planners(opener, options), quiet=options["feed"] == STANDARD_OUTPUT)


def _ensure_possible(folder: Path, options: dict[str, Any], *, once: bool) -> None:
    if not folder.is_dir():
        raise UsageError(f"-C {str(folder)!r} is no folder")
    if (options["webhook"] is None) != (options["secret_env"] is None):
        raise UsageError("--webhook and --secret-env need each other: an address, and the variable with its secret")
    if options["feed"] not in {None, STANDARD_OUTPUT}:
        ensure_writable(Path(options["feed"]), "--feed")
    if once:
        raise UsageError("a unit watches until it is ended; leave out --once or --systemd")


def _opened(folder: Path) -> AbstractContextManager[Workspace]:
    return open_workspace(folder, notice=lambda _: None)


def _planners(opener: Opener, options: dict[str, Any]) -> tuple[Planner, ...]:
    from pactkeeper.operators.planners import to_board, to_feed, to_webhook  # noqa: PLC0415 - not needed for a unit

    found: list[Planner] = []
    if options["feed"] is not None:
        found.append(to_feed(Feed(options["feed"])))
    if options["webhook"] is not None:
        found.append(to_webhook(Webhook(options["webhook"], webhook_secret(options["secret_env"]))))
    if options["board"] is not None:
        found.append(to_board(opener, options["board"]))
    return tuple(found)


def _command_line(folder: Path, options: dict[str, Any]) -> list[str]:
    """This command line in a form that can be started from anywhere."""
    program = Path(sys.executable).with_name("pk")
    words = [str(program)] if program.is_file() else [sys.executable, "-m", "pactkeeper"]
    given = {name: options[name] for name in OPTIONS if options[name] is not None}
    if given.get("feed", STANDARD_OUTPUT) != STANDARD_OUTPUT:
        given["feed"] = str(Path(given["feed"]).resolve())
    names = {"seconds": "--for", "secret_env": "--secret-env"}
    return [
        *words,
        "-C",
        str(folder),
        "health",
        "watch",
        *(f"{names.get(name, f'--{name}')}={one}" for name, one in given.items()),
    ]


def _watch(opener: Opener, request: WatchRequest, planners: tuple[Planner, ...], *, quiet: bool) -> int:
    tell = note if quiet else say
    clock = Clock(lambda: datetime.now(UTC), time.sleep)
    try:
        with ending():
            done = watch_repo(opener, request, clock, tell, on_sweep_complete=planners)
    except Ended as error:
        note(f"ended by {error}; nothing was half-written")
        return error.exit_code
    except BrokenPipeError:
        sys.stdout = None  # keeps the interpreter from flushing into the closed pipe
        note("nobody reads the output of the watch any more; it has ended")
        return 0
    tell(f"watched: {count(done.sweeps, 'sweep')}, {done.stale} stale, {done.failures} not possible")
    return 0


_UNIT: Final = """\
# Keep this as {place}, then: systemctl --user enable --now {name}
[Unit]
Description=Pactkeeper watches {folder}

[Service]
Type=exec
ExecStart={command}
# Checks look for their programs here; a unit does not inherit what a terminal has.
Environment={path}
# Secrets such as PACTKEEPER_WEBHOOK_SECRET=… stand here, one a line.
EnvironmentFile=-%E/pactkeeper/watch.env
# The watch itself ends its checks; what is left after the time is killed.
KillMode=mixed
TimeoutStopSec=30
Restart=on-failure
RestartSec=60
Nice=10

[Install]
WantedBy=default.target"""


def unit(command: Sequence[str], folder: Path, path: str) -> str:
    """A systemd user unit that runs a command, whose first word is an absolute path.

    Raises UsageError for characters that no unit can hold. No shell is involved. The quoting is that of
    systemd.service(5), with `$` and `%` taken literally.
    """
    for word in (*command, str(folder), path):
        if any(ord(character) < ord(" ") for character in word):
            raise UsageError(f"{word!r} holds a control character, which no unit file can hold; rename it")
    name = f"pactkeeper-{_plain(folder.name)}.service"
    return _UNIT.format(
        place=f"~/.config/systemd/user/{name}",
        name=name,
        folder=str(folder).replace("%", "%%"),
        command=" ".join(_quoted(word).replace("$", "$$") for word in command),
        path=_quoted(f"PATH={path}"),
    )


def _quoted(word: str) -> str:
    text = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{text}"'


def _plain(name: str) -> str:
    return "".join(character if character.isascii() and character.isalnum() else "-" for character in name)
