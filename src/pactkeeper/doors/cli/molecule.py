"""`pk molecule`: groups of atoms."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.output import bold, count, dim, document, say
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.operators import call
from pactkeeper.operators.molecules import Change, Molecules

MOST_ATOMS = 5
by_option = click.option(
    "--by", type=click.Choice(["path", "concept"]), default="path", show_default=True, help="How to compute groups."
)


@click.group()
def command() -> None:
    """Show, keep, rename and edit groups of atoms.

    Groups are computed; one that you keep is yours and is stored in pact/molecules.toml.
    """


@command.command("list")
@by_option
@as_json
@click.pass_context
def list_command(ctx: click.Context, *, by: str, json_: bool) -> int:
    """List kept molecules, then the computed groups."""
    with workspace(ctx) as (opened, _):
        found: Molecules = call("list_molecules", opened, by)
    if json_:
        document(
            {
                "schema": "pactkeeper.molecules/1",
                "stored": [
                    {"id": one.id, "name": one.name, "description": one.description, "atoms": list(one.atoms)}
                    for one in found.stored
                ],
                "computed": [{"key": one.key, "name": one.name, "atoms": list(one.atoms)} for one in found.computed],
            }
        )
        return 0
    for one in found.stored:
        _print(found, f"{one.id}  {one.name}", one.atoms)
    for view in found.computed:
        _print(found, f"{view.name}  {dim(view.key)}", view.atoms)
    return 0


def _print(found: Molecules, title: str, atoms: tuple[str, ...]) -> None:
    say(f"{bold(title)}  {dim(count(len(atoms), 'atom'))}")
    for name in atoms[:MOST_ATOMS]:
        say(f"  {name}  {found.pact.atoms[name].intent}")
    if len(atoms) > MOST_ATOMS:
        say(dim(f"  … and {len(atoms) - MOST_ATOMS:,} more"))


@command.command()
@click.argument("key")
@by_option
@click.option("--name", help="Name it otherwise than computed.")
@click.pass_context
def keep(ctx: click.Context, key: str, *, by: str, name: str | None) -> int:
    """Store the computed group KEY; from then on only people change it."""
    return _change(ctx, Change(view=key, grouping=by, name=name))  # type: ignore[arg-type]  # click allows these words


@command.command()
@click.argument("molecule")
@click.argument("name")
@click.pass_context
def rename(ctx: click.Context, molecule: str, name: str) -> int:
    """Rename a kept molecule, named by id or name."""
    return _change(ctx, Change(molecule=molecule, name=name))


@command.command()
@click.argument("molecule")
@click.option("--add", multiple=True, metavar="ATOM", help="Add an atom; repeatable.")
@click.option("--remove", multiple=True, metavar="ATOM", help="Take an atom out; repeatable.")
@click.option("--description", help="Describe it.")
@click.pass_context
def edit(
    ctx: click.Context, molecule: str, *, add: tuple[str, ...], remove: tuple[str, ...], description: str | None
) -> int:
    """Change a kept molecule's members or description."""
    return _change(ctx, Change(molecule=molecule, add=add, remove=remove, description=description))


@command.command()
@click.argument("molecule")
@click.pass_context
def drop(ctx: click.Context, molecule: str) -> int:
    """Delete a kept molecule; its atoms stay."""
    return _change(ctx, Change(molecule=molecule, delete=True))


def _change(ctx: click.Context, change: Change) -> int:
    with workspace(ctx) as (opened, _):
        made, entry = call("change_molecule", opened, change)
    done = "deleted" if change.delete else "stored"
    say(f"{done} {made.id} {made.name!r} with {count(len(made.atoms), 'atom')}" if entry else "nothing changed")
    return 0
