"""The git folder of the swept tree: a separate one that borrows the objects of the user's repository.

Tags, branches, configuration, hooks and an index written by a check stay in it, and git reads none of it before it has
been compared with its earlier state, file by file.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pactkeeper.repo.git import Repository

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
    (re.compile(r"info/|objects/info/alternates|shallow"), "it wrote git's own files"),
)


@dataclass(frozen=True, slots=True)
class Seal:
    """The state of a git folder before a check: the hash of each file, and the index byte for byte."""

    files: Mapping[str, str]
    index: bytes


NO_SEAL: Final = Seal({}, b"")


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


def sealed(opened: Repository) -> Seal:
    """Record the current state of a git folder."""
    index = opened.git_dir / "index"
    return Seal(dict(_hashes(opened.git_dir)), index.read_bytes() if index.is_file() else b"")


def tampered(git_dir: Path, seal: Seal) -> list[str]:
    """Describe what was written to a git folder; empty if it is unchanged, apart from the index."""
    if git_dir.is_symlink() or not git_dir.is_dir():
        return ["it replaced git's folder"]
    now = dict(_hashes(git_dir))
    changed = {path for path in {*now, *seal.files} if now.get(path) != seal.files.get(path)}
    return [told for pattern, told in _NOTED if any(pattern.match(path) for path in changed)]


def restore_index(opened: Repository, seal: Seal) -> list[str]:
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
