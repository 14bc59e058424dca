"""A small work tree, and edits that change, remove and add files in it."""

import os
from pathlib import Path

from pactkeeper.catalog.journal import FileEdit
from pactkeeper.catalog.transaction import PactPlace, WriteNote

NOTE = WriteNote("2030-01-01T00:00:00+00:00", {"ops": ["op-1"], "patch": "p-1"})
OLD = {"tests/a.py": b"one\ntwo\nthree\n", "pact/old.toml": b"gone soon\n", "run.sh": b"#!/bin/sh\n"}
EDITS = (
    FileEdit("tests/a.py", OLD["tests/a.py"], b"one\n# new\ntwo\nthree\n"),
    FileEdit("pact/old.toml", OLD["pact/old.toml"], None),
    FileEdit("pact/links/deep/er/a.toml", None, b"made\n"),
    FileEdit("run.sh", OLD["run.sh"], b"#!/bin/sh\necho\n"),
)
NEW = {
    "tests/a.py": b"one\n# new\ntwo\nthree\n",
    "pact/links/deep/er/a.toml": b"made\n",
    "run.sh": b"#!/bin/sh\necho\n",
}
PYTHONPATH = {**os.environ, "PYTHONPATH": os.pathsep.join(["src", "."])}


def make_place(folder: Path) -> PactPlace:
    root = folder / "tree"
    for path, content in OLD.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    (root / "run.sh").chmod(0o750)
    return PactPlace(root, folder / "state/pact")


def files(place: PactPlace) -> dict[str, bytes]:
    return {
        path.relative_to(place.root).as_posix(): path.read_bytes() for path in place.root.rglob("*") if path.is_file()
    }


def folders(place: PactPlace) -> set[str]:
    return {path.relative_to(place.root).as_posix() for path in place.root.rglob("*") if path.is_dir()}
