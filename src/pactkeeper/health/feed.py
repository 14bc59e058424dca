"""The feed of a watch: one line of JSON a sweep, in a file that stays below a bound, or on standard output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pactkeeper.errors import WriteFailed

STANDARD_OUTPUT: Final = "-"
MOST_BYTES: Final = 8 << 20  # of a file; beside it stays one earlier file of that size at most


@dataclass(frozen=True, slots=True)
class Feed:
    """Where the lines go: a file, or `-` for standard output. A full file becomes FILE.1, the one of before goes."""

    place: str
    most: int = MOST_BYTES

    def add(self, document: Mapping[str, object]) -> None:
        """Add one line, whole or not at all; raises WriteFailed."""
        line = json.dumps(document, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        if self.place == STANDARD_OUTPUT:
            sys.stdout.write(line.decode("ascii"))
            sys.stdout.flush()
            return
        try:
            self._append(Path(self.place), line)
        except OSError as error:
            raise WriteFailed(f"the feed {self.place!r} cannot be written: {error.strerror}; make room") from error

    def _append(self, file: Path, line: bytes) -> None:
        if file.is_file() and file.stat().st_size + len(line) > self.most:
            file.replace(file.with_name(f"{file.name}.1"))
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            size = os.fstat(handle).st_size
            if size and os.pread(handle, 1, size - 1) != b"\n":
                line = b"\n" + line  # a line that was cut short when its writer was killed
            if os.write(handle, line) != len(line):
                os.ftruncate(handle, size)
                raise OSError(0, "only a part of the line fits")
        finally:
            os.close(handle)
