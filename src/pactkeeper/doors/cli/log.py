"""`pk log`, `pk trace` and `pk policy`: who decided what and when, where an atom came from, and which rule applies."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, in_words, say
from pactkeeper.doors.cli.parameters import as_json, in_workspace
from pactkeeper.operators.decision_log import Decided, LogFilter, decision_log
from pactkeeper.operators.history import Explained, explain_policy
from pactkeeper.operators.recommendations import trace_origin
from pactkeeper.published.plain import Codec

_ROW: Final = Codec(
    Decided, "at= by= what subject said atoms kept", at=lambda one: one.at or None, by=lambda one: one.by or None
)


@click.command()
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="Only on this day or later.")
@click.option("--by", default="", metavar="NAME", help="Only decisions by people whose name contains NAME.")
@click.option("--atom", metavar="ID", help="Only what is about this atom.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, metavar="N")
@as_json
def command(*, since: datetime | None, by: str, atom: str | None, limit: int, json_: bool) -> None:
    """Show who decided what and when, newest first.

    Commitments, rejections, waivers, clarifications and abandoned atoms are in the pact, so every clone knows them.
    Writes and reviews are known only where they were made.
    """
    wanted = LogFilter(since.date() if since else None, by, atom)
    found = in_workspace(decision_log, wanted, limit=limit)
    if json_:
        document({"total": found.total, "decisions": _ROW.each(found.rows)}, "log/1")
        return
    for one in found.rows:
        _print(one)
    left = found.total - len(found.rows)
    more = f"; the newest {len(found.rows):,} are shown; use --limit for more" if left else ""
    say(dim(f"{count(found.total, 'decision')}{more}"))


def _print(one: Decided) -> None:
    when = one.at[:16].replace("T", " ") if one.at else "date unknown"
    say(f"{dim(f'{when:<16}')}  {bold(one.words)} {one.subject}")
    facts = "  ".join(part for part in (one.by, one.said, f"({one.kept})" if one.kept != "pact" else "") if part)
    if facts:
        say(f"{'':<18}{dim(facts)}")


@click.command()
@click.argument("name", metavar="ATOM|OP|RUN|TEST")
@as_json
def trace(name: str, *, json_: bool) -> None:
    """Follow an atom, a recommendation, a run or a test: atom, recommendation, run, decision, test."""
    found = in_workspace(trace_origin, name)
    if json_:
        document({"traces": found}, "trace/1")
        return
    for one in found:
        say(f"{bold(one.atom or 'no atom yet')}  {dim(one.status)}")
        say(f"  recommended  {one.recommendation or 'not by a run'}")
        say(f"  by run       {one.run or 'unknown in this history'}")
        say(f"  decided      {one.decided or 'not known in this history'}")
        say(f"  from test    {one.test or 'none'}")


MEANINGS = {"auto": "allowed without asking", "ask": "needs a person to accept it", "deny": "never allowed"}


@click.group(cls=CommandGroup)
def policy_command() -> None:
    """Explain the policy rules for applying: those in pact.toml first, then the defaults."""


@policy_command.command("explain")
@click.argument("op")
@click.option("--patch", metavar="PATCH", help="The patch that OP is in (default: the newest).")
@as_json
def explain_command(op: str, *, patch: str | None, json_: bool) -> None:
    """Show which rule decides about OP, and why each earlier rule does not."""
    found = in_workspace(explain_policy, op, patch=patch)
    if json_:
        document(_RULED(found), "ruling/1")
    else:
        _print_explained(found)


def _print_explained(found: Explained) -> None:
    case, ruling = found.case, found.ruling
    say(f"{bold(found.op.id)}  {in_words(found.op.verb)} {found.op.target.partition(':')[2]}")
    say(f"risk {case.risk}; evidence {case.evidence}; actor {case.actor}; source {case.health}")
    for name, reason in ruling.passed_over:
        say(dim(f"  {name}: does not match, {reason}"))
    say(f"  {ruling.rule or 'no rule'}: {ruling.why}")
    say(f"{ruling.permission}: {MEANINGS[ruling.permission]}")


_RULED: Final = Codec(
    Explained,
    "op=op.id permission=ruling.permission rule=ruling.rule why=ruling.why passed_over=ruling.passed_over",
    passed_over=lambda one: {"rule": one[0], "reason": one[1]},
)
