"""How well conversations are read: every script of the corpus against its labels, the tables in `transcripts.md`.

python -m bench.transcripts.corpus [--misses] [NAME]…
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.transcripts.acting import Acted, act
from bench.transcripts.labels import Half, Labels, Wanted, entries_of, read_labels
from bench.transcripts.matching import Matched, Tally, match
from bench.transcripts.scripted import mark_all
from pactkeeper.intent.conversation import content
from pactkeeper.store.conversations import StoredArtifact, list_artifacts
from pactkeeper.store.database import open_database, sqlite_url
from pactkeeper.store.history import History
from pactkeeper.transcripts.ingest import ingest
from tests.transcripts.scripts import read_script, write_script

NOW = "2026-03-07T08:00:00.000+00:00"


@dataclass(frozen=True, slots=True)
class Read:
    """One conversation, read twice: what was found, how many more the second time, and how many spans differ."""

    labels: Labels
    matched: Matched
    found: tuple[StoredArtifact, ...]
    doubled: int
    altered: int
    acted: Acted


@dataclass(slots=True)
class Summary:
    """What one half of the corpus comes to, by type of artifact."""

    by_type: dict[str, Tally] = field(default_factory=dict)
    all: Tally = field(default_factory=Tally)
    scripts: int = 0
    doubled: int = 0
    altered: int = 0
    acted: Acted = field(default_factory=Acted)


def read_all(names: Sequence[str], folder: Path, *, model: bool = False) -> Iterator[Read]:
    """Read the conversations of those names, or all, each into a history of its own."""
    empty = folder / "empty.db"
    open_database(sqlite_url(empty)).close()
    for labels, script in read_labels():
        if not names or labels.name in names:
            place = folder / labels.half / labels.name
            paths = write_script(read_script(script.read_text(encoding="utf-8")), place)
            shutil.copy(empty, place / "history.db")
            yield _read(labels, paths, place, model=model)


def _read(labels: Labels, paths: list[Path], place: Path, *, model: bool) -> Read:
    database = open_database(sqlite_url(place / "history.db"))
    history = History(database, "person")
    entries = entries_of(paths)
    wanted = labels.wanted(entries)
    try:
        found = _found(history, paths, wanted if model else None)
        doubled = len(_found(history, paths, wanted if model else None)) - len(found)
    finally:
        database.close()
    texts = {(one.uuid, number): block.text for one in entries for number, block in enumerate(one.blocks)}
    parts = [part for one in found for part in one.artifact.excerpts]
    altered = sum(texts[part.entry, part.block][part.first : part.last] != part.text for part in parts)
    matched = match(wanted, [one.artifact for one in found])
    return Read(labels, matched, found, doubled, altered, act(labels, found, NOW))


def _found(history: History, paths: list[Path], marked: Sequence[Wanted] | None) -> tuple[StoredArtifact, ...]:
    for path in paths:
        ingest(history, path, now=lambda: NOW)
    if marked is not None:
        mark_all(history, marked, NOW)
    return list_artifacts(history)


def tallied(reads: Sequence[Read]) -> dict[Half, Summary]:
    """Add conversations up, by half and type."""
    halves: dict[Half, Summary] = {}
    for one in reads:
        half = halves.setdefault(one.labels.half, Summary())
        half.scripts += 1
        half.doubled += one.doubled
        half.altered += one.altered
        half.all.add(one.matched.tally)
        half.acted.add(one.acted)
        for kind, tally in _by_type(one).items():
            half.by_type.setdefault(kind, Tally()).add(tally)
    return halves


def _by_type(one: Read) -> dict[str, Tally]:
    missed: list[str] = [label.type for label in one.matched.missed]
    wrong: list[str] = [artifact.type for artifact in one.matched.wrong]
    right: list[str] = [found.artifact.type for found in one.found if found.artifact not in one.matched.wrong]
    return {kind: Tally(right.count(kind), wrong.count(kind), missed.count(kind)) for kind in {*missed, *wrong, *right}}


def print_tables(halves: dict[Half, Summary]) -> None:
    """Print one table of artifacts for each half."""
    for name, half in halves.items():
        print(f"\n{name}: {half.scripts} conversations, doubled {half.doubled}, altered {half.altered}\n")
        print("| type | wanted | found | precision | recall | overlap |\n|---|---:|---:|---:|---:|---:|")
        for kind, tally in sorted(half.by_type.items()):
            print(f"| `{kind}` | {tally.row} |")
        print(f"| all | {half.all.row} |")
        acted = half.acted
        print("\n| what | wanted | proposed | precision | recall |\n|---|---:|---:|---:|---:|")
        for what, tally in (("actions", acted.actions), ("conflicts", acted.conflicts), ("questions", acted.questions)):
            print(f"| {what} | {tally.row.rpartition(' | ')[0]} |")
        print(f"\nforbidden {len(acted.forbidden)}, tier 3 {acted.structural}, resolved {acted.resolved}, ", end="")
        print(f"unsteady {acted.unsteady}")


def print_misses(reads: Sequence[Read]) -> None:
    """Print everything that was missed or found wrongly."""
    for one in reads:
        for label in one.matched.missed:
            print(f"{one.labels.name}: missed {label.type} {dict(label.facts) or ''} {label.name!r}")
        for artifact in one.matched.wrong:
            print(f"{one.labels.name}: wrong {artifact.type} {artifact.title!r}: {content(artifact)[:100]!r}")
        for line in (*one.acted.notes, *(f"FORBIDDEN {line}" for line in one.acted.forbidden)):
            print(line)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--model", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        reads = list(read_all(given.names, Path(name), model=given.model))
    print_tables(tallied(reads))
    if given.misses:
        print_misses(reads)


if __name__ == "__main__":
    main()
