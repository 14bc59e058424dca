"""What a forked child does with what it has of its parent's."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from typing import TypeVar

Thing = TypeVar("Thing")


def in_children(thing: Thing, act: Callable[[Thing], object]) -> None:
    """Act on a thing first of all in every process that is forked from this one, as long as it lives here."""
    known = weakref.ref(thing)

    def after_fork() -> None:
        copy = known()
        if copy is not None:
            act(copy)

    os.register_at_fork(after_in_child=after_fork)
