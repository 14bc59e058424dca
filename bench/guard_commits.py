"""What `pk guard` reports on real history: `python bench/guard_commits.py REPOSITORY [--commits N] [--only SHA]`.

Each of the last N non-merge commits that touch test files is compared with its parent. Every error and warning is
printed for a person to judge; the last line is a row of the table in `guard_commits.md`. Downloads nothing.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pactkeeper.intent.strength.change import Change
from pactkeeper.repo.cache import FileCache
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.git import Repository
from pactkeeper.repo.snapshot import commit
from pactkeeper.repo.strength.judging import Judgement, judge
from pactkeeper.repo.strength.support import TestState

PYTHON_FILES = r"(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$"


def main() -> None:
    """Judge the commits and print the findings, then the summary."""
    given = _arguments().parse_args()
    repository, pattern = Repository.open(given.repo), re.compile(given.files)
    chosen = given.only or list(touching(given.repo, pattern, given.commits, given.at))
    blocked = warned = tests = 0
    with tempfile.TemporaryDirectory() as folder, FileCache(given.cache or Path(folder), notice=sys.exit) as cache:
        discovery = Discovery(cache=cache, processes=1)
        for name in chosen:
            found = judged(repository, discovery, name)
            loud = {one.severity for one in found.changes if one.severity != "note"}
            blocked, warned, tests = (
                blocked + ("error" in loud),
                warned + ("error" not in loud and bool(loud)),
                tests + found.tests,
            )
            _show(name, subject(given.repo, name), found.changes)
    print(f"| {given.repo.resolve().name} | {len(chosen)} | {tests} | {blocked} | {warned} |")


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repo", type=Path)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--at", default="HEAD", help="the commit to go back from")
    parser.add_argument("--files", default=PYTHON_FILES, help="what is a test file, as a regular expression")
    parser.add_argument("--only", action="append", default=[], help="judge this commit only; may be repeated")
    parser.add_argument("--cache", type=Path, help="keep scans here for the next run")
    return parser


def touching(repo: Path, pattern: re.Pattern[str], number: int, at: str) -> Iterator[str]:
    """The last single-parent commits that change an existing test file, newest first."""
    command = ["git", "-C", str(repo), "log", "--no-merges", "--format=%x00%H", "--name-only", "--diff-filter=MDR", at]
    logged = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for entry in logged.split("\0")[1:]:
        name, *paths = entry.split()
        if any(pattern.search(path) for path in paths):
            number -= 1
            yield name
            if number == 0:
                return


def judged(repository: Repository, discovery: Discovery, name: str) -> Judgement:
    """The guard's judgement of one commit."""
    sides = [commit(repository, at) for at in (f"{name}^", name)]
    return judge(*(TestState(side, discovery.scan(side)) for side in sides))


def subject(repo: Path, name: str) -> str:
    """The commit's subject."""
    command = ["git", "-C", str(repo), "log", "-1", "--format=%s", name]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _show(name: str, about: str, found: tuple[Change, ...]) -> None:
    loud = [one for one in found if one.severity != "note"]
    if loud:
        print(f"\n{name[:10]} {about}")
    for one in loud:
        print(f"  {one.severity} {one.kind} {one.test}:{one.line} {one.message}\n      {one.old}\n   -> {one.new}")


if __name__ == "__main__":
    main()
