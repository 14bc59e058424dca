"""`pk health sweep`: run the project's own checks of a commit once."""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from pactkeeper.doors.cli.fixes import claim_line
from pactkeeper.doors.cli.output import (
    Ended,
    bold,
    count,
    dim,
    document,
    ending,
    ensure_writable,
    first_of,
    mark,
    note,
    place_of,
    say,
    until_closed,
    verbatim,
)
from pactkeeper.doors.cli.parameters import as_json, in_workspace, trust_option
from pactkeeper.errors import UsageError
from pactkeeper.health.absence import telling
from pactkeeper.health.concluding import RECORDED, Conclusion
from pactkeeper.health.sweeping import UNCOMMITTED
from pactkeeper.health.watching import STANDARD_OUTPUT, Feed, Webhook, colour
from pactkeeper.intent.health import CLAIMABLE, UNREAD, CheckResult, Diagnostic, FixTask
from pactkeeper.ledger.answering import Reply
from pactkeeper.operators.sweep import SweepRequest, as_document, to_board, to_feed, to_webhook
from pactkeeper.operators.sweep import sweep as run_sweep
from pactkeeper.operators.watch import Clock, Opener, Planner, WatchRequest, watch_repo
from pactkeeper.settings.environment import search_path, webhook_secret
from pactkeeper.workspace import Workspace, open_workspace

MOST_SHOWN = 10
LAST_LINES = 15
COLOURS = {"pass": "green", "fail": "red", "timed out": "red", "could not run": "yellow", "could not tell": "yellow"}
BLIND = frozenset({"could not run", "could not tell"})
_PAST = {"pass": "passed", "fail": "failed"}
RED, UNSEEN = 1, 2
DECLARE = "declare [[health.check]] in pact.toml with name, argv and category (docs/health.md)"


@click.command()
@click.option("--at", metavar="REF", help="Sweep this commit or branch instead of HEAD.")
@click.option("--in-place", is_flag=True, help="Run in the working tree as it is, uncommitted changes included.")
@click.option("--only", metavar="CHECK", multiple=True, help="Run only this check; repeatable.")
@click.option("--ask-model/--no-model", "ask", default=None, help="Ask the configured model how to group failures.")
@trust_option
@as_json
def command(*, json_: bool, **options: Any) -> int:  # noqa: ANN401 - as click gives them
    """Run the project's own checks on a commit once: merge conflicts, build, compiler, tests, linters.

    They run in a separate worktree at the commit, so your working tree doesn't interfere. `pk health checks` lists
    them. docs/health.md explains the verdicts.

    Exit code 0 if every applicable check passed, 1 if one failed, 2 if one could not run, the machine is at fault, or
    no check can judge the commit.
    """
    request = SweepRequest(**options)
    if request.at is not None and request.in_place:
        raise click.UsageError("--at names a commit and --in-place the working tree; leave out one of them")
    signal.signal(signal.SIGTERM, _asked_to_end)
    found = in_workspace(run_sweep, request)
    with until_closed():
        if json_:
            document(as_document(found))
        else:
            _print(found)
    return _code(found)


def _asked_to_end(number: int, _: object) -> None:
    """Unwind the stack, so that the running check is ended and its worktree cleaned up."""
    sys.exit(128 + number)


def _code(found: Conclusion) -> int:
    verdicts = {one.verdict for one in found.sweep.results if one.category != "lint"}
    if colour(found.sweep) == "red":
        return RED
    unjudged = found.sweep.infrastructure or (found.sweep.unjudged and not found.sweep.only)
    return UNSEEN if unjudged or verdicts & BLIND else 0


def _print(found: Conclusion) -> None:
    said = ""  # output of a failed preparation belongs to every check that needed it
    for one in found.sweep.results:
        _print_result(one, again=one.output.text == said)
        said = one.output.text or said
    around = [] if found.sweep.infrastructure else [each for each in found.findings if each.surroundings]
    for missed in around:
        what = missed.diagnostic.test or missed.diagnostic.check
        say(f"{mark('warning')} {what}: not the commit's fault: {missed.surroundings}")
    for broken in (one for one in found.findings if one.broken):
        say(f"{mark('error')} {', '.join(broken.broken)} broken: {broken.diagnostic.test}")
    _print_tasks(found)
    if found.grouping is not None:
        say(dim(grouped(found.grouping)))
    say(_summary(found))
    if found.sweep.unjudged and not found.sweep.only and _code(found) == UNSEEN:
        note(f"{found.sweep.unjudged}: {DECLARE}")
    if found.sweep.infrastructure:
        note(f"checks could not judge the commit: {found.sweep.infrastructure}")
    if found.aside:
        note(f"recorded: {RECORDED}" if found.aside == RECORDED else f"not recorded: {found.aside}")


def _print_tasks(found: Conclusion) -> None:
    for held in found.escalated:
        say(f"{mark('error')} {held.id} waits for a person: {held.note}")
    for gone in found.dropped:
        say(f"{mark('warning')} {gone.id} is obsolete: {gone.note}")
    for task in found.tasks:
        _print_task(task)
    if not found.tasks and any(one.state in {"assigned", "failed"} for one in found.findings):
        say(dim("failures that already have tasks: pk fixes"))
    if found.waiting:
        say(dim(f"{count(found.waiting, 'more cause')} will get a task in a later sweep"))


def _print_task(task: FixTask) -> None:
    say(f"{bold(task.id)}: {task.description}")
    if task.scope:
        say(dim(f"    files: {', '.join(task.scope)}"))
    if task.status in CLAIMABLE:
        say(dim(f"    take it: {claim_line(task)}"))


def grouped(one: Reply) -> str:
    """Who grouped the failures, and why the model did not, if it was to."""
    if one.state == "answered":
        return f"{one.model} grouped the failures{' (answered before)' if one.cached else ''}"
    return f"{one.model} did not group the failures, rules did: {'; '.join(one.reasons) or one.state}"


def _print_result(one: CheckResult, *, again: bool) -> None:
    verdict = click.style(one.verdict, fg=COLOURS.get(one.verdict), dim=one.verdict == "not applicable" or None)
    spent = dim(f" in {one.milliseconds / 1000:.1f} s") if one.milliseconds else ""
    why = f": {one.reason}" if one.reason else ""
    say(f"{one.category:<8} {bold(one.check)}: {verdict}{why}{spent}")
    for text in one.notes:
        say(f"    {mark('warning')} {text}")
    for each in first_of(one.diagnostics, MOST_SHOWN, "    … and {} more; --json prints them"):
        _print_diagnostic(each)
    if one.verdict in {"timed out", *BLIND} and not again:
        last = one.output.text.splitlines()[-LAST_LINES:]
        for line in last if one.verdict == "timed out" else telling(one.output.text, LAST_LINES):
            say(dim(f"    | {line}"))


def _print_diagnostic(one: Diagnostic) -> None:
    place = place_of(one.file, one.line)
    what = " ".join(part for part in (one.rule, one.test) if part not in {"", UNREAD})
    lines = one.message.splitlines() or [""]
    say(f"    {place or one.check}: {mark(one.severity)} {what}{': ' if what else ''}{lines[0]}")
    for line in lines[1:LAST_LINES]:
        say(f"        {dim(line)}")


def _summary(found: Conclusion) -> str:
    sweep = found.sweep
    code = _code(found)
    good = f"passed, {sweep.unjudged}" if found.sweep.only else "green"
    head = {0: click.style(good, fg="green"), RED: click.style("red", fg="red")}.get(
        code, click.style("not known", fg="yellow")
    )
    verdicts: Counter[str] = Counter(one.verdict for one in sweep.results)
    counts = [f"{count(verdicts[one], 'check')} {_PAST.get(one, one)}" for one in COLOURS if verdicts[one]]
    where = f"at {sweep.commit[:12]}{f' on {sweep.branch}' if sweep.branch else ''}"
    if found.aside == UNCOMMITTED:
        head = f"{head} with uncommitted changes"
        where = f"in this folder, which is not {sweep.commit[:12]}: this is no verdict on the commit"
    return f"{head}: {', '.join(counts) or 'nothing was judged'} {where}"


OPTIONS = ("at", "seconds", "feed", "webhook", "secret_env", "board")


@click.command()
@click.option("--at", metavar="BRANCH", help="Watch this branch instead of HEAD.")
@click.option("--once", is_flag=True, help="Sweep if one is due or the branch has moved, then exit.")
@click.option("--for", "seconds", type=click.FloatRange(min=0), metavar="SECONDS", help="Stop after this time.")
@click.option("--feed", metavar="FILE|-", help="Append one line of JSON per sweep to a file, or print it.")
@click.option("--webhook", metavar="URL", help="Post every sweep to this address, signed.")
@click.option("--secret-env", metavar="NAME", help="The environment variable with the secret for --webhook.")
@click.option("--board", metavar="BOARD", help="Keep fix tasks on this task board (see `pk boards`).")
@trust_option
@click.option("--systemd", is_flag=True, help="Print a systemd unit that runs this command, then exit.")
@click.pass_context
def watch_command(ctx: click.Context, /, *, once: bool, systemd: bool, **options: Any) -> int:  # noqa: ANN401 - as click gives them
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
        raise UsageError("--webhook and --secret-env go together: a URL, and the variable with its secret")
    if options["feed"] not in {None, STANDARD_OUTPUT}:
        ensure_writable(Path(options["feed"]), "--feed")
    if once:
        raise UsageError("a unit runs until stopped; leave out --once or --systemd")


def _opened(folder: Path) -> AbstractContextManager[Workspace]:
    return open_workspace(folder, notice=lambda _: None)


def _planners(opener: Opener, options: dict[str, Any]) -> tuple[Planner, ...]:
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
        note("the output was closed, so the watch has stopped")
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
# Secrets such as PACTKEEPER_WEBHOOK_SECRET=… go here, one per line.
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
