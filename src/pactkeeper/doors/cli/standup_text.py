"""A stand-up in words and as a document; every text leaves without secrets."""

from __future__ import annotations

from collections.abc import Sequence

from pactkeeper.doors.cli.output import bold, count, dim, mark, say
from pactkeeper.intent.actions import Action, Conflict
from pactkeeper.intent.deeds import Deed
from pactkeeper.intent.redaction import redacted
from pactkeeper.ledger.health import Health
from pactkeeper.operators.standup import Standup
from pactkeeper.transcripts.executing.sorting import Ruled, title_of

# Lines and characters of a line that are shown of what would be written.
_LINES, _WIDTH = 3, 140
_TEXTS = ("body", "text", "new", "change", "correctUsage")


def print_standup(found: Standup) -> None:
    """Print all of it, what was done first and what was left alone last."""
    if found.alert:
        say(f"{mark('warning')} {found.alert}")
    for name, health in found.sources.items():
        _print_source(name, health)
    _heading("DONE", found.done, "spot-check; pk undo ID takes one back")
    for deed in found.done:
        print_deed(deed)
    _heading("READY", found.ready, "would happen by themselves")
    for ready in found.ready:
        _print_action("[+]", ready.action)
    _heading("YOUR CALL", found.asked, "")
    for number, asked in enumerate(found.asked, start=1):
        print_asked(number, asked, found)
    _heading("CONFLICTS", found.conflicts, "flagged and never resolved")
    for conflict in found.conflicts:
        _print_conflict(conflict)
    _heading("FAILED", found.failed, "")
    for failed in found.failed:
        print_deed(failed)
    _print_rest(found)


def print_deed(deed: Deed) -> None:
    """One action with what became of it."""
    signs = {"done": "[+]", "rejected": "[-]", "undone": "[<]"}
    _print_action(signs.get(deed.standing, "[!]"), deed.action)
    if deed.reason:
        say(
            f"      {mark('warning') if deed.standing in {'failed', 'begun', 'undoing'} else ''} {deed.reason}".rstrip()
        )


def print_asked(number: int, one: Ruled, found: Standup) -> None:
    """One action that waits, with why it is asked and what would be written."""
    _print_action(f"[{number}]", one.action)
    points = one.action.confidence
    say(f"      {dim(f'asked as {one.ruling.why}; {points.level}, {points.points} of 100')}")
    if one.needs:
        say(f"      needs {', '.join(one.needs)}")
    said = found.suggested.get(one.action.id)
    if said is not None:
        word = "yes" if said.verdict == "accept" else "no"
        say(f"      {said.by} would say {word}: {redacted(said.reason)}")
    for evidence in one.action.op.evidence[:2]:
        if evidence.quote:
            say(f"      {dim('seen: “' + _short(evidence.quote) + '”')}")


def _print_action(sign: str, action: Action) -> None:
    where = f" on {action.board}" if action.board else ""
    say(f"  {sign} {action.verb}: {redacted(title_of(action))}{where}  {dim(action.id)}")
    say(f"      {redacted(action.why)}")
    payload = action.op.payload
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
    if found.questions:
        say(f"QUESTIONS  {count(len(found.questions), 'question')}; pk transcripts reconcile shows them")
    _heading("ONLY SHOWN", found.shown, "these are not done on anybody's word")
    for one in found.shown:
        say(f"  {one.action.verb}: {redacted(title_of(one.action))}  {dim(redacted(one.ruling.why))}")
    _heading("LEFT ALONE", found.suppressed, "")
    for away in found.suppressed:
        say(f"  {away.verb or 'nothing'}: {redacted(away.title)}  {dim(redacted(away.reason))}")
    told = (found.done, found.ready, found.asked, found.failed, found.conflicts, found.shown, found.suppressed)
    if not any(told):
        say("nothing was done and nothing waits")


def _heading(name: str, members: Sequence[object], more: str) -> None:
    if members:
        say(f"{bold(name)}  {dim(more)}" if more else bold(name))


def _print_source(name: str, health: Health) -> None:
    if health.status != "complete":
        say(f"{mark('warning')} {name} is {health.status}: {health.reason}")


def _short(text: str) -> str:
    line = " ".join(redacted(text).split())
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
