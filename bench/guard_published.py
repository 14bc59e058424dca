"""Convert cases that other guards publish to cases for `guard.py`: `python -m bench.guard_published FOLDER OUT.jsonl`.

FOLDER is an unpacked source distribution of checkwash. Its `.gwcase` files say what must be found: a severe finding
makes a case a weakening, none an honest edit, and anything else debatable. Its benchmarks contain weakenings (`tamper`)
and honest edits (`refactors`). None of them is kept in this repository.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path

from bench.guard import Case, files_of

_SECTION = re.compile(r"^=== (\w+)(?:: (.+?))? ===$", re.MULTILINE)
_GRAVE = {"high", "critical"}


def main() -> None:
    """Write every case, one per line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    cases = [
        *map(written, sorted(given.folder.glob("tests/cases/*.gwcase"))),
        *(folder(case, "before", "after", "weakening") for case in _cases(given.folder, "tamper")),
        *(folder(case, "BEFORE", "AFTER", "honest") for case in _cases(given.folder, "refactors")),
    ]
    lines = (json.dumps({"about": one.about, "before": one.before, "after": one.after}) for one in cases)
    given.out.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _cases(place: Path, name: str) -> Iterator[Path]:
    return (each for each in sorted(place.glob(f"benchmarks/{name}/cases/*")) if each.is_dir())


def written(path: Path) -> Case:
    """A case in one file: its sections are files before and after, and unchanged ones (`head`)."""
    _, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    states: dict[str, dict[str, str]] = {"before": {}, "after": {}, "head": {}}
    expected: list[dict[str, str]] = []
    for kind, place, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        if kind in states:
            states[kind][place] = text.removeprefix("\n")
        elif kind == "expect":
            expected = json.loads(text)
    grave = _GRAVE & {row.get("severity", "high") for row in expected}
    about = {
        "id": path.stem,
        "label": "weakening" if grave else "debatable" if expected else "honest",
        "framework": "gwcase",
        "category": ", ".join(sorted({row["rule"] for row in expected})),
    }
    return Case(about, states["head"] | states["before"], states["head"] | states["after"])


def folder(place: Path, before: str, after: str, label: str) -> Case:
    """A case in a folder: the tests of both sides, and the product they share."""
    product = next(path for path in (place, place / "PROD-GOOD") if (path / "src").is_dir())
    sides = (files_of(product / "src", under="src/") | files_of(place / side) for side in (before, after))
    return Case({"id": place.name, "label": label, "framework": place.parent.parent.name}, *sides)


if __name__ == "__main__":
    main()
