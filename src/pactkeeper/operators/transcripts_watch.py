"""The verb that keeps reading transcripts as they grow; whatever happens, nothing unread is marked as read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pactkeeper.advice import BOARDS
from pactkeeper.errors import PactkeeperError
from pactkeeper.operators.standup import alone, stamp, stand_up, stood_up_today
from pactkeeper.operators.transcripts import ingest_file
from pactkeeper.personal import Personal
from pactkeeper.settings.transcripts import transcript_settings
from pactkeeper.transcripts.ingest import Ingested, transcripts_in

BUSY: Final = "another process is watching your transcripts; stop it first, or leave it to that one"
EVERY: Final = 10.0  # seconds between two passes
# After these outcomes a file is skipped until it changes; after the others it is retried in the next pass.
_SETTLED: Final = frozenset({"read", "unchanged", "foreign"})

Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class WatchRequest:
    """How to watch: seconds between passes, number of passes (None: no limit), and whether to act on what is new.

    `daily` acts once a day, at the day's first message in the clock's time zone, and reports what waits. `wait` sleeps
    for some seconds; tests pass their own.
    """

    wait: Callable[[float], None]
    every: float = EVERY
    looks: int | None = None
    execute: bool = False
    daily: bool = False


@dataclass(slots=True)
class Watched:
    """The result of a watch: passes, entries, artifacts, failures, and automatic actions."""

    looks: int = 0
    entries: int = 0
    artifacts: int = 0
    failures: int = 0
    actions: int = 0


def watch_transcripts(personal: Personal, request: WatchRequest, tell: Callable[[str], None]) -> Watched:
    """Keep reading what is new in the configured places; one process per person at a time.

    Failures are reported and retried in the next pass. Raises BusyError if another process is watching.
    """
    with alone(personal, BUSY, "watch"):
        watch = _Watch(personal, request, tell)
        while request.looks is None or watch.done.looks < request.looks:
            if watch.done.looks:
                request.wait(request.every)
            watch.look()
        return watch.done


@dataclass(slots=True)
class _Watch:
    """A watch in progress: each file's state when it was last read, and the last message about it."""

    personal: Personal
    request: WatchRequest
    tell: Callable[[str], None]
    done: Watched = field(default_factory=Watched)
    seen: dict[Path, Stamp] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    new: bool = field(init=False)

    def __post_init__(self) -> None:
        self.new = self.request.execute

    def look(self) -> None:
        """Examine every file once, and act on what is new if requested."""
        self.done.looks += 1
        try:
            for place in transcript_settings(self.personal.surroundings.preferences).places:
                for path in transcripts_in(place):
                    self._file(path)
            if self.new and (self.request.execute or (self.request.daily and not stood_up_today(self.personal))):
                self._execute()
            self.told.pop("", None)
        except (PactkeeperError, OSError) as error:
            self.done.failures += 1
            self._tell_once("", f"{error}; trying again")

    def _file(self, path: Path) -> None:
        now = _stamp(path)
        if now is None or self.seen.get(path) == now:
            return
        found = ingest_file(self.personal, path)
        if found.outcome in _SETTLED:
            self.seen[path] = now
        self._count(found)

    def _count(self, found: Ingested) -> None:
        self.done.entries += found.entries
        self.done.artifacts += found.artifacts
        self.new = self.new or bool(found.entries if self.request.daily else found.artifacts)
        if found.entries:
            self.tell(f"{found.conversation}  {found.entries} entries, {found.artifacts} artifacts")
        if found.outcome in {"failed", "busy"}:
            self.done.failures += 1
            self._tell_once(found.file, f"{found.file}: {found.reason or found.outcome}")
        else:
            self.told.pop(found.file, None)

    def _execute(self) -> None:
        began = stamp(self.personal)
        found = stand_up(self.personal)
        self.new = False
        done = [deed for deed in found.done if deed.at >= began]
        self.done.actions += len(done)
        for deed in done:
            self.tell(f"{deed.action.id}  {deed.action.verb}")
        if self.request.daily:
            self.tell(f"{len(found.asked)} actions wait for a yes or no: " + BOARDS())

    def _tell_once(self, what: str, words: str) -> None:
        """Report a problem when it starts and when it changes, not in every pass."""
        if self.told.get(what) != words:
            self.told[what] = words
            self.tell(words)


def _stamp(path: Path) -> Stamp | None:
    """Return a value that changes with the file; None if the file is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
