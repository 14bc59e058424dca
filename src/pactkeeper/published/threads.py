"""Threads, what they hold and what became of a saying, as JSON."""

from __future__ import annotations

from dataclasses import asdict

from pactkeeper.intent.thread_event import document_of, post_document
from pactkeeper.intent.ticket_text import draft_document, encode
from pactkeeper.operators.threads import Heard, ListedThread, ShownThread


def listed_document(one: ListedThread) -> dict[str, object]:
    """A thread as JSON."""
    return {
        **asdict(one.thread),
        "state": document_of(one.state),
        "draft": draft_document(one.draft),
        "ticket": None if one.ticket is None else document_of(one.ticket),
    }


def heard_document(found: Heard) -> dict[str, object]:
    """What became of a saying as JSON."""
    return {
        "thread": found.thread,
        "kept": found.kept,
        "ran": found.ran,
        "state": document_of(found.state),
        "posts": [post_document(one.post) for one in found.posts],
    }


def shown_document(found: ShownThread, *, trace: bool) -> dict[str, object]:
    """Everything about a thread as JSON."""
    steps = {"trace": [document_of(one) for one in found.steps]} if trace else {}
    return {
        "schema": "pactkeeper.thread/1",
        **listed_document(found.listed),
        "messages": [encode(one) for one in found.messages],
        "meant": found.meant,
        "asks": [{"id": one.id, **encode(one)} for one in found.asks],
        "posts": [{**post_document(one.post), "at": one.at, "saidAt": one.said_at} for one in found.posts],
        "tickets": [document_of(one) for one in found.tickets],
        "criteria": [asdict(one) for one in found.criteria],
        "waiting": found.waiting,
        "late": [asdict(one) for one in found.late],
        "aside": [asdict(one) for one in found.aside],
        **steps,
    }
