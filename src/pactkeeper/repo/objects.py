"""A repository's objects: read from files of their own without starting git, else by one process that git keeps open.

A function that reads such a file returns None where git itself has to look: for what is packed, damaged, large or
stored in another way.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Self

from pactkeeper.errors import GitFailed

if TYPE_CHECKING:
    from pactkeeper.repo.git import Repository

_BRANCH: Final = "ref: refs/heads/"
_HEX: Final = "0123456789abcdef"
_WIDTHS: Final = {"sha1": 40, "sha256": 64}
_LARGEST: Final = 1 << 20  # bytes of a commit


def _blob_in(place: Path, limit: int) -> bytes | None:
    """Return the content of a blob by the path of its file."""
    header, _, content = (_inflated(place, limit) or b"").partition(b"\0")
    return content if header == b"blob %d" % len(content) and len(content) <= limit else None


def commit_named(revision: str, *, git_dir: Path, common_dir: Path, object_format: str) -> str | None:
    """Return the commit that HEAD or a whole commit id names, whose content is checked against its id."""
    name = _head(git_dir, common_dir) if revision == "HEAD" else revision
    if name is None or len(name) != _WIDTHS.get(object_format) or name.strip(_HEX):
        return None
    data = _inflated(common_dir / "objects" / name[:2] / name[2:], _LARGEST)
    if data is None or not data.startswith(b"commit "):
        return None
    return name if hashlib.new(object_format, data, usedforsecurity=False).hexdigest() == name else None


def _head(git_dir: Path, common_dir: Path) -> str | None:
    said = _line(git_dir / "HEAD")
    if said is None or not said.startswith(_BRANCH):
        return said
    branch = said.removeprefix("ref: ")
    return _line(common_dir / branch) if ".." not in branch else None


def _line(place: Path) -> str | None:
    """Return the only line of a small file."""
    text = (_content(place, 4096) or b"").decode("utf-8", "replace")
    return text.removesuffix("\n") if text.count("\n") == 1 else None


def _inflated(place: Path, limit: int) -> bytes | None:
    packed = _content(place, limit)
    try:
        return zlib.decompressobj().decompress(packed, limit + 32) if packed is not None else None
    except zlib.error:
        return None


def _content(place: Path, limit: int) -> bytes | None:
    try:
        handle = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(handle, "rb") as file:  # noqa: PTH123 - a descriptor
            return file.read(limit)
    except (OSError, ValueError):
        return None


_KEPT: Final = 32 << 20  # bytes of content that a blob reader caches


class Blobs:
    """A reader of blobs; contents are returned in the order requested.

    Recent objects are read from their files. For the others a `git cat-file --batch` runs from the first one on. A
    request may come while answers to an earlier one are still being taken, also from another thread: git has answered
    in order, so what is left of the earlier answers is read first and kept for whoever asked.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._process: subprocess.Popen[bytes] | None = None
        self._known: dict[str, bytes] = {}
        self._room = _KEPT
        self._lock = threading.RLock()
        self._finish: Callable[[], object] = lambda: None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process, if there is one. Closing twice is allowed."""
        if self._process is not None:
            with self._process:
                self._process.kill()

    def read(self, blob: str, *, limit: int) -> bytes | None:
        """Return one blob's content, or None if it is larger than `limit`; raise GitFailed if git doesn't have it.

        Test helpers are requested repeatedly, so the first contents are cached.
        """
        known = self._known.get(blob)
        if known is not None:
            return known if len(known) <= limit else None
        data = next(self.read_many([blob], limit=limit))
        if data is not None and len(data) <= self._room:
            self._known[blob] = data
            self._room -= len(data)
        return data

    def read_many(self, blobs: Iterable[str], *, limit: int) -> Iterator[bytes | None]:
        """Yield the contents of many blobs, requested in batches so that git works while the caller does."""
        waiting: list[str] = []
        for blob in blobs:
            waiting.append(blob)
            if len(waiting) >= 64:  # noqa: PLR2004 - 64 names of at most 65 bytes always fit into a pipe
                yield from self._found(waiting, limit)
                waiting = []
        yield from self._found(waiting, limit)

    def _found(self, blobs: list[str], limit: int) -> Iterator[bytes | None]:
        objects = self._repository.common_dir / "objects"
        files = {blob: place for blob in blobs if (place := objects / blob[:2] / blob[2:]).exists()}
        packed = self._exchange([blob for blob in blobs if blob not in files], limit)
        for blob in blobs:
            if blob not in files:
                yield next(packed)
            elif (data := _blob_in(files[blob], limit)) is not None:
                yield data
            else:
                yield from self._exchange([blob], limit)

    def _exchange(self, blobs: list[str], limit: int) -> Iterator[bytes | None]:
        answers = self._asked(blobs, limit)
        for _ in blobs:
            with self._lock:
                answer = next(answers)
            if isinstance(answer, GitFailed):
                raise answer
            yield answer

    def _asked(self, blobs: list[str], limit: int) -> Iterator[bytes | GitFailed | None]:
        """Ask git, and return the answers, each read when it is taken or when somebody else asks."""
        with self._lock:
            self._process = self._process or self._repository.start("cat-file", "--batch")
            requests, output = _pipes(self._process)
            self._finish()
            try:
                requests.write("".join(f"{blob}\n" for blob in blobs).encode())
                requests.flush()
            except BrokenPipeError as broken:
                raise GitFailed("git's object reader ended early; check the repository with `git fsck`") from broken
            coming = (_one_blob(output, blob, limit) for blob in blobs)
            early: deque[bytes | GitFailed | None] = deque()
            self._finish = lambda: early.extend(coming)
        return (early.popleft() if early else next(coming) for _ in blobs)


def _one_blob(answers: IO[bytes], blob: str, limit: int) -> bytes | GitFailed | None:
    header = answers.readline().split()
    if len(header) != 3 or header[1] != b"blob":  # noqa: PLR2004 - "<hash> blob <size>"
        return GitFailed(
            f"git cannot read object {blob}; it is missing (in a partial clone, fetch it first: "
            "`git fetch --refetch --no-filter`) "
            "or damaged (`git fsck` tells)"
        )
    size = int(header[2])
    if size <= limit:
        return answers.read(size + 1)[:size]
    left = size + 1
    while left:
        left -= len(answers.read(min(left, 1 << 20)))
    return None


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise GitFailed("git's object reader was started without pipes")
    return process.stdin, process.stdout
