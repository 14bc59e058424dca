"""Run the server: on this machine for the holder of the token, or for a team with accounts."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pactkeeper.doors.web.app import application
from pactkeeper.doors.web.entering import Site, Tokens
from pactkeeper.doors.web.provider import Provider
from pactkeeper.doors.web.team import team_application
from pactkeeper.errors import UsageError
from pactkeeper.operators.accounts import list_users
from pactkeeper.operators.team import list_repositories, open_team
from pactkeeper.settings.forges import hook_secrets, provider_setup
from pactkeeper.store.database import keeping_open
from pactkeeper.verbs.listening import Address, listen, refuse_short

NEAR: Final = ("localhost", "127.0.0.1", "[::1]")  # used by programs on this machine, such as health checks


def serve(folder: Path, address: Address, token: str | None) -> None:
    """Serve until interrupted; without a token, generate one for a single session and print it on stderr.

    Raises UsageError for an address that others can reach, and for a token that is too short.
    """
    if not address.loopback:
        raise UsageError(
            f"{address.host!r} can be reached from other machines; pk serve listens on this machine only: "
            "127.0.0.1:PORT"
        )
    refuse_short(token)
    first = None if token else secrets.token_urlsafe(24)
    lines = ["listening on {url}", *([] if first is None else [f"open {{url}}/enter?token={first} (it works once)"])]
    with keeping_open():
        listen(application(folder, address, Tokens(time.monotonic, first, token)), address, lines)


@dataclass(frozen=True, slots=True)
class Public:
    """How people reach a team's server: its URL, and the address of the proxy in front of it, if any.

    Without a URL, it is reached at the address it listens on, on this machine.
    """

    url: str = ""
    behind: str = ""

    def site(self, address: Address) -> Site:
        """The names and origin it answers to; raises UsageError.

        Without TLS only this machine is served, since passwords and tokens could be read in transit.
        """
        if not self.url and not address.loopback:
            raise UsageError(
                f"{address.host!r} can be reached from other machines; give its public address: --url https://HOST"
            )
        return self._named() if self.url else Site.at(address)

    def _named(self) -> Site:
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        if parts.scheme not in {"https", "http"} or not host or parts.path.strip("/") or parts.query:
            raise UsageError(f"{self.url!r} is not the URL of a server; write https://pact.example.org")
        if parts.scheme == "http" and f"[{host}]" not in NEAR and host not in NEAR:
            raise UsageError(f"{self.url!r} has no TLS, so passwords could be read; put an https proxy in front of it")
        shown = f"[{host}]" if ":" in host else host
        return Site(frozenset({shown, *NEAR}), f"{parts.scheme}://{parts.netloc}")


def serve_team(address: Address, public: Public) -> None:
    """Serve a team until interrupted; raises UsageError for an unusable URL, and what `open_team` raises."""
    site, setup = public.site(address), provider_setup()
    if setup is not None and not public.url:
        raise UsageError("the provider must send people back to this server; give its address: --url https://HOST")
    provider = None if setup is None else Provider(setup, f"{site.origin}/sign-in/return")
    hooks = hook_secrets()
    with keeping_open(), open_team() as team:
        repositories, users = len(list_repositories(team)), len(list_users(team))
        lines = [f"listening on {{url}}: repositories {repositories}, accounts {users}"]
        lines += [f"webhooks of {kind} are received at {{url}}/hooks/{kind}" for kind in hooks]
        if not users:
            lines.append("nobody can sign in yet; add yourself: pk users add NAME --person 'NAME <MAIL>' --role admin")
        listen(team_application(team, site, provider, hooks), address, lines, behind=public.behind)
