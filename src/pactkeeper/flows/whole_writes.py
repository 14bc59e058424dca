"""Checkpoints in a file, what a saver keeps of a node that did not finish, and how its checkpoints are ordered.

A node cancelled between its results and the edge that follows would count as done on the next start, with nothing to
run after it, so the graph would seem to have ended. A checkpoint made while the clock was behind would sort before
older ones, and the graph would resume from one of those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.base import id as ids
from langgraph.checkpoint.serde.types import ERROR
from langgraph.checkpoint.sqlite import SqliteSaver

_LAST = "_last_v6_timestamp"  # in the id generator; there is no public setter


class _Here(SqliteSaver):
    """A saver for a file of this process's own, used within the event loop.

    A checkpoint takes a fraction of a millisecond; handing it to a thread and waiting for that takes longer.
    """

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Look up a checkpoint."""
        return self.get_tuple(config)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint."""
        return self.put(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store the writes of one task."""
        self.put_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread."""
        self.delete_thread(thread_id)


class WholeWrites(BaseCheckpointSaver[str]):
    """A mixin, listed before a real saver among the base classes.

    It keeps either all writes of a node or only its failure, and orders checkpoints by when they were made.
    """

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store the writes of one task."""
        failed = [one for one in writes if one[0] == ERROR]
        await super().aput_writes(config, failed or writes, task_id, task_path)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Look up a checkpoint; every checkpoint made after it gets a later id, whatever the clock says."""
        found = await super().aget_tuple(config)
        if found is not None:
            _later_than(found.checkpoint["id"])
        return found


class FileSaver(WholeWrites, _Here):
    """Checkpoints in a SQLite file."""


def _later_than(checkpoint: str) -> None:
    """Make the next id sort after a known one: ids sort by the time in them, and the generator never goes back."""
    known = UUID(checkpoint)
    moment = (known.time_low << 28) | (known.time_mid << 12) | (known.time_hi_version & 0x0FFF)
    last: int | None = getattr(ids, _LAST)
    setattr(ids, _LAST, max(moment, last or 0))
