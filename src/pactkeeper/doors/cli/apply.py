"""`pk apply` and `pk undo`: write the accepted part of a patch, report it, and take an apply back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from shlex import quote
from typing import Final

import click

from pactkeeper.catalog.journal import FileEdit, WriteEntry
from pactkeeper.doors.cli.output import count, dim, document, first_of, in_words, mark, say
from pactkeeper.doors.cli.parameters import as_json, diff_option, dry_run_option, personal, workspace
from pactkeeper.doors.cli.review_plain import left_out
from pactkeeper.errors import UsageError
from pactkeeper.ledger.decision import Decision
from pactkeeper.operators.apply import apply_patch, undo_apply, without_test
from pactkeeper.operators.decide import Pending, chosen, decide, load_pending, save_decisions, without_gone
from pactkeeper.operators.decision_log import told_write
from pactkeeper.operators.proposals import confirm_proposal, load_proposal
from pactkeeper.operators.standup import past_actions, undo_action
from pactkeeper.published.ops import APPLIED
from pactkeeper.reconcile.applying import Applied, file_diff
from pactkeeper.workspace import Workspace


@click.command()
@click.argument("patch", required=False)
@click.option("--accept", "names", multiple=True, metavar="OP|TEST|ATOM", help="Accept this and apply; repeatable.")
@click.option("--all", "everything", is_flag=True, help="Accept everything undecided that meets the quality threshold.")
@click.option("--confirm", metavar="PROPOSAL", help="Apply an agent's proposal, by the name it printed.")
@click.option("--skip-stale", is_flag=True, help="Skip what changed since it was shown, and list it.")
@dry_run_option
@diff_option
@as_json
def command(  # noqa: PLR0913 - one argument per option
    patch: str | None,
    *,
    names: tuple[str, ...],
    everything: bool,
    confirm: str | None,
    skip_stale: bool,
    dry_run: bool,
    whole: bool,
    json_: bool,
) -> None:
    """Write the accepted part of PATCH (default: the newest) to the pact and, where chosen, to comments above tests.

    Without --accept or --all, applies exactly what `pk review` accepted; --confirm adds what an agent proposed over
    MCP. Use --dry-run to preview. All or nothing; `pk undo` reverts it.
    """
    if confirm is not None:
        if names or everything:
            raise click.UsageError("--confirm applies a proposal as it is; leave out --accept and --all")
        print_applied(_confirmed(patch, confirm, skip_stale=skip_stale, dry_run=dry_run), json_=json_, whole=whole)
        return
    with workspace() as (opened, _):
        opened.settle(dry_run=dry_run)
        pending = load_pending(opened, patch, to_apply=not (names or everything))
        shown = len(pending.items)
        pending = without_gone(opened, pending) if everything else pending
        said = () if pending.ended else pending.review.decisions
        decisions = _decisions(opened, pending, said, names, everything=everything)
        if not decisions and everything and pending.left_out:
            raise click.UsageError(f"nothing is accepted: {left_out(pending)}")
        if not decisions and pending.patch.ops and not (everything or pending.ended):
            raise click.UsageError("nothing is accepted yet: pk review, or pk apply --accept …, or pk apply --all")
        applied = apply_patch(opened, pending.patch, decisions, skip_stale=skip_stale, dry_run=dry_run)
        if not dry_run and decisions:
            save_decisions(opened, pending.patch, decisions)
    if not json_:
        _print_rest(pending, everything=everything)
        if gone := shown - len(pending.items):
            say(f"left out, because the test is gone: {gone}; pk reconcile looks again")
    print_applied(applied, json_=json_, whole=whole)


def _print_rest(pending: Pending, *, everything: bool) -> None:
    """Print what is not applied, and why."""
    if not pending.patch.ops:
        say(f"{pending.patch.id} proposes nothing")
    if pending.ended and pending.review.decisions:
        say("no patch is waiting to be applied; to write an earlier one again: pk apply RUN (pk runs list)")
    if everything and pending.left_out:
        say(f"left out: {left_out(pending)}")


def _confirmed(patch: str | None, name: str, *, skip_stale: bool, dry_run: bool) -> Applied:
    """Apply exactly the proposal with that name, along with a person's decisions so far."""
    with workspace() as (opened, _):
        opened.settle(dry_run=dry_run)
        proposal = load_proposal(opened, patch)
        return confirm_proposal(opened, proposal, confirmed=name, skip_stale=skip_stale, dry_run=dry_run)


def _decisions(
    opened: Workspace, pending: Pending, said: Sequence[Decision], names: tuple[str, ...], *, everything: bool
) -> tuple[Decision, ...]:
    taken = {one.op: one for one in said}
    items = chosen(pending, names) if names else pending.sound if everything else ()
    if names and not everything:
        taken = {name: one for name, one in taken.items() if one.verdict == "reject"}
    for item in items:
        taken.update({one.op: one for one in decide(opened, item, "accept")})
    return tuple(taken.values())


SHORT_DIFF: Final = 24  # lines; a longer diff is summarised by file
MOST_FILES: Final = 12
_OF_PACTS: Final = (".toml", ".txt")  # files that git may not know yet
COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def print_applied(applied: Applied, *, json_: bool = False, whole: bool = True, successors: bool = True) -> None:
    """Print an apply or a dry run; a long diff is printed only if `whole`.

    Without `successors`, the caller says when each announced successor takes over.
    """
    if json_:
        document(APPLIED(applied), "applied/1")
        return
    diff = list(applied.diff())
    if whole or len(diff) <= SHORT_DIFF:
        print_diff(diff)
    else:
        _print_sizes(applied, len(diff))
    for test, reason in applied.refused:
        say(f"{mark('warning')} {test}: linked in pact/links because its comment could not be changed: {reason}")
    for skipped in applied.planned.skipped:
        say(f"{mark('warning')} skipped {skipped.op.id}, {in_words(skipped.op.verb)}: {skipped.reason}")
    for lonely in without_test(applied.patch, (*applied.planned.ops, *applied.planned.already)):
        say(f"{mark('warning')} {lonely}")
    if applied.renewed:
        said = "reviewed by an earlier version, or with a text that git doesn't have"
        say(dim(f"also recorded anew, as it was {said}:"))
        for test in first_of(applied.renewed, MOST_FILES, "  … and {} more"):
            say(dim(f"  {test}"))
    _print_summary(applied)
    if successors and applied.entry is not None:
        _print_successors(applied)


def print_diff(diff: Iterable[str]) -> None:
    """Print a diff, coloured."""
    for line in diff:
        colour = COLOURS.get(line[:1]) if not line.startswith(("+++", "---")) else None
        say(click.style(line, fg=colour) if colour else line)


def _print_sizes(applied: Applied, lines: int) -> None:
    """Print how many lines each file gains and loses, largest change first, and how to see the diff."""
    sizes = [(edit.path, *_size(edit)) for edit in applied.edits]
    sizes.sort(key=lambda one: (-one[1] - one[2], one[0]))
    for path, gained, lost in sizes[:MOST_FILES]:
        say(f"  {path}  {click.style(f'+{gained}', fg='green')} {click.style(f'-{lost}', fg='red')}")
    if len(sizes) > MOST_FILES:
        say(dim(f"  … and {count(len(sizes) - MOST_FILES, 'more file')}"))
    pact = sorted({edit.path.partition("/")[0] for edit in applied.edits if edit.path.endswith(_OF_PACTS)})
    known = f"git add -N {' '.join(map(quote, pact))} && " if pact else ""
    shown = "run it with --diff" if applied.entry is None else f"run: {known}git diff"
    say(dim(f"the diff has {lines:,} lines; to see it, {shown}"))


def _size(edit: FileEdit) -> tuple[int, int]:
    changed = [line[0] for line in list(file_diff(edit))[2:] if line[:1] in {"+", "-"}]
    return changed.count("+"), changed.count("-")


def _print_summary(applied: Applied) -> None:
    planned = applied.planned
    done = f"{count(len(planned.ops), 'op')} in {count(len(applied.edits), 'file')}"
    if applied.entry is not None:
        rejected = f"; {count(len(applied.rejected), 'op')} recorded as rejected" if applied.rejected else ""
        say(f"applied {done}{rejected}; pk undo reverts it")
    elif applied.edits:
        say(f"dry run: {done} would change; nothing was written")
    else:
        already = f"; {count(len(planned.already), 'op')} applied before" if planned.already else ""
        say(f"nothing to write{already}")


def _print_successors(applied: Applied) -> None:
    """Print the remaining step for each announced successor: the old committed atom holds until then."""
    for op in applied.planned.ops:
        if op.verb == "markAtomSuperseded":
            old, new = op.payload["oldAtomId"], op.payload["newAtomId"]
            say(f"{new} replaces {old} once it is committed too: pk commit {new}")


ACTION = "op-"


@click.command()
@click.argument("what", default="", metavar="[ENTRY|ACTION]")
def undo_command(what: str) -> None:
    """Undo the last write to the repository, the journal entry ENTRY, or the ACTION carried out on a board.

    Files get back exactly the bytes they had. If a file changed since, later changes to other lines are kept; if the
    same lines changed, nothing is undone and the files are listed. An action is named as `pk transcripts standup`
    prints it (op-...) and can be undone from any folder; what somebody changed since is left alone.
    """
    if what.startswith(ACTION):
        with personal() as opened:
            earlier = next((one for one in past_actions(opened) if one.action.id == what), None)
            deed = undo_action(opened, what)
        if earlier is not None and earlier.standing == "undone":
            say(f"there is nothing left to undo: {what} was undone on {earlier.at[:10]}")
            return
        board = f" on {deed.action.board}" if deed.action.board else ""
        say(f"undone: {in_words(deed.action.verb)}{board}; it is not proposed again from this conversation")
        return
    entry = _entry(what)
    with workspace() as (repository, _):
        undone = undo_apply(repository, entry_id=entry)
    if undone.write is not None:
        say(_line(undone.write))
    if undone.entry is None or not undone.entry.paths:
        say("nothing was changed: nothing of that write is left" if undone.write else "there is nothing left to undo")
    else:
        say(f"undone: {count(len(undone.entry.paths), 'file')} restored")


def _line(write: WriteEntry) -> str:
    """A write in one line: its number, time, effect and author."""
    told = told_write(write)
    what = " ".join(part for part in (told.words, told.subject) if part)
    by = f", by {told.by}" if told.by else ""
    return f"write {write.id} of {told.at[:16].replace('T', ' ')}: {what}{by}"


def _entry(what: str) -> int | None:
    if what and not what.isdecimal():
        raise UsageError(f"{what!r} is neither a journal entry (a number) nor an action (op-...)")
    return int(what) if what else None
