"""A snapshot is the files of one state of a repository: the working tree, the index or a commit.

A file that git reports as unchanged is identified by its existing blob id, so that listing costs what `git status`
costs, and is read from git's object store, which a checkout filter or an editor can't change. Only changed and
untracked files are read from disk. Whatever can't be seen is a gap, so that nobody takes it for absent.
"""

from __future__ import annotations

import bisect
import hashlib
import os
import stat
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from pactkeeper.intent.folder import Folder
from pactkeeper.intent.tests import Gap
from pactkeeper.repo.git import Repository
from pactkeeper.repo.listing import (
    SPARSE,
    UNMERGED,
    UNREAD,
    Listing,
    names,
    parted,
    submodule,
    take_change,
    take_index,
    take_loose,
    width_of,
)
from pactkeeper.repo.objects import Blobs
from pactkeeper.repo.pact_folder import OnDisk, below, folder_of

SIZE_LIMIT: Final = 8 << 20  # bytes; a larger source file is generated data and would stall every parser
_LINK_HOPS: Final = 40  # the same limit as Linux
Kind = Literal["worktree", "index", "commit"]


class Snapshot:
    """The files that git tracks or would track in one state; `gaps` grows as files turn out to be unreadable.

    `name` is for display. `unmerged` are paths with unresolved merges. `commit` is the hash if `kind` is `commit`.
    `unstable` says that a file changed while it was being read, so nothing read here may be cached for these paths and
    blob ids.
    """

    def __init__(self, repository: Repository, kind: Kind, listing: Listing, *, commit: str | None = None) -> None:
        self.repository = repository
        self.kind = kind
        self.commit = commit
        self.name = {"worktree": "the working tree", "index": "the index"}.get(kind) or f"commit {(commit or '')[:12]}"
        self.unstable = False
        self._listing = listing
        self._paths = listing.paths()
        self.unmerged = frozenset(listing.unmerged)
        self.unnameable = tuple(sorted(listing.gaps))
        self._gaps = {*listing.gaps, *(Gap(path, reason) for path, reason in listing.closed.items())}
        self._hashes: dict[str, str | None] = {}
        self._root = os.fsencode(repository.root)
        self._safe_folders: dict[bytes, bool] = {}
        self._objects: Blobs | None = None
        self._texts: Mapping[str, bytes] = {}  # contents by blob id that git may lack
        self._like: Snapshot | None = None  # the snapshot whose blob reader this one shares
        self._folder: Folder | None = None

    def with_blobs(self, blobs: Mapping[str, str]) -> Snapshot:
        """Return this state with other content for some files, each given by blob id."""
        return self._sharing(self._listing_with(blobs), self._texts)

    def with_texts(self, texts: Mapping[str, bytes]) -> Snapshot:
        """Return this state with other content for some files, which git need not have."""
        names = {path: self._hash(data) for path, data in texts.items()}
        found = {names[path]: data for path, data in texts.items()}
        return self._sharing(self._listing_with(names), {**self._texts, **found})

    def _listing_with(self, blobs: Mapping[str, str]) -> Listing:
        now = self._listing
        return Listing(
            {**now.blobs, **blobs},
            _except(blobs, now.links),
            now.loose - blobs.keys(),
            _except(blobs, now.closed),
            list(now.gaps),
            set(now.unmerged),
        )

    def without(self, paths: Collection[str]) -> Snapshot:
        """Return this state without some files."""
        now = self._listing
        blobs, links, closed = (_except(paths, some) for some in (now.blobs, now.links, now.closed))
        left = Listing(blobs, links, now.loose.difference(paths), closed, list(now.gaps), now.unmerged)
        return self._sharing(left, self._texts)

    def _sharing(self, listing: Listing, texts: Mapping[str, bytes]) -> Snapshot:
        other = Snapshot(self.repository, self.kind, listing, commit=self.commit)
        other._like, other._texts = self, texts
        return other

    @property
    def outside(self) -> Mapping[str, str]:
        """The blob ids of files that a sparse checkout leaves out, by path."""
        return self._listing.outside

    @property
    def paths(self) -> Sequence[str]:
        """All paths, sorted, including unreadable files."""
        return self._paths

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What could not be seen so far, sorted."""
        return tuple(sorted(self._gaps))

    @property
    def repositories(self) -> tuple[Gap, ...]:
        """Submodules and nested repositories, whose files git doesn't list."""
        return tuple(gap for gap in self.gaps if gap.reason.endswith(UNREAD))

    @property
    def folder(self) -> Folder:
        """The pact's folder, or where a new one would be; raises InputError if two folders hold one."""
        if self._folder is None:
            self._folder = folder_of(self)
        return self._folder

    @property
    def declares(self) -> bool:
        """Whether there is a pact, or a folder of that name that may be one."""
        return any(True for _ in self.pact_paths())

    def pact_paths(self) -> Iterator[str]:
        """Return the paths of the pact's files, sorted."""
        return filter(self.folder.holds, below(self._paths, self.folder.root))

    def __contains__(self, path: str) -> bool:
        position = bisect.bisect_left(self._paths, path)
        return position < len(self._paths) and self._paths[position] == path

    def blob(self, path: str) -> str | None:
        """Return the git blob id of the file's content; None if there is no such file or it can't be read."""
        listing = self._listing
        known = listing.blobs.get(path)
        if known is not None:
            return known
        if path in listing.loose:
            if path not in self._hashes:
                data = self._from_disk(path)
                self._hashes[path] = None if data is None else self._hash(data)
            return self._hashes[path]
        target = self._target(path)
        return None if target is None else self.blob(target)

    def identity(self, path: str) -> str:
        """Return what to compare a file by between snapshots: its blob id, or why it has none."""
        blob = self.blob(path)
        if blob is not None:
            return blob
        return "!" + ";".join(sorted(gap.reason for gap in self._gaps if gap.file == path))

    def listing_hash(self, *, pact: bool = True) -> str:
        """Hash the whole listing: names with blob ids, or with disk signatures for files that git hasn't hashed.

        Without `pact`, the pact's files are left out, so results based on the others stay valid while only the pact
        changes. The signature is what git itself compares: size, both times in nanoseconds, inode and mode.
        """
        listing = self._listing
        parts = [f"{path}\0{blob}" for path, blob in listing.blobs.items()]
        parts += [f"{path}\0@{blob or self._signature(path)}" for path, blob in listing.links.items()]
        parts += [f"{path}\0={self._signature(path)}" for path in listing.loose]
        parts += [f"{path}\0!{reason}" for path, reason in listing.closed.items()]
        parts += [f"{gap.file}\0?{gap.reason}" for gap in listing.gaps]
        parts += [f"{path}\0unmerged" for path in listing.unmerged]
        if not pact:
            parts = [one for one in parts if not self.folder.holds(one.partition("\0")[0])]
        parts.sort()
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def _signature(self, path: str) -> str:
        try:
            found = os.lstat(os.path.join(self._root, path.encode()))  # noqa: PTH118 - bytes, which pathlib refuses
        except OSError as failure:
            return f"error {failure.errno}"
        return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino} {found.st_mode}"

    def read(self, path: str) -> bytes | None:
        """Return the file's bytes; None if there is no such file, or if it can't be read, which adds a gap."""
        place = self._place(path)
        if place in self._listing.loose:
            return self._unchanged_from_disk(place)
        blob = self._listing.blobs.get(place) if place else None
        return None if blob is None else self._from_store(path, blob)

    def read_many(self, paths: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield many files' bytes, those in git's object store first; they are fetched in batches."""
        stored: list[tuple[str, str]] = []
        others: list[str] = []
        for path in paths:
            blob = self._listing.blobs.get(self._place(path) or "")
            if blob is None or blob in self._texts:
                others.append(path)
            else:
                stored.append((path, blob))
        if stored:
            contents = self.objects().read_many((blob for _, blob in stored), limit=SIZE_LIMIT)
            for (path, _), data in zip(stored, contents, strict=True):
                if data is None:
                    self._gaps.add(Gap(path, _TOO_LARGE))
                yield path, data
        for path in others:
            yield path, self.read(path)

    def lacking(self, paths: Iterable[str]) -> frozenset[str]:
        """Return those of the paths whose content is in no object that git has, as in a partial clone."""
        stored = {path: blob for path in paths if (blob := self._listing.blobs.get(path)) is not None}
        there = self.repository.full_ids(sorted(set(stored.values()))) if stored else {}
        return frozenset(path for path, blob in stored.items() if blob not in there)

    def _place(self, path: str) -> str | None:
        return self._target(path) if path in self._listing.links else path

    def _unchanged_from_disk(self, path: str) -> bytes | None:
        """Return bytes that still match the blob id of this snapshot, so that nothing is cached under a wrong id."""
        expected = self.blob(path)
        data = None if expected is None else self._from_disk(path)
        if data is not None and self._hash(data) != expected:
            self.unstable = True
            self._gaps.add(Gap(path, "the file changed while it was read; run again"))
            return None
        return data

    def _from_store(self, path: str, blob: str) -> bytes | None:
        data = self._texts[blob] if blob in self._texts else self.objects().read(blob, limit=SIZE_LIMIT)
        if data is None:
            self._gaps.add(Gap(path, _TOO_LARGE))
        return data

    def objects(self) -> Blobs:
        """Return the running reader of git's objects, shared by this snapshot and all derived from it."""
        if self._like is not None:
            return self._like.objects()
        if self._objects is None:
            self._objects = self.repository.blobs()
            weakref.finalize(self, self._objects.close)
        return self._objects

    def _from_disk(self, path: str) -> bytes | None:
        place = os.path.join(self._root, path.encode())  # noqa: PTH118 - bytes, which pathlib rejects
        reason = _OUTSIDE if not self._inside(os.path.dirname(place)) else None  # noqa: PTH120 - bytes again
        if reason is None:
            outcome = _read_regular(place)
            if isinstance(outcome, bytes):
                return outcome
            reason = outcome
        self._gaps.add(Gap(path, reason))
        return None

    def _inside(self, folder: bytes) -> bool:
        if folder not in self._safe_folders:
            real = os.path.realpath(folder)
            root = os.path.realpath(self._root)
            self._safe_folders[folder] = real == root or real.startswith(root + os.fsencode(os.sep))
        return self._safe_folders[folder]

    def _target(self, path: str) -> str | None:
        """Return the regular file that a symlink leads to inside this snapshot; a dead end adds a gap."""
        place = path
        for _ in range(_LINK_HOPS):
            if place in self._listing.blobs or place in self._listing.loose:
                return place
            step = self._step(place)
            if step is None:
                break
            place = step
            if place.startswith(("../", "/")) or place == "..":
                self._gaps.add(Gap(path, _OUTSIDE))
                return None
        if path in self._listing.links:
            self._gaps.add(Gap(path, "a symbolic link that leads to no file of the repository"))
        return None

    def _step(self, path: str) -> str | None:
        """Replace the first symlink among the path's leading parts by its target."""
        parts = path.split("/")
        for length in range(1, len(parts) + 1):
            link = "/".join(parts[:length])
            if link in self._listing.links:
                points_to = self._link_text(link)
                if points_to is None:
                    return None
                return (
                    os.path.normpath("/".join([*parts[: length - 1], points_to, *parts[length:]]))
                    if not (points_to.startswith("/"))
                    else points_to
                )
        return None

    def _link_text(self, link: str) -> str | None:
        if self.kind == "worktree":
            try:
                place = os.path.join(self._root, link.encode())  # noqa: PTH118 - bytes, which pathlib rejects
                return os.fsdecode(os.readlink(place))  # noqa: PTH115 - likewise
            except OSError:
                pass  # without symlink support, git writes the target into an ordinary file
        blob = self._listing.links[link]
        data = self._from_store(link, blob) if blob else None
        return None if data is None else os.fsdecode(data)

    def _hash(self, data: bytes) -> str:
        return blob_id(data, self.repository.object_format)


_DENIED: Final = "the file cannot be read: permission denied"
_TOO_LARGE: Final = f"the file is larger than {SIZE_LIMIT >> 20} MiB"
_OUTSIDE: Final = "a symbolic link that points outside the repository"


def _except(paths: Collection[str], listed: Mapping[str, str]) -> dict[str, str]:
    return {path: one for path, one in listed.items() if path not in paths}


def worktree(repository: Repository) -> Snapshot:
    """Take a snapshot of the files on disk: tracked ones as they are now, and untracked ones not ignored by git."""
    listed, changed = repository.run_together(
        ("ls-files", "-s", "-t", "-z", "--others", "--exclude-standard"),
        ("diff-files", "--name-status", "-z", "--ignore-submodules=all", "--no-ext-diff", "--no-renames"),
    )
    listing = Listing()
    untracked, tracked = parted(listed)
    take_index(listing, tracked, repository.object_format)
    fields = names(changed, listing)
    for status, path in zip(fields[::2], fields[1::2], strict=False):
        take_change(listing, repository, status=status, path=path)
    for path in (line[2:] for line in names(untracked, listing, after="? ")):
        if path.endswith("/"):
            listing.closed[path.rstrip("/")] = f"a repository of its own{UNREAD}"
        elif path:
            take_loose(listing, repository, path)
    # the pact's reader understands conflict markers
    both_sides = folder_of(OnDisk(repository.root)).root if UNMERGED in listing.closed.values() else ""
    for path, reason in list(listing.closed.items()):
        there = os.path.lexists(repository.root / path)
        if (reason == SPARSE and there) or (reason == UNMERGED and path.startswith(both_sides)):
            del listing.closed[path]
            listing.outside.pop(path, None)
            if there:
                take_loose(listing, repository, path)
    return Snapshot(repository, "worktree", listing)


def index(repository: Repository) -> Snapshot:
    """Take a snapshot of what the next commit would contain."""
    listing = Listing()
    take_index(listing, repository.run("ls-files", "-s", "-t", "-z"), repository.object_format, sparse=True)
    return Snapshot(repository, "index", listing)


def commit(repository: Repository, revision: str) -> Snapshot:
    """Take a snapshot of a commit; raise UnknownRevision."""
    hashed = repository.resolve(revision)
    listing = Listing()
    width = width_of(repository.object_format)
    for line in names(repository.run("ls-tree", "-r", "-z", "--full-tree", hashed), listing, after="\t"):
        mode, name, path = line[:6], line[12 : 12 + width], line[13 + width :]
        if mode == "120000":
            listing.links[path] = name
        elif line.startswith("blob", 7):
            listing.blobs[path] = name
        else:
            listing.closed[line.partition("\t")[2]] = submodule(line.split()[2])
    return Snapshot(repository, "commit", listing, commit=hashed)


def blob_id(data: bytes, object_format: str = "sha1") -> str:
    """Return the id git gives to this content."""
    name = hashlib.new(object_format, b"blob %d\0" % len(data), usedforsecurity=False)
    name.update(data)
    return name.hexdigest()


def _read_regular(place: bytes) -> bytes | str:
    """Return a regular file's bytes, or the reason why there are none; never block on a pipe or device."""
    try:
        handle = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except PermissionError:
        return _DENIED
    except OSError as failure:
        return f"the file cannot be read: {failure.strerror}"
    with open(handle, "rb", buffering=0) as stream:  # noqa: PTH123 - an open descriptor
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return "not a regular file"
        return _TOO_LARGE if status.st_size > SIZE_LIMIT else stream.read()
