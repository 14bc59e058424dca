"""Sort proposed actions into automatic, asked, only shown and suppressed; and what no setting or answer can allow.

Holds the policy for boards: seed 002's three tiers as rules, tightened by a person's settings.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from pactkeeper.intent.actions import (
    BOARD_VERBS,
    HIGH,
    LOW,
    MARK,
    WRITES,
    Action,
    ActionProposal,
    Confidence,
    Deed,
    Standing,
    Suppressed,
)
from pactkeeper.intent.board import Document
from pactkeeper.intent.routing import Routing
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.health import Health, HealthStatus
from pactkeeper.ledger.policy import Permission, Rule, Ruling, case_of, explain
from pactkeeper.settings.transcripts import BY_PEOPLE, OUT_OF_REACH, Restraint
from pactkeeper.transcripts.reconciling import FRESH, FRESH_DAYS, MENTIONED

# Documents that steer people or agents, by name without case, separators and suffix.
STEERING: Final = frozenset(
    {
        "active context",
        "agent",
        "agents",
        "agents override",
        "claude",
        "claude local",
        "clinerules",
        "copilot instructions",
        "cursorrules",
        "gemini",
        "skill",
        "soul",
        "windsurfrules",
    }
)
# Every file in these folders steers agents.
STEERING_FOLDERS: Final = frozenset({"claude", "codex", "cursor", "gemini", "skills"})
ARCHIVE: Final = "archive"
USUAL: Final = Routing()
# Replacing more than this share of a document that is longer than a note counts as rewriting it.
WHOLE_PERCENT: Final = 50
NOTE_LENGTH: Final = 400

_SUFFIX: Final = re.compile(r"\.(?:md|mdc|mdx|markdown|txt)$")
_SEPARATORS: Final = re.compile(r"[\W_]+")
_MENTION: Final = re.compile(r"(?<![\w./@-])@[A-Za-z0-9][\w-]*")


def forbidden(action: Action, routing: Routing = USUAL) -> str:
    """Why the action itself shows that it may never happen; empty if it may.

    Places closed by a person's routing are refused as well.
    """
    if action.verb not in BOARD_VERBS:
        return f"{action.verb} may not be done because of a conversation"
    payload = action.op.payload
    if action.verb not in {"logTask", "completeTask", "reopenTask"}:  # their title is a person's, and names a task
        names = [str(payload.get(key, "")) for key in ("document", "title")]
        if reason := _forbidden_place(routing, str(payload.get("section", "")), names):
            return reason
    written = WRITES.get(action.verb)
    if written and MARK not in f"{payload.get('title', '')} {payload.get('heading', '')} {payload[written]}":
        return f"it does not say {MARK}, so nobody could tell that a program wrote it"
    return ""


def forbidden_in(action: Action, document: Document, routing: Routing = USUAL) -> str:
    """Why an action may never happen to this document in its current state; empty if it may."""
    reason = _forbidden_place(routing, document.section, [document.title, document.id, document.url])
    if reason or action.verb != "patchDocumentSection":
        return reason
    old, body = str(action.op.payload["old"]), document.body
    if len(body) > NOTE_LENGTH and len(old) * 100 > len(body) * WHOLE_PERCENT:
        return f"it replaces {len(old):,} of {len(body):,} characters, which would rewrite {document.title!r}"
    return ""


def mentions(action: Action) -> str:
    """The first `@name` in an action's text, which notifies that person on most trackers; empty if there is none."""
    for value in action.op.payload.values():
        found = _MENTION.search(value) if isinstance(value, str) else None
        if found:
            return found[0]
    return ""


def steers(name: str) -> bool:
    """Whether a name, title or path is that of a document that steers people or agents."""
    parts = [_folded(part) for part in PurePosixPath(name.replace("\\", "/")).parts]
    return bool(parts) and (parts[-1] in STEERING or any(part in STEERING_FOLDERS for part in parts[:-1]))


def _forbidden_place(routing: Routing, section: str, names: Sequence[str]) -> str:
    own = {_folded(title) for title in routing.context}
    for name in (f"{section}/-", *names):
        if steers(name) or _folded(PurePosixPath(name).name) in own:
            return f"{name.removesuffix('/-')!r} instructs people or agents; only people may change it"
    closed = {_folded(one) for one in (ARCHIVE, *routing.never)}
    if {_folded(section), _folded(section.split("/", maxsplit=1)[0])} & closed:
        return f"{section!r} is a section that is never written to"
    return ""


def _folded(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name).casefold().strip()
    return _SEPARATORS.sub(" ", _SUFFIX.sub("", plain)).strip()


# Why an action with such a deed is suppressed; the messages are followed by a date.
_AWAY: Final[Mapping[Standing, str]] = {
    "begun": "it is being written since",
    "done": "it was done on",
    "rejected": "you said no to it on",
    "undoing": "it is being undone since",
    "undone": "you undid it on",
}


@dataclass(frozen=True, slots=True)
class Ruled:
    """An action and the ruling on it.

    `needs` are actions that must be done first; `decision` is a yes to exactly this action that has had no effect yet.
    """

    action: Action
    ruling: Ruling
    needs: tuple[str, ...] = ()
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class Sorted:
    """All proposed actions, each in exactly one group, in the order of the proposal."""

    automatic: tuple[Ruled, ...]
    asked: tuple[Ruled, ...]
    shown: tuple[Ruled, ...]
    suppressed: tuple[Suppressed, ...]

    def find(self, named: str) -> Ruled | None:
        """Return the action with that id from any group; None if it is not proposed or is suppressed."""
        return next((one for one in (*self.automatic, *self.asked, *self.shown) if one.action.id == named), None)


def sort_actions(
    proposal: ActionProposal,
    deeds: Iterable[Deed],
    view: Callable[[str], SourcesHealth],
    restraint: Restraint,
    *,
    today: int = 0,
) -> Sorted:
    """Sort a proposal by earlier deeds and by the policy; `today` counts the automatic actions so far today."""
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
    """A short title for an action."""
    payload = action.op.payload
    named = payload.get("title") or payload.get("heading") or payload.get("tool") or payload.get("document")
    return str(named or action.op.target)


def _away(action: Action, past: Iterable[Deed]) -> str:
    """Why an action is suppressed: the same change from the same artifacts was done, rejected or undone before."""
    for deed in past:
        same = deed.action.fingerprint == action.fingerprint and {*action.artifacts} <= {*deed.action.artifacts}
        if deed.standing in _AWAY and same:
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
        ruling = replace(ruling, permission="ask", why=f"{', '.join(needs)} must be done first")
    return Ruled(action, ruling, needs)


def _yes(action: Action, past: Iterable[Deed]) -> Decision | None:
    """A person's yes to exactly what is shown now, if carrying it out failed."""
    for deed in past:
        said = deed.decision
        if deed.standing == "failed" and deed.action.id == action.id and said is not None:
            return said if said.shown_hash == action.op.shown_hash else None
    return None


# What may happen automatically, and how often in one run.
AUTOMATIC: Final[Mapping[str, int]] = {
    "createTask": 10,
    "logTask": 20,
    "completeTask": 10,
    "createDocument": 5,
    "enrichDocument": 10,
    "updateDocumentMeta": 10,
}
_UNSEEN: Final[frozenset[HealthStatus]] = frozenset({"partial", "unavailable"})

YOUR_CALL: Final = "your-call"
TIERS: Final[tuple[Rule, ...]] = (
    Rule(
        "unavailable-board",
        "deny",
        "the board could not be read, so nothing is known about it",
        health=frozenset({"unavailable"}),
    ),
    Rule(
        "absence-unproven",
        "deny",
        "the board was not read completely, so it may already exist",
        health=_UNSEEN,
        from_absence=True,
    ),
    Rule("irreversible", "deny", "it cannot be undone", risks=frozenset({"irreversible"})),
    Rule(
        "words-of-a-person",
        "ask",
        "it changes existing text, so a person must approve it each time",
        verbs=frozenset({"patchDocumentSection", "tickTodo"}),
    ),
    Rule("advice", "ask", "only people change instructions for agents", verbs=frozenset({"proposeSkillFix"})),
    *(
        Rule(
            f"plain-{verb}",
            "auto",
            "a tool's result shows it, everything was read, and a person can correct it",
            risks=frozenset({"reversible-external"}),
            evidence=frozenset({"mechanical"}),
            verbs=frozenset({verb}),
            certain=True,
            cap=cap,
        )
        for verb, cap in AUTOMATIC.items()
    ),
    Rule(
        YOUR_CALL,
        "ask",
        "no tool's answer shows it plainly",
        risks=frozenset({"reversible-external"}),
        verbs=frozenset({*AUTOMATIC, "reopenTask"}),
    ),
)


@dataclass(frozen=True, slots=True)
class SourcesHealth:
    """How completely the action's board and all of its sources were seen.

    `routing` names what a person has closed to writes.
    """

    board: Health
    sources: Health
    routing: Routing = USUAL


def rule_on(
    action: Action, view: SourcesHealth, restraint: Restraint, *, used: Mapping[str, int] | None = None, today: int = 0
) -> Ruling:
    """Decide whether an action is automatic, asked about or denied, and say why.

    `used` counts by rule name the actions this run has allowed, `today` the automatic ones so far today.
    """
    never = forbidden(action, view.routing)
    if never:
        return Ruling("deny", "never", never)
    points = action.confidence.points
    if action.confidence.level == "low" or points < restraint.ask.get(action.verb, LOW):
        return Ruling("deny", "unsure", f"it has {points} points of 100, too few to be proposed; it is only shown")
    certain = action.machine and action.confidence.level == "high" and view.sources.status == "complete"
    case = case_of(action.op, actor="timer", health=view.board, certain=certain)
    ruling = explain(TIERS, case, used=used)
    if ruling.rule == YOUR_CALL and view.sources.status != "complete":
        return replace(ruling, why=f"its sources were not seen completely: {view.sources.reason}")
    if ruling.rule == YOUR_CALL and points <= HIGH and action.confidence.strength > MENTIONED:
        return replace(ruling, why=_lacking(action.confidence))
    if ruling.rule == YOUR_CALL and action.machine and case.evidence != "mechanical":
        return replace(ruling, why="people wrote something around it, which is shown with it")
    named = mentions(action) if ruling.permission == "auto" else ""
    if named:
        return _lowered(ruling, "ask", f"it names {named}, whom a board may notify")
    return _stricter(action, ruling, restraint, run=sum((used or {}).values()), today=today)


def _lacking(confidence: Confidence) -> str:
    """Why a plain sign is not enough to happen automatically."""
    if confidence.recency < FRESH:
        return f"it happened more than {FRESH_DAYS} days ago, and only newer things happen unasked"
    return f"it has {confidence.points} points of 100, and happens by itself only above {HIGH}"


def _stricter(action: Action, ruling: Ruling, restraint: Restraint, *, run: int, today: int) -> Ruling:
    """The ruling, made stricter where the action's own tier, the settings or the caps require it."""
    if action.tier == 3:  # noqa: PLR2004 - the third tier
        return _lowered(ruling, "deny", "it was proposed as something that is never done")
    if ruling.permission != "auto":
        return ruling
    needed = max(restraint.auto.get(action.verb, HIGH + 1), HIGH + 1)
    if action.tier != 1:
        return _lowered(ruling, "ask", "it was proposed as something to ask about")
    if needed == OUT_OF_REACH and action.verb in BY_PEOPLE:
        return _lowered(ruling, "ask", "whether a task is done is yours to say")
    if action.confidence.points < needed:
        return _lowered(ruling, "ask", f"your settings want {needed} points for {action.verb}")
    if run >= restraint.per_run:
        return _lowered(ruling, "ask", f"{restraint.per_run} actions of one run have happened automatically")
    if today >= restraint.per_day:
        return _lowered(ruling, "ask", f"{restraint.per_day} actions today have happened automatically")
    return ruling


def _lowered(ruling: Ruling, permission: Permission, why: str) -> Ruling:
    return replace(ruling, permission=permission, why=why)
