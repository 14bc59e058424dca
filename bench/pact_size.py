"""The size and cost of a repository's first pact: the table in `pact_size.md`.

    python -m bench.pact_size REPOSITORY…

Each repository is cloned to a temporary folder; seconds are processor time of the command and its children.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

COMMANDS = (("init",), ("reconcile", "--all"), ("apply", "--all"))


def main() -> None:
    """Print one row for each repository."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", nargs="+", type=Path)
    print("| | tests | atoms | reconcile, s | apply, s | pact, KB | of which debt, KB | lines |\n|---|" + "---:|" * 7)
    for one in parser.parse_args().repositories:
        print(row(one), flush=True)


def row(repository: Path) -> str:
    """Clone, adopt, reconcile and apply; then measure what was written."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / repository.name
        subprocess.run(["git", "clone", "-q", "--shared", repository, root], check=True)
        seconds = [processor_seconds(root, *command) for command in COMMANDS]
        files = [one for one in (root / "pact").rglob("*") if one.is_file()]
        texts = {one: one.read_text(encoding="utf-8") for one in files}
        atoms = sum(text.count(".intent = ") for one, text in texts.items() if "atoms" in one.parts)
        debt = sum(len(text.encode()) for one, text in texts.items() if one.name == "debt.txt")
        size = sum(len(text.encode()) for text in texts.values())
        lines = sum(text.count("\n") for text in texts.values())
        tests = atoms + sum(text.count("\n") for one, text in texts.items() if one.name == "debt.txt")
    return (
        f"| {repository.name} | {tests:,} | {atoms:,} | {seconds[1]:.1f} | {seconds[2]:.1f} "
        f"| {size / 1e3:.0f} | {debt / 1e3:.0f} | {lines:,} |"
    )


def processor_seconds(root: Path, *command: str) -> float:
    """Run a pk command and return its processor seconds."""
    before = os.times()
    line = [sys.executable, "-m", "pactkeeper", *command]
    done = subprocess.run(line, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode not in {0, 1}:
        raise SystemExit(f"pk {' '.join(command)} ended with {done.returncode}: {done.stderr}")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    main()
