"""`pk explain`: everything about one atom."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.atom import backing_words, print_clarifications, print_history, print_words
from pactkeeper.doors.cli.output import bold, dim, document, first_of, mark, place_of, say
from pactkeeper.doors.cli.parameters import as_json, in_workspace
from pactkeeper.operators.explain import Explained, explain_atom
from pactkeeper.published.quality import EXPLAINED

MOST_TESTS = 20


@click.command()
@click.argument("atom")
@as_json
def command(atom: str, *, json_: bool) -> None:
    """Show everything about ATOM: words, status, tests, molecules, rules, history, clarifications, open findings."""
    found = in_workspace(explain_atom, atom)
    if json_:
        document(EXPLAINED(found), "explained/1")
    else:
        _print(found)


def _print(found: Explained) -> None:
    row, atom = found.row, found.row.atom
    print_words(row)
    quality = found.quality
    said = f"{quality.score} of 100, {quality.verdict}" if quality.judged else "not judged"
    _section("standing")
    for label, text in (
        ("quality", said),
        ("evidence", _evidence(found)),
        ("from", f"{atom.origin or 'no test'}  {dim(atom.source)}"),
        ("tags", ", ".join(atom.tags)),
        ("replaced by", row.successor or ""),
        ("waiting", f"{row.waiting} is declared to replace it" if row.waiting else ""),
        ("abandoned", row.reason or ""),
        ("molecules", ", ".join(f"{one.id} {one.name}" for one in found.molecules)),
        ("table", place_of(atom.path, atom.line)),
    ):
        if text:
            say(f"  {dim(f'{label:<11}')} {text}")
    _print_tests(found)
    _print_rules(found)
    if found.clarifications:
        _section("clarified")
        print_clarifications(found.clarifications)
    _section("history")
    print_history(found.history)
    _print_findings(found)


def _evidence(found: Explained) -> str:
    earlier = found.row.backing.earlier if found.row.backing is not None else ""
    return f"{found.evidence} at {earlier[:12]}, before other files changed" if earlier else found.evidence


def _section(title: str) -> None:
    say(bold(title))


def _print_tests(found: Explained) -> None:
    tests, backing = found.tests, found.row.backing
    _section("tests")
    for one in first_of(tests, MOST_TESTS, "  … and {} more; --json lists all"):
        facts = f"{one.link.state}, {one.link.carrier}, {'no run known' if one.evidence == 'none' else one.evidence}"
        say(f"  {one.test.test.id}  {dim(facts)}")
    if backing is not None and not backing.backed:
        say(f"  {backing_words(backing)}")
    elif not tests:
        say(dim("  none"))


def _print_rules(found: Explained) -> None:
    if not found.rules:
        return
    _section("rules" if found.row.status == "committed" else "at the gate")
    for rule in found.rules:
        if rule.status == "failed":
            say(f"  {mark('error')} {rule.id}: {rule.reason}  {dim(rule.text)}")
    for status in ("passed", "asserted", "not checked"):
        names = [rule.id for rule in found.rules if rule.status == status]
        if names:
            say(f"  {dim(f'{status:<11}')} {', '.join(names)}")


def _print_findings(found: Explained) -> None:
    _section("open findings")
    for one in found.findings:
        say(f"  {place_of(one.path, one.line)}: {mark(one.severity)} {one.code}: {one.message}  {dim(one.subject)}")
    if not found.findings:
        say(dim("  none"))
