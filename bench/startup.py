"""Processor time of commands on an unchanged repository: the first table of `startup.md`.

    python -m bench.startup [--tests N] [--runs N]

Generates a repository with a pact, runs every command twice to fill the caches, then takes the median of the runs.
User and system time of the process and its children; other load on the machine increases both.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.generated import generate, git

LOOKING = ("structure", "runs list", "atom list", "debt", "docs search number")
COMMANDS = ("--help", "check", "scan", "delta --since HEAD", "status", "gaps", "next", *LOOKING)
GOAL = 0.150


def spent(root: Path, arguments: Sequence[str]) -> tuple[float, float]:
    """User and system time of one run of `pk`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "pactkeeper", *arguments], cwd=root, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tests", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=15)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        generate(root, tests=chosen.tests)
        for arguments in (["init"], ["reconcile", "--all"]):
            spent(root, arguments)
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message", "Adopt")
        print("| command | user | user + system | over the goal |\n|---|---:|---:|---:|")
        for command in COMMANDS:
            arguments = command.split()
            measured = [spent(root, arguments) for _ in range(chosen.runs + 2)][2:]
            user = statistics.median(one for one, _ in measured)
            both = statistics.median(sum(one) for one in measured)
            print(f"| `{command}` | {user:.3f} | {both:.3f} | {max(0.0, both - GOAL):.3f} |", flush=True)


if __name__ == "__main__":
    main()
