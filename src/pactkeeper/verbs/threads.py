"""Verbs for conversations: threads that may become tickets, agents' transcripts, and their boards."""

from __future__ import annotations

from typing import Final

from pactkeeper.advice import BOARDS
from pactkeeper.intent.ticket import FIELDS
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.shape import Items, Text
from pactkeeper.operators import standup, threads
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
        Desk.served(asked.workspace),
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


ROWS: Final = (
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
        answer=lambda asked: threads.list_threads(Desk.served(asked.workspace)),
        pages="threads",
    ),
    Verb(
        threads.show_thread,
        None,
        "One thread with its draft, questions, ticket and trace.",
        routes=("GET /threads/{thread}",),
        takes=needs(thread=ID),
        gives=SHOWN,
        answer=lambda asked: threads.show_thread(Desk.served(asked.workspace), asked.text("thread")),
    ),
)
