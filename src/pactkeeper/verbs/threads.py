"""Verbs for conversations: threads that may become tickets, agents' transcripts, and their boards."""

from __future__ import annotations

from typing import Final

from pactkeeper.advice import BOARDS
from pactkeeper.intent.ticket import FIELDS
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.shape import Items, Text
from pactkeeper.operators import actions, boards, knowledge, slack, standup, threads, transcripts, transcripts_watch
from pactkeeper.operators.standup import StandupVerdict
from pactkeeper.operators.thread_ground import Desk
from pactkeeper.published.plain import plain
from pactkeeper.published.standup import LISTED, SHOWN, standup_document
from pactkeeper.tickets.loose import to_place
from pactkeeper.verbs.verb import ACTION, ID, Call, Document, Verb, both, may, needs

_TOLD = ("your_call", "conflicts", "questions", "sources")


def review_actions(given: Call) -> Document:
    """List pending actions; record the agent's recommendations, which decide nothing."""
    opened = given.workspace
    said = [
        StandupVerdict(one["action"], one["verdict"] == "accept", one.get("reason", ""), one["shown_hash"])
        for one in given.given.get("decisions", ())
    ]
    found = standup.review_actions(opened.owner, said, by=opened.acting)
    document = standup_document(found)
    return dict(plain({**{name: document[name] for name in _TOLD}, "confirm": BOARDS()}))


def suggest_places(asked: Call) -> Document:
    """Show a thread with its text to place; record the agent's suggestions, for a person to approve."""
    found = threads.suggest_places(
        _desk(asked),
        asked.text("thread"),
        [_placement(one) for one in asked.given.get("placements", ())],
        by=f"agent {asked.workspace.acting}",
    )
    shown = found.shown
    loose = [
        {"number": one.number, "author": one.said.author, "message": one.said.message, "words": one.said.value}
        for one in to_place(shown.listed.state.loose)
    ]
    said = [{"message": one.id, "author": one.author, "text": one.text} for one in shown.messages]
    rest = SHOWN(shown)
    told = {"messages": said, "to_place": loose, "fields": list(FIELDS), "draft": rest["draft"], "asks": rest["asks"]}
    return dict(plain({**told, "refused": list(found.refused), "confirm": f"pk thread show {shown.listed.thread.id}"}))


def _placement(said: str) -> dict[str, JsonValue]:
    """Parse `constraints:retention=30 days` into a placement; mistakes in it are reported with the placement."""
    place, _, quote = said.partition("=")
    field, _, key = place.partition(":")
    return {"field": field.strip(), "quote": quote.strip(), **({"key": key.strip()} if key.strip() else {})}


def _desk(asked: Call) -> Desk:
    return Desk.served(asked.workspace)


ROWS: Final = (
    Verb(transcripts.ingest_transcripts, "record", "Read what is new in conversations with agents."),
    Verb(transcripts.estimate_marking, None, "What having a model mark conversations would take at most."),
    Verb(transcripts.mark_transcripts, "record", "Have a model mark what rules did not find."),
    Verb(transcripts.transcript_status, None, "How far every conversation was read."),
    Verb(transcripts.show_transcript, None, "One conversation or artifact."),
    Verb(transcripts.transcript_artifacts, None, "What conversations produced."),
    Verb(transcripts_watch.watch_transcripts, "record", "Keep reading transcripts as they grow."),
    Verb(standup.stand_up, "reversible-external", "Do what is plain, show what was done and what waits."),
    Verb(standup.decide_actions, "reversible-external", "Carry out or refuse what waits."),
    Verb(
        standup.review_actions,
        "record",
        "What transcripts suggest for boards; a person decides.",
        title="Board actions",
        categories=("reconcile",),
        takes=may(decisions=Items(ACTION, 1, 50)),
        means={"decisions": "one per action"},
        gives={**dict.fromkeys(_TOLD, object), "confirm": str},
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
    Verb(threads.start_thread, "record", "Open a thread that may become a ticket."),
    Verb(threads.say_in_thread, "human-act", "Speak, answer or approve in a thread."),
    Verb(threads.place_in_thread, "human-act", "Say where words of a thread that nothing marks belong."),
    Verb(
        threads.suggest_places,
        "record",
        "Propose fields for a thread's other words; a person approves.",
        title="Place words",
        categories=("reconcile",),
        takes=both(needs(thread=ID), may(placements=Items(Text(3, 700), most=20))),
        means={"placements": "field=exact words; constraints:name=words"},
        gives={
            "messages": [dict[str, str]],
            "to_place": [dict[str, object]],
            "fields": [str],
            "draft": dict[str, object],
            "asks": [dict[str, object]],
            "refused": [str],
            "confirm": str,
        },
        answer=suggest_places,
    ),
    Verb(
        threads.list_threads,
        None,
        "Threads with where they stand.",
        routes=("GET /threads",),
        gives={"threads": [LISTED]},
        answer=lambda asked: threads.list_threads(_desk(asked)),
        pages="threads",
    ),
    Verb(
        threads.show_thread,
        None,
        "One thread with its draft, questions, ticket and trace.",
        routes=("GET /threads/{thread}",),
        takes=needs(thread=ID),
        gives=SHOWN,
        answer=lambda asked: threads.show_thread(_desk(asked), asked.text("thread")),
    ),
    Verb(threads.read_thread_files, "record", "Take messages from a folder of threads."),
    Verb(slack.hear_event, "human-act", "Keep what a channel told of a thread, an approval included."),
    Verb(slack.amend_waiting, "record", "Put other words into an event that nobody read yet."),
    Verb(slack.run_bound_thread, "record", "Do what is due in one thread of a channel."),
    Verb(slack.due_in_channel, "record", "Threads of a channel in which something is due, reminders decided."),
    Verb(slack.bound_threads, None, "Threads of a channel with what was heard last."),
    Verb(slack.is_bound, None, "Whether a thread was opened."),
    Verb(slack.is_under_way, None, "Whether somebody did the same before and it is not done with."),
    Verb(slack.question_in, None, "The words of a question that waits."),
    Verb(slack.authors_in, None, "Who was heard in a thread, as they were called."),
    Verb(threads.tick_threads, "record", "Run threads that became quiet, and remind once."),
)
