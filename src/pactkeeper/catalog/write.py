"""Byte edits of the pact's files: one entry changes, all other bytes stay, and an equal entry is not rewritten.

Each function takes the file's bytes, None if it doesn't exist, and returns the new bytes; the identical bytes mean that
nothing had to change. `CatalogError` says why a file can't be read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pactkeeper.advice import RESOLVE
from pactkeeper.catalog import schema
from pactkeeper.catalog.document import Document
from pactkeeper.catalog.render import Fields, atom_fields, clarification_fields, molecule_fields, render, waiver_fields
from pactkeeper.intent.atoms import Atom, Clarification, Molecule
from pactkeeper.intent.pact import Settings, Waiver

ATTRIBUTES: Final = (
    f"# text conflicts, never `merge=union`: `{RESOLVE()}` joins both sides by entry (docs/merging.md)\n"
    "*.toml merge=pact\n"
    "**/*.toml merge=pact\n"
    "debt.txt merge=pact\n"
)
_UNION: Final = b"merge=union"


def put_atom(source: bytes | None, atom: Atom) -> bytes:
    """Add the atom, or change exactly the keys that differ; its place in the pact is irrelevant."""
    return _with(source, atom.id, atom_fields(atom), path=atom.path or schema.ATOMS_FOLDER)


def remove_atom(source: bytes, atom_id: str) -> bytes:
    """Remove the atom with the comments directly above it."""
    return _without(source, atom_id, path=schema.ATOMS_FOLDER)


def put_molecule(source: bytes | None, molecule: Molecule) -> bytes:
    """Add the molecule, or change exactly the keys that differ."""
    return _with(source, molecule.id, molecule_fields(molecule), path=schema.MOLECULES_FILE)


def remove_molecule(source: bytes, molecule_id: str) -> bytes:
    """Remove the molecule."""
    return _without(source, molecule_id, path=schema.MOLECULES_FILE)


def switch_invariant(source: bytes | None, invariant_id: str, field: str, *, value: str | bool) -> bytes:
    """Set one key of a rule's entry, adding the entry for a built-in rule if needed; other keys stay as they are."""
    document = Document(schema.INVARIANTS_FILE, source)
    document.set_field(invariant_id, field, value)
    return bytes(document)


def put_waiver(source: bytes | None, waiver: Waiver) -> bytes:
    """Add the waiver, or change exactly the keys that differ."""
    return _with(source, waiver.key, waiver_fields(waiver), path=schema.WAIVERS_FILE)


def remove_waiver(source: bytes, key: str) -> bytes:
    """Remove the waiver; `key` is `Waiver.key`."""
    return _without(source, key, path=schema.WAIVERS_FILE)


def put_clarification(source: bytes | None, clarification: Clarification) -> bytes:
    """Add the clarification, or change exactly the keys that differ."""
    return _with(source, clarification.id, clarification_fields(clarification), path=schema.CLARIFICATIONS_FILE)


def remove_clarifications(source: bytes, names: Iterable[str]) -> bytes:
    """Remove clarifications."""
    return _without(source, *names, path=schema.CLARIFICATIONS_FILE)


def put_attributes(source: bytes | None) -> bytes:
    """Declare how git merges these files; the user's lines stay, those asking for `merge=union` are removed."""
    wanted = ATTRIBUTES.encode().splitlines(keepends=True)
    kept = [line for line in (source or b"").splitlines(keepends=True) if not _was_ours(line) and line not in wanted]
    end = [b"\n"] if kept and not kept[-1].endswith(b"\n") else []
    return b"".join([*kept, *end, *wanted])


def _was_ours(line: bytes) -> bool:
    return line.strip().endswith(_UNION) or line.startswith(b"# every line of these files names what it is about")


def put_debt(source: bytes | None, debts: Iterable[tuple[str, str]]) -> bytes:
    """Insert lines for (test id, body hash) in sort order; a test's earlier line is replaced."""
    wanted = {test: f"{body} {test}" for test, body in debts}
    lines, newline = _debt_lines(source)
    present = set(lines)
    fresh = sorted(line for line in wanted.values() if line not in present)
    if not fresh:
        return source or b""
    kept = [line for line in lines if wanted.get(line.partition(" ")[2], line) == line]
    return _debt_bytes(_merged(kept, fresh), newline)


def remove_debt(source: bytes, tests: Iterable[str]) -> bytes:
    """Remove the lines of these tests and, if no test is left, those of the files that tests depend on."""
    gone = set(tests)
    lines, newline = _debt_lines(source)
    kept = [line for line in lines if line.partition(" ")[2] not in gone]
    kept = kept if any("::" in line for line in kept) else []
    return source if len(kept) == len(lines) else _debt_bytes(kept, newline)


def new_settings(settings: Settings | None = None) -> bytes:
    """Render the initial `pact.toml`: the marker, and whatever differs from the defaults."""
    chosen, defaults = settings or Settings(), Settings()
    lines = ["[pact]", f"format = {schema.FORMAT}"]
    for name, keys in schema.SETTINGS.items():
        changed = [
            f"{key.name} = {render(getattr(chosen, key.field or key.name))}"
            for key in keys
            if name not in schema.GROUPED
            and key.kind != "format"
            and getattr(chosen, key.field or key.name) != getattr(defaults, key.field or key.name)
        ]
        lines += changed if name == "pact" else ["", f"[{name}]", *changed] if changed else []
    return ("\n".join(lines) + "\n").encode()


def _with(source: bytes | None, name: str, fields: Fields, *, path: str) -> bytes:
    document = Document(path, source)
    document.put_fields(name, fields)
    return bytes(document)


def _without(source: bytes, *names: str, path: str) -> bytes:
    document = Document(path, source)
    for name in names:
        document.remove(name)
    return bytes(document)


def _debt_lines(source: bytes | None) -> tuple[list[str], str]:
    text = (source or b"").decode()
    return [line.rstrip("\r") for line in text.split("\n") if line.strip()], "\r\n" if "\r\n" in text else "\n"


def _merged(lines: list[str], fresh: list[str]) -> list[str]:
    """Insert sorted lines, each before the first that sorts after it; existing lines keep their order."""
    merged: list[str] = []
    waiting = fresh[::-1]
    for line in lines:
        while waiting and waiting[-1] < line:
            merged.append(waiting.pop())
        merged.append(line)
    return merged + waiting[::-1]


def _debt_bytes(lines: list[str], newline: str) -> bytes:
    return "".join(f"{line}{newline}" for line in lines).encode()
