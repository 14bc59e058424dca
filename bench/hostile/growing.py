"""Give every reader texts of two lengths: `python -m bench.hostile.growing [--length N] [--most N] [READER …]`.

A text is one piece, a token of the fuzzer or a line of a sound input, again and again behind a sound beginning, or
within the longest text of a sound JSON. What is told is how the processor time grows to ten times the length, 10^5
unless another is asked for: 10 is linear. All pieces are tried at the one, the slowest of them at the other as well.
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bench.hostile.fuzzing import Hung, bounded
from bench.hostile.mutating import TOKENS
from bench.hostile.readers import READERS, Reader, tried

LENGTH: Final = 100_000
LONGER: Final = 10  # times
SECONDS: Final = 60.0  # of processor time for one text
LINES: Final = 12  # of sound inputs
STEEP: Final = 25.0  # times the processor time for ten times the text; noise of short times stays below
COUNTS: Final = 0.05  # seconds; below, growth is noise


@dataclass(frozen=True, slots=True)
class Grown:
    """What one piece cost, in seconds of processor time for each length that was tried."""

    piece: bytes
    seconds: tuple[float, ...]
    error: str = ""

    @property
    def growth(self) -> float:
        """How many times the last length took longer than the one before."""
        return self.seconds[-1] / max(self.seconds[-2], COUNTS) if len(self.seconds) > 1 else 0.0


def pieces(reader: Reader) -> tuple[bytes, ...]:
    """What texts are made of: tokens, tokens on lines of their own, and lines of sound inputs."""
    lines = [line for seed in reader.seeds() for line in seed[:4000].splitlines(keepends=True)]
    spread = lines[:: max(1, len(lines) // LINES)]
    return tuple(dict.fromkeys([*TOKENS, *spread]))


def grown(reader: Reader, piece: bytes, lengths: Sequence[int]) -> Grown:
    """The cost of one piece at each length; what it raised where it broke the reader."""
    begin, end, piece_there = _place(reader, piece)
    taken = list[float]()
    for length in lengths:
        data = begin + piece_there * (length // len(piece)) + end
        gc.collect()
        begun = time.process_time()
        try:
            with bounded(SECONDS):
                tried(reader, data)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            taken.append(time.process_time() - begun)
            what = "hung" if isinstance(error, Hung) else f"{type(error).__name__}: {str(error)[:100]}"
            return Grown(piece, tuple(taken), f"{what} at {length:,}")
        taken.append(time.process_time() - begun)
    return Grown(piece, tuple(taken))


def _place(reader: Reader, piece: bytes) -> tuple[bytes, bytes, bytes]:
    """What stands before and behind the pieces, and the piece as it is written there."""
    for seed in reader.seeds():
        try:
            json.loads(seed)
        except ValueError:
            continue
        longest = max(
            re.finditer(rb'(?<=[:\[{,] ")[^"\\]*+(?=")|(?<=[:\[{,]")[^"\\]*+(?=")', seed), key=_width, default=None
        )
        if longest is not None:
            return (
                seed[: longest.end()],
                seed[longest.end() :],
                json.dumps(piece.decode("utf-8", "replace"))[1:-1].encode(),
            )
    return reader.seeds()[0][:500], b"", piece


def _width(found: re.Match[bytes]) -> int:
    return found.end() - found.start()


def problems(name: str, *, length: int, most: int) -> Iterator[str]:
    """Pieces that break one reader or make it slower than in proportion to the text."""
    reader = READERS[name]
    tried(reader, reader.seeds()[0])  # imports are not the reader's time
    shorter = [grown(reader, piece, (length,)) for piece in pieces(reader)]
    slow = sorted((one for one in shorter if not one.error), key=lambda one: -one.seconds[-1])[:most]
    longer = [grown(reader, one.piece, (length, length * LONGER)) for one in slow]
    slowest = max(longer, key=lambda one: one.seconds[-1])
    steepest = max(longer, key=lambda one: one.growth)
    print(
        f"{name:>18} {len(shorter):>4} pieces to {length:,}, {len(longer):>3} to {length * LONGER:,}: "
        f"slowest {slowest.seconds[-1]:.2f} s {slowest.piece[:20]!r}, "
        f"steepest x{steepest.growth:.0f} {steepest.piece[:20]!r}",
        flush=True,
    )
    for one in (*shorter, *longer):
        if one.error or one.growth > STEEP:
            times = ", ".join(f"{seconds:.2f}" for seconds in one.seconds)
            yield f"  {name}: {one.piece[:40]!r} takes {times} s {one.error}"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.hostile.growing")
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"default: all of {', '.join(READERS)}")
    parser.add_argument("--length", type=int, default=LENGTH, help="characters of the shorter texts")
    parser.add_argument("--most", type=int, default=6, help="pieces that are tried at the longer length")
    asked = parser.parse_args(arguments)
    found = 0
    for name in asked.readers or READERS:
        for one in problems(name, length=asked.length, most=asked.most):
            found += 1
            print(one, flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
