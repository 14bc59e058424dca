"""`pk words`: give tests the sentences they lack, in an editor, a spreadsheet, or from a model's drafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from pactkeeper.authoring.words import filled, read_table, sheet, table
from pactkeeper.doors.cli.apply import print_applied
from pactkeeper.doors.cli.atom_writing import edited
from pactkeeper.doors.cli.output import count, dim, ensure_writable, note, say, write_out
from pactkeeper.doors.cli.parameters import as_json, diff_option, dry_run_option, paths_argument, workspace
from pactkeeper.intent.quality import Deduction
from pactkeeper.operators.accept import give_words
from pactkeeper.operators.words import BATCH, WordsWanted, advise, doubts_about, draft_words, wanting_words
from pactkeeper.repo.named_file import STDIN, read_text_named
from pactkeeper.workspace import Workspace

MOST = 1000  # tests at once
MOST_BYTES = 16 << 20  # of a filled-in sheet
_INSTEAD = "print the sheet with --print, fill it in, and read it with --from FILE"


@click.command()
@paths_argument
@click.option("--limit", default=BATCH, show_default=True, type=click.IntRange(1, MOST), help="How many tests at once.")
@click.option("--print", "printed", is_flag=True, help="Print the sheet instead of opening an editor.")
@click.option("--table", "out", metavar="FILE", help="Write the tests as CSV for a spreadsheet.")
@click.option("--from", "source", metavar="FILE", help="Read the sentences from a sheet or .csv table; - is stdin.")
@click.option("--ask-model", is_flag=True, help="Let the configured model draft sentences for a person to accept.")
@click.option("--confirm", is_flag=True, help="Also accept sentences of --from that a test contradicts.")
@dry_run_option
@diff_option
@as_json
@click.pass_context
def command(  # noqa: PLR0913 - one argument per option
    ctx: click.Context,
    paths: tuple[str, ...],
    *,
    limit: int,
    printed: bool,
    out: str | None,
    source: str | None,
    ask_model: bool,
    confirm: bool,
    dry_run: bool,
    whole: bool,
    json_: bool,
) -> int:
    """Say what tests are for, many at once.

    Opens the tests below PATH that need words as one text in your editor: above each line is what the test checks; a
    filled line becomes an atom, an empty one stays open. Run it again to continue. Sentences from the editor are
    accepted as they are; contradictions with the test, and suggestions for clearer sentences, are printed afterwards.
    With --from, sentences with a number, quotation or event that the test doesn't show need --confirm.
    """
    if sum((printed, out is not None, source is not None)) > 1:
        raise click.UsageError("choose one of --print, --table and --from")
    with workspace(paths) as (opened, inside):
        opened.settle(dry_run=dry_run or printed or out is not None)
        wanted = wanting_words(opened, inside, limit=limit if source is None else MOST)
        if not wanted.rows:
            say("no test here needs words")
            return 0
        if ask_model:
            wanted = _drafted(opened, wanted)
        if printed or out is not None:
            return _handed_out(wanted, None if out is None else Path(ctx.obj, out))
        given = _from_editor(opened, wanted) if source is None else _read(source, Path(ctx.obj), wanted)
        doubts = doubts_about(opened, given)
        _print_doubts(given, doubts)
        waiting = source is not None and not confirm and bool(doubts)
        if waiting:
            given = {test: sentence for test, sentence in given.items() if test not in doubts}
            note(f"{count(len(doubts), 'sentence')} not accepted: change them in {source!r}, or use --confirm")
        if not given:
            say(f"nothing was written{'' if waiting else ', as no line was filled'}; {_progress(wanted, 0)}")
            return int(waiting)
        applied = give_words(opened, given, dry_run=dry_run)
        advice = advise(opened, applied.patch)
    print_applied(applied, json_=json_, whole=whole)
    if not json_ and not dry_run:
        say(dim(_progress(wanted, sum(one.test in given for one in wanted.rows))))
    print_advice(advice)
    return int(waiting)


def _print_doubts(given: Mapping[str, str], doubts: Mapping[str, Sequence[str]]) -> None:
    for test, found in doubts.items():
        note(f"doubt about {given[test]!r} of {test}:")
        for one in found:
            note(f"  {one}")


def print_advice(advice: Mapping[tuple[str, str], Sequence[Deduction]]) -> None:
    """Print what a commitment would refuse in sentences, by test and sentence."""
    for (test, sentence), found in advice.items():
        note(f"a commitment would refuse {sentence!r} of {test}:")
        for one in found:
            cited = f"“{one.words}”: " if one.words not in {"", sentence} else ""
            note(f"  {cited}{one.why}; {one.suggestion}")


def _drafted(opened: Workspace, wanted: WordsWanted) -> WordsWanted:
    made = draft_words(opened, wanted)
    for one in made.refused:
        note(f"no draft for {one}")
    if made.stopped:
        note(made.stopped)
    return replace(wanted, rows=made.rows)


def _handed_out(wanted: WordsWanted, place: Path | None) -> int:
    if place is None:
        click.echo(sheet(wanted.rows, left=wanted.left), nl=False)
        return 0
    ensure_writable(place, "--table")
    write_out(place, table(wanted.rows))
    say(f"{count(len(wanted.rows), 'test')} in {place.name!r}; fill the column 'sentence', then: pk words --from FILE")
    if wanted.left:
        say(f"{count(wanted.left, 'more test')} did not fit: run it again afterwards, or use --limit (at most {MOST})")
    return 0


def _read(source: str, folder: Path, wanted: WordsWanted) -> Mapping[str, str]:
    place = source if source == STDIN else str(folder / source)
    text = read_text_named(place, f"--from {source!r}", most=MOST_BYTES)
    if source.lower().endswith(".csv"):
        return read_table(text, (one.test for one in wanted.rows))
    return filled(text, wanted.rows)


def _from_editor(opened: Workspace, wanted: WordsWanted) -> Mapping[str, str]:
    text = sheet(wanted.rows, left=wanted.left)
    return edited(text, opened.surroundings, lambda given: filled(given, wanted.rows), instead=_INSTEAD)


def _progress(wanted: WordsWanted, given: int) -> str:
    left = len(wanted.rows) - given + wanted.left
    verb = "needs" if left == 1 else "need"
    return f"{wanted.settled + given} of {wanted.settled + given + left} tests have words; {left} still {verb} some"
