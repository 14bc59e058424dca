"""`pk attest`: vouch for a commit, and show what others vouched for."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import count, dim, document, ensure_writable, mark, note, say, tally, write_out
from pactkeeper.doors.cli.parameters import as_json, workspace
from pactkeeper.errors import UsageError
from pactkeeper.intent.evidence_state import state_counts
from pactkeeper.intent.signatures import Attestation, Verified
from pactkeeper.operators.attest import Ask, Held, Made, attest, import_attestation, verify_attestation
from pactkeeper.published.plain import Codec

signers_option = click.option(
    "--allowed-signers", metavar="FILE", help="Who may sign, as `ssh-keygen` reads it (default: the pact's own list)."
)


@click.group(cls=CommandGroup, invoke_without_command=True)
@click.option("--out", metavar="FILE", help="Write the attestation to FILE.")
@click.option("--results", multiple=True, metavar="FILE", help="A report of the test run; repeatable.")
@click.option("--coverage", multiple=True, metavar="FILE", help="A report of coverage; repeatable.")
@click.option("--sign", "key", type=click.Path(path_type=Path), metavar="KEY", help="Sign with this ssh key.")
@click.option("--at", metavar="REF", help="Attest a commit instead of the work tree.")
@click.option("--allow-dirty", is_flag=True, help="Attest a work tree that differs from its commit, and say so.")
@click.pass_context
def command(  # noqa: PLR0913 - one argument per option
    ctx: click.Context,
    *,
    out: str | None,
    results: tuple[str, ...],
    coverage: tuple[str, ...],
    key: Path | None,
    at: str | None,
    allow_dirty: bool,
) -> None:
    """Write what is declared, linked, proven and found at a commit, for CI to vouch for.

    It holds for exactly its commit. Exit code 0 says that it was written, not that all is well: `pk check` says that.
    """
    if ctx.invoked_subcommand is not None:
        return
    if out is None:
        raise UsageError("name the file to write: pk attest --out FILE")
    place = Path(ctx.obj) / out
    ensure_writable(place, "--out")
    ask = Ask(
        results, coverage, at, allow_dirty, None if key is None else Path(ctx.obj) / key, (str(place.absolute()),)
    )
    with workspace() as (opened, _):
        made = attest(opened, ask)
    write_out(place, made.text)
    _print_made(made, out)


def _print_made(made: Made, out: str) -> None:
    signed = "signed" if made.signed else "not signed"
    say(f"wrote {out}: {_summary(made.attestation)}; {signed}")
    if made.unmatched:
        cases = count(len(made.unmatched), "case")
        note(f"{mark('warning')} {cases} of the reports fit no test; pk evidence import lists them")


def _summary(said: Attestation) -> str:
    check = "in agreement" if said.check.agrees else f"drifted, {count(said.check.errors, 'error')}"
    atoms = tally(list(state_counts(one.state for one in said.proofs).items())) or "none"
    tests = tally(list(said.evidence.items())) or "none"
    dirty = f"; {count(len(said.changed), 'path')} not as committed" if said.changed else ""
    return f"commit {said.commit[:12]}{dirty}; {check}; committed atoms: {atoms}; tests: {tests}"


@command.command()
@click.argument("file")
@signers_option
@as_json
def verify(file: str, *, allowed_signers: str | None, json_: bool) -> int:
    """Show whether the attestation FILE holds: its hash, its signature, and the pact of its commit.

    Exit code 0 when a listed signer vouches for it and nothing here contradicts it, 1 otherwise.
    """
    with workspace() as (opened, _):
        held = verify_attestation(opened, file, allowed_signers=allowed_signers)
    if json_:
        document(_HELD(held), "attested/1")
    else:
        _print_held(held)
    return 1 if held.against else 0


@command.command("import")
@click.argument("file")
@signers_option
@as_json
def import_command(file: str, *, allowed_signers: str | None, json_: bool) -> None:
    """Keep the attestation FILE in the history, so that `pk status` can tell attested from plausible."""
    with workspace() as (opened, _):
        held = import_attestation(opened, file, allowed_signers=allowed_signers)
    if json_:
        document(_HELD(held), "attested/1")
    else:
        _print_held(held)
        say(f"kept for commit {held.attestation.commit[:12]}")


def _print_held(held: Held) -> None:
    said = held.attestation
    say(_summary(said))
    say(f"made {said.at} by Pactkeeper {said.version}{_claimed(said)}")
    if isinstance(held.examined, Verified):
        say(f"signed by {held.examined.principal}  {dim(held.examined.key)}")
    for reason in held.against:
        say(f"{mark('warning')} {reason}")
    if held.catalog == "no such commit here":
        note("this clone does not have the commit, so its pact was not compared")


def _claimed(said: Attestation) -> str:
    claims = ", ".join(f"{name} {value}" for name, value in said.claims.items())
    return f", which says: {claims}" if claims else ""


_HELD: Final = Codec(
    Held,
    "commit=attestation.commit hash=attestation.hash holds= against signature=examined catalog"
    " claims=attestation.claims",
    holds=lambda held: not held.against,
)
