"""Finding the transcripts in folders: regular files with a known ending, links not followed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pactkeeper.transcripts.sources import SUFFIXES


def transcripts_in(place: Path) -> Iterator[Path]:
    """The place itself where it is a file, else every candidate below it, in the order of names; none if it is missing.

    The resolved path is what a conversation is known by, so that it is the same from wherever it is named.
    """
    real = Path(os.path.realpath(place))
    if not real.is_dir():
        if real.exists():
            yield real
        return
    for folder, inner, names in os.walk(real):
        inner.sort()
        for name in sorted(names):
            path = Path(folder) / name
            if path.suffix in SUFFIXES and path.is_file() and not path.is_symlink():
                yield path
