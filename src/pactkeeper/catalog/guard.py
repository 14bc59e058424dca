"""What no ordinary write may touch: commitments, and the tables of atoms that a commitment froze."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from pactkeeper.catalog.journal import FileEdit
from pactkeeper.catalog.schema import ATOMS_FOLDER, COMMITMENTS_FOLDER
from pactkeeper.catalog.toml_text import load
from pactkeeper.errors import CatalogError, RefusedError
from pactkeeper.intent.folder import Folder


def refuse_frozen(root: Path, edits: Sequence[FileEdit], found: Mapping[str, Path], folder: Folder) -> None:
    """Raise `RefusedError` where an edit touches a commitment or changes a committed atom; `found` are real places.

    It holds for whatever writes: an apply, an undo, an edit by a command, through whatever link the path leads.
    """
    real_root = Path(os.path.realpath(root))
    places = {edit.path: found[edit.path].relative_to(real_root).as_posix() for edit in edits}
    refused = [
        f"  {edit.path!r}: a commitment is made by `pk commit` alone, and never changed or taken back"
        for edit in edits
        if _lies_in(places[edit.path], folder.path(COMMITMENTS_FOLDER))
    ]
    of_atoms = [edit for edit in edits if _lies_in(places[edit.path], folder.path(ATOMS_FOLDER))]
    refused += [
        f"  {edit.path!r}: {name} is committed ({commitment}); declare a successor: pk atom supersede {name}"
        for edit, name, commitment in _thawed(of_atoms, _committed(real_root, folder) if of_atoms else {})
    ]
    if refused:
        raise RefusedError("nothing was written; what was committed stays as it is\n" + "\n".join(refused))


def commitment_paths(root: Path, folder: Folder) -> frozenset[str]:
    """The paths of all commitments of the work tree."""
    below = folder.path(COMMITMENTS_FOLDER)
    return frozenset(f"{below}{path.name}" for path in (root / below).glob("*.toml"))


def _lies_in(place: str, folder: str) -> bool:
    return place.casefold().startswith(folder.casefold())  # some file systems ignore case


def _committed(root: Path, folder: Folder) -> dict[str, str]:
    """Every atom that a commitment of the work tree froze, with that commitment's id; `CatalogError` where one is torn.

    What a torn file froze is not known, so no atom may change before it is whole again.
    """
    found: dict[str, str] = {}
    for path in sorted(commitment_paths(root, folder)):
        loaded = load(path, (root / path).read_bytes())
        if loaded.problems:
            raise CatalogError(tuple(loaded.problems))
        frozen = loaded.data.get("frozen")
        for name in frozen if isinstance(frozen, dict) else ():
            found.setdefault(name, PurePosixPath(path).stem)
    return found


def _thawed(edits: Sequence[FileEdit], committed: Mapping[str, str]) -> Iterator[tuple[FileEdit, str, str]]:
    """Committed atoms whose table is another afterwards; one that moves to another file unchanged is none."""
    after = {name: entry[0] for edit in edits for name, entry in _tables(edit.path, edit.after).items()}
    for edit in edits:
        for name, entry in _tables(edit.path, edit.before).items():
            if name in committed and after.get(name) not in entry:
                yield edit, name, committed[name]


def _tables(path: str, content: bytes | None) -> Mapping[str, Sequence[object]]:
    """Every atom of a file with its value; one that a merge left open has several, and may become any of them."""
    if content is None:
        return {}
    loaded = load(path, content)
    return {name: loaded.versions.get(name, (entry,)) for name, entry in loaded.data.items()}
