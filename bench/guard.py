"""How many weakenings `pk guard` finds, and how many honest edits it flags: `python bench/guard.py CASES [--half dev]`.

CASES are folders of cases (`before/`, `after/`, `case.json`), `.jsonl` files packed from such folders with `--pack`, or
a `.json` file of projects and edits to them, such as `bench/guard_open/cases.json`.
A weakening counts as found if anything is reported as an error or a warning, and as blocked if there is an error.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pactkeeper.intent.strength.change import Change
from pactkeeper.repo.discovery import Discovery
from pactkeeper.repo.git import Repository
from pactkeeper.repo.snapshot import commit
from pactkeeper.repo.strength.judging import judge
from pactkeeper.repo.strength.support import TestState


@dataclass(frozen=True)
class Case:
    """One labelled edit; `before` and `after` map paths to texts."""

    about: Mapping[str, str]
    before: Mapping[str, str]
    after: Mapping[str, str]


def load(places: Iterable[Path], half: str) -> Iterator[Case]:
    """The cases in folders and packed files, or only those of `half`."""
    for place in places:
        read = _edited if place.suffix == ".json" else _packed
        found = read(place) if place.is_file() else _folders(place, half)
        yield from (case for case in found if not half or case.about.get("half") == half)


def _packed(place: Path) -> Iterator[Case]:
    for line in place.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield Case(row["about"], row["before"], row["after"])


def _edited(place: Path) -> Iterator[Case]:
    """Cases as edits of projects, `[path, old, new]`: no old text adds or replaces a file, no new one removes it."""
    data = json.loads(place.read_text(encoding="utf-8"))
    for row in data["cases"]:
        before = data["projects"][row["project"]]
        after = dict(before)
        for path, old, new in row["edits"]:
            if old is None or new is None:
                after[path] = new
            else:
                assert old in after[path], f"{row['id']}: {old!r} is not in {path}"
                after[path] = after[path].replace(old, new)
        yield Case(row, before, {path: text for path, text in after.items() if text is not None})


def _folders(place: Path, half: str) -> Iterator[Case]:
    for about in sorted(place.glob("*/case.json")):
        row = json.loads(about.read_text(encoding="utf-8"))
        if half and row.get("half") != half:
            continue
        row["id"] = about.parent.name
        yield Case(row, files_of(about.parent / "before"), files_of(about.parent / "after"))


def files_of(folder: Path, *, under: str = "") -> dict[str, str]:
    """The files of a folder by path."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    return {under + path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def repository(cases: list[Case], folder: Path) -> Repository:
    """A repository with two commits per case: `b0` and `a0`, `b1` and `a1`, and so on."""
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    stream = []
    for at, case in enumerate(cases):
        for side, files in (("b", case.before), ("a", case.after)):
            stream.append(f"commit refs/heads/{side}{at}\ncommitter x <x@example.org> 0 +0000\ndata 0\n".encode())
            for path, text in files.items():
                data = text.encode()
                stream.append(f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], input=b"".join(stream), check=True)
    return Repository.open(folder)


def judged(repo: Repository, at: int) -> tuple[Change, ...]:
    """The changes that the guard reports for one case."""
    sides = []
    for name in (f"b{at}", f"a{at}"):
        snapshot = commit(repo, f"refs/heads/{name}")
        sides.append(TestState(snapshot, Discovery(processes=1).scan(snapshot)))
    return judge(*sides).changes


def main() -> None:
    """Judge every case and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--half", default="", choices=["", "dev", "blind"])
    parser.add_argument("--show", action="store_true", help="print what was missed and what was flagged")
    parser.add_argument("--pack", type=Path, help="write the cases to this file and stop")
    given = parser.parse_args()
    cases = list(load(given.cases, given.half))
    if given.pack:
        given.pack.write_text(
            "".join(json.dumps({"about": c.about, "before": c.before, "after": c.after}) + "\n" for c in cases)
        )
        return
    with tempfile.TemporaryDirectory() as folder:
        _report(cases, repository(cases, Path(folder)), show=given.show)


def _report(cases: list[Case], repo: Repository, *, show: bool) -> None:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for at, case in enumerate(cases):
        found = judged(repo, at)
        loud = {one.severity for one in found if one.severity != "note"}
        label = case.about["label"]
        for group in ("all", case.about.get("framework", "?")):
            counts[f"{label} {group}"].update(cases=1, flagged=bool(loud), blocked="error" in loud)
        wrong = (label == "weakening") is not bool(loud)
        if show and wrong:
            print(f"--- {case.about['id']} [{label}] {case.about.get('category')}: {case.about.get('why')}")
            for one in found:
                print(f"    {one.severity} {one.kind} {one.test}: {one.message} | {one.old} -> {one.new}")
    print(f"{'label':<40}{'cases':>6}{'flagged':>9}{'blocked':>9}")
    for group, row in sorted(counts.items()):
        print(f"{group:<40}{row['cases']:>6}{row['flagged'] / row['cases']:>9.3f}{row['blocked'] / row['cases']:>9.3f}")


if __name__ == "__main__":
    main()
