"""Give many hostile inputs to every reader: `python -m bench.hostile.fuzzing [--inputs N] [--seed S] [READER …]`.

Each reader's line tells how many inputs it had, how many places broke and what the slowest input took. An input that
raises anything but Pactkeeper's own errors, reads as text that cannot be stored, or takes more processor time than any
input may, is written to `tests/hostile/inputs/READER/`, where it stays as a regression.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from types import FrameType
from typing import Final

from bench.hostile.mutating import mutated
from bench.hostile.readers import READERS, ROOT, tried

KEPT: Final = ROOT / "tests" / "hostile" / "inputs"
SECONDS: Final = 10.0  # of processor time for one input of at most 20 kB; the slowest sound ones take a tenth of one


class Hung(Exception):
    """One input took too long."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that broke a reader, and what it raised."""

    data: bytes
    error: BaseException

    @property
    def place(self) -> str:
        """Where it was raised: failures of one place are one."""
        if isinstance(self.error, Hung):
            return "hung"
        frame = traceback.extract_tb(self.error.__traceback__)[-1]
        return f"{type(self.error).__name__} {frame.filename}:{frame.lineno}"


@contextmanager
def bounded(seconds: float = SECONDS) -> Iterator[None]:
    """Raise Hung where the block takes more processor time than one input may."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise Hung(f"more than {seconds:.0f} s of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass(slots=True)
class Slowest:
    """The input that took a reader longest."""

    seconds: float = 0.0
    data: bytes = b""

    def weigh(self, seconds: float, data: bytes) -> None:
        """Keep an input that took longer than every one before."""
        if seconds > self.seconds:
            self.seconds, self.data = seconds, data


def failures(name: str, *, inputs: int, seed: int, slowest: Slowest | None = None) -> Iterator[Failure]:
    """Every input that breaks a reader, each place of the code once."""
    reader, slow = READERS[name], slowest or Slowest()
    seeds, random, known = reader.seeds(), Random(f"{name} {seed}"), set[str]()  # noqa: S311 - inputs are repeatable
    for _ in range(inputs):
        data = mutated(seeds, random)
        begun = time.process_time()
        try:
            with bounded():
                tried(reader, data)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            found = Failure(data, error)
            if found.place not in known:
                known.add(found.place)
                yield found
        slow.weigh(time.process_time() - begun, data)


def keep(name: str, data: bytes) -> Path:
    """Write an input where the tests find it."""
    folder = KEPT / name.replace(" ", "_")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / sha256(data).hexdigest()[:12]
    path.write_bytes(data)
    return path


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.hostile.fuzzing")
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"default: all of {', '.join(READERS)}")
    parser.add_argument("--inputs", type=int, default=10_000, help="for each reader")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    broken = [_run(name, inputs=asked.inputs, seed=asked.seed) for name in asked.readers or READERS]
    return 1 if any(broken) else 0


def _run(name: str, *, inputs: int, seed: int) -> int:
    begun, slowest, broken = time.process_time(), Slowest(), 0
    for found in failures(name, inputs=inputs, seed=seed, slowest=slowest):
        broken += 1
        print(f"  {name}: {found.place}: {str(found.error)[:200]!r}; kept as {keep(name, found.data)}")
        if not isinstance(found.error, Hung):
            traceback.print_exception(found.error, limit=-4)
    spent = time.process_time() - begun
    told = f"{broken} broken places, slowest {slowest.seconds:.2f} s, {spent:.0f} s in all"
    print(f"{name:>18} {inputs:>9,} inputs, {told}", flush=True)
    return broken


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
