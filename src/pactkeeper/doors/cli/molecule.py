"""`pk molecule`: groups of atoms."""

from __future__ import annotations

from typing import Any, Final

import click

from pactkeeper.doors.cli.atom import print_row
from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, first_of, say
from pactkeeper.doors.cli.parameters import as_json, in_workspace
from pactkeeper.intent.atoms import LENSES, Molecule
from pactkeeper.operators.molecules import (
    Change,
    MoleculeDetail,
    Molecules,
    change_molecule,
    get_molecule,
    list_molecules,
)
from pactkeeper.published.atoms import ATOM, MOLECULE
from pactkeeper.published.plain import Codec
from pactkeeper.reconcile.molecules import Grouping

MOST_ATOMS = 5
_DETAIL: Final = Codec(
    MoleculeDetail,
    "*molecule holds=inner held_by=outer all_atoms=atoms test_states=tests",
    molecule=MOLECULE,
    holds=MOLECULE,
    held_by="id",
    all_atoms=ATOM,
)
by_option = click.option(
    "--by", type=click.Choice(["path", "concept"]), default="path", show_default=True, help="How to compute groups."
)

lens_option = click.option("--lens", type=click.Choice(LENSES), help="The view that it takes of its atoms.")


@click.group(cls=CommandGroup, default="list")
def command() -> None:
    """Show, keep, rename and edit groups of atoms.

    Groups are computed; a group you keep is stored in the pact's molecules.toml.
    """


@command.command("list")
@by_option
@click.option("--lens", type=click.Choice(LENSES), help="Only kept molecules with this lens.")
@as_json
def list_command(*, by: Grouping, lens: str | None, json_: bool) -> None:
    """List kept molecules, then the computed groups."""
    found = in_workspace(list_molecules, by)
    stored = [one for one in found.stored if lens is None or one.lens == lens]
    computed = () if lens else found.computed
    if json_:
        document(
            {
                "stored": MOLECULE.each(stored),
                "computed": [{"key": one.key, "name": one.name, "atoms": list(one.atoms)} for one in computed],
            },
            "molecules/1",
        )
        return
    for one in stored:
        _print(found, f"{one.id}  {one.name}", one.atoms, note=_kind(one))
    for view in computed:
        _print(found, f"{view.name}  {dim(view.key)}", view.atoms)


def _kind(one: Molecule) -> str:
    held = count(len(one.molecules), "molecule") if one.molecules else ""
    return ", ".join(part for part in ((one.lens or "").replace("_", " "), held) if part)


def _print(found: Molecules, title: str, atoms: tuple[str, ...], *, note: str = "") -> None:
    facts = ", ".join(part for part in (note, count(len(atoms), "atom")) if part)
    say(f"{bold(title)}  {dim(facts)}")
    for name in first_of(atoms, MOST_ATOMS, "  … and {} more"):
        say(f"  {name}  {found.pact.atoms[name].intent}")


@command.command()
@click.argument("molecule")
@as_json
def show(molecule: str, *, json_: bool) -> None:
    """Show a kept molecule, by id or name, with everything in it; `pk commit --molecule` commits it as a whole."""
    found = in_workspace(get_molecule, molecule)
    if json_:
        document(_DETAIL(found), "molecule/1")
        return
    one = found.molecule
    say(f"{bold(f'{one.id}  {one.name}')}  {dim(_kind(one))}")
    if one.description:
        say(f"  {one.description}")
    for inner in found.inner:
        say(f"  {dim('holds')} {inner.id}  {inner.name}  {dim(_kind(inner))}")
    for outer in found.outer:
        say(f"  {dim('held by')} {outer.id}  {outer.name}  {dim(_kind(outer))}")
    for row in found.atoms:
        print_row(row)
    for test, state in found.tests:
        say(f"  {test}  {dim(state or 'not there')}")


@command.command()
@click.argument("new", metavar="NAME")
@lens_option
@click.option("--description", help="Describe it.")
@click.option("--atom", "add", multiple=True, metavar="ID", help="An atom in it; repeatable.")
@click.option("--molecule", "nest", multiple=True, metavar="MOLECULE", help="A molecule in it; repeatable.")
def create(**wanted: Any) -> None:  # noqa: ANN401 - as click gives them
    """Create a molecule called NAME, with the given atoms and molecules."""
    _change(Change(**wanted))


@command.command()
@click.argument("molecule")
@click.argument("lens", type=click.Choice([*LENSES, "none"]))
def lens(molecule: str, lens: str) -> None:
    """Set the lens of a kept molecule: the view it takes of its atoms; `none` removes it."""
    _change(Change(molecule=molecule, lens="" if lens == "none" else lens))  # type: ignore[arg-type]  # likewise


@command.command()
@click.argument("outer")
@click.argument("inner", nargs=-1, required=True)
def nest(outer: str, inner: tuple[str, ...]) -> None:
    """Nest molecules in OUTER, up to 10 levels deep; a molecule may be in several others."""
    _change(Change(molecule=outer, nest=inner))


@command.command()
@click.argument("outer")
@click.argument("inner", nargs=-1, required=True)
def unnest(outer: str, inner: tuple[str, ...]) -> None:
    """Remove molecules from OUTER; they are kept."""
    _change(Change(molecule=outer, unnest=inner))


@command.command()
@click.argument("key")
@by_option
@click.option("--name", help="A name other than the computed one.")
def keep(key: str, *, by: str, name: str | None) -> None:
    """Store the computed group KEY; from then on only people change it."""
    _change(Change(view=key, grouping=by, name=name))  # type: ignore[arg-type]  # click allows these words


@command.command()
@click.argument("molecule")
@click.argument("name")
def rename(molecule: str, name: str) -> None:
    """Rename a kept molecule, given by id or name."""
    _change(Change(molecule=molecule, name=name))


@command.command()
@click.argument("molecule")
@click.option("--add", multiple=True, metavar="ATOM", help="Add an atom; repeatable.")
@click.option("--remove", multiple=True, metavar="ATOM", help="Remove an atom; repeatable.")
@click.option("--add-test", "add_tests", multiple=True, metavar="TEST", help="Add a test to a change set.")
@click.option("--remove-test", "remove_tests", multiple=True, metavar="TEST", help="Remove a test from it.")
@click.option("--description", help="Describe it.")
def edit(**wanted: Any) -> None:  # noqa: ANN401 - as click gives them
    """Change a kept molecule's members or description."""
    _change(Change(**wanted))


@command.command("remove")
@click.argument("molecule")
def remove_command(molecule: str) -> None:
    """Delete a kept molecule; its atoms stay."""
    _change(Change(molecule=molecule, delete=True))


def _change(change: Change) -> None:
    made, entry = in_workspace(change_molecule, change)
    done = "deleted" if change.delete else "stored"
    held = f" and {count(len(made.molecules), 'molecule')}" if made.molecules else ""
    text = f"{done} {made.id} {made.name!r} with {count(len(made.atoms), 'atom')}{held}"
    say(text if entry else "nothing changed")
