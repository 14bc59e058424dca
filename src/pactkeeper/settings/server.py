"""What the environment says of a server for a team: the provider that people may come in by."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.errors import UsageError

_VARIABLES: Final = ("PACTKEEPER_OIDC_ISSUER", "PACTKEEPER_OIDC_CLIENT", "PACTKEEPER_OIDC_SECRET")


@dataclass(frozen=True, slots=True)
class ProviderSetup:
    """An OpenID Connect provider, and what it knows this server by."""

    issuer: str
    client: str
    secret: str = field(repr=False)


def provider_setup() -> ProviderSetup | None:
    """The provider that is set up, None where none is; raises UsageError where only part of it is."""
    found = {name: os.environ.get(name, "") for name in _VARIABLES}
    missing = [name for name, value in found.items() if not value]
    if len(missing) == len(_VARIABLES):
        return None
    if missing:
        raise UsageError(f"a provider is set up only in part; set {', '.join(missing)} too")
    issuer = found[_VARIABLES[0]].rstrip("/")
    if not issuer.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        raise UsageError(f"the issuer {issuer!r} must be reached by https")
    return ProviderSetup(issuer, found[_VARIABLES[1]], found[_VARIABLES[2]])
