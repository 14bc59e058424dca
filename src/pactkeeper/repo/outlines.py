"""The outlines of a snapshot's source files: from the cache, parsed ahead in bulk, or parsed on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pactkeeper import __version__
from pactkeeper.intent.tests import Gap
from pactkeeper.repo.cache import Cache
from pactkeeper.repo.facts import Facts, SnapshotView, Task
from pactkeeper.repo.languages import LANGUAGES, load
from pactkeeper.repo.languages.adapter import Configuration, Import
from pactkeeper.repo.languages.outline import Outline, Uses, decode_outline, decode_uses
from pactkeeper.repo.parsing import default_processes

if TYPE_CHECKING:
    from pactkeeper.repo.languages.adapter import Language, Resolver
    from pactkeeper.repo.snapshot import Snapshot

_NOTHING = Outline()
_UNUSED = Uses()


@dataclass(slots=True)
class _Tongue:
    """One language with its facts for this snapshot; the import resolver is created on first use."""

    adapter: Language
    view: SnapshotView
    outlines: Facts
    uses: Facts
    resolve: Resolver | None = None


class Outlines:
    """Outlines, uses and resolved imports by path; each is decoded once.

    `progress` receives the files done and the total to parse. A file that is too large or too deeply nested has an
    empty outline and is listed in `gaps`.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        cache: Cache,
        *,
        languages: tuple[str, ...] = LANGUAGES,
        processes: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.snapshot = snapshot
        self._processes = processes or default_processes()
        self._progress = progress
        self._tongues = [_tongue(name, snapshot, cache) for name in languages]
        self._outlines: dict[str, Outline] = {}
        self._uses: dict[str, Uses] = {}
        self._found: dict[tuple[str, str, str], tuple[str, ...]] = {}

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What could not be read so far, whatever the kind of file, sorted."""
        found = {gap for one in self._tongues for gap in (*one.outlines.gaps, *one.uses.gaps)}
        return tuple(sorted(found.union(self.snapshot.gaps)))

    @property
    def version(self) -> str:
        """A version that changes with the way outlines are read."""
        return ".".join([__version__, *(str(one.adapter.outlining.version) for one in self._tongues)])

    def owned(self, paths: Iterable[str]) -> list[str]:
        """Return the paths of files that have outlines."""
        return [path for path in paths if self._tongue(path) is not None]

    def prepare(self, paths: Iterable[str], *, uses: bool = False) -> None:
        """Load the outlines (or with `uses`, the references) of many files at once."""
        work: dict[int, list[str]] = {}
        for path in self.owned(paths):
            work.setdefault(self._position(path), []).append(path)
        tables = [self._tongues[at].uses if uses else self._tongues[at].outlines for at in work]
        missing = [facts.recall(found) for facts, found in zip(tables, work.values(), strict=True)]
        total, done = sum(map(len, missing)), 0
        for facts, found in zip(tables, missing, strict=True):
            for _ in facts.parse(found, processes=self._processes) if found else ():
                done += 1
                if self._progress is not None:
                    self._progress(done, total)

    def outline(self, path: str) -> Outline:
        """Return the outline of a file; empty if it has none."""
        known = self._outlines.get(path)
        if known is None:
            tongue = self._tongue(path)
            encoded = tongue.outlines.facts(path) if tongue is not None else None
            known = self._outlines[path] = decode_outline(encoded) if encoded else _NOTHING
        return known

    def uses(self, path: str) -> Uses:
        """Return what the code of a file refers to; empty if it can't be read."""
        known = self._uses.get(path)
        if known is None:
            tongue = self._tongue(path)
            encoded = tongue.uses.facts(path) if tongue is not None else None
            known = self._uses[path] = decode_uses(encoded) if encoded else _UNUSED
        return known

    def find(self, importer: str, module: str, name: str = "") -> tuple[str, ...]:
        """Return the files that a module, or a name imported from it, refers to; empty for third-party packages."""
        key = (importer, module, name)
        if key not in self._found:
            tongue = self._tongue(importer)
            if tongue is None:
                return ()
            if tongue.resolve is None:
                tongue.resolve, _ = tongue.adapter.importing.resolver(tongue.view)
            self._found[key] = tongue.resolve(importer, Import(module, 0, (name,) if name else ())).files
        return self._found[key]

    def ambient(self, path: str) -> tuple[str, ...]:
        """Return the files whose names a file can use without importing them, nearest first."""
        tongue = self._tongue(path)
        found = tongue.adapter.outlining.ambient(path) if tongue is not None else ()
        return tuple(other for other in found if other != path and other in self.snapshot)

    def setups(self, path: str, suite: Sequence[str]) -> tuple[str, ...]:
        """Return the chains of what runs before every test of a suite, whether or not they exist."""
        tongue = self._tongue(path)
        return tongue.adapter.outlining.setups(suite) if tongue is not None else ()

    def save(self) -> None:
        """Write what was parsed on demand to the cache."""
        for one in self._tongues:
            one.outlines.save()
            one.uses.save()

    def _tongue(self, path: str) -> _Tongue | None:
        return next((one for one in self._tongues if one.adapter.outlining.owns(path)), None)

    def _position(self, path: str) -> int:
        return next(at for at, one in enumerate(self._tongues) if one.adapter.outlining.owns(path))


def _tongue(name: str, snapshot: Snapshot, cache: Cache) -> _Tongue:
    adapter, view, plain = load(name), SnapshotView(snapshot), Configuration("", None)
    outlines = Task(f"{name}.outlining", adapter.outlining, plain)
    uses = Task(f"{name}.outlining.uses", adapter.outlining.uses, plain)
    return _Tongue(adapter, view, Facts(outlines, view, cache), Facts(uses, view, cache))
