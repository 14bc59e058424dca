"""Which commit a delta starts from; SQL is loaded only where the history has changed since the last time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pactkeeper.intent.ids import is_id
from pactkeeper.operators.kept import Form, kept
from pactkeeper.reconcile.baseline import Baseline, baseline, last_look
from pactkeeper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class _Last:
    """The run after which no change before its commit is left to be looked at; None where there is none."""

    look: Baseline | None


def baseline_of(workspace: Workspace, since: str | None) -> Baseline:
    """What a delta starts from: the commit or run that `since` names, the last run, or where HEAD left the trunk."""
    if not workspace.has_history:
        return baseline(workspace.repository, since, None, workspace.pact_folder)
    if since is None:
        return baseline(workspace.repository, None, _last(workspace), workspace.pact_folder)
    named = _named(workspace, since) if is_id(since, "REC") else None
    return named or baseline(workspace.repository, since, None, workspace.pact_folder)


def _last(workspace: Workspace) -> Baseline | None:
    mark = workspace.history_mark()
    key = None if mark is None else f"{workspace.identity} {mark}"
    return kept(workspace, _LAST, key, lambda: (_last_of_history(workspace), True)).look


def _last_of_history(workspace: Workspace) -> _Last:
    from pactkeeper.store.runs import list_runs  # noqa: PLC0415 - only where the history changed

    last = last_look(list_runs(workspace.history(), statuses=("paused", "completed")))
    return _Last(None if last is None or not last.commit else Baseline(last.commit, last.id))


def _named(workspace: Workspace, run: str) -> Baseline | None:
    from pactkeeper.store.runs import find_run  # noqa: PLC0415 - a commit that is named needs no history

    found = find_run(workspace.history(), run)
    return None if found is None or found.commit is None else Baseline(found.commit, found.id)


def _kept_last(fields: dict[str, Any]) -> _Last:
    look = fields["look"]
    return _Last(None if look is None else Baseline(**look))


_LAST: Final = Form("baselines/1", 2, _kept_last)
