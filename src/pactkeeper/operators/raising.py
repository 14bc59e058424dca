"""The verb that raises questions about atoms that somebody wrote, and what becomes of their answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from pactkeeper.errors import UsageError
from pactkeeper.ledger.kinds import RAISED
from pactkeeper.ledger.patch import Patch, in_order
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.operators.atoms import named_atom
from pactkeeper.operators.driving import running
from pactkeeper.operators.history import keep_patch, new_run
from pactkeeper.reconcile.raising import MOST_RAISED, proposed, raised
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.world import World
from pactkeeper.store.questions import answered_questions, open_questions, save_questions
from pactkeeper.store.runs import add_run
from pactkeeper.workspace import Workspace


def raise_questions(workspace: Workspace, kind: str, names: Sequence[str] = ()) -> tuple[Question, ...]:
    """Ask about the named atoms, or about all that rules find wanting, at most `MOST_RAISED` at a time.

    What was answered before is not asked again, and nothing is asked about an atom that another question is open about.
    Raises UsageError for a kind that runs alone raise.
    """
    if kind not in RAISED:
        raise UsageError(f"{kind!r} is raised by a run, not by hand; by hand there are {', '.join(RAISED)}")
    world = workspace.world(workspace.snapshot(), required=True)
    wanted = [named_atom(world.pact, name).id for name in names]
    with running(workspace):
        history = workspace.history()
        answered = {question.id for question, _ in answered_questions(history)}
        asked = {question.subject for question in open_questions(history) if question.kind != kind}
        new = (one for one in raised(kind, world, wanted) if one.id not in answered)
        fresh = (one for one in new if one.subject not in asked)
        found = tuple(islice(fresh, MOST_RAISED))
        if found:
            at = workspace.now().isoformat(timespec="microseconds")
            begun = new_run(workspace, Request(everything=True), at=at)
            origin = f"pk questions raise {kind}"
            add_run(history, replace(begun, status="completed", options={"origin": origin}, completed_at=at))
            save_questions(history, begun.id, found)
    return found


def propose_answer(workspace: Workspace, question: Question, answer: Answer, world: World) -> Patch | None:
    """The patch of what an answer about an atom proposes, kept for review; None where it proposes nothing."""
    ops = proposed(question, answer, world) if question.kind in RAISED else ()
    if not ops:
        return None
    patch = Patch(workspace.repository.head() or "no commit yet", in_order(ops))
    keep_patch(workspace, patch, origin=f"answer {question.id}")
    return patch
