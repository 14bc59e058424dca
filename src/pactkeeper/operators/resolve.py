"""The verb `resolve_merge`: settle what a merge left open in the pact, by history, by code, else by asking a person.

Also edits for what spans several files after a merge (an atom declared in two files, dangling references), and the
merge driver by which git merges the pact's files by entry; installing it is optional.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, cast

from pactkeeper.advice import RESOLVE
from pactkeeper.catalog import schema
from pactkeeper.catalog.decode import Findings, table
from pactkeeper.catalog.joining import Entry, Versions, both
from pactkeeper.catalog.journal import FileEdit
from pactkeeper.catalog.render import TomlValue, render
from pactkeeper.catalog.resolving import Chosen, Stages, merge_driver, resolve_file
from pactkeeper.catalog.transaction import WriteNote, apply
from pactkeeper.catalog.write import put_atom, put_attributes, put_molecule, remove_atom, remove_clarifications
from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Frozen
from pactkeeper.intent.folder import Contested, Folder, Version
from pactkeeper.intent.pact import LinkRecord, Pact
from pactkeeper.intent.tests import file_of
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.history import asserted
from pactkeeper.reconcile.world import World
from pactkeeper.repo.line_history import (
    BASE,
    OURS,
    THEIRS,
    base_of_last_merge,
    install_driver,
    merge_text,
    stage,
    unmerged_stages,
)
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.workspace import Workspace


def single_atoms(  # noqa: PLR0913 - the parts of one resolution
    doubled: Sequence[Contested],
    sources: Mapping[str, bytes],
    edits: Sequence[FileEdit],
    *,
    settled: MutableMapping[str, str],
    left: list[Contested],
    ask: Callable[[Contested], Side | None],
) -> list[FileEdit]:
    """Remove an atom from one of the two files that declare it; identical ones stay in the first."""
    found = {edit.path: edit for edit in edits}
    for one in doubled:
        side = "ours" if not one.keys else ask(one)
        if side == "both":
            raise UsageError(f"{one.name!r} is in two files but can only be one atom; choose --ours or --theirs")
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
    """Remove references to what no file declares, and clarifications of deleted atoms."""
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


Side = Literal["ours", "theirs", "both"]
SIDES: Final[tuple[Side, ...]] = ("ours", "theirs", "both")
Ask = Callable[[Contested], Side | None]
TAKEN_OVER: Final = "its test is gone, and another proves as much"


@dataclass(frozen=True, slots=True)
class Resolved:
    """What was settled, by name with the reason, what is left open, and the files written."""

    settled: Mapping[str, str]
    left: tuple[Contested, ...]
    files: tuple[str, ...]


def resolve_merge(workspace: Workspace, names: Sequence[str] = (), *, ask: Ask, dry_run: bool = False) -> Resolved:
    """Settle everything open, or only the named entries; `ask` gets a person's choice if nothing else decides.

    What is left stays between conflict markers, and its file unmerged. Raises UsageError for a name not contested.
    """
    workspace.settle(dry_run=dry_run)
    snapshot = workspace.snapshot()
    world = workspace.world(snapshot, required=True)
    ask = _once(ask)
    edits, settled, left = _resolutions(workspace, snapshot, world, names=names, ask=ask)
    if left and TAKEN_OVER in settled.values():  # a test is noted only in a pact that nothing else is open in
        edits, settled, left = _resolutions(workspace, snapshot, replace(world, weigh=None), names=names, ask=ask)
    _refuse_unknown(names, {*settled, *(one.name for one in left), *(one.path for one in left), *_paths(world.pact)})
    if not names and not left:
        sources = workspace.pact_files(snapshot)
        edits = without_dangling(world.pact, sources, edits, settled)
        edits += _attributes(sources, edits, snapshot.folder)
    if not dry_run:
        apply(workspace.place, edits, _note(workspace, settled))
        merged = sorted(snapshot.unmerged & {edit.path for edit in edits} - {one.path for one in left})
        if merged:
            stage(workspace.repository, merged)
        gone = [world.pact.links[name] for name, why in settled.items() if why == TAKEN_OVER]
        if gone:
            _note_heirs(workspace, {atom for record in gone for atom in record.named})
    changed = tuple(sorted(edit.path for edit in edits if edit.before != edit.after))
    return Resolved(settled, tuple(left), changed)


def _note_heirs(workspace: Workspace, atoms: Container[str]) -> None:
    """Record the tests of these atoms as they are now where they prove more than what was reviewed of them."""
    world = workspace.world(workspace.snapshot(), required=True)
    outdated = world.outdated(one for one in world.linked if one.state in {"linked", "unratified"})
    heirs = tuple(one.test.id for one in outdated if any(atom in atoms for atom in one.atoms()))
    if heirs:
        accept_tests(workspace, heirs, AcceptedWords())


def _once(ask: Ask) -> Ask:
    """Ask about each entry once, however often its side is wanted."""
    known: dict[tuple[str, str], Side | None] = {}

    def once(one: Contested) -> Side | None:
        key = (one.path, one.name)
        if key not in known:
            known[key] = ask(one)
        return known[key]

    return once


def _paths(pact: Pact) -> set[str]:
    return {one.path for one in pact.merging.contested} | {one.path for one in pact.merging.unmerged}


def _refuse_unknown(names: Sequence[str], known: set[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(f"{unknown[0]!r} is not contested; see what is: " + RESOLVE("--json"))


def _resolutions(
    workspace: Workspace, snapshot: Snapshot, world: World, *, names: Sequence[str], ask: Ask
) -> tuple[list[FileEdit], dict[str, str], list[Contested]]:
    merging = world.pact.merging
    sources = workspace.pact_files(snapshot)
    stages = {
        path: Stages(found.get(BASE), found.get(OURS), found.get(THEIRS))
        for path, found in unmerged_stages(workspace.repository, snapshot.folder.root).items()
    }
    named = _asking_only(names, ask)
    doubled = [one for one in merging.contested if one.versions[-1].label.endswith(".toml")]
    within = [one for one in merging.contested if one not in doubled]
    edits: list[FileEdit] = []
    settled: dict[str, str] = {}
    left: list[Contested] = []
    for path in sorted({one.path for one in within} | {one.path for one in merging.unmerged}):
        shown = {one.name: one for one in within if one.path == path}
        base = stages.get(path) or _remembered(workspace, path)
        found = resolve_file(world.pact.folder.name(path), sources.get(path), base, _chooser(path, world, shown, named))
        left += (shown.get(name) or _unseen(path, name, versions) for name, versions in found.left.items())
        if names and not {path, *found.settled, *found.left} & {*names}:
            continue
        settled.update(found.settled)
        if found.settled or not found.left:
            edits.append(FileEdit(path, sources.get(path), found.content))
    return single_atoms(doubled, sources, edits, settled=settled, left=left, ask=named), settled, left


def _asking_only(names: Sequence[str], ask: Ask) -> Ask:
    """Ask only about the entries and files named, or about all if none is."""
    return lambda one: ask(one) if not names or {one.name, one.path} & {*names} else None


def _remembered(workspace: Workspace, path: str) -> Stages | None:
    base = base_of_last_merge(workspace.repository, path)
    return None if base is None else Stages(base, None, None)


def _unseen(path: str, name: str, versions: Versions) -> Contested:
    """Describe an entry that only git's three stages show as contested, for instance if one side removed it."""
    return Contested(path, name, 0, (_version("ours", versions[0]), _version("theirs", versions[-1])))


def _version(side: str, entry: Entry | None) -> Version:
    fields = cast("Mapping[str, TomlValue]", entry or {})
    return Version(side, 0, {key: render(value) for key, value in fields.items()})


def _chooser(
    path: str, world: World, shown: Mapping[str, Contested], ask: Ask
) -> Callable[[str, Versions], Chosen | None]:
    def choose(name: str, versions: Versions) -> Chosen | None:
        decided = _by_code(path, name, versions, world)
        if decided is not None:
            return decided
        side = ask(shown.get(name) or _unseen(path, name, versions))
        if side is None:
            return None
        if side != "both":
            return Chosen(versions[0] if side == "ours" else versions[-1], side)
        joined = both(world.pact.folder.name(path), versions)
        if joined is None:
            raise UsageError(f"{name!r} can keep only one of the values; choose --ours or --theirs")
        return Chosen(joined, side)

    return choose


def _by_code(path: str, name: str, versions: Versions, world: World) -> Chosen | None:
    """Return the only version confirmed by the current test, or by the commitment that froze the atom."""
    path = world.pact.folder.name(path)
    if path.startswith(schema.ATOMS_FOLDER):
        commitment = world.pact.commitments.get(world.pact.commitment_of(name) or "")
        frozen = commitment.frozen.get(name) if commitment is not None else None
        return _only((one for one in versions if one is not None and _frozen(one) == frozen), "the commitment")
    entry = world.by_id.get(name)
    if entry is None and path.startswith(schema.LINKS_FOLDER):
        return Chosen(None, TAKEN_OVER) if _taken_over(name, versions, world) else None
    if entry is None or not (path.startswith(schema.LINKS_FOLDER) or path == schema.DEBT_FILE):
        return None
    if path == schema.DEBT_FILE and entry.links:
        return Chosen(None, "the test is linked")
    return _only((one for one in versions if one and one.get("body") == entry.test.body_hash), "the test as it is now")


def _taken_over(name: str, versions: Versions, world: World) -> bool:
    """Whether a side removed the record of a test that is gone, and tests of its atoms prove all that was reviewed."""
    there = [one for one in versions if one is not None]
    if None not in versions or file_of(name) in world.unseen or world.weigh is None:
        return False
    read: list[dict[str, Any]] = [table(dict(one), schema.LINK, at=(name,), findings=Findings()) for one in there]
    records = [LinkRecord(name, **fields) for fields in read]
    return all(
        record.named and not record.left and not any(world.unproven(record, atom) for atom in record.named)
        for record in records
    )


def _only(found: Iterable[Entry], why: str) -> Chosen | None:
    entries = list(found)
    return Chosen(entries[0], why) if len(entries) == 1 else None


def _frozen(entry: Entry) -> str:
    fields = table(dict(entry), schema.ATOM, at=("",), findings=Findings())
    words = {key: fields[key] for key in ("intent", "category", "outcomes", "falsified_by") if key in fields}
    return Frozen(**words).hash()  # type: ignore[arg-type]  # decoded by the schema


def _attributes(sources: Mapping[str, bytes], edits: Sequence[FileEdit], folder: Folder) -> list[FileEdit]:
    """Update the git attributes, which in older versions of Pactkeeper asked for `merge=union`."""
    path = folder.path(schema.ATTRIBUTES_FILE)
    known = sources.get(path)
    if known is None or any(edit.path == path for edit in edits):
        return []
    return [FileEdit(path, known, put_attributes(known))]


def _note(workspace: Workspace, settled: Mapping[str, str]) -> WriteNote:
    metadata = {"verb": "resolve", "settled": dict(settled), **asserted(workspace)}
    return WriteNote(workspace.now().isoformat(timespec="seconds"), metadata)


COMMAND: Final = str(RESOLVE("--driver"))


def install_merge_driver(workspace: Workspace) -> None:
    """Install the driver in the clone's git configuration; no file of the repository changes."""
    install_driver(workspace.repository, COMMAND)


def merge_file(workspace: Workspace, files: tuple[str, str, str], path: str) -> bool:
    """Merge into the file `ours`, as git asks of a merge driver; returns False if it now has conflict markers.

    `files` are git's temporary base, ours and theirs, relative to the root; `path` is the file's own path.
    """
    base, ours, theirs = files
    root = workspace.repository.root
    contents = Stages(*((root / name).read_bytes() for name in (base, ours, theirs)))
    merged = merge_driver(workspace.pact_folder.name(path), contents)
    if merged is None:
        merge_text(workspace.repository, ours, base, theirs)
        return b"<<<<<<<" not in Path(root / ours).read_bytes()
    (root / ours).write_bytes(merged)
    return True
