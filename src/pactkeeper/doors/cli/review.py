"""`pk review`: decide what the patch proposes, one suite a screen, saved as you go."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from shlex import quote

import click

from pactkeeper.doors.cli.item import print_item
from pactkeeper.doors.cli.out_file import ensure_writable, write_out
from pactkeeper.doors.cli.output import bold, count, dim, say
from pactkeeper.doors.cli.parameters import workspace
from pactkeeper.errors import UsageError
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.operators.decide import (
    Item,
    Pending,
    decide,
    export_review,
    import_review,
    load_pending,
    save_decisions,
    suite_of,
)
from pactkeeper.published.ops import describe
from pactkeeper.repo.named_file import read_text_named
from pactkeeper.workspace import Workspace

MOST_BYTES = 64 << 20  # of a review in a file
KEYS = "[a]ccept  [r]eject  [e]dit  accept whole [s]uite  [n]ot now  [q]uit"


@click.command()
@click.argument("patch", required=False)
@click.option(
    "--export", "export_to", type=click.Path(allow_dash=True), metavar="FILE", help="Write decisions to FILE."
)
@click.option("--import", "import_from", metavar="FILE", help="Take decisions from FILE, - for stdin.")
@click.option("--batch", type=click.IntRange(min=1), metavar="N", help="Stop after N tests.")
@click.pass_context
def command(
    ctx: click.Context, patch: str | None, *, export_to: str | None, import_from: str | None, batch: int | None
) -> int:
    """Accept, edit or reject what PATCH (default: the newest) proposes; `pk apply` then writes it.

    Every answer is saved at once; stop with q and come back any time. Without a terminal, decide in a file: --export
    writes what waits as "open", change verdicts to accept, reject or edit, and --import takes them over.
    """
    if export_to and import_from:
        raise click.UsageError("--export and --import are two steps; give one of them")
    if export_to not in {None, "-"}:
        ensure_writable(Path(str(export_to)), "--export")
    with workspace(ctx) as (opened, _):
        pending = load_pending(opened, patch)
        if export_to:
            _export(export_to, export_review(pending, describe), name=patch)
        elif import_from:
            review = import_review(opened, pending, _import(import_from))
            say(f"{count(len(review.decisions), 'decision')} on {pending.patch.id}; next: pk apply")
        else:
            _converse(opened, pending, batch, name=patch)
    return 0


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


def _converse(opened: Workspace, pending: Pending, batch: int | None, *, name: str | None) -> None:
    if not pending.open:
        say(f"{pending.patch.id}: nothing waits for a decision{'; next: pk apply' if pending.items else ''}")
        return
    if opened.surroundings.ci or sys.stdin is None or not sys.stdin.isatty():
        review = f"pk review {quote(name)}" if name else "pk review"
        raise UsageError(
            f"{count(len(pending.open), 'test')} of {pending.patch.id} wait for a decision, nobody is at a terminal; "
            f"decide in a file: {review} --export FILE, then {review} --import FILE"
        )
    opened.person()  # a decision needs a name; better to hear so before the first answer
    most = batch or opened.pact(opened.snapshot()).settings.review_batch
    talk = _Conversation(opened, pending)
    talk.run(pending.open[:most])
    talk.close(len(pending.open))


@dataclass(slots=True)
class _Conversation:
    """One sitting: what was asked and answered so far."""

    opened: Workspace
    pending: Pending
    answered: int = 0
    decided: set[str] = field(default_factory=set)

    def run(self, items: Sequence[Item]) -> None:
        for position, (suite, members) in enumerate(_screens(items)):
            if position:
                click.clear()
            left = f"{count(len(members), 'test')}; {len(items) - self.answered} to go"
            say(f"{bold(suite)}  {dim(left)}")
            say()
            if not self._screen(members):
                return

    def _screen(self, members: Sequence[Item]) -> bool:
        """Ask about one suite; False where the person leaves."""
        waiting = list(members)
        while waiting:
            item = waiting[0]
            print_item(item)
            match _key():
                case "a":
                    self._save(item, "accept")
                case "r":
                    self._save(
                        item, "reject", reason=click.prompt("  why (may be empty)", default="", show_default=False)
                    )
                case "e":
                    if not self._edit(item):
                        continue
                case "s":
                    if not self._accept_all(waiting):
                        continue
                    return True
                case "q":
                    return False
                case _:
                    pass
            waiting.pop(0)
            say()
        return True

    def _accept_all(self, waiting: Sequence[Item]) -> bool:
        """Accept a whole suite, once all of it has been on the screen and the person says yes."""
        for one in waiting[1:]:
            say()
            print_item(one)
        if len(waiting) > 1 and not click.confirm(f"  accept these {len(waiting)} tests?", default=True):
            return False
        for one in waiting:
            self._save(one, "accept")
        return True

    def _save(
        self, item: Item, verdict: str, *, reason: str = "", edited: Mapping[str, Mapping[str, JsonValue]] | None = None
    ) -> None:
        item = replace(item, needs=tuple(op for op in item.needs if op.id not in self.decided))
        made = decide(self.opened, item, verdict, reason=reason, edited=edited)  # type: ignore[arg-type]  # from KEYS
        save_decisions(self.opened, self.pending.patch, made)
        self.decided |= {one.op for one in made}
        self.answered += 1

    def _edit(self, item: Item) -> bool:
        """Let the person reword the atom; False where the item has none or the words did not change."""
        worded = next((op for op in item.ops if op.verb in {"createAtom", "updateAtom"}), None)
        if worded is None:
            say("  there are no words to edit here")
            return False
        intent = click.prompt("  intent", default=str(worded.payload["description"]))
        known = worded.payload.get("observableOutcomes")
        outcomes = [str(one) for one in known] if isinstance(known, list) else []
        kept = [click.prompt("  outcome (- drops it)", default=one) for one in outcomes]
        payload = {
            **worded.payload,
            "description": intent,
            "observableOutcomes": [one for one in kept if one.strip() not in {"", "-"}],
        }
        if kept != outcomes:
            payload["falsifiedBy"] = []
        if payload == worded.payload:
            say("  nothing changed")
            return False
        self._save(item, "edit", edited={worded.id: payload})
        return True

    def close(self, waiting: int) -> None:
        left = waiting - self.answered
        say(f"{count(self.answered, 'answer')} saved, {left:,} to go; next: {'pk review' if left else 'pk apply'}")


def _screens(items: Sequence[Item]) -> Iterator[tuple[str, list[Item]]]:
    for suite, members in groupby(items, key=lambda item: suite_of(item.group)):
        yield suite, list(members)


def _key() -> str:
    while True:
        click.echo(f"  {dim(KEYS)} ", nl=False)
        pressed = click.getchar().lower()
        click.echo(pressed if pressed.isprintable() else "")
        if pressed == "\x04":  # the end of input leaves, as q does
            return "q"
        if pressed in "aresnq":
            return pressed
