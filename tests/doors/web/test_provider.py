"""Coming in by an OpenID Connect provider: a small one on loopback, which can be made to lie."""

import base64
import hashlib
import json
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from pactkeeper.doors.web.provider import Provider
from pactkeeper.doors.web.team import team_application
from pactkeeper.errors import UsageError
from pactkeeper.operators.accounts import disable_user
from pactkeeper.settings.forges import ProviderSetup, provider_setup
from pactkeeper.store.team import account_named
from tests.doors.web.team_server import SITE, URL, client_of, opened
from tests.waiting import served

pytestmark = pytest.mark.slow

CLIENT, SECRET = "pactkeeper", "the client's secret"
KEY = RSAKey.generate_key(2048, {"kid": "one"})


@dataclass
class Fake:
    """A provider that vouches for Reader Person; `lies` replaces claims, `key` signs."""

    issuer: str = ""
    lies: dict = field(default_factory=dict)
    key: Any = field(default_factory=lambda: KEY)
    algorithm: str = "RS256"
    asked: dict = field(default_factory=dict)
    answers: dict = field(default_factory=dict)  # by path, in place of what it would say

    def id_token(self):
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "sub": "77",
            "aud": CLIENT,
            "iat": now,
            "exp": now + 60,
            "nonce": self.asked["nonce"],
            "email": "reader@example.org",
            "email_verified": True,
        }
        kept = {name: value for name, value in (claims | self.lies).items() if value is not None}
        return jwt.encode({"alg": self.algorithm, "kid": "one"}, kept, self.key)

    def token(self, form, login):
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        assert login == f"Basic {base64.b64encode(f'{CLIENT}:{SECRET}'.encode()).decode()}"
        assert challenge.decode() == self.asked["code_challenge"]
        assert form["code"] == "the code"
        assert form["redirect_uri"] == f"{URL}/sign-in/return"
        return {"access_token": "x", "token_type": "Bearer", "id_token": self.id_token()}


@pytest.fixture
def fake():
    provider = Fake()

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self):
            self.say({"keys": [KEY.as_dict(private=False)]} if self.path == "/keys" else self.about())

        def do_POST(self):
            held = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(held).items()}
            self.say(provider.token(form, self.headers["Authorization"]))

        def about(self):
            paths = {"authorization_endpoint": "/begin", "token_endpoint": "/token", "jwks_uri": "/keys"}
            return {"issuer": provider.issuer} | {name: provider.issuer + path for name, path in paths.items()}

        def say(self, document):
            held = provider.answers.get(self.path, json.dumps(document).encode())
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(held)))
            self.end_headers()
            self.wfile.write(held)

        def log_message(self, *_):
            """Say nothing."""

    with served(Answers) as provider.issuer:
        yield provider


@pytest.fixture
def server(project, fake):
    setup = ProviderSetup(fake.issuer, CLIENT, SECRET)
    with opened(project.root, provider=Provider(setup, f"{URL}/sign-in/return")) as (team, app):
        yield team, app


def returned(app, fake, state=None):
    """Go to the provider and come back."""
    client = client_of(app, follow_redirects=False)
    led = client.get("/sign-in/provider")
    assert led.status_code == 303
    fake.asked = {name: values[0] for name, values in parse_qs(urlsplit(led.headers["location"]).query).items()}
    given = {"code": "the code", "state": state or fake.asked["state"]}
    return client, client.get("/sign-in/return", params=given)


def test_a_person_comes_in_by_the_provider_under_their_own_account(server, fake):
    team, app = server
    client, done = returned(app, fake)
    assert done.status_code == 200, done.text
    assert "Signed in as Reader Person" in client.get("/").text
    account = account_named(team.database, "reader")
    assert account is not None
    assert account.subject == f"{fake.issuer} 77"


@pytest.mark.parametrize(
    "answer",
    [
        b"[" * 100_000,
        b'{"keys": {"a": 1}}',
        b'{"keys": []}',
        b'{"keys": 3}',
        b'{"keys": [{"kty": ["RSA"]}]}',
        b"{}",
        b"null",
        b'{"a": "' + b"x" * (1 << 20) + b'"}',
    ],
    ids=["deep", "no list", "empty", "number", "types", "nothing", "null", "large"],
)
@pytest.mark.parametrize("path", ["/keys", "/token"])
def test_a_provider_that_talks_nonsense_lets_nobody_in_and_is_said_to(server, fake, path, answer):
    _, app = server
    fake.answers[path] = answer
    client, done = returned(app, fake)
    assert done.status_code in {403, 503}, done.text
    assert "provider" in done.text
    assert '<form method="post" action="/sign-in">' in done.text
    assert "Signed in as" not in client.get("/").text


def test_a_key_of_an_unknown_kind_beside_the_good_one_keeps_nobody_out(server, fake):
    _, app = server
    keys = [{"kty": "XYZ", "kid": "new"}, KEY.as_dict(private=False)]
    fake.answers["/keys"] = json.dumps({"keys": keys}).encode()
    client, done = returned(app, fake)
    assert done.status_code == 200, done.text
    assert "Signed in as Reader Person" in client.get("/").text


@pytest.mark.parametrize("address", ["", 3, "http://provider/\ud800", None])
def test_an_address_that_is_none_is_told_and_asked_for_again(server, fake, address):
    _, app = server
    names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    said = {"issuer": fake.issuer} | dict.fromkeys(names, f"{fake.issuer}/begin") | {"jwks_uri": address}
    fake.answers["/.well-known/openid-configuration"] = json.dumps(said).encode()
    client = client_of(app, follow_redirects=False)
    refused = client.get("/sign-in/provider")
    assert refused.status_code == 503
    assert "names no jwks_uri" in refused.text
    fake.answers.clear()
    assert client.get("/sign-in/provider").status_code == 303


def test_the_form_offers_the_provider(server):
    _, app = server
    assert 'href="/sign-in/provider"' in client_of(app).get("/sign-in").text


@pytest.mark.parametrize(
    "lies",
    [
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"nonce": "another"},
        {"nonce": None},
        {"exp": 1},
        {"email_verified": False},
        {"email_verified": None},
        {"email": "stranger@example.org"},
        {"email": ""},
    ],
)
def test_what_the_provider_says_wrongly_lets_nobody_in(server, fake, lies):
    _, app = server
    fake.lies = lies
    client, done = returned(app, fake)
    assert done.status_code == 403, done.text
    assert client.get("/repos").status_code == 401


@pytest.mark.parametrize(
    ("key", "algorithm"), [(RSAKey.generate_key(2048, {"kid": "one"}), "RS256"), (OctKey.import_key("k" * 32), "HS256")]
)
def test_a_signature_by_another_key_or_a_shared_one_lets_nobody_in(server, fake, key, algorithm):
    _, app = server
    fake.key, fake.algorithm = key, algorithm
    assert returned(app, fake)[1].status_code == 403


def test_an_answer_to_another_browsers_question_lets_nobody_in(server, fake):
    _, app = server
    assert returned(app, fake, state="another")[1].status_code == 403


def test_a_mail_address_that_moved_to_somebody_else_opens_no_account(server, fake):
    _, app = server
    assert returned(app, fake)[1].status_code == 200
    fake.lies = {"sub": "78"}
    assert returned(app, fake)[1].status_code == 403
    fake.lies = {"email": "renamed@example.org"}
    assert returned(app, fake)[1].status_code == 200


def test_a_disabled_account_is_not_let_in(server, fake):
    team, app = server
    disable_user(team, "reader")
    assert returned(app, fake)[1].status_code == 403


def test_a_provider_that_is_away_is_told(server, fake):
    team, _ = server
    setup = ProviderSetup("http://127.0.0.1:9", CLIENT, SECRET)
    with_it = Provider(setup, f"{URL}/sign-in/return")
    done = client_of(team_application(team, SITE, with_it)).get("/sign-in/provider")
    assert done.status_code == 503
    assert fake.issuer


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"PACTKEEPER_OIDC_ISSUER": "https://id.example.org"}, "PACTKEEPER_OIDC_CLIENT, PACTKEEPER_OIDC_SECRET"),
        (
            {
                "PACTKEEPER_OIDC_ISSUER": "http://id.example.org",
                "PACTKEEPER_OIDC_CLIENT": "a",
                "PACTKEEPER_OIDC_SECRET": "b",
            },
            "by https",
        ),
    ],
)
def test_a_provider_that_is_set_up_in_part_or_without_tls_is_refused(monkeypatch, given, words):
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UsageError, match=words):
        provider_setup()
