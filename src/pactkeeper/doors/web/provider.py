"""Sign in with an OpenID Connect provider: where to send a browser, and whom the provider vouches for."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from pactkeeper.boards.calls import Exchanges
from pactkeeper.errors import RefusedError, SourceError
from pactkeeper.operators.accounts import Claimed
from pactkeeper.settings.forges import ProviderSetup

PATIENCE: Final = 10.0  # seconds for one answer
MOST: Final = 1 << 20  # bytes of one answer
LEEWAY: Final = 60  # seconds by which clocks may differ
# Signatures by a key that only the provider has; a shared secret or none is no proof.
SIGNED: Final = ("RS256", "RS384", "RS512", "ES256", "ES384", "PS256", "PS384", "EdDSA")
_PLAIN: Final = {"Accept-Encoding": "identity"}
_NAMED: Final = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")


@dataclass(frozen=True, slots=True)
class Trip:
    """What a browser carries to the provider and back, so that an answer can be matched to its request."""

    state: str
    nonce: str
    verifier: str

    @staticmethod
    def begin() -> Trip:
        """A new trip, with random values."""
        return Trip(secrets.token_urlsafe(24), secrets.token_urlsafe(24), secrets.token_urlsafe(48))

    @staticmethod
    def of(text: str) -> Trip | None:
        """Parse a trip from a cookie; None if it is invalid."""
        parts = text.split(".")
        return Trip(*parts) if len(parts) == 3 and all(parts) else None  # noqa: PLR2004 - its members

    def __str__(self) -> str:
        return f"{self.state}.{self.nonce}.{self.verifier}"


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider; its metadata is fetched once."""

    setup: ProviderSetup
    returns_to: str
    _known: dict[str, str] = field(default_factory=dict, repr=False)

    def address(self, trip: Trip) -> str:
        """The URL to send a browser to; raises SourceError if the provider can't be reached."""
        asked = {"redirect_uri": self.returns_to, "scope": "openid email", "state": trip.state, "nonce": trip.nonce}
        proof = {"code_challenge": create_s256_code_challenge(trip.verifier), "code_challenge_method": "S256"}
        begin = self._about("authorization_endpoint")
        return str(prepare_grant_uri(begin, self.setup.client, "code", **asked, **proof))

    def claimed(self, code: str, trip: Trip) -> Claimed:
        """Whom the provider vouches for; raises RefusedError if it doesn't, and SourceError."""
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.returns_to}
        answer = self._ask("POST", self._about("token_endpoint"), {**form, "code_verifier": trip.verifier})
        claims = self._claims(str(answer.get("id_token", "")), trip)
        if claims.get("email_verified") is not True:
            raise RefusedError("the provider has not verified your mail address; verify it there")
        return Claimed(f"{self.setup.issuer} {claims['sub']}", str(claims.get("email", "")))

    def _claims(self, token: str, trip: Trip) -> Mapping[str, Any]:
        keys = _keys(self._ask("GET", self._about("jwks_uri")))
        issuer = {"essential": True, "value": self._about("issuer")}
        audience = {"essential": True, "value": self.setup.client}
        try:
            read = jwt.decode(token, keys, algorithms=SIGNED)
            wanted = {"iss": issuer, "aud": audience, "sub": {"essential": True}}
            claims = CodeIDToken(
                read.claims, read.header, wanted, {"nonce": trip.nonce, "client_id": self.setup.client}
            )
            claims.validate(int(time.time()), LEEWAY)
        except (JoseError, AuthlibBaseError, ValueError, RecursionError) as error:
            raise RefusedError(f"the provider's answer cannot be trusted: {error}; sign in again") from error
        return dict(read.claims)

    def _about(self, name: str) -> str:
        if not self._known:
            said = self._ask("GET", f"{self.setup.issuer}/.well-known/openid-configuration")
            if str(said.get("issuer", "")).rstrip("/") != self.setup.issuer:
                raise SourceError(f"the provider at {self.setup.issuer!r} calls itself {said.get('issuer')!r}")
            named = {one: said[one] for one in _NAMED if isinstance(said.get(one), str) and said[one].isprintable()}
            missing = [one for one in _NAMED if not named.get(one)]
            if missing:
                raise SourceError(f"the provider at {self.setup.issuer!r} names no {missing[0]}")
            self._known.update(named)
        return self._known[name]

    def _ask(self, method: str, url: str, form: Mapping[str, str] | None = None) -> Mapping[str, Any]:
        login = None if form is None else (self.setup.client, self.setup.secret)
        try:
            said = json.loads(_fetched(method, url, form, login=login))
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, RecursionError) as error:
            raise SourceError(f"the provider gave an unexpected answer: {error}; try again") from error
        if not isinstance(said, dict):
            raise SourceError(f"the provider's answer at {url!r} is not a JSON object")
        return said


def _fetched(method: str, url: str, form: Mapping[str, str] | None, *, login: tuple[str, str] | None) -> bytes:
    """An answer, read in pieces within limits of size and time; not decompressed, as a small body may expand."""
    held, exchanges = bytearray(), Exchanges()
    with exchanges.within(PATIENCE), httpx2.Client(timeout=PATIENCE, headers=_PLAIN) as client:
        request = client.build_request(method, url, data=form, extensions={"trace": exchanges.noted})
        answer = client.send(request, auth=login, stream=True)
        answer.raise_for_status()
        for piece in answer.iter_raw():
            held += piece
            if len(held) > MOST:
                raise SourceError(f"the provider's answer at {url!r} has over {MOST:,} bytes")
    return bytes(held)


def _keys(said: Mapping[str, Any]) -> KeySet:
    """The usable keys; those of unknown kinds are skipped (RFC 7517, section 5)."""
    found, why = [], "it has none"
    listed = said.get("keys")
    for one in listed if isinstance(listed, list) else ():
        try:
            found += KeySet.import_key_set({"keys": [one]}).keys
        except (JoseError, ValueError, TypeError, LookupError, AttributeError) as error:
            why = str(error)
    if not found:
        raise SourceError(f"the provider's keys cannot be read: {why}; try again")
    return KeySet(found)
