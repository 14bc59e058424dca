"""The only reader of environment variables; everything else gets values handed in."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Environment:
    """What the surroundings say about how to behave; `ci` means that nobody can answer a question."""

    ci: bool
    plain: bool
    processes: int


def environment() -> Environment:
    """Read the environment once; `CI`, `NO_COLOR` and the number of usable cores."""
    variables = os.environ
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Environment(ci=bool(variables.get("CI")), plain=bool(variables.get("NO_COLOR")), processes=cores)
