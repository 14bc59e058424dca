"""The tool around actions on boards: what waits for a person, and what the agent would say to it."""

from __future__ import annotations

from pactkeeper.doors.cli.standup_text import standup_document
from pactkeeper.doors.mcp.tool import Call, Document
from pactkeeper.operators import standup
from pactkeeper.operators.standup import Said
from pactkeeper.workspace import Personal

_TOLD = ("your_call", "conflicts", "questions", "sources")


def review_actions(given: Call) -> Document:
    """List what waits; keep what the agent would say, which decides nothing."""
    opened = given.workspace
    person = Personal(opened.surroundings, opened.notice, opened.now, opened.closing)
    said = [
        Said(one["action"], one["verdict"] == "accept", one.get("reason", ""), one["shown_hash"])
        for one in given.given.get("decisions", ())
    ]
    found = standup.review_actions(person, said, by=opened.acting)
    document = standup_document(found)
    return {**{name: document[name] for name in _TOLD}, "confirm": "pk standup"}
