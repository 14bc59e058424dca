"""A fault as data: a small project, one change that breaks it, and what a sweep should say of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pactkeeper.intent.health import CheckCategory

Kind = Literal[
    "rename",
    "missing export",
    "interface",
    "behaviour",
    "broken test",
    "syntax",
    "conflict markers",
    "missing dependency",
    "flaky",
    "infrastructure",
]
Triage = Literal["fix", "flaky", "infrastructure"]


@dataclass(frozen=True, slots=True)
class Fault:
    """`edits` are (path, old text, new text), where an empty old text appends; the edited files are the root cause.

    `category` is the highest that fails, `groups` how many tasks it is worth, 0 where `triage` is no fix.
    """

    name: str
    kind: Kind
    edits: tuple[tuple[str, str, str], ...]
    category: CheckCategory
    triage: Triage = "fix"
    groups: int = 1

    @property
    def cause(self) -> frozenset[str]:
        """The files that a fix has to change, or could."""
        return frozenset(path for path, _, _ in self.edits)


@dataclass(frozen=True, slots=True)
class Project:
    """A project that is green: its files by path, its checks as tables of pact.toml, and the faults to try on it.

    `{tools}` in a check stands for the folder into which the lab installs npm packages, `{python}` for an interpreter.
    """

    name: str
    files: Mapping[str, str]
    checks: str
    faults: tuple[Fault, ...]


def conflict(text: str, other: str) -> str:
    """Both sides of a merge that nobody resolved."""
    return f"{'<' * 7} HEAD\n{text}{'=' * 7}\n{other}{'>' * 7} topic\n"
