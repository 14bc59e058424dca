"""`pk transcripts mark` with a scripted model server on loopback."""

import os
import time

import pytest

from tests.doors.projects import Project
from tests.models.servers import Say, scripted
from tests.transcripts.scripts import read_script, write_script

SCRIPT = f"""\
format claude-code
file main.jsonl
user | How do we give refunds? The key is {"gh" + "p_" + "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0dF"}. Think of the books, too.
assistant | First a table with one row for each refund, so that the books can be kept.
    Then a page for support. Finally the payment, with the refund's id so that a retry pays only once.
"""
MARKS = [{"type": "plan", "title": "Refunds in three steps", "spans": [{"entry": 2, "first_line": 1, "last_line": 2}]}]


@pytest.fixture
def server():
    with scripted("openai", lambda _: Say({"answer": MARKS}, tokens=(1_000_000, 1_000))) as running:
        yield running


@pytest.fixture
def pk(tmp_path, server):
    home = tmp_path / "home"
    (path,) = write_script(read_script(SCRIPT), home / ".claude" / "projects" / "shop")
    ago = time.time() - 3600
    os.utime(path, (ago, ago))
    place = home / "config" / "pactkeeper" / "models.toml"
    place.parent.mkdir(parents=True)
    text = server.config("openai") + "[prices]\ninput = 2\noutput = 4\n"
    place.write_text(text, encoding="utf-8")
    names = {"HOME": home, "XDG_DATA_HOME": home / "data", "XDG_CONFIG_HOME": home / "config"}
    env = {name: str(path) for name, path in names.items()}
    person = Project(tmp_path)

    def run(*arguments, code=0):
        return person.pk("transcripts", *arguments, code=code, env=env)

    run("ingest")
    (conversation,) = run("status", "--json").document["conversations"]
    return lambda *arguments, **more: run("mark", conversation["id"], *arguments, **more)


def test_what_a_model_marks_is_kept_and_paid_once(pk, server):
    first = pk("--json").document
    again = pk("--json").document
    assert (first["artifacts"], first["answered"], again["artifacts"], again["cached"]) == (1, 1, 0, 1)
    assert len(server.asked) == 1
    assert "[redacted: GitHub token]" in server.asked[0].text


def test_a_day_that_costs_more_than_a_dollar_is_said(pk):
    said = pk()
    assert "1 new artifact" in said.out
    assert "models cost $2.01 today" in said.err


def test_an_estimate_asks_nobody(pk, server):
    assert "1 part of conversations to show" in pk("--estimate").out
    assert server.asked == []


def test_a_cap_that_is_too_narrow_asks_nobody(pk, server):
    assert pk("--max-cost", "0.001", "--json").document["over_budget"] == 1
    assert server.asked == []
