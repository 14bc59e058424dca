"""Where a clone comes from, and what is exchanged with it: refs of pull requests, and Pactkeeper's own branches.

Also temporary worktrees that last for one step, and committing what was written to them.

A registered repository on a server has a git folder, one writer at a time, and disposable worktrees:

SHELF/NAME/mirror.git    bare; absent if the repository is a local folder
SHELF/NAME/tree          what the server reads, at the default branch
SHELF/NAME/jobs/…        one worktree per job, next to a lock that is released when the job's process ends
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pactkeeper.errors import GitFailed, RefusedError, UsageError, WriteFailed
from pactkeeper.repo.fetching import Network, Source, default_branch, fetch, make_mirror, push, run_git, talking
from pactkeeper.repo.git import Repository, clean_environment, guarded


def origin_url(repository: Repository) -> str:
    """Return a clone's remote URL, empty if it has none. It may contain a CI token, so it must never be shown."""
    return repository.run("config", "--get", "remote.origin.url", accept=(0, 1)).decode("utf-8", "replace").strip()


def fetch_here(repository: Repository, refs: Sequence[str], network: Network) -> None:
    """Fetch refs of `origin` into a clone or a server's mirror; raise GitFailed.

    They are stored outside the branch namespace, and nothing is checked out. Their objects are fetched completely, even
    in a partial clone, because the code that reads them later fetches nothing.
    """
    options = ("--no-filter", "--no-tags", "--no-auto-gc", "--no-recurse-submodules", "--no-write-fetch-head")
    named = [f"+{ref}:refs/pactkeeper/{ref.removeprefix('refs/')}" for ref in refs]
    arguments = ("fetch", "--quiet", *options, "--", "origin", *named)
    with _alone(repository):
        run_git(repository.root, arguments, talking(_source(repository)), network.settings())


def push_here(repository: Repository, commit: str, branch: str, network: Network, *, over: str | None = None) -> None:
    """Push a commit to a branch of `origin`; an empty commit deletes the branch.

    The push must be a fast-forward, or with `over` the branch must be exactly at that commit (empty: must not exist).
    Raises GitFailed otherwise.
    """
    lease = () if over is None else (f"--force-with-lease=refs/heads/{branch}:{over}",)
    arguments = ("push", "--quiet", "--no-verify", *lease, "--", "origin", f"{commit}:refs/heads/{branch}")
    run_git(repository.root, arguments, talking(_source(repository)), network.settings())


def is_there(repository: Repository, branch: str, network: Network) -> bool:
    """Whether `origin` has this branch; raise GitFailed."""
    arguments = ("ls-remote", "--heads", "--", "origin", f"refs/heads/{branch}")
    return bool(run_git(repository.root, arguments, talking(_source(repository)), network.settings()))


def default_branch_there(repository: Repository, network: Network) -> str:
    """Return the default branch of `origin`; raise GitFailed."""
    return default_branch(repository.root, _source(repository), network)


def _source(repository: Repository) -> Source:
    url = origin_url(repository)
    if not url:
        raise UsageError("this clone has no remote `origin` to fetch from; git remote add origin URL")
    return Source(url)


def _alone(repository: Repository) -> AbstractContextManager[None]:
    """Hold a mirror's lock: a fetch clears away what a killed one left, so two must not overlap."""
    common = repository.common_dir
    return alone(common.parent) if common.name == MIRROR else nullcontext()


MAIL = "pactkeeper@noreply.invalid"


@contextmanager
def throw_away_tree(repository: Repository, commit: str) -> Iterator[Path]:
    """Provide a temporary worktree at a commit, without running the repository's configured hooks and filters."""
    with tempfile.TemporaryDirectory(prefix="pactkeeper-", ignore_cleanup_errors=True) as folder:
        tree = Path(folder) / "tree"
        repository.run("worktree", "add", "--detach", "--quiet", "--", str(tree), commit)
        try:
            yield tree
        finally:
            repository.run("worktree", "remove", "--force", "--", str(tree), accept=(0, 128))


def commit_all(repository: Repository, author: str, message: str) -> str:
    """Commit everything written to a worktree under Pactkeeper's own address, and return the commit."""
    who = ("-c", f"user.name={author}", "-c", f"user.email={MAIL}", "-c", "commit.gpgsign=false")
    repository.run("add", "--all")
    repository.run(*who, "commit", "--quiet", "--no-verify", "--message", message)
    return repository.resolve("HEAD")


def is_ours(repository: Repository, commit: str) -> bool:
    """Whether Pactkeeper made this commit and nobody has rewritten it since."""
    return repository.run("log", "-1", "--format=%ce", commit, "--").decode("utf-8", "replace").strip() == MAIL


MIRROR, TREE, JOBS, LOCK, RENEWING, PUSHING = "mirror.git", "tree", "jobs", "lock", "renewing", "pushing"
_BARE_BONES: Final = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}  # no filters from this account


@dataclass(frozen=True, slots=True)
class Mirror:
    """One registered repository; `source` is None for a local folder, whose worktree is `tree`."""

    shelf: Path
    git: Path
    tree: Path
    source: Source | None
    network: Network = field(default_factory=Network)
    _environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    @staticmethod
    def of_url(shelf: Path, source: Source, network: Network) -> Mirror:
        """Return the mirror of a repository that is fetched."""
        git = shelf / MIRROR
        if source.partial:
            return Mirror(shelf, git, shelf / TREE, source, network, {**talking(source), **_BARE_BONES})
        return Mirror(shelf, git, shelf / TREE, source, network, {**clean_environment(), **_BARE_BONES})

    @staticmethod
    def of_folder(shelf: Path, folder: Path) -> Mirror:
        """Return the mirror of a local repository; raise NotARepository."""
        found = Repository.open(folder)
        return Mirror(shelf, found.common_dir, found.root, None, Network(), found.surroundings)

    def refresh(self) -> str:
        """Fetch, bring the standing tree to the default branch, and return its commit.

        Waits for a fetch in progress. A tree with unpushed changes is left as it is: RefusedError is raised, although
        the fetch itself succeeded. Raises GitFailed and WriteFailed as well.
        """
        if self.source is None:
            return self._resolve("HEAD")
        with alone(self.shelf):
            make_mirror(self.git, self.source)
            branch = fetch(self.git, self.source, self.network)
            self._bury()
            self._ensure_nothing_waits()
            return self._renew(branch)

    def push(self, message: str, author: str, now: datetime, pushed: Callable[[str], None]) -> str:
        """Push what was written to the standing tree as a new branch, and check out the default one; return the branch.

        `author` is `Name <mail>`. `pushed` is called with the branch, which is named after the time of its commit, so a
        push that was killed continues with the same name. Raises UsageError if nothing was written, and otherwise like
        `refresh`.
        """
        if self.source is None:
            raise UsageError("this repository is a folder; commit and push there")
        with alone(self.shelf):
            home = self._git("symbolic-ref", "--short", "HEAD").decode().strip()
            if (self.shelf / RENEWING).exists():
                self._renew(home)
            if not self._waiting():
                raise UsageError("nothing was written here since the last fetch; there is nothing to push")
            (self.shelf / PUSHING).touch()
            if self._written():
                self._commit(message, author, now)
            commit, at = self._git("show", "-s", "--format=%H %at", "HEAD", folder=self.tree).decode().split()
            branch = f"pactkeeper/{datetime.fromtimestamp(int(at), UTC):%Y%m%d-%H%M%S}"
            push(self.git, self.source, self.network, f"{commit}:refs/heads/{branch}")
            pushed(branch)
            self._renew(home)
        return branch

    def _commit(self, message: str, author: str, now: datetime) -> None:
        name, _, mail = author.rstrip(">").partition(" <")
        who = ("-c", f"user.name={name}", "-c", f"user.email={mail}")
        at = f"--date={now.isoformat(timespec='seconds')}"
        self._git("add", "--all", folder=self.tree)
        self._git(*who, "commit", "--quiet", "--no-verify", at, "-m", message, folder=self.tree)

    def _renew(self, branch: str) -> str:
        """Bring the standing tree to a branch; a mark distinguishes an interrupted checkout from somebody's changes."""
        commit = self._resolve(f"refs/heads/{branch}")
        mark = self.shelf / RENEWING
        mark.touch()
        (self.shelf / PUSHING).unlink(missing_ok=True)
        self._check_out(self.tree, commit)
        mark.unlink()
        return commit

    def _waiting(self) -> int:
        """Return how many files were changed in the standing tree, or 1 if a push of them was killed."""
        if not (self.tree / ".git").is_file() or (self.shelf / RENEWING).exists():
            return 0
        return self._written() or int((self.shelf / PUSHING).exists())

    def _written(self) -> int:
        said = self._git("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", folder=self.tree)
        return said.count(b"\0")

    def _ensure_nothing_waits(self) -> None:
        count = self._waiting()
        if count:
            raise RefusedError(f"{count} files were written here and are not pushed; pk repos push {self.shelf.name}")

    @contextmanager
    def job(self, at: str = "HEAD") -> Iterator[Path]:
        """Provide a worktree of a commit for one job; if the process is killed, the next fetch removes it."""
        name = secrets.token_hex(8)
        place = self.shelf / JOBS / name
        with alone(self.shelf):
            lock = _held(place.with_suffix(".lock"), wait=False)
            self._check_out(place, self._resolve(at))
        try:
            yield place
        finally:
            with alone(self.shelf):
                self._remove(place)
                os.close(lock)

    def has(self, commit: str) -> bool:
        """Whether a commit has already been fetched."""
        if not self.git.is_dir():
            return False
        try:
            self._git("cat-file", "-e", "--end-of-options", f"{commit}^{{commit}}")
        except GitFailed:
            return False
        return True

    def bury(self) -> int:
        """Remove worktrees of jobs whose process has ended, and return how many there were."""
        with alone(self.shelf):
            return self._bury()

    def _bury(self) -> int:
        dead = 0
        for lock in sorted((self.shelf / JOBS).glob("*.lock")):
            handle = _held(lock, wait=False, refused=-1)
            if handle >= 0:
                self._remove(lock.with_suffix(""))
                os.close(handle)
                dead += 1
        return dead

    def _remove(self, place: Path) -> None:
        shutil.rmtree(place, ignore_errors=True)
        self._git("worktree", "prune")
        place.with_suffix(".lock").unlink(missing_ok=True)

    def _check_out(self, place: Path, commit: str) -> None:
        """Bring a worktree to a commit, creating it if missing; raise RefusedError if it is too large."""
        self._measure(commit)
        if not (place / ".git").is_file():
            shutil.rmtree(place, ignore_errors=True)
            self._git("worktree", "prune")
            self._git("worktree", "add", "--quiet", "--detach", "--no-checkout", "--", str(place), commit)
        (self.git / "worktrees" / place.name / "index.lock").unlink(missing_ok=True)  # left by a killed process
        self._git("reset", "--quiet", "--hard", commit, folder=place)
        self._git("clean", "-ffdxq", folder=place)

    def _measure(self, commit: str) -> None:
        limits = self.network.limits
        long = () if self.source is not None and self.source.partial else ("-l",)
        lines = self._git("ls-tree", "-r", "-z", "--full-tree", *long, commit).split(b"\0")[:-1]
        if len(lines) > limits.files:
            raise RefusedError(f"commit {commit[:12]} has {len(lines):,} files; the limit is {limits.files:,}")
        sizes = (line.split(b"\t")[0].split()[-1] for line in lines) if long else ()
        total = sum(int(size) for size in sizes if size.isdigit())
        if total > limits.checked_out:
            raise RefusedError(f"commit {commit[:12]} has {total:,} bytes; the limit is {limits.checked_out:,}")

    def _resolve(self, revision: str) -> str:
        """Resolve a commit by name; in a local folder `HEAD` is that of its worktree."""
        folder = self.tree if self.source is None else self.git
        wanted = f"{revision}^{{commit}}"
        return self._git("rev-parse", "--verify", "--end-of-options", wanted, folder=folder).decode().strip()

    def _git(self, *arguments: str, folder: Path | None = None) -> bytes:
        fetches = self.source is not None and self.source.partial  # missing files are fetched as they are needed
        command = guarded(folder or self.git, (*(self.network.settings() if fetches else ()), *arguments))
        done = subprocess.run(
            command, env=dict(self._environment), stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise GitFailed(f"`git {' '.join(arguments[:2])}` failed: {said[-1] if said else done.returncode}")
        return done.stdout


@contextmanager
def alone(shelf: Path) -> Iterator[None]:
    """Hold the lock under which one process at a time fetches into a mirror and adds or removes its worktrees."""
    handle = _held(shelf / LOCK, wait=True)
    try:
        yield
    finally:
        os.close(handle)


def _held(place: Path, *, wait: bool, refused: int | None = None) -> int:
    """Lock a file until the process ends; return `refused` if another process holds the lock."""
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise WriteFailed(f"{str(place)!r} cannot be made: {error.strerror}; allow writing there") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(handle)
        if refused is None:
            raise
        return refused
    return handle
