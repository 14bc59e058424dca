"""The tree that a sweep examines: a separate worktree at the pinned commit, or the user's own on request.

The separate tree lies outside the checkout and git's own folder: Jest ignores everything below a folder `.git`, and
Node.js, pytest and cargo look for settings and packages in parent folders. It is deleted after a sweep unless `prepare`
built something in it: installed packages and virtual environments are tied to their path and expensive to build, so
they are kept for sweeps with the same lock files. Everything else in it is removed before each sweep, so that nothing a
check left behind can make the next commit pass.

Also keeps the record of what `prepare` built in the separate tree, where, and for which lock files.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from pactkeeper.errors import GitFailed, NotARepository, WriteFailed
from pactkeeper.intent.health import HealthCheck
from pactkeeper.ledger.canonical import digest
from pactkeeper.repo.git import Repository

TREE, SCRATCH, CACHE, PREPARED = "tree", "scratch", "cache", "prepared.json"
_MOST_NAMED: Final = 5
_PLAIN: Final = "--ignore-submodules=all"  # submodules checked out by a preparation have lost their git folders


@dataclass(frozen=True, slots=True)
class SweepPlaces:
    """Where a sweep keeps its files: the lock in the repository's state folder, the rest in a folder of its own."""

    state: Path
    folder: Path

    @property
    def tree(self) -> Path:
        """The separate worktree."""
        return self.folder / TREE

    @property
    def scratch(self) -> Path:
        """Reports and other files that are deleted after the sweep."""
        return self.folder / SCRATCH

    @property
    def cache(self) -> Path:
        """What checks keep between sweeps, such as a compiler's cache."""
        return self.folder / CACHE

    @property
    def prepared(self) -> Path:
        """The record of what `prepare` built in the tree, and for which lock files."""
        return self.folder / PREPARED

    def make(self) -> None:
        """Create the folders, with an empty scratch; raises WriteFailed."""
        delete(self.scratch)
        try:
            self.scratch.mkdir(parents=True)
            self.cache.mkdir(exist_ok=True)
        except OSError as error:
            raise _unwritten(self.folder, error) from error


def check_out(repository: Repository, places: SweepPlaces, commit: str, *, keep: Iterable[str] = ()) -> Repository:
    """Reset the tree to a commit, deleting everything else but the paths to `keep`; raises GitFailed.

    Its git folder is recreated each time. A tree that can't be reset is recreated as a whole.
    """
    try:
        opened = _at(repository, places, commit)
    except (GitFailed, NotARepository, OSError):
        remove(places)
        opened = _at(repository, places, commit)
    patterns = [part for path in keep for part in ("-e", "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", path))]
    opened.run("clean", "-ffdxq", *patterns)
    return opened


def _at(repository: Repository, places: SweepPlaces, commit: str) -> Repository:
    opened = enclose(repository, places.tree, commit)
    restore(opened, commit)
    return opened


def restore(opened: Repository, commit: str) -> None:
    """Reset every tracked file to the commit; untracked files stay."""
    opened.run("checkout", "--quiet", "--force", "--detach", commit)


def remove(places: SweepPlaces) -> None:
    """Delete the tree and its preparations; idempotent."""
    places.prepared.unlink(missing_ok=True)
    delete(places.tree)


def alterations(opened: Repository) -> list[str]:
    """Describe which tracked files differ from the commit; empty if none do."""
    changed = changed_files(opened)
    more = f" and {len(changed) - _MOST_NAMED} more" if len(changed) > _MOST_NAMED else ""
    return [f"it changed tracked files: {', '.join(changed[:_MOST_NAMED])}{more}"] if changed else []


def changed_files(opened: Repository) -> list[str]:
    """Return the tracked files that differ from HEAD, sorted."""
    listed = opened.run("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no", _PLAIN)
    return sorted(record[3:] for record in os.fsdecode(listed).split("\0") if record)


def untracked(opened: Repository) -> list[str]:
    """Return untracked paths, ignored or not; whole folders by name with a trailing slash."""
    listed = opened.run("ls-files", "-z", "--others", "--directory")
    return sorted(path for path in os.fsdecode(listed).split("\0") if path)


# These determine which packages a project needs; if none changes, the installed ones still fit.
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
    """What was built: `key` identifies its inputs, `paths` are the untracked paths it left in the tree."""

    key: str
    paths: tuple[str, ...]


_SUBMODULE: Final = "160000 "  # the mode of a submodule in git's index


def recorded(places: SweepPlaces) -> Prepared | None:
    """Return the record of a complete preparation that should still exist; None if missing or invalid."""
    try:
        raw = json.loads(places.prepared.read_bytes())
        return Prepared(str(raw["key"]), tuple(str(path) for path in raw["paths"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def record(places: SweepPlaces, prepared: Prepared) -> None:
    """Write the record; raises WriteFailed."""
    write_whole(places.prepared, json.dumps(asdict(prepared)))


def write_whole(file: Path, text: str) -> None:
    """Write one of Pactkeeper's files atomically; raises WriteFailed."""
    draft = file.with_suffix(".new")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft.write_text(text, encoding="utf-8")
        draft.replace(file)
    except OSError as error:
        raise _unwritten(draft, error) from error


def _unwritten(place: Path, error: OSError) -> WriteFailed:
    return WriteFailed(f"{str(place)!r} cannot be written: {error.strerror}; free some space or fix the permissions")


def key_of(opened: Repository, steps: Iterable[HealthCheck]) -> str:
    """Digest the inputs of a preparation: its commands and folders, the content of every lock file, and submodules."""
    listed = opened.run("ls-files", "-z", "--cached", "--stage").decode("utf-8", "surrogateescape")
    locks = [one for one in listed.split("\0") if is_lock(one.partition("\t")[2]) or one.startswith(_SUBMODULE)]
    commands = [repr((one.prepare, one.directory, sorted(one.environment.items()))) for one in steps]
    return digest([commands, [ascii(one) for one in locks]])


def is_lock(path: str) -> bool:
    """Whether a file determines which packages a project needs."""
    name = PurePosixPath(path).name
    return name in _LOCK_FILES or (name.startswith("requirements") and name.endswith(".txt"))


OWNER: Final = "repository"  # a file holding the state folder of the repository that a cache folder belongs to
_LONGEST: Final = 8192


def clear_abandoned(places: SweepPlaces) -> int:
    """Record this folder's repository, delete folders whose repository is gone, and return how many were deleted.

    A repository is gone if its folder is missing while the parent exists: an unmounted disk lacks both. Raises
    WriteFailed if the record can't be written.
    """
    try:
        places.folder.mkdir(parents=True, exist_ok=True)
        (places.folder / OWNER).write_bytes(os.fsencode(places.state))
    except OSError as error:
        raise _unwritten(places.folder, error) from error
    gone = [one for one in places.folder.parent.iterdir() if one != places.folder and _is_abandoned(one)]
    for one in gone:
        with suppress(OSError):  # another sweep may delete it at the same time
            delete(one)
    return len(gone)


def _is_abandoned(folder: Path) -> bool:
    with suppress(OSError, ValueError):
        with (folder / OWNER).open("rb") as stream:
            git_folder = Path(os.fsdecode(stream.read(_LONGEST))).parent
        checkout = git_folder.parent if git_folder.name == ".git" else git_folder
        return git_folder.is_absolute() and not git_folder.exists() and checkout.parent.is_dir()
    return False  # without a record it may be from an earlier version or somebody else's


_REFS: Final = ("refs/heads", "refs/tags", "refs/remotes")
_COPIED: Final = r"^(remote\..*\.(url|promisor|partialclonefilter)|extensions\.partialclone)$"
_CREDENTIALS: Final = re.compile(r"(?<=://)[^/@\s]*@")
# What git itself writes along the way, and what says nothing about the commit.
_PASSING: Final = ("objects/", "logs/", "modules/", "worktrees/", "lfs/")
_NOTED: Final = (
    (re.compile(r"config"), "it wrote git's configuration"),
    (re.compile(r"hooks/"), "it wrote git hooks"),
    (re.compile(r"refs/tags/"), "it wrote tags"),
    (re.compile(r"refs/|packed-refs"), "it wrote branches or other refs"),
    (re.compile(r"HEAD\Z"), "it moved HEAD"),
    (re.compile(r"info/|objects/info/alternates|shallow"), "it wrote git's internal files"),
)


@dataclass(frozen=True, slots=True)
class TreeSeal:
    """The state of a git folder before a check: the hash of each file, and the index byte for byte."""

    files: Mapping[str, str]
    index: bytes


NO_SEAL: Final = TreeSeal({}, b"")


def enclose(repository: Repository, folder: Path, commit: str) -> Repository:
    """Create a git folder with HEAD at a commit and nothing checked out; raises GitFailed."""
    git_dir = folder / ".git"
    delete(git_dir)
    folder.mkdir(parents=True, exist_ok=True)
    kind = f"--object-format={repository.object_format}"
    repository.run("init", "--quiet", "--template=", kind, os.fspath(folder))
    borrowed = git_dir / "objects/info/alternates"
    borrowed.parent.mkdir(exist_ok=True)
    borrowed.write_bytes(os.fsencode(repository.common_dir / "objects") + b"\n")
    listed = repository.run("for-each-ref", "--format=%(objectname) %(refname)", *_REFS)
    (git_dir / "packed-refs").write_bytes(listed)
    (git_dir / "HEAD").write_text(f"{commit}\n", encoding="ascii")
    if repository.shallow:
        shutil.copyfile(repository.common_dir / "shallow", git_dir / "shallow")
    opened = Repository.open(folder)
    for name, value in _settings(repository):
        opened.run("config", "--add", name, value)
    return opened


def sealed(opened: Repository) -> TreeSeal:
    """Record the current state of a git folder."""
    index = opened.git_dir / "index"
    return TreeSeal(dict(_hashes(opened.git_dir)), index.read_bytes() if index.is_file() else b"")


def tampered(git_dir: Path, seal: TreeSeal) -> list[str]:
    """Describe what was written to a git folder; empty if it is unchanged, apart from the index."""
    if git_dir.is_symlink() or not git_dir.is_dir():
        return ["it replaced git's folder"]
    now = dict(_hashes(git_dir))
    changed = {path for path in {*now, *seal.files} if now.get(path) != seal.files.get(path)}
    return [told for pattern, told in _NOTED if any(map(pattern.match, changed))]


def restore_index(opened: Repository, seal: TreeSeal) -> list[str]:
    """Restore the index, and report if the changed one would have committed something else."""
    place = opened.git_dir / "index"
    now = place.read_bytes() if place.is_file() else b""
    if now == seal.index:
        return []
    listed = opened.run("ls-files", "--stage", "-z", accept=(0, 128))
    place.write_bytes(seal.index)
    return [] if listed == opened.run("ls-files", "--stage", "-z") else ["it changed git's index"]


def _hashes(git_dir: Path) -> Iterator[tuple[str, str]]:
    borrowed = git_dir / "objects/info/alternates"
    for place, _, names in os.walk(git_dir):
        below = os.path.relpath(place, git_dir)
        prefix = "" if below == "." else f"{below}/"
        if not prefix.startswith(_PASSING):
            yield from ((prefix + name, _hash(Path(place, name))) for name in names if name != "index")
    yield "objects/info/alternates", _hash(borrowed)


def _hash(place: Path) -> str:
    if place.is_symlink() or not place.is_file():
        return "none"
    with place.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _settings(repository: Repository) -> Iterator[tuple[str, str]]:
    """Yield the settings that locate objects and submodules, with passwords removed."""
    listed = os.fsdecode(repository.run("config", "--local", "-z", "--get-regexp", _COPIED, accept=(0, 1)))
    for entry in filter(None, listed.split("\0")):
        name, _, value = entry.partition("\n")
        yield name, _CREDENTIALS.sub("", value)


def delete(folder: Path) -> None:
    """Delete a folder and everything in it, as far as permissions allow."""
    if not folder.is_dir() or folder.is_symlink():
        folder.unlink(missing_ok=True)
        return
    for place, _, _ in os.walk(folder):  # package managers keep folders that are read-only for their owner
        Path(place).chmod(stat.S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)
