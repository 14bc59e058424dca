"""Whether tests really run the code that their contexts name: the second table in `context.md`.

    python -m bench.reached [PYTEST ARGUMENTS]

Runs this project's own tests (those given, else the quick rooms) and records every function under `src/` that each test
calls, then compares: a function named in a test's context was called by that test, or not. Calls in other processes
aren't recorded, so only tests with recorded calls are counted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = str(ROOT / "src")
OUT = "REACHED_OUT"
ROOMS = ("tests/intent", "tests/ledger", "tests/reconcile", "tests/repo/python", "tests/catalog")
FUNCTIONS = frozenset({"function", "method", "property"})
called: dict[str, set[tuple[str, str]]] = {}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None]:
    """Record the calls during one test, including its fixtures."""
    found = called.setdefault(item.nodeid.partition("[")[0], set())
    known: dict[CodeType, bool] = {}

    def record(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code not in known:
            known[code] = code.co_filename.startswith(SOURCE)
            if known[code]:
                found.add((str(Path(code.co_filename).relative_to(ROOT)), code.co_name))

    sys.setprofile(record)
    yield
    sys.setprofile(None)


def pytest_sessionfinish() -> None:
    """Write the recorded calls for the parent process."""
    if OUT in os.environ:
        Path(os.environ[OUT]).write_text(json.dumps({name: sorted(found) for name, found in called.items()}))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "calls.json"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "bench.reached", "-p", "no:cacheprovider", "--no-header"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), OUT: str(out)}
        subprocess.run([*command, *(sys.argv[1:] or ROOMS)], cwd=ROOT, env=environment, check=False, stdout=sys.stderr)
        recorded = {name: {tuple(one) for one in found} for name, found in json.loads(out.read_text()).items()}
    print("| | named and called | named and not called | share |\n|---|---:|---:|---:|")
    for what, (hits, misses) in compared({name: found for name, found in recorded.items() if found}).items():
        print(f"| {what} | {hits:,} | {misses:,} | {hits / max(hits + misses, 1):.1%} |")


def compared(recorded: dict[str, set[tuple[str, ...]]]) -> dict[str, tuple[int, int]]:
    from pactkeeper.repo import snapshot  # noqa: PLC0415 - a pytest plugin must not import the code under test
    from pactkeeper.repo.cache import NoCache  # noqa: PLC0415 - likewise
    from pactkeeper.repo.context import Sources, contexts  # noqa: PLC0415 - likewise
    from pactkeeper.repo.discovery import Discovery  # noqa: PLC0415 - likewise
    from pactkeeper.repo.git import Repository  # noqa: PLC0415 - likewise
    from pactkeeper.repo.outlines import Outlines  # noqa: PLC0415 - likewise

    state = snapshot.worktree(Repository.open(ROOT))
    everything = Discovery().scan(state).tests
    sources = Sources(Outlines(state, NoCache()), frozenset(test.file for test in everything))
    counts: Counter[tuple[str, bool]] = Counter()
    for context in contexts(sources, [test for test in everything if test.id in recorded], budget=1_000_000):
        tested = [one for one in context.code if not one.support and one.path.startswith("src/")]
        counts["tests that call something, of which code is named", bool(tested)] += 1
        for one in tested:
            if one.kind in FUNCTIONS:
                row = "functions that the test names itself" if one.steps == 0 else "functions behind its helpers"
                counts[row, (one.path, one.name.rpartition(".")[2]) in recorded[context.test]] += 1
    return {row: (counts[row, True], counts[row, False]) for row in sorted({row for row, _ in counts}, reverse=True)}


if __name__ == "__main__":
    main()
