"""Open one repository, with its pact, cache and state folder, for one command; all wiring happens here."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from pactkeeper.errors import BusyError, InputError, UsageError
from pactkeeper.personal import HISTORY, Asking, Personal, asker_of, personal_history, watching_of
from pactkeeper.repo.cache import Cache, FileCache
from pactkeeper.repo.git import Repository
from pactkeeper.repo.identity import identity, person
from pactkeeper.repo.memory import SETTLED, Memory
from pactkeeper.repo.pact_folder import OnDisk, folder_of, refuse_no_files
from pactkeeper.repo.snapshot import Snapshot, commit, index, worktree
from pactkeeper.settings import Environment, environment

if TYPE_CHECKING:
    from pactkeeper.boards.port import Board
    from pactkeeper.catalog.transaction import PactPlace
    from pactkeeper.flows.observing import Watching
    from pactkeeper.health.tree import SweepPlaces
    from pactkeeper.intent.folder import Folder
    from pactkeeper.intent.pact import Pact
    from pactkeeper.intent.structure import RepoStructure
    from pactkeeper.intent.tests import Scan
    from pactkeeper.ledger.model import ModelSetup
    from pactkeeper.models.asking import ModelAsker
    from pactkeeper.reconcile.weighing import Weigh
    from pactkeeper.reconcile.world import World
    from pactkeeper.repo.discovery import Discovery
    from pactkeeper.store.history import History

CHECKPOINTS = "checkpoints.db"


@dataclass(frozen=True, slots=True)
class Workspace:
    """The environment a verb runs in; `notice` takes lines for people that are not part of a result.

    `progress` is called with (done, all) while many files are read; `folder` is the current directory, relative to the
    root. `acting` names the program that acts for the person, if any; `for_account` says that the person has an
    account of a team's server, rather than this machine.
    """

    repository: Repository
    state: Path
    cache: Cache
    surroundings: Environment
    notice: Callable[[str], None]
    progress: Callable[[int, int], None] | None = None
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    folder: str = "."
    acting: str = ""
    for_account: bool = False
    memory: Memory = field(default_factory=Memory, repr=False)
    closing: ExitStack = field(default_factory=ExitStack, repr=False)
    _opened: list[History] = field(default_factory=list, repr=False)
    _asked: list[str] = field(default_factory=list, repr=False)
    _watched: list[Watching] = field(default_factory=list, repr=False)

    def watching(self) -> Watching:
        """Return the configured observers; they are opened on first use and closed with the workspace."""
        if not self._watched:
            self._watched.append(self.closing.enter_context(watching_of(self.surroundings, self.now)))
        return self._watched[0]

    def history(self) -> History:
        """Return this repository's history, opened on first use and closed with the workspace."""
        if not self._opened:
            from pactkeeper.store.database import database_at, sqlite_url  # noqa: PLC0415 - SQL is slow to import
            from pactkeeper.store.history import History  # noqa: PLC0415 - likewise
            from pactkeeper.store.owner import Fence  # noqa: PLC0415 - likewise

            said = self.surroundings
            url = said.database_url or sqlite_url(self.state / HISTORY)
            fence = Fence.of(said.job, said.database_url)
            database = self.closing.enter_context(database_at(url, fence=fence, tell=self.notice))
            self._opened.append(History(database, self.identity))
        return self._opened[0]

    def personal(self, *, make: bool = False) -> tuple[History, ...]:
        """Return the history of the person running this, not the repository's; empty if nothing was ever kept there."""
        return personal_history(self.surroundings, self.closing, make=make)

    @property
    def owner(self) -> Personal:
        """What belongs to the person running this; it is closed with the workspace."""
        return Personal(self.surroundings, self.notice, self.now, self.closing)

    def board(self, name: str = "") -> Board:
        """Open one of the person's boards, as `Personal.board` does."""
        return self.owner.board(name)

    def model(self) -> ModelSetup | None:
        """Return the language model the person configured, or None."""
        from pactkeeper.settings.models import model_setup  # noqa: PLC0415 - most commands ask no model

        return model_setup(self.surroundings.preferences)

    def asker(self, run: str = "") -> ModelAsker:
        """Return the configured model with its stored answers; calls are counted for the run.

        Raises ModelUnavailable if no model is configured.
        """
        asking = Asking(self.surroundings, self.history, self.watching, self.now, self.notice)
        return asker_of(asking, run)

    @property
    def has_history(self) -> bool:
        """Whether a history exists, readable or not; commands that only read never create one."""
        return self.surroundings.database_url is not None or os.path.lexists(self.state / HISTORY)

    def history_mark(self) -> str | None:
        """Return a mark that changes with every write to the history: empty if there is no history, None if unknown.

        Two writes within the resolution of file timestamps look alike, so a file that was just written has no mark.
        """
        if self.surroundings.database_url is not None:
            return self.history().database.mark()
        found = [_stat(self.state / name) for name in (HISTORY, f"{HISTORY}-wal")]
        there = [one for one in found if one is not None and one.st_size]
        if any(one.st_mtime > time.time() - SETTLED for one in there):  # `now` need not match file times
            return None
        return " ".join(f"{one.st_size}.{one.st_mtime_ns}.{one.st_ctime_ns}.{one.st_ino}" for one in there)

    @property
    def checkpoints(self) -> Path | str:
        """Where graphs store their checkpoints: a file beside the history, or the database that holds the history."""
        url = self.surroundings.database_url
        return self.state / CHECKPOINTS if url is None or url.startswith("sqlite:") else url

    @property
    def identity(self) -> str:
        """The name under which the history stores this repository."""
        return self.surroundings.repository or identity(self.repository, self.state)

    def snapshot(self, at: str | None = None, *, staged: bool = False) -> Snapshot:
        """Take a snapshot of the working tree, of the index if `staged`, or of the commit that `at` names.

        Raises UnfinishedError for a working tree with an interrupted write: its files mix two states.
        """
        if staged and at is not None:
            raise UsageError(f"--staged reads the index and --at reads a commit; leave out one of them (--at {at!r})")
        if staged:
            return index(self.repository)
        if at is not None:
            return commit(self.repository, at)
        self._refuse_interrupted()
        return worktree(self.repository)

    def pact(self, snapshot: Snapshot, *, required: bool = False, judged: bool = True) -> Pact:
        """Read the pact of a snapshot; if there is none, return an empty pact with defaults, unless `required`.

        If nothing is `judged` by it, a `pact/` folder that belongs to another program (contract tests, for instance) is
        treated as absent.
        """
        from pactkeeper.catalog.read import read_pact, recognise  # noqa: PLC0415 - the warm path reads a cached verdict
        from pactkeeper.intent.pact import Pact  # noqa: PLC0415 - likewise

        def read() -> Pact:
            files, folder = self.pact_files(snapshot), snapshot.folder
            known = recognise(files, folder)
            if not required and (known == "absent" or (known == "foreign" and not judged)):
                return self._with_bar(Pact(folder=folder))
            return self._with_bar(read_pact(files, folder=folder, cache=_CatalogCache(self.cache)))

        files = tuple((path, snapshot.blob(path)) for path in self._pact_names(snapshot))
        whole = all(blob is not None for _, blob in files)
        pact = self.memory.recall("pact", (files, snapshot.folder, required, judged) if whole else None, read)
        return self._merged(snapshot, pact) if pact.merging or snapshot.unmerged else pact

    def _with_bar(self, pact: Pact) -> Pact:
        """Apply the environment's inference threshold if the pact's settings keep the default."""
        asked, usual = self.surroundings.threshold, type(pact.settings)().inference_threshold
        if asked is None or pact.settings.inference_threshold != usual:
            return pact
        return replace(pact, settings=replace(pact.settings, inference_threshold=asked))

    def _merged(self, snapshot: Snapshot, pact: Pact) -> Pact:
        """Add what git knows of a merge: unmerged files, and the commits behind conflicting values."""
        from pactkeeper.intent.folder import Unmerged  # noqa: PLC0415 - only after a merge
        from pactkeeper.repo.line_history import with_commits  # noqa: PLC0415 - likewise

        torn = {one.path for one in pact.merging.unmerged}
        silent = sorted(path for path in snapshot.unmerged - torn if pact.folder.holds(path))
        found = replace(pact.merging, unmerged=(*pact.merging.unmerged, *(Unmerged(path, 0) for path in silent)))
        return replace(pact, merging=with_commits(self.repository, found, at=snapshot.commit))

    def pact_files(self, snapshot: Snapshot) -> dict[str, bytes]:
        """Read every file of the pact; raise InputError for an unreadable one, because its content could matter."""
        found: dict[str, bytes] = {}
        for path, data in snapshot.read_many(self._pact_names(snapshot)):
            if data is None:
                reason = next((gap.reason for gap in snapshot.gaps if gap.file == path), "it cannot be read")
                raise InputError(f"{path}: {reason}; the pact is read completely or not at all")
            found[path] = data
        return found

    def _pact_names(self, snapshot: Snapshot) -> list[str]:
        """The paths of the pact's files; raises InputError if a pact folder contains anything but files."""
        names = list(snapshot.pact_paths())
        if snapshot.kind == "worktree":
            refuse_no_files(self.repository.root, snapshot.folder, frozenset(names))
        return names

    def scan(self, snapshot: Snapshot, pact: Pact) -> Scan:
        """Find all tests of a snapshot, using the pact's own patterns if it has any."""
        discovery = self._discovery(pact)
        key = (snapshot.listing_hash(), discovery.selection) if self.memory.lasts else None
        return self.memory.recall("scan", key, lambda: discovery.scan(snapshot))

    def scans(self, before: Snapshot, after: Snapshot, pact: Pact | None) -> tuple[Scan, Scan]:
        """Find all tests of two snapshots, using the pact's own patterns if there is one with any."""
        return self._discovery(pact).scan_both(before, after)

    def structure(self, snapshot: Snapshot, pact: Pact) -> RepoStructure:
        """Build the import graph of a snapshot; the pact's patterns say which files contain tests."""
        from pactkeeper.repo.structure import structure_of  # noqa: PLC0415 - the warm path reads a cached verdict

        return structure_of(snapshot, self._discovery(pact))

    def _discovery(self, pact: Pact | None) -> Discovery:
        from pactkeeper.repo.discovery import Discovery, Selection  # noqa: PLC0415 - the warm path reads a verdict
        from pactkeeper.repo.languages.adapter import Added  # noqa: PLC0415 - likewise

        settings = pact.settings if pact is not None else None
        selection = Selection()
        if settings is not None:
            added = Added(settings.include, settings.classes, settings.functions, settings.runners)
            selection = Selection(added, settings.exclude)
        return Discovery(
            cache=self.cache, selection=selection, progress=self.progress, processes=self.surroundings.processes
        )

    def world(self, snapshot: Snapshot, *, required: bool = False, judged: bool = True) -> World:
        """Join the tests and the pact of one snapshot; `required` and `judged` as in `pact`."""
        from pactkeeper.reconcile.world import World  # noqa: PLC0415 - the warm path reads a cached verdict

        pact = self.pact(snapshot, required=required, judged=judged)
        return World.of(self.scan(snapshot, pact), pact, self.weigh(snapshot, pact))

    def weigh(self, snapshot: Snapshot, pact: Pact) -> Weigh:
        """Return what reads the strength of tests, both in this snapshot and as last reviewed."""
        from pactkeeper.reconcile.weighing import Weigh  # noqa: PLC0415 - already loaded by the caller

        return Weigh(snapshot, pact.settings, self.cache, lambda past: self.scans(snapshot, past, pact))

    def relative(self, paths: Sequence[str], *, start: Path) -> tuple[str, ...]:
        """Turn paths as typed in `start` into POSIX paths relative to the root; the root itself means no filter."""
        found = [_inside(self.repository.root, start, text) for text in paths]
        return () if "." in found else tuple(found)

    @property
    def pact_folder(self) -> Folder:
        """The pact folder of the work tree, or where a new one would go."""
        return folder_of(OnDisk(self.repository.root))

    @property
    def place(self) -> PactPlace:
        """The place of writes: the working tree, with lock and journal in the state folder."""
        from pactkeeper.catalog.transaction import PactPlace  # noqa: PLC0415 - most commands only read

        return PactPlace(self.repository.root, self.state, self.pact_folder)

    @property
    def sweep_places(self) -> SweepPlaces:
        """Where sweeps keep their worktree and caches, outside the checkout; their lock is in the state folder."""
        from pactkeeper.health.tree import SweepPlaces  # noqa: PLC0415 - most commands do not sweep
        from pactkeeper.ledger.canonical import digest  # noqa: PLC0415 - likewise

        if self.surroundings.caches is None:
            raise UsageError(
                "there is no folder for the tree that is swept: set HOME, or XDG_CACHE_HOME, to a full path"
            )
        name = digest([ascii(str(self.state))])[3:15]
        return SweepPlaces(self.state, self.surroundings.caches / "sweep" / f"{self.repository.root.name}-{name}")

    def ensure_settled(self) -> None:
        """Raise if a write is in progress or was interrupted; for commands that only read."""
        if not self._open_writes():
            return
        from pactkeeper.catalog.transaction import ensure_settled  # noqa: PLC0415 - only where a write is open

        ensure_settled(self.state)

    def settle(self, *, dry_run: bool = False) -> None:
        """Complete or roll back an interrupted write; every command that writes does so before it reads anything."""
        if dry_run:
            self.ensure_settled()
        elif self._open_writes():
            from pactkeeper.catalog.transaction import settle  # noqa: PLC0415 - only where a write is open

            settle(self.place)

    def _refuse_interrupted(self) -> None:
        """Raise if a write was interrupted; one in progress belongs to another process and will end by itself."""
        with suppress(BusyError):
            self.ensure_settled()

    def _open_writes(self) -> bool:
        try:
            return any(name.endswith(".open") for name in os.listdir(self.state / "journal"))  # noqa: PTH208 - pathlib is slower
        except FileNotFoundError:
            return False
        except OSError as error:
            raise InputError(f"the journal of writes cannot be read: {error.strerror} ({error.filename})") from error

    def unfinished(self) -> str | None:
        """When the interrupted write that awaits recovery began; None if there is none."""
        if not self._open_writes():
            return None
        from pactkeeper.catalog.journal import unfinished  # noqa: PLC0415 - only where a write is open

        entry = unfinished(self.state)
        return None if entry is None else entry.at

    def acting_for(self, program: str, person: str = "") -> Workspace:
        """Return a copy for a program acting for `person`, by default whoever git names."""
        return replace(self, acting=program, for_account=bool(person), _asked=[person] if person else self._asked)

    def person(self) -> str:
        """Name who decides: git's user name and e-mail address, read once, and the program acting for them, if any.

        Raises UsageError if git knows nobody.
        """
        if not self._asked:
            known = person(self.repository)
            if not known:
                raise UsageError("a decision needs a name: git config user.name 'Your Name'")
            self._asked.append(known)
        return f"{self.acting} for {self._asked[0]}" if self.acting else self._asked[0]


def _stat(place: Path) -> os.stat_result | None:
    try:
        return place.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{str(place)!r} cannot be read: {error.strerror}; move it away") from error


def _inside(root: Path, start: Path, text: str) -> str:
    """Return the POSIX path relative to the root that `text` names in `start`; a symlink names itself."""
    if "\0" in text:
        raise UsageError(f"{text!r} is no path: no path holds a NUL")
    real = Path(os.path.realpath(root))  # pathlib raises on a symlink loop
    typed = Path(os.path.normpath(os.path.realpath(start) / Path(text)))
    place = typed if typed.is_relative_to(real) else Path(os.path.realpath(typed))
    if not place.is_relative_to(real):
        raise UsageError(f"{text!r} is outside the repository {str(real)!r}")
    return PurePosixPath(place.relative_to(real).as_posix()).as_posix()


class _CatalogCache:
    """Adapt the cache to the catalog's port."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def get(self, key: str) -> bytes | None:
        return self._cache.get_many("catalog", [key]).get(key)

    def put(self, key: str, value: bytes) -> None:
        self._cache.put_many("catalog", [(key, value)])


@contextmanager
def open_workspace(
    folder: str | Path,
    *,
    notice: Callable[[str], None],
    progress: Callable[[int, int], None] | None = None,
    memory: Memory | None = None,
) -> Iterator[Workspace]:
    """Open the repository that contains `folder`, with its cache; raises what `Repository.open` raises.

    A server passes in its `memory`, so that whatever is unchanged since the last request is not recomputed.
    """
    memory = memory or Memory()
    repository = memory.repository(folder)
    state = repository.common_dir / "pact"
    with ExitStack() as closing, FileCache(state, notice=notice) as cache:
        stands = _inside(repository.root, Path(folder), ".")
        opened = Workspace(repository, state, cache, environment(), notice, progress, folder=stands, memory=memory)
        yield replace(opened, closing=closing)
