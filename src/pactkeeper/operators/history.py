"""What the verbs ask of the history: which run, which patch, which decisions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pactkeeper.errors import PatchError
from pactkeeper.intent.ids import hashed_id
from pactkeeper.ledger.decision import Review
from pactkeeper.ledger.patch import Patch
from pactkeeper.ledger.patch_text import decode_patch
from pactkeeper.ledger.run import Run
from pactkeeper.reconcile.request import Request
from pactkeeper.reconcile.running import Drive
from pactkeeper.store.decisions import decisions_of
from pactkeeper.store.history import History
from pactkeeper.store.lease import Waiting, lease
from pactkeeper.store.patches import load_patch, run_of_patch, save_patch
from pactkeeper.store.runs import add_run, find_run, list_runs
from pactkeeper.workspace import Workspace


@contextmanager
def running(workspace: Workspace) -> Iterator[History]:
    """Run alone on the repository while inside; another process is waited for, and named."""
    history = workspace.history()
    waiting = Waiting(None, workspace.notice)
    with lease(history.database, history.repository, folder=workspace.state, waiting=waiting):
        yield history


def drive_of(workspace: Workspace) -> Drive:
    """How a run is driven here, with progress told as the workspace tells it."""
    show = workspace.progress
    hear = None if show is None else lambda progress: show(progress.done, progress.total)
    return Drive(workspace.checkpoints, hear)


def find_patch(workspace: Workspace, name: str | None) -> Patch:
    """The patch of a run, by patch id or in a file; without a name, that of the newest run that waits for a word."""
    if name is None:
        return _newest(workspace)
    if workspace.has_history:
        history = workspace.history()
        run = find_run(history, name)
        found = load_patch(history, run.patch if run is not None and run.patch is not None else name)
        if found is not None:
            return found
    return decode_patch(_text(Path(name)))


def _newest(workspace: Workspace) -> Patch:
    for run in past_runs(workspace):
        found = load_patch(workspace.history(), run.patch) if run.patch is not None else None
        if found is not None and (found.ops or found.questions):
            return found
    raise PatchError("there is no patch yet; make one with: pk reconcile")


def past_runs(workspace: Workspace) -> tuple[Run, ...]:
    """Runs that wait for a person, newest first, then all others; none where there is no history."""
    found = list_runs(workspace.history()) if workspace.has_history else ()
    return tuple(sorted(found, key=lambda run: run.status != "paused"))


def _text(place: Path) -> str:
    try:
        return place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PatchError(
            f"{str(place)!r} is no run, no patch that is known here, and cannot be read: {error}"
        ) from error


def review_of(workspace: Workspace, patch: Patch) -> Review:
    """The decisions taken so far on a patch; none where nobody has decided yet."""
    if not workspace.has_history:
        return Review(patch.hash)
    history = workspace.history()
    known = run_of_patch(history, patch.id) is not None
    return Review(patch.hash, decisions_of(history, patch.id) if known else ())


def keep_patch(workspace: Workspace, patch: Patch) -> Run:
    """The run of a patch; one that came in a file becomes a run of its own, so that its history is kept as well."""
    history = workspace.history()
    name = run_of_patch(history, patch.id)
    known = None if name is None else find_run(history, name)
    if known is not None:
        return known
    at = workspace.now().isoformat(timespec="milliseconds")
    run = replace(
        new_run(workspace, Request(everything=True), at=at), status="completed", patch=patch.id, completed_at=at
    )
    add_run(history, replace(run, summary=dict(patch.summary)))
    save_patch(history, run.id, patch)
    return run


def new_run(workspace: Workspace, request: Request, *, at: str) -> Run:
    """A run that begins now; its id is made of the time and the place."""
    root = str(workspace.repository.root)
    return Run(
        hashed_id("REC", workspace.identity, root, at),
        workspace.identity,
        root,
        "full-scan" if request.full else "delta",
        at,
        at,
        commit=workspace.repository.head(),
        options=request.options,
    )
