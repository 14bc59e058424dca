"""How long `pk guard` takes for 50 edited files among 15,000 tests: `python -m bench.guard_speed FOLDER [--runs 7]`.

FOLDER is made by `bench.generated` if it is missing. Every run is a process of its own, after one more change, so that
it can't read its last report again; the second row can. Processor time is what to compare where other work shares the
machine. `--profile OUT` writes a profile of one run after a change instead.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from bench.generated import generate

FILES = {"tests/**/*.py": 40, "web/**/*.ts": 10}
COMPILING = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def main() -> None:
    """Edit the files, fill the cache, and print the times of the runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--profile", type=Path)
    given = parser.parse_args()
    if not given.folder.exists():
        generate(given.folder, tests=15_000)
    edit(given.folder)
    command = [sys.executable, "-m", "pactkeeper", "guard"]
    run(given.folder, command)
    if given.profile:
        run(given.folder, [sys.executable, "-m", "cProfile", "-o", str(given.profile.resolve()), *command[1:]])
        return
    print("| runs | wall, least | wall, median | processor, least | processor, median |\n|---|---|---|---|---|")
    for title, changing in (("after a change", True), ("nothing changed", False)):
        times = [run(given.folder, command, changing=changing) for _ in range(given.runs)]
        columns = zip(*times, strict=True)
        cells = (f"{one:.2f} s" for side in columns for one in (min(side), median(side)))
        print(f"| {given.runs} {title} | {' | '.join(cells)} |")


def edit(folder: Path) -> None:
    """Change one expected value in every chosen file, unless that was done before."""
    for pattern, number in FILES.items():
        for path in sorted(folder.glob(pattern))[:number]:
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace('"open"', '"shut"').replace("'open'", "'shut'"), encoding="utf-8")


def run(folder: Path, command: list[str], *, changing: bool = True) -> tuple[float, float]:
    """The wall time and the processor time of one run, in seconds, after one of the changed files changed once more."""
    if changing:
        with next(folder.glob("tests/*/*.py")).open("a", encoding="utf-8") as stream:
            stream.write("# changed again\n")
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, env=COMPILING)
    _, _, used = os.wait4(process.pid, 0)
    return time.perf_counter() - start, used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
