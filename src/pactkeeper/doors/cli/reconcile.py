"""`pk reconcile` and `pk accept`: make a patch, and the shortcut for single tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

from pactkeeper.catalog.schema import ATOMS_FOLDER, LINKS_FOLDER
from pactkeeper.doors.cli.apply import print_applied
from pactkeeper.doors.cli.output import bold, count, dim, document, first_of, mark, say
from pactkeeper.doors.cli.parameters import (
    DOLLARS,
    as_json,
    attended,
    diff_option,
    dry_run_option,
    paths_argument,
    workspace,
)
from pactkeeper.doors.cli.review_plain import evidence_lines, left_out, print_item
from pactkeeper.doors.cli.words import print_advice
from pactkeeper.intent.folder import Folder
from pactkeeper.intent.tests import file_of, under
from pactkeeper.ledger.answering import Estimate
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.finding import Finding
from pactkeeper.ledger.model import dollars
from pactkeeper.ledger.patch import encode_patch
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.decide import Pending, ReviewItem, pending_of
from pactkeeper.operators.reconcile import Reconciled, estimate_reconcile, reconcile_repo
from pactkeeper.operators.words import advise
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.worth import is_poor

SHOWN = 8
VERBS = {
    "createAtom": ("new atom", "new atoms"),
    "attachTestToAtom": ("link", "links"),
    "updateAtom": ("reworded atom", "reworded atoms"),
    "markAtomSuperseded": ("superseded atom", "superseded atoms"),
    "detachTest": ("record of a vanished test to remove", "records of vanished tests to remove"),
    "createMolecule": ("molecule", "molecules"),
}


@click.command()
@paths_argument
@click.option(
    "--mode", type=click.Choice(["full-scan", "delta"]), help="Look at all tests (as --all), or only at changed ones."
)
@click.option("--all", "everything", is_flag=True, help="Look at all tests of the repository.")
@click.option("--since", metavar="REF|RUN", help="Look at tests that changed since this commit or run.")
@click.option("--max-tests", type=click.IntRange(min=1), metavar="N", help="Infer from at most N tests.")
@click.option("--no-docs", is_flag=True, help="Don't search the repository's documents for context.")
@click.option("--molecules", is_flag=True, help="Also propose groups of new atoms.")
@click.option("--auto-apply", is_flag=True, help="Apply at once what the policy allows without a person.")
@click.option("--ask-model/--no-model", "ask", default=None, help="Ask the configured model what rules leave open.")
@click.option("--max-cost", type=DOLLARS, metavar="USD", help="Spend at most this on the model.")
@click.option("--max-calls", type=click.IntRange(min=0), metavar="N", help="Call the model at most N times.")
@click.option("--estimate", is_flag=True, help="Only show the most that asking the model would cost.")
@as_json
def command(
    paths: tuple[str, ...],
    *,
    everything: bool,
    no_docs: bool,
    estimate: bool,
    json_: bool,
    **asked: Any,  # noqa: ANN401 - as click gives them
) -> None:
    """Propose a patch: which tests express which intent, what moved, what changed, what is gone.

    Looks at what changed since the last run (or --since REF), or with PATH or --all at every test there. The working
    tree is not changed; `pk review` and `pk apply` do that.
    """
    if estimate and asked["ask"] is False:
        raise click.UsageError("--estimate shows what a model would cost; leave out --no-model")
    if everything and (asked["since"] is not None or asked["mode"] == "delta"):
        raise click.UsageError("--all looks at every test; leave out --since and --mode delta")
    with workspace(paths) as (opened, inside):
        wanted = everything or (bool(paths) and not inside)
        request = Request(inside, wanted, docs=not no_docs, **asked)
        if estimate:
            _estimate(estimate_reconcile(opened, request), as_document=json_)
            return
        made = reconcile_repo(opened, request)
        pending, folder = pending_of(opened, made.patch), opened.pact_folder
    if json_:
        click.echo(encode_patch(made.patch), nl=False)
    else:
        _print(made, pending, inside, folder)


def _estimate(found: Estimate, *, as_document: bool) -> None:
    used = found.usage
    tokens = used.input_tokens + used.output_tokens
    if as_document:
        said: dict[str, JsonValue] = {"prompts": found.prompts, "cached": found.cached, "calls": used.calls}
        document({**said, "tokens": tokens, "money": used.money}, "estimate/1")
        return
    before = f", {found.cached:,} of them answered before" if found.cached else ""
    say(f"{count(found.prompts, 'question')} would be asked{before}")
    say(f"at most {count(used.calls, 'call')}, {tokens:,} tokens, {dollars(used.money)}; nothing was asked")


def _print(made: Reconciled, pending: Pending, paths: Sequence[str], folder: Folder) -> None:
    least = pending.bar.threshold
    poor = tuple(item for item in pending.items if any(is_poor(op, least) for op in item.ops))
    sound = tuple(item for item in pending.items if item not in poor)
    for item in sound[:SHOWN]:
        print_item(item)
        say()
    if len(sound) > SHOWN:
        say(dim(f"… and {count(len(sound) - SHOWN, 'more test')}: pk review shows them all"))
        say()
    _print_poor(poor)
    for finding in _below(made.patch.findings, paths, folder):
        say(f"{mark(finding.severity)} {finding.code} {finding.subject}: {finding.message}")
    _print_needs_words(made)
    _print_summary(made)
    if pending.left_out:
        say(dim(f"--all leaves out {left_out(pending)}"))


def _below(findings: Sequence[Finding], paths: Sequence[str], folder: Folder) -> Iterator[Finding]:
    """The findings about these paths: by the path of a test, or of the pact's file that mirrors it."""
    for one in findings:
        places = [file_of(one.subject), *(found.path for found in one.evidence if found.path)]
        names = [folder.name(place) for place in places]
        mirrored = [name.removeprefix(ATOMS_FOLDER).removeprefix(LINKS_FOLDER) for name in names]
        if not paths or any(under(place, paths) for place in mirrored):
            yield one


def _print_poor(items: Sequence[ReviewItem]) -> None:
    """Quote tests whose words a commitment would refuse, with the reason in place of the words."""
    if not items:
        return
    number = len(items)
    say(bold(f"{count(number, 'test')} {'needs' if number == 1 else 'need'} better words"))
    for item in first_of(items, SHOWN, "  … and {} more"):
        say(f"  {item.group}  {dim(item.reasoning.rstrip('.'))}")
        for line in evidence_lines(item):
            say(f"    {line}")
    say(dim("  say what each promises: pk review, or pk accept TEST --intent 'One sentence.'"))
    say()


def _print_needs_words(made: Reconciled) -> None:
    if not made.needs_words:
        return
    number = len(made.needs_words)
    say(bold(f"{count(number, 'test')} {'needs' if number == 1 else 'need'} words"))
    by_reason: dict[str, list[str]] = {}
    for one in made.needs_words:
        by_reason.setdefault(one.inference.reasoning.rstrip("."), []).append(one.entry.test.id)
    listed = [(reason, test) for reason, tests in by_reason.items() for test in tests]
    above = ""
    for reason, test in first_of(listed, SHOWN, "  … and {} more"):
        if reason != above:
            say(dim(f"  {reason}:"))
        say(f"    {test}")
        above = reason
    say(dim("  give them words: pk words   (one: pk accept TEST --intent 'One sentence.')"))
    say()


def _print_asked(counts: Mapping[str, int]) -> None:
    """Print the outcome of the questions put to the model."""
    ended = {
        "answered": "answered",
        "refused": "answered unacceptably",
        "failed": "not answered",
        "over_budget": "not asked: over budget",
    }
    told = ", ".join(f"{counts[key]:,} {words}" for key, words in ended.items() if counts.get(key))
    used = f"{count(counts.get('model_calls', 0), 'call')}, {counts.get('tokens', 0):,} tokens"
    say(f"of {count(counts.get('asked', 0), 'question')} to the model: {told} ({used})")


def _print_summary(made: Reconciled) -> None:
    patch, summary = made.patch, made.patch.summary
    proposed = (
        ", ".join(count(summary[verb], *words) for verb, words in VERBS.items() if summary.get(verb)) or "nothing"
    )
    looked = f"{summary['looked_at']:,} of {count(summary['tests'], 'test')} looked at"
    say(f"{bold(made.run.id)} proposes {proposed} ({looked}, {made.run.mode})")
    if any(made.run.summary.get(key) for key in ("asked", "over_budget")):
        _print_asked(made.run.summary)
    for reason, number in made.left_out:
        say(dim(f"left out: {count(number, 'test')} {reason.replace('_', ' ')}"))
    health = patch.sources["tests"]
    if health.status != "complete":
        say(f"{mark('warning')} {health.reason}; pk scan lists them")
    if made.run.options.get("auto_apply") and patch.ops and made.applied is None:
        say(f"nothing was applied: the policy requires a person; see: pk policy explain {patch.ops[0].id}")
    if made.applied is not None and made.applied.entry is not None:
        say(f"applied by the policy: {count(len(made.applied.planned.ops), 'op')}; pk undo reverts it")
    if made.waiting:
        wait = "waits" if made.waiting == 1 else "wait"
        say(f"{count(made.waiting, 'op')} of earlier runs {wait}: pk runs list, then pk review RUN")
    if made.run.status == "paused":
        say("next: pk review, then pk apply   (or pk apply --all)")


@click.command()
@click.argument("tests", nargs=-1, metavar="[TEST]...")
@click.option("--atom", metavar="ID", help="Link the tests to this atom of the pact.")
@click.option("--intent", metavar="SENTENCE", help="Say in your own words what the test is for.")
@click.option("--moved", is_flag=True, help="Follow tests that moved (default: all of them).")
@click.option("--weaker", is_flag=True, help="Confirm tests that prove less than when reviewed: this is intended.")
@click.option("--confirm", is_flag=True, help="Accept an --intent or a link that the test contradicts.")
@dry_run_option
@diff_option
@as_json
def accept_command(  # noqa: PLR0913 - one argument per option
    tests: tuple[str, ...],
    *,
    atom: str | None,
    intent: str | None,
    moved: bool,
    weaker: bool,
    confirm: bool,
    dry_run: bool,
    whole: bool,
    json_: bool,
) -> None:
    """Settle tests in one step: give them a new atom, confirm their links, or link them to the atom named by --atom.

    With --atom and --intent, the sentence replaces that of a committed atom whose behaviour has changed.

    TEST is a test id, `file:line`, a file or a folder. If an --intent contains a number, quotation, name or event that
    the test doesn't show, it is accepted from a person at a terminal; a script or an agent needs --confirm. So does
    everybody who links a test to another atom with a number or quotation that the test doesn't hold.
    """
    if moved and (atom or intent):
        raise click.UsageError("--moved keeps reviewed links; leave out --atom and --intent")
    if not tests and not moved:
        raise click.UsageError("name a TEST: an id, `file:line`, a file or a folder")
    with workspace() as (opened, _):
        by_person = intent is not None and not opened.acting and attended(opened.surroundings)
        words = AcceptedWords(atom, intent, moved, weaker, confirmed=confirm or by_person)
        applied = accept_tests(opened, tests, words, dry_run=dry_run)
        advice = advise(opened, applied.patch) if intent else {}
    print_applied(applied, json_=json_, whole=whole)
    if not json_ and applied.entry is not None:
        made = [op for op in applied.planned.ops if op.verb == "createAtom"]
        for op in first_of(made, SHOWN, "… and {} more"):
            say(f"{bold(str(op.payload['atomId']))}  {op.payload['description']}")
    print_advice(advice)
