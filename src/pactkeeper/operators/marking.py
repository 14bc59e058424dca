"""The verbs that have a model mark conversations: what it would cost, and doing it within the caps of a person."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta

from pactkeeper.errors import InputError
from pactkeeper.flows.observing import tagged
from pactkeeper.ledger.answering import Budget, Estimate
from pactkeeper.ledger.model import Caps, Spent, dollars, limits_of
from pactkeeper.operators.models import spent_today
from pactkeeper.operators.transcripts import stamp
from pactkeeper.personal import Personal
from pactkeeper.settings.transcripts import transcript_settings
from pactkeeper.store.conversations import StoredConversation, list_conversations
from pactkeeper.store.history import History
from pactkeeper.transcripts.asking import Marker, Marking, prompts_of
from pactkeeper.transcripts.reconciling.world import instant

ALERT = 1_000_000  # millionths of a US dollar of one day from which on a person is told


@dataclass(frozen=True, slots=True)
class MarkedTranscripts:
    """What came of asking about conversations; `left` were not asked about for want of budget, `alert` says so much."""

    model: str
    conversations: int
    marking: Marking
    left: int = 0
    alert: str = ""


def estimate_marking(personal: Personal, named: tuple[str, ...] = ()) -> Estimate:
    """Say what asking about these conversations would take at most; nobody is asked."""
    history = personal.history(make=True)[0]
    return personal.asker().estimate(tuple(prompts_of(_wanted(personal, history, named))))


def mark_transcripts(
    personal: Personal, named: tuple[str, ...] = (), *, max_cost: int | None = None
) -> MarkedTranscripts:
    """Have the model that is set up mark the talk of conversations, by default of those of the last days.

    What it was asked before is not asked again. `max_cost` counts millionths of a US dollar. Raises ModelUnavailable
    where nobody can be asked and InputError for a conversation that is not there.
    """
    history = personal.history(make=True)[0]
    wanted = _wanted(personal, history, named)
    asker = replace(personal.asker("transcripts"), tell=lambda _line: None)
    today = spent_today(personal)
    limits = limits_of(asker.setup, Caps(money=max_cost), run=Spent(), today=today)
    marker = Marker(history, asker, Budget(limits), lambda: stamp(personal.now()))
    with tagged(agent="transcripts-agent", node="mark"):
        done = asyncio.run(_mark(marker, wanted))
    alert = _alert(spent_today(personal))
    return MarkedTranscripts(asker.name, done, marker.total, len(wanted) - done, alert)


async def _mark(marker: Marker, wanted: tuple[StoredConversation, ...]) -> int:
    for done, stored in enumerate(wanted, 1):
        if not await marker.mark(stored):
            return done
    return len(wanted)


def _wanted(personal: Personal, history: History, named: tuple[str, ...]) -> tuple[StoredConversation, ...]:
    stored = {one.conversation.id: one for one in list_conversations(history)}
    missing = [name for name in named if name not in stored]
    if missing:
        raise InputError(f"there is no conversation {missing[0]!r}; pk transcripts status lists them")
    if named:
        return tuple(stored[name] for name in named)
    days = transcript_settings(personal.surroundings.preferences).days
    since = personal.now() - timedelta(days=days)
    times = ((one, instant(one.last_at)) for one in stored.values())
    return tuple(one for one, at in times if at is None or at >= since)


def _alert(today: Spent) -> str:
    if today.money < ALERT:
        return ""
    return f"models cost {dollars(today.money)} today; cap it by [day] money in models.toml"
