"""`pk findings` and `pk recommendations`: what disagrees and what runs recommend, and what people decided about it."""

from __future__ import annotations

from datetime import date, datetime
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, mark, say
from pactkeeper.doors.cli.parameters import as_json, in_workspace
from pactkeeper.intent.atoms import CATEGORIES
from pactkeeper.intent.pact import Waiver
from pactkeeper.intent.records import RECOMMENDATION_STATUSES, Wanted
from pactkeeper.operators.findings import Aside, KnownFinding, list_findings, put_aside, take_up
from pactkeeper.operators.recommendations import Recommendations, Word, decide_recommendations, list_recommendations
from pactkeeper.published.plain import Codec, plain

STATES = ("open", "snoozed", "rejected", "resolved")


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """List findings with their history; snooze, reject or reopen one.

    Snoozes and rejections are written to the pact's waivers.toml, so they count in every clone and in CI.
    """


@command.command("list")
@click.option("--state", type=click.Choice(STATES), help="Only findings in this state, including resolved.")
@as_json
def list_command(*, state: str | None, json_: bool) -> None:
    """List findings; resolved ones only with --state."""
    known = in_workspace(list_findings)
    found = [one for one in known if (one.state == state if state else one.state != "resolved")]
    if json_:
        document({"findings": _FINDING.each(found)}, "findings/1")
        return
    for one in found:
        _print(one)
    say(count(len(found), "finding") if found else "no findings")


@command.command()
@click.argument("finding", metavar="FINGERPRINT|SUBJECT")
@click.option("--until", required=True, type=click.DateTime(["%Y-%m-%d"]), help="The last day it stays hidden.")
@click.option("--reason", required=True, help="Why it can wait.")
def snooze(finding: str, *, until: datetime, reason: str) -> None:
    """Hide a finding until a date, or until its evidence changes."""
    _put_aside(finding, Aside(reason, until.date()))


@command.command()
@click.argument("finding", metavar="FINGERPRINT|SUBJECT")
@click.option("--reason", required=True, help="Why it is not a disagreement.")
def reject(finding: str, *, reason: str) -> None:
    """Dismiss a finding for as long as its evidence stays the same."""
    _put_aside(finding, Aside(reason))


@command.command()
@click.argument("finding", metavar="FINGERPRINT|SUBJECT")
def reopen(finding: str) -> None:
    """Reopen a finding that was snoozed or rejected."""
    found, _entry = in_workspace(take_up, finding)
    say(f"{found.code} {found.subject} counts again; pk undo reverts it")


def _put_aside(name: str, aside: Aside) -> None:
    found, _entry = in_workspace(put_aside, name, aside)
    until = "its evidence changes" if aside.until is None else f"{aside.until.isoformat()}, or its evidence changes"
    say(f"{found.code} {found.subject} is hidden until {until}; pk undo reverts it")


def _print(one: KnownFinding) -> None:
    found = one.finding
    since = f"  since {one.first_at[:10]}" if one.first_at else ""
    say(f"{mark(found.severity)} {found.code} {bold(found.subject)}  {dim(f'{one.state}{since}  {found.fingerprint}')}")
    say(f"    {found.message}")
    if one.waiver is not None:
        until = "" if one.waiver.until == date.max else f" until {one.waiver.until.isoformat()}"
        say(dim(f"    {one.state} by {one.waiver.by}{until}: {one.waiver.why}"))


_FINDING: Final = Codec(
    KnownFinding,
    "code=finding.code subject=finding.subject about=finding.about severity=finding.severity"
    " message=finding.message fingerprint=finding.fingerprint state first_at last_at put_aside=waiver",
    put_aside=Codec(Waiver, "by why until"),
)


run_option = click.option("--run", metavar="RUN", help="Only what this run recommends.")


@click.group(cls=CommandGroup, default="list")
def recommendations_command() -> None:
    """List the recommendations of runs; accept, reject or edit them in batches.

    `pk apply` then writes what was accepted. `pk review` asks one by one instead.
    """


@recommendations_command.command("list")
@click.option("--status", type=click.Choice(RECOMMENDATION_STATUSES), help="Only those in this state.")
@run_option
@click.option("--test", metavar="TEST", help="Only those made from this test.")
@click.option("--atom", metavar="ATOM", help="Only those of this atom.")
@as_json
def list_recommended(*, status: str | None, run: str | None, test: str | None, atom: str | None, json_: bool) -> None:
    """List recommendations."""
    wanted = Wanted(run, status, test, atom)  # type: ignore[arg-type]  # click allows these words
    found = in_workspace(list_recommendations, wanted)
    if json_:
        document(
            {
                "atoms": found.atoms,
                "molecules": [{**plain(one), "reasoning": one.reasoning} for one in found.molecules],
            },
            "recommendations/1",
        )
    else:
        _print_recommended(found)


@recommendations_command.command("accept")
@click.argument("names", nargs=-1, metavar="[OP|TEST|ATOM|MOLECULE]...")
@click.option("--all", "everything", is_flag=True, help="Accept everything undecided that meets the quality threshold.")
@run_option
def accept_recommended(names: tuple[str, ...], *, everything: bool, run: str | None) -> None:
    """Accept recommendations; all of those named or none."""
    _require(names, everything=everything)
    _decide(names, Word("accept"), run=run)


@recommendations_command.command("reject")
@click.argument("names", nargs=-1, metavar="[OP|TEST|ATOM|MOLECULE]...")
@click.option("--all", "everything", is_flag=True, help="Reject all undecided ones.")
@click.option("--reason", default="", help="Why; kept with the test.")
@run_option
def reject_recommended(names: tuple[str, ...], *, everything: bool, reason: str, run: str | None) -> None:
    """Reject recommendations; they don't come back until their test changes."""
    _require(names, everything=everything)
    _decide(names, Word("reject", reason), run=run)


@recommendations_command.command("edit")
@click.argument("name", metavar="OP|TEST|ATOM")
@click.option("--intent", "description", help="The sentence to declare instead.")
@click.option("--category", type=click.Choice(CATEGORIES), help="The category to declare instead.")
@click.option("--outcome", "observableOutcomes", multiple=True, help="What can be observed instead; repeatable.")
@click.option("--falsified-by", "falsifiedBy", multiple=True, help="What would falsify it instead; repeatable.")
@run_option
def edit_recommended(name: str, *, run: str | None, **words: str | tuple[str, ...] | None) -> None:
    """Accept a recommendation with changed words."""
    said = {key: list(value) or None if isinstance(value, tuple) else value for key, value in words.items()}
    order = ("description", "category", "observableOutcomes", "falsifiedBy")
    edited = tuple((key, said[key]) for key in order if said[key] is not None)
    if not edited:
        raise click.UsageError("say what to change: --intent, --category, --outcome or --falsified-by")
    _decide((name,), Word("edit", edited=edited), run=run)


def _require(names: tuple[str, ...], *, everything: bool) -> None:
    if bool(names) == everything:
        raise click.UsageError("name what to decide, or use --all")


def _decide(names: tuple[str, ...], word: Word, *, run: str | None) -> None:
    made = in_workspace(decide_recommendations, names, word, run=run)
    of_molecules = all(name.startswith("M-") for name in names) and names
    if not made and not names:
        say("nothing was decided: --all skips words that a commitment would refuse; see: pk review")
        return
    say("done" if of_molecules else f"{count(len(made), 'decision')} saved; next: pk apply")


def _print_recommended(found: Recommendations) -> None:
    for one in found.atoms:
        say(f"{one.id}  {one.status:8}  {one.confidence}  {bold(one.description)}")
        say(dim(f"    {one.run_id}  {one.source_test_id}{f'  {one.atom_id}' if one.atom_id else ''}"))
    for group in found.molecules:
        atoms = count(len(group.atom_ids), "atom")
        say(f"{group.molecule_id}  {group.status:8}  {group.confidence}  {bold(group.name)}  {dim(atoms)}")
        say(dim(f"    {group.run_id}  {group.id}  {group.reasoning}"))
    if not found.atoms and not found.molecules:
        say("no recommendations; to look for some: pk reconcile")
