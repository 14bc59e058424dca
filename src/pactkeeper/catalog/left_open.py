"""What a merge left open in one file, in the form in which the rest of the program is told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pactkeeper.catalog.cache import Contents
from pactkeeper.catalog.conflicts import first_marker
from pactkeeper.catalog.render import atom_fields, render
from pactkeeper.catalog.toml_text import TomlText
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.contested import Contested, Unmerged, Version


def left_open(loaded: TomlText, contents: Contents) -> Contents:
    """Add to the contents the entries that have several values, and the file where it has conflict markers."""
    if loaded.sides is None and not loaded.versions:
        return contents
    torn = (Unmerged(loaded.path, first_marker(loaded.text)),) if loaded.sides else ()
    contested = tuple(_contested(loaded, name) for name in loaded.versions)
    return replace(contents, contested=contested, unmerged=torn)


def declared_twice(atom: Atom, first: Atom) -> Contested:
    """One id that two files declare; where the fields are equal, one of the files says too much."""
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
