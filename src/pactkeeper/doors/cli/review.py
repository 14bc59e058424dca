"""`pk review`: decide on a patch's proposals next to the source of its tests, saved as you go."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from shlex import quote

import click

from pactkeeper.doors.cli.output import count, ensure_writable, say, write_out
from pactkeeper.doors.cli.parameters import attended, workspace
from pactkeeper.errors import UsageError
from pactkeeper.operators.decide import Pending, export_review, import_review, load_pending, read_sources
from pactkeeper.operators.sitting import Sitting, begin, standing
from pactkeeper.published.ops import describe
from pactkeeper.repo.named_file import read_text_named
from pactkeeper.workspace import Workspace

MOST_BYTES = 64 << 20  # of a review in a file


@click.command()
@click.argument("patch", required=False)
@click.option(
    "--export", "export_to", type=click.Path(allow_dash=True), metavar="FILE", help="Write decisions to FILE."
)
@click.option("--import", "import_from", metavar="FILE", help="Take decisions from FILE, - for stdin.")
@click.option("--batch", type=click.IntRange(min=1), metavar="N", help="Stop after N tests.")
@click.option("--plain", is_flag=True, help="Ask line by line instead of full screen.")
def command(
    patch: str | None, *, export_to: str | None, import_from: str | None, batch: int | None, plain: bool
) -> None:
    """Accept, edit or reject what PATCH (default: the newest) proposes; `pk apply` then writes it.

    Every answer is saved at once; stop with q and come back any time; ? shows the keys. Without a terminal, decide in a
    file: --export writes undecided items as "open", change verdicts to accept, reject or edit, and --import reads them
    back.
    """
    if export_to and import_from:
        raise click.UsageError("--export and --import are separate steps; give one of them")
    if export_to not in {None, "-"}:
        ensure_writable(Path(str(export_to)), "--export")
    with workspace() as (opened, _):
        pending = load_pending(opened, patch)
        if export_to:
            _export(export_to, export_review(pending, describe), name=patch)
        elif import_from:
            review = import_review(opened, pending, _import(import_from))
            say(f"{count(len(review.decisions), 'decision')} on {pending.patch.id}; next: pk apply")
        else:
            _converse(opened, pending, batch, name=patch, plain=plain)


def _export(target: str, text: str, *, name: str | None) -> None:
    if target == "-":
        click.echo(text, nl=False)
    else:
        write_out(Path(target), text)
        named = f"{quote(name)} " if name else ""
        say(f'wrote {target}; change "open" to accept, reject or edit, then: pk review {named}--import {target}')


def _import(source: str) -> str:
    what = "the review" if source == "-" else f"the review {source!r}"
    return read_text_named(source, what, most=MOST_BYTES)


def _converse(opened: Workspace, pending: Pending, batch: int | None, *, name: str | None, plain: bool) -> None:
    talking = attended(opened.surroundings)
    drawing = talking and not plain and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    if not pending.items or not (pending.open or drawing):  # on a screen, decisions can be looked at again
        say(f"{pending.patch.id}: nothing waits for a decision{'; next: pk apply' if pending.items else ''}")
        return
    if not talking:
        review = f"pk review {quote(name)}" if name else "pk review"
        raise UsageError(
            f"{count(len(pending.open), 'test')} of {pending.patch.id} to decide, but no terminal to ask at; "
            f"decide in a file: {review} --export FILE, then {review} --import FILE"
        )
    opened.person()  # a decision needs a name; fail before the first answer
    sitting = _full(opened, pending, batch) if drawing else _plain(opened, pending, batch)
    answered = sum(standing(sitting, one) != "open" for one in sitting.items if one.group in sitting.began)
    left = len(pending.open) - answered
    say(f"{count(answered, 'answer')} saved, {left:,} to go; next: {'pk review' if left else 'pk apply'}")


def _plain(opened: Workspace, pending: Pending, batch: int | None) -> Sitting:
    from pactkeeper.doors.cli.review_plain import PlainReview  # noqa: PLC0415 - only one of the two is needed

    most = batch or opened.pact(opened.snapshot()).settings.review_batch
    return PlainReview(opened, begin(pending, pending.open[:most])).run()


def _full(opened: Workspace, pending: Pending, batch: int | None) -> Sitting:
    from pactkeeper.doors.cli.review_full import FullScreen  # noqa: PLC0415 - it loads what draws the screen

    sitting = begin(pending, pending.open[:batch] if batch else None)
    return FullScreen(opened, sitting, read_sources(opened)).run()
