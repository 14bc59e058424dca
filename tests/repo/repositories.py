"""Real git repositories for tests, made in a temporary folder."""

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pactkeeper.repo.git import Repository

IDENTITY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
ALONE = ("-c", "maintenance.auto=false")  # else every commit starts a process that looks for something to tidy up
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
}


def git(folder: Path, *arguments: str, feed: bytes | None = None) -> str:
    command = ["git", "-C", str(folder), *IDENTITY, *ALONE, *arguments]
    done = subprocess.run(command, env=ENVIRONMENT, input=feed, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())


def create(root: Path, files: Mapping[str, str | bytes] | None = None, *, options: tuple[str, ...] = ()) -> Repository:
    """A repository with one commit of these files; without files it has no commit."""
    shutil.copytree(_empty(options), root, dirs_exist_ok=True, copy_function=shutil.copy)  # written now
    if files is not None:
        write(root, files)
        _commit(root, "change")
    return Repository.open(root)


@cache
def _empty(options: tuple[str, ...]) -> Path:
    """A repository without a commit, which every other one begins as a copy of."""
    made = Path(tempfile.mkdtemp(prefix="pk-empty-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    git(made, "init", "--quiet", "--initial-branch=main", *options)
    for sample in made.rglob("*.sample"):
        sample.unlink()
    return made


def commit(root: Path, message: str = "change") -> str:
    _commit(root, message)
    return git(root, "rev-parse", "HEAD")


def _commit(root: Path, message: str) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--no-verify", "--message", message)
