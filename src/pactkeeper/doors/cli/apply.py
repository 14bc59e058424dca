"""`pk apply`: write the accepted part of a patch."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.applied import print_applied
from pactkeeper.doors.cli.output import say
from pactkeeper.doors.cli.parameters import as_json, diff_option, dry_run_option, workspace
from pactkeeper.doors.cli.review_plain import left_out
from pactkeeper.ledger.decision import Decision
from pactkeeper.operators.apply import apply_patch
from pactkeeper.operators.decide import Pending, chosen, decide, load_pending, save_decisions
from pactkeeper.operators.proposals import confirm_proposal, load_proposal
from pactkeeper.reconcile.applying import Applied
from pactkeeper.workspace import Workspace


@click.command()
@click.argument("patch", required=False)
@click.option("--accept", "names", multiple=True, metavar="OP|TEST|ATOM", help="Accept this and apply; repeatable.")
@click.option("--all", "everything", is_flag=True, help="Accept what is undecided and reaches the quality threshold.")
@click.option("--confirm", metavar="PROPOSAL", help="Apply what an agent proposes, by the name it printed.")
@click.option("--skip-stale", is_flag=True, help="Leave out what changed since it was shown, and say so.")
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
    """Write what was accepted in PATCH (default: the newest) into the pact and, where so decided, above tests.

    Without --accept or --all, exactly what `pk review` accepted is applied. With --confirm also what an agent proposed
    over MCP; add --dry-run to look first. All or nothing; `pk undo` takes it back.
    """
    if confirm is not None:
        if names or everything:
            raise click.UsageError("--confirm takes what is proposed as it is; leave out --accept and --all")
        print_applied(_confirmed(patch, confirm, skip_stale=skip_stale, dry_run=dry_run), json_=json_, whole=whole)
        return
    with workspace() as (opened, _):
        opened.settle(dry_run=dry_run)
        pending = load_pending(opened, patch, to_apply=not (names or everything))
        decisions = _decisions(opened, pending, names, everything=everything)
        if not decisions and everything and pending.left_out:
            raise click.UsageError(f"nothing is accepted: {left_out(pending)}")
        if not decisions and pending.patch.ops:
            raise click.UsageError("nothing is accepted yet: pk review, or pk apply --accept …, or pk apply --all")
        applied = apply_patch(opened, pending.patch, decisions, skip_stale=skip_stale, dry_run=dry_run)
        if not dry_run and decisions:
            save_decisions(opened, pending.patch, decisions)
    if not pending.patch.ops and not json_:
        say(f"{pending.patch.id} proposes nothing")
    if everything and pending.left_out and not json_:
        say(f"left out: {left_out(pending)}")
    print_applied(applied, json_=json_, whole=whole)


def _confirmed(patch: str | None, name: str, *, skip_stale: bool, dry_run: bool) -> Applied:
    """Apply exactly the proposal with that name, along with a person's decisions so far."""
    with workspace() as (opened, _):
        opened.settle(dry_run=dry_run)
        proposal = load_proposal(opened, patch)
        return confirm_proposal(opened, proposal, confirmed=name, skip_stale=skip_stale, dry_run=dry_run)


def _decisions(
    opened: Workspace, pending: Pending, names: tuple[str, ...], *, everything: bool
) -> tuple[Decision, ...]:
    taken = {one.op: one for one in pending.review.decisions}
    items = chosen(pending, names) if names else pending.sound if everything else ()
    if names and not everything:
        taken = {name: one for name, one in taken.items() if one.verdict == "reject"}
    for item in items:
        taken.update({one.op: one for one in decide(opened, item, "accept")})
    return tuple(taken.values())
