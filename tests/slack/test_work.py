"""What runs in the background is lost by nothing that goes wrong there."""

import threading

import pytest

from pactkeeper.doors.slack.door import WORKERS, Work
from pactkeeper.errors import BoardUnavailable
from tests.waiting import PATIENCE, until


class Bench:
    """Work with what it ran and told; `answers` are given one a run, and an exception is raised."""

    def __init__(self):
        self.ran, self.lines = [], []
        self.answers: list = []
        self.due: list = []
        self.looks = 0
        self.changed = threading.Condition()
        self.gate = threading.Event()
        self.gate.set()
        self.work = Work(self.run, self.look, self.tell, pause=0.01)

    def run(self, name):
        assert self.gate.wait(PATIENCE)
        with self.changed:
            self.ran.append(name)
            answer = self.answers.pop(0) if self.answers else ""
            self.changed.notify_all()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def look(self):
        self.looks += 1
        return list(self.due)

    def tell(self, line):
        with self.changed:
            self.lines.append(line)
            self.changed.notify_all()

    def until(self, holds):
        with self.changed:
            assert self.changed.wait_for(holds, PATIENCE)


@pytest.fixture
def bench():
    found = Bench()
    yield found
    found.gate.set()
    found.work.stop()


def test_nothing_runs_before_it_is_released(bench):
    bench.work.put("TH-1")
    bench.work.put("TH-1")
    assert bench.ran == []
    bench.work.begin()
    bench.until(lambda: bench.ran == ["TH-1"])


def test_what_is_put_while_it_is_held_waits_for_the_release(bench):
    bench.work.begin()
    bench.work.hold()
    bench.work.put("TH-1")
    bench.due = ["TH-2"]
    until(lambda: bench.work._waiting == {"TH-1", "TH-2"}, "both")
    assert bench.ran == []
    bench.work.release()
    bench.until(lambda: {"TH-1", "TH-2"} <= set(bench.ran))


def test_what_waits_for_a_worker_when_it_is_held_waits_for_the_release(bench):
    bench.work.begin()
    bench.gate.clear()
    for number in range(WORKERS + 1):
        bench.work.put(f"TH-{number}")
    until(lambda: len(bench.work._waiting) == 1, "a worker for all but one")
    bench.work.hold()
    after = threading.Event()
    bench.work.aside(after.set)
    bench.gate.set()
    assert after.wait(PATIENCE)
    bench.until(lambda: len(bench.ran) == WORKERS)
    assert bench.work._waiting == {f"TH-{WORKERS}"}
    bench.work.release()
    bench.until(lambda: len(bench.ran) == WORKERS + 1)


def test_what_comes_while_a_thread_runs_has_it_run_once_more(bench):
    bench.work.begin()
    bench.gate.clear()
    bench.work.put("TH-1")
    until(lambda: not bench.work._waiting, "a worker that takes it")
    for _ in range(3):
        bench.work.put("TH-1")
    bench.gate.set()
    bench.until(lambda: len(bench.ran) == 2)


def test_what_is_due_is_run_without_being_put(bench):
    bench.due = ["TH-7"]
    bench.work.begin()
    bench.until(lambda: "TH-7" in bench.ran)


@pytest.mark.parametrize("answer", ["1 post waits", BoardUnavailable("Slack is away"), KeyError("oops")])
def test_what_fails_is_told_and_left_alone_for_a_while(bench, answer):
    bench.answers, bench.due = [answer], ["TH-1"]
    bench.work.begin()
    bench.until(lambda: any("TH-1 is tried again in 5 s" in line for line in bench.lines))
    bench.due = ["TH-1", "TH-2"]
    bench.until(lambda: "TH-2" in bench.ran)
    assert bench.ran.count("TH-1") == 1


def test_what_was_due_all_the_time_until_it_failed_is_left_alone_too(bench):
    bench.answers, bench.due = ["1 post waits"], ["TH-1"]
    bench.gate.clear()
    bench.work.begin()
    until(lambda: bench.work._running, "the run")
    before = bench.looks
    until(lambda: bench.looks > before + 1, "a whole look")
    bench.gate.set()
    bench.until(lambda: bench.lines)
    bench.due = ["TH-1", "TH-2"]
    bench.until(lambda: "TH-2" in bench.ran)
    assert bench.ran.count("TH-1") == 1


def test_a_bug_is_told_with_its_trace(bench):
    bench.answers = [KeyError("oops")]
    bench.work.begin()
    bench.work.put("TH-1")
    bench.until(lambda: any("KeyError: 'oops'" in line for line in bench.lines))


def test_new_words_do_not_wait_for_the_next_try(bench):
    bench.answers = ["1 post waits"]
    bench.work.begin()
    bench.work.put("TH-1")
    bench.until(lambda: len(bench.lines) == 1)
    bench.work.put("TH-1")
    bench.until(lambda: len(bench.ran) == 2)


def test_stopping_waits_for_what_runs_and_begins_nothing_more(bench):
    bench.work.begin()
    bench.gate.clear()
    bench.work.put("TH-1")
    stopping = threading.Thread(target=bench.work.stop)
    stopping.start()
    bench.gate.set()
    stopping.join(PATIENCE)
    assert not stopping.is_alive()
    bench.work.put("TH-2")
    assert "TH-2" not in bench.ran
