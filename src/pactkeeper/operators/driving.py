"""How a verb takes a run through its graph: alone on the repository, by this process, telling how far it is.

The verb that raises questions about atoms that somebody wrote, and what becomes of their answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

from pactkeeper.errors import UsageError
from pactkeeper.ledger.canonical import Run
from pactkeeper.ledger.kinds import RAISED
from pactkeeper.ledger.patch import Patch, in_order
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.operators.asking import Asking
from pactkeeper.operators.atoms import named_atom
from pactkeeper.operators.history import keep_patch, new_run
from pactkeeper.reconcile.raising import MOST_RAISED, proposed, raised
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.running import Drive
from pactkeeper.reconcile.steps import Steps
from pactkeeper.reconcile.world import World
from pactkeeper.store.lease import Held, Waiting, lease
from pactkeeper.store.questions import answered_questions, open_questions, save_questions
from pactkeeper.store.runs import add_run
from pactkeeper.workspace import Workspace


@contextmanager
def running(workspace: Workspace) -> Iterator[Held]:
    """Run alone on the repository while inside; another process is waited for, and named."""
    history = workspace.history()
    waiting = Waiting(None, workspace.notice)
    with lease(history.database, history.repository, folder=workspace.state, waiting=waiting) as held:
        yield held


def steps_of(workspace: Workspace, held: Held, run: Run, *, asking: Asking | None = None) -> Steps:
    """The steps of a run in this process, which has the lease; without `asking` it puts questions to nobody."""
    steps = Steps(workspace, workspace.history(), run, Request.of(run.options), ensure_alone=held.ensure)
    if asking is not None and asking.budget is not None:
        steps.asker, steps.budget = asking.asker, asking.budget
    return steps


def drive_of(workspace: Workspace) -> Drive:
    """How a run is driven here, with progress told as the workspace tells it."""
    show = workspace.progress
    hear = None if show is None else lambda progress: show(progress.done, progress.total)
    said = workspace.surroundings
    return Drive(workspace.checkpoints, hear, None if said.log is None else Path(said.log), said.spans)


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
            with history.database.begin():  # no run that ended stands without its questions
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
