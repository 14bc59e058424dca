"""`python -m bench.eval functions REPOSITORY DATA`: how well signals tell which functions a test runs, by F1 and MAP.

DATA is CSV with a header that names `test` and `function`, or JSON: an object from test ids to lists of function ids.
The id of a test is as `pk scan` writes it, that of a function `path::Dotted.name`. Where the data says `how`, the rows
that are `direct` make a table of their own. `python -m bench.eval.calls` makes such data of a run.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.eval.signals import SIGNALS, Look, Score, words_of
from pactkeeper.intent.tests import Test
from pactkeeper.repo.cache import NoCache
from pactkeeper.repo.context import Sources, contexts
from pactkeeper.repo.outlines import Outlines
from pactkeeper.workspace import Workspace, open_workspace

CALLABLE = frozenset({"function", "method", "property"})
WHOLE = 1_000_000  # a budget that cuts nothing
Gold = dict[str, set[str]]


def main(arguments: list[str]) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.eval functions", description=__doc__)
    parser.add_argument("repository")
    parser.add_argument("data", type=Path)
    chosen = parser.parse_args(arguments)
    with open_workspace(chosen.repository, notice=print) as opened:
        looks = dict(seen(opened))
    for title, gold in read(chosen.data).items():
        _table(title, gold, looks)


def read(data: Path) -> dict[str, Gold]:
    """The functions of every test, by what the data says of how they are run."""
    if data.suffix == ".json":
        return {"all": {test: set(found) for test, found in json.loads(data.read_text(encoding="utf-8")).items()}}
    found: dict[str, Gold] = {"all": {}}
    with data.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            found["all"].setdefault(row["test"], set()).add(row["function"])
            if row.get("how") == "direct":
                found.setdefault("direct", {}).setdefault(row["test"], set()).add(row["function"])
    return found


def seen(opened: Workspace) -> Iterator[tuple[str, Look]]:
    """What the signals see of every test of a repository."""
    snapshot = opened.snapshot()
    tests = opened.scan(snapshot, opened.pact(snapshot)).tests
    test_files = frozenset(test.file for test in tests)
    outlines = Outlines(snapshot, NoCache())
    known = _functions(outlines, [path for path in snapshot.paths if path not in test_files])
    structure = opened.structure(snapshot, opened.pact(snapshot))
    sources = Sources(outlines, test_files, structure=structure)
    for test, context in zip(tests, contexts(sources, tests, budget=WHOLE), strict=True):
        yield test.id, Look(words_of(test.name), context, _imported(outlines, test), known)


def _functions(outlines: Outlines, paths: list[str]) -> Mapping[str, frozenset[str]]:
    """Every function outside of test files, with the words of its own name."""
    owned = outlines.owned(paths)
    outlines.prepare(owned)
    return {
        f"{path}::{one.name}": words_of(one.name.rpartition(".")[2])
        for path in owned
        for one in outlines.outline(path).definitions
        if one.kind in CALLABLE
    }


def _imported(outlines: Outlines, test: Test) -> frozenset[str]:
    return frozenset(
        path
        for one in outlines.outline(test.file).imports
        for path in outlines.find(test.file, one.module, "" if one.attribute == "*" else one.attribute)
    )


def _table(title: str, gold: Gold, looks: Mapping[str, Look]) -> None:
    """One table; functions that no outline knows, and tests without any that one does, are left out and counted."""
    known = next(iter(looks.values())).functions if looks else {}
    usable = {test: found & known.keys() for test, found in gold.items() if test in looks}
    usable = {test: found for test, found in usable.items() if found}
    pairs, kept = sum(map(len, gold.values())), sum(map(len, usable.values()))
    print(f"\n{title}: {len(usable):,} of {len(gold):,} tests, {kept:,} of {pairs:,} pairs, {len(known):,} functions\n")
    print("| signal | precision | recall | F1 | MAP |\n|---|---:|---:|---:|---:|")
    for name, signal in SIGNALS.items():
        score = Score()
        for test, found in usable.items():
            score.add(signal(looks[test]), found)
        print(f"| {name} | {' | '.join(f'{one:.2f}' for one in score.figures)} |")
