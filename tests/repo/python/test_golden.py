"""Small real-looking projects and the tests in them, compared with files that read well in a diff."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo.python.snapshots import Found, scan_folder

SAMPLES = Path(__file__).parents[2] / "golden" / "python"
BENCH = Path(__file__).parents[3] / "bench" / "discovery"


def render(found: Found) -> str:
    lines = []
    for test in found.tests:
        cases = "?" if test.cases is None else str(test.cases)
        notes = "".join(f" @{atom}" for note in test.annotations for atom in note.atoms)
        lines.append(f"{test.line}-{test.end_line} {test.framework} x{cases} {test.id}{notes}")
    lines += [f"gap {gap.file}:{gap.line} {gap.reason}" for gap in found.gaps]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", ["shop", "ledger", "monorepo"])
def test_sample_project_has_these_tests(name):
    expected = (SAMPLES / f"{name}.txt").read_text("utf-8")
    assert render(scan_folder(SAMPLES / name)) == expected


# What pytest cannot see on the machine at hand, or what only running the code tells.
BEYOND_PYTEST = {"test_paths", "test_with_numpy"}
BEYOND_SOURCE = {"check", "<lambda>"}


@pytest.mark.parametrize(
    "project", ["shop", *(pytest.param(name, marks=pytest.mark.slow) for name in ("monorepo/web", "monorepo/jobs"))]
)
def test_pytest_itself_collects_the_same_places(project, tmp_path):
    root = tmp_path / "project"
    shutil.copytree(SAMPLES / project, root)
    rows = collected_by_pytest(root, tmp_path / "collected.jsonl")
    scanned = {(test.file, test.line): test.name for test in scan_folder(SAMPLES / project).tests}
    collected = {(row["file"], row["line"]): row["name"] for row in rows}
    assert {name for place, name in collected.items() if place not in scanned} <= BEYOND_SOURCE
    assert {name for place, name in scanned.items() if place not in collected} <= BEYOND_PYTEST
    assert scanned.keys() & collected.keys()


def collected_by_pytest(root: Path, target: Path) -> list[dict]:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "-q",
        "-p",
        "python_collector",
        "-p",
        "no:cacheprovider",
    ]
    environment = {
        **os.environ,
        "PYTHONPATH": str(BENCH),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(
        [*command, "--collected", str(target)], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert target.exists(), done.stdout + done.stderr
    rows = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    assert not [row for row in rows if "unseen" in row], done.stdout
    return rows
