"""A cache of decoded pact files by content hash, so that reading an unchanged pact decodes nothing.

Also represents what a merge left unresolved in a file, and checks references across files: to nothing, or forming
cycles of containment or succession. A merge of two sound branches can produce any of these, so they don't prevent a
pact from being read: such references are ignored, and `pk check` reports them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Protocol

from pactkeeper.catalog.joining import first_marker
from pactkeeper.catalog.render import atom_fields, render
from pactkeeper.catalog.toml_text import TomlText
from pactkeeper.intent.atoms import Atom, Clarification, Commitment, Molecule, nesting_problems
from pactkeeper.intent.folder import USUAL, Contested, Dangling, Folder, Merging, Unmerged, Version
from pactkeeper.intent.pact import Invariant, LinkRecord, Pact, Waiver

if TYPE_CHECKING:
    import msgspec


VERSION: Final = 3  # incremented with every change to what is decoded from the same bytes


class Cache(Protocol):
    """A key-value store of bytes; may forget anything at any time, but never confuses keys."""

    def get(self, key: str) -> bytes | None:
        """Return the bytes stored under the key, or None."""

    def put(self, key: str, value: bytes) -> None:
        """Store the bytes under the key."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What one file declares, in at most one of the first eight fields, and what a merge left unresolved in it.

    `whole` is False if part of the text could not be read, so that the file may declare more.
    """

    atoms: tuple[Atom, ...] = ()
    links: tuple[LinkRecord, ...] = ()
    molecules: tuple[Molecule, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    commitments: tuple[Commitment, ...] = ()
    clarifications: tuple[Clarification, ...] = ()
    debt: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True
    contested: tuple[Contested, ...] = ()
    unmerged: tuple[Unmerged, ...] = ()


def cache_key(path: str, source: bytes, *, prefix: str) -> str:
    """Return the key for these bytes at this path under this version of the decoder."""
    place = sha256(f"{VERSION}\0{prefix}\0{path}\0".encode())
    place.update(source)
    return f"catalog:{place.hexdigest()}"


def restore(cache: Cache, path: str, source: bytes, *, prefix: str) -> Contents | None:
    """Return the cached contents for these bytes, or None; undecodable entries count as missing."""
    kept = cache.get(cache_key(path, source, prefix=prefix))
    if kept is None:
        return None
    import msgspec  # noqa: PLC0415 - only runs that have a cache load it

    try:
        decoded: Contents = _codec()[1].decode(kept)
    except (msgspec.DecodeError, ValueError):
        return None
    return decoded


def save(cache: Cache, path: str, source: bytes, *, prefix: str, contents: Contents) -> None:
    """Cache what was decoded from these bytes."""
    cache.put(cache_key(path, source, prefix=prefix), _codec()[0].encode(contents))


@cache
def _codec() -> tuple[msgspec.msgpack.Encoder, msgspec.msgpack.Decoder[Any]]:
    import msgspec  # noqa: PLC0415 - only runs that have a cache load it

    return msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(Contents)


def left_open(loaded: TomlText, contents: Contents) -> Contents:
    """Add to the contents the entries with several values, and the file itself if it has conflict markers."""
    if loaded.sides is None and not loaded.versions:
        return contents
    torn = (Unmerged(loaded.path, first_marker(loaded.text)),) if loaded.sides else ()
    contested = tuple(_contested(loaded, name) for name in loaded.versions)
    return replace(contents, contested=contested, unmerged=torn)


def declared_twice(atom: Atom, first: Atom) -> Contested:
    """Report one id declared in two files; if the fields are equal, one of the declarations is redundant."""
    versions = tuple(Version(one.path, one.line, _rendered(atom_fields(one))) for one in (first, atom))
    return Contested(first.path, atom.id, first.line, versions)


def _contested(loaded: TomlText, name: str) -> Contested:
    versions = loaded.versions[name]
    lines = dict(enumerate(loaded.version_lines.get(name, ())))
    labels = dict(enumerate(loaded.sides.labels if loaded.sides else ()))
    shown = tuple(
        Version(labels.get(number, ""), lines.get(number, 0), _rendered(version or {}))
        for number, version in enumerate(versions)
    )
    return Contested(loaded.path, name, lines.get(0) or max(lines.values(), default=0), shown)


def _rendered(fields: Mapping[str, Any]) -> dict[str, str]:
    return {key: render(value) for key, value in fields.items()}


Atoms = dict[str, Atom]
Molecules = dict[str, Molecule]


def sound_atoms(atoms: Atoms) -> tuple[Atoms, list[Dangling]]:
    """Remove successions that lead to nothing or back to the same atom; also return what was removed."""
    found = [_dangling(atom, f"supersedes {atom.supersedes!r}, which no file declares") for atom in _lost(atoms)]
    sound = {**atoms, **{atom.id: replace(atom, supersedes=None) for atom in _lost(atoms)}}
    for atom in _replaced_by_themselves(sound):
        found.append(_dangling(atom, "supersedes itself, directly or over other atoms"))
        sound[atom.id] = replace(atom, supersedes=None)
    return sound, found


def sound_molecules(molecules: Molecules, atoms: Mapping[str, Atom]) -> tuple[Molecules, list[Dangling]]:
    """Remove members that don't exist or would nest molecules in cycles; also return what was removed."""
    found: list[Dangling] = []
    sound: Molecules = {}
    for name, one in molecules.items():
        found += (_dangling(one, f"groups {atom!r}, which no file declares") for atom in one.atoms if atom not in atoms)
        found += (
            _dangling(one, f"holds {inner!r}, which no file declares")
            for inner in one.molecules
            if inner not in molecules
        )
        kept = tuple(atom for atom in one.atoms if atom in atoms)
        inside = tuple(inner for inner in one.molecules if inner in molecules)
        sound[name] = replace(one, atoms=kept, molecules=inside)
    for one, message in list(nesting_problems(sound)):
        found.append(_dangling(one, message.removeprefix(f"{one.id} ")))
        sound[one.id] = replace(one, molecules=())
    return sound, found


def unexplained(clarifications: Mapping[str, Clarification], atoms: Mapping[str, Atom]) -> Iterator[Dangling]:
    """Yield clarifications of atoms that no file declares."""
    for one in clarifications.values():
        if one.atom not in atoms:
            yield _dangling(one, f"clarifies {one.atom!r}, which no file declares")


def _dangling(node: Atom | Molecule | Clarification, message: str) -> Dangling:
    return Dangling(node.path, node.line, node.id, message)


def _lost(atoms: Mapping[str, Atom]) -> list[Atom]:
    return [atom for atom in atoms.values() if atom.supersedes is not None and atom.supersedes not in atoms]


def _replaced_by_themselves(atoms: Mapping[str, Atom]) -> list[Atom]:
    """Return one atom per succession cycle: the one at which following it from the first atom closes the cycle."""
    cleared: set[str] = set()
    found: list[Atom] = []
    for start in atoms.values():
        trail: dict[str, None] = {}
        atom: Atom | None = start
        while atom is not None and atom.id not in cleared and atom.id not in trail:
            trail[atom.id] = None
            atom = atoms.get(atom.supersedes) if atom.supersedes is not None else None
        if atom is not None and atom.id in trail:
            found.append(atom)
        cleared.update(trail)
    return found


def moved(pact: Pact, folder: Folder) -> Pact:
    """Prefix the paths of all declarations with the pact's folder; in the default folder, names are already paths."""
    if folder.root == USUAL:
        return pact
    return replace(
        pact,
        folder=folder,
        settings=replace(pact.settings, allowed_signers=folder.path(pact.settings.allowed_signers)),
        atoms=_each(pact.atoms, folder),
        links=_each(pact.links, folder),
        molecules=_each(pact.molecules, folder),
        invariants=_each(pact.invariants, folder),
        waivers=tuple(_placed(one, folder) for one in pact.waivers),
        commitments=_each(pact.commitments, folder),
        clarifications=_each(pact.clarifications, folder),
        merging=Merging(
            tuple(_followed(one, folder) for one in pact.merging.contested),
            tuple(_placed(one, folder) for one in pact.merging.unmerged),
            tuple(_placed(one, folder) for one in pact.merging.dangling),
        ),
    )


def _followed(one: Contested, folder: Folder) -> Contested:
    versions = tuple(replace(version, label=folder.path(version.label)) for version in one.versions)
    return replace(one, path=folder.path(one.path), versions=versions)


def _each(declared: Mapping[str, Any], folder: Folder) -> dict[str, Any]:
    return {name: _placed(one, folder) for name, one in declared.items()}


def _placed(one: Any, folder: Folder) -> Any:  # noqa: ANN401 - any value with a path; mypy knows no such bound
    return replace(one, path=folder.path(one.path))
