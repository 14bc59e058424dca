"""Open tasks, and fix tasks from sweeps, as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.intent.health import FixTask
from pactkeeper.published.plain import Codec
from pactkeeper.reconcile.task import Task

TASK: Final = Codec(Task, "priority kind subject message command severity path line fingerprint ops")

FIX: Final = Codec(FixTask, "* createdAt=created_at")  # all fields, with the time also named as in seed tasks
