"""Programs that behave badly, run as real processes."""

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from pactkeeper.health.checking import check_environment
from pactkeeper.health.running import VARIABLE, Capture, Command, end_orphans, mark_of, run
from tests.waiting import PATIENCE

LINUX = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only Linux shows others' environment")


def shell(tmp_path, script, *, timeout=PATIENCE, grace=0.2):
    return run(Command(["sh", "-c", script], tmp_path, check_environment({}), timeout, grace))


def lives(pid):
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "zombie" not in status.read_text()


def test_both_streams_come_in_the_order_they_were_printed(tmp_path):
    ran = shell(tmp_path, "echo one; echo two >&2; echo three; exit 3")
    assert (ran.code, ran.output.text) == (3, "one\ntwo\nthree\n")


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["no-such-program-at-all"], "the program 'no-such-program-at-all' is not installed"),
        (["./here"], "the program './here' cannot be started: Permission denied"),
    ],
)
def test_program_that_cannot_be_started_is_no_failure(tmp_path, argv, why):
    (tmp_path / "here").write_text("#!/bin/sh\n")
    assert run(Command(argv, tmp_path, check_environment({}), 60)).unstarted == why


def test_missing_folder_is_named_rather_than_the_program(tmp_path):
    ran = run(Command(["true"], tmp_path / "gone", check_environment({}), 60))
    assert ran.unstarted == "there is no folder 'gone' to run 'true' in"


def test_program_that_hangs_and_ignores_being_asked_is_killed_with_its_children(tmp_path):
    ran = shell(tmp_path, "trap '' TERM; sleep 1000 & echo $!; while :; do sleep 0.05; done", timeout=3)
    assert ran.timed_out
    assert not lives(int(ran.output.text))


def test_program_that_is_asked_to_end_may_say_its_last_words(tmp_path):
    ran = shell(tmp_path, "trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done", timeout=3, grace=PATIENCE)
    assert ran.timed_out
    assert ran.output.text.endswith("bye\n")


@LINUX
def test_daemon_that_left_group_and_session_and_holds_the_pipe_is_ended(tmp_path):
    script = "import os, time\nos.fork() and os._exit(0)\nos.setsid()\nos.fork() and os._exit(0)\n"
    script += 'open("new", "w").write(str(os.getpid()))\nos.rename("new", "pid")\ntime.sleep(1000)'
    (tmp_path / "daemon.py").write_text(script)
    ran = shell(tmp_path, f"{sys.executable} daemon.py; until test -e pid; do sleep 0.05; done")
    assert (ran.code, ran.timed_out, ran.left > 0) == (0, False, True)
    assert not lives(int((tmp_path / "pid").read_text()))


@LINUX
def test_child_that_ends_within_the_moment_that_it_has_was_not_left():
    code = "from pactkeeper.health import supervisor\nsupervisor._MOMENT = 240\n"
    code += "supervisor.main(1, ['sh', '-c', 'sleep 0.3 & exit 0'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"code": 0, "left": 0}


def test_nobody_answers_at_a_terminal(tmp_path):
    ran = shell(tmp_path, "cat; (: < /dev/tty) 2>/dev/null && echo terminal; test -t 1 || echo none")
    assert ran.output.text == "none\n"


@LINUX
def test_what_a_killed_pactkeeper_left_running_is_ended():
    owner = uuid.uuid4().hex  # all of this machine is looked through, other runs of these tests too
    with subprocess.Popen(["true"]) as gone:
        pass
    mark = mark_of(owner, "x").replace(f".{os.getpid()}.", f".{gone.pid}.")
    with subprocess.Popen(["sleep", "1000"], env={VARIABLE: mark, "PATH": "/usr/bin:/bin"}) as left:
        assert end_orphans(f"{owner}-x") == 0
        assert end_orphans(owner) == 1
        assert left.wait() == -9


def test_capture_keeps_both_ends_and_counts_what_lies_between():
    capture = Capture(head=4, tail=3)
    for piece in (b"ab", b"cdefg", b"hij", b"klmnopqrstuvw", b"xyz"):
        capture.add(piece)
    found = capture.output()
    assert (found.head, found.tail, found.omitted) == ("abcd", "xyz", 19)


def test_capture_of_little_is_whole_even_where_a_character_lies_across_the_limit():
    capture = Capture(head=2, tail=8)
    capture.add("aé…z".encode())
    assert (capture.output().text, capture.output().omitted) == ("aé…z", 0)


def test_200_megabytes_of_output_stay_out_of_memory(tmp_path):
    code = (
        "import resource\nfrom pathlib import Path\nfrom pactkeeper.health.running import Command, run\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak()\n"
        "ran = run(Command(['head', '-c', '200000000', '/dev/zero'], Path('.'), {'PATH': '/usr/bin:/bin'}, 600))\n"
        "print(ran.code, ran.output.omitted, peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    left, omitted, grown = (int(part) for part in done.stdout.split())
    assert (left, omitted) == (0, 200_000_000 - (320 << 10))
    assert grown < 20_000  # kilobytes


def test_checks_get_what_programs_need_and_no_tokens_keys_sockets_or_colours():
    kept = {"HOME": "/h", "PATH": "/bin", "LC_ALL": "C", "HTTP_PROXY": "http://proxy:80", "PYTHONPATH": "src"}
    secret = ("GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "ANTHROPIC_API_KEY", "DATABASE_URL", "GIT_DIR")
    given = {**kept, **dict.fromkeys(secret, "x"), "FORCE_COLOR": "1", "PIP_INDEX_URL": "https://ada:pw@host/simple"}
    found = check_environment({"TZ": "UTC"}, inherited=given)
    assert found == {**kept, **check_environment({"TZ": "UTC"}, inherited={})}
    assert (found["CI"], found["NO_COLOR"], found["TZ"]) == ("1", "1", "UTC")


def test_a_variable_that_is_named_is_handed_on_and_ours_never():
    given = {"DATABASE_URL": "x", "PACTKEEPER_TOKEN": "x"}
    found = check_environment({}, named=given.keys(), inherited=given)
    assert (found.get("DATABASE_URL"), "PACTKEEPER_TOKEN" in found) == ("x", False)


@LINUX
@pytest.mark.parametrize("leave", ["env -i setsid", "setsid env -i nohup"])
def test_a_daemon_that_left_even_its_environment_is_ended(tmp_path, leave):
    ran = shell(
        tmp_path, f"({leave} sh -c 'echo $$ > pid; exec sleep 1000' &) ; while [ ! -s pid ]; do sleep 0.02; done"
    )
    assert (ran.code, ran.left > 0) == (0, True)
    assert not lives(int((tmp_path / "pid").read_text()))


@LINUX
def test_a_check_that_kills_its_supervisor_leaves_nothing_and_could_not_run(tmp_path):
    ran = shell(tmp_path, "sleep 1000 & echo $! > pid; kill -9 $PPID; sleep 1000")
    assert ran.code == -9
    assert not lives(int((tmp_path / "pid").read_text()))
