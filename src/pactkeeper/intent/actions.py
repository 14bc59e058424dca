"""Actions that conversations suggest for boards and documents, how sure each is, what was left out, and what was done.

Also proposals as JSON: the published patch, and beside it what the patch has no place for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal, get_args

from pactkeeper.errors import PatchError
from pactkeeper.intent.board import Written, read_written, written_document
from pactkeeper.ledger.canonical import JsonValue, canonical_json, digest, from_fields
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.health import Health
from pactkeeper.ledger.op import Op, encode_op
from pactkeeper.ledger.patch import Patch, decode_patch, encode_patch, read_op

# Already there; missing; there, but what was said is outdated or done; contradicted by what is there.
Outcome = Literal["exists", "gap", "stale", "conflict"]
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
# 1 may happen automatically, 2 is proposed to a person, 3 never happens, whatever anyone says.
Tier = Literal[1, 2, 3]
ConfidenceClass = Literal["high", "medium", "low"]
HIGH: Final = 90  # points above which an action is sure
LOW: Final = 50  # points below which it is only flagged
# The weight of each input, out of 100.
WEIGHTS: Final[Mapping[str, int]] = {"strength": 40, "explicitness": 40, "recency": 10, "corroboration": 10}
# How many points an action may score above the weaker of strength and explicitness.
LIFT: Final = 10

BOARD_VERBS: Final = (
    "createTask", "logTask", "completeTask", "reopenTask", "createDocument", "enrichDocument", "updateDocumentMeta",
    "patchDocumentSection", "tickTodo", "proposeSkillFix"
)  # fmt: skip
# Starts everything that is written.
MARK: Final = "[daemon]"
# The payload key holding the text that a verb writes.
WRITES: Final[Mapping[str, str]] = {
    "createTask": "body",
    "logTask": "text",
    "createDocument": "body",
    "enrichDocument": "text",
}
_DAY: Final = 10  # characters of a time that are its date


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure an action is, from four inputs of 0 to 100 each.

    Strength: how plainly the signal shows it. Explicitness: whether a tool did it or somebody said it. Recency: how
    fresh it is. Corroboration: how many conversations show it.
    """

    strength: int
    explicitness: int
    recency: int
    corroboration: int

    @property
    def points(self) -> int:
        """The weighted sum, rounded down and capped so that fresh and repeated hearsay does not become certain."""
        total = sum(weight * int(getattr(self, name)) for name, weight in WEIGHTS.items()) // 100
        return min(total, min(self.strength, self.explicitness) + LIFT, 100)

    @property
    def level(self) -> ConfidenceClass:
        """High above 90 points, medium from 50, else low."""
        return "high" if self.points > HIGH else "medium" if self.points >= LOW else "low"


@dataclass(frozen=True, slots=True)
class Action:
    """One op for a board or document, with what a policy and a reviewer need to know about it.

    `tier` is the default tier, `artifact` the fingerprint of its latest source, `why` one sentence. `machine` means
    that a tool's own answer shows it rather than somebody's words. The places that show it are the op's evidence.
    """

    op: Op
    artifact: str
    confidence: Confidence
    tier: Tier
    why: str
    machine: bool = False

    @property
    def id(self) -> str:
        """The op's id, which is also the key by which a board recognises the change."""
        return self.op.id

    @property
    def verb(self) -> str:
        """The op's verb."""
        return self.op.verb

    @property
    def board(self) -> str:
        """The board it is for, empty if none."""
        return str(self.op.payload.get("board", ""))

    @property
    def artifacts(self) -> tuple[str, ...]:
        """The fingerprints of all its sources; a decision on it is about what these show, and nothing later."""
        found: Any = self.op.payload.get("artifacts", (self.artifact,))
        return tuple(found)

    @property
    def fingerprint(self) -> str:
        """The verb and its target, the same however the action is worded and whatever shows it."""
        return action_fingerprint(self.op.verb, self.op.target)


def action_fingerprint(verb: str, target: str) -> str:
    """The fingerprint of an action by its verb and target."""
    return "fp-" + digest(["action", verb, target])[3:19]


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """One side of a conflict: its place, its own words, and its date (empty if unknown)."""

    place: str
    quote: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sides that cannot both hold; it is shown to a person and never resolved."""

    artifact: str
    subject: str
    said: ConflictSide
    stands: ConflictSide
    why: str

    @property
    def recommendation(self) -> str:
        """What a person should do, depending on which side is newer; nothing is changed automatically."""
        if not (self.said.at and self.stands.at):
            return f"ask which one holds; {self.stands.place} was not changed"
        if self.said.at[:_DAY] > self.stands.at[:_DAY]:
            return f"the conversation is newer; if it holds, change {self.stands.place}, which was not changed"
        if self.said.at[:_DAY] < self.stands.at[:_DAY]:
            return f"{self.stands.place} is newer; nothing to do unless what was said still holds"
        return f"both are of {self.said.at[:_DAY]}; ask which one holds; {self.stands.place} was not changed"

    @property
    def fingerprint(self) -> str:
        """Stable as long as both sides say the same."""
        return "fp-" + digest(["conflict", self.artifact, self.said.quote, self.stands.quote])[3:19]


@dataclass(frozen=True, slots=True)
class Suppressed:
    """What was not proposed, and why; `verb` is empty where it never came to an op."""

    artifact: str
    title: str
    reason: str
    verb: str = ""


@dataclass(frozen=True, slots=True)
class JudgedArtifact:
    """The outcome of one artifact, or of one step of it; `by` names what already exists."""

    artifact: str
    title: str
    outcome: Outcome
    reason: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class ActionProposal:
    """The result of reconciling conversations once, at `at` (ISO 8601).

    `patch` holds the ops of all actions and the questions; `actions` has one entry per op, in the patch's order.
    `sources` says how completely each source was seen.
    """

    at: str
    patch: Patch
    actions: tuple[Action, ...] = ()
    judged: tuple[JudgedArtifact, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    suppressed: tuple[Suppressed, ...] = ()

    @property
    def id(self) -> str:
        """The patch's id."""
        return self.patch.id

    @property
    def sources(self) -> Mapping[str, Health]:
        """How completely each source was seen."""
        return self.patch.sources

    def action(self, named: str) -> Action | None:
        """Return the action with that id, or None."""
        return next((one for one in self.actions if one.id == named), None)


SCHEMA = "pactkeeper.actions/1"


def proposal_document(proposal: ActionProposal) -> dict[str, JsonValue]:
    """The published form of a proposal."""
    patch: JsonValue = json.loads(encode_patch(proposal.patch))
    return {
        "schema": SCHEMA,
        "id": proposal.id,
        "at": proposal.at,
        "patch": patch,
        "actions": [action_document(one) for one in proposal.actions],
        "judged": [asdict(one) for one in proposal.judged],
        "conflicts": [{**asdict(one), "fingerprint": one.fingerprint} for one in proposal.conflicts],
        "suppressed": [asdict(one) for one in proposal.suppressed],
    }


def action_document(action: Action) -> dict[str, JsonValue]:
    """Return what a proposal says about an op besides the op itself."""
    sure = action.confidence
    return {
        "op": action.id,
        "fingerprint": action.fingerprint,
        "artifact": action.artifact,
        "tier": action.tier,
        "why": action.why,
        "machine": action.machine,
        "confidence": {"level": sure.level, "points": sure.points, **asdict(sure)},
    }


def encode_proposal(proposal: ActionProposal) -> str:
    """Serialize a proposal; reading the text back returns an equal one."""
    return canonical_json(proposal_document(proposal)).decode()


def decode_proposal(text: str) -> ActionProposal:
    """Parse what `encode_proposal` wrote; raises PatchError if the patch inside was tampered with."""
    found: Mapping[str, Any] = json.loads(text)
    if found.get("schema") != SCHEMA:
        raise PatchError(f"{found.get('schema')!r} is no proposal of actions; reconcile again for another")
    patch = decode_patch(json.dumps(found["patch"]))
    ops = {op.id: op for op in patch.ops}
    return ActionProposal(
        found["at"],
        patch,
        tuple(_action(ops[one["op"]], one) for one in found["actions"]),
        tuple(JudgedArtifact(**one) for one in found["judged"]),
        tuple(_conflict(one) for one in found["conflicts"]),
        tuple(Suppressed(**one) for one in found["suppressed"]),
    )


def _action(op: Op, found: Mapping[str, Any]) -> Action:
    sure = from_fields(Confidence, found["confidence"])
    return Action(op, found["artifact"], sure, found["tier"], found["why"], found["machine"])


def _conflict(found: Mapping[str, Any]) -> Conflict:
    said, stands = ConflictSide(**found["said"]), ConflictSide(**found["stands"])
    return Conflict(found["artifact"], found["subject"], said, stands, found["why"])


# About to be written; written and read back; not written, with the reason; rejected by a person; about to be undone;
# undone.
Standing = Literal["begun", "done", "failed", "rejected", "undoing", "undone"]
# Allowed transitions; None is an action with no record yet.
AFTER: Final[Mapping[Standing | None, frozenset[Standing]]] = {
    None: frozenset({"begun", "rejected"}),
    "begun": frozenset({"begun", "done", "failed"}),
    "done": frozenset({"undoing"}),
    "failed": frozenset({"begun", "rejected"}),
    "rejected": frozenset({"begun"}),
    "undoing": frozenset({"undoing", "undone", "done"}),
    "undone": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Deed:
    """An action with its outcome at `at` (ISO 8601), and the reason if one is needed.

    `decision` is what a person decided, None if it happened automatically. `written` is what was read back, with the
    value before; None as long as nothing is known to be written. `undone_by` is who took it back.
    """

    action: Action
    standing: Standing
    at: str
    decision: Decision | None = None
    written: Written | None = None
    reason: str = ""
    undone_by: str = ""

    @property
    def automatic(self) -> bool:
        """Whether it happened without asking anyone."""
        return self.decision is None

    @property
    def by(self) -> str:
        """Who took it back, else who decided it; empty if it happened automatically."""
        return self.undone_by or ("" if self.decision is None else self.decision.by)

    def now(self, standing: Standing, *, at: str, reason: str = "", written: Written | None = None) -> Deed:
        """The same deed after its next step."""
        return replace(self, standing=standing, at=at, reason=reason, written=written or self.written)


def deed_document(deed: Deed) -> dict[str, JsonValue]:
    """The published form of a deed, which `read_deed` reads back."""
    document: dict[str, Any] = {
        "op": encode_op(deed.action.op),
        "action": action_document(deed.action),
        "standing": deed.standing,
        "at": deed.at,
        "decision": None if deed.decision is None else asdict(deed.decision),
        "written": written_document(deed.written),
        "reason": deed.reason,
        "undone_by": deed.undone_by,
    }
    return document


def read_deed(document: Mapping[str, Any]) -> Deed:
    """Parse what `deed_document` wrote; raises PatchError or ValueError if the op inside was tampered with."""
    action = _action(read_op(document["op"]), document["action"])
    said = document["decision"]
    decision = None if said is None else Decision(**said)
    written = read_written(document["written"])
    told = (document["reason"], document.get("undone_by", ""))
    return Deed(action, document["standing"], document["at"], decision, written, *told)
