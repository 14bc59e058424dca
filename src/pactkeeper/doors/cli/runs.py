"""`pk runs`: past runs of reconcile and their outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import (
    bold,
    count,
    dim,
    document,
    ensure_writable,
    in_words,
    mark,
    say,
    tally,
    write_out,
)
from pactkeeper.doors.cli.parameters import as_json, in_workspace
from pactkeeper.errors import UsageError
from pactkeeper.ledger.canonical import RUN_STATUSES, RunStatus
from pactkeeper.ledger.model import dollars
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import encode_patch
from pactkeeper.operators import runs
from pactkeeper.operators.runs import ListedRun, RunDifference, ShownRun
from pactkeeper.published.plain import Codec
from pactkeeper.published.runs import EXPORTED, LISTED, run_state

SHOWN = 20
SPENT = frozenset({"model_calls", "tokens", "money"})  # printed on a separate line


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """List, show, compare, cancel, recover and export runs.

    A run is one reconciliation: what it looked at and proposed, what people decided and what was applied.
    """


@command.command("list")
@click.option("--status", type=click.Choice(RUN_STATUSES), help="Only runs in this state.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="At most N runs.")
@as_json
def list_command(*, status: RunStatus | None, limit: int, json_: bool) -> None:
    """List runs, newest first."""
    found = in_workspace(runs.list_runs, status=status, limit=limit)
    if json_:
        document({"runs": LISTED.each(found)}, "runs/1")
        return
    for one in found:
        say(_line(one))
    if any(one.run.status == "paused" for one in found):
        say(dim("a paused run waits for decisions: pk review RUN"))
    if not found:
        say("no runs yet; start with: pk reconcile")


@command.command()
@click.argument("run", required=False)
@click.option("--trace", is_flag=True, help="Show every step with its duration and counts.")
@click.option("--patch", is_flag=True, help="Print the run's patch, as `pk reconcile --json` did.")
@as_json
def show(run: str | None, *, trace: bool, patch: bool, json_: bool) -> None:
    """Show RUN, or the newest one."""
    found = in_workspace(runs.show_run, run)
    if patch:
        if found.patch is None:
            raise UsageError(f"{found.listed.run.id} is {found.listed.run.status} and has no patch yet")
        click.echo(encode_patch(found.patch), nl=False)
        return
    if json_:
        questions = [{"id": one.id, "subject": one.subject} for one in found.questions]
        spent = {"spent": found.spent} if found.model_calls else {}
        events = {"trace": found.trace} if trace else {}
        document({**LISTED(found.listed), "questions": questions, **spent, **events}, "run/1")
        return
    _show(found)
    if trace:
        _trace(found)


@command.command()
@click.argument("before")
@click.argument("after")
@as_json
def diff(before: str, after: str, *, json_: bool) -> None:
    """Compare the proposals and findings of two runs."""
    found = in_workspace(runs.diff_runs, before, after)
    if json_:
        document(_DIFFERENCE(found), "run-diff/1")
        return
    for line in _difference(found):
        say(line)


def _difference(found: RunDifference) -> Iterator[str]:
    """The differences for display, each kind cut after `SHOWN`, and a line of counts."""
    yield from _some([f"- {_said(op)}  {dim(op.id)}" for op in found.only_before], "ops only before")
    yield from _some([f"+ {_said(op)}  {dim(op.id)}" for op in found.only_after], "ops only after")
    yield from _some(
        [f"~ {_said(old)}\n  → {_words(new)}  {dim(new.id)}" for old, new in found.changed], "reworded ops"
    )
    yield from _some([f"- ? {one.kind} {one.subject}" for one in found.settled], "questions only before")
    yield from _some([f"+ ? {one.kind} {one.subject}" for one in found.asked], "questions only after")
    for sign, findings in (("-", found.gone), ("+", found.new)):
        yield from (f"{sign} {mark(one.severity)} {one.code} {one.subject}" for one in findings)
    only = f"{len(found.only_before):,} only before, {len(found.only_after):,} only after"
    questions = f"{len(found.settled):,} questions only before, {len(found.asked):,} only after"
    yield f"{count(found.both, 'op')} in both, {len(found.changed):,} reworded, {only}; {questions}"


def _some(lines: Sequence[str], what: str) -> Iterator[str]:
    yield from lines[:SHOWN]
    if len(lines) > SHOWN:
        yield dim(f"… and {len(lines) - SHOWN:,} more {what}")


def _said(op: Op) -> str:
    words = _words(op)
    return f"{in_words(op.verb)} {op.target.partition(':')[2]}" + (f"  {words}" if words else "")


def _words(op: Op) -> str:
    """The main words of an op: an atom's sentence, a group's name, or the linked atom."""
    return str(op.payload.get("description") or op.payload.get("name") or op.payload.get("atomId") or "")


_DIFFERENCE: Final = Codec(
    RunDifference,
    "before=before.id after=after.id only_before only_after changed both questions_only_before=settled"
    " questions_only_after=asked findings_gone=gone findings_new=new",
    only_before=lambda op: op.id,
    only_after=lambda op: op.id,
    changed=lambda pair: {"before": pair[0].id, "after": pair[1].id, "target": pair[0].target},
    questions_only_before=lambda one: one.id,
    questions_only_after=lambda one: one.id,
    findings_gone=lambda one: one.fingerprint,
    findings_new=lambda one: one.fingerprint,
)


@command.command()
@click.argument("run")
def cancel(run: str) -> None:
    """Stop RUN: at once if it is waiting, or at its next step if another process is running it."""
    found = in_workspace(runs.cancel_run, run)
    stopping = found.status != "cancelled"
    say(f"{found.id} {'stops at its next step' if stopping else 'is cancelled'}; what it has found is kept")


@command.command()
@click.argument("run", required=False)
def recover(run: str | None) -> None:
    """Resume RUN, or the newest run that was interrupted or failed."""
    from pactkeeper.operators.reconcile import recover_run  # noqa: PLC0415 - nothing else here drives a run

    made = in_workspace(recover_run, run)
    say(f"{bold(made.run.id)} is {made.run.status}; {count(len(made.patch.ops), 'op')} proposed")
    if made.run.status == "paused":
        say("next: pk review, then pk apply")


@command.command()
@click.argument("run", required=False)
@click.option("--out", metavar="FILE", help="Write to FILE instead of stdout.")
def export(run: str | None, *, out: str | None) -> None:
    """Write everything the history has about RUN, or the newest one, as one JSON document."""
    import json  # noqa: PLC0415 - only needed here

    if out is not None:
        ensure_writable(Path(out), "--out")
    found = {"schema": "pactkeeper.run/1", **EXPORTED(in_workspace(runs.export_run, run))}
    if out is None:
        document(found)
    else:
        write_out(Path(out), json.dumps(found, indent=1) + "\n")
        say(f"wrote {out}")


def _line(one: ListedRun) -> str:
    fates = f"ops: {tally(list(one.fates.items()))}" if one.fates else "nothing proposed"
    return f"{one.run.created_at[:19]}  {bold(one.run.id)}  {run_state(one):11}  {one.run.mode:9}  {dim(fates)}"


def _show(found: ShownRun) -> None:
    run = found.listed.run
    say(f"{bold(run.id)}  {run_state(found.listed)}  {run.mode}  {dim(run.phase)}")
    say(f"began     {run.created_at}" + (f", ended {run.completed_at}" if run.completed_at else ""))
    say(f"at        {run.commit or 'no commit yet'}  {dim(run.root)}")
    if run.baseline_commit:
        say(f"compared  with {run.baseline_commit[:12]}{f' of {run.baseline_run}' if run.baseline_run else ''}")
    say(f"options   {', '.join(f'{key}={value}' for key, value in run.options.items() if value) or 'none'}")
    counted = [(key, number) for key, number in run.summary.items() if key not in SPENT]
    say(f"counted   {tally(counted) or 'nothing'}")
    if found.patch is not None:
        say(f"ops       {tally(list(found.listed.fates.items())) or 'none'}  {dim(found.patch.id)}")
    if found.model_calls:
        say(f"model     {_spent(found)}")
    if found.questions:
        say(f"asks      {count(len(found.questions), 'question')}")
    if run.error:
        say(f"{mark('error')}     {run.error}")
    if found.listed.interrupted:
        say(f"next      pk runs recover {run.id}")


def _spent(found: ShownRun) -> str:
    spent = found.spent
    models = ", ".join(sorted({one.model for one in found.model_calls}))
    tokens = f"{spent.input_tokens:,} tokens in, {spent.output_tokens:,} out"
    unpriced = f", {spent.unpriced:,} at an unknown price" if spent.unpriced else ""
    kept = f"; {count(spent.cached, 'answer')} kept from before" if spent.cached else ""
    return f"{models}: {count(spent.calls, 'call')}, {tokens}, {dollars(spent.money)}{unpriced}{kept}"


def _trace(found: ShownRun) -> None:
    say()
    for one in found.trace:
        counts = tally(list(one.counts.items()))
        say(f"{one.at[11:23]}  {one.node:22} {one.milliseconds:>7,} ms  {dim(counts)}  {one.note}".rstrip())
