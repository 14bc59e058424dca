"""The verbs by which an agent proposes decisions, and a person confirms exactly what was proposed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pactkeeper.catalog.journal import entries
from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.ledger.canonical import JsonValue, digest
from pactkeeper.ledger.decision import Decision, Review, Verdict, bind
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.policy import Ruling, case_of, explain
from pactkeeper.operators.apply import apply_patch
from pactkeeper.operators.history import find_patch, keep_patch, review_of
from pactkeeper.reconcile.applying import Applied, health_of, policy_of
from pactkeeper.reconcile.journal import applied_ops, ops_of
from pactkeeper.store.decisions import proposal_of, save_proposal
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class AgentVerdict:
    """What an agent says of one op it was shown; without a verdict it takes back what it said before."""

    op: str
    shown_hash: str
    verdict: Verdict | None
    reason: str = ""
    edited: Mapping[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class ProposedApply:
    """What would be applied of a patch if a person confirmed it.

    `decided` are a person's own decisions, `proposed` an agent's on the ops that are left. `again` are decisions whose
    ops were applied and taken back, so that the person's word is used up. `rulings` say of each accepted op what the
    policy lets an agent do; a rejection always needs a person.
    """

    patch: Patch
    decided: tuple[Decision, ...]
    proposed: tuple[Decision, ...]
    again: tuple[Decision, ...]
    rulings: Mapping[str, Ruling]

    @property
    def name(self) -> str:
        """`pr-` and 12 hex digits over the patch and everything that is proposed for it; who proposed plays no part."""
        said = [[one.op, one.shown_hash, one.verdict, one.reason, one.edited] for one in self.wanted]
        return "pr-" + digest([self.patch.hash, said])[3:15]

    @property
    def asked(self) -> tuple[Decision, ...]:
        """What a person has to confirm before it counts."""
        return tuple(one for one in self.wanted if not self.allowed(one))

    @property
    def wanted(self) -> tuple[Decision, ...]:
        """Everything that is not decided, or not any more."""
        return (*self.again, *self.proposed)

    @property
    def denied(self) -> tuple[tuple[Op, Ruling], ...]:
        """The accepted ops that no agent may bring about, with the rule that says so."""
        ops = {op.id: op for op in self.patch.ops}
        return tuple((ops[name], one) for name, one in self.rulings.items() if one.permission == "deny")

    def allowed(self, one: Decision) -> bool:
        """Whether the policy lets an agent do this without a person."""
        return one.op in self.rulings and self.rulings[one.op].permission == "auto"


def decide_ops(workspace: Workspace, patch: str, said: Sequence[AgentVerdict]) -> ProposedApply:
    """Keep what an agent proposes to decide, all of it or nothing; it decides nothing.

    Raises RefusedError where it does not hold for what the patch shows, UsageError for an edit without a payload.
    """
    return decide_patch(workspace, find_patch(workspace, patch), said)


def decide_patch(workspace: Workspace, found: Patch, said: Sequence[AgentVerdict]) -> ProposedApply:
    """The same for a patch that is at hand and that the history may not know yet."""
    _refuse_half_edits(said)
    by, at = workspace.person(), workspace.now().isoformat(timespec="seconds")
    made = tuple(
        Decision(one.op, one.shown_hash, one.verdict or "reject", by, at, "agent", reason=one.reason, edited=one.edited)
        for one in said
    )
    bind(found, made)
    keep_patch(workspace, found, origin="agent")
    taken_back = {one.op for one in said if one.verdict is None}
    known = {one.op: one for one in (*_kept(workspace, found), *made) if one.op not in taken_back}
    review = Review(found.hash, tuple(known[op.id] for op in found.ops if op.id in known))
    save_proposal(workspace.history(), found.id, review)
    return propose(workspace, found)


def _refuse_half_edits(said: Iterable[AgentVerdict]) -> None:
    wrong = [one.op for one in said if (one.verdict == "edit") != (one.edited is not None)]
    if wrong:
        raise UsageError(f"{', '.join(wrong)}: an edit, and only an edit, comes with the whole new payload as edited")


def load_proposal(workspace: Workspace, patch: str | None) -> ProposedApply:
    """What is proposed and decided about a patch; without a name, about the newest that waits."""
    return propose(workspace, find_patch(workspace, patch, to_apply=True))


def propose(workspace: Workspace, patch: Patch, review: Review | None = None) -> ProposedApply:
    """Join a patch with what is decided, read here unless it is at hand, and proposed about it."""
    decided = (review or review_of(workspace, patch)).decisions
    settled, undone = {one.op for one in decided}, _taken_back(workspace)
    proposed = tuple(one for one in _kept(workspace, patch) if one.op not in settled)
    again = tuple(one for one in decided if one.op in undone)
    held = tuple(one for one in decided if one.op not in undone)
    return ProposedApply(patch, held, proposed, again, dict(_rulings(workspace, patch, proposed)))


def _taken_back(workspace: Workspace) -> frozenset[str]:
    """The ids of ops that were applied, undone, and not applied since."""
    undone = (entry for entry in entries(workspace.state) if entry.undone_by is not None)
    return frozenset(name for entry in undone for name in ops_of(entry)) - applied_ops(workspace.state)


def confirm_proposal(
    workspace: Workspace,
    proposal: ProposedApply,
    *,
    confirmed: str = "",
    skip_stale: bool = False,
    dry_run: bool = False,
) -> Applied:
    """Apply a person's decisions and, where `confirmed` names exactly this proposal, what it asks for, all or none.

    Without a word of a person only what the policy lets an agent do is taken of a proposal. Raises RefusedError where
    the policy denies an op to the agent that acts, or another proposal was confirmed than the one that stands.
    """
    if confirmed not in {"", proposal.name}:
        raise RefusedError(
            f"{confirmed!r} was confirmed, and {proposal.name!r} is what is proposed for {proposal.patch.id} now; look "
            f"at it first: pk apply {proposal.patch.id} --confirm {proposal.name} --dry-run"
        )
    if workspace.acting:
        _refuse_denied(proposal)
    decisions = (*proposal.decided, *_effective(workspace, proposal, confirmed=bool(confirmed)))
    if not decisions:
        raise UsageError(f"nothing is accepted of {proposal.patch.id}; decide its ops first")
    return apply_patch(workspace, proposal.patch, decisions, skip_stale=skip_stale, dry_run=dry_run)


def _kept(workspace: Workspace, patch: Patch) -> tuple[Decision, ...]:
    found = proposal_of(workspace.history(), patch.id) if workspace.has_history else None
    return () if found is None else found.decisions


def _rulings(workspace: Workspace, patch: Patch, proposed: Iterable[Decision]) -> Iterator[tuple[str, Ruling]]:
    """What the policy says of each accepted op when an agent acts, caps included."""
    wanted = {one.op: one for one in proposed if one.verdict != "reject"}
    if not wanted:
        return
    world = workspace.world(workspace.snapshot())
    rules, used = policy_of(world.pact), Counter[str]()
    for op in patch.ops:
        if op.id in wanted:
            ruling = explain(rules, case_of(op, actor="agent", health=health_of(op, world)), used=used)
            used[ruling.rule or ""] += 1
            yield op.id, ruling


def _refuse_denied(proposal: ProposedApply) -> None:
    lines = [f"  {op.id} {op.verb} of {op.target}: {ruling.why}" for op, ruling in proposal.denied]
    if lines:
        told = f"leave them to a person: pk review {proposal.patch.id}"
        raise RefusedError("\n".join((f"the policy lets no agent do this; {told}", *lines)))


def _effective(workspace: Workspace, proposal: ProposedApply, *, confirmed: bool) -> Iterator[Decision]:
    """The proposed decisions that count: those that nobody has to be asked about, and those a person confirmed."""
    by, at = workspace.person(), workspace.now().isoformat(timespec="seconds")
    for one in proposal.wanted:
        if proposal.allowed(one):
            yield one
        elif confirmed:
            reason = one.reason or (f"proposed by {one.by}" if one.actor == "agent" else "")
            yield replace(one, actor="person", by=by, at=at, reason=reason)
