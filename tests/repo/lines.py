# ruff: noqa: ARG002 - the port names every argument, this language needs few of them
"""A small real language for discovery's own tests: one test a line, suites, shared tests and a settings file.

    suite Name            the following tests belong to this suite
    test name = body      a test
    shared name = body    a test of every file that says `use` with this file's path
    use path
    # anything            a comment

Files are candidates when their name starts with the `prefix` of `lines.conf` (`test_` where there is none).
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.tests import Gap, Test, test_id
from pactkeeper.repo.languages.adapter import (
    NOTHING_ADDED,
    Added,
    Configuration,
    FactSource,
    FileImports,
    Files,
    Glimpse,
    Import,
    Resolver,
    Target,
)
from pactkeeper.repo.languages.outline import encode_imports


class LineImporting:
    """`use path` imports a file: from the root, or from the folder that `folder=` in `lines.conf` names."""

    version = 1

    def __init__(self) -> None:
        self.parsed: list[str] = []

    def owns(self, path: str) -> bool:
        return path.endswith(".lines")

    def language(self, path: str) -> str:
        return "lines"

    def sources(self, paths: Iterable[str]) -> list[str]:
        return [path for path in paths if self.owns(path)]

    def worth_parsing(self, source: bytes) -> bool:
        return b"use" in source

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        self.parsed.append(path)
        if b"DEEP" in source:
            raise RecursionError
        lines = enumerate(source.decode().splitlines(), 1)
        return encode_imports(
            FileImports(tuple(Import(line[4:], number) for number, line in lines if line.startswith("use ")))
        )

    def resolver(self, files: Files) -> tuple[Resolver, tuple[Gap, ...]]:
        settings = (files.read("lines.conf") or b"").decode()
        folder = settings.strip().removeprefix("folder=") if settings.startswith("folder=") else ""
        paths = frozenset(files.paths)

        def resolve(importer: str, wanted: Import) -> Target:
            path = folder + wanted.module
            return Target((path,)) if path in paths else Target(missing=(path,))

        return resolve, ()


class Lines:
    name = "lines"
    version = 1

    def __init__(self) -> None:
        self.parsed: list[str] = []
        self.importing = LineImporting()

    def owns(self, path: str) -> bool:
        return path.endswith(".lines")

    def configure(self, files: Files, added: Added = NOTHING_ADDED) -> Configuration:
        settings = files.read("lines.conf") if "lines.conf" in files.paths else None
        prefix = "test_" if settings is None else settings.decode().strip().removeprefix("prefix=")
        gaps = (Gap("lines.conf", "the prefix is computed"),) if "$" in prefix else ()
        return Configuration(parse_key="plain", value=prefix, gaps=gaps)

    def candidates(self, configuration: Configuration, paths: Iterable[str]) -> list[str]:
        prefix = str(configuration.value)
        return [path for path in paths if self.owns(path) and path.rpartition("/")[2].startswith(prefix)]

    def worth_parsing(self, source: bytes) -> bool:
        return b"test" in source or b"use" in source

    def glimpse(self, path: str, source: bytes) -> Glimpse | None:
        lines = [line for line, text in enumerate(source.splitlines(), 1) if text.startswith(b"test lost")]
        return Glimpse(len(lines), lines[0]) if lines else None

    def left_out(self, configuration: Configuration, path: str) -> str:
        return f"its name does not begin with {configuration.value!r}"

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        self.parsed.append(path)
        if b"DEEP" in source:
            raise RecursionError
        if b"CRASH" in source:
            os._exit(3)
        return json.dumps(source.decode("utf-8", "replace").splitlines()).encode()

    def resolve(self, configuration: Configuration, source: FactSource) -> tuple[list[Test], list[Gap]]:
        tests: list[Test] = []
        gaps: list[Gap] = []
        for path in source.candidates:
            suite: tuple[str, ...] = ()
            for line, (word, rest) in enumerate(self._lines(source, path), 1):
                if word == "suite":
                    suite = (rest,)
                elif word == "test":
                    tests.append(self._test(path, suite, rest, line))
                elif word == "broken":
                    gaps.append(Gap(path, "the file has a syntax error", line))
                elif word == "use":
                    shared = [rest for kind, rest in self._lines(source, rest) if kind == "shared"]
                    tests += [self._test(path, suite, text, line) for text in shared]
        return tests, gaps

    def evidence(
        self, path: str, source: bytes, *, tests: Sequence[Test], read: Callable[[str], bytes | None]
    ) -> Mapping[str, TestEvidence]:
        return {test.id: TestEvidence(test_id=test.id, suite=test.suite, name=test.name) for test in tests}

    def _lines(self, source: FactSource, path: str) -> list[tuple[str, str]]:
        facts = source.facts(path)
        rows = json.loads(facts) if facts is not None else []
        return [(row.partition(" ")[0], row.partition(" ")[2].strip()) for row in rows]

    def _test(self, path: str, suite: tuple[str, ...], text: str, line: int) -> Test:
        name, _, body = text.partition(" = ")
        return Test(
            id=test_id(path, suite, name),
            file=path,
            suite=suite,
            name=name,
            line=line,
            name_line=line,
            end_line=line,
            language=self.name,
            framework="lines",
            body_hash="v1:" + hashlib.sha256(body.encode()).hexdigest()[:16],
        )


LINES = Lines()
TABLE = ("tests.repo.lines:LINES",)


class SlowLines(Lines):
    """Takes its time, so that a scan can be interrupted."""

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        time.sleep(0.05)
        return super().parse(path, source, parse_key)


SLOW = SlowLines()
