"""What no edit may change: commitments, and the tables of the atoms that they froze."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from pactkeeper.advice import COMMIT, SUPERSEDE, joined
from pactkeeper.catalog.journal import FileEdit
from pactkeeper.catalog.schema import ATOMS_FOLDER, COMMITMENTS_FOLDER
from pactkeeper.catalog.toml_text import load
from pactkeeper.errors import CatalogError, RefusedError
from pactkeeper.intent.folder import Folder


def refuse_frozen(root: Path, edits: Sequence[FileEdit], found: Mapping[str, Path], folder: Folder) -> None:
    """Raise `RefusedError` if an edit touches a commitment or changes a committed atom; `found` are real paths.

    This holds for every writer: an apply, an undo, or an edit by a command, through whatever symlink.
    """
    real_root = Path(os.path.realpath(root))
    places = {edit.path: found[edit.path].relative_to(real_root).as_posix() for edit in edits}
    refused = [
        f"  {edit.path!r}: a commitment is never changed or undone; to make one: " + COMMIT("ATOM")
        for edit in edits
        if _lies_in(places[edit.path], folder.path(COMMITMENTS_FOLDER)) and not _restores(edit)
    ]
    of_atoms = [edit for edit in edits if _lies_in(places[edit.path], folder.path(ATOMS_FOLDER))]
    refused += [
        f"  {edit.path!r}: {name} is committed ({commitment}); declare a successor: " + SUPERSEDE(name)
        for edit, name, commitment in _thawed(of_atoms, _committed(real_root, folder) if of_atoms else {})
    ]
    if refused:
        raise RefusedError("nothing was written; committed atoms never change\n" + joined("\n", refused))


def _restores(edit: FileEdit) -> bool:
    """Whether an edit takes away what gave up committed atoms."""
    return edit.after is None and "abandons" in load(edit.path, edit.before or b"").data


def commitment_paths(root: Path, folder: Folder) -> frozenset[str]:
    """Return the paths of all commitments in the work tree."""
    below = folder.path(COMMITMENTS_FOLDER)
    return frozenset(f"{below}{path.name}" for path in (root / below).glob("*.toml"))


def _lies_in(place: str, folder: str) -> bool:
    return place.casefold().startswith(folder.casefold())  # some file systems ignore case


def _committed(root: Path, folder: Folder) -> dict[str, str]:
    """Map every atom frozen by a commitment in the work tree to its id; raises `CatalogError` if one is damaged.

    What a damaged file froze is unknown, so no atom may change before it is repaired.
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
    """Yield committed atoms whose table changes; one that merely moves to another file is not among them."""
    after = {name: entry[0] for edit in edits for name, entry in _tables(edit.path, edit.after).items()}
    for edit in edits:
        for name, entry in _tables(edit.path, edit.before).items():
            if name in committed and after.get(name) not in entry:
                yield edit, name, committed[name]


def _tables(path: str, content: bytes | None) -> Mapping[str, Sequence[object]]:
    """Map a file's atoms to their values; one left open by a merge has several, and may become any of them."""
    if content is None:
        return {}
    loaded = load(path, content)
    return {name: loaded.versions.get(name, (entry,)) for name, entry in loaded.data.items()}
