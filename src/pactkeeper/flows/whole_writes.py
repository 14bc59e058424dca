"""What a saver keeps of a node that did not come to its end: that it failed, and no part of what it had made.

A node that is cancelled between its results and the edge behind it would otherwise count as done on the next start,
with nothing to follow it, and the graph as ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.types import ERROR


class WholeWrites(BaseCheckpointSaver[str]):
    """A saver, to stand before a real one among the bases, that keeps all writes of a node or only its failure."""

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store the writes of one task."""
        failed = [one for one in writes if one[0] == ERROR]
        await super().aput_writes(config, failed or writes, task_id, task_path)
