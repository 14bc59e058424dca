"""A GitHub App on loopback: its statements are verified with its public key, its tokens let in for one repository."""

import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from pactkeeper.errors import BoardUnavailable, InputError, UsageError
from pactkeeper.forges.github import AppTokens
from pactkeeper.settings.forges import AppSetup, forge_setup
from tests.boards.fakes import Refused
from tests.doors.conftest import first_adopted, first_project  # noqa: F401 - fixtures of the doors serve here as well
from tests.forges.conftest import make_site
from tests.forges.fakes import FakeGitHubPulls

pytestmark = pytest.mark.slow

APP, BOT = "Iv1.app", "pact-keeper[bot]"
NOW = 1_800_000_000.0
HOUR = 3600


class FakeGitHubApp(FakeGitHubPulls):
    """Gives the app of a key tokens, and takes nothing but the last of them."""

    def __init__(self, origin, key):
        self.key, self.issued, self.asked = key, [], []
        self.now = lambda: datetime.now(UTC).timestamp()
        super().__init__(origin)

    def serve(self, door):
        said = door.headers.get("Authorization", "")
        of_the_app = door.path.endswith("/installation") or door.path.startswith("/app/")
        self.authorization = said if of_the_app and self._signed(said) else f"Bearer {([None, *self.issued])[-1]}"
        return super().serve(door)

    def _signed(self, said):
        try:
            claims = jwt.decode(said.removeprefix("Bearer "), self.key, algorithms=["RS256"]).claims
        except (JoseError, ValueError):
            return False
        return claims["iss"] == APP and claims["iat"] <= self.now() < claims["exp"] <= claims["iat"] + 600

    def look(self, steps, query):
        if steps == ["repos", "acme", "shop", "installation"]:
            return {"id": 5, "app_slug": "pact-keeper"}
        if steps == ["user"]:
            raise Refused(403, "Resource not accessible by integration")
        return super().look(steps, query)

    def change(self, steps, body):
        if steps == ["app", "installations", "5", "access_tokens"]:
            self.asked.append(body)
            self.issued.append(f"ghs_secret{len(self.issued)}")
            ends = datetime.fromtimestamp(self.now() + HOUR, UTC)
            return {"token": self.issued[-1], "expires_at": ends.strftime("%Y-%m-%dT%H:%M:%SZ")}
        if steps[3:] == ["issues", "7", "comments"]:
            return self.shown(self._comment(self.write(BOT, body["body"])))
        return super().change(steps, body)


@pytest.fixture(scope="module")
def pem():
    made = rsa.generate_private_key(65537, 2048)
    return made.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())


@pytest.fixture
def key(pem, tmp_path):
    place = tmp_path / "app.pem"
    place.write_bytes(pem)
    place.chmod(0o600)
    return place


@pytest.fixture
def fake(pem, tmp_path):
    made = FakeGitHubApp(tmp_path, RSAKey.import_key(pem))
    made.now = lambda: NOW
    yield made
    made.close()


@pytest.fixture
def tokens(fake, key, tmp_path):
    """The tokens of the app, so many seconds later."""

    def at(seconds=0):
        fake.now = lambda: NOW + seconds
        return AppTokens(AppSetup(APP, key), fake.url, tmp_path / "kept", fake.now)

    return at


@pytest.fixture
def site(first_adopted, tmp_path, pem):  # noqa: F811 - the fixture of that name
    made = make_site("github", first_adopted, tmp_path, lambda origin: FakeGitHubApp(origin, RSAKey.import_key(pem)))
    yield made
    made.forge.close()


def test_a_token_for_one_repository_is_kept_until_ten_minutes_before_its_end(fake, tokens):
    first = tokens().installed("acme/shop")
    assert (first.token, first.account, first.ends) == ("ghs_secret0", BOT, NOW + HOUR)
    assert fake.asked == [{"repositories": ["shop"]}]
    assert tokens(HOUR - 601).installed("acme/shop") == first
    assert tokens(HOUR - 599).installed("acme/shop").token == "ghs_secret1"


def test_a_token_is_readable_by_us_alone_and_never_printed(tokens, tmp_path):
    found = tokens().installed("acme/shop")
    (kept,) = (tmp_path / "kept").iterdir()
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert found.token not in repr(found)


def test_a_kept_token_that_does_not_read_is_asked_for_again(tokens, tmp_path):
    tokens().installed("acme/shop")
    (kept,) = (tmp_path / "kept").iterdir()
    kept.write_text("{")
    assert tokens().installed("acme/shop").token == "ghs_secret1"


def test_a_repository_without_the_app_is_said(tokens):
    with pytest.raises(InputError, match=r"GET .*/repos/acme/other/installation does not exist"):
        tokens().installed("acme/other")


def test_a_statement_of_another_key_is_not_taken(fake, tokens):
    fake.key = RSAKey.generate_key(2048)
    with pytest.raises(BoardUnavailable, match="not allowed"):
        tokens().installed("acme/shop")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda key: key.chmod(0o640), "others can read"),
        (lambda key: key.write_text("no key"), "holds no RSA private key"),
        (lambda key: key.unlink(), "cannot be read"),
    ],
)
def test_a_key_that_cannot_be_used_is_said(tokens, key, spoil, why):
    spoil(key)
    with pytest.raises(UsageError, match=why):
        tokens().installed("acme/shop")


def test_an_app_is_set_up_whole_or_not_at_all():
    said = {"PACTKEEPER_GITHUB_APP": APP}
    with pytest.raises(UsageError, match="set PACTKEEPER_GITHUB_APP_KEY too"):
        forge_setup("github", "acme/shop", variables=said)
    whole = {**said, "PACTKEEPER_GITHUB_APP_KEY": "/k.pem", "GITHUB_TOKEN": "t"}
    assert forge_setup("github", "acme/shop", variables=whole).token == ""
    assert forge_setup("gitlab", "acme/shop", variables=whole).app is None
    given = forge_setup("github", "acme/shop", variables={**whole, "PACTKEEPER_FORGE_TOKEN": "given"})
    assert (given.token, given.app) == ("given", None)


def test_the_app_keeps_one_comment_and_asks_for_one_token(site, key, tmp_path):
    said = {"PACTKEEPER_GITHUB_APP": APP, "PACTKEEPER_GITHUB_APP_KEY": str(key), "PACTKEEPER_FORGE_TOKEN": ""}
    told = [site.pk("report", "7", code=1, XDG_DATA_HOME=str(tmp_path / "data"), **said) for _ in range(2)]
    assert [one["author"] for one in site.forge.comments] == [BOT]
    assert site.forge.verdicts[0] == (site.forge.head, False)
    assert site.forge.issued == ["ghs_secret0"]
    assert "ghs_" not in "".join(one.out + one.err for one in told)


def test_git_gets_the_token_from_its_credential_helper(site, key, tmp_path):
    site.forge.secret = "x-access-token:ghs_secret0"
    settings = ("credential.helper=", f"credential.helper=!{sys.executable} -m pactkeeper pr credential")
    options = [part for one in (*settings, "credential.useHttpPath=true") for part in ("-c", one)]
    variables = {
        **os.environ,
        "PACTKEEPER_GITHUB_APP": APP,
        "PACTKEEPER_GITHUB_APP_KEY": str(key),
        "GITHUB_API_URL": site.forge.url,
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "GIT_TERMINAL_PROMPT": "0",
    }
    command = ["git", *options, "ls-remote", f"{site.forge.url}/acme/shop.git"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert "refs/pull/7/head" in done.stdout, done.stderr
