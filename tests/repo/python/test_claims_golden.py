"""Small real-looking test files and the sentences they make; run this file as a program to write the sentences anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from pactkeeper.intent.inference import infer
from pactkeeper.repo.languages.python.claims import python_evidence
from tests.repo.python.inferred import declared, shown

GOLDEN = Path(__file__).parents[2] / "golden" / "inference" / "python"
FILES = sorted(path.name for path in GOLDEN.glob("test_*.py"))


def sentences(name: str) -> str:
    source = (GOLDEN / name).read_bytes()
    tests = declared(name, source.decode())
    found = python_evidence(name, source, tests=tests, read=_read)
    return "\n\n".join(shown(test.id, infer(found[test.id])) for test in tests) + "\n"


def _read(path: str) -> bytes | None:
    file = GOLDEN / path
    return file.read_bytes() if file.is_file() else None


@pytest.mark.parametrize("name", FILES)
def test_sentences_are_the_ones_a_person_has_read(name):
    expected = (GOLDEN / name).with_suffix(".txt").read_text(encoding="utf-8")

    assert sentences(name) == expected


def test_the_same_source_gives_the_same_bytes():
    assert [sentences(name) for name in FILES] == [sentences(name) for name in FILES]


if __name__ == "__main__":
    for file in FILES:
        (GOLDEN / file).with_suffix(".txt").write_text(sentences(file), encoding="utf-8")
