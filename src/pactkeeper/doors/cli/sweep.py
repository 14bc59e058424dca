"""`pk health sweep`: run the project's own checks of a commit once."""

from __future__ import annotations

import signal
import sys
from typing import Any

import click

from pactkeeper.doors.cli.fixes import claim_line
from pactkeeper.doors.cli.output import bold, count, dim, document, mark, note, place_of, say, until_closed
from pactkeeper.doors.cli.parameters import as_json, trust_option, workspace
from pactkeeper.health.absence import telling
from pactkeeper.health.pacing import colour
from pactkeeper.intent.health import CLAIMABLE, UNREAD, CheckResult, Diagnostic, FixTask
from pactkeeper.ledger.answering import Reply
from pactkeeper.operators.sweep import SweepRequest, Swept, as_document
from pactkeeper.operators.sweep import sweep as run_sweep

MOST_SHOWN = 10
LAST_LINES = 15
COLOURS = {"pass": "green", "fail": "red", "timed out": "red", "could not run": "yellow", "could not tell": "yellow"}
BLIND = frozenset({"could not run", "could not tell"})
_COUNTED = (("pass", "passed"), ("fail", "failed"), ("timed out", "timed out"))
RED, UNSEEN = 1, 2
DECLARE = "declare [[health.check]] in pact.toml with name, argv and category (docs/health.md)"


@click.command()
@click.option("--at", metavar="REF", help="Sweep this commit instead of HEAD; of a branch, it counts while it stays.")
@click.option("--in-place", is_flag=True, help="Run in the work tree as it is, uncommitted changes included.")
@click.option("--only", metavar="CHECK", multiple=True, help="Run this check only; may be given several times.")
@click.option("--ask-model/--no-model", "ask", default=None, help="Ask the model that is set up how to group failures.")
@trust_option
@as_json
def command(*, json_: bool, **options: Any) -> int:  # noqa: ANN401 - as click gives them
    """Run the project's own checks of a commit once: merge conflicts, build, compiler, tests, linters.

    They run in a work tree of their own at the commit, so that nobody's work is in the way. `pk health checks` tells
    which they are. docs/health.md explains the verdicts.

    Exit code 0 where everything that applies passed, 1 where something failed, 2 where something could not be run, the
    machine is at fault, or no check is known that could judge the commit.
    """
    request = SweepRequest(**options)
    if request.at is not None and request.in_place:
        raise click.UsageError("--at names a commit and --in-place the work tree; leave out one of them")
    signal.signal(signal.SIGTERM, _asked_to_end)
    with workspace() as (opened, _):
        found = run_sweep(opened, request)
    with until_closed():
        if json_:
            document(as_document(found))
        else:
            _print(found)
    return _code(found)


def _asked_to_end(number: int, _: object) -> None:
    """Unwind the stack, so that the running check is ended and its worktree cleaned up."""
    sys.exit(128 + number)


def _code(found: Swept) -> int:
    verdicts = {one.verdict for one in found.sweep.results if one.category != "lint"}
    if colour(found.sweep) == "red":
        return RED
    unjudged = found.sweep.infrastructure or (found.sweep.unjudged and not found.partial)
    return UNSEEN if unjudged or verdicts & BLIND else 0


def _print(found: Swept) -> None:
    said = ""  # output of a failed preparation belongs to every check that needed it
    for one in found.sweep.results:
        _print_result(one, again=one.output.text == said)
        said = one.output.text or said
    around = [] if found.sweep.infrastructure else [each for each in found.findings if each.surroundings]
    for missed in around:
        what = missed.diagnostic.test or missed.diagnostic.check
        say(f"{mark('warning')} {what}: not the commit: {missed.surroundings}")
    for broken in (one for one in found.findings if one.broken):
        say(f"{mark('error')} {', '.join(broken.broken)} broken: {broken.diagnostic.test}")
    _print_tasks(found)
    if found.grouping is not None:
        say(dim(grouped(found.grouping)))
    say(_summary(found))
    if found.sweep.unjudged and not found.partial and _code(found) == UNSEEN:
        note(f"{found.sweep.unjudged}: {DECLARE}")
    if found.sweep.infrastructure:
        note(f"checks could not judge the commit: {found.sweep.infrastructure}")
    if found.aside:
        note(f"{'stale' if found.sweep.stale else 'reported only'}: {found.aside}; nothing follows from it")


def _print_tasks(found: Swept) -> None:
    for held in found.escalated:
        say(f"{mark('error')} {held.id} waits for a person: {held.note}")
    for gone in found.dropped:
        say(f"{mark('warning')} {gone.id} is obsolete: {gone.note}")
    for task in found.tasks:
        _print_task(task)
    if not found.tasks and any(one.state in {"assigned", "failed"} for one in found.findings):
        say(dim("what tasks are to mend already is listed by: pk fixes"))
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
    for each in one.diagnostics[:MOST_SHOWN]:
        _print_diagnostic(each)
    if len(one.diagnostics) > MOST_SHOWN:
        say(dim(f"    … and {len(one.diagnostics) - MOST_SHOWN:,} more; --json prints them"))
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


def _summary(found: Swept) -> str:
    sweep = found.sweep
    code = _code(found)
    good = f"passed, {sweep.unjudged}" if found.partial else "green"
    head = {0: click.style(good, fg="green"), RED: click.style("red", fg="red")}.get(
        code, click.style("not known", fg="yellow")
    )
    counts = [
        count(sum(one.verdict == verdict for one in sweep.results), "check") + f" {word}"
        for verdict, word in (*_COUNTED, *((one, one) for one in sorted(BLIND)))
        if any(one.verdict == verdict for one in sweep.results)
    ]
    where = f" on {sweep.branch}" if sweep.branch else ""
    return f"{head}: {', '.join(counts) or 'nothing was judged'} at {sweep.commit[:12]}{where}"
