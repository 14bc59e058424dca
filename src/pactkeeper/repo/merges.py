"""What git knows about merges: the versions of unmerged files, the base of the last merge, and who wrote a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from pactkeeper.errors import GitFailed, PactkeeperError
from pactkeeper.intent.contested import Contested, Merging, Version
from pactkeeper.repo.git import Repository

BASE, OURS, THEIRS = "1", "2", "3"
_INCOMING: Final = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD")
_NOBODY: Final = "0" * 12
_SHORT: Final = 12


def unmerged_stages(repository: Repository, folder: str) -> Mapping[str, Mapping[str, bytes]]:
    """Return the index stages of unmerged files by path: 1 is the base, 2 ours, 3 theirs."""
    found: dict[str, dict[str, bytes]] = {}
    listed = repository.run("ls-files", "--unmerged", "-z", "--", folder).decode("utf-8", "surrogateescape")
    for line in filter(None, listed.split("\0")):
        entry, _, path = line.partition("\t")
        _, blob, stage = entry.split(" ")
        found.setdefault(path, {})[stage] = repository.run("cat-file", "blob", blob)
    return found


def base_of_last_merge(repository: Repository, path: str) -> bytes | None:
    """Return the file's merge base in the last merge that changed it; None if unknown."""
    try:
        merge = repository.run("rev-list", "-1", "--merges", "HEAD", "--", path).decode().strip()
        if not merge:
            return None
        base = repository.merge_base(f"{merge}^1", f"{merge}^2")
        return repository.run("cat-file", "blob", f"{base}:{path}")
    except PactkeeperError:  # a shallow clone, or a file that the base did not have
        return None


def stage(repository: Repository, paths: list[str]) -> None:
    """Mark these files as merged."""
    repository.run("add", "--all", "--", *paths)


def install_driver(repository: Repository, command: str) -> None:
    """Configure git, in this clone only, to merge the pact's files with that command."""
    repository.run("config", "--local", "merge.pact.name", "entries of the pact")
    repository.run("config", "--local", "merge.pact.driver", f"{command} %O %A %B %P")


def merge_text(repository: Repository, ours: str, base: str, theirs: str) -> None:
    """Merge three files as text into the first, with conflict markers where both sides changed the same lines."""
    repository.run("merge-file", "-L", "ours", "-L", "base", "-L", "theirs", ours, base, theirs, accept=range(128))


def with_commits(repository: Repository, merging: Merging, *, at: str | None) -> Merging:
    """Fill in the commit of every contested version, from the line's blame or from the conflict marker."""
    torn = {one.path for one in merging.unmerged} if at is None else set()
    signed = (
        _by_marker(repository, one) if one.path in torn else _by_line(repository, one, at) for one in merging.contested
    )
    return replace(merging, contested=tuple(signed))


def _by_marker(repository: Repository, one: Contested) -> Contested:
    """Name HEAD for our version, and the commit being merged, picked or replayed for theirs."""
    incoming = [name for name in _INCOMING if _commit(repository, name)]
    versions = [
        replace(version, commit=_commit(repository, ("HEAD", *incoming, version.label.split(" ")[0])[min(number, 1)]))
        for number, version in enumerate(one.versions)
    ]
    return replace(one, versions=tuple(versions))


def _by_line(repository: Repository, one: Contested, at: str | None) -> Contested:
    versions = [
        replace(version, commit=_author(repository, _place(version, one), version.line, at=at))
        for version in one.versions
    ]
    return replace(one, versions=tuple(versions))


def _place(version: Version, one: Contested) -> str:
    """Return the file that contains the version: its label if two files declare the same id."""
    return version.label if version.label.endswith(".toml") else one.path


def _commit(repository: Repository, name: str) -> str:
    if not name or name.startswith("-"):
        return ""
    found = repository.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", accept=(0, 1, 128))
    return found.decode().strip()[:_SHORT]


def _author(repository: Repository, path: str, line: int, *, at: str | None) -> str:
    """Return the commit that wrote a line; empty if it is uncommitted or git doesn't know."""
    if not line:
        return ""
    revision = () if at is None else (at,)
    try:
        told = repository.run("blame", "-p", "-L", f"{line},{line}", *revision, "--", path)
    except GitFailed:
        return ""
    commit = told[:_SHORT].decode("ascii", "replace")
    return "" if commit == _NOBODY else commit
