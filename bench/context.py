"""How long documents take to index and search, and what the contexts of many tests cost: the tables in `context.md`.

    python -m bench.context [--sections N] [--queries N] [--repo PATH ...]

Generates N sections of made-up words (with the frequencies of English words), indexes them, and searches. Then every
given repository is scanned, its documents are indexed, and the contexts of all its tests are built: without a cache,
with cached outlines, and with documents. Processor seconds of this one process, medians where repeated.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from pactkeeper.repo import snapshot
from pactkeeper.repo.cache import FileCache, NoCache
from pactkeeper.repo.context import Sources, contexts
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.docs import Documents, open_documents
from pactkeeper.repo.docs.index import Document, Index, some
from pactkeeper.repo.docs.sections import DocSection
from pactkeeper.repo.facts import gather
from pactkeeper.repo.git import Repository
from pactkeeper.repo.outlines import Outlines

WORDS = 20_000
WORDS_IN_A_SECTION = 40
SECTIONS_IN_A_FILE = 30
SHOWN = 10


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sections", type=int, default=90_000)
    options.add_argument("--queries", type=int, default=300)
    options.add_argument("--repo", nargs="*", default=[])
    given = options.parse_args()
    one, five, _ = os.getloadavg()
    print(f"{os.cpu_count()} cores, load {one:.1f} (last minute) and {five:.1f} (last five) before the start\n")
    print("| made-up sections | |\n|---|---:|")
    for what, value in generated(given.sections, given.queries):
        print(f"| {what} | {value} |", flush=True)
    for path in given.repo:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "copy"
            subprocess.run(["git", "clone", "--quiet", "--local", path, str(copy)], check=True)
            print(f"\n| {Path(path).name} | |\n|---|---:|")
            for what, value in real(copy, given.queries):
                print(f"| {what} | {value} |", flush=True)


def generated(sections: int, queries: int) -> Iterator[tuple[str, str]]:
    """Only indexing and searching, without reading files."""
    draw = random.Random(7)  # noqa: S311 - the same words each time
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(3, 9))) for _ in range(WORDS)]
    weights = [1 / (rank + 1) for rank in range(WORDS)]
    documents = [
        Document(f"docs/{number}.md", [section(draw, words, weights, line) for line in range(SECTIONS_IN_A_FILE)])
        for number in range(sections // SECTIONS_IN_A_FILE)
    ]
    wanted = {one.path: "1" for one in documents}
    with tempfile.TemporaryDirectory() as folder, Index(Path(folder) / "docs.sqlite", notice=print) as index:
        yield f"index {sections:,} sections", seconds(lambda: index.show("1", wanted, lambda _: documents))
        yield "the same again, nothing changed", seconds(lambda: index.show("1", wanted, lambda _: documents))
        size = sum(place.stat().st_size for place in Path(folder).iterdir())
        yield "size of the index", f"{size / 1e6:.0f} MB"
        for count in (1, 3, 8):
            asked = [some(draw.sample(words[100:], count)) for _ in range(queries)]
            times = [elapsed(lambda query=query: shown(index, query)) for query in asked]  # type: ignore[misc]
            yield f"a search for {count} words, first {SHOWN} with excerpts", milliseconds(statistics.median(times))


def section(draw: random.Random, words: list[str], weights: list[float], line: int) -> DocSection:
    chosen = draw.choices(words, weights, k=WORDS_IN_A_SECTION)
    return DocSection(line * 10 + 1, line * 10 + 9, (chosen[0], chosen[1]), " ".join(chosen))


def shown(index: Index, query: str) -> None:
    for _, hit in zip(range(SHOWN), index.hits(query), strict=False):
        index.marked(query, hit)


def real(root: Path, queries: int) -> Iterator[tuple[str, str]]:
    """A repository's documents and the contexts of all its tests."""
    state = snapshot.worktree(Repository.open(root))
    tests = Discovery(processes=1).scan(state).tests
    yield "tests", f"{len(tests):,}"
    started = time.process_time()
    evidence = gather(state, tests)
    yield "reading what they state (not part of the rows below)", each(time.process_time() - started, len(tests))
    fresh = Sources(Outlines(state, NoCache(), processes=1))
    yield "contexts from nothing", each(elapsed(lambda: count(contexts(fresh, tests, evidence=evidence))), len(tests))
    with FileCache(root / ".git" / "bench", notice=print) as cache:
        yield from documented(Outlines(state, cache, processes=1), root, queries)
        count(contexts(Sources(Outlines(state, cache, processes=1)), tests, evidence=evidence))
        warm = Sources(Outlines(state, cache, processes=1))
        taken = elapsed(lambda: count(contexts(warm, tests, evidence=evidence)))
        yield "contexts with outlines in the cache", each(taken, len(tests))
        with open_documents(warm.outlines, root / ".git" / "bench", notice=print) as opened:
            full = Sources(warm.outlines, documents=opened)
            taken = elapsed(lambda: count(contexts(full, tests, evidence=evidence)))
            yield "the same with documents", each(taken, len(tests))


def documented(outlines: Outlines, root: Path, queries: int) -> Iterator[tuple[str, str]]:
    folder = root / ".git" / "bench"
    started = time.process_time()
    with open_documents(outlines, folder, notice=print) as opened:
        yield f"read and index the documents of {opened.files:,} files", f"{time.process_time() - started:.2f} s"
        times = [elapsed(lambda words=words: search(opened, words)) for words in asked(outlines, queries)]  # type: ignore[misc]
        yield "a search for 3 words of its paths, counted and with excerpts", milliseconds(statistics.median(times))
    started = time.process_time()
    with open_documents(outlines, folder, notice=print) as opened:
        yield f"open it again, {opened.read} files read", milliseconds(time.process_time() - started)


def asked(outlines: Outlines, queries: int) -> Iterator[list[str]]:
    draw = random.Random(7)  # noqa: S311 - the same words each time
    words = sorted(
        {word for path in outlines.snapshot.paths for word in path.replace("/", " ").replace(".", " ").split()}
    )
    for _ in range(queries):
        yield draw.sample(words, 3)


def search(opened: Documents, words: list[str]) -> None:
    opened.search(words, most=SHOWN)


def count(found: Iterator[object]) -> int:
    return sum(1 for _ in found)


def elapsed(step: Callable[[], object]) -> float:
    started = time.process_time()
    step()
    return time.process_time() - started


def seconds(step: Callable[[], object]) -> str:
    return f"{elapsed(step):.2f} s"


def milliseconds(taken: float) -> str:
    return f"{taken * 1000:.1f} ms"


def each(taken: float, number: int) -> str:
    return f"{taken:.2f} s, {taken * 1000 / max(number, 1):.2f} ms a test"


if __name__ == "__main__":
    main()
