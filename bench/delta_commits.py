"""Compare the delta of real commits with an independent parser: the tables in `delta.md`.

    python -m bench.delta_commits --repo PATH [--commits N] [--since DATE] [--files REGEX] [--typescript MODULE]

For each of N commits that touch test files, the delta to its parent is compared with what another parser (Python's
`ast`, or the TypeScript compiler) says about the files that git lists as changed:

- every id on only one side must be in `added`, `deleted` or at the right end of a `moved` or `renamed` step;
- every id on both sides is in `modified` exactly when the other parser sees a different structure;
- both ends of a step have the same structure, unless the later one is in `modified`;
- no two tests left as `added` and `deleted` have the same structure.

Downloads nothing; the TypeScript compiler is loaded from MODULE.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from bench.oracles import python_ast
from pactkeeper.intent.tests import escape_part, file_of
from pactkeeper.repo import snapshot
from pactkeeper.repo.cache import FileCache
from pactkeeper.repo.delta import Delta, delta_between
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.git import Repository

PYTHON_FILES = r"(^|/)(test_[^/]*|[^/]*_test)\.py$|(^|/)test_[^/]*/__init__\.py$"
KINDS = ("added", "modified", "moved", "renamed", "deleted", "unseen")
SCRIPT_FILES = r"\.(test|spec)\.[cm]?[jt]sx?$|^test/[^/]*\.js$"


# Another parser: path and bytes of a file to its structure by test; None if it can't parse the file.
Oracle = Callable[[str, bytes], Mapping[str, str] | None]


def by_ast(_: str, source: bytes) -> Mapping[str, str] | None:
    """Ask Python's own parser."""
    try:
        return python_ast.tests(source)
    except (SyntaxError, ValueError):
        return None


class TypeScript:
    """The TypeScript compiler in a node process."""

    def __init__(self, module: str) -> None:
        program = Path(__file__).parent / "oracles" / "typescript.cjs"
        command = ["node", str(program), str(Path(module).resolve())]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.__exit__(None, None, None)

    def __call__(self, path: str, source: bytes) -> Mapping[str, str] | None:
        """Ask the compiler."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        question = json.dumps({"path": path, "text": source.decode("utf-8", "replace")})
        self._process.stdin.write(question.encode() + b"\n")
        self._process.stdin.flush()
        found: dict[str, str] | None = json.loads(self._process.stdout.readline())
        return found


@dataclass
class Bench:
    """The settings of a comparison, and its counts so far."""

    repository: Repository
    discovery: Discovery
    oracle: Oracle
    pattern: re.Pattern[str]
    commits: int = 0
    skipped: int = 0
    tests: int = 0
    counts: Counter[str] = field(default_factory=Counter)


def main() -> int:
    options = arguments().parse_args()
    repository = Repository.open(options.repo)
    pattern = re.compile(options.files or (SCRIPT_FILES if options.typescript else PYTHON_FILES))
    with ExitStack() as stack:
        oracle: Oracle = stack.enter_context(TypeScript(options.typescript)) if options.typescript else by_ast
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        cache = stack.enter_context(FileCache(Path(folder), notice=sys.exit))
        bench = Bench(repository, Discovery(cache=cache), oracle, pattern)
        chosen = commits(repository, options.since, options.commits, pattern)
        differences = [line for commit in chosen for line in judge(bench, commit)]
    for line in differences[: options.show]:
        print(line)
    kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(bench.counts.items()))
    name = Path(options.repo).resolve().name
    print(f"| {name} | {bench.commits} | {bench.skipped} | {bench.tests} | {kinds} | {len(differences)} |")
    return 1 if differences else 0


def arguments() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--repo", required=True)
    options.add_argument("--commits", type=int, default=50)
    options.add_argument("--since", default="", help="only commits after this date")
    options.add_argument("--files", default="", help="regular expression of the test files to look at")
    options.add_argument("--typescript", default="", help="path of the module `typescript`")
    options.add_argument("--show", type=int, default=20)
    return options


def commits(repository: Repository, since: str, wanted: int, pattern: re.Pattern[str]) -> list[str]:
    """Single-parent commits that touch test files, spread evenly over the history."""
    after = (f"--since={since}",) if since else ()
    log = repository.run(
        "log", "--no-merges", "--min-parents=1", "--format=%x01%H", "--name-only", *after, "HEAD"
    ).decode()
    entries = [entry.split("\n") for entry in log.split("\x01")[1:]]
    touching = [entry[0] for entry in entries if any(pattern.search(path) for path in entry[1:])]
    step = max(1, len(touching) // wanted)
    return touching[::step][:wanted]


def judge(bench: Bench, commit: str) -> list[str]:
    """Compare one commit's delta with what the oracle sees; one line per difference."""
    repository, pattern = bench.repository, bench.pattern
    base, target = snapshot.commit(repository, f"{commit}~1"), snapshot.commit(repository, commit)
    listed = repository.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", f"{commit}~1", commit).decode()
    changed = [path for path in listed.split("\0") if pattern.search(path)]
    old, new = seen(base, changed, bench.oracle), seen(target, changed, bench.oracle)
    if old is None or new is None:
        bench.skipped += 1
        return []
    scan = bench.discovery.scan
    found = delta_between(base, scan(base), target, scan(target)).under(changed)
    bench.commits += 1
    bench.tests += len(old.keys() | new.keys())
    bench.counts.update({kind: len(getattr(found, kind)) for kind in KINDS})
    return [f"{commit[:10]} {difference}" for difference in compare(found, old, new, pattern)]


def seen(state: snapshot.Snapshot, paths: list[str], oracle: Oracle) -> dict[str, str] | None:
    """All tests of these files by full id; None if a file can't be parsed."""
    found: dict[str, str] = {}
    for path, source in state.read_many([path for path in paths if path in state]):
        tests = oracle(path, source or b"")
        if tests is None:
            return None
        found |= {f"{escape_part(path)}::{tail}": shape for tail, shape in tests.items()}
    return found


def compare(found: Delta, old: Mapping[str, str], new: Mapping[str, str], pattern: re.Pattern[str]) -> Iterator[str]:
    """Every disagreement between the delta and the oracle."""
    steps = [*found.moved, *found.renamed]
    hidden = set(found.unseen)
    ours_new = {*found.added, *(after for _, after in steps)}
    ours_old = {*found.deleted, *(before for before, _ in steps)}
    yield from one_side("new", ours_new, {name for name in new if name not in old} - hidden, pattern)
    yield from one_side("lost", ours_old, {name for name in old if name not in new} - hidden, pattern)
    for name in sorted(old.keys() & new.keys()):
        if (old[name] != new[name]) != (name in found.modified):
            yield f"modified: {name} is {'not ' if name not in found.modified else ''}in the delta"
    for before, after in steps:
        if before in old and after in new and (old[before] == new[after]) == (after in found.modified):
            yield f"step: {before} -> {after} is {'' if after in found.modified else 'not '}called modified"
    left = {old[name] for name in found.deleted if name in old}
    for name in found.added:
        if name in new and new[name] in left:
            yield f"apart: {name} has the structure of a deleted test"


def one_side(kind: str, ours: set[str], theirs: set[str], pattern: re.Pattern[str]) -> Iterator[str]:
    for name in sorted(theirs - ours):
        yield f"{kind}: only the oracle has {name}"
    for name in sorted(ours - theirs):
        if pattern.search(file_of(name)):
            yield f"{kind}: only the delta has {name}"


if __name__ == "__main__":
    sys.exit(main())
