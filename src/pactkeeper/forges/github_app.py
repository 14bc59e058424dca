"""A GitHub App: short-lived tokens for one repository, exchanged for a statement that the app's own key signs.

GitHub: "Generating a JSON Web Token (JWT) for a GitHub App" and "Generating an installation access token".
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

from pactkeeper.boards.calls import Calls
from pactkeeper.boards.github import address
from pactkeeper.boards.port import CallLimits
from pactkeeper.errors import BoardUnavailable, InputError, MissingExtra, UsageError, how_to_install
from pactkeeper.settings.forges import APP_KEY, AppSetup

_EARLY: Final = 60  # seconds by which GitHub's clock may be behind ours
_LONG: Final = 540  # seconds that a statement is good for; GitHub takes at most 600
_LEFT: Final = 600  # seconds that a kept token must still be good for
_MOST_KEY: Final = 65_536
FOLDER: Final = "github-app"


@dataclass(frozen=True, slots=True)
class Installed:
    """The token of an app for one repository, the account that it acts as, and its end in seconds since 1970."""

    token: str = field(repr=False)
    account: str
    ends: float


@dataclass(frozen=True, slots=True)
class AppTokens:
    """Tokens of one app at one server, kept in `folder` until they are about to end; `now` is seconds since 1970."""

    setup: AppSetup
    base_url: str
    folder: Path
    now: Callable[[], float]

    def installed(self, repository: str) -> Installed:
        """The token for `OWNER/NAME`.

        Raises UsageError for the key, InputError where the app is not installed, BoardUnavailable, and MissingExtra.
        """
        place = self.folder / sha256(f"{self.base_url} {self.setup.app} {repository}".encode()).hexdigest()[:32]
        known = _kept(place)
        if known is not None and known.ends - self.now() > _LEFT:
            return known
        found = self._exchanged(repository)
        _keep(place, found)
        return found

    def _exchanged(self, repository: str) -> Installed:
        calls = Calls(address(self._statement(), self.base_url), CallLimits(), variable=APP_KEY)
        try:
            with calls.session():
                there = calls.get(f"/repos/{repository}/installation").data
                wanted = {"repositories": [repository.partition("/")[2]]}
                path = f"/app/installations/{int(there['id'])}/access_tokens"
                made = calls.send("POST", path, body=wanted, repeatable=True).data
                ends = datetime.fromisoformat(made["expires_at"]).timestamp()
                return Installed(str(made["token"]), f"{there['app_slug']}[bot]", ends)
        except ValueError as error:
            raise BoardUnavailable(f"{self.base_url} answers in a form that is not known ({error})") from error
        finally:
            calls.close()

    def _statement(self) -> str:
        """A JWT (RS256) that says which app this is, good for nine minutes."""
        try:
            from joserfc import jwt  # noqa: PLC0415 - an extra
            from joserfc.errors import JoseError  # noqa: PLC0415 - likewise
            from joserfc.jwk import RSAKey  # noqa: PLC0415 - likewise
        except ModuleNotFoundError as error:
            raise MissingExtra(f"tokens of a GitHub App are not installed: {how_to_install('workers')}") from error
        now = int(self.now())
        said = {"iat": now - _EARLY, "exp": now + _LONG, "iss": self.setup.app}
        try:
            return jwt.encode({"alg": "RS256"}, said, RSAKey.import_key(_key(self.setup.key)))
        except (ValueError, JoseError):
            raise UsageError(f"{str(self.setup.key)!r} holds no RSA private key as PEM; download it anew") from None


def app_tokens(setup: AppSetup, base_url: str, folder: Path | None) -> AppTokens:
    """The tokens of an app; raises UsageError where there is no folder to keep them in."""
    if folder is None:
        raise UsageError("there is no home folder to keep tokens of an app in; set HOME or XDG_DATA_HOME")
    return AppTokens(setup, base_url, folder / FOLDER, time.time)


def _key(place: Path) -> bytes:
    """Read the key; raises UsageError where it is missing or others may read it."""
    try:
        with place.open("rb") as file:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077:
                raise UsageError(f"others may read {str(place)!r}; close it: chmod 600 {place}")
            return file.read(_MOST_KEY)
    except OSError as error:
        raise UsageError(f"the key of the app, {str(place)!r}, cannot be read: {error.strerror}") from error


def _kept(place: Path) -> Installed | None:
    """A token from before; what does not read is as good as none."""
    try:
        return Installed(**json.loads(place.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _keep(place: Path, found: Installed) -> None:
    """Keep a token where only this account reads it."""
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=place.parent, delete=False) as file:  # readable by us alone
            json.dump(asdict(found), file)
        Path(file.name).replace(place)
    except OSError as error:
        raise InputError(f"a token cannot be kept in {str(place.parent)!r}: {error.strerror}") from error
