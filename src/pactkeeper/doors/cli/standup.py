"""`pk transcripts standup`: what was done, and what a person decides."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Final, Literal

import click

from pactkeeper.doors.cli.output import dim, document, mark, note, say
from pactkeeper.doors.cli.parameters import as_json, personal
from pactkeeper.doors.cli.standup_text import print_asked, print_deed, print_standup
from pactkeeper.errors import InputError, RefusedError, UsageError
from pactkeeper.intent.deeds import Deed
from pactkeeper.operators.standup import StandupVerdict, Standup, decide_actions, see_actions, stand_up
from pactkeeper.published.standup import deed_row, standup_document
from pactkeeper.transcripts.executing.sorting import Ruled
from pactkeeper.workspace import Personal

Word = Literal["yes", "no", "skip"]
WORDS: Final[dict[str, Word]] = {"y": "yes", "yes": "yes", "n": "no", "no": "no", "s": "skip", "skip": "skip"}
PROMPT: Final = "yes, no or skip for each, in order; nothing: one after the other; q: leave all"


@click.command()
@click.option("--accept", "accepted", multiple=True, metavar="ACTION", help="Carry this out; repeatable.")
@click.option("--reject", "refused", multiple=True, metavar="ACTION", help="Never propose this again; repeatable.")
@click.option("--reason", default="", help="Why not.")
@click.option("--dry-run", is_flag=True, help="Write to no board; say what would happen.")
@as_json
@click.pass_context
def command(  # noqa: PLR0913 - one argument an option
    ctx: click.Context,
    *,
    accepted: tuple[str, ...],
    refused: tuple[str, ...],
    reason: str,
    dry_run: bool,
    json_: bool,
) -> int:
    """Do what conversations plainly show, tell what was done, and ask about the rest.

    A terminal is asked; elsewhere, answer with --accept and --reject. Unanswered actions wait. docs/transcripts.md
    lists what happens by itself and what never does.
    """
    if (accepted or refused) and dry_run:
        raise UsageError("--dry-run decides nothing; leave it out, or leave out --accept and --reject")
    said = [*(StandupVerdict(one, yes=True) for one in accepted), *(StandupVerdict(one, yes=False, reason=reason) for one in refused)]
    with personal(ctx) as opened:
        if said:
            return _decide(opened, said, json_=json_)
        found = stand_up(opened, dry_run=dry_run)
        if json_:
            document(standup_document(found))
            return 0
        print_standup(found)
        if found.asked and not dry_run:
            _converse(opened, found)
    return 0


def _decide(opened: Personal, said: Sequence[StandupVerdict], *, json_: bool) -> int:
    told = decide_actions(opened, said)
    if json_:
        document({"schema": "pactkeeper.deeds/1", "deeds": [deed_row(one) for one in told]})
    else:
        for deed in told:
            print_deed(deed)
    return 0 if all(one.standing in {"done", "rejected"} for one in told) and len(told) == len(said) else 1


def _converse(opened: Personal, found: Standup) -> None:
    if opened.surroundings.ci or sys.stdin is None or not sys.stdin.isatty():
        say("next    pk transcripts standup --accept ACTION, or --reject ACTION; both are repeatable")
        return
    words = _line(len(found.asked))
    if words is None:
        return
    if words:
        _carry_out(opened, found.asked, words)
    else:
        _one_by_one(opened, found)
    see_actions(opened, [deed.action.id for deed in (*found.done, *found.failed)])


def _line(most: int) -> list[Word] | None:
    """The answers of one line, in order; none at all for one after the other, None to leave."""
    while True:
        typed = click.prompt(PROMPT, default="", show_default=False)
        if typed.strip().casefold() in {"q", "quit"}:
            return None
        words = read_words(typed)
        if words is not None and len(words) <= most:
            return words
        note(f"{mark('warning')} {typed!r} is not up to {most} times yes, no or skip")


def read_words(typed: str) -> list[Word] | None:
    """Read `yes, yes, skip`; None where one of the words is another."""
    given = [word for word in re.split(r"[\s,;]+", typed.casefold()) if word]
    return [WORDS[word] for word in given] if all(word in WORDS for word in given) else None


def _one_by_one(opened: Personal, found: Standup) -> None:
    for number, one in enumerate(found.asked, start=1):
        print_asked(number, one, found)
        typed = click.prompt("  yes, no, skip or quit", default="skip")
        words = read_words(typed)
        if typed.casefold() in {"q", "quit"}:
            return
        if words:
            _carry_out(opened, [one], words[:1])


def _carry_out(opened: Personal, asked: Sequence[Ruled], words: Sequence[Word]) -> None:
    """Carry the answers out, each bound to what was shown; what got none waits."""
    said = [
        StandupVerdict(one.action.id, yes=word == "yes", shown_hash=one.action.op.shown_hash)
        for one, word in zip(asked, words, strict=False)
        if word != "skip"
    ]
    try:
        told: tuple[Deed, ...] = decide_actions(opened, said) if said else ()
    except (InputError, RefusedError) as error:
        note(f"{mark('error')} {error}")
        return
    for deed in told:
        print_deed(deed)
    say(dim(f"{len(asked) - len(said)} left waiting"))
