"""`pk invariant`: the rules of a pact, and whether they hold."""

from __future__ import annotations

from collections import Counter
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, mark, place_of, say, tally
from pactkeeper.doors.cli.parameters import as_json, in_workspace, snapshot_options
from pactkeeper.intent.invariants import Checked
from pactkeeper.intent.invariants.rule import where_checked
from pactkeeper.ledger.finding import SEVERITIES, Finding
from pactkeeper.operators import invariants
from pactkeeper.operators.invariants import RuleCard, Superseded, Switch, Tested
from pactkeeper.operators.view import StateView
from pactkeeper.published.plain import Codec
from pactkeeper.published.quality import RULE

MOST_FINDINGS = 5
COLOURS = {"passed": "green", "failed": "red", "asserted": "yellow", "not checked": None}
names_argument = click.argument("names", nargs=-1, metavar="[ID]...")


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """List, explain, test and configure the rules for pact and tests.

    Some are built in; a project can declare more in the pact's invariants.toml (docs/files.md lists every key).
    """


@command.command("list")
@snapshot_options
@as_json
def list_command(*, staged: bool, at: str | None, json_: bool) -> None:
    """List all rules: whether each is on, its severity, and whether it blocks a commit."""
    cards = in_workspace(invariants.get_invariants, StateView(at, staged))
    if json_:
        document({"invariants": RULE.each(cards)}, "invariants/1")
        return
    width = max(len(card.id) for card in cards)
    for card in cards:
        say(f"{card.id:<{width}}  {_standing(card)}  {card.name}")


def _standing(card: RuleCard) -> str:
    setting = card.setting
    if not setting.enabled:
        return dim(f"{'off':<17}")
    blocks = "blocks" if setting.blocking else ""
    return f"{mark(setting.severity)}{' ' * (9 - len(setting.severity))}{blocks:<8}"


@command.command()
@names_argument
@snapshot_options
@as_json
def show(names: tuple[str, ...], *, staged: bool, at: str | None, json_: bool) -> None:
    """Explain rules: what they say and why, what each context checks, and the smallest fix."""
    cards = in_workspace(invariants.get_invariants, StateView(at, staged), names)
    if json_:
        document({"invariants": RULE.each(cards)}, "invariants/1")
        return
    for number, card in enumerate(cards):
        if number:
            say()
        _print_card(card)


def _print_card(card: RuleCard) -> None:
    kind = "built in" if card.built_in else "declared"
    say(f"{bold(card.id)}  {card.text}")
    say(f"  {dim('why')}        {card.why}")
    for context, what in card.checked.items():
        say(f"  {dim('checked')}    {where_checked(context)}: {what}")
    say(f"  {dim('fix')}        {card.fix}")
    say(f"  {dim('code')}       {card.setting.code}")
    say(f"  {dim('stands')}     {kind}, {_stands(card)}")
    if card.entry is not None:
        say(f"  {dim('written')}    {place_of(card.entry.path, card.entry.line)}")


def _stands(card: RuleCard) -> str:
    setting = card.setting
    if not setting.enabled:
        return "switched off" if card.overridable else "switched off for checks; pk commit still enforces it"
    words = [setting.severity, "blocks a commit" if setting.blocking else "does not block a commit"]
    return ", ".join([*words, "can be overridden" if card.overridable else "cannot be overridden"])


@command.command("test")
@names_argument
@snapshot_options
@as_json
def test_command(names: tuple[str, ...], *, staged: bool, at: str | None, json_: bool) -> int:
    """Test all rules, or those named; exit 1 if a blocking one is broken."""
    tested = in_workspace(invariants.test_invariants, StateView(at, staged), names)
    if json_:
        document(_TESTED(tested), "invariant_tests/1")
    else:
        _print_tested(tested)
    return 0 if tested.holds else 1


def _print_tested(tested: Tested) -> None:
    width = max(len(one.invariant) for one in tested.checked)
    for one in tested.checked:
        status = click.style(f"{one.status:<11}", fg=COLOURS[one.status])
        say(f"{one.invariant:<{width}}  {status}  {tested.cards[one.invariant].name.rstrip('.')}: {one.reason}")
        _print_findings(one)
    counted: Counter[str] = Counter(one.status for one in tested.checked)
    say(f"{tally([(status, counted[status]) for status in COLOURS])} in {tested.snapshot}")


def _print_findings(checked: Checked) -> None:
    for finding in checked.findings[:MOST_FINDINGS]:
        place = finding.evidence[0]
        where = f"{place.path}:{place.line}: " if place.path else ""
        say(f"    {where}{mark(finding.severity)} {finding.code} {finding.subject}: {finding.message}")
        say(f"        {dim('fix:')} {finding.fix}")
    hidden = len(checked.findings) - MOST_FINDINGS
    if hidden > 0:
        say(dim(f"    … and {count(hidden, 'more finding', 'more findings')}; --json prints them"))


def _finding(finding: Finding) -> dict[str, object]:
    place = finding.evidence[0]
    return {**_FINDING(finding), "file": place.path, "line": place.line}


_FINDING: Final = Codec(Finding, "code severity subject message fix fingerprint")
_TESTED: Final = Codec(
    Tested,
    "snapshot holds invariants=checked",
    invariants=Codec(Checked, "id=invariant status reason blocking findings", findings=_finding),
)
_SUPERSEDED: Final = Codec(
    Superseded,
    "old new change_set atoms=impact.atoms tests=impact.tests entry",
    change_set=lambda one: one.id,
    entry=lambda one: one.id,
)


@command.command()
@click.argument("name", metavar="ID")
def enable(name: str) -> None:
    """Enable a rule again."""
    _switch(Switch(name, "enabled", value=True))


@command.command()
@click.argument("name", metavar="ID")
def disable(name: str) -> None:
    """Disable a rule; `pk check` then reports that it is off."""
    _switch(Switch(name, "enabled", value=False))


@command.command()
@click.argument("name", metavar="ID")
@click.argument("level", type=click.Choice(SEVERITIES))
def severity(name: str, level: str) -> None:
    """Set the severity of a rule; an error fails `pk check`."""
    _switch(Switch(name, "severity", level))  # type: ignore[arg-type]  # click allows these words


@command.command()
@click.argument("old")
@click.argument("new")
@click.option("--dry-run", is_flag=True, help="Only show what would change.")
@as_json
def supersede(old: str, new: str, *, dry_run: bool, json_: bool) -> None:
    """Replace the rule OLD by the declared rule NEW, and collect the atoms and tests that break it.

    They become one change set, which `pk molecule show` shows and `pk commit --molecule` commits.
    """
    done = in_workspace(invariants.supersede_invariant, old, new, dry_run=dry_run)
    change_set = None if done.change_set is None else done.change_set.id
    if json_:
        document(_SUPERSEDED(done), "superseded-invariant/1")
        return
    found = f"{count(len(done.impact.atoms), 'atom')} and {count(len(done.impact.tests), 'test')}"
    if change_set is None:
        say(f"nothing breaks {done.new}; {done.old} is {'still on' if dry_run else 'off'}")
    elif dry_run:
        say(f"{found} break {done.new}; nothing was written")
    else:
        say(f"{done.old} is off, {done.new} is on; {change_set} collects {found}: pk molecule show {change_set}")


def _switch(switch: Switch) -> None:
    card, entry = in_workspace(invariants.change_invariant, switch)
    say(f"{card.id} is {_stands(card)}" if entry else f"nothing changed: {card.id} is {_stands(card)}")
