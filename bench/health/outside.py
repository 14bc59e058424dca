"""Real projects for the laboratory: labels are kept here, edits with the projects, outside the repository.

Beside each label of `held_out.toml` stands no code. A folder outside of this repository holds one file a project,
`<name>.json`: `tree` is a clean checkout, `checks` are tables of pact.toml, and `edits` are, by the name of the fault,
lists of (path, old text, new text).
"""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from bench.health.fault import Fault, Project

LABELS: Final = Path(__file__).with_name("held_out.toml")


def outside(folder: Path) -> tuple[Project, ...]:
    """Join the labels with the edits of a folder; a project without a file there is left out."""
    labelled = tomllib.loads(LABELS.read_text("utf-8"))["project"]
    return tuple(_project(label, folder) for label in labelled if (folder / f"{label['name']}.json").exists())


def _project(label: Mapping[str, Any], folder: Path) -> Project:
    kept = json.loads((folder / f"{label['name']}.json").read_text("utf-8"))
    faults = tuple(_fault(one, kept["edits"][one["name"]]) for one in label["fault"])
    return Project(label["name"], dict(_files(Path(kept["tree"]))), kept["checks"], faults)


def _fault(label: Mapping[str, Any], edits: list[list[str]]) -> Fault:
    fault = Fault(
        label["name"],
        label["kind"],
        tuple((path, old, new) for path, old, new in edits),
        label["category"],
        label.get("triage", "fix"),
        label.get("groups", 1),
    )
    assert fault.cause == frozenset(label["cause"]), f"{fault.name} edits {sorted(fault.cause)}"
    return fault


def _files(tree: Path) -> Iterator[tuple[str, str]]:
    """The text files of a checkout as they lie there."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=tree, check=True, capture_output=True, text=True).stdout
    for name in names.split("\0")[:-1]:
        place = tree / name
        if place.is_file():
            try:
                yield name, place.read_text("utf-8")
            except UnicodeDecodeError:
                continue
