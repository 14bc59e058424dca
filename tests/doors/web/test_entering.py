"""Who is let in."""

import socket
import time

import pytest
from starlette.testclient import TestClient

from pactkeeper.doors.web.app import application
from pactkeeper.doors.web.entering import LASTS, Tokens
from pactkeeper.doors.web.serving import serve
from pactkeeper.errors import UsageError
from pactkeeper.verbs.listening import Address
from tests.doors.web.conftest import URL, app_of, client_of


def test_the_one_time_token_opens_one_session(project):
    app = application(project.root, Address.of("8766"), Tokens(time.monotonic, first="told once"))
    with client_of(app, "told once") as client:
        assert client.get("/openapi.json").status_code == 401
        token = client.post("/session").json()["token"]
        assert client.post("/session").status_code == 401
        assert client.get("/openapi.json", headers={"Authorization": f"Bearer {token}"}).status_code == 200


def test_a_session_ends():
    clock = [0.0]
    tokens = Tokens(lambda: clock[0], first="told once")
    made = tokens.open("told once")
    assert made is not None
    assert tokens.known(made)
    clock[0] = LASTS
    assert not tokens.known(made)


@pytest.fixture
def browser(project):
    """A browser that opened the address which the server told."""
    app = application(project.root, Address.of("8766"), Tokens(time.monotonic, first="told-once"))
    with TestClient(app, base_url=URL) as client:
        client.get("/enter", params={"token": "told-once"})
        yield client


def test_the_address_that_is_told_opens_a_session_that_scripts_cannot_read(project):
    app = application(project.root, Address.of("8766"), Tokens(time.monotonic, first="told-once"))
    with TestClient(app, base_url=URL, follow_redirects=False) as client:
        entered = client.get("/enter", params={"token": "told-once"})
        assert 'content="0; url=/"' in entered.text
        cookie = entered.headers["set-cookie"]
        assert cookie.startswith("pactkeeper-8766=")
        assert all(part in cookie for part in ("HttpOnly", "SameSite=strict", "Path=/"))
        assert "told-once" not in cookie
        assert client.get("/statistics").status_code == 200
        client.cookies.clear()
        assert client.get("/enter", params={"token": "told-once"}).status_code == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://127.0.0.1:3000"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 422),
        ({"Origin": URL}, 422),
    ],
)
def test_a_session_writes_from_our_own_pages_only(browser, headers, status):
    assert browser.post("/agents/reconciliation/runs/REC-gone/cancel", json={}, headers=headers).status_code == status


def test_a_session_ends_with_signing_out(browser):
    secret = browser.cookies["pactkeeper-8766"]
    assert browser.post("/sign-out", headers={"Origin": URL}).status_code == 200
    assert not browser.cookies
    browser.cookies.set("pactkeeper-8766", secret)
    assert browser.get("/statistics").status_code == 401


def test_a_browser_without_a_session_is_told_the_way_in(project):
    app = application(project.root, Address.of("8766"), Tokens(time.monotonic, first="told-once"))
    with TestClient(app, base_url=URL) as client:
        shown = client.get("/statistics", headers={"Accept": "text/html"})
    assert (shown.status_code, shown.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert "Open the address that pk serve printed" in shown.text


@pytest.mark.parametrize("token", ["", "wrong", "told once?"])
def test_nothing_but_health_is_told_without_the_token(project, token):
    with client_of(app_of(project), token) as client:
        refused = client.get("/atoms")
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        assert client.get("/metrics").status_code == 401
        assert client.get("/health").json()["status"] == "ok"


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example:8766"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
def test_other_names_and_pages_of_others_are_refused(project, headers):
    with client_of(app_of(project), **headers) as client:
        assert client.get("/health").status_code == 403


def test_answers_are_for_nobody_to_keep_or_frame(project):
    with client_of(app_of(project)) as client:
        headers = client.get("/health").headers
    assert headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "same-origin")


@pytest.mark.parametrize(
    ("listen", "token", "words"), [("192.0.2.7:1", None, "this machine"), ("0", "short", "at least 16")]
)
def test_an_address_for_others_and_an_easy_token_are_refused(tmp_path, listen, token, words):
    with pytest.raises(UsageError, match=words):
        serve(tmp_path, Address.of(listen), token)


def test_a_port_that_is_taken_is_told_with_a_way_out(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"127.0.0.1:{port} cannot be used for listening: .*name another port"):
            serve(tmp_path, Address.of(str(port)), None)


def test_a_browser_is_told_that_the_server_takes_the_token_of_programs(project):
    app = application(project.root, Address.of("8766"), Tokens(time.monotonic, lasting="a long enough token"))
    with TestClient(app, base_url=URL) as client:
        shown = client.get("/", headers={"accept": "text/html"})
    assert (shown.status_code, "without that variable" in shown.text) == (401, True)
