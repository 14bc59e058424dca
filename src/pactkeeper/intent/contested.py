"""What a merge of two branches left open in the pact: contested entries, unmerged files, dangling references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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
