"""Which forge a pull request is on, from CI's variables or the clone; secrets come only from the environment.

For a team's server, also the identity provider that people sign in with.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pactkeeper.errors import UsageError

TOKEN: Final = "PACTKEEPER_FORGE_TOKEN"  # noqa: S105 - the name of a variable
APP, APP_KEY = "PACTKEEPER_GITHUB_APP", "PACTKEEPER_GITHUB_APP_KEY"
KINDS: Final = ("github", "gitlab")
SHORTEST_SECRET: Final = 16


@dataclass(frozen=True, slots=True)
class AppSetup:
    """A GitHub App, by its client id or number, and the file with its private key."""

    app: str
    key: Path


@dataclass(frozen=True, slots=True)
class ForgeSetup:
    """A forge and a repository on it; `number` is the pull request that CI runs for, 0 if unknown.

    `summary` is the file whose Markdown the forge shows with the job; empty if there is none. `app` provides tokens if
    no `token` is set.
    """

    kind: str
    base_url: str
    repository: str
    token: str = field(repr=False)
    variable: str
    number: int = 0
    summary: str = ""
    app: AppSetup | None = None


@dataclass(frozen=True, slots=True)
class _Names:
    """The names of a forge's variables, and the default URL of its API."""

    marker: str
    token: str
    base_url: str
    usual: str
    repositories: tuple[str, ...]
    number: str = ""
    summary: str = ""


_NAMES: Final[Mapping[str, _Names]] = {
    "github": _Names(
        "GITHUB_ACTIONS",
        "GITHUB_TOKEN",
        "GITHUB_API_URL",
        "https://api.github.com",
        ("GITHUB_REPOSITORY",),
        summary="GITHUB_STEP_SUMMARY",
    ),
    "gitlab": _Names(
        "GITLAB_CI",
        "GITLAB_TOKEN",
        "CI_API_V4_URL",
        "https://gitlab.com/api/v4",
        ("CI_MERGE_REQUEST_PROJECT_ID", "CI_PROJECT_ID"),  # a fork's pipeline runs in the fork
        "CI_MERGE_REQUEST_IID",
    ),
}


def forge_setup(
    kind: str = "", repository: str = "", *, origin: str = "", variables: Mapping[str, str] | None = None
) -> ForgeSetup:
    """The forge to use; arguments outrank CI's variables, which outrank `origin`, the clone's HOST/PATH.

    Raises UsageError if the forge or the repository is missing.
    """
    said = os.environ if variables is None else variables
    found = kind or next((name for name in KINDS if said.get(_NAMES[name].marker)), "") or _by_host(origin, said)
    if found not in KINDS:
        raise UsageError(f"which forge? give --forge {' or '.join(KINDS)}" + (f", not {kind!r}" if kind else ""))
    names = _NAMES[found]
    at_origin = origin.partition("/")[2] if _by_host(origin, said) == found else ""
    wanted = next(filter(None, (repository, *map(said.get, names.repositories), at_origin)), "")
    if not wanted:
        raise UsageError(f"which repository? give --repo OWNER/NAME, or set {names.repositories[-1]}")
    app = None if found != "github" or said.get(TOKEN) else _app(said)
    variable = TOKEN if said.get(TOKEN) else APP_KEY if app else names.token
    number = said.get(names.number, "")
    return ForgeSetup(
        found,
        said.get(names.base_url, "").rstrip("/") or names.usual,
        wanted,
        "" if app else said.get(variable, "").strip(),
        variable,
        int(number) if number.isascii() and number.isdigit() else 0,
        said.get(names.summary, ""),
        app,
    )


def _app(said: Mapping[str, str]) -> AppSetup | None:
    """The app that is set up, or None; raises UsageError if it is only partly set up."""
    app, key = said.get(APP, "").strip(), said.get(APP_KEY, "").strip()
    if bool(app) != bool(key):
        raise UsageError(f"a GitHub App is only partly configured; set {APP if key else APP_KEY} too")
    return AppSetup(app, Path(key)) if app else None


def git_host(base_url: str) -> str:
    """The host of a server's repositories, given the URL of its API."""
    return urlsplit(base_url).netloc.removeprefix("api.")


def hook_secrets(variables: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """The webhook secret of each kind of forge that has one; raises UsageError for a short one."""
    said = os.environ if variables is None else variables
    named = {kind: f"PACTKEEPER_{kind.upper()}_HOOK_SECRET" for kind in KINDS}
    found = {kind: said[name].strip() for kind, name in named.items() if said.get(name)}
    short = [named[kind] for kind, secret in found.items() if len(secret) < SHORTEST_SECRET]
    if short:
        raise UsageError(f"{short[0]} has fewer than {SHORTEST_SECRET} characters; make one: openssl rand -hex 32")
    return found


def _by_host(origin: str, said: Mapping[str, str]) -> str:
    """The forge whose API is on the host that a clone comes from; empty if there is none."""
    host = origin.partition("/")[0]
    places = {kind: git_host(said.get(names.base_url) or names.usual) for kind, names in _NAMES.items()}
    return next((kind for kind, place in places.items() if host and host == place), "")


_VARIABLES: Final = ("PACTKEEPER_OIDC_ISSUER", "PACTKEEPER_OIDC_CLIENT", "PACTKEEPER_OIDC_SECRET")


@dataclass(frozen=True, slots=True)
class ProviderSetup:
    """An OpenID Connect provider, and this server's client id and secret there."""

    issuer: str
    client: str
    secret: str = field(repr=False)


def provider_setup() -> ProviderSetup | None:
    """The provider that is set up, or None; raises UsageError if it is only partly set up."""
    found = {name: os.environ.get(name, "") for name in _VARIABLES}
    missing = [name for name, value in found.items() if not value]
    if len(missing) == len(_VARIABLES):
        return None
    if missing:
        raise UsageError(f"a provider is only partly configured; set {', '.join(missing)} too")
    issuer = found[_VARIABLES[0]].rstrip("/")
    if not issuer.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        raise UsageError(f"the issuer {issuer!r} must be reached by https")
    return ProviderSetup(issuer, found[_VARIABLES[1]], found[_VARIABLES[2]])
