"""Find the commits that changed certain lines of a file, following moves within the file and renames."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from pactkeeper.errors import GitFailed, PactkeeperError
from pactkeeper.intent.folder import Contested, Merging, Version
from pactkeeper.repo.git import Repository

_HEADING = re.compile(r"([0-9a-f]{40,64}) \d+ \d+(?: \d+)?\Z")
_HUNK = re.compile(r"@@ -[0-9,]+ \+([0-9]+)(?:,([0-9]+))? @@")
_FIELD, _RECORD = "\x1f", "\x1e"
_FORMAT = f"--format=%H{_FIELD}%aI{_FIELD}%an <%ae>{_FIELD}%s{_RECORD}"


@dataclass(frozen=True, slots=True)
class Revision:
    """One commit: its hash, its author, the author date (ISO 8601 with offset), and the subject line."""

    commit: str
    at: str
    by: str
    subject: str


def committed_bytes(repository: Repository, path: str) -> bytes | None:
    """Return a file's content at HEAD; None if it isn't there or there is no commit yet."""
    if repository.head() is None or not repository.run("ls-tree", "-z", "--full-tree", "HEAD", "--", path):
        return None
    return repository.run("cat-file", "blob", f"HEAD:{path}")


def revisions_of(
    repository: Repository, path: str, ranges: Sequence[tuple[int, int]], *, most: int
) -> tuple[Revision, ...]:
    """Return the last `most` commits that changed these lines of the file at HEAD; ranges are 1-based and inclusive."""
    if not ranges:
        return ()
    lines = [f"-L{first},{last}:{path}" for first, last in ranges]
    output = repository.run(
        "log", "-s", "--no-ext-diff", "--no-textconv", f"--max-count={most}", _FORMAT, *lines, "HEAD"
    )
    return tuple(_revisions(output))


def past_of(repository: Repository, path: str = "", *, most: int) -> tuple[Revision, ...]:
    """Return the last `most` commits of HEAD, or of those that changed a path, newest first; empty before the first."""
    if repository.head() is None:
        return ()
    where = ("--", path) if path else ()
    return tuple(_revisions(repository.run("log", f"--max-count={most}", _FORMAT, "HEAD", *where)))


def counts_of(repository: Repository, name: str, path: str = "", *, most: int) -> tuple[Revision, ...]:
    """Return the last `most` commits that changed how often a name occurs, in one file or anywhere, newest first."""
    if repository.head() is None:
        return ()
    where = ("--", path) if path else ()
    whole = f"-S(^|[^[:alnum:]_]){name.replace('.', '[.]')}([^[:alnum:]_]|$)"
    found = repository.run("log", f"--max-count={most}", _FORMAT, "--pickaxe-regex", whole, "HEAD", *where)
    return tuple(_revisions(found))


def reason_of(repository: Repository, commit: str) -> str:
    """Return the first paragraph of a commit's message below its subject, on one line; empty if there is none."""
    body = repository.run("log", "--max-count=1", "--format=%b", commit).decode("utf-8", "replace")
    paragraphs = (one.split() for one in re.split(r"\n\s*\n", body))
    return next((" ".join(words) for words in paragraphs if words and not words[0].endswith("-by:")), "")


def lines_of(repository: Repository, commit: str) -> tuple[tuple[str, int, int], ...]:
    """Return the line ranges that a commit wrote, in diff order: path, first and last line in the commit's version."""
    shown = repository.run("show", "--format=", "-p", "-U0", "--no-ext-diff", "--no-textconv", commit)
    found: list[tuple[str, int, int]] = []
    path, left = "", 0
    for line in shown.decode("utf-8", "replace").split("\n"):
        if left and line.startswith(("+", "-", "\\")):
            left -= line.startswith("+")
        elif line.startswith("+++ "):
            path = line.removeprefix("+++ b/").rstrip("\t") if line.startswith("+++ b/") else ""
        elif path and (hunk := _HUNK.match(line)):
            first, left = int(hunk[1]), int(hunk[2] or 1)
            found += [(path, first, first + left - 1)] if left else []
    return tuple(found)


def blame(repository: Repository, path: str) -> tuple[Revision, ...]:
    """Return the commit that last changed each line of the file at HEAD, in line order."""
    output = repository.run("blame", "--porcelain", "--ignore-revs-file=", "HEAD", "--", path)
    return tuple(_blamed(output.decode("utf-8", "replace").split("\n")))


def _blamed(lines: Sequence[str]) -> Iterator[Revision]:
    """Parse git's porcelain format: a commit is described on first mention, and content lines start with a tab."""
    known: dict[str, dict[str, str]] = {}
    commit = ""
    for line in lines:
        if line.startswith("\t"):
            facts = known[commit]
            when = datetime.fromtimestamp(int(facts["author-time"]), tz=UTC)
            by = f"{facts['author']} {facts['author-mail']}"
            yield Revision(commit, when.isoformat(timespec="seconds"), by, facts.get("summary", ""))
        elif found := _HEADING.match(line):
            commit = found[1]
            known.setdefault(commit, {})
        elif commit:
            name, _, value = line.partition(" ")
            known[commit].setdefault(name, value)


def _revisions(output: bytes) -> Iterator[Revision]:
    for record in output.decode("utf-8", "replace").split(_RECORD):
        if record.strip():
            fields = record.strip("\n").split(_FIELD)
            if len(fields) != 4:  # noqa: PLR2004 - the fields of the format above
                raise GitFailed(f"git answered {record[:80]!r} where one commit was expected")
            yield Revision(*fields)


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
    ours = _commit(repository, "HEAD") if torn else ""
    theirs = next(filter(None, (_commit(repository, name) for name in _INCOMING)), "") if torn else ""
    signed = (
        _by_marker(repository, one, ours, theirs) if one.path in torn else _by_line(repository, one, at)
        for one in merging.contested
    )
    return replace(merging, contested=tuple(signed))


def _by_marker(repository: Repository, one: Contested, ours: str, theirs: str) -> Contested:
    """Name HEAD for our version, and for theirs the commit being merged or replayed, else what its label says."""
    versions = [
        replace(version, commit=(theirs or _commit(repository, version.label.split(" ")[0])) if number else ours)
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
