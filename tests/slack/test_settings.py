"""What a person says about Slack, and what is refused."""

import pytest

from pactkeeper.errors import InputError, UsageError
from pactkeeper.settings.slack import SlackSettings, slack_settings, slack_tokens

TOKENS = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_APP_TOKEN": "xapp-1", "SLACK_SIGNING_SECRET": "s3cret"}


def written(folder, text):
    (folder / "slack.toml").write_text(text)
    return slack_settings(folder)


def test_without_a_file_it_listens_wherever_it_was_invited(tmp_path):
    assert slack_settings(tmp_path) == slack_settings(None) == SlackSettings()


def test_a_file_says_where_and_who(tmp_path):
    found = written(tmp_path, 'channels = ["C01"]\napprovers = ["U01", "W02"]\nmode = "http"\nport = 0')
    assert (found.channels, found.approvers) == ({"C01"}, {"U01", "W02"})
    assert (found.mode, found.host, found.port, found.path) == ("http", "127.0.0.1", 0, "/slack/events")


def test_everything_that_is_wrong_is_told_at_once(tmp_path):
    with pytest.raises(InputError) as caught:
        written(tmp_path, 'token = "xoxb-1"\nchannels = ["general"]\nmode = "rtm"\nport = 70000\npath = "events"')
    for words in (
        "'token' is not known",
        "'general'",
        "'rtm' is none of socket, http",
        "70000 is not a port",
        "'events'",
    ):
        assert words in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        'approvers = "U01"',
        'approvers = ["@ada"]',
        'approvers = ["C01"]',
        "port = true",
        'host = "a b"',
        'base_url = "http://slack.example/api/"',
        'base_url = "https://me:pw@slack.com/api/"',
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(tmp_path, line):
    with pytest.raises(InputError, match=line.split(" ", maxsplit=1)[0]):
        written(tmp_path, line)


def test_tokens_come_from_the_environment_and_are_never_shown():
    found = slack_tokens("socket", TOKENS)
    assert (found.bot, found.app, found.signing) == ("xoxb-1", "xapp-1", "s3cret")
    assert not any(value in repr(found) for value in TOKENS.values())


@pytest.mark.parametrize(
    ("mode", "missing"),
    [("socket", {"SLACK_BOT_TOKEN", "SLACK_APP_TOKEN"}), ("http", {"SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET"})],
)
def test_each_mode_names_all_the_tokens_that_it_lacks(mode, missing):
    with pytest.raises(UsageError) as caught:
        slack_tokens(mode, {})
    assert {name for name in TOKENS if name in str(caught.value)} == missing


def test_a_token_of_another_kind_is_refused_without_being_told():
    with pytest.raises(UsageError) as caught:
        slack_tokens("socket", {**TOKENS, "SLACK_BOT_TOKEN": "xoxp-of-a-person"})
    assert "SLACK_BOT_TOKEN holds something else" in str(caught.value)
    assert "of-a-person" not in str(caught.value)


def test_variables_that_would_turn_the_library_to_other_tokens_are_refused():
    with pytest.raises(UsageError, match="SLACK_CLIENT_ID and SLACK_CLIENT_SECRET"):
        slack_tokens("socket", {**TOKENS, "SLACK_CLIENT_ID": "1", "SLACK_CLIENT_SECRET": "2"})
