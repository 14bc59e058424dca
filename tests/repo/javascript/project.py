"""A project of the adapter's tests: files in memory, filled in as discovery fills in a snapshot."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import dedent

from pactkeeper.intent.tests import Gap, Test
from pactkeeper.repo.languages.adapter import NONE_READ, NOTHING_ADDED, Added, Glimpse
from pactkeeper.repo.languages.javascript.adapter import JAVASCRIPT

VITEST = {"package.json": json.dumps({"devDependencies": {"vitest": "^3.0.0"}})}
JEST = {"package.json": json.dumps({"devDependencies": {"jest": "^30.0.0"}})}
MOCHA = {"package.json": json.dumps({"devDependencies": {"mocha": "^11.0.0"}})}
PLAYWRIGHT = {"package.json": json.dumps({"devDependencies": {"@playwright/test": "^1.50.0"}})}
NODE = {"package.json": json.dumps({"scripts": {"test": "node --test"}})}


@dataclass
class Project:
    """Files by path, with facts parsed when they are asked for."""

    files: Mapping[str, bytes]
    parse_key: str = ""
    candidates: Sequence[str] = ()
    parsed: dict[str, bytes] = field(default_factory=dict)
    glimpses: Mapping[str, Glimpse] = field(default_factory=dict)
    rests: Mapping[str, Collection[str]] | None = None
    called: set[str] = field(default_factory=set)

    @property
    def paths(self) -> Sequence[str]:
        return sorted(self.files)

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)

    def facts(self, path: str) -> bytes | None:
        source = self.files.get(path)
        if source is None:
            return None
        if path not in self.parsed:
            self.parsed[path] = JAVASCRIPT.parse(path, source, self.parse_key)
        return self.parsed[path]


def discover(files: Mapping[str, str | bytes], added: Added = NOTHING_ADDED) -> tuple[list[Test], list[Gap]]:
    """Discover the tests of a project given as its files."""
    encoded = {p: dedent(text).encode() if isinstance(text, str) else text for p, text in files.items()}
    project = Project(encoded)
    configuration = JAVASCRIPT.configure(project, added)
    project.parse_key = configuration.parse_key
    owned = [path for path in project.paths if JAVASCRIPT.owns(path)]
    chosen = JAVASCRIPT.candidates(configuration, owned)
    project.candidates = sorted(path for path in chosen if JAVASCRIPT.worth_parsing(encoded[path]))
    tests, gaps = JAVASCRIPT.resolve(configuration, project)
    return tests, [*configuration.gaps, *gaps]


def collected(files: Mapping[str, str | bytes]) -> list[Test]:
    """The tests of a project that has no gaps, except that a collected file without tests is one."""
    tests, gaps = discover(files)
    assert gaps == [] or (tests == [] and {gap.reason for gap in gaps} == {NONE_READ})
    return tests


def in_file(source: str, *, base: Mapping[str, str] = VITEST, path: str = "a.test.ts") -> list[Test]:
    """The tests of one file."""
    return collected({**base, path: source})


def titles(source: str, *, base: Mapping[str, str] = VITEST, path: str = "a.test.ts") -> list[str]:
    """The tests of one file as `suite > name`."""
    return [" > ".join((*test.suite, test.name)) for test in in_file(source, base=base, path=path)]
