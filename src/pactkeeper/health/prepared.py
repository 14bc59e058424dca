"""The record of what `prepare` built in the tree of its own: for which lock files, and where."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Final

from pactkeeper.errors import WriteFailed
from pactkeeper.health.tree import Places
from pactkeeper.intent.health import HealthCheck
from pactkeeper.ledger.canonical import digest
from pactkeeper.repo.git import Repository

# What says which packages a project needs; where none of these changes, what was installed still fits.
_LOCK_FILES: Final = frozenset(
    {
        *("package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"),
        *("yarn.lock", ".yarnrc.yml", "bun.lock", "bun.lockb", "pyproject.toml", "setup.py", "setup.cfg"),
        *("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "go.mod", "go.sum", "Cargo.toml", "Cargo.lock"),
        *("Gemfile.lock", "composer.lock", "pom.xml", "build.gradle", "build.gradle.kts", "gradle.lockfile"),
        *(".gitmodules"),
    }
)


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was built: `key` tells for what, `paths` are what lies in the tree beside the commit."""

    key: str
    paths: tuple[str, ...]


_SUBMODULE: Final = "160000 "  # the mode of one in git's index


def recorded(places: Places) -> Prepared | None:
    """What was prepared to its end and should still be there; None where a record is missing or makes no sense."""
    try:
        raw = json.loads(places.prepared.read_bytes())
        return Prepared(str(raw["key"]), tuple(str(path) for path in raw["paths"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def record(places: Places, prepared: Prepared) -> None:
    """Write the record; raises WriteFailed."""
    draft = places.prepared.with_suffix(".new")
    try:
        draft.write_text(json.dumps(asdict(prepared)), encoding="utf-8")
        draft.replace(places.prepared)
    except OSError as error:
        raise WriteFailed(f"{str(draft)!r} cannot be written: {error.strerror}; make room or allow it") from error


def key_of(opened: Repository, steps: Iterable[HealthCheck]) -> str:
    """What a preparation depends on: its commands, where they run, every lock file by content, and submodules."""
    listed = opened.run("ls-files", "-z", "--cached", "--stage").decode("utf-8", "surrogateescape")
    locks = [one for one in listed.split("\0") if is_lock(one.partition("\t")[2]) or one.startswith(_SUBMODULE)]
    commands = [repr((one.prepare, one.directory, sorted(one.environment.items()))) for one in steps]
    return digest([commands, [ascii(one) for one in locks]])


def is_lock(path: str) -> bool:
    """Whether a file says which packages a project needs."""
    name = PurePosixPath(path).name
    return name in _LOCK_FILES or (name.startswith("requirements") and name.endswith(".txt"))
