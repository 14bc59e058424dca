"""Threads with the outcome of a message, and stand-ups with secrets redacted from every text, as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Final

from pactkeeper.intent.actions import Action, Conflict, Deed, action_document
from pactkeeper.intent.board import written_document
from pactkeeper.intent.redaction import redacted_json
from pactkeeper.intent.thread_event import Blocker, Post
from pactkeeper.intent.ticket import Ask, draft_document
from pactkeeper.ledger.finding import encode_evidence
from pactkeeper.ledger.op import encode_op
from pactkeeper.operators.standup import Standup
from pactkeeper.operators.threads import Heard, ListedThread, ShownThread
from pactkeeper.published.plain import Codec
from pactkeeper.store.thread_posts import KeptPost
from pactkeeper.transcripts.sorting import Ruled, title_of

SCHEMA = "pactkeeper.standup/1"


def standup_document(found: Standup) -> dict[str, object]:
    """Publish a stand-up."""
    parts: dict[str, object] = {
        "schema": SCHEMA,
        "at": found.at,
        "done": [deed_row(one) for one in found.done],
        "your_call": [ruled_row(one, found) for one in found.asked],
        "ready": [ruled_row(one, found) for one in found.ready],
        "only_shown": [ruled_row(one, found) for one in found.shown],
        "failed": [deed_row(one) for one in found.failed],
        "conflicts": [_conflict_row(one) for one in found.conflicts],
        "suppressed": [
            {"verb": one.verb, "title": one.title, "reason": one.reason, "artifact": one.artifact}
            for one in found.suppressed
        ],
        "questions": [one.id for one in found.questions],
        "sources": {name: {"status": one.status, "reason": one.reason} for name, one in found.sources.items()},
        "alert": found.alert,
    }
    return {name: redacted_json(one) for name, one in parts.items()}


def deed_row(deed: Deed) -> dict[str, object]:
    """Return the outcome of an action, with the previous value and how to undo it."""
    return {
        **_action_row(deed.action),
        "standing": deed.standing,
        "at": deed.at,
        "by": deed.by,
        "automatic": deed.automatic,
        "reason": deed.reason,
        "written": redacted_json(written_document(deed.written)),
    }


def ruled_row(one: Ruled, found: Standup) -> dict[str, object]:
    """Return an action with its ruling, what it needs, and what an agent suggested."""
    said = found.suggested.get(one.action.id)
    return {
        **_action_row(one.action),
        "ruling": {"permission": one.ruling.permission, "rule": one.ruling.rule, "why": one.ruling.why},
        "needs": list(one.needs),
        "suggested": None if said is None else {"verdict": said.verdict, "by": said.by, "reason": said.reason},
    }


def _action_row(action: Action) -> dict[str, object]:
    """Publish an action; evidence of a whole file has no line."""
    about = action_document(action)
    seen = [{**encode_evidence(one), "line": one.line or None} for one in action.op.evidence]
    return {**encode_op(action.op), "evidence": seen, **about, "title": title_of(action), "board": action.board}


def _conflict_row(one: Conflict) -> dict[str, object]:
    sides = {name: asdict(side) for name, side in (("said", one.said), ("stands", one.stands))}
    return {
        "fingerprint": one.fingerprint,
        "subject": one.subject,
        "why": one.why,
        "recommendation": one.recommendation,
        **sides,
    }


def _blocker(one: Blocker) -> tuple[str, str]:
    return one.severity, one.text


_POST: Final = Codec(
    Post,
    "key thread kind text asks draft blockers approvable to url instead unplaced",
    draft=draft_document,
    blockers=_blocker,
)
LISTED: Final = Codec(ListedThread, "*thread state draft ticket sinceTicket=since_ticket", draft=draft_document)
SHOWN: Final = Codec(
    ShownThread,
    "*listed messages meant asks posts tickets criteria waiting late aside",
    listed=LISTED,
    asks=Codec(Ask, "id *"),
    posts=Codec(KeptPost, "*post at saidAt=said_at", post=_POST),
)
HEARD: Final = Codec(Heard, "thread kept ran state posts", posts=Codec(KeptPost, "*post", post=_POST))
TRACE: Final = Codec(ShownThread, "trace=steps")
