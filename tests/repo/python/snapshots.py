"""Snapshots for tests: files in memory, or a folder of samples, with facts made on demand as discovery does."""

from collections.abc import Collection, Mapping
from pathlib import Path

from pactkeeper.intent.tests import Gap, Test
from pactkeeper.repo.languages.adapter import NOTHING_ADDED, Added, Glimpse
from pactkeeper.repo.languages.python.adapter import PYTHON


class Memory:
    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self._files = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
        self.paths = sorted(self._files)
        self.candidates: list[str] = []
        self.key = ""
        self.demanded: list[str] = []
        self.glimpses: dict[str, Glimpse] = {}
        self.rests: Mapping[str, Collection[str]] | None = None
        self.called: set[str] = set()

    def read(self, path: str) -> bytes | None:
        return self._files.get(path)

    def facts(self, path: str) -> bytes | None:
        source = self.read(path)
        if path not in self.candidates:
            self.demanded.append(path)
        return PYTHON.parse(path, source, self.key) if source is not None and PYTHON.owns(path) else None


class Found:
    """What scanning found, in forms that read well in a test."""

    def __init__(self, source: Memory, tests: list[Test], gaps: list[Gap]) -> None:
        self.source = source
        self.tests = tests
        self.gaps = gaps

    @property
    def ids(self) -> list[str]:
        return [test.id for test in self.tests]

    @property
    def names(self) -> list[str]:
        """Ids without their file."""
        return [test.id.split("::", 1)[1] for test in self.tests]

    def __getitem__(self, name: str) -> Test:
        (found,) = [test for test in self.tests if test.name == name]
        return found

    @property
    def reasons(self) -> list[str]:
        return [gap.reason for gap in self.gaps]


def scan(files: Mapping[str, str | bytes], added: Added = NOTHING_ADDED) -> Found:
    source = Memory(files)
    configuration = PYTHON.configure(source, added)
    source.key = configuration.parse_key
    chosen = PYTHON.candidates(configuration, source.paths)
    source.candidates = [path for path in chosen if PYTHON.worth_parsing(source.read(path) or b"")]
    others = [path for path in source.paths if PYTHON.owns(path) and path not in chosen]
    looked = {path: PYTHON.glimpse(path, source.read(path) or b"") for path in others}
    source.glimpses = {path: seen for path, seen in looked.items() if seen is not None}
    tests, gaps = PYTHON.resolve(configuration, source)
    return Found(source, tests, sorted({*configuration.gaps, *gaps}))


def scan_module(text: str | bytes, path: str = "test_it.py") -> Found:
    return scan({path: text})


def scan_folder(root: Path) -> Found:
    places = [place for place in sorted(root.rglob("*")) if place.is_file() and "__pycache__" not in place.parts]
    return scan({place.relative_to(root).as_posix(): place.read_bytes() for place in places})
