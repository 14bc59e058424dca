"""What git lists of one state of a repository, sorted by how each file can be read."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.errors import GitFailed
from pactkeeper.intent.tests import Gap
from pactkeeper.repo.git import Repository


@dataclass(slots=True)
class Listing:
    """What git lists, grouped by how it can be read; `loose` files have no blob id yet.

    `outside` are the blob ids of closed files that a sparse checkout leaves out.
    """

    blobs: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    loose: set[str] = field(default_factory=set)
    closed: dict[str, str] = field(default_factory=dict)
    gaps: list[Gap] = field(default_factory=list)
    unmerged: set[str] = field(default_factory=set)
    outside: dict[str, str] = field(default_factory=dict)

    def paths(self) -> list[str]:
        """Return all paths, sorted."""
        return sorted({*self.blobs, *self.links, *self.loose, *self.closed})


SPARSE: Final = "the file is outside the sparse checkout"
UNREAD: Final = "; its files are not looked at"
UNMERGED: Final = "the file has an unresolved merge conflict"


def submodule(commit: str) -> str:
    """Return why the files of a submodule are not listed."""
    return f"a submodule at {commit[:10]}{UNREAD}"


def parted(listed: bytes) -> tuple[bytes, bytes]:
    """Separate untracked files, which git lists first with a question mark, from the index."""
    end = 0
    while listed.startswith(b"? ", end):
        end = listed.index(b"\0", end) + 1
    return listed[:end], listed[end:]


def take_index(listing: Listing, output: bytes, object_format: str, *, sparse: bool = False) -> None:
    """Sort index entries into the listing; with `sparse`, those outside the sparse checkout count as present."""
    width = width_of(object_format)
    end, start = 10 + width, 12 + width
    for line in names(output, listing, after="\t"):
        path = line[start:]
        if line[end] != "0":
            listing.closed[path] = UNMERGED
            listing.unmerged.add(path)
        elif line[0] == "S" and not sparse:
            listing.closed[path] = SPARSE
            listing.outside[path] = line[9 : 9 + width]
        elif line.startswith("100", 2):
            listing.blobs[path] = line[9 : 9 + width]
        elif line.startswith("120000", 2):
            listing.links[path] = line[9 : 9 + width]
        else:
            listing.closed[path] = submodule(line[9:])


def take_change(listing: Listing, repository: Repository, *, status: str, path: str) -> None:
    """Sort a file that differs from the index into the listing."""
    if path in listing.closed or status == "U":
        return
    tracked = listing.blobs.pop(path, None) or listing.links.pop(path, None)
    if tracked is not None and status != "D":
        take_loose(listing, repository, path)


def take_loose(listing: Listing, repository: Repository, path: str) -> None:
    """Sort a file on disk into the listing."""
    if os.path.islink(repository.root / path):  # noqa: PTH114 - one call for every untracked file
        listing.links[path] = ""
    else:
        listing.loose.add(path)


def names(output: bytes, listing: Listing, *, after: str = "") -> list[str]:
    """Split NUL-terminated fields; a name that isn't UTF-8 can't be part of a test id and becomes a gap."""
    try:
        return output.decode().split("\0")[:-1]
    except UnicodeDecodeError:
        fields = output.split(b"\0")[:-1]
    good = []
    for entry in fields:
        try:
            good.append(entry.decode())
        except UnicodeDecodeError:
            shown = entry.decode("utf-8", "backslashreplace")
            listing.gaps.append(Gap(shown.partition(after)[2] if after else shown, "the file's name is not UTF-8"))
            if not after:
                good.append("")
    return good


def width_of(object_format: str) -> int:
    """Return how many hex digits an object id has; raise GitFailed for an unknown format."""
    widths = {"sha1": 40, "sha256": 64}
    if object_format not in widths:
        raise GitFailed(f"the repository's object format {object_format!r} is not known")
    return widths[object_format]
