"""Small real-looking projects and the tests in them, compared with files that read well in a diff."""

from pathlib import Path

import pytest

from pactkeeper.intent.tests import Gap, Test
from tests.repo.javascript.project import discover

SAMPLES = Path(__file__).parents[2] / "golden" / "javascript"


def render(tests: list[Test], gaps: list[Gap]) -> str:
    lines = []
    for test in sorted(tests, key=lambda test: (test.file, test.line, test.id)):
        cases = "?" if test.cases is None else str(test.cases)
        dynamic = " dynamic" if test.dynamic else ""
        notes = "".join(f" @{atom}" for note in test.annotations for atom in note.atoms)
        place = f"{test.line}-{test.name_line}-{test.end_line}"
        lines.append(f"{place} {test.framework} x{cases}{dynamic} {test.id}{notes}")
    lines += [f"gap {gap.file}:{gap.line} {gap.reason}" for gap in sorted(gaps)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", ["shop", "ledger", "tools"])
def test_sample_project_has_these_tests(name):
    root = SAMPLES / name
    files = {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}
    assert render(*discover(files)) == (SAMPLES / f"{name}.txt").read_text("utf-8")
