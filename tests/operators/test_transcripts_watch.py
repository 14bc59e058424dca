"""Transcripts that grow while somebody watches."""

import os
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pactkeeper.errors import BusyError
from pactkeeper.operators.standup import alone
from pactkeeper.operators.transcripts import transcript_status
from pactkeeper.operators.transcripts_watch import WatchRequest, watch_transcripts
from pactkeeper.personal import Personal
from pactkeeper.settings import Environment
from tests.transcripts.scripts import read_script, write_script
from tests.waiting import running

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
PUSH = """\
format claude-code
file {name}
user | Push it.
call Bash c1 | git push origin main
result c1 | To github.com:ada/shop.git
       9a8b7c6..4e1f2a3  main -> main
"""


@pytest.fixture
def chats(tmp_path):
    folder = tmp_path / "chats"
    folder.mkdir()
    (tmp_path / "config").mkdir()
    (tmp_path / "config/transcripts.toml").write_text(f'places = ["{folder}"]\n')
    return folder


@pytest.fixture
def personal(tmp_path, chats):
    surroundings = Environment(
        ci=False, plain=True, processes=1, personal=tmp_path / "data", preferences=tmp_path / "config"
    )
    with ExitStack() as closing:
        yield Personal(surroundings, print, lambda: NOW, closing)


def session(chats, name="main.jsonl", *, minutes=60, after=0):
    """A session that was last written to this many minutes ago."""
    (path,) = write_script(read_script(PUSH.format(name=name)), chats, after=after)
    quiet(path, minutes)
    return path


def quiet(path, minutes):
    at = (NOW - timedelta(minutes=minutes)).timestamp()
    os.utime(path, (at, at))


def watch(personal, *steps, told=None):
    """Take a look, then a step and another look for each step."""
    left = list(steps)
    request = WatchRequest(lambda _: left.pop(0)(), looks=len(steps) + 1)
    return watch_transcripts(personal, request, (told if told is not None else []).append)


def test_what_is_added_between_two_looks_is_read_once(personal, chats):
    session(chats)
    done = watch(personal, lambda: session(chats, "other.jsonl", after=50), lambda: None)
    assert (done.looks, done.entries, done.artifacts) == (3, 6, 1)


def test_a_session_that_is_being_written_waits_and_is_read_later(personal, chats):
    path = session(chats, minutes=1)
    told: list[str] = []
    done = watch(personal, lambda: quiet(path, 6), told=told)
    assert (done.entries, len(told)) == (3, 1)


def test_settings_that_do_not_read_stop_no_later_look(personal, chats, tmp_path):
    session(chats)
    place = tmp_path / "config/transcripts.toml"
    good = place.read_text()
    place.write_text("places = [")
    told: list[str] = []
    done = watch(personal, lambda: None, lambda: place.write_text(good), told=told)
    assert (done.failures, done.entries) == (2, 3)
    assert len([words for words in told if "invalid TOML" in words]) == 1


def test_what_was_not_stored_is_not_marked_as_read(personal, chats):
    session(chats)
    with pytest.raises(ZeroDivisionError):
        watch(replace(personal, now=_raise))
    assert transcript_status(personal).conversations == ()
    assert watch(personal).entries == 3


def _raise():
    raise ZeroDivisionError


def test_a_second_daemon_is_told_of_the_first(personal):
    with alone(personal, "busy", "watch"), pytest.raises(BusyError, match="another process is watching"):
        watch(personal)


HOLDS = """
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from pactkeeper.operators.standup import alone
from pactkeeper.settings import Environment
from pactkeeper.personal import Personal

place = Path(sys.argv[1])
surroundings = Environment(ci=False, plain=True, processes=1, personal=place / "data", preferences=place / "config")
with ExitStack() as closing, alone(Personal(surroundings, print, lambda: datetime.now(UTC), closing), "busy", "watch"):
    print("holds", flush=True)
    sys.stdin.read()
"""


def test_the_watch_of_a_process_that_was_killed_is_free_at_once(personal, chats, tmp_path):
    session(chats)
    arguments = [sys.executable, "-c", HOLDS, str(tmp_path)]
    with running(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdout.readline() == "holds\n"
        with pytest.raises(BusyError):
            watch(personal)
        other.kill()
        other.wait()
    assert watch(personal).entries == 3
