"""Verbs by which an agent proposes decisions, and a person confirms exactly what was proposed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pactkeeper.advice import CONFIRM, REVIEW, joined
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
from pactkeeper.store.decisions import newest_proposed, proposal_of, save_proposal
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class AgentVerdict:
    """An agent's verdict on one op it was shown; None withdraws its earlier verdict."""

    op: str
    shown_hash: str
    verdict: Verdict | None
    reason: str = ""
    edited: Mapping[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class ProposedApply:
    """What would be applied of a patch if a person confirmed it.

    `decided` are the person's own decisions, `proposed` an agent's on the remaining ops. `again` are decisions whose
    ops were applied and undone, so that the person has to confirm them anew. `rulings` say what the policy lets an
    agent do with each accepted op; a rejection always needs a person.
    """

    patch: Patch
    decided: tuple[Decision, ...]
    proposed: tuple[Decision, ...]
    again: tuple[Decision, ...]
    rulings: Mapping[str, Ruling]

    @property
    def name(self) -> str:
        """`pr-` and 12 hex digits over the patch and all proposed decisions, whoever proposed them."""
        said = [[one.op, one.shown_hash, one.verdict, one.reason, one.edited] for one in self.wanted]
        return "pr-" + digest([self.patch.hash, said])[3:15]

    @property
    def asked(self) -> tuple[Decision, ...]:
        """The decisions that a person has to confirm first."""
        return tuple(one for one in self.wanted if not self.allowed(one))

    @property
    def wanted(self) -> tuple[Decision, ...]:
        """Everything undecided, or no longer decided."""
        return (*self.again, *self.proposed)

    @property
    def denied(self) -> tuple[tuple[Op, Ruling], ...]:
        """The accepted ops that no agent may carry out, with the rule that says so."""
        ops = {op.id: op for op in self.patch.ops}
        return tuple((ops[name], one) for name, one in self.rulings.items() if one.permission == "deny")

    def allowed(self, one: Decision) -> bool:
        """Whether the policy lets an agent do this without a person."""
        return one.op in self.rulings and self.rulings[one.op].permission == "auto"


def decide_ops(workspace: Workspace, patch: str, said: Sequence[AgentVerdict]) -> ProposedApply:
    """Store an agent's proposed decisions, all or none; nothing is decided by that.

    Raises RefusedError if one does not match what the patch shows, and UsageError for an edit without a payload.
    """
    return decide_patch(workspace, find_patch(workspace, patch), said)


def decide_patch(workspace: Workspace, found: Patch, said: Sequence[AgentVerdict]) -> ProposedApply:
    """Do the same for a given patch, which the history may not know yet."""
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
        raise UsageError(f"{', '.join(wrong)}: an edit, and only an edit, needs the complete new payload in `edited`")


def load_proposal(workspace: Workspace, patch: str | None) -> ProposedApply:
    """Return what is proposed and decided about a patch, by default the newest that waits."""
    return propose(workspace, find_patch(workspace, patch, to_apply=True))


def waiting_proposal(workspace: Workspace) -> ProposedApply | None:
    """Return the newest proposal if a person has to confirm it and its ops still hold."""
    name = newest_proposed(workspace.history()) if workspace.has_history else None
    if name is None:
        return None
    found = load_proposal(workspace, name)
    wanted = {one.op for one in found.proposed if one.verdict != "reject" and not found.allowed(one)}
    world = workspace.world(workspace.snapshot())
    return found if wanted and all(world.holds(op) for op in found.patch.ops if op.id in wanted) else None


def propose(workspace: Workspace, patch: Patch, review: Review | None = None) -> ProposedApply:
    """Join a patch with its decisions, read here unless given, and proposals."""
    decided = (review or review_of(workspace, patch)).decisions
    settled, undone = {one.op for one in decided}, _taken_back(workspace)
    proposed = tuple(one for one in _kept(workspace, patch) if one.op not in settled)
    again = tuple(one for one in decided if one.op in undone)
    held = tuple(one for one in decided if one.op not in undone)
    return ProposedApply(patch, held, proposed, again, dict(_rulings(workspace, patch, proposed)))


def _taken_back(workspace: Workspace) -> frozenset[str]:
    """Return the ids of ops that were applied, undone, and not applied since."""
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
    """Apply a person's decisions and, if `confirmed` names exactly this proposal, the proposed ones, all or none.

    Without a confirmation only what the policy lets an agent do is taken from the proposal. Raises RefusedError if the
    policy denies an op to the acting agent, or if another proposal than the current one was confirmed.
    """
    if confirmed not in {"", proposal.name}:
        raise RefusedError(
            f"{confirmed!r} was confirmed, and {proposal.name!r} is the current proposal for {proposal.patch.id}; "
            "look at it first: " + CONFIRM(proposal.patch.id, "--confirm", proposal.name, "--dry-run")
        )
    if workspace.acting:
        _refuse_denied(proposal)
    decisions = (*proposal.decided, *_effective(workspace, proposal, confirmed=bool(confirmed)))
    if not decisions:
        raise UsageError(f"nothing is accepted in {proposal.patch.id}; decide its ops first")
    return apply_patch(workspace, proposal.patch, decisions, skip_stale=skip_stale, dry_run=dry_run)


def _kept(workspace: Workspace, patch: Patch) -> tuple[Decision, ...]:
    found = proposal_of(workspace.history(), patch.id) if workspace.has_history else None
    return () if found is None else found.decisions


def _rulings(workspace: Workspace, patch: Patch, proposed: Iterable[Decision]) -> Iterator[tuple[str, Ruling]]:
    """Yield the policy's ruling on each accepted op for an agent, caps included."""
    wanted = {one.op: one for one in proposed if one.verdict != "reject"}
    if not wanted:
        return
    world = workspace.world(workspace.snapshot())
    rules, used = policy_of(workspace, world.pact), Counter[str]()
    for op in patch.ops:
        if op.id in wanted:
            ruling = explain(rules, case_of(op, actor="agent", health=health_of(op, world)), used=used)
            used[ruling.rule or ""] += 1
            yield op.id, ruling


def _refuse_denied(proposal: ProposedApply) -> None:
    lines = [f"  {op.id} {op.verb} of {op.target}: {ruling.why}" for op, ruling in proposal.denied]
    if lines:
        told = "leave them to a person: " + REVIEW(proposal.patch.id)
        raise RefusedError(joined("\n", ("the policy doesn't let agents do this; " + told, *lines)))


def _effective(workspace: Workspace, proposal: ProposedApply, *, confirmed: bool) -> Iterator[Decision]:
    """Yield the proposed decisions that count: those that need no person, and those a person confirmed."""
    by, at = workspace.person(), workspace.now().isoformat(timespec="seconds")
    for one in proposal.wanted:
        if proposal.allowed(one):
            yield one
        elif confirmed:
            reason = one.reason or (f"proposed by {one.by}" if one.actor == "agent" else "")
            yield replace(one, actor="person", by=by, at=at, reason=reason)
