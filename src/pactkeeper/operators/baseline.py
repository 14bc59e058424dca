"""Which commit a delta starts from; without a history nothing that reads one is loaded."""

from __future__ import annotations

from pactkeeper.intent.ids import is_id
from pactkeeper.reconcile.looking import Baseline, baseline, last_look
from pactkeeper.workspace import Workspace


def baseline_of(workspace: Workspace, since: str | None) -> Baseline:
    """What a delta starts from: the commit or run that `since` names, the last run, or where HEAD left the trunk."""
    if not workspace.has_history or (since is not None and not is_id(since, "REC")):
        return baseline(workspace.repository, since, None)
    from pactkeeper.store.runs import find_run, list_runs  # noqa: PLC0415 - a commit that is named needs no history

    named = None if since is None else find_run(workspace.history(), since)
    if named is not None and named.commit is not None:
        return Baseline(named.commit, named.id)
    past = list_runs(workspace.history(), statuses=("paused", "completed"))
    return baseline(workspace.repository, since, last_look(past))
