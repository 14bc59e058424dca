"""Sorts what was proposed: what happens by itself, what a person is asked, what is only shown, what stays away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.intent.actions import Action, ActionProposal, Suppressed
from pactkeeper.intent.deeds import Deed, Standing
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.policy import Ruling
from pactkeeper.settings.actions import Restraint
from pactkeeper.transcripts.executing.tiers import SourcesHealth, rule_on

# Why an action stays away of which this became, in words that a date follows.
_AWAY: Final[Mapping[Standing, str]] = {
    "begun": "it is being written since",
    "done": "it was done on",
    "rejected": "you said no to it on",
    "undoing": "it is being taken back since",
    "undone": "you took it back on",
}


@dataclass(frozen=True, slots=True)
class Ruled:
    """An action with the ruling on it.

    `needs` are actions that have to be done first; `decision` is a yes to exactly this that came to nothing so far.
    """

    action: Action
    ruling: Ruling
    needs: tuple[str, ...] = ()
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class Sorted:
    """Everything proposed, each action in one of these, in the order of the proposal."""

    automatic: tuple[Ruled, ...]
    asked: tuple[Ruled, ...]
    shown: tuple[Ruled, ...]
    suppressed: tuple[Suppressed, ...]

    def find(self, named: str) -> Ruled | None:
        """The action of that id, wherever it was sorted; None where it is not proposed, or stays away."""
        return next((one for one in (*self.automatic, *self.asked, *self.shown) if one.action.id == named), None)


def sort_actions(
    proposal: ActionProposal,
    deeds: Iterable[Deed],
    view: Callable[[str], SourcesHealth],
    restraint: Restraint,
    *,
    today: int = 0,
) -> Sorted:
    """Sort a proposal by what became of actions so far and by the policy; `today` happened by themselves already."""
    past = tuple(deeds)
    done = {deed.action.id for deed in past if deed.standing == "done"}
    used: Counter[str] = Counter()
    kept: dict[str, list[Ruled]] = {"auto": [], "ask": [], "deny": []}
    away: list[Suppressed] = []
    for action in proposal.actions:
        reason = _away(action, past)
        if reason:
            away.append(Suppressed(action.artifact, title_of(action), reason, action.verb))
            continue
        ruling = rule_on(action, view(action.board), restraint, used=used, today=today + used.total())
        ruled = _ruled(action, ruling, past, done | {one.action.id for one in kept["auto"]})
        kept[ruled.ruling.permission].append(ruled)
        if ruled.ruling.permission == "auto" and ruled.decision is None:
            used[ruled.ruling.rule or ""] += 1
    return Sorted(tuple(kept["auto"]), tuple(kept["ask"]), tuple(kept["deny"]), (*proposal.suppressed, *away))


def title_of(action: Action) -> str:
    """What an action is about, in a few words."""
    payload = action.op.payload
    named = payload.get("title") or payload.get("heading") or payload.get("tool") or payload.get("document")
    return str(named or action.op.target)


def _away(action: Action, past: Iterable[Deed]) -> str:
    """Why an action is not taken up: the same thing, for the same reason, was done, refused or taken back."""
    for deed in past:
        same = (deed.action.fingerprint, deed.action.artifact) == (action.fingerprint, action.artifact)
        if deed.standing in _AWAY and (same or deed.action.id == action.id):
            return f"{_AWAY[deed.standing]} {deed.at[:10]} ({deed.action.id})"
    return ""


def _ruled(action: Action, ruling: Ruling, past: Iterable[Deed], ready: set[str]) -> Ruled:
    needs = tuple(name for name in action.op.depends_on if name not in ready)
    if ruling.permission == "deny":
        return Ruled(action, ruling, needs)
    said = _yes(action, past)
    if said is not None and not needs:
        return Ruled(action, replace(ruling, permission="auto", why="you said yes to it"), needs, said)
    if needs and ruling.permission == "auto":
        ruling = replace(ruling, permission="ask", why=f"{', '.join(needs)} has to be done first")
    return Ruled(action, ruling, needs)


def _yes(action: Action, past: Iterable[Deed]) -> Decision | None:
    """A person's yes to exactly what is shown now, of which nothing came."""
    for deed in past:
        said = deed.decision
        if deed.standing == "failed" and deed.action.id == action.id and said is not None:
            return said if said.shown_hash == action.op.shown_hash else None
    return None
