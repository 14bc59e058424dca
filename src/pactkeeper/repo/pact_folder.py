"""Find the pact's folder from the files of one state alone, so that every clone gets the same answer."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Final, Protocol

from pactkeeper.errors import InputError
from pactkeeper.intent.folder import OWN, POINTER, SETTINGS, USUAL, Folder, has_our_shape, is_settings
from pactkeeper.repo.git import Repository

_PLAIN: Final = re.compile(r"[^/\\\x00-\x1f]+(?:/[^/\\\x00-\x1f]+)*")


class Files(Protocol):
    """The files of one state of a repository."""

    @property
    def paths(self) -> Sequence[str]:
        """All paths, sorted."""

    def read(self, path: str, /) -> bytes | None:
        """Return the bytes of a file; None if it can't be read or doesn't exist."""


def folder_of(files: Files) -> Folder:
    """Return the pact's folder, or the one a new pact would get; raise InputError if two folders hold one."""
    named = _named(files)
    there = [root for root in dict.fromkeys((USUAL, OWN, *named)) if root in named or _holds(files.paths, root)]
    if len(there) > 1:
        there = [root for root in there if is_settings(files.read(f"{root}{SETTINGS}") or b"")]
    if len(there) > 1:
        raise InputError(f"two folders contain a pact, {there[0]!r} and {there[1]!r}; keep one and remove the other")
    if there:
        return Folder(there[0])
    torn = next((root for root in (USUAL, OWN) if any(map(has_our_shape, below(files.paths, root)))), None)
    return Folder(torn or (OWN if any(True for _ in below(files.paths, USUAL)) else USUAL))


def below(paths: Sequence[str], folder: str) -> Iterator[str]:
    """Yield the paths below a folder, whose name ends in a slash; `paths` are sorted."""
    for position in range(bisect_left(paths, folder), len(paths)):
        if not paths[position].startswith(folder):
            return
        yield paths[position]


def refuse_no_files(root: Path, folder: Folder, seen: Container[str]) -> None:
    """Raise InputError for pipes, and folders in place of files, that git skips in a pact: they would seem absent."""
    top = root / folder.root
    for above, folders, names in os.walk(top):
        within = (Path(above) / name for name in names)
        odd = [place for place in within if not place.is_file() and not place.is_symlink()]
        if Path(above) == top:
            odd += [top / name for name in folders if name.endswith((".toml", ".txt"))]
        for path in (place.relative_to(root).as_posix() for place in odd):
            if path not in seen:
                raise InputError(f"{path}: not a regular file; the pact is read completely or not at all")


def _holds(paths: Sequence[str], folder: str) -> bool:
    return f"{folder}{SETTINGS}" in below(paths, f"{folder}{SETTINGS}")


def folder_named(text: str) -> Folder:
    """Return the folder a person named; raise InputError if it isn't a folder below the root."""
    plain = text.strip().rstrip("/")
    if not _PLAIN.fullmatch(plain) or {".", "..", ".git"} & set(plain.split("/")):
        raise InputError(f"{text!r} is not a folder in the repository; write one such as quality/intent")
    return Folder(f"{plain}/")


def pointer_to(folder: Folder) -> bytes:
    """Return the content of the root file that points to a custom folder."""
    return f'folder = "{folder.root.rstrip("/")}"\n'.encode()


def _named(files: Files) -> tuple[str, ...]:
    source = files.read(POINTER)
    if source is None:
        return ()
    import tomllib  # noqa: PLC0415 - every command checks this, and few repositories have one

    from pactkeeper.ledger.documents import read_toml  # noqa: PLC0415 - likewise

    try:
        said = read_toml(source.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f'{POINTER}: {error}; write one line: folder = "quality/intent"') from error
    if said.keys() != {"folder"} or not isinstance(said["folder"], str):
        raise InputError(f'{POINTER}: it holds one line, such as folder = "quality/intent"; found {sorted(said)!r}')
    folder = folder_named(said["folder"])
    if files.read(folder.path(f"{USUAL}{SETTINGS}")) is None:
        raise InputError(f"{POINTER} names {folder.root!r}, where no {SETTINGS} is; restore it, or remove {POINTER}")
    return (folder.root,)


class InCommit:
    """The files of a commit among which pacts are looked for, listed once."""

    def __init__(self, repository: Repository, revision: str) -> None:
        self._repository, self._revision = repository, revision
        listed = repository.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", revision, "--", USUAL, OWN)
        self.paths = sorted(listed.decode("utf-8", "replace").split("\0")[:-1])

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a file; None if it is missing or empty."""
        return self._repository.run("cat-file", "blob", f"{self._revision}:{path}", accept=(0, 128)) or None


class OnDisk:
    """The files of a worktree among which pacts are looked for, as they are on disk."""

    def __init__(self, root: Path) -> None:
        self._root = root
        found = (place for folder in (USUAL, OWN) for place in (root / folder).rglob("*") if place.is_file())
        self.paths = sorted(place.relative_to(root).as_posix() for place in found)

    def read(self, path: str) -> bytes | None:
        """Return the bytes of a regular file; None otherwise."""
        place = self._root / path
        return place.read_bytes() if place.is_file() else None
