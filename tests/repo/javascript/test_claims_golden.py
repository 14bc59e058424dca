"""Small real-looking test files and the sentences they make; run this file as a program to write the sentences anew."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import ClassVar

import pytest

from pactkeeper.intent.inference import Inference, infer
from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages.adapter import Configuration, Glimpse
from pactkeeper.repo.languages.javascript.adapter import JAVASCRIPT

GOLDEN = Path(__file__).parents[2] / "golden" / "inference" / "javascript"
FILES = sorted(path.name for path in GOLDEN.iterdir() if path.suffix in {".js", ".ts", ".tsx"})


class Folder:
    """The golden folder as a snapshot of which one file is a candidate."""

    def __init__(self, name: str, configuration: Configuration) -> None:
        self.candidates = [name]
        self.paths = sorted(path.relative_to(GOLDEN).as_posix() for path in GOLDEN.rglob("*") if path.is_file())
        self._key = configuration.parse_key
        self.called: set[str] = set()

    glimpses: ClassVar[dict[str, Glimpse]] = {}
    rests: Mapping[str, Collection[str]] | None = None

    def read(self, path: str) -> bytes | None:
        file = GOLDEN / path
        return file.read_bytes() if path in self.paths else None

    def facts(self, path: str) -> bytes | None:
        source = self.read(path)
        return None if source is None else JAVASCRIPT.parse(path, source, self._key)


def declared(name: str) -> list[Test]:
    configuration = JAVASCRIPT.configure(Folder(name, Configuration("", None)))
    return JAVASCRIPT.resolve(configuration, Folder(name, configuration))[0]


def sentences(name: str) -> str:
    tests = declared(name)
    folder = Folder(name, Configuration("", None))
    found = JAVASCRIPT.evidence(name, (GOLDEN / name).read_bytes(), tests=tests, read=folder.read)
    return "\n\n".join(shown(test.id, infer(found[test.id])) for test in tests) + "\n"


def shown(test_id: str, inference: Inference) -> str:
    notes = ", ".join((inference.category, f"{inference.confidence / 100:.2f}", *inference.reasons))
    lines = [f"      - {outcome}" for outcome in inference.outcomes]
    return "\n".join([test_id, f"    {inference.intent}", *lines, f"    ({notes})"])


@pytest.mark.parametrize("name", FILES)
def test_sentences_are_the_ones_a_person_has_read(name):
    expected = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")

    assert sentences(name) == expected


def test_the_same_source_gives_the_same_bytes():
    assert [sentences(name) for name in FILES] == [sentences(name) for name in FILES]


if __name__ == "__main__":
    for file in FILES:
        (GOLDEN / f"{file}.txt").write_text(sentences(file), encoding="utf-8")
