"""What a saver keeps of a node that did not come to its end, and in which order its checkpoints stand.

A node that is cancelled between its results and the edge behind it would otherwise count as done on the next start,
with nothing to follow it, and the graph as ended. A checkpoint that was made while the clock stood earlier would sort
before older ones, and the graph would go on from one of those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.base import id as ids
from langgraph.checkpoint.serde.types import ERROR

_LAST = "_last_v6_timestamp"  # of the generator; nothing public sets it


class WholeWrites(BaseCheckpointSaver[str]):
    """A saver, to stand before a real one among the bases.

    It keeps all writes of a node or only its failure, and checkpoints in the order in which they were made.
    """

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store the writes of one task."""
        failed = [one for one in writes if one[0] == ERROR]
        await super().aput_writes(config, failed or writes, task_id, task_path)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Look a checkpoint up; whatever is made after this one has a later id, whatever the clock says."""
        found = await super().aget_tuple(config)
        if found is not None:
            _later_than(found.checkpoint["id"])
        return found


def _later_than(checkpoint: str) -> None:
    """Let the next id follow a known one: ids sort by the time in them, and the generator never goes back."""
    known = UUID(checkpoint)
    moment = (known.time_low << 28) | (known.time_mid << 12) | (known.time_hi_version & 0x0FFF)
    last: int | None = getattr(ids, _LAST)
    setattr(ids, _LAST, max(moment, last or 0))
