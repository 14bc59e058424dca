"""The folder of a repository that holds its pact: `pact/`, or another one if that name is taken."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
