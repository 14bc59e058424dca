"""A large reconciliation through the whole graph, and commands on a tiny repository: the tables in `graph.md`.

    python -m bench.graph [--tests N] [--runs N] [--keep FOLDER]

Generates a repository of N tests without intent, runs the graph on it and measures whole processes: wall time,
processor time with children, and peak memory of the process and its children, with shared pages counted once for each.
Then runs the same commands on a repository of two tests, medians of the runs: the cost of starting up.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.check import PK
from bench.generated import generate
from bench.speed import watch
from pactkeeper.operators.runs import list_runs, show_run
from pactkeeper.workspace import open_workspace

LARGE = (
    ("first run: everything is new", ("reconcile", "--all")),
    ("`pk runs list`", ("runs", "list")),
    ("`pk next`", ("next",)),
    ("second run on the same input", ("reconcile", "--all")),
    ("`pk apply --all`", ("apply", "--all")),
    ("third run, everything applied", ("reconcile", "--all")),
    ("`pk check` then", ("check",)),
)
SMALL = (
    ("`pk reconcile --all`", ("reconcile", "--all")),
    ("`pk runs list`", ("runs", "list")),
    ("`pk next`", ("next",)),
    ("`pk check`", ("check",)),
    ("`pk --help`", ("--help",)),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one process: wall seconds, processor seconds with children, and peak memory in bytes."""

    wall: float
    processor: float
    memory: int


def main() -> None:
    """Measure and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="make the repositories in this new folder and keep them")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = chosen.keep or Path(folder)
        if chosen.tests:
            generate(place / "large", tests=chosen.tests)
            report(f"{chosen.tests:,} tests", large(place / "large"))
            report("the nodes of the first run", nodes(place / "large"))
        generate(place / "small", tests=2)
        report(f"2 tests, medians of {chosen.runs}", small(place / "small", chosen.runs))


def report(title: str, rows: Iterator[str]) -> None:
    """Print the rows of a table as they are measured."""
    one, five, _ = os.getloadavg()
    print(
        f"\n## {title}\n\n{os.cpu_count()} cores, load {one:.1f} (one minute) and {five:.1f} (five) before\n",
        flush=True,
    )
    for row in rows:
        print(row, flush=True)


def large(root: Path) -> Iterator[str]:
    """The cost of each command, and the file sizes after the first and the last."""
    yield "| | wall | processor | memory |\n|---|---:|---:|---:|"
    for name, arguments in LARGE:
        yield line(name, measure(root, arguments))
        if name in {LARGE[0][0], LARGE[-1][0]}:
            yield f"| (beside the pact: {sizes(root)}) | | | |"


def line(name: str, cost: Cost) -> str:
    """A table row."""
    return f"| {name} | {cost.wall:.1f} s | {cost.processor:.1f} s | {cost.memory >> 20} MiB |"


def measure(root: Path, arguments: tuple[str, ...]) -> Cost:
    """Run a `pk` command; its exit code is ignored."""
    before = os.times()
    start = time.perf_counter()
    peak = [0]
    with subprocess.Popen(
        [str(PK), *arguments], cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    ) as process:
        watching = threading.Thread(target=watch, args=(process, peak))
        watching.start()
        watching.join()
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(time.perf_counter() - start, spent, peak[0])


def sizes(root: Path) -> str:
    """The sizes of the files that runs keep beside the pact, including write-ahead logs."""
    names = ("checkpoints.db", "history.db", "cache.sqlite")
    found = {name: sum(one.stat().st_size for one in (root / ".git/pact").glob(f"{name}*")) for name in names}
    return ", ".join(f"{name} {size / 1e6:.1f} MB" for name, size in found.items())


def nodes(root: Path) -> Iterator[str]:
    """The trace of the oldest run."""
    with open_workspace(root, notice=print) as workspace:
        shown = show_run(workspace, list_runs(workspace)[-1].run.id)
    yield "| node | seconds | counts |\n|---|---:|---|"
    for event in shown.trace:
        counts = ", ".join(f"{name} {number:,}" for name, number in event.counts.items())
        yield f"| {event.node} | {event.milliseconds / 1000:.1f} | {counts} |"


def small(root: Path, runs: int) -> Iterator[str]:
    """Medians of commands on a tiny repository."""
    yield "| | wall | processor | memory |\n|---|---:|---:|---:|"
    for name, arguments in SMALL:
        costs = [measure(root, arguments) for _ in range(runs)]
        wall = statistics.median(one.wall for one in costs)
        processor = statistics.median(one.processor for one in costs)
        memory = max(one.memory for one in costs) >> 20
        yield f"| {name} | {wall * 1000:,.0f} ms | {processor * 1000:,.0f} ms | {memory} MiB |"


if __name__ == "__main__":
    main()
