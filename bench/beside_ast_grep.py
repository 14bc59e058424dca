"""Processor time of a cold `pk scan` compared with ast-grep on the same files: `beside_ast_grep.md`.

    python -m bench.beside_ast_grep AST_GREP CLONE [CLONE ...] [--runs N]

AST_GREP is the path of its program. It searches every Python, JavaScript and TypeScript file for test functions and
test runner calls, and prints them as JSON lines. The start-up time of each program (`--help`, `--version`) is shown
as well; the quotient is of the remaining times. Pactkeeper's caches in the clones are deleted.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

RULES = """
id: python
language: python
rule: {kind: function_definition, has: {field: name, regex: '^test'}}
---
id: javascript
language: javascript
rule: {kind: call_expression, has: {field: function, regex: '^(it|test|describe)'}}
---
id: typescript
language: typescript
rule: {kind: call_expression, has: {field: function, regex: '^(it|test|describe)'}}
---
id: tsx
language: tsx
rule: {kind: call_expression, has: {field: function, regex: '^(it|test|describe)'}}
"""


def spent(command: Sequence[str], folder: Path) -> float:
    """User and system time of a command and its children, in seconds; raise CalledProcessError if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def cold(command: Sequence[str], folder: Path) -> float:
    """The same, after deleting Pactkeeper's cache in the clone."""
    shutil.rmtree(folder / ".git/pact", ignore_errors=True)
    return spent(command, folder)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("ast_grep")
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    ours, theirs = [sys.executable, "-m", "pactkeeper"], [chosen.ast_grep]
    search = [*theirs, "scan", "--inline-rules", RULES, "--json=stream"]
    print("| project | pk scan, cold | starts in | ast-grep | starts in | quotient |\n|---|---:|---:|---:|---:|---:|")
    for clone in chosen.clones:
        columns = [
            [measure(command, clone) for _ in range(chosen.runs)]
            for measure, command in (
                (cold, [*ours, "scan", "--json"]),
                (spent, [*ours, "--help"]),
                (spent, search),
                (spent, [*theirs, "--version"]),
            )
        ]
        scan, start, grep, begin = map(statistics.median, columns)
        quotient = (scan - start) / max(0.001, grep - begin)
        print(f"| {clone.name} | {scan:.2f} | {start:.2f} | {grep:.2f} | {begin:.2f} | {quotient:.1f} |", flush=True)


if __name__ == "__main__":
    main()
