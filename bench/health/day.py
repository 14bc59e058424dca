"""A simulated day of a watch: 500 commits, merges during sweeps, `kill -9`; the table is in `day.md`.

    python -m bench.health.day [--commits 500] [--kills 16] [--seed 1] [--fastest 60]

Git, SQLite, the checks, the board and the watch are real; only the clock is simulated. The watch is a process that asks
this one for the time, so that commits happen, and it is killed, exactly where the plan says.
"""

from __future__ import annotations

import argparse
import os
import random
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import IO

from bench.health.day_plan import BURST, DAY, Event, plan
from bench.health.day_table import table
from bench.health.day_watch import MORNING
from pactkeeper.health.watching import colour
from pactkeeper.operators.fix_tasks import Completion, claim_fix_task, complete_fix_task
from pactkeeper.store.health import fix_tasks, health_findings, sweeps
from pactkeeper.workspace import Workspace, open_workspace

SETTINGS = """\
[pact]
format = 1

[health]
inherit = ["DAY_GATE"]
fastest = FASTEST

[[health.check]]
name = "lines"
category = "compile"
parser = "regex"
pattern = '(?P<file>[^:\\n]+):(?P<line>\\d+): (?P<rule>\\w+) (?P<message>.*)'
argv = ["python3", "-I", "-S", "check.py"]
"""
CHECK = """\
import os, pathlib, sys, time
gate = pathlib.Path(os.environ["DAY_GATE"])
if (gate / "hold").exists():
    (gate / "held").touch()
    while (gate / "hold").exists():
        time.sleep(0.005)
bad = [(file, line) for file in sorted(pathlib.Path("src").glob("*.txt")) for line in file.read_text().split("\\n")[:1]]
print("\\n".join(f"{file.as_posix()}:1: E1 {line}" for file, line in bad if line.startswith("broken")))
sys.exit(any(line.startswith("broken") for _, line in bad))
"""
SAMPLE = 3600.0  # simulated seconds between two samples
STRIDE = 25.0  # simulated seconds by which a look at the branch may come late
MOST_WAIT = 120.0  # real seconds for one answer of the watch


@dataclass(frozen=True, slots=True)
class Sample:
    """How large everything is at one time: kibibytes, and work trees beside the checkout."""

    at: float
    memory: int
    history: int
    state: int
    caches: int
    trees: int


@dataclass(slots=True)
class Seen:
    """What the day showed, and what it should not have shown."""

    commits: int = 0
    merged_during: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    fresh: int = 0
    stale: int = 0
    broken: int = 0
    doubled: set[str] = field(default_factory=set)
    longest_wait: int = 0  # judged sweeps that an open failure was without a task
    samples: list[Sample] = field(default_factory=list)


@dataclass(slots=True)
class Day:
    """One day in a folder; `clock` is in seconds since the morning, `faults` are the files that are broken now."""

    folder: Path
    events: list[Event]
    seed: int = 1
    fastest: int = 60  # simulated seconds between two sweeps while something is red
    clock: float = 0.0
    faults: set[str] = field(default_factory=set)
    seen: Seen = field(default_factory=Seen)
    chance: random.Random = field(default_factory=random.Random)
    held: Event | None = None
    watch: subprocess.Popen[bytes] | None = None
    heard: bytes = b""

    @property
    def root(self) -> Path:
        """The checkout."""
        return self.folder / "shop"

    @property
    def gate(self) -> Path:
        """Where the check is held while the file `hold` is there."""
        return self.folder / "gate"

    def begin(self) -> None:
        """Make the repository and the first commit."""
        self.chance.seed(self.seed)
        self.gate.mkdir(parents=True)
        settings = SETTINGS.replace("FASTEST", str(self.fastest))
        for path, text in (("pact/pact.toml", settings), ("check.py", CHECK), ("src/f0.txt", "well\n")):
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.org")
        self.commit("Start")

    def git(self, *arguments: str) -> str:
        """Run git in the checkout."""
        done = subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        """Commit everything."""
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    @contextmanager
    def open(self) -> Iterator[Workspace]:
        """The workspace at the simulated time."""
        with open_workspace(self.root, notice=lambda _: None) as opened:
            yield replace(opened, now=lambda: MORNING + timedelta(seconds=self.clock))

    def run(self, until: float = DAY) -> None:
        """Live through the day."""
        try:
            while self.clock < until:
                self.step()
            self.settle()
        finally:
            self.kill("")

    def step(self) -> None:
        """Let the watch go on to its next wait, and do what is due by then."""
        words = self.listen()
        if words[0] == "swept":
            self.seen.stale += words[2] == "stale"
            self.seen.fresh += words[2] == "fresh"
            return
        self.clock = self.until(float(words[1]))
        if not self.seen.samples or self.clock - self.seen.samples[-1].at >= SAMPLE:
            self.sample()
        while self.held is None and self.events and self.events[0].at <= self.clock:
            self.meet(self.events.pop(0))
        self.answer()

    def until(self, asked: float) -> float:
        """The next time at which something may happen: later than the watch asked for where nothing does before."""
        planned = self.events[0].at if self.events else asked
        return max(asked, min(planned, asked + STRIDE)) if self.held is None else asked

    def meet(self, event: Event) -> None:
        """Let an event happen now, or in the next sweep where it is one of those."""
        if event.during:
            (self.gate / "hold").touch()
            self.held = event
            return
        self.happen(event)
        if event.kill == "waiting":
            self.kill(event.kill)
        elif event.kill:
            self.clock += 61  # the commit is due to be swept now
            self.answer()
            time.sleep(event.delay)
            self.kill(event.kill)

    def happen(self, event: Event) -> None:
        """Make the commit of an event and look at what is kept."""
        self.seen.commits += 1
        match event.kind:
            case "break" | "burst":
                self.break_files(BURST if event.kind == "burst" else 1)
            case "mend" if self.faults:
                self.mend({self.chance.choice(sorted(self.faults))})
            case "work" | "botch":
                self.work(mends=event.kind == "work", judged=not event.during)
        self.commit(f"{event.kind} at {event.at:.0f}")
        self.look()

    def break_files(self, number: int) -> None:
        """Break files that were never there before, so that every fault is a failure of its own."""
        for _ in range(number):
            self.seen.broken += 1
            name = f"src/f{self.seen.broken}.txt"
            (self.root / name).write_text(f"broken {'x' * self.seen.broken}\n")
            self.faults.add(name)

    def mend(self, names: set[str]) -> None:
        """Mend files."""
        for name in names:
            (self.root / name).write_text("well\n")
        self.faults -= names

    def work(self, *, mends: bool, judged: bool) -> None:
        """Claim the oldest task that waits, commit for it, and have that judged, where no sweep runs just now."""
        with self.open() as opened:
            waiting = fix_tasks(opened.history(), ["pending", "failed"]) if opened.has_history else ()
            if not waiting or not judged:
                return
            task = claim_fix_task(opened, waiting[0].id, by="worker")
            if mends:
                self.mend({name for name in task.scope if name in self.faults})
            done = self.commit(f"{task.id}: {'mend' if mends else 'do nothing of use'}")
            complete_fix_task(opened, Completion(task.id, done, by="worker"))

    def look(self) -> None:
        """Hold what is kept against what must never be: two tasks for one failure, a failure without a task."""
        with self.open() as opened:
            if not opened.has_history:
                return
            history = opened.history()
            tasks, recent = fix_tasks(history), sweeps(history, limit=60)
            findings = health_findings(history)
        named = Counter(name for task in tasks for name in task.fingerprints)
        self.seen.doubled |= {name for name, count in named.items() if count > 1}
        judged = [one.id for one in recent if not one.stale and colour(one) != "not known"]
        for one in findings:
            if one.state == "open" and one.first_sweep in judged:
                self.seen.longest_wait = max(self.seen.longest_wait, judged.index(one.first_sweep))

    def settle(self) -> None:
        """Let everything that is broken at the end be swept once more without anything else happening."""
        self.events.clear()
        fresh, until = self.seen.fresh, self.clock + 1200
        while self.seen.fresh < fresh + 3 and self.clock < until:
            self.step()
        self.look()
        self.sample()

    def listen(self) -> list[str]:
        """The next line of the watch; an event that is to happen during a sweep happens when one is held."""
        until = time.monotonic() + MOST_WAIT
        while time.monotonic() < until:
            watch = self.watching()
            if self.held is not None and (self.gate / "held").exists():
                self.overtake(self.held)
                continue
            if b"\n" in self.heard:
                line, _, self.heard = self.heard.partition(b"\n")
                return line.decode().split()
            pipe = _stream(watch.stdout).fileno()
            if select.select([pipe], [], [], 0.005)[0]:
                data = os.read(pipe, 65536)
                if not data:
                    raise RuntimeError(f"the watch ended with {watch.wait()}; see {self.folder / 'watch.log'}")
                self.heard += data
        raise TimeoutError(f"the watch said nothing for {MOST_WAIT} s; see {self.folder / 'watch.log'}")

    def overtake(self, event: Event) -> None:
        """Commit while a sweep runs, and kill the watch where that is planned."""
        self.held = None
        self.happen(event)
        self.seen.merged_during += 1
        if event.kill == "checking":
            self.kill(event.kill)
        for name in ("hold", "held"):
            (self.gate / name).unlink()
        if event.kill and event.kill != "checking":
            time.sleep(event.delay)
            self.kill(event.kill)

    def answer(self) -> None:
        """Tell the watch the time; one that was killed meanwhile is started with it."""
        if self.watch is not None:
            stream = _stream(self.watch.stdin)
            stream.write(f"{self.clock}\n".encode())
            stream.flush()

    def watching(self) -> subprocess.Popen[bytes]:
        """The watch, started where there is none."""
        if self.watch is None:
            arguments = [str(self.root), str(self.folder / "feed.jsonl"), str(self.clock)]
            with (self.folder / "watch.log").open("a") as log:
                self.watch = subprocess.Popen(
                    [sys.executable, "-m", "bench.health.day_watch", *arguments],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                )
        return self.watch

    def kill(self, why: str) -> None:
        """Kill the watch without a word of warning."""
        watch, self.watch, self.heard = self.watch, None, b""
        if watch is None:
            return
        watch.kill()
        watch.wait()
        for stream in (watch.stdin, watch.stdout):
            with _stream(stream):
                pass
        if why:
            self.seen.kills[why] += 1

    def sample(self) -> None:
        """Measure the watch and what it keeps."""
        memory = 0
        if self.watch is not None:
            status = Path(f"/proc/{self.watch.pid}/status").read_text()
            memory = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))
        state = self.root / ".git/pact"
        history = sum(one.stat().st_size for one in state.glob("history.db*")) >> 10
        trees = sum(1 for _ in (self.folder / "caches").glob("pactkeeper/sweep/*/tree"))
        caches = _size(self.folder / "caches")
        self.seen.samples.append(Sample(self.clock, memory, history, _size(state), caches, trees))


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ValueError("the watch was started without a pipe")
    return stream


def _size(folder: Path) -> int:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file() and not one.is_symlink()) >> 10


def surroundings(folder: Path) -> dict[str, str]:
    """The variables that keep everything of a day in its folder."""
    places = {name: str(folder / place) for name, place in _PLACES.items()}
    return {**places, "DAY_GATE": str(folder / "gate"), "PACTKEEPER_TRUST_CHECKS": "any"}


_PLACES = {"XDG_CACHE_HOME": "caches", "XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config"}


def main() -> None:
    """Live through a day and print its table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--commits", type=int, default=500)
    parser.add_argument("--kills", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--fastest", type=int, default=60)
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="day-"))
    os.environ.update(surroundings(folder))
    until = given.hours * 3600
    day = Day(
        folder, plan(given.seed, commits=given.commits, kills=given.kills, until=until), given.seed, given.fastest
    )
    day.begin()
    began = time.monotonic()
    day.run(until)
    print(table(day, time.monotonic() - began))
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
