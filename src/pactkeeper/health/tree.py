"""The work tree that a sweep looks at: one of its own at the pinned commit, or the person's where that is asked for.

The tree of its own lies outside of the checkout and of git's own folder: Jest sees nothing below a folder `.git`, and
Node.js, pytest and cargo look for settings and packages in the folders above. It is taken away after a sweep unless
`prepare` built something in it: then it stays, because what was built (installed packages, virtual environments) is
bound to its place and dear to build, and a sweep that finds the same lock files has it at hand. Whatever else lies in
it is cleaned away before every sweep, so that nothing a check left can make the next commit pass.

The record of what `prepare` built in the tree of its own: for which lock files, and where.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from pactkeeper.errors import GitFailed, NotARepository, WriteFailed
from pactkeeper.health.enclosure import delete, enclose
from pactkeeper.intent.health import HealthCheck
from pactkeeper.ledger.canonical import digest
from pactkeeper.repo.git import Repository

TREE, SCRATCH, CACHE, PREPARED = "tree", "scratch", "cache", "prepared.json"
_MOST_NAMED: Final = 5
_PLAIN: Final = "--ignore-submodules=all"  # what a preparation checked out has lost its own git folder


@dataclass(frozen=True, slots=True)
class Places:
    """Where a sweep keeps what: its lock in the state folder of the repository, the rest below a folder of its own."""

    state: Path
    folder: Path

    @property
    def tree(self) -> Path:
        """The work tree of its own."""
        return self.folder / TREE

    @property
    def scratch(self) -> Path:
        """Reports and whatever else ends with the sweep."""
        return self.folder / SCRATCH

    @property
    def cache(self) -> Path:
        """What checks keep from sweep to sweep, such as a compiler's cache."""
        return self.folder / CACHE

    @property
    def prepared(self) -> Path:
        """What `prepare` built in the tree, and for which lock files."""
        return self.folder / PREPARED

    def make(self) -> None:
        """Make the folders, with an empty scratch; raises WriteFailed."""
        delete(self.scratch)
        try:
            self.scratch.mkdir(parents=True)
            self.cache.mkdir(exist_ok=True)
        except OSError as error:
            raise _unwritten(self.folder, error) from error


def check_out(repository: Repository, places: Places, commit: str, *, keep: Iterable[str] = ()) -> Repository:
    """Bring the tree to a commit, with nothing else in it but the paths to `keep`; raises GitFailed.

    Its git folder is made anew each time. A tree that cannot be brought to the commit is made anew as well.
    """
    try:
        opened = _at(repository, places, commit)
    except (GitFailed, NotARepository, OSError):
        remove(places)
        opened = _at(repository, places, commit)
    patterns = [part for path in keep for part in ("-e", _pattern(path))]
    opened.run("clean", "-ffdxq", *patterns)
    return opened


def _at(repository: Repository, places: Places, commit: str) -> Repository:
    opened = enclose(repository, places.tree, commit)
    restore(opened, commit)
    return opened


def restore(opened: Repository, commit: str) -> None:
    """Bring every tracked file back to the commit; what git does not track stays."""
    opened.run("checkout", "--quiet", "--force", "--detach", commit)


def remove(places: Places) -> None:
    """Take the tree away, with what was prepared in it; twice is once."""
    places.prepared.unlink(missing_ok=True)
    delete(places.tree)


def alterations(opened: Repository) -> list[str]:
    """Which tracked files differ from the commit, for people; empty for none."""
    changed = changed_files(opened)
    more = f" and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
    return [f"it changed tracked files: {', '.join(changed[:_MOST_NAMED])}{more}"] if changed else []


def changed_files(opened: Repository) -> list[str]:
    """Tracked files that differ from HEAD, sorted."""
    listed = opened.run("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no", _PLAIN)
    return sorted(record[3:] for record in os.fsdecode(listed).split("\0") if record)


def untracked(opened: Repository) -> list[str]:
    """What lies in a tree beside the commit, ignored or not; whole folders by their name with a slash."""
    listed = opened.run("ls-files", "-z", "--others", "--directory")
    return sorted(path for path in os.fsdecode(listed).split("\0") if path)


def _pattern(path: str) -> str:
    return "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", path)


# What says which packages a project needs; where none of these changes, what was installed still fits.
_LOCK_FILES: Final = frozenset(
    {
        *("package.json", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"),
        *("yarn.lock", ".yarnrc.yml", "bun.lock", "bun.lockb", "pyproject.toml", "setup.py", "setup.cfg"),
        *("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "go.mod", "go.sum", "Cargo.toml", "Cargo.lock"),
        *("Gemfile.lock", "composer.lock", "pom.xml", "build.gradle", "build.gradle.kts", "gradle.lockfile"),
        ".gitmodules",
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
    write_whole(places.prepared, json.dumps(asdict(prepared)))


def write_whole(file: Path, text: str) -> None:
    """Write a file of ours, all of it or nothing; raises WriteFailed."""
    draft = file.with_suffix(".new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft.write_text(text, encoding="utf-8")
        draft.replace(file)
    except OSError as error:
        raise _unwritten(draft, error) from error


def _unwritten(place: Path, error: OSError) -> WriteFailed:
    return WriteFailed(f"{str(place)!r} cannot be written: {error.strerror}; make room or allow it")


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


OWNER: Final = "repository"  # a file with the state folder of the repository that a folder of the caches is for
_LONGEST: Final = 8192


def clear_abandoned(places: Places) -> int:
    """Note whom this folder is for, delete those whose repository is gone, and return how many these were.

    Gone is a repository whose own folder is missing where the one around it is there: a disk that is not there just
    now takes away both. Raises WriteFailed where nothing can be noted.
    """
    try:
        places.folder.mkdir(parents=True, exist_ok=True)
        (places.folder / OWNER).write_bytes(os.fsencode(places.state))
    except OSError as error:
        raise _unwritten(places.folder, error) from error
    gone = [one for one in places.folder.parent.iterdir() if one != places.folder and _is_abandoned(one)]
    for one in gone:
        with suppress(OSError):  # another sweep deletes it at the same time
            delete(one)
    return len(gone)


def _is_abandoned(folder: Path) -> bool:
    with suppress(OSError, ValueError):
        with (folder / OWNER).open("rb") as stream:
            git_folder = Path(os.fsdecode(stream.read(_LONGEST))).parent
        checkout = git_folder.parent if git_folder.name == ".git" else git_folder
        return git_folder.is_absolute() and not git_folder.exists() and checkout.parent.is_dir()
    return False  # one without a note is of an earlier version or somebody else's
