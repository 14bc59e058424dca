"""Waiting for what other processes and threads do: for a condition, never for a time that ought to be enough."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

PATIENCE = 240.0  # seconds, after which what was waited for will not come
Found = TypeVar("Found")


def until(found: Callable[[], Found], what: object = "it") -> Found:
    """Wait until a function gives something, and return that; `what` is named where it never does."""
    end = time.monotonic() + PATIENCE
    while not (result := found()):
        assert time.monotonic() < end, f"{what} did not come in {PATIENCE:.0f} s"
        time.sleep(0.02)
    return result


@contextmanager
def running(command, **options) -> Iterator[subprocess.Popen[Any]]:
    """A process that ends with the block, also where a test fails in it."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()
