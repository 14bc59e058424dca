"""States of a repository as dicts, for what needs no git."""

from collections.abc import Mapping
from typing import cast

from pactkeeper.intent.folder import Folder
from pactkeeper.intent.strength.change import Change
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.switches import switch_changes


class State:
    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)
        self.paths = sorted(files)
        self.folder = Folder()

    def __contains__(self, path: str) -> bool:
        return path in self.files

    def read(self, path: str) -> bytes | None:
        return self.files[path].encode() if path in self.files else None


# Every state has these, so that patterns of files have something to mean.
AROUND = {
    "tests/test_a.py": "",
    "tests/test_b.py": "",
    "src/pkg/core.py": "",
    "src/core.ts": "",
    "test/a.test.ts": "",
    "test/b.test.ts": "",
}


def switched(before: Mapping[str, str], after: Mapping[str, str]) -> list[Change]:
    old, new = AROUND | dict(before), AROUND | dict(after)
    changed = [path for path in old.keys() | new.keys() if old.get(path) != new.get(path)]
    return list(switch_changes(cast("Snapshot", State(old)), cast("Snapshot", State(new)), changed))


def severities(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    return {change.severity for change in switched(before, after)}
