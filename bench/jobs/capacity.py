"""Processor time per job, and the events per minute that a number of cores can handle.

`python -m bench.jobs.capacity` runs each kind of job on repositories of 200, 2,000 and 20,000 tests and adds up the
processor time of its processes, which other programs on the machine do not change. Then it simulates more cores than
there are: jobs of one repository one after the other, every core with one job at a time.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.jobs.campaign import PACT, PER_FILE, git
from tests.postgres import start_server

SIZES: Final = (200, 2_000, 20_000)
COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "tick": ("tick", "--json"),
    "guard": ("guard", "--at", "HEAD", "--since", "HEAD^", "--json"),
    "pull-request": ("pr", "show", "--since", "HEAD^", "--json"),
    "check": ("check", "--at", "HEAD", "--json"),
    "sweep": ("health", "sweep", "--at", "HEAD", "--json"),
    "reconcile": ("reconcile", "--since", "HEAD^", "--json"),
}
# How often each comes of a hundred events: most are pushes to pull requests, each with its report.
MIX: Final = {"pull-request": 60, "sweep": 15, "reconcile": 10, "check": 10, "tick": 5}
CORES: Final = (1, 2, 4, 8, 16, 32)


def repository(folder: Path, tests: int) -> Path:
    """A repository with a pact, whose last commit changes one test of many."""
    place = folder / f"r{tests}"
    (place / "tests").mkdir(parents=True)
    (place / "pact").mkdir()
    (place / "pact/pact.toml").write_text(PACT)
    (place / "check.sh").write_text("exit 0\n")
    for file in range(tests // PER_FILE):
        lines = [
            f'def test_{file}_{one}():\n    """Sum {one} is right."""\n    assert 1 + {one} == {one + 1}\n'
            for one in range(PER_FILE)
        ]
        (place / f"tests/test_{file}.py").write_text("\n\n".join(lines))
    git(place, "init", "-q", "-b", "main")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "Start")
    changed = place / "tests/test_0.py"
    changed.write_text(changed.read_text().replace("assert 1 + 3 == 4", "assert 1 + 3 > 0"))
    git(place, "commit", "-qam", "Loosen")
    return place


def spent(place: Path, command: Sequence[str], surroundings: Mapping[str, str]) -> float:
    """The processor seconds, user and system, of a command and all that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = [sys.executable, "-m", "pactkeeper", "-C", str(place), *command]
    done = subprocess.run(run, env=dict(surroundings), capture_output=True, check=False)
    if done.returncode not in {0, 1}:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.decode()[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(folder: Path, url: str) -> dict[int, dict[str, float]]:
    """Seconds by the number of tests and the kind, with warm caches, as on a worker that knows the repository."""
    found: dict[int, dict[str, float]] = {}
    surroundings = {
        **os.environ,
        "PACTKEEPER_DATABASE_URL": url,
        "PACTKEEPER_TRUST_CHECKS": "any",
        **{f"XDG_{one}_HOME": str(folder / one.lower()) for one in ("CACHE", "DATA", "CONFIG")},
    }
    for tests in SIZES:
        place = repository(folder, tests)
        cold = spent(place, COMMANDS["check"], surroundings)
        found[tests] = {"check, the first time": round(cold, 2)}
        for kind, command in COMMANDS.items():
            found[tests][kind] = round(min(spent(place, command, surroundings) for _ in range(2)), 2)
            print(tests, kind, found[tests][kind], file=sys.stderr, flush=True)
    return found


def cost(seconds: Mapping[int, Mapping[str, float]], tests: float, kind: str) -> float:
    """The seconds of a job on a repository of any size, between the sizes that were measured."""
    lower = max(one for one in SIZES if one <= tests)
    upper = min(one for one in SIZES if one >= tests)
    if lower == upper:
        return seconds[lower][kind]
    part = (tests - lower) / (upper - lower)
    return seconds[lower][kind] * (1 - part) + seconds[upper][kind] * part


def simulated(
    seconds: Mapping[int, Mapping[str, float]], sizes: Sequence[float], cores: int, jobs: int = 6_000
) -> float:
    """Jobs a minute on so many cores; a core takes the oldest waiting job whose repository is free."""
    chance = random.Random(7)  # noqa: S311 - the same events in every run
    kinds, weights = list(MIX), list(MIX.values())
    waiting = [(chance.randrange(len(sizes)), chance.choices(kinds, weights)[0]) for _ in range(jobs)]
    waiting.reverse()
    running, now = list[tuple[float, int]](), 0.0
    busy: set[int] = set()
    held: list[tuple[int, str]] = []
    while waiting or held or running:
        held, again = [], held
        for job in again + [waiting.pop() for _ in range(min(len(waiting), 4 * cores - len(again)))]:
            if len(running) < cores and job[0] not in busy:
                busy.add(job[0])
                heapq.heappush(running, (now + cost(seconds, sizes[job[0]], job[1]), job[0]))
            else:
                held.append(job)
        now, done = heapq.heappop(running)
        busy.discard(done)
    return 60 * jobs / now


def main(arguments: Sequence[str] | None = None) -> dict[str, object]:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=int, default=60)
    asked = parser.parse_args(arguments)
    folder, server = Path(tempfile.mkdtemp(prefix="pk-capacity-")), start_server()
    try:
        with server.database() as url:
            seconds = measured(folder, url)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
        if server.folder:
            shutil.rmtree(server.folder, ignore_errors=True)
    sizes = [200 * 100 ** (one / (asked.repositories - 1)) for one in range(asked.repositories)]
    rates = {cores: simulated(seconds, sizes, cores) for cores in CORES}
    found: dict[str, object] = {
        "processor seconds": seconds,
        "events a minute and core": {
            tests: round(6_000 / sum(MIX[kind] * seconds[tests][kind] for kind in MIX)) for tests in SIZES
        },
        "simulated jobs a minute": {cores: round(rate) for cores, rate in rates.items()},
        "of linear": {cores: round(rate / rates[1] / cores, 2) for cores, rate in rates.items()},
    }
    print(json.dumps(found, indent=1))
    return found


if __name__ == "__main__":
    main()
