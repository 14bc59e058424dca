"""`pk slack test` and `pk slack manifest`, and what is said where something is missing."""

import json
import os
import subprocess
import sys

import pytest

from pactkeeper.errors import how_to_install
from pactkeeper.settings.slack import EVENTS, SCOPES
from tests.conformance.threads.home import Home
from tests.conformance.threads.slack import TOKENS
from tests.doors.forking import SERVER
from tests.slack.fake import FakeSlack
from tests.slack.sockets import Sockets


@pytest.fixture
def fake():
    with FakeSlack() as found:
        found.scopes = [*SCOPES]
        Sockets(found)
        yield found


@pytest.fixture
def pk(tmp_path, fake):
    """Run `pk slack` with these lines in slack.toml and this environment."""
    home = Home(tmp_path)

    def run(*arguments, more="", code=0, **variables):
        home.set_up("slack.toml", f'base_url = "{fake.url}"\n{more}')
        return home.desk.pk("slack", *arguments, env={**home.env, **TOKENS, **variables}, code=code)

    return run


def test_a_set_up_that_is_whole_is_told_with_who_it_is_where(pk):
    found = pk("test")
    assert found.out.splitlines()[0] == "pactkeeper (U0BOT) in Acme (T0ACME), mode socket"
    assert "everything it needs is there" in found.out


def test_a_missing_scope_is_named_with_its_use(pk, fake):
    fake.scopes.remove("users:read")
    found = pk("test", "--json", code=1).document
    assert (found["schema"], found["team"]) == ("pactkeeper.slack-test/1", "T0ACME")
    (problem,) = found["problems"]
    assert "users:read" in problem
    assert "call people by their names" in problem


def test_a_channel_that_nobody_opened_to_it_is_named(pk, fake):
    fake.fault("conversations.replies", "error", error="not_in_channel")
    assert (
        "C0SHOP is not open to it (not_in_channel): invite it there"
        in pk("test", more='channels = ["C0SHOP"]', code=1).out
    )
    assert pk("test", more='channels = ["C0SHOP"]').code == 0


def test_socket_mode_that_does_not_open_is_told(pk, fake):
    fake.fault("apps.connections.open", "error", error="invalid_auth")
    assert "Socket Mode does not open: invalid_auth" in pk("test", code=1).out


def test_a_token_that_slack_does_not_take_is_an_error_and_not_shown(pk):
    found = pk("test", SLACK_BOT_TOKEN="xoxb-of-nobody", code=2)
    assert "invalid_auth" in found.err
    assert "of-nobody" not in found.out + found.err


def test_a_slack_that_cannot_be_reached_is_an_error(pk, fake):
    fake.fault("auth.test", "cut", times=9)
    assert "Slack cannot be served" in pk("test", code=2).err
    assert "Slack cannot be served" in pk(code=2).err


@pytest.mark.parametrize("body", ["[]", "null", '{"ok": true}'])
def test_a_slack_that_answers_what_is_none_of_its_answers_is_an_error(pk, fake, body):
    fake.fault("auth.test", "foreign", body=body, status=200, times=9)
    assert "Slack cannot be served" in pk(code=2).err


def test_tokens_that_are_missing_are_all_named(pk):
    found = pk(SLACK_BOT_TOKEN="", SLACK_APP_TOKEN="", code=2)
    assert "SLACK_BOT_TOKEN" in found.err
    assert "SLACK_APP_TOKEN" in found.err


def test_http_is_not_served_without_the_secret_that_requests_are_signed_with(pk):
    assert "SLACK_SIGNING_SECRET is not set" in pk(more='mode = "http"', SLACK_SIGNING_SECRET="", code=2).err


def test_a_port_that_is_taken_is_an_error_in_words(pk, fake):
    found = pk(more=f'mode = "http"\nport = {fake.server.server_port}', code=2)
    assert "set another port" in found.err


def test_a_manifest_has_exactly_what_is_used(pk):
    found = pk("manifest").document
    assert found["oauth_config"]["scopes"]["bot"] == sorted(SCOPES)
    assert found["settings"]["event_subscriptions"] == {"bot_events": list(EVENTS)}
    assert found["settings"]["socket_mode_enabled"] is True


def test_a_manifest_for_http_names_the_address_for_events_and_clicks(pk):
    url = "https://pk.example/slack/events"
    found = pk("manifest", "--url", url, "--name", "Tickets", more='mode = "http"').document["settings"]
    assert (found["event_subscriptions"]["request_url"], found["interactivity"]["request_url"]) == (url, url)
    assert found["socket_mode_enabled"] is False


@pytest.mark.parametrize(
    ("more", "arguments"),
    [('mode = "http"', ()), ('mode = "http"', ("--url", "http://pk.example/")), ("", ("--url", "https://pk.example/"))],
)
def test_an_address_that_does_not_fit_the_mode_is_refused(pk, more, arguments):
    assert "--url" in pk("manifest", *arguments, more=more, code=2).err


@pytest.mark.parametrize("name", ["", " ", "a" * 36])
def test_a_name_that_slack_does_not_take_is_refused(pk, name):
    assert "1 to 35 characters" in pk("manifest", "--name", name, code=2).err


def test_without_the_extra_it_says_how_to_get_it(tmp_path):
    code = "import sys; sys.modules['slack_bolt'] = None\nfrom pactkeeper.doors.cli.main import run\nrun()"
    env = {**os.environ, **Home(tmp_path).env, **TOKENS}
    done = subprocess.run(
        SERVER.program("-c", code, "slack"), env=env, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    said = f"pk: Slack's library is not installed: {how_to_install('slack')}\n"
    assert (done.returncode, done.stderr) == (2, said)


def test_help_loads_no_library_of_slack():
    code = "import sys, pactkeeper.doors.cli.serve; print([one for one in sys.modules if one.startswith('slack')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []
