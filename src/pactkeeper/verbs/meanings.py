"""What arguments mean, in a few words each, for every client; where a verb means something else, its row says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MEANINGS: Final[Mapping[str, str]] = {
    "limit": "rows",
    "cursor": "next page",
    "paths": "files, folders",
    "include": "globs",
    "exclude": "globs",
    "status": "state",
    "category": "kind",
    "tags": "any of",
    "run": "run id",
    "atom": "atom id",
    "patch": "patch or run id",
    "dry_run": "write nothing",
    "files": "report files",
    "coverage": "reports",
    "name": "id",
    "names": "ids",
    "reason": "why",
    "intent": "one sentence",
    "outcomes": "observable",
    "falsified_by": "what disproves it",
    "task": "task id",
    "tests": "test ids",
    "test": "test id",
    "commit": "git ref",
    "at": "git ref",
    "since": "git ref",
    "everything": "all files",
    "by": "what groups",
    "question": "question id",
    "molecule": "molecule id",
    "thread": "thread id",
    "path": "file",
}
