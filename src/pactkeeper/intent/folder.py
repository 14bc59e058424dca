"""The folder of a repository that holds its pact: `pact/`, or another one if that name is taken."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

USUAL: Final = "pact/"
OWN: Final = ".pactkeeper/"
APPROVALS: Final = f"{OWN}approvals.toml"  # of `pk guard`, which needs no pact
POINTER: Final = ".pactkeeper.toml"
SETTINGS: Final = "pact.toml"
_MARKED: Final = re.compile(rb"^[ \t]*(?:\[[ \t]*pact[ \t]*\]|pact[ \t]*\.)", re.MULTILINE)
_NUMBERED: Final = re.compile(rb"^[ \t]*(?:pact[ \t]*\.[ \t]*)?format[ \t]*=", re.MULTILINE)
_SHAPE: Final = re.compile(
    r"(?:atoms|links)/.+\.toml|commitments/COM-[^/]*\.toml|debt\.txt"
    r"|(?:pact|molecules|invariants|waivers|clarifications)\.toml"
)


@dataclass(frozen=True, slots=True)
class Folder:
    """Where a pact lives. A pact file has a *name*, as if it were in `pact/`, and a path, which is where it is."""

    root: str = USUAL

    def path(self, name: str) -> str:
        """Return the path of the file with that name; anything that is not a pact name is already a path."""
        return self.root + name.removeprefix(USUAL) if name.startswith(USUAL) else name

    def name(self, path: str) -> str:
        """Return the name of the file at that path."""
        return USUAL + path.removeprefix(self.root) if self.holds(path) else path

    def holds(self, path: str) -> bool:
        """Whether the file at that path is one of the pact."""
        return path.startswith(self.root) and path != APPROVALS


def is_settings(source: bytes) -> bool:
    """Whether these are settings of a Pactkeeper pact; another program may have a file of that name."""
    text = source.removeprefix(b"\xef\xbb\xbf")
    return bool(_MARKED.search(text) and _NUMBERED.search(text))


def has_our_shape(path: str) -> bool:
    """Whether a file is named as only pact files are, so that it may belong to a pact that lost its settings."""
    return bool(_SHAPE.fullmatch(path.removeprefix(USUAL).removeprefix(OWN)))


@dataclass(frozen=True, slots=True)
class Version:
    """One side's value of an entry: its keys as TOML text, empty if that side has no such entry.

    `label` is git's name for the side in the conflict marker, `commit` the commit it comes from, if known.
    """

    label: str = ""
    line: int = 0
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Contested:
    """An entry that both sides of a merge changed in different ways; until it is settled the first version counts."""

    path: str
    name: str
    line: int
    versions: tuple[Version, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys in which the versions differ, sorted."""
        named = {key for version in self.versions for key in version.fields}
        return tuple(sorted(key for key in named if len({version.fields.get(key) for version in self.versions}) > 1))


@dataclass(frozen=True, slots=True)
class Unmerged:
    """A file with an unfinished merge; `line` is that of the first conflict marker, 0 if only git reports it."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Dangling:
    """A reference to something missing or part of a cycle, as after a merge; it is ignored when reading `holder`."""

    path: str
    line: int
    holder: str
    message: str


@dataclass(frozen=True, slots=True)
class Merging:
    """Everything a merge left open, in order of place."""

    contested: tuple[Contested, ...] = ()
    unmerged: tuple[Unmerged, ...] = ()
    dangling: tuple[Dangling, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.contested or self.unmerged or self.dangling)
