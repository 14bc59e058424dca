"""What the rules look at: some entries of a conversation, with their calls paired, and which of them are new."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pactkeeper.intent.conversation import Block, ConversationEntry, ToolCall, pair


@dataclass(frozen=True, slots=True)
class Window:
    """Entries in their order, those of earlier looks first; what a rule finds must end in a new one."""

    entries: tuple[ConversationEntry, ...]
    calls: tuple[ToolCall, ...]

    @classmethod
    def of(cls, entries: tuple[ConversationEntry, ...]) -> Window:
        """Pair the calls of some entries."""
        return cls(entries, pair(entries))

    def texts(self, *, by_person: bool) -> Iterator[tuple[ConversationEntry, int, Block]]:
        """What people said, or what the agent said to them, with the position of each block."""
        for entry in self.entries:
            if entry.by_person if by_person else entry.role == "assistant":
                yield from ((entry, at, block) for at, block in enumerate(entry.blocks) if block.kind == "text")

    def answer(self, asked: ConversationEntry) -> ConversationEntry | None:
        """What a person says next after an entry."""
        after = self.entries[self.entries.index(asked) + 1 :]
        return next((entry for entry in after if entry.by_person), None)
