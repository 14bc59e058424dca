"""Tools for patches: make one, read it, propose decisions, apply it and undo that."""

from __future__ import annotations

from typing import Any, Final

from pactkeeper.advice import CONFIRM, UNDO, Advice, joined
from pactkeeper.ledger.decision import Decision, Verdict
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import FINDING, Patch, encode_finding
from pactkeeper.ledger.policy import Ruling
from pactkeeper.ledger.shape import Items, Slice, Whole, cursor_of, numbers_of
from pactkeeper.operators import apply, decide, proposals, reconcile
from pactkeeper.operators.apply import next_undo, undo_apply, without_test
from pactkeeper.operators.decide import Pending, load_pending
from pactkeeper.operators.proposals import AgentVerdict, ProposedApply, confirm_proposal, decide_patch, load_proposal
from pactkeeper.operators.reconcile import Reconciled
from pactkeeper.operators.runs import cancel_own_run
from pactkeeper.published.ops import APPLIED, MADE, OP, describe
from pactkeeper.published.plain import Codec
from pactkeeper.published.schema import Wire
from pactkeeper.reconcile.request import Request
from pactkeeper.verbs.verb import (
    DECISION,
    FLAG,
    PATCH,
    PATHS,
    REF,
    WRITTEN,
    Call,
    Document,
    Verb,
    YesWanted,
    may,
    needs,
)

_PATCH: Final = Codec(
    Pending,
    "patch=patch.id base=patch.base questions=patch.questions version ended findings=patch.findings",
    questions=len,
    findings=Wire(encode_finding, FINDING),
)
MOST_SHOWN = 50  # ops shown to a person in one dialogue; nobody can agree to what was not shown


def reconcile_repo(asked: Call) -> Reconciled:
    """Make a patch."""
    everything = asked.flag("everything") or asked.paths() == () != asked.texts("paths")
    request = Request(
        asked.paths(),
        everything,
        since=asked.maybe("since"),
        max_tests=asked.given.get("max_tests"),
        molecules=asked.flag("molecules"),
    )
    return reconcile.reconcile_repo(asked.workspace, request)


def get_patch(asked: Call) -> tuple[Pending, Slice]:
    """Show a patch: its ops with the hashes to decide on, decisions and proposals, findings and questions."""
    pending = load_pending(asked.workspace, asked.maybe("patch"))
    proposal = proposals.propose(asked.workspace, pending.patch, pending.review)
    decided = {one.op: one.verdict for one in proposal.decided}
    proposed = {one.op: one.verdict for one in proposal.wanted}
    ops = [op for item in pending.items for op in item.ops]
    (start,), limit = numbers_of(asked.text("cursor"), 1), asked.page()[1]
    shown = [(op, decided.get(op.id), proposed.get(op.id)) for op in ops[start : start + limit]]
    cursors = [cursor_of(start + count) for count in range(1, len(shown) + 1)]
    return pending, Slice(shown, cursors, len(ops), start + limit < len(ops))


def decide_ops(asked: Call) -> ProposedApply:
    """Propose decisions."""
    said = [_said(one) for one in asked.given["decisions"]]
    return proposals.decide_ops(asked.workspace, asked.text("patch"), said)


def _said(given: dict[str, Any]) -> AgentVerdict:
    verdict = given["verdict"]
    return AgentVerdict(
        given["op"],
        given["shown_hash"],
        None if verdict == "withdraw" else verdict,
        given.get("reason", ""),
        given.get("edited"),
    )


def apply_patch(asked: Call) -> Document | YesWanted:
    """Apply the decided and proposed ops."""
    proposal = load_proposal(asked.workspace, asked.maybe("patch"))
    return applied_or_asked(asked, proposal, {})


def applied_or_asked(asked: Call, proposal: ProposedApply, facts: Document) -> Document | YesWanted:
    """Write a proposal if no person is needed or one agreed to exactly this; otherwise return what to ask."""
    dry, skip = asked.flag("dry_run"), asked.flag("skip_stale")
    if dry or not proposal.asked or asked.granted == proposal.name:
        confirmed = proposal.name if proposal.asked else ""
        applied = confirm_proposal(asked.workspace, proposal, confirmed=confirmed, skip_stale=skip, dry_run=dry)
        diff = {"diff": "\n".join(applied.diff())} if dry else {}
        return {**facts, **APPLIED(applied), "status": "dry run" if dry else "applied", **diff}
    confirm_proposal(asked.workspace, proposal, confirmed=proposal.name, skip_stale=skip, dry_run=True)
    facts = {**facts, **_STANDING(proposal)}
    if len(proposal.asked) > MOST_SHOWN:
        many = (
            f"{len(proposal.asked)} ops wait, and a person is shown {MOST_SHOWN} at a time; withdraw some to be asked"
        )
        return YesWanted(proposal.name, "", confirm_command(proposal), {**facts, "why": many})
    return YesWanted(proposal.name, _message(proposal, asked.workspace.person()), confirm_command(proposal), facts)


def propose_patch(asked: Call, patch: Patch, facts: Document) -> Document | YesWanted:
    """Propose every op of a dry run's patch; they are written like those of any patch."""
    said = [AgentVerdict(op.id, op.shown_hash, "accept") for op in patch.ops]
    return applied_or_asked(asked, decide_patch(asked.workspace, patch, said), facts)


def confirm_command(proposal: ProposedApply) -> Advice:
    """Return the command with which a person confirms exactly this proposal."""
    return CONFIRM(proposal.patch.id, "--confirm", proposal.name)


_DENIED: Final = Codec(tuple[Op, Ruling], "op why", op="id", why="why")


def _open(proposal: ProposedApply) -> int:
    decided = {one.op for one in (*proposal.decided, *proposal.wanted)}
    return sum(op.id not in decided for op in proposal.patch.ops)


_STANDING: Final = Codec(
    ProposedApply, "patch=patch.id proposal=name proposed=wanted denied open=", proposed=len, denied=_DENIED, open=_open
)
_ANSWERED: Final = Codec(ProposedApply, "*standing= confirm=", standing=_STANDING, confirm=confirm_command)


def _message(proposal: ProposedApply, by: str) -> Advice:
    """Build the text shown to a person: every op that needs their consent, worded as in a review."""
    ops = {op.id: op for op in proposal.patch.ops}
    shown = [line for one in proposal.asked for line in _lines(ops[one.op], one)]
    lines = [line for position, line in enumerate(shown) if line.startswith(" ") or line not in shown[:position]]
    head = f"{by} asks to write this into the pact ({len(proposal.asked)} ops):"
    taken = [ops[one.op] for one in (*proposal.decided, *proposal.wanted) if one.verdict != "reject"]
    return joined("\n", (head, *lines, *without_test(proposal.patch, taken), "to revert it: " + UNDO()))


def _lines(op: Op, said: Decision) -> list[str]:
    shown = op if said.edited is None else Op(op.verb, op.target, op.precondition, said.edited, group=op.group)
    word = "NOT " if said.verdict == "reject" else ""
    return [f"{word}{op.group or op.target}", *(f"  {line}" for line in describe(shown))]


def undo(asked: Call) -> Document | YesWanted:
    """Undo the latest write."""
    entry = next_undo(asked.workspace, entry_id=asked.given.get("entry"))
    key = f"undo-{entry.id}-{entry.at}"
    facts = {"entry": entry.id, "files": list(entry.paths)}
    if asked.granted != key:
        message = f"Take the write of {entry.at} back? Files:\n" + "\n".join(f"  {path}" for path in entry.paths)
        return YesWanted(key, message, UNDO(str(entry.id)), facts)
    undone = undo_apply(asked.workspace, entry_id=entry.id)
    return {**facts, "status": "undone" if undone.entry is not None else "unchanged"}


ROWS: Final = (
    Verb(
        reconcile.reconcile_repo,
        "record",
        "Make a patch from changes, paths or everything; writes no file.",
        title="Reconcile",
        categories=("reconcile",),
        routes=("POST /agents/reconciliation/start",),
        takes=may(paths=PATHS, everything=FLAG, since=REF, max_tests=Whole(1, 1_000_000), molecules=FLAG),
        means={"max_tests": "stop after", "molecules": "propose groups too"},
        gives=MADE,
        answer=reconcile_repo,
        cancel=lambda workspace: bool(cancel_own_run(workspace)),
    ),
    Verb(
        decide.load_pending,
        None,
        "Ops, shown_hash of a patch (default: waiting, or newest).",
        called="get_patch",
        title="Patch",
        categories=("reconcile",),
        routes=(
            "GET /agents/reconciliation/review",
            "GET /agents/reconciliation/patches/{patch}",
            "GET /agents/reconciliation/runs/{patch}/patch",
        ),
        takes=may(patch=PATCH),
        gives=(_PATCH, {"ops": [(OP, {"decided?": Verdict}, {"proposed?": Verdict})]}),
        answer=get_patch,
        pages="ops",
        sliced=True,
    ),
    Verb(
        apply.apply_patch,
        "annotate",
        "Write what is decided and proposed, all or none; a person confirms.",
        title="Apply",
        categories=("reconcile",),
        routes=(
            "POST /agents/reconciliation/apply",
            "POST /agents/reconciliation/patches/{patch}/apply",
            "POST /agents/reconciliation/runs/{patch}/apply",
        ),
        takes=may(patch=PATCH, skip_stale=FLAG, dry_run=FLAG),
        means={"skip_stale": "skip what changed since"},
        gives=WRITTEN,
        answer=apply_patch,
        idempotent=True,
    ),
    Verb(
        apply.undo_apply,
        "annotate",
        "Undo the latest write, or that of an entry; asks a person.",
        called="undo",
        title="Undo",
        categories=("reconcile",),
        routes=("POST /agents/reconciliation/undo",),
        takes=may(entry=Whole(1, 1_000_000)),
        means={"entry": "of the journal"},
        gives={"status": str, "entry": int, "files": [str]},
        answer=undo,
        destructive=True,
    ),
    Verb(
        proposals.decide_ops,
        "record",
        "Propose to accept, reject or edit ops as shown; a person confirms.",
        title="Propose decisions",
        categories=("reconcile",),
        routes=("POST /agents/reconciliation/patches/{patch}/proposals",),
        takes=needs(patch=PATCH, decisions=Items(DECISION, 1, 200)),
        means={"decisions": "one per op"},
        gives=_ANSWERED,
        answer=decide_ops,
        idempotent=True,
    ),
)
