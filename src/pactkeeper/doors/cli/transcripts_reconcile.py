"""`pk transcripts reconcile` and `same`: what conversations suggest for boards and documents, and open questions."""

from __future__ import annotations

import click

from pactkeeper.doors.cli.output import bold, count, dim, document, in_words, mark, say, tally
from pactkeeper.doors.cli.parameters import as_json, personal
from pactkeeper.intent.actions import OUTCOMES, Action, ActionProposal, proposal_document
from pactkeeper.intent.redaction import redacted, redacted_json
from pactkeeper.ledger.question import Question
from pactkeeper.operators.actions import Reconciliation, reconcile_transcripts, settle_same_work

_TIERS = {1: "may happen automatically", 2: "is proposed", 3: "never happens"}


@click.command("reconcile")
@click.option("--all", "whole", is_flag=True, help="Look at everything ever found, however old.")
@as_json
def reconcile_command(*, whole: bool, json_: bool) -> None:
    """Compare what conversations produced with boards, documents, commits and knowledge; writes to none of them."""
    with personal() as opened:
        found = reconcile_transcripts(opened, whole=whole)
    if json_:
        content = redacted_json(proposal_document(found.proposal))
        document({"proposal": content, "learnt": found.learnt, "older": found.old})
    else:
        _print(found)


@click.command("answer")
@click.argument("question", metavar="QUESTION")
@click.argument("answer", metavar="ANSWER")
def answer_command(question: str, answer: str) -> None:
    """Answer a reconciliation question: yes, no or unsure, or one of the options; used from the next one on."""
    with personal() as opened:
        asked = settle_same_work(opened, question, answer, by=opened.person())
    say(f"{asked.id}  {answer}")
    say("next    pk transcripts reconcile")


def _print(found: Reconciliation) -> None:
    proposal = found.proposal
    for name, health in proposal.sources.items():
        if health.status != "complete":
            say(f"{mark('warning')} {name} is {health.status}: {health.reason}")
    _print_judged(proposal)
    for action in proposal.actions:
        _print_action(action)
    for question in proposal.patch.questions:
        _print_question(question)
    for conflict in proposal.conflicts:
        say(f"{mark('error')} conflict about {conflict.subject}: {conflict.why}")
        say(f"    said    “{conflict.said.quote}”  {dim(conflict.said.at[:16])}")
        say(f"    stands  “{conflict.stands.quote}”  {dim(conflict.stands.place)}")
    for one in proposal.suppressed:
        say(f"left    {in_words(one.verb) or 'nothing'}: {one.title}  {dim(one.reason)}")
    _print_sum(found)


def _print_judged(proposal: ActionProposal) -> None:
    for outcome in OUTCOMES:
        for one in proposal.judged:
            if one.outcome == outcome:
                say(f"{outcome:<8}  {redacted(one.title)}  {dim(redacted(one.reason))}")


def _print_action(action: Action) -> None:
    payload = action.op.payload
    title = payload.get("title") or payload.get("tool") or action.op.target
    where = f" on {action.board}" if action.board else ""
    say(f"{bold(action.id)}  {in_words(action.verb)}: {title}{where}")
    say(f"    tier {action.tier}, {_TIERS[action.tier]}: {action.why}")
    for one in action.op.evidence[:2]:
        if one.quote:
            say(f"    {dim('“' + ' '.join(one.quote.split())[:160] + '”')}")


def _print_question(question: Question) -> None:
    context = question.context
    if question.options:
        say(f"{bold(question.id)}  {context.get('document')}: {context.get('asked')}")
    else:
        asked = f"is “{context['proposed']}” the same as “{context['existing']}”?"
        say(f"{bold(question.id)}  {asked}  {dim(str(context['why']))}")
    answers = " | ".join(question.options) or "yes | no | unsure"
    say(f"    pk transcripts answer {question.id} ANSWER, which is {answers}")


def _print_sum(found: Reconciliation) -> None:
    proposal = found.proposal
    parts = [
        ("to do", len(proposal.actions)),
        ("asked", len(proposal.patch.questions)),
        ("in conflict", len(proposal.conflicts)),
        ("left alone", len(proposal.suppressed)),
        ("learnt", found.learnt),
        ("too old", found.old),
    ]
    say(f"{proposal.id}  {count(proposal.patch.summary['artifacts'], 'artifact')}: {tally(parts) or 'nothing to do'}")
