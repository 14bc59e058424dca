"""Resolves what a merge left open in one file: no markers, no repeated lines, one value per entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from pactkeeper.catalog import schema
from pactkeeper.catalog.document import Document
from pactkeeper.catalog.joining import Entries, Entry, Joined, Versions, join, one_entry, sides_of
from pactkeeper.catalog.statements import split
from pactkeeper.catalog.toml_text import TomlText, load, load_debt, tables, untabled
from pactkeeper.catalog.write import put_debt, remove_debt
from pactkeeper.errors import CatalogError


@dataclass(frozen=True, slots=True)
class Stages:
    """The three versions that git merges; None if that side has no such file."""

    base: bytes | None
    ours: bytes | None
    theirs: bytes | None


@dataclass(frozen=True, slots=True)
class Chosen:
    """The value chosen for an entry, None for removal, and a short reason for people."""

    entry: Entry | None
    why: str


_OF_ENTRIES: Final = frozenset(
    {
        schema.SETTINGS_FILE,
        schema.MOLECULES_FILE,
        schema.INVARIANTS_FILE,
        schema.WAIVERS_FILE,
        schema.CLARIFICATIONS_FILE,
        schema.DEBT_FILE,
    }
)
Chooser = Callable[[str, Versions], Chosen | None]  # by name and versions; None leaves the entry unresolved


@dataclass(frozen=True, slots=True)
class Resolution:
    """The new content (None: no file), entries settled with reasons, and those left, between conflict markers."""

    content: bytes | None
    settled: Mapping[str, str]
    left: Mapping[str, Versions]


def resolve_file(path: str, source: bytes | None, stages: Stages | None, choose: Chooser) -> Resolution:
    """Resolve one file, using git's `stages` if known. Raises CatalogError if a side can't be read."""
    if not (path.startswith((schema.ATOMS_FOLDER, schema.LINKS_FOLDER)) or path in _OF_ENTRIES):
        return Resolution(_joined_lines(source, stages), {path: "lines of both sides"}, {})
    text, joined = _joined(path, source, stages)
    settled: dict[str, str] = {}
    left: dict[str, Versions] = {}
    for name, versions in joined.contested.items():
        chosen = choose(name, versions)
        if chosen is None:
            left[name] = versions
            continue
        settled[name] = chosen.why
        joined.entries.pop(name, None)
        if chosen.entry is not None:
            joined.entries[name] = chosen.entry
    if left:
        marked = _marked(path, text, joined.entries, left, labels=_labels(source)) if settled else source
        return Resolution(marked, settled, left)
    content = _written(path, text, joined.entries)
    gone = stages is not None and None in (stages.ours, stages.theirs) and not joined.entries
    return Resolution(None if gone else content, settled, {})


def merge_driver(path: str, stages: Stages) -> bytes | None:
    """Return what git should write for a merge; None if a person or the code must decide, or a side can't be read."""
    try:
        found = resolve_file(path, stages.ours, stages, lambda *_: None)
    except CatalogError:
        return None
    return None if found.left else found.content or b""


def entries_of(path: str, source: bytes | None) -> Entries:
    """Return what a file declares, by entry; raises CatalogError if it can't be read."""
    return tables(_load(path, source).data)


def _load(path: str, source: bytes | None) -> TomlText:
    loaded = load_debt(source or b"") if path == schema.DEBT_FILE else load(path, source or b"")
    if loaded.problems:
        raise CatalogError(tuple(loaded.problems))
    return loaded


def _joined(path: str, source: bytes | None, stages: Stages | None) -> tuple[bytes, Joined]:
    """Return a readable text to start from, and the entries that the file should hold."""
    if stages is not None and (source in (stages.ours, stages.theirs) or _is_mixed(path, source)):
        base, ours, theirs = (entries_of(path, one) for one in (stages.base, stages.ours, stages.theirs))
        return stages.ours or stages.theirs or b"", join(path, base, ours, theirs)
    loaded = _load(path, source)
    known = entries_of(path, stages.base) if stages is not None else None
    sides = sides_of(loaded.text, padded=False)
    if sides is None:
        return _once(loaded).encode(), _layers(path, loaded, known or {})
    if known is None and sides.base is not None:
        known = entries_of(path, sides.base.encode())
    ours, theirs = (entries_of(path, text.encode()) for text in (sides.ours, sides.theirs))
    return sides.ours.encode(), join(path, known, ours, theirs)


def _is_mixed(path: str, source: bytes | None) -> bool:
    """Whether git joined lines of both sides into one entry outside its markers, so that neither side can be read."""
    sides = sides_of((source or b"").decode("utf-8", "surrogateescape"), padded=False)
    return sides is not None and any(_load(path, text.encode()).versions for text in (sides.ours, sides.theirs))


def _layers(path: str, loaded: TomlText, base: Entries) -> Joined:
    """Resolve entries whose lines occur twice against the common base."""
    joined = Joined(dict(tables(loaded.data)))
    for name, versions in loaded.versions.items():
        merged = one_entry(path, base.get(name), versions[0], versions[-1])
        if isinstance(merged, tuple):
            joined.contested[name] = versions
        elif merged is not None:
            joined.entries[name] = merged
    return joined


def _once(loaded: TomlText) -> str:
    """Return the text without lines that repeat a key; only the first of them determines its value."""
    if loaded.path == schema.DEBT_FILE:
        return loaded.text
    seen: set[tuple[str, ...]] = set()
    kept: list[str] = []
    doubled = False
    for statement in split(loaded.text):
        if statement.kind == "header":
            doubled = statement.path in seen
        repeated = statement.kind == "pair" and statement.path in seen
        if statement.path:
            seen.add(statement.path)
        if not repeated and not doubled:
            kept.append(loaded.text[statement.start : statement.end])
    return "".join(kept)


def _written(path: str, text: bytes, entries: Entries) -> bytes:
    """Edit the text so that it holds exactly these entries."""
    if path == schema.DEBT_FILE:
        known = {line.partition(" ")[2] for line in text.decode().splitlines()}
        kept = remove_debt(text, known - entries.keys())
        return put_debt(kept, ((test, str(entry["body"])) for test, entry in entries.items()))
    document = Document(path, text, order=tuple(schema.SETTINGS) if path == schema.SETTINGS_FILE else ())
    wanted = untabled(entries)
    for name in document.names():
        if name not in wanted:
            document.remove(name)
    for name, fields in wanted.items():
        if isinstance(fields, dict):
            document.put_fields(name, fields)
    return bytes(document)


def _labels(source: bytes | None) -> tuple[str, str]:
    sides = sides_of((source or b"").decode("utf-8", "surrogateescape"), padded=False)
    return sides.labels if sides is not None else ("ours", "theirs")


def _marked(
    path: str, text: bytes, entries: Entries, left: Mapping[str, Versions], *, labels: tuple[str, str]
) -> bytes:
    """Write the settled entries, and git's conflict markers around what the sides still differ in."""
    ours = _written(path, text, _side(entries, left, 0))
    theirs = _written(path, ours, _side(entries, left, -1))
    one, two = (content.decode("utf-8", "surrogateescape").splitlines(keepends=True) for content in (ours, theirs))
    lines: list[str] = []
    for kind, start, end, first, last in SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += one[start:end]
        else:
            lines += [
                f"<<<<<<< {labels[0]}\n",
                *one[start:end],
                "=======\n",
                *two[first:last],
                f">>>>>>> {labels[1]}\n",
            ]
    return "".join(lines).encode("utf-8", "surrogateescape")


def _side(entries: Entries, left: Mapping[str, Versions], side: int) -> Entries:
    """Return the entries with one side's value of those left."""
    open_ = {name: versions[side] for name, versions in left.items()}
    return {name: entry for name, entry in {**entries, **open_}.items() if entry is not None}


def _joined_lines(source: bytes | None, stages: Stages | None) -> bytes:
    """Merge line-based files such as allowed signers: the lines of both sides without those either side removed."""
    sides = sides_of((source or b"").decode("utf-8", "surrogateescape"), padded=False)
    if sides is None:
        return source or b""
    ours, theirs = sides.ours.splitlines(keepends=True), sides.theirs.splitlines(keepends=True)
    base = (stages.base or b"").decode("utf-8", "surrogateescape").splitlines(keepends=True) if stages else []
    kept = [line for line in ours if line in theirs or line not in base]
    kept += [line for line in theirs if line not in ours and line not in base]
    return "".join(kept).encode("utf-8", "surrogateescape")
