"""What docs/slack.md lists is what there is."""

import re
from dataclasses import fields
from pathlib import Path

from pactkeeper.doors.slack.door import MOST_PAGES, MOST_THREADS, PAGE
from pactkeeper.settings.slack import APP, APP_SCOPE, BOT, EVENTS, SCOPES, SIGNING, SlackSettings

TEXT = (Path(__file__).parents[2] / "docs/slack.md").read_text(encoding="utf-8")
TOLD = set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)))


def test_every_scope_event_key_and_variable_is_told():
    keys = {one.name for one in fields(SlackSettings)}
    assert {*SCOPES, APP_SCOPE, *EVENTS, *keys, BOT, APP, SIGNING} <= TOLD | {one.partition("=")[0] for one in TOLD}


def test_no_scope_is_told_that_is_not_asked_for():
    told = {one for one in TOLD if re.fullmatch(r"[a-z_.]+:[a-z]+", one)}
    assert told == {*SCOPES, APP_SCOPE}


def test_how_far_it_reads_back_is_told():
    assert f"the {MOST_THREADS} threads" in TEXT
    assert f"{MOST_PAGES * PAGE:,} messages" in TEXT
