"""What was clicked a moment ago, so that a double click is one."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final

APART: Final = 1_000_000  # microseconds by Slack's clock within which the same click of the same person is one
_MOST: Final = 1_000


class Recent:
    """The last clicks by what they are; told by Slack's clock, so that it does not matter when they arrive."""

    def __init__(self) -> None:
        self._at: OrderedDict[tuple[str, ...], int] = OrderedDict()
        self._lock = Lock()

    def again(self, click: tuple[str, ...], sequence: int) -> bool:
        """Whether the same was clicked just before or after; notes it where not. The very same event is no other."""
        with self._lock:
            before = self._at.get(click)
            if before is not None and before != sequence and abs(sequence - before) < APART:
                return True
            self._at[click] = sequence
            self._at.move_to_end(click)
            if len(self._at) > _MOST:
                self._at.popitem(last=False)
            return False
