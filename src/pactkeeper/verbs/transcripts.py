"""The tool around actions on boards: what waits for a person, and what the agent would say to it."""

from __future__ import annotations

from typing import Final

from pactkeeper.ledger.shape import Items
from pactkeeper.operators import actions, boards, knowledge, marking, standup, transcripts, transcripts_watch
from pactkeeper.operators.standup import StandupVerdict
from pactkeeper.personal import Personal
from pactkeeper.published.standup import standup_document
from pactkeeper.verbs.verb import (
    ACTION,
    Call,
    Document,
    Verb,
    may,
)

_TOLD = ("your_call", "conflicts", "questions", "sources")


def review_actions(given: Call) -> Document:
    """List what waits; keep what the agent would say, which decides nothing."""
    opened = given.workspace
    person = Personal(opened.surroundings, opened.notice, opened.now, opened.closing)
    said = [
        StandupVerdict(one["action"], one["verdict"] == "accept", one.get("reason", ""), one["shown_hash"])
        for one in given.given.get("decisions", ())
    ]
    found = standup.review_actions(person, said, by=opened.acting)
    document = standup_document(found)
    return {**{name: document[name] for name in _TOLD}, "confirm": "pk transcripts standup"}


ROWS: Final = (
    Verb(transcripts.ingest_transcripts, "record", "Read what is new in conversations with agents."),
    Verb(marking.estimate_marking, None, "What having a model mark conversations would take at most."),
    Verb(marking.mark_transcripts, "record", "Have a model mark what rules did not find."),
    Verb(transcripts.transcript_status, None, "How far every conversation was read."),
    Verb(transcripts.show_transcript, None, "One conversation or artifact."),
    Verb(transcripts.transcript_artifacts, None, "What conversations produced."),
    Verb(transcripts_watch.watch_transcripts, "record", "Keep reading transcripts as they grow."),
    Verb(standup.stand_up, "reversible-external", "Do what is plain, show what was done and what waits."),
    Verb(standup.decide_actions, "reversible-external", "Carry out or refuse what waits."),
    Verb(
        standup.review_actions,
        "record",
        "What transcripts suggest for boards; propose verdicts, a person decides.",
        title="Board actions",
        categories=("reconcile",),
        takes=may(decisions=Items(ACTION, 1, 50)),
        means={"decisions": "one an action"},
        gives={"your_call": "array", "conflicts": "array", "confirm": "string"},
        answer=review_actions,
        pages="your_call",
        idempotent=True,
        per_page=10,
    ),
    Verb(standup.see_actions, "record", "Remember that a person was shown what was done."),
    Verb(standup.undo_action, "reversible-external", "Take back what one action did."),
    Verb(standup.past_actions, None, "List past actions with what became of each."),
    Verb(standup.action_precision, None, "How often each kind of action was right."),
    Verb(actions.reconcile_transcripts, "record", "What conversations suggest for boards and documents."),
    Verb(actions.proposed_actions, None, "What was suggested last."),
    Verb(actions.settle_same_work, "record", "Answer what a reconciliation of transcripts asks."),
    Verb(knowledge.search_knowledge, None, "Facts, entities, relations and decisions by words."),
    Verb(knowledge.show_knowledge, None, "One item of knowledge with its source and successors."),
    Verb(knowledge.add_knowledge, "record", "Keep what a person says, beside what it supersedes."),
    Verb(knowledge.flag_knowledge, "record", "Doubt an item of knowledge."),
    Verb(boards.list_boards, None, "Task boards and documents that are set up."),
    Verb(boards.show_board, None, "Tasks and documents of a board, with its health."),
    Verb(boards.show_board_item, None, "One task or document of a board, whole."),
    Verb(boards.try_board, None, "Whether a board can be reached and has what writing needs."),
)
