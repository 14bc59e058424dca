"""Edits for what spans several files after a merge: an atom that two files declare, references to nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Literal

from pactkeeper.catalog import schema
from pactkeeper.catalog.journal import FileEdit
from pactkeeper.catalog.write import put_atom, put_molecule, remove_atom, remove_clarifications
from pactkeeper.errors import UsageError
from pactkeeper.intent.contested import Contested
from pactkeeper.intent.pact import Pact

Side = Literal["ours", "theirs", "both"]


def single_atoms(  # noqa: PLR0913 - the parts of one resolution
    doubled: Sequence[Contested],
    sources: Mapping[str, bytes],
    edits: Sequence[FileEdit],
    *,
    settled: MutableMapping[str, str],
    left: list[Contested],
    ask: Callable[[Contested], Side | None],
    names: Sequence[str],
) -> list[FileEdit]:
    """Take an atom out of one of the two files that declare it; equal ones stay in the first."""
    found = {edit.path: edit for edit in edits}
    for one in doubled:
        side = "ours" if not one.keys else None if names and one.name not in names else ask(one)
        if side == "both":
            raise UsageError(f"{one.name!r} stands in two files and can be one atom alone; choose --ours or --theirs")
        if side is None:
            left.append(one)
            continue
        path = one.versions[-1 if side == "ours" else 0].label
        edit = found.get(path) or FileEdit(path, sources[path], sources[path])
        found[path] = FileEdit(path, edit.before, remove_atom(edit.after or b"", one.name))
        settled[one.name] = "both files say the same" if not one.keys else side
    return list(found.values())


def without_dangling(
    pact: Pact, sources: Mapping[str, bytes], edits: Sequence[FileEdit], settled: MutableMapping[str, str]
) -> list[FileEdit]:
    """Take out references to what no file declares, and clarifications of atoms that are gone."""
    after = {edit.path: edit for edit in edits}
    for one in pact.merging.dangling:
        edit = after.get(one.path) or FileEdit(one.path, sources[one.path], sources[one.path])
        content = edit.after or b""
        if one.holder in pact.atoms:
            content = put_atom(content, pact.atoms[one.holder])
        elif one.holder in pact.molecules:
            content = put_molecule(content, pact.molecules[one.holder])
        elif one.path == pact.folder.path(schema.CLARIFICATIONS_FILE):
            content = remove_clarifications(content, [one.holder])
        after[one.path] = FileEdit(one.path, edit.before, content)
        settled[one.holder] = "what it named is gone"
    return list(after.values())
