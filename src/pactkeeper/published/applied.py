"""An apply or a dry run as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.published.plain import Codec
from pactkeeper.reconcile.applying import Applied

APPLIED: Final = Codec(
    Applied,
    "patch=patch.id written= ops=planned.ops already=planned.already rejected skipped=planned.skipped"
    " refused_comments=refused files=edits entry=",
    written=lambda applied: applied.entry is not None,
    ops=lambda op: op.id,
    already=lambda op: op.id,
    rejected=lambda op: op.id,
    skipped=lambda one: {"op": one.op.id, "reason": one.reason},
    refused_comments=lambda one: {"test": one[0], "reason": one[1]},
    files=lambda edit: edit.path,
    entry=lambda applied: applied.entry and applied.entry.id,
)
