"""What verbs look up in the history: runs, patches and decisions.

Also the verb that explains which rule of the policy decides about an op, and why each earlier one does not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pactkeeper.errors import InputError, PatchError, UsageError
from pactkeeper.intent.ids import hashed_id
from pactkeeper.ledger.canonical import JsonValue, Run, RunStatus
from pactkeeper.ledger.decision import Review
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch, decode_patch
from pactkeeper.ledger.policy import Case, Ruling, case_of, explain
from pactkeeper.reconcile.applying import health_of, policy_of
from pactkeeper.reconcile.request import Request
from pactkeeper.repo.named_file import read_named
from pactkeeper.store.decisions import decisions_of, load_patch, run_of_patch, save_patch
from pactkeeper.store.history import History
from pactkeeper.store.runs import add_run, find_run, list_runs, update_run
from pactkeeper.store.waiting import fates, newest_open, open_ops
from pactkeeper.workspace import Workspace

MOST_BYTES: Final = 256 << 20  # of a patch file
PAUSED: Final[tuple[RunStatus, ...]] = ("paused",)


def find_patch(workspace: Workspace, name: str | None, *, to_apply: bool = False) -> Patch:
    """Return a patch by run or patch id, or from a file; a program acting for a person cannot name files.

    By default, that of the newest waiting run that needs something done: a decision or, `to_apply`, applying what was
    accepted. Without such a run, the newest patch, which is one with ops or questions `to_apply`.
    """
    if name is None:
        return _newest(workspace, to_apply=to_apply)
    if workspace.has_history:
        history = workspace.history()
        run = find_run(history, name)
        found = load_patch(history, run.patch if run is not None and run.patch is not None else name)
        if found is not None:
            return found
    if workspace.acting:
        raise UsageError(f"there is no patch {name!r}; list_runs names them")
    return decode_patch(_text(name))


def _newest(workspace: Workspace, *, to_apply: bool) -> Patch:
    if workspace.has_history:
        history = workspace.history()
        wanted = _newest_accepted(history) if to_apply else newest_open(history)
        runs = list_runs(history)
        ranks = {run.id: (run.id == wanted, run.status == "paused") for run in runs}
        for run in sorted(runs, key=lambda run: ranks[run.id], reverse=True):
            found = load_patch(history, run.patch) if run.patch is not None else None
            if found is not None and (found.ops or found.questions or not to_apply):
                return found
    raise PatchError("there is no patch yet; make one with: pk reconcile")


def _newest_accepted(history: History) -> str | None:
    """Return the newest waiting run with ops that are accepted but not applied."""
    paused = [run for run in list_runs(history, statuses=PAUSED) if run.patch is not None]
    counted = fates(history, [run.patch for run in paused if run.patch])
    return next((run.id for run in paused if counted[run.patch or ""].get("accepted")), None)


def _text(name: str) -> str:
    try:
        return read_named(Path(name), "as a file it", most=MOST_BYTES).decode("utf-8")
    except InputError as error:
        raise PatchError(f"{name!r} is neither a run nor a patch known here; {error}") from error
    except UnicodeDecodeError as error:
        raise PatchError(f"{name!r} is not a patch: byte {error.start:,} is not UTF-8, as every patch is") from error


def review_of(workspace: Workspace, patch: Patch) -> Review:
    """Return the decisions on a patch so far; empty if there are none."""
    if not workspace.has_history:
        return Review(patch.hash)
    return Review(patch.hash, decisions_of(workspace.history(), patch.id))


def known_run(workspace: Workspace, patch: Patch) -> Run | None:
    """Return the newest run that made a patch, or None."""
    name = run_of_patch(workspace.history(), patch.id)
    return None if name is None else find_run(workspace.history(), name)


def waits(workspace: Workspace, patch: Patch) -> bool:
    """Whether the run of a patch waits for decisions, or for a write that was cut off or undone."""
    run = known_run(workspace, patch)
    if run is None or run.status != "completed":
        return run is not None
    return bool(fates(workspace.history(), [patch.id])[patch.id].get("accepted"))


def keep_patch(workspace: Workspace, patch: Patch, *, origin: str) -> Run:
    """Return the run of a patch; if no run made it, store one that has ended, with its `origin`."""
    history = workspace.history()
    known = known_run(workspace, patch)
    if known is not None:
        return known
    at = workspace.now().isoformat(timespec="microseconds")
    begun = new_run(workspace, Request(everything=True), at=at)
    ended = replace(begun, status="completed", phase="persist", options={"origin": origin}, completed_at=at)
    run = replace(ended, patch=patch.id, summary=dict(patch.summary))
    with history.database.begin():  # a completed run is never stored without its patch
        add_run(history, run)
        save_patch(history, run.id, patch)
    return run


def close_settled(workspace: Workspace) -> None:
    """End the runs with nothing left to decide: everything they proposed is applied, rejected or proposed anew."""
    history = workspace.history()
    waiting, paused = open_ops(history), list_runs(history, statuses=PAUSED)
    counted = fates(history, [run.patch for run in paused if run.patch is not None])
    at = workspace.now().isoformat(timespec="milliseconds")
    for run in paused:
        if not waiting.get(run.id) and not counted.get(run.patch or "", {}).get("accepted"):
            update_run(history, replace(run, status="completed", updated_at=at, completed_at=at))


def new_run(workspace: Workspace, request: Request, *, at: str) -> Run:
    """Create a run that starts now, with an id derived from time and place."""
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


@dataclass(frozen=True, slots=True)
class Explained:
    """An op as the policy sees it, with the ruling if a person decides."""

    op: Op
    case: Case
    ruling: Ruling


def explain_policy(workspace: Workspace, name: str, *, patch: str | None = None) -> Explained:
    """Explain the op `name` of a patch (None: the newest); caps count per apply and are assumed unused."""
    known = find_patch(workspace, patch)
    op = next((one for one in known.ops if one.id == name), None)
    if op is None:
        raise UsageError(f"the patch {known.id} has no op {name!r}; pk reconcile --json lists them")
    world = workspace.world(workspace.snapshot())
    case = case_of(op, actor="person", health=health_of(op, world))
    return Explained(op, case, explain(policy_of(workspace, world.pact), case))


def asserted(workspace: Workspace) -> dict[str, JsonValue]:
    """Return the note that names the person; empty if git knows nobody, since such a write needs no name."""
    try:
        return {"decided_by": [workspace.person()]}
    except UsageError:
        return {}
