"""How long `pk check` takes on a large adopted repository, and how much of that is start-up: the table in `check.md`.

    python -m bench.check [--tests N] [--atoms N] [--runs N]

Generates a repository of N tests, creates atoms for N of them with Pactkeeper itself, commits, and measures whole
processes; medians. `git status` shows the minimum cost of looking at the files.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.generated import generate, git

PK = Path(sys.executable).with_name("pk")


def measure(root: Path, command: list[str], runs: int) -> float:
    """The median wall time of a command in milliseconds; its exit code is ignored."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, cwd=root, capture_output=True, check=False)
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def adopt(root: Path, atoms: int) -> None:
    """Create atoms for the first tests; the others become debt."""
    for arguments in (["init"], ["reconcile", "--all", "--max-tests", str(atoms)], ["apply", "--all"]):
        subprocess.run([str(PK), *arguments], cwd=root, capture_output=True, check=True)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "Adopt")


def rows(root: Path, runs: int) -> list[tuple[str, float]]:
    """Each measured command with its median."""
    pk = str(PK)
    found = [("`git status`", measure(root, ["git", "status", "--short"], runs))]
    subprocess.run([pk, "check"], cwd=root, capture_output=True, check=False)
    found.append(("`pk check`, nothing changed", measure(root, [pk, "check"], runs)))
    found.append(("`pk check --at HEAD`, nothing changed", measure(root, [pk, "check", "--at", "HEAD"], runs)))
    changed = next(path for path in sorted(root.rglob("test_*.py")))
    times = []
    for number in range(runs):
        with changed.open("a", encoding="utf-8") as stream:
            stream.write(f"\n\ndef test_added_{number}():\n    assert {number} == 1\n")
        times.append(measure(root, [pk, "check"], 1))
    found.append(("`pk check` after one file changed", statistics.median(times)))
    found.append(("`pk --help`", measure(root, [pk, "--help"], runs)))
    return found


def main() -> None:
    """Measure and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, default=15_000)
    parser.add_argument("--atoms", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=9)
    chosen = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "repository"
        generate(root, tests=chosen.tests)
        adopt(root, chosen.atoms)
        print(f"{chosen.tests:,} tests, {chosen.atoms:,} atoms; load {load:.1f} before the start\n")
        print("| command | median |\n|---|---:|")
        for name, milliseconds in rows(root, chosen.runs):
            print(f"| {name} | {milliseconds:,.0f} ms |")


if __name__ == "__main__":
    main()
