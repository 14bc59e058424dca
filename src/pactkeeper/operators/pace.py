"""What the history says about the pace of sweeps."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from pactkeeper.errors import CatalogError
from pactkeeper.health.pacing import Pace, colours
from pactkeeper.intent.health import HealthSettings

if TYPE_CHECKING:
    from pactkeeper.workspace import Workspace

_RECENT: Final = 50  # sweeps among which the last ones that are neither stale nor unknown are looked for


def read_pace(workspace: Workspace, *, at: str) -> Pace:
    """The pace by the last sweeps, with the settings of the commit that `at` names."""
    settings = _settings(workspace, at)
    pace = Pace(settings)
    if not workspace.has_history:
        return pace
    from pactkeeper.store.health import sweeps  # noqa: PLC0415 - SQL

    found = sweeps(workspace.history(), limit=max(_RECENT, settings.greens), brief=True)
    if not found:
        return pace
    last = found[0]
    return replace(pace, ended=datetime.fromisoformat(last.ended_at), commit=last.commit, colours=colours(found))


def _settings(workspace: Workspace, at: str) -> HealthSettings:
    try:
        return workspace.pact(workspace.snapshot(at)).settings.health
    except CatalogError:
        return HealthSettings()  # the sweep itself must run, to say what is wrong: a merge may have torn the file
