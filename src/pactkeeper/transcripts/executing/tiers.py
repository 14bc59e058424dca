"""The policy for boards: seed 002's three tiers as rules, and what a person's settings make stricter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.intent.actions import HIGH, LOW, Action
from pactkeeper.intent.routing import Routing
from pactkeeper.ledger.health import Health, HealthStatus
from pactkeeper.ledger.policy import Permission, Rule, Ruling, case_of, explain
from pactkeeper.settings.actions import Restraint
from pactkeeper.transcripts.executing.never import USUAL, forbidden, mentions

# What may happen by itself, and how often in one run.
AUTOMATIC: Final[Mapping[str, int]] = {
    "createTask": 10,
    "logTask": 20,
    "completeTask": 10,
    "createDocument": 5,
    "enrichDocument": 10,
    "updateDocumentMeta": 10,
}
_UNSEEN: Final[frozenset[HealthStatus]] = frozenset({"partial", "unavailable"})

TIERS: Final[tuple[Rule, ...]] = (
    Rule(
        "unavailable-board",
        "deny",
        "the board could not be seen, so nothing is known about it",
        health=frozenset({"unavailable"}),
    ),
    Rule(
        "absence-unproven",
        "deny",
        "the board was not seen completely, so it may be there already",
        health=_UNSEEN,
        from_absence=True,
    ),
    Rule("irreversible", "deny", "it cannot be taken back", risks=frozenset({"irreversible"})),
    Rule(
        "words-of-a-person",
        "ask",
        "it changes words that stand there, so a person says yes each time",
        verbs=frozenset({"patchDocumentSection", "tickTodo"}),
    ),
    Rule("advice", "ask", "people change what agents are told", verbs=frozenset({"proposeSkillFix"})),
    *(
        Rule(
            f"plain-{verb}",
            "auto",
            "a tool's own answer shows it, everything was seen, and a person can put it right",
            risks=frozenset({"reversible-external"}),
            evidence=frozenset({"mechanical"}),
            verbs=frozenset({verb}),
            certain=True,
            cap=cap,
        )
        for verb, cap in AUTOMATIC.items()
    ),
    Rule(
        "your-call",
        "ask",
        "it is not plain enough to happen by itself",
        risks=frozenset({"reversible-external"}),
        verbs=frozenset(AUTOMATIC),
    ),
)


@dataclass(frozen=True, slots=True)
class SourcesHealth:
    """What was seen: the health of the board that an action is for, and of everything that it was worked out from.

    `routing` says what a person keeps from being written to, `tells` that the board tells people who are named in it.
    """

    board: Health
    sources: Health
    routing: Routing = USUAL
    tells: bool = False


def rule_on(
    action: Action,
    view: SourcesHealth,
    restraint: Restraint,
    *,
    used: Mapping[str, int] | None = None,
    today: int = 0,
) -> Ruling:
    """Whether an action happens by itself, is asked about, or never happens, and why.

    `used` counts by rule name what this run let through, `today` what happened by itself today.
    """
    never = forbidden(action, view.routing)
    if never:
        return Ruling("deny", "never", never)
    points = action.confidence.points
    if action.confidence.level == "low" or points < restraint.ask.get(action.verb, LOW):
        return Ruling("deny", "unsure", f"{points} of 100 points are too few to propose it; it is only shown")
    certain = action.machine and action.confidence.level == "high" and view.sources.status == "complete"
    case = case_of(action.op, actor="timer", health=view.board, certain=certain)
    ruling = explain(TIERS, case, used=used)
    named = mentions(action) if view.tells and ruling.permission == "auto" else ""
    if named:
        return _lowered(ruling, "ask", f"it names {named}, whom the board would tell")
    return _stricter(action, ruling, restraint, run=sum((used or {}).values()), today=today)


def _stricter(action: Action, ruling: Ruling, restraint: Restraint, *, run: int, today: int) -> Ruling:
    """The ruling, or a stricter one of the action itself, the settings or the caps."""
    if action.tier == 3:  # noqa: PLR2004 - the third tier
        return _lowered(ruling, "deny", "it was proposed as something that never happens")
    if ruling.permission != "auto":
        return ruling
    needed = max(restraint.auto.get(action.verb, HIGH + 1), HIGH + 1)
    if action.tier != 1:
        return _lowered(ruling, "ask", "it was proposed as something to be asked")
    if action.confidence.points < needed:
        return _lowered(ruling, "ask", f"your settings want {needed} points for {action.verb}")
    if run >= restraint.per_run:
        return _lowered(ruling, "ask", f"{restraint.per_run} actions of one run have happened by themselves")
    if today >= restraint.per_day:
        return _lowered(ruling, "ask", f"{restraint.per_day} actions of today have happened by themselves")
    return ruling


def _lowered(ruling: Ruling, permission: Permission, why: str) -> Ruling:
    return replace(ruling, permission=permission, why=why)
