"""A repository's identity in a history shared by several, and the name of the person who works in it.

The identity is the same in every clone of one place, and in no fork.
"""

from __future__ import annotations

import os
import re
import threading
from hashlib import sha256
from pathlib import Path

from pactkeeper.errors import InputError, WriteFailed
from pactkeeper.repo.git import Repository
from pactkeeper.repo.named_file import read_named

_FILE = "repository"
_NO_MAIL = "no-mail"
_ID = re.compile(rb"[\w.:/@-]{1,200}", re.ASCII)


def identity(repository: Repository, state: Path) -> str:
    """Return the repository's id, derived from where it was cloned from, or random if it was cloned from nowhere.

    It is then stored, so that it stays when the remote moves. First commits don't tell: forks share them.
    """
    place = state / _FILE
    return _read(place) or _kept(place, _made(repository))


def _read(place: Path) -> str:
    """Return the stored id, empty if there is none; raise InputError if the file holds something else."""
    if not os.path.lexists(place):
        return ""
    kept = read_named(place, repr(str(place)), most=1000, advice="remove it, and it will be recreated").strip()
    if kept and not _ID.fullmatch(kept):
        raise InputError(
            f"{str(place)!r} holds no id of a repository: {kept[:40]!r}; remove it, and it will be recreated"
        )
    return kept.decode()


def _made(repository: Repository) -> str:
    from pactkeeper.repo.fetching import is_url, place_of  # noqa: PLC0415 - needed once in the life of a clone

    said = repository.run("remote", "get-url", "origin", accept=(0, 2, 128)).decode("utf-8", "replace").strip()
    if not said:
        from uuid import uuid4  # noqa: PLC0415 - likewise

        return f"clone-{uuid4().hex[:16]}"
    source = said.removeprefix("file://")
    if is_url(source):
        return _digested(place_of(source))
    # Another host may have another repository at this path.
    firsts = repository.run("rev-list", "--max-parents=0", "HEAD", accept=(0, 128)).decode()
    return _digested(f"{os.path.realpath(repository.root / source)} {firsts}")


def _digested(place: str) -> str:
    return f"git-{sha256(place.encode()).hexdigest()[:16]}"


def _kept(place: Path, name: str) -> str:
    """Write the id unless another process or thread was faster, and return the one that won. Raise WriteFailed."""
    draft = place.with_name(f".{_FILE}.{os.getpid()}.{threading.get_ident()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(f"{name}\n", encoding="utf-8")
    except OSError as error:
        raise WriteFailed(f"the repository's id cannot be kept in {str(place)!r}: {error.strerror}") from error
    try:
        os.link(draft, place)
    except FileExistsError:
        return _read(place)
    finally:
        draft.unlink()
    return name


def person(repository: Repository) -> str:
    """Return the name and the e-mail address in git's configuration, `Name <mail>`; empty if git knows nobody.

    Without a name there, it is the one in git's environment variables, as for a commit.
    """
    output = repository.run("config", "-z", "--get-regexp", r"^user\.(name|email)$", accept=(0, 1))
    lines = (line.partition("\n") for line in output.decode("utf-8", "replace").split("\0"))
    known = {key: value.strip() for key, _, value in lines}  # the last one counts
    name, mail = known.get("user.name", ""), known.get("user.email", "")
    return f"{name} <{mail}>" if name and mail else name or _named_for_commits(repository, mail) or mail


def _named_for_commits(repository: Repository, mail: str) -> str:
    """Return `Name <mail>` from GIT_AUTHOR_NAME or GIT_COMMITTER_NAME; empty if git would have to guess."""
    no_guess = ("-c", "user.useConfigOnly=true", "-c", f"user.email={mail or _NO_MAIL}")
    for variable in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        said = repository.run(*no_guess, "var", variable, accept=(0, 128))
        known, end, _ = said.decode("utf-8", "replace").rpartition("> ")
        if end:
            return f"{known}>".removesuffix(f" <{_NO_MAIL}>")
    return ""
