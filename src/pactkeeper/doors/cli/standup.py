"""`pk transcripts standup`: what was done, and what a person decides.

A stand-up is printed as text or as a document, with secrets redacted in every text.

Also `pk transcripts execute`, `log` and `precision`: do what is clear, list what was done, and measure how often it was
right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Literal

import click

from pactkeeper.doors.cli.output import bold, count, dim, document, in_words, mark, note, say
from pactkeeper.doors.cli.parameters import as_json, attended, personal, within, workspace
from pactkeeper.doors.cli.status import print_red, standing_of
from pactkeeper.errors import InputError, PactkeeperError, RefusedError, UsageError
from pactkeeper.intent.actions import Action, Conflict, Deed, Suppressed
from pactkeeper.intent.redaction import redacted
from pactkeeper.ledger.health import Health
from pactkeeper.ledger.question import Question
from pactkeeper.operators import standup
from pactkeeper.operators.observe import get_statistics
from pactkeeper.operators.standup import Standup, StandupVerdict
from pactkeeper.personal import Personal
from pactkeeper.published.plain import Codec
from pactkeeper.published.standup import deed_row, standup_document
from pactkeeper.settings.transcripts import OUT_OF_REACH
from pactkeeper.transcripts.carrying import Precision
from pactkeeper.transcripts.sorting import Ruled, title_of

Word = Literal["yes", "no", "skip"]
WORDS: Final[dict[str, Word]] = {"y": "yes", "yes": "yes", "n": "no", "no": "no", "s": "skip", "skip": "skip"}
PROMPT: Final = "yes, no or skip for each, in order; Enter: one by one; q: leave all"


@click.command()
@click.option("--accept", "accepted", multiple=True, metavar="ACTION", help="Carry out this action; repeatable.")
@click.option(
    "--reject", "refused", multiple=True, metavar="ACTION", help="Never propose this action again; repeatable."
)
@click.option("--reason", default="", help="Why not.")
@click.option("--dry-run", is_flag=True, help="Write to no board; show what would happen.")
@as_json
def command(*, accepted: tuple[str, ...], refused: tuple[str, ...], reason: str, dry_run: bool, json_: bool) -> int:
    """Do what conversations clearly call for, report it, and ask about the rest.

    Asks at a terminal; elsewhere, answer with --accept and --reject. Unanswered actions wait. docs/standup.md lists
    what happens automatically and what never does.
    """
    if (accepted or refused) and dry_run:
        raise UsageError("--dry-run decides nothing; leave it out, or leave out --accept and --reject")
    said = [
        *(StandupVerdict(one, yes=True) for one in accepted),
        *(StandupVerdict(one, yes=False, reason=reason) for one in refused),
    ]
    with personal() as opened:
        if said:
            return _decide(opened, said, json_=json_)
        found = standup.stand_up(opened, dry_run=dry_run)
        if json_:
            document(standup_document(found))
            return 0
        _print_red()
        print_standup(found)
        if not dry_run:
            standup.see_actions(opened, [deed.action.id for deed in (*found.done, *found.failed)])
            _converse(opened, found)
    return 0


def _print_red() -> None:
    """Say what is red in the repository of this folder, if it is one that can be read."""
    with suppress(PactkeeperError), workspace() as (opened, _):
        found = get_statistics(opened)
        print_red(found, standing_of(opened, found)[1])


def _decide(opened: Personal, said: Sequence[StandupVerdict], *, json_: bool) -> int:
    told = standup.decide_actions(opened, said)
    if json_:
        document({"deeds": [deed_row(one) for one in told]}, "deeds/1")
    else:
        for deed in told:
            print_deed(deed)
    return 0 if all(one.standing in {"done", "rejected"} for one in told) and len(told) == len(said) else 1


def _converse(opened: Personal, found: Standup) -> None:
    if not found.recent:
        return
    if not attended(opened.surroundings):
        say("next    pk transcripts standup --accept ACTION, or --reject ACTION; both are repeatable")
        return
    words = _line(len(found.recent))
    if words is None:
        return
    if words:
        _carry_out(opened, found.recent, words)
    else:
        _one_by_one(opened, found)


def _line(most: int) -> list[Word] | None:
    """The answers in one line, in order; an empty list to be asked one by one, None to leave."""
    while True:
        typed = click.prompt(PROMPT, default="", show_default=False)
        if typed.strip().casefold() in {"q", "quit"}:
            return None
        words = read_words(typed)
        if words is not None and len(words) <= most:
            return words
        note(f"{mark('warning')} {typed!r} is not a list of up to {most} answers: yes, no or skip")


def read_words(typed: str) -> list[Word] | None:
    """Parse `yes, yes, skip`; None if any word is unknown."""
    given = [word for word in re.split(r"[\s,;]+", typed.casefold()) if word]
    return [WORDS[word] for word in given] if all(word in WORDS for word in given) else None


def _one_by_one(opened: Personal, found: Standup) -> None:
    for number, one in enumerate(found.recent, start=1):
        print_asked(number, one, found)
        typed = click.prompt("  yes, no, skip or quit", default="skip")
        words = read_words(typed)
        if typed.casefold() in {"q", "quit"}:
            return
        if words:
            _carry_out(opened, [one], words[:1])


def _carry_out(opened: Personal, asked: Sequence[Ruled], words: Sequence[Word]) -> None:
    """Carry out the answers, each bound to what was shown; actions without an answer wait."""
    said = [
        StandupVerdict(one.action.id, yes=word == "yes", shown_hash=one.action.op.shown_hash)
        for one, word in zip(asked, words, strict=False)
        if word != "skip"
    ]
    try:
        told: tuple[Deed, ...] = standup.decide_actions(opened, said) if said else ()
    except (InputError, RefusedError) as error:
        note(f"{mark('error')} {error}")
        return
    for deed in told:
        print_deed(deed)
    say(dim(f"{len(asked) - len(said)} left waiting"))


# Limits for the preview of what would be written: lines, and characters per line.
_LINES, _WIDTH = 3, 140
_TEXTS = ("body", "text", "new", "change", "correctUsage")


def print_standup(found: Standup, *, whole: bool = False) -> None:
    """Print the stand-up, from what was done to what was left alone; the `whole` one has older actions too."""
    asked = found.asked if whole else found.recent
    if found.alert:
        say(f"{mark('warning')} {found.alert}")
    for name, health in found.sources.items():
        _print_source(name, health)
    _heading("DONE", found.done, "since your last standup; spot-check; to undo one: pk undo ID")
    for deed in found.done:
        print_deed(deed)
    _heading("READY", found.ready, "would happen automatically")
    for ready in found.ready:
        _print_action("[+]", ready.action)
    _heading("YOUR CALL", asked, "")
    for number, one in enumerate(asked, start=1):
        print_asked(number, one, found)
    older = len(found.asked) - len(asked)
    if older:
        are = "is" if older == 1 else "are"
        say(dim(f"{count(older, 'older action')} {are} not asked about here; to list them: pk transcripts reconcile"))
    _heading("CONFLICTS", found.conflicts, "flagged, never resolved")
    for conflict in found.conflicts:
        _print_conflict(conflict)
    _heading("FAILED", found.failed, "")
    for failed in found.failed:
        print_deed(failed)
    _print_rest(found)


def print_deed(deed: Deed) -> None:
    """Print one action with its outcome."""
    signs = {"done": "[+]", "rejected": "[-]", "undone": "[<]"}
    _print_action(signs.get(deed.standing, "[!]"), deed.action)
    if deed.reason:
        say(
            f"      {mark('warning') if deed.standing in {'failed', 'begun', 'undoing'} else ''} {deed.reason}".rstrip()
        )


def print_asked(number: int, one: Ruled, found: Standup) -> None:
    """Print one waiting action, with why it is asked and what would be written."""
    _print_action(f"[{number}]", one.action)
    say(f"      {dim(f'asked as {one.ruling.why}')}")
    if one.needs:
        say(f"      needs {', '.join(one.needs)}")
    said = found.suggested.get(one.action.id)
    if said is not None:
        word = "yes" if said.verdict == "accept" else "no"
        say(f"      {said.by} would say {word}: {redacted(said.reason)}")
    for evidence in one.action.op.evidence:
        if evidence.quote:
            quote, who = " ".join(redacted(evidence.quote).split()), evidence.note.partition(";")[0]
            say(f"      {dim(f'seen: “{quote}” ({who})')}")


def print_question(question: Question) -> None:
    """Print a question, and the command that answers it."""
    context = question.context
    if question.options:
        say(f"{bold(question.id)}  {context.get('document')}: {context.get('asked')}")
    else:
        asked = f"is “{context['proposed']}” the same as “{context['existing']}”?"
        why = f"{context['item']}: {context['why']}"
        say(f"{bold(question.id)}  {asked}  {dim(why)}")
    answers = " | ".join(question.options) or "yes | no | unsure"
    say(f"    pk transcripts answer {question.id} ANSWER, which is {answers}")


def _print_action(sign: str, action: Action) -> None:
    where = f" on {action.board}" if action.board else ""
    payload = action.op.payload
    task = f" {payload['task']}" if payload.get("task") else ""
    say(f"  {sign} {in_words(action.verb)}{task}: {redacted(title_of(action))}{where}  {dim(action.id)}")
    say(f"      {redacted(action.why)}")
    if payload.get("file"):
        say(f"      in {redacted(str(payload['file']))}")
    if action.verb == "patchDocumentSection":
        say(f"      - {_short(str(payload['old']))}")
    text = next((str(payload[key]) for key in _TEXTS if key in payload), "")
    lines = [line for line in text.splitlines() if line.strip()]
    for line in lines[:_LINES]:
        say(f"      {dim('+')} {_short(line)}")
    if len(lines) > _LINES:
        more = count(len(lines) - _LINES, "more line")
        say(f"      {dim(f'+ {more}; --json has all')}")


def _print_conflict(one: Conflict) -> None:
    say(f"  {mark('warning')} {redacted(one.subject)}: {redacted(one.why)}")
    for name, side in (("said", one.said), ("stands", one.stands)):
        say(f"      {name:<6} “{_short(side.quote)}”  {dim(f'{side.place} {side.at[:16]}')}")
    say(f"      advice {redacted(one.recommendation)}")


def _print_rest(found: Standup) -> None:
    _heading("QUESTIONS", found.questions, "")
    for question in found.questions:
        print_question(question)
    _heading("ONLY SHOWN", found.shown, "these are never carried out")
    for one in found.shown:
        say(f"  {in_words(one.action.verb)}: {redacted(title_of(one.action))}  {dim(redacted(one.ruling.why))}")
    _heading("LEFT ALONE", found.suppressed, "")
    left = [f"{_named(one)}{redacted(one.title)}  {dim(redacted(one.reason))}" for one in found.suppressed]
    for line in dict.fromkeys(left):
        say(f"  {line}")
    told = (found.done, found.ready, found.asked, found.failed, found.conflicts, found.shown, found.suppressed)
    if not any(told):
        say("nothing was done and nothing waits")


def _named(one: Suppressed) -> str:
    return f"{in_words(one.verb)}: " if one.verb else ""


def _heading(name: str, members: Sequence[object], more: str) -> None:
    if members:
        say(f"{bold(name)}  {dim(more)}" if more else bold(name))


def _print_source(name: str, health: Health) -> None:
    if health.status != "complete":
        say(f"{mark('warning')} {name} is {health.status}: {health.reason}")


def _short(text: str) -> str:
    line = " ".join(redacted(text).split())
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


_PRECISION: Final = Codec(Precision, "verb kind right wrong percent threshold")


@click.command("execute")
@click.option("--dry-run", is_flag=True, help="Write to no board; show what would happen.")
@click.option("--board", default="", metavar="NAME", help="Do only what was last proposed for this board.")
@as_json
def execute_command(*, dry_run: bool, board: str, json_: bool) -> int:
    """Reconcile and do what may happen automatically, without asking; the rest waits for pk transcripts standup."""
    if board and dry_run:
        raise UsageError("--dry-run looks at all boards; leave out one of --dry-run and --board")
    found = within(personal, standup.stand_up, dry_run=dry_run, board=board)
    if json_:
        document(standup_document(found))
    else:
        print_standup(found)
        if found.recent:
            say(f"next    pk transcripts standup decides {count(len(found.recent), 'action')}")
    return 1 if found.failed else 0


@click.command("log")
@click.option("--limit", "-n", type=click.IntRange(min=1), default=50, show_default=True, help="How many, newest last.")
@as_json
def log_command(*, limit: int, json_: bool) -> None:
    """List past actions: when, who asked for it or that it was automatic, and what became of it."""
    found = within(personal, standup.past_actions)[-limit:]
    if json_:
        document({"deeds": [deed_row(one) for one in found]}, "deeds/1")
        return
    for one in found:
        say(dim(f"{one.at[:16].replace('T', ' ')}  {one.standing}, {one.by or 'by itself'}"))
        print_deed(one)
    if not found:
        say("nothing was done yet; run: pk transcripts standup")


@click.command("precision")
@as_json
def precision_command(*, json_: bool) -> None:
    """Show how often each kind of action was right, judging by your answers, and which threshold would help."""
    found = within(personal, standup.action_precision)
    if json_:
        document({"precision": _PRECISION.each(found)}, "precision/1")
        return
    for one in found:
        how = "by itself" if one.kind == "auto" else "asked"
        say(f"{one.verb:<20}  {how:<9}  {one.percent:>3} %  {one.right} right, {one.wrong} wrong")
        if one.threshold is not None:
            _say_threshold(one)
    if not found:
        say("no action was answered yet; run: pk transcripts standup")


def _say_threshold(one: Precision) -> None:
    never = ", which is never" if one.threshold == OUT_OF_REACH else ""
    say(f"    for fewer wrong ones, set in transcripts.toml: [actions.{one.kind}] {one.verb} = {one.threshold}")
    say(f"    the fewest points an action needs{never}")
