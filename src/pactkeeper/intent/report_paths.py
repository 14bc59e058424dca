"""Which files of the repository the paths of a report mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from posixpath import normpath

from pactkeeper.intent.suffixes import Parts, match_suffixes

_DRIVE = re.compile(r"[A-Za-z]:(?=[\\/])")


@dataclass(frozen=True, slots=True)
class Placed:
    """The file that each path means, and the paths that could mean several files or mean none, sorted."""

    files: Mapping[str, str]
    ambiguous: tuple[str, ...]
    unknown: tuple[str, ...]


def place(paths: Iterable[str], known: Iterable[str], *, root: str) -> Placed:
    """Map the paths of one report to `known` files of the repository; `root` is its absolute path on this machine.

    Absolute paths, paths of containers, of other machines and of Windows are read off their ends.
    """
    written = {path: parts_of(path, root) for path in dict.fromkeys(paths)}
    meant = match_suffixes(written.values(), (tuple(path.split("/")) for path in known))
    files = {path: "/".join(meant.found[parts]) for path, parts in written.items() if parts in meant.found}
    ambiguous = sorted(path for path, parts in written.items() if parts in meant.ambiguous)
    return Placed(files, tuple(ambiguous), tuple(sorted(set(written) - set(files) - set(ambiguous))))


def parts_of(path: str, root: str) -> Parts:
    """The parts of a path as a tool wrote it, below `root` where it lies there."""
    plain = path.removeprefix("file://")
    if _DRIVE.match(plain) or ("\\" in plain and "/" not in plain):
        plain = plain.replace("\\", "/")
    inside = normpath(plain).removeprefix(f"{root.rstrip('/')}/")
    return tuple(part for part in inside.split("/") if part not in {"", ".", ".."})
