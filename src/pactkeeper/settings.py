"""The only reader of environment variables; everything else gets values handed in."""

from __future__ import annotations

import os
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Environment:
    """What the surroundings say about how to behave; `ci` means that nobody can answer a question.

    `database_url` names the database of the history, which may hold a password and is never shown; `repository` the id
    under which it knows this repository, for clones that cannot tell it themselves. `editor` is the command, with its
    options, that a person edits text with.
    """

    ci: bool
    plain: bool
    processes: int
    database_url: str | None = field(default=None, repr=False)
    repository: str | None = None
    editor: str = ""


def environment() -> Environment:
    """Read the environment once: `CI`, `NO_COLOR`, `VISUAL`, `EDITOR`, `PACTKEEPER_…` and the usable cores."""
    variables = os.environ
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Environment(
        ci=bool(variables.get("CI")),
        plain=bool(variables.get("NO_COLOR")),
        processes=cores,
        database_url=variables.get("PACTKEEPER_DATABASE_URL") or None,
        repository=variables.get("PACTKEEPER_REPOSITORY") or None,
        editor=variables.get("VISUAL") or variables.get("EDITOR") or "",
    )
