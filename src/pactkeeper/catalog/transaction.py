"""Writes files of the repository atomically: whatever happens in between, the next writer finds all old or all new.

This relies on order: the journal is on disk before the first file is touched, all new content is on disk next to its
target before the first rename, and the journal is closed after the last one. No ordinary write may touch commitments or
the tables of atoms that a commitment froze; only `add_commitment` adds a commitment. What gave a commitment up may be
taken away again, which only puts the promise back in force.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from pactkeeper.catalog import journal
from pactkeeper.catalog.frozen import commitment_paths, refuse_frozen
from pactkeeper.catalog.journal import FileEdit, WriteEntry, entries, sync_folder, unfinished, write_durably
from pactkeeper.catalog.placement import WRITING, alone, holder, merge, missing_folders, targets
from pactkeeper.catalog.schema import FORMAT, SETTINGS_FILE
from pactkeeper.catalog.toml_text import load
from pactkeeper.errors import BusyError, CatalogError, Problem, StaleError, UnfinishedError, WriteFailed, some_of
from pactkeeper.intent.folder import Folder
from pactkeeper.ledger.canonical import JsonValue

Checkpoint = Callable[[str], None]


def no_checkpoint(step: str) -> None:
    """Do nothing; tests pass a function that dies at a given step."""


@dataclass(frozen=True, slots=True)
class PactPlace:
    """The work tree to write to, the folder for lock and journal, and the pact's folder.

    The first two may be on different disks.
    """

    root: Path
    state_dir: Path
    folder: Folder = field(default_factory=Folder)


@dataclass(frozen=True, slots=True)
class WriteNote:
    """What a journal entry records besides the files: the time, and whatever the caller wants to find again."""

    at: str
    metadata: Mapping[str, JsonValue]


def apply(
    place: PactPlace, edits: Iterable[FileEdit], note: WriteNote, *, checkpoint: Checkpoint = no_checkpoint
) -> WriteEntry | None:
    """Write all edits or none; None if nothing would change.

    Raises `BusyError`, `RefusedError` (a path, or committed content), `StaleError` (a file differs from `before`) and
    `WriteFailed`; an interrupted earlier write is settled first.
    """
    with _holding(place):
        _settle(place, checkpoint)
        wanted = _wanted(edits)
        refuse_frozen(place.root, wanted, targets(place.root, (edit.path for edit in wanted)), place.folder)
        return _apply(place, wanted, note, undoes=None, checkpoint=checkpoint)


@dataclass(frozen=True, slots=True)
class Basis:
    """What was judged: files with their bytes at the time (None: missing), and the paths of all commitments then."""

    files: Mapping[str, bytes | None]
    commitments: frozenset[str] = frozenset()


def add_commitment(
    place: PactPlace, edit: FileEdit, note: WriteNote, *, basis: Basis, checkpoint: Checkpoint = no_checkpoint
) -> WriteEntry:
    """Write the file of a new commitment if everything that was judged is unchanged.

    Raises what `apply` raises; `catalog.commitments` is the only caller.
    """
    with _holding(place):
        _settle(place, checkpoint)
        judged = [FileEdit(path, content, content) for path, content in basis.files.items()]
        _refuse_stale(judged, targets(place.root, basis.files))
        meanwhile = sorted(commitment_paths(place.root, place.folder) - basis.commitments)
        if meanwhile:
            raise StaleError(f"nothing was written; somebody committed meanwhile: {some_of(map(repr, meanwhile))}")
        entry = _apply(place, [edit], note, undoes=None, checkpoint=checkpoint)
        assert entry is not None  # noqa: S101 - a file that was not there is always a change
        return entry


def undo(
    place: PactPlace, note: WriteNote, *, entry_id: int | None = None, checkpoint: Checkpoint = no_checkpoint
) -> WriteEntry | None:
    """Undo one write, by default the latest not undone; None if nothing of it is left.

    A file that changed since is merged by lines; raises `StaleError` naming all files in which both changed the same
    lines. If an undo was interrupted, only that one is finished.
    """
    with _holding(place):
        begun = unfinished(place.state_dir)
        if _settle(place, checkpoint) == "finished" and begun and begun.undoes and entry_id is None:
            return begun
        entry = _to_undo(place.state_dir, entry_id)
        edits = _wanted(_reverse(place, journal.edits_of(place.state_dir, entry.id)))
        _refuse_newer(place, edits)
        refuse_frozen(place.root, edits, targets(place.root, (edit.path for edit in edits)), place.folder)
        done = _apply(place, edits, note, undoes=entry, checkpoint=checkpoint)
        _remove_folders(place.root, entry.folders)
        return done


def ensure_settled(state_dir: Path) -> None:
    """Stop a reader if a write is in progress (`BusyError`) or was interrupted (`UnfinishedError`)."""
    entry = unfinished(state_dir)
    if entry is None:
        return
    busy = holder(state_dir)
    if busy:
        raise BusyError(f"{busy} {WRITING.does}")
    if unfinished(state_dir) is not None:
        raise UnfinishedError(
            f"the write of {entry.at} to {some_of(map(repr, entry.paths))} was interrupted;"
            " run `pk recover`, or any command that writes"
        )


def settle(place: PactPlace, *, checkpoint: Checkpoint = no_checkpoint) -> str | None:
    """Finish or roll back an interrupted write and say which: "finished", "rolled back" or None.

    It is finished if a first file already has its new content, else rolled back. Raises `UnfinishedError` if a file has
    neither its old nor its new content.
    """
    with _holding(place):
        return _settle(place, checkpoint)


def set_aside(place: PactPlace) -> bool:
    """Abandon an interrupted write, leaving every file as it is; the journal keeps the entry under another name.

    Returns whether there was one. Of a damaged entry only the name is known, which is enough.
    """
    with _holding(place):
        number = journal.open_number(place.state_dir)
        if number is None:
            return False
        with suppress(UnfinishedError):
            entry = unfinished(place.state_dir)
            if entry is not None:
                _sweep(place, entry)
        journal.finish(place.state_dir, number, journal.ASIDE)
        return True


def _wanted(edits: Iterable[FileEdit]) -> list[FileEdit]:
    return sorted((edit for edit in edits if edit.before != edit.after), key=lambda edit: edit.path)


def _apply(
    place: PactPlace, edits: Iterable[FileEdit], note: WriteNote, *, undoes: WriteEntry | None, checkpoint: Checkpoint
) -> WriteEntry | None:
    wanted = _wanted(edits)
    found = targets(place.root, (edit.path for edit in wanted))
    _refuse_stale(wanted, found)
    if not wanted and undoes is None:
        return None
    wanted = [replace(edit, mode=edit.mode if edit.before is None else _mode(found[edit.path])) for edit in wanted]
    entry = WriteEntry(
        journal.next_number(place.state_dir),
        note.at,
        note.metadata,
        paths=tuple(edit.path for edit in wanted),
        folders=_new_folders(place.root, [found[edit.path] for edit in wanted if edit.after is not None]),
        undoes=None if undoes is None else undoes.id,
    )
    try:
        journal.begin(place.state_dir, entry, wanted)
        checkpoint("journalled")
        _write(entry, wanted, found, checkpoint=checkpoint)
        journal.finish(place.state_dir, entry.id)
    except BaseException:
        _take_back(place)
        raise
    checkpoint("done")
    return entry


@contextmanager
def _holding(place: PactPlace) -> Iterator[None]:
    """Hold the lock, turning system errors into one that describes the state of the files."""
    try:
        with alone(place.state_dir):
            yield
    except OSError as error:
        left = (place.state_dir / journal.FOLDER).is_dir() and unfinished(place.state_dir) is not None
        what = (
            "the write stopped half-way; the next command that writes will finish it or roll it back"
            if left
            else "nothing was written"
        )
        raise WriteFailed(f"{what}: {error.strerror} ({error.filename or place.root})") from error


def _take_back(place: PactPlace) -> None:
    """Roll back what this process began; if even that fails, the entry stays open."""
    entry = unfinished(place.state_dir)
    if entry is not None:
        with suppress(OSError):
            _roll_back(place, entry, journal.edits_of(place.state_dir, entry.id))


def _new_folders(root: Path, found: Sequence[Path]) -> tuple[str, ...]:
    real_root = Path(os.path.realpath(root))
    return tuple(folder.relative_to(real_root).as_posix() for folder in missing_folders(root, found))


def _refuse_stale(edits: Sequence[FileEdit], found: Mapping[str, Path]) -> None:
    stale = [edit for edit in edits if _content(found[edit.path]) != edit.before]
    if stale:
        how = {True: "did not exist", False: "has changed, or is gone"}
        names = "\n".join(f"  {edit.path!r}: {how[edit.before is None]}" for edit in stale)
        raise StaleError(f"nothing was written; these files changed since they were read\n{names}")


def _content(target: Path) -> bytes | None:
    try:
        return target.read_bytes()
    except FileNotFoundError:
        return None


def _write(entry: WriteEntry, edits: Sequence[FileEdit], found: Mapping[str, Path], *, checkpoint: Checkpoint) -> None:
    """Stage all new content next to its targets, then swap all of it in."""
    for edit in edits:
        if edit.after is not None:
            _stage(entry, edit, found[edit.path])
            checkpoint(f"staged {edit.path}")
    _refuse_stale(edits, found)
    for edit in edits:
        _swap(entry, edit, found[edit.path])
        checkpoint(f"swapped {edit.path}")
    for folder in sorted({found[edit.path].parent for edit in edits}):
        sync_folder(folder)
    checkpoint("synced")


def _stage(entry: WriteEntry, edit: FileEdit, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    staged = _staged(entry, target)
    staged.unlink(missing_ok=True)
    write_durably(staged, edit.after or b"", edit.mode if edit.before is None else _mode(target))


def _mode(target: Path) -> int:
    return stat.S_IMODE(target.stat().st_mode)


def _staged(entry: WriteEntry, target: Path) -> Path:
    """Return the path for staged content next to its target: short for any target name, and the same after a crash."""
    return target.with_name(f".pk-{entry.id:06d}-{sha256(os.fsencode(target.name)).hexdigest()[:16]}")


def _swap(entry: WriteEntry, edit: FileEdit, target: Path) -> None:
    if edit.after is None:
        target.unlink()
    else:
        _staged(entry, target).replace(target)


def _settle(place: PactPlace, checkpoint: Checkpoint) -> str | None:
    entry = unfinished(place.state_dir)
    if entry is None:
        return None
    edits = journal.edits_of(place.state_dir, entry.id)
    found = targets(place.root, entry.paths)
    now = {edit.path: _content(found[edit.path]) for edit in edits}
    if all(now[edit.path] != edit.after for edit in edits):
        _roll_back(place, entry, edits)
        return "rolled back"
    torn = [edit.path for edit in edits if now[edit.path] not in (edit.before, edit.after)]
    if torn:
        raise UnfinishedError(
            f"the write of {entry.at} was interrupted, and since then somebody else changed {some_of(map(repr, torn))};"
            " restore their content, or run `pk recover --set-aside` to keep every file as it is"
        )
    left = [edit for edit in edits if now[edit.path] != edit.after]
    _write(entry, left, found, checkpoint=checkpoint)
    _sweep(place, entry)
    journal.finish(place.state_dir, entry.id)
    return "finished"


def _roll_back(place: PactPlace, entry: WriteEntry, edits: Sequence[FileEdit]) -> None:
    """Restore the old content of every file that has its new content, and drop the entry."""
    found = targets(place.root, entry.paths)
    _sweep(place, entry)
    changed = [edit for edit in edits if _content(found[edit.path]) == edit.after]
    back = [FileEdit(edit.path, edit.after, edit.before, edit.mode) for edit in changed]
    _write(entry, back, found, checkpoint=no_checkpoint)
    _remove_folders(place.root, entry.folders)
    journal.forget(place.state_dir, entry.id)


def _sweep(place: PactPlace, entry: WriteEntry) -> None:
    """Remove staged content that was never swapped in."""
    for target in targets(place.root, entry.paths).values():
        _staged(entry, target).unlink(missing_ok=True)


def _remove_folders(root: Path, folders: Iterable[str]) -> None:
    for folder in sorted(folders, reverse=True):
        try:
            (root / folder).rmdir()
        except OSError:
            continue  # it holds somebody else's files, or is already gone


def _to_undo(state_dir: Path, entry_id: int | None) -> WriteEntry:
    known = entries(state_dir)
    if entry_id is None:
        standing = [entry for entry in known if entry.undoes is None and entry.undone_by is None]
        if not standing:
            raise StaleError("there is nothing to undo")
        return standing[-1]
    for entry in known:
        if entry.id == entry_id:
            if entry.undone_by is not None:
                raise StaleError(f"entry {entry_id} is already undone, by entry {entry.undone_by}")
            return entry
    raise StaleError(f"the journal has no entry {entry_id}")


def _reverse(place: PactPlace, edits: Sequence[FileEdit]) -> list[FileEdit]:
    found = targets(place.root, (edit.path for edit in edits))
    reversed_edits: list[FileEdit] = []
    conflicts: list[str] = []
    for edit in edits:
        now = _content(found[edit.path])
        if now == edit.before:
            continue
        back = edit.before
        if now != edit.after:
            back = merge(edit.after, now, edit.before) if edit.after and now and edit.before else None
            if back is None:
                conflicts.append(f"  {edit.path!r}")
        reversed_edits.append(FileEdit(edit.path, now, back, edit.mode))
    if conflicts:
        raise StaleError(
            "nothing was undone; in these files, the lines that were written have changed "
            "since\n" + "\n".join(conflicts)
        )
    return reversed_edits


def _refuse_newer(place: PactPlace, edits: Sequence[FileEdit]) -> None:
    """Raise `CatalogError` if the edits would leave the pact in a newer version's format.

    Settings that don't parse are left to whoever reads them: an undo may be what repairs them.
    """
    path = place.folder.path(SETTINGS_FILE)
    now = (place.root / path).read_bytes() if (place.root / path).is_file() else None
    loaded = load(path, {path: now, **{edit.path: edit.after for edit in edits}}[path] or b"")
    pact = loaded.data.get("pact")
    found = pact.get("format") if isinstance(pact, dict) and not loaded.problems else None
    if isinstance(found, int) and found > FORMAT:
        said = f"format is {found}; this version of Pactkeeper reads format {FORMAT}; update it, then undo"
        raise CatalogError((Problem(path, loaded.line_of(("pact", "format")), said),))
