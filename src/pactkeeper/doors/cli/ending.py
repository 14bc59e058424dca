"""Ending a command that goes on until somebody ends it: the first signal unwinds, and so everything is cleared up."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Ended(KeyboardInterrupt):
    """A signal asks to end; it unwinds, so that what runs is ended and cleared up."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number

    @property
    def exit_code(self) -> int:
        """130 where a person interrupted it, as a shell knows it, and 0 where it was told to end."""
        return 130 if self.number == signal.SIGINT else 0


@contextmanager
def ending() -> Iterator[None]:
    """Raise Ended at the first signal that asks to end; further ones do not disturb the clearing up."""

    def asked(number: int, _: object) -> None:
        for one in SIGNALS:
            signal.signal(one, signal.SIG_IGN)
        raise Ended(number)

    before = [signal.signal(one, asked) for one in SIGNALS]
    try:
        yield
    finally:
        for one, handler in zip(SIGNALS, before, strict=True):
            signal.signal(one, handler)
