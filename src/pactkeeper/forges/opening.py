"""The kinds of forges, one row each: how one is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.boards.calls import Calls
from pactkeeper.boards.github import address as github_address
from pactkeeper.boards.port import Limits
from pactkeeper.forges.github import GitHub
from pactkeeper.forges.gitlab import GitLab
from pactkeeper.forges.gitlab import address as gitlab_address
from pactkeeper.forges.port import Forge

RATE: Final = 10.0  # calls a second


@dataclass(frozen=True, slots=True)
class Opening:
    """What a forge is opened with; `variable` names the variable that holds the token."""

    kind: str
    base_url: str
    repository: str
    token: str = field(repr=False)
    variable: str
    limits: Limits


def open_forge(opening: Opening) -> Forge:
    """Open a forge without asking it anything."""
    return _KINDS[opening.kind](opening)


def _github(opening: Opening) -> Forge:
    address = github_address(opening.token, opening.base_url)
    return GitHub(opening.repository, Calls(address, opening.limits, variable=opening.variable))


def _gitlab(opening: Opening) -> Forge:
    address = gitlab_address(opening.token, opening.base_url)
    return GitLab(opening.repository, Calls(address, opening.limits, variable=opening.variable))


_KINDS: Final[Mapping[str, Callable[[Opening], Forge]]] = {"github": _github, "gitlab": _gitlab}
