"""What there is to do, and what mends what a sweep found, as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.intent.health import FixTask
from pactkeeper.published.plain import Codec, plain
from pactkeeper.reconcile.task import Task

TASK: Final = Codec(Task, "priority kind subject message command severity path line fingerprint ops")


def fix_document(one: FixTask) -> dict[str, object]:
    """The published form: the fields of seed tasks in their spelling, and ours beside them."""
    return {**plain(one), "createdAt": one.created_at}
