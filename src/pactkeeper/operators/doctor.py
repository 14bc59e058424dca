"""The verb that examines an installation: what is there, what is missing, and what to do about it."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final, Literal

from pactkeeper.catalog.schema import SETTINGS_FILE
from pactkeeper.errors import NotARepository, PactkeeperError, how_to_install
from pactkeeper.intent.folder import POINTER
from pactkeeper.personal import HISTORY
from pactkeeper.repo.git import Repository, git_version
from pactkeeper.repo.pact_folder import OnDisk, folder_of
from pactkeeper.settings import Environment, environment
from pactkeeper.store.database import examine
from pactkeeper.store.driver import sqlite_url

State = Literal["ok", "optional", "wrong"]
GIT: Final = (2, 31)
ROOM: Final = 500_000_000  # bytes
SKEW: Final = 5.0  # seconds
PORT: Final = 8766


@dataclass(frozen=True, slots=True)
class DoctorLine:
    """One check: `optional` is missing but not needed, `wrong` needs what `todo` says."""

    name: str
    state: State
    found: str
    todo: str = ""


def examine_installation(folder: Path) -> tuple[DoctorLine, ...]:
    """Check everything without lasting changes; what cannot be checked is reported as wrong, and the rest continues."""
    surroundings = environment()
    return tuple(line for look in LOOKS for line in look(folder, surroundings))


def _programs(_: Path, __: Environment) -> Iterator[DoctorLine]:
    yield DoctorLine("Python", "ok", sys.version.split()[0])
    yield DoctorLine("Pactkeeper", "ok", version("pactkeeper"))
    found = git_version()
    if found >= GIT:
        yield DoctorLine("git", "ok", ".".join(map(str, found)))
    else:
        yield DoctorLine("git", "wrong", ".".join(map(str, found)) or "not found", "install git 2.31 or newer")


def _extras(__: Path, surroundings: Environment) -> Iterator[DoctorLine]:
    wanted: dict[str, list[str]] = {}
    for line in requires("pactkeeper") or ():
        requirement, _, marker = line.partition(";")
        extra = marker.partition("extra == ")[2].strip().strip("'\"")
        if extra:
            name = requirement.replace("[", "<").replace(">", "<").replace("=", "<").partition("<")[0]
            wanted.setdefault(extra, []).append(name.strip())
    postgres = (surroundings.database_url or "").startswith("postgres")
    for extra, names in sorted(wanted.items()):
        missing = [name for name in names if not _installed(name)]
        if not missing:
            yield DoctorLine(f"extra {extra}", "ok", ", ".join(f"{name} {version(name)}" for name in names))
        else:
            state: State = "wrong" if extra == "postgres" and postgres else "optional"
            yield DoctorLine(f"extra {extra}", state, f"{', '.join(missing)} not installed", how_to_install(extra))


def _installed(name: str) -> bool:
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def _repository(folder: Path, surroundings: Environment) -> Iterator[DoctorLine]:
    try:
        found = Repository.open(folder)
    except NotARepository:
        yield DoctorLine(
            "repository", "optional", f"{str(folder)!r} is in none", "run it inside one to have it examined"
        )
        return
    except PactkeeperError as error:
        yield DoctorLine("repository", "wrong", str(error), "see to that")
        return
    yield DoctorLine("repository", "ok", f"{found.root}{', shallow' if found.shallow else ''}")
    yield _pact(found.root)
    yield from _writable("state folder", found.common_dir / "pact")
    if surroundings.database_url is None and (found.common_dir / "pact" / HISTORY).exists():
        yield from _kept(
            "history", sqlite_url(found.common_dir / "pact" / HISTORY), "move it away, or restore a backup"
        )


def _pact(root: Path) -> DoctorLine:
    try:
        place = folder_of(OnDisk(root)).path(SETTINGS_FILE)
    except PactkeeperError as error:
        return DoctorLine("pact", "wrong", str(error), f"mend {POINTER}")
    if (root / place).is_file():
        return DoctorLine("pact", "ok", place)
    return DoctorLine("pact", "optional", "none yet", "pk init")


def _folders(_: Path, surroundings: Environment) -> Iterator[DoctorLine]:
    for name, place in (("data folder", surroundings.personal), ("cache folder", surroundings.caches)):
        if place is None:
            yield DoctorLine(name, "wrong", "nowhere", "set HOME, or XDG_DATA_HOME and XDG_CACHE_HOME")
        else:
            yield from _writable(name, place)
    secret = None if surroundings.preferences is None else surroundings.preferences / "git-credentials"
    if secret is not None and secret.is_file():
        closed = not secret.stat().st_mode & 0o077
        todo = "" if closed else f"chmod 600 {secret}"
        yield DoctorLine("git credentials", "ok" if closed else "wrong", str(secret), todo)


def _writable(name: str, place: Path) -> Iterator[DoctorLine]:
    """Check whether a folder can be written or created, and has enough free space."""
    there = next(one for one in (place, *place.parents) if one.exists())
    if not os.access(there, os.W_OK | os.X_OK):
        yield DoctorLine(
            name, "wrong", f"{there} cannot be written", f"let {_user()} write there: chown {_user()} {there}"
        )
        return
    free = shutil.disk_usage(there).free
    room = "" if free >= ROOM else f"only {free // 1_000_000:,} MB are left"
    yield DoctorLine(name, "wrong" if room else "ok", room or str(place), "make room" if room else "")


def _database(_: Path, surroundings: Environment) -> Iterator[DoctorLine]:
    if surroundings.database_url is None:
        yield DoctorLine("database", "ok", "a SQLite file per repository; PACTKEEPER_DATABASE_URL can name another")
        return
    todo = "set PACTKEEPER_DATABASE_URL to one that responds"
    yield from _kept("database", surroundings.database_url, todo)


def _kept(name: str, url: str, todo: str) -> Iterator[DoctorLine]:
    """Check whether a database can be read, and by this version; `todo` is reported if not."""
    try:
        found = examine(url)
    except PactkeeperError as error:
        yield DoctorLine(name, "wrong", str(error), todo)
        return
    state: State = "ok" if found.fits else "wrong"
    yield DoctorLine(name, state, found.words, "" if found.fits else "upgrade Pactkeeper; a newer one wrote this")
    if found.clock is not None:
        yield _skew("database clock", (datetime.now(UTC) - found.clock).total_seconds())


def _clock(_: Path, __: Environment) -> Iterator[DoctorLine]:
    with tempfile.NamedTemporaryFile() as file:
        written = os.fstat(file.fileno()).st_mtime
    yield _skew("clock", time.time() - written)


def _skew(name: str, seconds: float) -> DoctorLine:
    if abs(seconds) <= SKEW:
        return DoctorLine(name, "ok", f"{datetime.now(UTC).isoformat(timespec='seconds')}")
    return DoctorLine(
        name, "wrong", f"{abs(seconds):,.0f} seconds off from this machine's", "set the clocks: ntp or chrony"
    )


def _ports(_: Path, __: Environment) -> Iterator[DoctorLine]:
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind(("127.0.0.1", PORT))
        except OSError:
            yield DoctorLine(
                f"port {PORT}", "optional", "in use", "if that is not pk serve, give it another: --listen PORT"
            )
            return
    yield DoctorLine(f"port {PORT}", "ok", "free for pk serve")


def _user() -> str:
    return str(os.geteuid())


LOOKS: Final[tuple[Callable[[Path, Environment], Iterator[DoctorLine]], ...]] = (
    _programs,
    _extras,
    _folders,
    _repository,
    _database,
    _clock,
    _ports,
)
