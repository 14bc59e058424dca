"""How fast transcripts are read, in how much memory, and how long an append takes: a table in `transcripts.md`.

    python -m bench.transcripts.speed [--megabytes 200] [--sessions 8]

The transcripts are generated in Claude Code's format with the sizes of real sessions: mostly results of tools, some of
them large, and a tenth of talk with plans, decisions and commits in it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pactkeeper.store.database import open_database, sqlite_url
from pactkeeper.store.history import History
from pactkeeper.transcripts.ingest import ingest

NOW = "2026-03-02T08:00:00.000+00:00"
MEGABYTE = 1 << 20
PLAN = "## Rollout plan\n\n1. Measure `{0}`\n2. Change {0}\n3. Measure {0} again\n4. Tell everybody\n\nNothing else."
TALK = "I read the module and what calls it. The function takes two arguments and gives back one value. " * 4
PUSHED = "[main {0:07x}] Change {0}\n 1 file changed\nTo github.com:ada/shop.git\n   {0:07x}..{1:07x}  main -> main"


class _Session:
    """Writes one session; every record has an id of its own."""

    def __init__(self, name: int, chance: random.Random) -> None:
        self.name = name
        self.chance = chance
        self.number = 0

    def record(self, kind: str, content: object) -> str:
        self.number += 1
        at = f"2026-03-01T{self.number // 3600 % 24:02d}:{self.number // 60 % 60:02d}:{self.number % 60:02d}.000Z"
        return json.dumps(
            {
                "parentUuid": None,
                "isSidechain": False,
                "cwd": "/home/ada/shop",
                "sessionId": f"session-{self.name}",
                "version": "2.0.1",
                "gitBranch": "main",
                "type": kind,
                "uuid": f"{self.name:08d}-0000-4000-8000-{self.number:012d}",
                "timestamp": at,
                "message": {"role": kind, "content": content, "usage": {"input_tokens": 1, "output_tokens": 2}},
            }
        )

    def turn(self) -> Iterator[str]:
        """A person asks, the agent runs some tools and answers."""
        turn = self.number
        yield self.record("user", f"Please look at item {turn} and change it. " * 3)
        for step in range(self.chance.randint(3, 8)):
            yield from self.call(f"sed -n 1,200p src/module_{step}.py", self.listing())
        if self.chance.random() < 0.3:
            yield from self.call(f"git commit -am 'Change {turn}' && git push", PUSHED.format(turn, turn + 1))
        if self.chance.random() < 0.2:
            yield from self.call("pytest -q", f"{'.' * 200}\n{turn % 50 + 1} passed, 2 skipped in 1.20s")
        text = PLAN.format(f"part {self.name}-{turn}") if self.chance.random() < 0.1 else TALK
        yield self.record("assistant", [{"type": "text", "text": text}])
        if self.chance.random() < 0.1:
            yield self.record("user", f"We decided to keep variant {turn} because it is the shortest one.")

    def call(self, command: str, output: str) -> Iterator[str]:
        name = f"toolu_{self.name}_{self.number}"
        use = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": command, "description": "look"}}
        yield self.record("assistant", [use])
        back = {"type": "tool_result", "tool_use_id": name, "content": output, "is_error": False}
        yield self.record("user", [back])

    def listing(self) -> str:
        lines = int(min(4000, self.chance.lognormvariate(3.6, 1.1)))
        return "\n".join(f"{n:5d}→    value_{n} = compute({n}, 'some text')  # as before" for n in range(lines))


def generate(folder: Path, size: int, sessions: int) -> list[Path]:
    """Write sessions of about equal length, `size` bytes in all."""
    paths = []
    for name in range(sessions):
        path = folder / f"session-{name}.jsonl"
        session = _Session(name, random.Random(name))  # noqa: S311 - the same every time
        with path.open("w", encoding="utf-8") as file:
            while file.tell() < size // sessions:
                file.writelines(f"{line}\n" for line in session.turn())
        paths.append(path)
    return paths


def resident() -> float:
    """The memory that this process has now, in MB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / MEGABYTE


def peak() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--sessions", type=int, default=8)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = generate(folder, given.megabytes * MEGABYTE, given.sessions)
        size = sum(path.stat().st_size for path in paths) / MEGABYTE
        database = open_database(sqlite_url(folder / "history.db"))
        history = History(database, "person")
        before = resident()
        memory = []
        began, busy = time.perf_counter(), time.process_time()
        entries = 0
        for path in paths:
            entries += ingest(history, path, now=lambda: NOW).entries
            memory.append(resident())
        took, busy = time.perf_counter() - began, time.process_time() - busy
        print(f"{size:.0f} MB, {entries:,} entries in {took:.1f} s: {size / took:.1f} MB/s")
        print(f"of which {busy:.1f} s on a processor: {size / busy:.1f} MB/s")
        after = ", ".join(f"{one:.0f}" for one in memory)
        print(f"memory before {before:.0f} MB, after each session {after} MB, at most {peak():.0f} MB")
        began = time.perf_counter()
        for path in paths:
            ingest(history, path, now=lambda: NOW)
        print(f"again, nothing new: {1000 * (time.perf_counter() - began) / len(paths):.1f} ms a session")
        print_appends(history, paths[0])
        database.close()
        print_commands(folder, paths[1])


def print_appends(history: History, path: Path) -> None:
    """Time appends of one record of about 1 KB each."""
    session = _Session(900, random.Random(1))  # noqa: S311 - as above
    times, spent = [], []
    for _ in range(30):
        with path.open("a", encoding="utf-8") as file:
            file.write(session.record("assistant", [{"type": "text", "text": TALK[:700]}]) + "\n")
        began, busy = time.perf_counter(), time.process_time()
        ingest(history, path, now=lambda: NOW)
        times.append(1000 * (time.perf_counter() - began))
        spent.append(1000 * (time.process_time() - busy))
    print(f"an append of 1 KB: median {statistics.median(times):.1f} ms, worst {max(times):.1f} ms; ", end="")
    print(f"on a processor {statistics.median(spent):.1f} ms")


def print_commands(folder: Path, path: Path) -> None:
    """Time the whole command after an append, in a process of its own each."""
    session = _Session(901, random.Random(1))  # noqa: S311 - as above
    home = folder / "home" / "pactkeeper"
    home.mkdir(parents=True)
    (folder / "history.db").rename(home / "history.db")
    surroundings = {**os.environ, "XDG_DATA_HOME": str(home.parent), "XDG_CONFIG_HOME": str(home.parent)}
    times = []
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(_TIMES):
        with path.open("a", encoding="utf-8") as file:
            file.write(session.record("assistant", [{"type": "text", "text": TALK[:700]}]) + "\n")
        command = [sys.executable, "-m", "pactkeeper", "transcripts", "ingest", str(path), "--no-wait", "--json"]
        start = time.perf_counter()
        done = subprocess.run(command, env=surroundings, capture_output=True, check=True)
        times.append(1000 * (time.perf_counter() - start))
        assert json.loads(done.stdout)["files"][0]["entries"] == 1, done.stdout
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = 1000 * (ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime) / _TIMES
    print(f"the whole command after an append: median {statistics.median(times):.0f} ms; ", end="")
    print(f"on a processor {spent:.0f} ms")


_TIMES = 7


if __name__ == "__main__":
    main()
