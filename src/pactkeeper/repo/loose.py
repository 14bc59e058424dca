"""Branches and objects that have a file of their own, read without starting git.

Every function returns None where git itself has to look: for what is packed, damaged, large or stored in another way.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from pathlib import Path
from typing import Final

_BRANCH: Final = "ref: refs/heads/"
_HEX: Final = "0123456789abcdef"
_WIDTHS: Final = {"sha1": 40, "sha256": 64}
_LARGEST: Final = 1 << 20  # bytes of a commit


def blob_in(place: Path, limit: int) -> bytes | None:
    """Return the content of a blob by the path of its file."""
    header, _, content = (_inflated(place, limit) or b"").partition(b"\0")
    return content if header == b"blob %d" % len(content) and len(content) <= limit else None


def commit_named(revision: str, *, git_dir: Path, common_dir: Path, object_format: str) -> str | None:
    """Return the commit that HEAD or a whole commit id names, whose content is checked against its id."""
    name = _head(git_dir, common_dir) if revision == "HEAD" else revision
    if name is None or len(name) != _WIDTHS.get(object_format) or name.strip(_HEX):
        return None
    data = _inflated(common_dir / "objects" / name[:2] / name[2:], _LARGEST)
    if data is None or not data.startswith(b"commit "):
        return None
    return name if hashlib.new(object_format, data, usedforsecurity=False).hexdigest() == name else None


def _head(git_dir: Path, common_dir: Path) -> str | None:
    said = _line(git_dir / "HEAD")
    if said is None or not said.startswith(_BRANCH):
        return said
    branch = said.removeprefix("ref: ")
    return _line(common_dir / branch) if ".." not in branch else None


def _line(place: Path) -> str | None:
    """Return the only line of a small file."""
    text = (_content(place, 4096) or b"").decode("utf-8", "replace")
    return text.removesuffix("\n") if text.count("\n") == 1 else None


def _inflated(place: Path, limit: int) -> bytes | None:
    packed = _content(place, limit)
    try:
        return zlib.decompressobj().decompress(packed, limit + 32) if packed is not None else None
    except zlib.error:
        return None


def _content(place: Path, limit: int) -> bytes | None:
    try:
        handle = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(handle, "rb") as file:  # noqa: PTH123 - a descriptor
            return file.read(limit)
    except (OSError, ValueError):
        return None
