"""Which forge a pull request is on, as CI's own variables say; tokens come from the environment alone."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.errors import UsageError

TOKEN: Final = "PACTKEEPER_FORGE_TOKEN"  # noqa: S105 - the name of a variable
KINDS: Final = ("github", "gitlab")


@dataclass(frozen=True, slots=True)
class ForgeSetup:
    """A forge and a repository there; `number` is the pull request that CI runs for, 0 where it says none.

    `summary` is the file whose Markdown the forge shows with the job; empty where there is none.
    """

    kind: str
    base_url: str
    repository: str
    token: str = field(repr=False)
    variable: str
    number: int = 0
    summary: str = ""


@dataclass(frozen=True, slots=True)
class _Names:
    """What the variables of a kind are called, and where it answers when none says."""

    marker: str
    token: str
    base_url: str
    usual: str
    repositories: tuple[str, ...]
    number: str


_NAMES: Final[Mapping[str, _Names]] = {
    "github": _Names(
        "GITHUB_ACTIONS", "GITHUB_TOKEN", "GITHUB_API_URL", "https://api.github.com", ("GITHUB_REPOSITORY",), ""
    ),
    "gitlab": _Names(
        "GITLAB_CI",
        "GITLAB_TOKEN",
        "CI_API_V4_URL",
        "https://gitlab.com/api/v4",
        ("CI_MERGE_REQUEST_PROJECT_ID", "CI_PROJECT_ID"),  # the pipeline of a fork runs in the fork
        "CI_MERGE_REQUEST_IID",
    ),
}


def forge_setup(kind: str = "", repository: str = "", variables: Mapping[str, str] | None = None) -> ForgeSetup:
    """Say which forge; `kind` and `repository` outweigh what CI says. Raises UsageError where either is missing."""
    said = os.environ if variables is None else variables
    found = kind or next((name for name in KINDS if said.get(_NAMES[name].marker)), "")
    if found not in KINDS:
        raise UsageError(f"which forge? give --forge {' or '.join(KINDS)}" + (f", not {kind!r}" if kind else ""))
    names = _NAMES[found]
    wanted = repository or next((said[name] for name in names.repositories if said.get(name)), "")
    if not wanted:
        raise UsageError(f"which repository? give --repo OWNER/NAME, or set {names.repositories[-1]}")
    variable = TOKEN if said.get(TOKEN) else names.token
    number = said.get(names.number, "") if names.number else ""
    return ForgeSetup(
        found,
        said.get(names.base_url, "").rstrip("/") or names.usual,
        wanted,
        said.get(variable, "").strip(),
        variable,
        int(number) if number.isascii() and number.isdigit() else 0,
        said.get("GITHUB_STEP_SUMMARY", "") if found == "github" else "",
    )
