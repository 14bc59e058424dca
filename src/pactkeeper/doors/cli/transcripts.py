"""`pk transcripts`: read conversations with coding agents and show what came out of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Final

import click

from pactkeeper.doors.cli.groups import CommandGroup
from pactkeeper.doors.cli.output import bold, count, dim, document, mark, note, say, tally, verbatim
from pactkeeper.doors.cli.parameters import DOLLARS, as_json, personal, within
from pactkeeper.doors.cli.standup import execute_command, log_command, precision_command, print_standup
from pactkeeper.intent.actions import OUTCOMES, ActionProposal, proposal_document
from pactkeeper.intent.conversation import ARTIFACT_TYPES, ArtifactType, Excerpt, content
from pactkeeper.intent.redaction import redacted, redacted_json
from pactkeeper.ledger.answering import Estimate
from pactkeeper.ledger.model import dollars
from pactkeeper.operators import transcripts
from pactkeeper.operators.actions import Reconciliation, reconcile_transcripts, settle_same_work
from pactkeeper.operators.standup import Standup, review_actions
from pactkeeper.operators.transcripts import Ingestion, MarkedTranscripts, TranscriptStatus
from pactkeeper.operators.transcripts_watch import EVERY, WatchRequest, watch_transcripts
from pactkeeper.published.plain import Codec, plain
from pactkeeper.store.conversations import StoredArtifact, StoredConversation
from pactkeeper.transcripts.ingest import Ingested


@click.command("reconcile")
@click.option("--all", "whole", is_flag=True, help="Look at everything ever found, however old.")
@as_json
def reconcile_command(*, whole: bool, json_: bool) -> None:
    """Compare what conversations produced with boards, documents, commits and knowledge; writes to none of them."""
    with personal() as opened:
        found = reconcile_transcripts(opened, whole=whole)
        ruled = review_actions(opened)
    if json_:
        content = redacted_json(proposal_document(found.proposal))
        document({"proposal": content, "learnt": found.learnt, "older": found.old})
    else:
        _print_reconciled(found, ruled)


@click.command("answer")
@click.argument("question", metavar="QUESTION")
@click.argument("answer", metavar="ANSWER")
def answer_command(question: str, answer: str) -> None:
    """Answer a reconciliation question: yes, no or unsure, or one of the options; used from the next one on."""
    with personal() as opened:
        asked = settle_same_work(opened, question, answer, by=opened.person())
    say(f"{asked.id}  {answer}")
    say("next    pk transcripts reconcile")


def _print_reconciled(found: Reconciliation, ruled: Standup) -> None:
    """Print a proposal as the stand-up would, with each action that waits, however old."""
    _print_judged(found.proposal)
    print_standup(replace(ruled, done=(), failed=()), whole=True)
    _print_reconciled_sum(found)


def _print_judged(proposal: ActionProposal) -> None:
    for outcome in OUTCOMES:
        for one in proposal.judged:
            if one.outcome == outcome:
                say(f"{outcome:<8}  {redacted(one.title)}  {dim(redacted(one.reason))}")


def _print_reconciled_sum(found: Reconciliation) -> None:
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


@click.command("mark")
@click.argument("named", nargs=-1, metavar="[ID]...")
@click.option("--max-cost", type=DOLLARS, metavar="USD", help="Spend at most this on the model.")
@click.option("--estimate", is_flag=True, help="Only show the most that asking the model would cost.")
@as_json
def mark_command(named: tuple[str, ...], *, max_cost: int | None, estimate: bool, json_: bool) -> None:
    """Have the configured model mark plans, analyses and decisions that rules did not find.

    The model sees the messages, without secrets, and names lines; the program copies them. By default it sees recent
    conversations, each part once.
    """
    with personal() as opened:
        if estimate:
            most = transcripts.estimate_marking(opened, named)
            _estimated(most, json_=json_)
            return
        found = transcripts.mark_transcripts(opened, named, max_cost=max_cost)
    if json_:
        rows = {key: value for key, value in asdict(found).items() if key != "marking"}
        document({**rows, **asdict(found.marking)}, "marking/1")
    else:
        _print(found)


def _estimated(most: Estimate, *, json_: bool) -> None:
    if json_:
        document(most, "estimate/1")
        return
    fresh = most.prompts - most.cached
    tokens = most.usage.input_tokens + most.usage.output_tokens
    say(f"{count(fresh, 'part')} of conversations to show, {most.cached:,} were shown before")
    say(f"at most {most.usage.calls:,} calls, {tokens:,} tokens, {dollars(most.usage.money)}")


def _print(found: MarkedTranscripts) -> None:
    marking = found.marking
    for line in marking.unread:
        note(f"{mark('warning')} {line}")
    for line in marking.reasons:
        note(f"{mark('warning')} {redacted(line)}")
    asked = [("answered", marking.answered), ("answered before", marking.cached), ("refused", marking.refused)]
    more = [("failed", marking.failed), ("not asked: over budget", marking.over_budget)]
    say(f"{found.model}: {tally([*asked, *more]) or 'nothing to ask'}; {dollars(marking.money)}")
    say(f"{count(marking.artifacts, 'new artifact')}, {marking.known:,} known before")
    if found.left:
        say(f"{count(found.left, 'conversation')} left; continue with: pk transcripts mark")
    if found.alert:
        note(f"{mark('warning')} {found.alert}")
    if marking.artifacts:
        say("next    pk transcripts artifacts")


@click.command("watch")
@click.option(
    "--every", type=click.FloatRange(min=0.1), default=EVERY, show_default=True, help="Seconds between two looks."
)
@click.option("--looks", type=click.IntRange(min=1), metavar="N", help="Stop after N looks.")
@click.option("--execute", is_flag=True, help="Also do what may happen automatically, as pk transcripts execute does.")
@click.option("--daily", is_flag=True, help="Hold a standup once a day, at the first message, and list what waits.")
def watch_command(*, every: float, looks: int | None, execute: bool, daily: bool) -> int:
    """Read what is new whenever a transcript has grown and gone quiet, until stopped.

    One process watches at a time. It can be stopped or killed at any moment: what was read is stored, and the next one
    reads the rest.
    """
    request = WatchRequest(time.sleep, every, looks, execute, daily)
    done = within(personal, watch_transcripts, request, say)
    brought = [("entries", done.entries), ("artifacts", done.artifacts), ("actions", done.actions)]
    say(f"watched: {count(done.looks, 'look')}: {tally(brought) or 'nothing new'}")
    return 1 if done.failures else 0


# Singular and plural of each type.
_NOUNS: Final[Mapping[ArtifactType, tuple[str, str]]] = {
    "plan": ("plan", "plans"),
    "analysis": ("analysis", "analyses"),
    "framework": ("framework", "frameworks"),
    "error_pattern": ("error pattern", "error patterns"),
    "decision_with_context": ("decision with context", "decisions with context"),
    "commitment_update": ("commitment update", "commitment updates"),
    "event": ("event", "events"),
    "statement": ("statement", "statements"),
    "remark": ("remark", "remarks"),
}
_ELSEWHERE = "in the usual places: pk transcripts ingest PATH, or name `places` in transcripts.toml"


@click.group(cls=CommandGroup, default="status")
def command() -> None:
    """Read conversations with coding agents and keep, word for word, what they produced.

    They belong to you, not to a repository, so this works in any folder. Secrets are never printed.
    """


command.add_command(mark_command)
command.add_command(reconcile_command)
command.add_command(answer_command)
command.add_command(execute_command)
command.add_command(log_command)
command.add_command(precision_command)
command.add_command(watch_command)


@command.command("ingest")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--no-wait", is_flag=True, help="Also read sessions that were written to in the last minutes.")
@as_json
def ingest_command(paths: tuple[str, ...], *, no_wait: bool, json_: bool) -> int:
    """Read what is new in transcripts, by default those of Claude Code and Codex; safe to repeat."""
    found = within(personal, transcripts.ingest_transcripts, paths, wait=not no_wait)
    failed = any(one.outcome == "failed" for one in found.files)
    if json_:
        document({"health": found.health, "files": _INGESTED.each(found.files), "unread": found.unread}, "ingestion/1")
    else:
        _print_ingestion(found, paths)
    return 2 if failed else 0


_INGESTED: Final = Codec(
    Ingested, "file outcome conversation source entries replays artifacts gaps waiting unknown reason"
)


_UNREAD: Final = "it begins with no record of a known format (of at most 8 MB), or is not a regular file"


def _print_ingestion(found: Ingestion, paths: tuple[str, ...]) -> None:
    for file in found.unread:
        note(f"{mark('warning')} {file}: {_UNREAD}; it was not read")
    if not found.files:
        named = (
            f"in {', '.join(map(repr, paths))}; docs/transcripts.md lists the known formats" if paths else _ELSEWHERE
        )
        say(f"no transcripts found {named}")
        return
    for one in found.files:
        if one.outcome == "read":
            facts = tally([("entries", one.entries), ("replays", one.replays), ("artifacts", one.artifacts)])
            say(f"{one.conversation}  {one.file}  {dim(facts or 'nothing new')}")
        if one.reason:
            note(f"{mark('warning')} {one.file}: {one.reason}")
        if one.unknown:
            types = ", ".join(f"{name} {number}" for name, number in sorted(one.unknown.items()))
            note(f"{mark('warning')} {one.file}: records of unknown types were not read: {types}")
        if one.gaps:
            told = f"see: pk transcripts show {one.conversation}"
            note(f"{mark('warning')} {one.file}: {count(one.gaps, 'unreadable part')}; {told}")
    outcomes = Counter(one.outcome for one in found.files)
    artifacts = sum(one.artifacts for one in found.files)
    say(f"{count(len(found.files), 'transcript')}: {tally(list(outcomes.items()))}; {count(artifacts, 'new artifact')}")


@command.command()
@as_json
def status(*, json_: bool) -> None:
    """Show how far each conversation was read."""
    found = within(personal, transcripts.transcript_status)
    if json_:
        rows = [{**_CONVERSATION(one), "waiting": waiting} for one, waiting in found.conversations]
        waits = [{"file": file, "seconds": left} for file, left in found.waits]
        shown = {"conversations": rows, "artifacts": found.artifacts, "waits": waits, "unread": found.unread}
        document({**shown}, "transcripts/1")
        return
    for one, waiting in found.conversations:
        _print_conversation(one, waiting)
    say(f"{count(len(found.conversations), 'conversation')}, {count(found.artifacts, 'artifact')}")
    _print_next(found)


def _print_next(found: TranscriptStatus) -> None:
    for file in found.unread:
        say(f"unread  {file}: {_UNREAD}")
    for file, left in found.waits:
        say(f"waits   {file}: for {left} s, as it was just written to")
    if found.waits:
        say("next    pk transcripts ingest --no-wait, or pk transcripts ingest later")
    elif not found.conversations:
        say(f"next    pk transcripts ingest, which looks into {' and '.join(found.places)}")
        say("        pk transcripts ingest PATH for others; --no-wait to include recently written ones")


_CONVERSATION: Final = Codec(
    StoredConversation,
    "id=conversation.id source=conversation.source file=conversation.file session=conversation.session"
    " kind=conversation.kind cwd=conversation.cwd branch=conversation.branch first_at last_at entries replays"
    " artifacts read_bytes=bookmark.offset gaps gap_count read_at",
)


def _print_conversation(one: StoredConversation, waiting: int) -> None:
    about = one.conversation
    facts = tally([("entries", one.entries), ("artifacts", one.artifacts), ("unreadable parts", one.gap_count)])
    later = f", {count(waiting, 'byte')} waiting" if waiting else ""
    say(f"{bold(about.id)}  {one.last_at[:16]}  {about.source}  {about.cwd or about.file}  {dim(facts + later)}")


@command.command()
@click.argument("named", metavar="ID")
@as_json
def show(named: str, *, json_: bool) -> None:
    """Show a conversation with what was found in it, or one artifact in full."""
    found = within(personal, transcripts.show_transcript, named)
    one = found.conversation
    if json_:
        rows = [artifact_document(artifact) for artifact in found.artifacts]
        document({**_CONVERSATION(one), "found": rows}, "transcript/1")
        return
    _print_conversation(one, 0)
    for gap in one.gaps:
        say(f"  {mark('warning')} bytes {gap.start:,} to {gap.end:,}: {redacted(gap.reason)}")
    for artifact in found.artifacts:
        _print_artifact(artifact, whole=named.startswith("ar-"))


@command.command()
@click.option("--type", "types", type=click.Choice(ARTIFACT_TYPES), multiple=True, help="Only this type; repeatable.")
@click.option("--conversation", default="", metavar="ID", help="Only those first found in this conversation.")
@as_json
def artifacts(*, types: tuple[ArtifactType, ...], conversation: str, json_: bool) -> None:
    """List what conversations produced: plans, analyses, decisions, events, error patterns."""
    found = within(personal, transcripts.transcript_artifacts, types, conversation=conversation)
    if json_:
        document({"artifacts": [artifact_document(one) for one in found]}, "artifacts/1")
        return
    for one in found:
        _print_artifact(one)
    _print_sum(found, narrowed=bool(types or conversation))


def _print_sum(found: tuple[StoredArtifact, ...], *, narrowed: bool) -> None:
    if not found:
        say("0 artifacts of these" if narrowed else "0 artifacts; pk transcripts ingest finds some")
        return
    kinds = Counter(one.artifact.type for one in found)
    listed = ", ".join(count(number, *_NOUNS[kind]) for kind, number in kinds.items())
    say(f"{count(len(found), 'artifact')}: {listed}")


_ARTIFACT: Final = Codec(
    StoredArtifact,
    "id=artifact.id fingerprint=artifact.fingerprint type=artifact.type title=artifact.title"
    " summary=artifact.summary domain=artifact.domain entities_referenced=artifact.entities content="
    " source_session=artifact.file conversation at=artifact.at value=artifact.value"
    " persistence_status=artifact.persistence persistence_evidence=artifact.evidence"
    " commitment_update=artifact.update signals= facts=artifact.facts spans=artifact.excerpts found_at",
    content=lambda one: content(one.artifact),
    signals=lambda one: {**plain(one.artifact.signals), "corroboration": one.corroboration},
    spans=Codec(Excerpt, "entry block first last at"),
)


def artifact_document(one: StoredArtifact) -> dict[str, object]:
    """The published form of an artifact, with secrets redacted in every text."""
    return {key: redacted_json(value) for key, value in _ARTIFACT(one).items()}


def _print_artifact(one: StoredArtifact, *, whole: bool = False) -> None:
    artifact = one.artifact
    state = "" if artifact.persistence == "not_persisted" else artifact.persistence
    facts = ", ".join(filter(None, (f"{artifact.value.replace('_', ' ')} value", state, artifact.at[:16])))
    say(f"{bold(artifact.id)}  {artifact.type.replace('_', ' ')}  {redacted(artifact.title)}  {dim(facts)}")
    if whole:
        verbatim(redacted(content(artifact)))
