"""`pk resolve`: settle what merging two branches left open in the pact."""

from __future__ import annotations

import json
import sys
from typing import Final

import click

from pactkeeper.doors.cli.output import count, dim, document, place_of, say
from pactkeeper.doors.cli.parameters import as_json, in_workspace, workspace
from pactkeeper.errors import InputError
from pactkeeper.intent.folder import Contested, Version
from pactkeeper.operators.resolve import SIDES, Ask, Resolved, Side, install_merge_driver, merge_file, resolve_merge
from pactkeeper.published.plain import Codec
from pactkeeper.repo.named_file import read_text_named

MOST_BYTES: Final = 16 << 20  # of decisions


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--ours", "side", flag_value="ours", help="Take the first side if nothing else decides.")
@click.option("--theirs", "side", flag_value="theirs", help="Take the other side if nothing else decides.")
@click.option("--both", "side", flag_value="both", help="Join the lists of both sides.")
@click.option("--decisions", metavar="FILE", help='Read choices as JSON such as {"IA-7F3KQ9T": "ours"}; - reads stdin.')
@click.option("--dry-run", is_flag=True, help="Show what would be resolved; write nothing.")
@click.option("--install", is_flag=True, help="Configure git in this clone to merge the pact entry by entry.")
@click.option("--driver", nargs=4, hidden=True, metavar="BASE OURS THEIRS PATH")
@as_json
def command(  # noqa: PLR0913 - one parameter per option
    names: tuple[str, ...],
    *,
    side: Side | None,
    decisions: str | None,
    dry_run: bool,
    install: bool,
    driver: tuple[str, str, str, str] | None,
    json_: bool,
) -> int:
    """Resolve what a merge of two branches left open in the pact: conflict markers, entries with two values.

    History and code decide first: a change made on one side only is taken, and of two reviews the one that matches the
    test as it is now. You are asked about the rest, entry by entry.
    """
    if driver is not None:
        with workspace() as (opened, _):
            return 0 if merge_file(opened, driver[:3], driver[3]) else 1
    if install:
        in_workspace(install_merge_driver)
        say("in this clone git now merges the pact entry by entry; contested entries still stop a merge")
        return 0
    chosen = {} if decisions is None else _decisions(decisions)
    ask = _asking(side, chosen, prompt=not json_ and sys.stdin is not None and sys.stdin.isatty())
    done = in_workspace(resolve_merge, names, ask=ask, dry_run=dry_run)
    if json_:
        document(_RESOLVED(done))
    else:
        _tell(done, dry_run=dry_run)
    return 1 if done.left else 0


def _decisions(file: str) -> dict[str, Side]:
    try:
        found = json.loads(read_text_named(file, repr(file), most=MOST_BYTES))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file!r} is not JSON: {error}") from error
    if not isinstance(found, dict) or any(value not in SIDES for value in found.values()):
        raise InputError(f'{file!r}: write {{"NAME": "ours"}}, with one of {", ".join(SIDES)} for each name')
    return found


def _asking(side: Side | None, chosen: dict[str, Side], *, prompt: bool) -> Ask:
    def ask(one: Contested) -> Side | None:
        known = chosen.get(one.name) or side
        return known if known is not None or not prompt else _prompt(one)

    return ask


def _prompt(one: Contested) -> Side | None:
    say(f"{place_of(one.path, one.line)} {one.name}")
    for number, version in enumerate(one.versions):
        _show(one, version, number)
    word = click.prompt("Take", type=click.Choice([*SIDES, "skip"]), default="skip")
    return next((side for side in SIDES if side == word), None)


def _show(one: Contested, version: Version, number: int) -> None:
    name = version.label or ("ours" if number == 0 else "theirs")
    say(f"  {name} {dim(version.commit)}".rstrip())
    if not version.fields:
        say("    removed")
    for key in one.keys:
        if key in version.fields:
            say(f"    {key} = {version.fields[key]}")


def _tell(done: Resolved, *, dry_run: bool) -> None:
    for name, why in done.settled.items():
        say(f"settled {name}: {why}")
    for one in done.left:
        say(f"open {place_of(one.path, one.line)} {one.name}")
        for number, version in enumerate(one.versions):
            _show(one, version, number)
    wrote = "would write" if dry_run else "wrote"
    if done.files:
        say(f"{wrote} {count(len(done.files), 'file')}")
    if done.left:
        say(f"{count(len(done.left), 'entry', 'entries')} left; pk resolve NAME --ours, --theirs or --both")
    elif not done.files and not done.settled:
        say("no merge left anything open")


_RESOLVED: Final = Codec(
    Resolved,
    "settled left files",
    left=Codec(Contested, "path name line keys versions", versions=Codec(Version, "label commit fields")),
)
