"""Compare a scan with what the ecosystem's own collector saw, place by place.

    python bench/discovery/compare.py SCAN.json COLLECTED.jsonl [COLLECTED.jsonl ...] [--quiet]

SCAN is what `pk scan --json` prints; COLLECTED is JSON lines of a collector of this folder. A place is a file with the
line of a defining function or call; however many cases a place runs, it counts once. Either side may say `name_line` as
well: a declaration then reaches from `line` to there, and two declarations that share a line are the same place.
Files that the collector could not load (`unseen`) are left out of both sides and listed. Exit code 1 where precision or
recall is below 0.995.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REQUIRED = 0.995

Place = tuple[str, int]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Collected:
    """The places a collector saw, with the names seen there, and what it could not look into.

    `spots` leads from every line of a declaration to its place; `ids` are tests that have no place, only an id.
    """

    places: dict[Place, str]
    ids: frozenset[str]
    spots: dict[Place, Place]
    unseen: dict[str, str]
    deselected: int
    outside: int
    others: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Scanned places that the collector confirms or does not, and collected ones that the scan misses."""

    confirmed: dict[Place, str]
    extra: dict[Place, str]
    missed: dict[Place, str]

    @property
    def precision(self) -> float:
        """The share of scanned places that the collector confirms."""
        return len(self.confirmed) / max(1, len(self.confirmed) + len(self.extra))

    @property
    def recall(self) -> float:
        """The share of collected places that the scan has."""
        return len(self.confirmed) / max(1, len(self.confirmed) + len(self.missed))


def read_collected(paths: Sequence[Path]) -> Collected:
    rows: list[Row] = [json.loads(line) for path in paths for line in path.read_text("utf-8").split("\n") if line]
    seen = [row for row in rows if "line" in row and not row.get("outside")]
    unseen = {row["file"]: row["unseen"] for row in rows if "unseen" in row}
    return Collected(
        {(row["file"], row["line"]): row.get("nodeid") or row.get("name", "") for row in seen},
        frozenset(row["id"] for row in rows if row.get("id")),
        {(row["file"], line): (row["file"], row["line"]) for row in seen for line in _lines(row)},
        {file: reason for file, reason in unseen.items() if not any(row["file"] == file for row in seen)},
        sum(1 for row in rows if row.get("deselected")),
        sum(1 for row in rows if row.get("outside") and not row.get("id")),
        sum(1 for row in rows if row.get("kind") == "other"),
    )


def _lines(row: Row) -> range:
    return range(row["line"], max(row["line"], row.get("name_line", 0)) + 1)


def compare(tests: Iterable[Row], collected: Collected) -> Comparison:
    scanned = [test for test in tests if test["file"] not in collected.unseen]
    extra: dict[Place, str] = {}
    confirmed: dict[Place, str] = {}
    matched: set[Place] = set()
    for test in scanned:
        spots = [(test["file"], line) for line in _lines(test)]
        hits = {collected.spots[spot] for spot in spots if spot in collected.spots}
        matched |= hits
        known = hits or test["id"] in collected.ids
        (confirmed if known else extra)[test["file"], test["line"]] = test["id"]
    missed = {place: name for place, name in collected.places.items() if place not in matched}
    missed |= {(name, 0): name for name in collected.ids - {test["id"] for test in scanned}}
    return Comparison(confirmed, extra, missed)


def report(scan: Row, collected: Collected, found: Comparison, *, quiet: bool) -> None:
    unseen_tests = [test for test in scan["tests"] if test["file"] in collected.unseen]
    print(
        f"places: {len(found.confirmed)} agreed, {len(found.extra)} only scanned, {len(found.missed)} only collected; "
        f"precision {found.precision:.4f}, recall {found.recall:.4f}"
    )
    print(
        f"collector: {collected.deselected} items deselected (counted), {collected.outside} defined outside, "
        f"{collected.others} without a function; {len(scan['gaps'])} gaps reported by the scan"
    )
    if collected.unseen:
        print(f"not loaded by the collector: {len(collected.unseen)} files, {len(unseen_tests)} scanned tests in them")
    if quiet:
        return
    for title, places in (("only scanned", found.extra), ("only collected", found.missed)):
        for (file, line), name in sorted(places.items()):
            print(f"  {title}: {file}:{line}  {name}")
    for file, reason in sorted(collected.unseen.items()):
        print(f"  not loaded: {file}  {reason}")


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("scan", type=Path)
    parser.add_argument("collected", type=Path, nargs="+")
    parser.add_argument("--quiet", action="store_true", help="print the figures only")
    options = parser.parse_args(arguments)
    scan: Row = json.loads(options.scan.read_text("utf-8"))
    collected = read_collected(options.collected)
    found = compare(scan["tests"], collected)
    report(scan, collected, found, quiet=options.quiet)
    return 0 if min(found.precision, found.recall) >= REQUIRED else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
