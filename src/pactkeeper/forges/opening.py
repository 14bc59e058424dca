"""The kinds of forges, one row each: how one is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from pactkeeper.boards.calls import Address, Calls
from pactkeeper.boards.github import address as github_address
from pactkeeper.boards.port import CallLimits, Pace
from pactkeeper.forges.github import GitHub
from pactkeeper.forges.gitlab import GitLab
from pactkeeper.forges.gitlab import address as gitlab_address
from pactkeeper.forges.port import Forge
from pactkeeper.settings.forges import ForgeSetup

RATE: Final = 10.0  # calls a second


def open_forge(setup: ForgeSetup, pace: Pace | None) -> Forge:
    """Open a forge without asking it anything; with a `pace` its turns are those of all hosts."""
    make, address = _KINDS[setup.kind]
    limits = CallLimits(rate=RATE, pace=pace)
    return make(setup.repository, Calls(address(setup.token, setup.base_url), limits, variable=setup.variable))


_KINDS: Final[Mapping[str, tuple[Callable[..., Forge], Callable[[str, str], Address]]]] = {
    "github": (GitHub, github_address),
    "gitlab": (GitLab, gitlab_address),
}
