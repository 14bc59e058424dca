"""How long scans and deltas take, and how much memory they need: the tables in `speed.md`.

    python -m bench.speed [--tests N] [--runs N] [--repo PATH ...] [--memory N]

Generates a Python and TypeScript repository of N tests, measures it and every given repository, and prints Markdown.
Medians of the runs. Each scan is a process of its own with warm disk caches: import time is included, disk time is not.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.edits.making import git
from pactkeeper.repo import snapshot
from pactkeeper.repo.git import Repository
from pactkeeper.repo.languages import LANGUAGES, load
from pactkeeper.repo.languages.adapter import Language

TESTS_IN_A_FILE = 10
PYTHON_TEST = '''

@pytest.mark.parametrize("amount", [{n}, {n} + 1, {n} + 2])
def test_order_{n}_is_paid_in_full(shop, amount):
    """An order that was paid in full is closed."""
    order = shop.order(customer="customer-{n}", amount=amount)
    with shop.session() as session:
        # the payment arrives in two parts
        session.pay(order, amount // 2)
        session.pay(order, amount - amount // 2)
    assert order.paid == amount
    assert order.status == "closed", f"order {{order.id}} is still open"
    for entry in order.history:
        assert entry.customer == "customer-{n}"
'''
SCRIPT_TEST = """
  it('closes order {n} when it is paid in full', async () => {{
    const order = await shop.order({{ customer: 'customer-{n}', amount: {n} }})
    // the payment arrives in two parts
    await shop.session(async (session) => {{
      await session.pay(order, Math.floor({n} / 2))
      await session.pay(order, {n} - Math.floor({n} / 2))
    }})
    expect(order.paid).toBe({n})
    expect(order.status).toEqual('closed')
    for (const entry of order.history) {{
      expect(entry.customer).toBe(`customer-${{order.number}}`)
    }}
  }})
"""
ONE_SCAN = """
import os, sys, time
started = time.perf_counter()
from pathlib import Path
from pactkeeper.repo import snapshot
from pactkeeper.repo.cache import FileCache, NoCache
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.git import Repository
repository = Repository.open(sys.argv[1])
def scan(cache):
    return Discovery(cache=cache).scan(snapshot.worktree(repository))
if sys.argv[2] == "cached":
    with FileCache(repository.common_dir / "pact", notice=sys.exit) as cache:
        found = scan(cache)
else:
    found = scan(NoCache())
print(len(found.tests), time.perf_counter() - started, sum(os.times()[:4]))
"""
ONE_DELTA = """
import os, sys, time
started = time.perf_counter()
from pactkeeper.repo import snapshot
from pactkeeper.repo.cache import FileCache
from pactkeeper.repo.delta import delta_between
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.git import Repository
repository = Repository.open(sys.argv[1])
with FileCache(repository.common_dir / "pact", notice=sys.exit) as cache:
    discovery = Discovery(cache=cache)
    base, target = snapshot.commit(repository, "HEAD"), snapshot.worktree(repository)
    found = delta_between(base, discovery.scan(base), target, discovery.scan(target))
print(len(found.modified), time.perf_counter() - started, sum(os.times()[:4]))
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A table row."""

    what: str
    value: str
    processor: str = ""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tests", type=int, default=15_000)
    options.add_argument("--memory", type=int, default=50_000, help="tests of the repository that memory is read on")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--repo", nargs="*", default=[])
    given = options.parse_args()
    one, five, _ = os.getloadavg()
    print(f"{os.cpu_count()} cores, load {one:.1f} (last minute) and {five:.1f} (last five) before the start")
    with tempfile.TemporaryDirectory() as folder:
        for name, size in (("generated", given.tests), ("large", given.memory)):
            if size:
                root = generate(Path(folder) / name, size)
                report(f"{size:,} generated tests", root, given.runs)
        for path in given.repo:
            copy = Path(folder) / f"copy-{Path(path).name}"
            subprocess.run(["git", "clone", "--quiet", "--local", path, str(copy)], check=True)
            report(Path(path).name, copy, given.runs)
    return 0


def generate(root: Path, tests: int) -> Path:
    """Create a repository with one commit: half of the tests in Python, half in TypeScript."""
    for number in range(0, tests, TESTS_IN_A_FILE):
        folder = root / "tests" / f"area{number // 500}"
        folder.mkdir(parents=True, exist_ok=True)
        inside = range(number, min(number + TESTS_IN_A_FILE, tests))
        if number // TESTS_IN_A_FILE % 2:
            text = "import pytest\n" + "".join(PYTHON_TEST.format(n=n) for n in inside)
            (folder / f"test_orders_{number}.py").write_text(text)
        else:
            body = "".join(SCRIPT_TEST.format(n=n) for n in inside)
            head = "import { describe, expect, it } from 'vitest'\nimport { shop } from '../../src/shop'\n\n"
            (folder / f"orders{number}.test.ts").write_text(f"{head}describe('orders {number}', () => {{{body}}})\n")
    (root / "package.json").write_text(json.dumps({"name": "shop", "devDependencies": {"vitest": "2.0.0"}}))
    (root / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "base")
    git(root, "gc", "--quiet")
    return root


def report(title: str, root: Path, runs: int) -> None:
    print(f"\n## {title}\n\n| | median | processor time, children included |\n|---|---|---|")
    for row in measured(root, runs):
        print(f"| {row.what} | {row.value} | {row.processor} |", flush=True)


def measured(root: Path, runs: int) -> Iterator[Row]:
    status = [clock(["git", "-C", str(root), "status", "--porcelain"]) for _ in range(runs)]
    yield Row("`git status`", milliseconds(statistics.median(status)))
    cold = [scan(root, "cold") for _ in range(min(runs, 3))]
    yield Row("tests found", f"{cold[0].tests:,}")
    yield timed("cold scan, all cores", cold)
    yield Row("cold: most memory, whole process tree", f"{max(one.memory for one in cold) >> 20} MiB")
    yield from throughput(root)
    shutil.rmtree(root / ".git" / "pact", ignore_errors=True)
    yield timed("cold scan that fills the cache", [scan(root, "cached")])
    warm = [scan(root, "cached") for _ in range(runs)]
    yield timed("warm scan, nothing changed", warm)
    yield Row("warm: most memory", f"{max(one.memory for one in warm) >> 20} MiB")
    edited = [after_an_edit(root) for _ in range(runs)]
    yield timed("warm scan after one file changed", edited)
    run([sys.executable, "-c", ONE_DELTA, str(root)])
    yield timed("delta of that working tree against HEAD", [between(root) for _ in range(runs)])
    git(root, "checkout", "--quiet", ".")


@dataclass(frozen=True, slots=True)
class Run:
    """One process: its test count, seconds, and the peak memory of the process and its children."""

    tests: int
    seconds: float
    processor: float
    memory: int


def timed(what: str, runs: Sequence[Run]) -> Row:
    wall = statistics.median(one.seconds for one in runs)
    return Row(what, milliseconds(wall), milliseconds(statistics.median(one.processor for one in runs)))


def scan(root: Path, kind: str) -> Run:
    return run([sys.executable, "-c", ONE_SCAN, str(root), kind])


def run(command: Sequence[str]) -> Run:
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        peak = [0]
        watching = threading.Thread(target=watch, args=(process, peak))
        watching.start()
        answer = process.communicate()[0].split()
        watching.join()
    return Run(int(answer[0]), float(answer[1]), float(answer[2]), peak[0])


def watch(process: subprocess.Popen[str], peak: list[int]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], tree_memory(process.pid))
        time.sleep(0.02)


def tree_memory(root: int) -> int:
    """Resident bytes of a process and its descendants; shared pages count once for each."""
    parents: dict[int, int] = {}
    pages: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(place.name)] = int(fields[1])
        pages[int(place.name)] = int(fields[21])
    family = {root}
    for _ in range(3):
        family |= {pid for pid, parent in parents.items() if parent in family}
    return sum(pages.get(pid, 0) for pid in family) * os.sysconf("SC_PAGE_SIZE")


def throughput(root: Path) -> Iterator[Row]:
    """Parsing with hashing on one core compared with a bare parse, over the files worth parsing."""
    state = snapshot.worktree(Repository.open(root))
    for name in LANGUAGES:
        adapter = load(name)
        configuration = adapter.configure(state)
        chosen = adapter.candidates(configuration, [path for path in state.paths if adapter.owns(path)])
        sources = [(path, data) for path, data in state.read_many(chosen) if data and adapter.worth_parsing(data)]
        if sources:
            bare, ours = parse_times(adapter, configuration.parse_key, sources)
            size = sum(len(data) for _, data in sources) / 1e6
            speed = f"{size / ours:.1f} MB/s of processor time, {ours / bare:.1f} × a bare parse ({size:.1f} MB)"
            yield Row(f"{adapter.name}: parsing with hashing", speed)


def parse_times(adapter: Language, parse_key: str, sources: Sequence[tuple[str, bytes]]) -> tuple[float, float]:
    """Processor seconds of the bare parser and of the adapter, run alternately to even out other load."""
    import tree_sitter  # noqa: PLC0415 - measured here, so not loaded at start-up
    import tree_sitter_python  # noqa: PLC0415
    import tree_sitter_typescript  # noqa: PLC0415

    grammar = tree_sitter_python.language() if adapter.name == "python" else tree_sitter_typescript.language_tsx()
    parser = tree_sitter.Parser(tree_sitter.Language(grammar))
    adapter.parse(*sources[0], parse_key)
    bare: list[float] = []
    ours: list[float] = []
    for _ in range(3):
        started = time.process_time()
        for _, data in sources:
            parser.parse(data)
        bare.append(time.process_time() - started)
        started = time.process_time()
        for path, data in sources:
            adapter.parse(path, data, parse_key)
        ours.append(time.process_time() - started)
    return statistics.median(bare), statistics.median(ours)


def after_an_edit(root: Path) -> Run:
    """A warm scan after one line was added to a test file."""
    edited = sorted((root).rglob("test_*.py")) or sorted(root.rglob("*.test.ts")) or sorted(root.rglob("test/*.js"))
    with edited[len(edited) // 2].open("a") as stream:
        stream.write("\n")
    return scan(root, "cached")


def between(root: Path) -> Run:
    return run([sys.executable, "-c", ONE_DELTA, str(root)])


def clock(command: Sequence[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms"


if __name__ == "__main__":
    sys.exit(main())
