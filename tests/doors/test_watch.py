"""`pk health watch`, `pk health status` and `pk health timeline` as a person or systemd runs them."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pactkeeper.doors.cli.sweep import unit
from pactkeeper.errors import UsageError
from tests.doors.projects import Project
from tests.health.sweeps import check, waited, written
from tests.health.sweeps import project as repository
from tests.waiting import PATIENCE, running

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def person(tmp_path, monkeypatch):
    """The folders of the person who watches, as the environment names them."""
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, f"{tmp_path}-{name}")


def project(root, *checks):
    repository(root, *checks)
    return Project(root)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_watch_that_is_asked_to_end_ends_its_check_and_cleans_up(tmp_path, number, code):
    watched = project(tmp_path, check("x", f"echo $$ > {tmp_path}/pid; exec sleep 1000"))
    arguments = [sys.executable, "-m", "pactkeeper", "health", "watch"]
    with running(arguments, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as watching:
        check_run = written(tmp_path / "pid")
        watching.send_signal(number)
        _, said = watching.communicate(timeout=PATIENCE)
    assert (watching.returncode, said) == (code, f"ended by {number.name}; nothing was half-written\n")
    assert len(watched.git("worktree", "list").splitlines()) == 1
    with pytest.raises(ProcessLookupError):
        waited(check_run)


def test_one_turn_tells_what_came_of_it(tmp_path):
    out = project(tmp_path, check("x", "exit 1")).pk("health", "watch", "--once").out
    assert "red at " in out
    assert "not passed: x" in out
    assert out.endswith("watched: 1 sweep, 0 stale, 0 not possible\n")


def test_watch_of_a_project_in_which_nothing_is_judged_says_so(tmp_path):
    out = project(tmp_path).pk("health", "watch", "--once").out
    assert "not known at " in out
    assert "no check is known of what this project builds, compiles or tests" in out


def test_feed_on_standard_output_is_json_alone(tmp_path):
    result = project(tmp_path, check("x", "exit 1")).pk("health", "watch", "--once", "--feed", "-")
    (line,) = result.out.splitlines()
    found = json.loads(line)
    assert (found["schema"], found["colour"], found["testsOk"]) == ("pactkeeper.sweep-feed/1", "red", False)
    assert "red at " in result.err


def test_watch_ends_when_the_reader_of_its_feed_goes_away(tmp_path):
    project(tmp_path, check("x", "true"))
    arguments = [sys.executable, "-m", "pactkeeper", "health", "watch", "--feed", "-"]
    with running(arguments, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as watching:
        assert watching.stdout is not None
        watching.stdout.close()
        assert watching.wait(PATIENCE) == 0


def test_no_line_of_a_feed_grows_with_what_checks_print(tmp_path):
    flood = "for i in $(seq 3000); do echo a.txt:$i: wrong $i; done; exit 1"
    declared = check("x", flood, parser="regex", pattern="^(?P<file>[^:]+):(?P<line>[0-9]+): (?P<message>.*)$")
    line = project(tmp_path, declared).pk("health", "watch", "--once", "--feed", "-").out
    assert len(line) < 100_000
    assert json.loads(line)["sweep"]["results"][1]["diagnosticsInAll"] > 50


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--webhook", "https://example.org/x"], "go together"),
        (["--webhook", "https://example.org/x", "--secret-env", "HOME"], "checks would see 'HOME'"),
        (["--webhook", "file:///x", "--secret-env", "PACTKEEPER_HOOK"], "not a URL that can be called"),
        (["--at", "nowhere"], "git knows no commit 'nowhere'"),
        (["--board", "nowhere"], "there is no board 'nowhere'"),
        (["--once", "--systemd"], "leave out"),
    ],
)
def test_what_cannot_work_is_refused_before_the_first_sweep(tmp_path, options, words):
    watched = project(tmp_path, check("x", "true"))
    result = watched.pk("health", "watch", *options, code=2, env={"PACTKEEPER_HOOK": "a secret of some length"})
    assert words in result.err
    assert not (tmp_path / ".git/pact/history.db").exists()


def test_unit_runs_this_command_from_anywhere_and_holds_no_secret(tmp_path):
    watched = project(tmp_path, check("x", "true"))
    out = watched.pk("health", "watch", "--at", "main", "--feed", "feed.jsonl", "--systemd").out
    (line,) = [one for one in out.splitlines() if one.startswith("ExecStart=")]
    words = [word.strip('"') for word in line.removeprefix("ExecStart=").split()]
    assert Path(words[0]).is_absolute()
    assert words[-6:] == ["-C", str(tmp_path), "health", "watch", "--at=main", f"--feed={tmp_path}/feed.jsonl"]


def test_unit_takes_odd_names_literally():
    text = unit(["/opt/pk", "-C", '/a b/50%/$HOME/"x"\\', "watch"], Path("/a b/50%"), "/bin:/100%")
    assert 'ExecStart="/opt/pk" "-C" "/a b/50%%/$$HOME/\\"x\\"\\\\" "watch"\n' in text
    assert 'Environment="PATH=/bin:/100%%"\n' in text
    assert "Description=Pactkeeper watches /a b/50%%\n" in text


def test_name_that_would_begin_a_line_of_its_own_is_refused():
    with pytest.raises(UsageError, match="control character"):
        unit(["/opt/pk", "-C", "/a\nExecStart=/bin/x"], Path("/a"), "/bin")


def test_status_of_a_red_project_says_since_when_and_exits_with_1(tmp_path):
    watched = project(tmp_path, check("x", "exit 1"))
    assert watched.pk("health", "status").out.startswith("not known\n")
    watched.pk("health", "sweep", code=1)
    result = watched.pk("health", "status", code=1)
    assert result.out.startswith(f"red in every sweep since {watched.git('rev-parse', 'HEAD')[:12]} ")
    assert "no watch is running (pk health watch)" in result.out
    found = watched.pk("health", "status", "--json", code=1).document
    assert (found["colour"], found["tasks"], found["stale"]) == ("red", {"pending": 1}, 0)


def test_timeline_names_the_commits_by_one_of_which_the_project_turned_red(tmp_path):
    watched = project(tmp_path, check("x", "test ! -e broken"))
    watched.pk("health", "sweep")
    watched.write("broken", "")
    watched.git("config", "user.name", "Ada")
    watched.git("config", "user.email", "ada@example.org")
    watched.commit("Break it")
    watched.pk("health", "sweep", code=1)
    out = watched.pk("health", "timeline").out
    assert "turned red after" in out
    assert "Break it" in out
    red, green = watched.pk("health", "timeline", "--json").document["sweeps"]
    assert (red["colour"], green["colour"], red["window"]["good"]) == ("red", "green", green["sweep"]["commit"])
    assert len(watched.pk("health", "timeline", "--limit", "1", "--json").document["sweeps"]) == 1
