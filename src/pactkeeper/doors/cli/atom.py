"""`pk atom`: list, read and search atoms; every command that prints an atom prints it as here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, place_of, say, tally
from pactkeeper.doors.cli.parameters import as_json, in_workspace, workspace
from pactkeeper.errors import some_of
from pactkeeper.intent.atoms import CATEGORIES, SOURCES, Clarification
from pactkeeper.intent.evidence_state import MOST_NAMED, Backing
from pactkeeper.intent.ids import Near
from pactkeeper.intent.listing import SORTS, AtomFilter
from pactkeeper.operators import atoms
from pactkeeper.operators.atoms import (
    BACKINGS,
    MOST_REVISIONS,
    AtomDetail,
    AtomHistory,
    AtomPage,
    AtomQuery,
    AtomRow,
    BackingWanted,
)
from pactkeeper.published.atoms import ATOMS, DETAIL, FOUND, HISTORY
from pactkeeper.workspace import Workspace

COLOURS = {"committed": "green", "draft": "yellow", "proposed": "cyan", "superseded": "blue", "abandoned": "red"}


def status_word(row: AtomRow, width: int = 0) -> str:
    """The derived status in its colour, padded to a width."""
    return click.style(f"{row.status:<{width}}", fg=COLOURS.get(row.status))


def print_row(row: AtomRow) -> None:
    """Print an atom on one line, and below it what backs it if that was asked."""
    say(f"{row.atom.id}  {status_word(row, 10)}  {dim(f'{row.atom.category:<15}')}  {row.atom.intent}")
    if row.backing is not None:
        say(f"    {backing_words(row.backing)}")


def backing_words(backing: Backing) -> str:
    """Name the tests that prove an atom, or say that none does and why."""
    if backing.backed:
        failed = f"{click.style('failed', fg='red')}; " if backing.state == "failing" else ""
        return f"{failed}{click.style('backed', fg='green')} by {some_of(backing.tests, MOST_NAMED)}"
    return f"{click.style('no test backs it', fg='yellow')}: {backing.lacks}"


def print_detail(detail: AtomDetail) -> None:
    """Print everything an atom's table says, and what follows from the rest of the pact."""
    row, atom = detail.row, detail.row.atom
    print_words(row)
    for label, text in (
        ("tags", ", ".join(atom.tags)),
        ("from", f"{atom.origin or 'no test'}  {dim(atom.source)}"),
        ("commitment", row.commitment or ""),
        ("replaces", atom.supersedes or ""),
        ("replaced by", row.successor or ""),
        ("waiting", f"{row.waiting} is declared to replace it" if row.waiting else ""),
        ("abandoned", row.reason or ""),
        ("molecules", ", ".join(f"{one.id} {one.name}" for one in detail.molecules)),
        ("tests", "\n            ".join(row.tests)),
        ("backed", backing_words(row.backing) if row.backing is not None else ""),
        ("table", place_of(atom.path, atom.line)),
    ):
        if text:
            say(f"{dim(f'{label:<11}')} {text}")
    print_clarifications(detail.clarifications)


def print_clarifications(clarifications: Sequence[Clarification]) -> None:
    """Print questions with their answers."""
    for said in clarifications:
        say(f"{dim(f'{said.id:<11}')} {said.question}")
        say(f"{'':<11} {said.answer}  {dim(f'{said.by}, {said.at[:10]}')}")


def print_words(row: AtomRow) -> None:
    """Print an atom's id, status, category, sentence, outcomes and falsifiers."""
    say(f"{bold(row.atom.id)}  {status_word(row)}  {dim(row.atom.category)}")
    say(f"  {row.atom.intent}")
    for outcome in row.atom.outcomes:
        say(f"    • {outcome}")
    for falsifier in row.atom.falsified_by:
        say(f"    {dim('not:')} {falsifier}")


def print_near(near: tuple[Near, ...]) -> None:
    """Print the atoms that say nearly the same."""
    if near:
        say(dim("nearly the same as"))
        for one in near:
            say(f"  {one.atom.id}  {one.atom.intent}")


STATUSES = ("proposed", "draft", "committed", "superseded", "abandoned")
MOST_ON_A_PAGE = 1000
Command = TypeVar("Command", bound=Callable[..., Any])


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """List, read, search and write atoms: the behaviours that somebody declared.

    A draft or a proposal can be edited and removed. A committed atom never changes: `pk atom supersede` replaces it.
    """


def filter_options(command: Command) -> Command:
    """Add the filters of a list, passed on as `wanted`; of a repeated option, any value may match."""

    @wraps(command)
    def gathered(*, paths: tuple[str, ...], **given: Any) -> Any:  # noqa: ANN401 - click decides
        conditions = {name: given.pop(name) for name in ("status", "category", "source", "tags", "text")}
        return command(wanted=_Wanted(paths, conditions), **given)

    made: Command = gathered  # type: ignore[assignment]  # the same command, with other options
    for option in (
        click.option("--status", multiple=True, type=click.Choice(STATUSES), help="Only atoms with this status."),
        click.option("--category", multiple=True, type=click.Choice(CATEGORIES), help="Only atoms in this category."),
        click.option("--source", multiple=True, type=click.Choice(SOURCES), help="Only atoms from this source."),
        click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only atoms with this tag."),
        click.option("--path", "paths", multiple=True, metavar="PATH", help="Only atoms from tests at this path."),
        click.option("--text", default="", metavar="WORDS", help="Only atoms that contain all these words."),
    ):
        made = option(made)
    return made


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The filters as they were typed."""

    paths: tuple[str, ...]
    conditions: Mapping[str, Any]

    def filter(self, opened: Workspace, start: str) -> AtomFilter:
        """Build the filter: paths are relative to the current folder, patterns to the root."""
        plain = [path for path in self.paths if "*" not in path]
        found = [next(iter(opened.relative((path,), start=Path(start))), ".") for path in plain]
        return AtomFilter(paths=(*found, *(path for path in self.paths if "*" in path)), **self.conditions)


@command.command("list")
@filter_options
@click.option("--sort", type=click.Choice(list(SORTS)), default="place", show_default=True, help="Sort by this.")
@click.option("--order", type=click.Choice(["asc", "desc"]), default="asc", show_default=True)
@click.option(
    "--backing",
    type=click.Choice(BACKINGS),
    is_flag=False,
    flag_value="any",
    help="Show the tests that back each atom.",
)
@click.option("--page", type=click.IntRange(min=1), default=1, metavar="N", help="Show this page.")
@click.option("--limit", type=click.IntRange(1, MOST_ON_A_PAGE), default=50, show_default=True, metavar="N")
@as_json
@click.pass_context
def list_command(  # noqa: PLR0913 - one argument per option
    ctx: click.Context,
    *,
    sort: str,
    order: str,
    page: int,
    limit: int,
    backing: BackingWanted | None,
    json_: bool,
    wanted: _Wanted,
) -> None:
    """List atoms, a page at a time."""
    with workspace() as (opened, _):
        query = AtomQuery(wanted.filter(opened, ctx.obj), sort, order == "desc", page, limit, backing)
        found = atoms.list_atoms(opened, query)
    if json_:
        document(ATOMS(found), "atoms/1")
        return
    for row in found.rows:
        print_row(row)
    say(dim(_footer(found)))


def _footer(found: AtomPage) -> str:
    if found.pages <= 1 and found.page == 1:
        return count(found.total, "atom")
    more = f"; --page {found.page + 1} goes on" if found.page < found.pages else ""
    return f"{count(found.total, 'atom')}; page {found.page:,} of {found.pages:,}{more}"


@command.command()
@click.argument("atom")
@as_json
def show(atom: str, *, json_: bool) -> None:
    """Show one atom; `pk explain` adds its tests, rules and history."""
    found = in_workspace(atoms.get_atom, atom)
    if json_:
        document(DETAIL(found), "atom/1")
    else:
        print_detail(found)


@command.command()
@click.argument("words", nargs=-1, required=True)
@filter_options
@click.option("--limit", type=click.IntRange(1, MOST_ON_A_PAGE), default=20, show_default=True, metavar="N")
@as_json
@click.pass_context
def search(ctx: click.Context, words: tuple[str, ...], *, limit: int, json_: bool, wanted: _Wanted) -> None:
    """Find atoms by words, best match first; at least half of WORDS must start a word in the atom."""
    with workspace() as (opened, _):
        narrowed = wanted.filter(opened, ctx.obj)
        found = atoms.search_atoms(opened, " ".join(words), narrowed, limit=limit)
    if json_:
        document({"query": " ".join(words), "atoms": FOUND.each(found)}, "atom-search/1")
        return
    for hit in found:
        print_row(hit.row)
    say(dim(count(len(found), "atom") if found else "no atom matches"))


@command.command()
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the N most frequent.")
@as_json
def tags(*, limit: int | None, json_: bool) -> None:
    """List tags with their number of atoms, most frequent first."""
    found = in_workspace(atoms.get_popular_tags, limit)
    if json_:
        document({"tags": [{"tag": tag, "atoms": number} for tag, number in found]}, "tags/1")
        return
    for tag, number in found:
        say(f"{number:>6,}  {tag}")


@command.command()
@filter_options
@as_json
@click.pass_context
def stats(ctx: click.Context, *, json_: bool, wanted: _Wanted) -> None:
    """Count atoms by status, category, source, and what is missing from them."""
    with workspace() as (opened, _):
        found = atoms.count_atoms(opened, wanted.filter(opened, ctx.obj))
    if json_:
        document(found, "atom-stats/1")
        return
    say(f"{'atoms':<9} {found.total:,}")
    for label, counts in (("status", found.status), ("category", found.category), ("source", found.source)):
        say(f"{label:<9} {tally(list(counts.items()))}")
    lacks = [(name, getattr(found, f"without_{name}")) for name in ("outcomes", "falsifiers", "reviewed_test")]
    say(f"{'without':<9} {tally(lacks) or '–'}")


@command.command()
@click.argument("atom")
@click.option("--limit", type=click.IntRange(min=1), default=MOST_REVISIONS, show_default=True, metavar="N")
@as_json
def history(atom: str, *, limit: int, json_: bool) -> None:
    """Show what an atom replaced, what replaced it, who committed it, and which git commits changed it."""
    found = in_workspace(atoms.atom_history, atom, most=limit)
    if json_:
        document(HISTORY(found), "atom-history/1")
    else:
        print_history(found)


def print_history(found: AtomHistory) -> None:
    """Print a chain of atoms, oldest first, then commitments and the commits that changed the table."""
    for row in found.chain:
        mark = bold("›") if row.atom.id == found.atom.atom.id else " "
        replaces = dim(f"  replaces {row.atom.supersedes}") if row.atom.supersedes else ""
        say(f"{mark} {row.atom.id}  {status_word(row, 10)}  {row.atom.intent}{replaces}")
    for one in found.commitments:
        what, why = ("committed", "") if one.abandons is None else ("abandoned", f"  {one.abandons}")
        say(f"  {dim(what)} {one.at[:10]}  {one.id}  {one.by}  {dim(one.assurance)}{why}")
    for change in found.revisions:
        say(f"  {dim('changed')}   {change.at[:10]}  {change.commit[:12]}  {change.by}  {dim(change.subject)}")
    if not found.revisions:
        say(dim("  it is not in a git commit yet"))
