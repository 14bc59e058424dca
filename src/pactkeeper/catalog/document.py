"""A TOML file that is edited statement by statement; every byte outside the edited statements is preserved."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from pactkeeper.advice import RESOLVE
from pactkeeper.catalog.render import Fields, TomlValue, inline_table, key, render
from pactkeeper.catalog.statements import Statement, split
from pactkeeper.catalog.toml_text import load
from pactkeeper.errors import CatalogError, Problem

_FIELD_DEPTH: Final = 2  # the entry's name and the field's
_BOM: Final = "\ufeff"
_DIGITS: Final = 6  # one fewer than in a hashed id, so that no such id is taken for a number
_SEQUENTIAL: Final = re.compile(rf"([A-Z][A-Z0-9-]*-)([0-9]{{1,{_DIGITS}}})\Z")


Edit = tuple[int, int, str]  # the characters from start to end are replaced by the text


class Document:
    """The text of one file and pending edits; `bytes()` applies them.

    An entry is everything under one top-level key, in any of TOML's forms: a `[name]` table, `name.key = value` lines,
    or a single line `name = { … }`. New entries are inserted in sort order, with those named in `order` first. Any
    number of entries may change, each of them once.
    """

    def __init__(self, path: str, source: bytes | None, *, order: tuple[str, ...] = ()) -> None:
        loaded = load(path, source or b"")
        if loaded.problems:
            raise CatalogError(tuple(loaded.problems))
        if loaded.sides is not None or loaded.versions:
            raise CatalogError((Problem(path, 0, "a merge left it unresolved; resolve it first: " + RESOLVE()),))
        text = (source or b"").decode()
        self._bom = _BOM if text.startswith(_BOM) else ""
        self._text = text.removeprefix(_BOM)
        self._data = loaded.data
        self._statements = split(self._text)
        self._newline = "\r\n" if re.match(r"[^\n]*\r\n", self._text) else "\n"
        self._order = order
        self._edits: list[Edit] = []
        self._fresh: list[tuple[str, list[str], bool]] = []
        self._by_name: dict[str, list[Statement]] = {}
        for statement in self._statements:
            if statement.path:
                self._by_name.setdefault(statement.path[0], []).append(statement)

    def __bytes__(self) -> bytes:
        """Apply the edits; those at the same place keep their request order, new entries their sort order."""
        pieces: list[str] = []
        at = 0
        for start, end, text in sorted((*self._edits, *self._insertions()), key=lambda edit: edit[:2]):
            pieces.append(self._text[at:start])
            if start == end and next((piece[-1] for piece in reversed(pieces) if piece), "\n") != "\n":
                pieces.append(self._newline)  # whole lines follow a line without an ending
            pieces.append(text)
            at = max(at, end)
        return "".join([self._bom, *pieces, self._text[at:]]).encode()

    @property
    def has_tables(self) -> bool:
        """Whether the file contains a `[table]`; lines before the first one are at the top level."""
        return any(statement.kind == "header" for statement in self._statements)

    def get(self, name: str) -> object | None:
        """Return the entry's data as read by `tomllib`."""
        return self._data.get(name)

    def names(self) -> tuple[str, ...]:
        """Return the names of the file's entries."""
        return tuple(self._data)

    def put_fields(self, name: str, fields: Fields) -> None:
        """Make the entry hold exactly these fields, key by key and in its existing form; no fields removes it."""
        known = self._data.get(name)
        if same(known, fields):
            return
        parts = self._parts((name,))
        if not fields:
            self._drop(parts)
            return
        if not isinstance(known, dict) or not parts:
            self._insert_entry(name, fields)
        elif parts[0].kind == "pair" and parts[0].path == (name,):
            self._edits.append((*parts[0].value, inline_table(fields)))
            self._cut(parts[1:])
        else:
            self._change(name, known, fields)

    def _insert_entry(self, name: str, fields: Fields) -> None:
        """Add an entry as dotted lines, or as a table if the file already has tables."""
        as_table = self.has_tables
        opening = "" if as_table else f"{key(name)}."
        lines = [f"{opening}{key(field)} = {render(value)}" for field, value in fields.items()]
        self._fresh.append((name, [f"[{key(name)}]", *lines] if as_table else lines, as_table))

    def set_field(self, name: str, field: str, value: TomlValue) -> None:
        """Set one key of an entry, leaving its other keys alone."""
        known = self._data.get(name)
        current = dict(known) if isinstance(known, dict) else {}
        self.put_fields(name, {**current, field: value})

    def remove(self, name: str) -> None:
        """Remove the entry, along with the comments directly above it."""
        self._drop(self._parts((name,)))

    def _parts(self, path: tuple[str, ...]) -> list[Statement]:
        return [statement for statement in self._by_name.get(path[0], ()) if statement.path[: len(path)] == path]

    def _own_pairs(self, name: str) -> list[Statement]:
        return [one for one in self._parts((name,)) if one.kind == "pair" and len(one.path) == _FIELD_DEPTH]

    def _change(self, name: str, known: Mapping[str, object], fields: Fields) -> None:
        own = self._own_pairs(name)
        if not own and all(one.path != (name,) for one in self._statements):
            self._drop(self._parts((name,)))  # only nested tables: there is no line to insert next to
            self._insert_entry(name, fields)
            return
        for field in known:
            if field not in fields:
                self._cut(self._parts((name, field)))
        for field, value in fields.items():
            if field in known and same(known[field], value):
                continue
            parts = self._parts((name, field))
            if len(parts) == 1 and parts[0].kind == "pair" and parts[0].path == (name, field):
                self._edits.append((*parts[0].value, render(value)))
                continue
            self._cut(parts)
            self._add_field(name, field, value, order=list(fields))

    def _cut(self, parts: list[Statement]) -> None:
        self._edits += [(statement.start, statement.end, "") for statement in parts]

    def _add_field(self, name: str, field: str, value: TomlValue, *, order: list[str]) -> None:
        """Insert a key after the last one that precedes it in the order, in the form of the line it follows."""
        before = set(order[: order.index(field)])
        own = self._own_pairs(name)
        earlier = [one for one in own if one.path[1] in before]
        anchor = earlier[-1] if earlier else own[0] if own else self._parts((name,))[0]
        opening = "" if anchor.table == (name,) else f"{key(name)}."
        at = anchor.end if earlier or anchor.kind == "header" else anchor.start
        self._edits.append((at, at, f"{opening}{key(field)} = {render(value)}{self._newline}"))

    def _drop(self, parts: list[Statement]) -> None:
        """Remove statements, their comments, and the blank lines that set them off."""
        for start, end in self._blocks(parts):
            first, last = self._with_blanks(start, end)
            self._edits.append((self._statements[first].start, self._statements[last - 1].end, ""))

    def _blocks(self, parts: list[Statement]) -> list[tuple[int, int]]:
        """Group statements into adjacent runs, as index ranges that include comments above and in between."""
        indexes = {statement.start: index for index, statement in enumerate(self._statements)}
        blocks: list[tuple[int, int]] = []
        for part in parts:
            index = indexes[part.start]
            start = self._comments_above(index)
            if blocks and all(self._statements[i].kind in ("blank", "comment") for i in range(blocks[-1][1], start)):
                blocks[-1] = (blocks[-1][0], index + 1)
            else:
                blocks.append((start, index + 1))
        return blocks

    def _comments_above(self, index: int) -> int:
        while index and self._statements[index - 1].kind == "comment":
            index -= 1
        return index

    def _with_blanks(self, start: int, end: int) -> tuple[int, int]:
        """Widen a block by the blank lines after it, or before it if it is the last, so that none accumulate."""
        kinds = [statement.kind for statement in self._statements]
        after = end
        while after < len(kinds) and kinds[after] == "blank":
            after += 1
        if after > end and (start == 0 or kinds[start - 1] == "blank"):
            return start, after
        while after == len(kinds) and start and kinds[start - 1] == "blank":
            start -= 1
        return start, end

    def _insertions(self) -> list[Edit]:
        """Place each new entry before the first one that sorts after it, else at the end of its region."""
        entries = {table: self._entries(table=table) for table in (False, True)}
        edits: list[Edit] = []
        for name, lines, table in sorted(self._fresh, key=lambda one: self._rank(one[0])):
            later = next((index for entry, index in entries[table] if self._rank(entry) > self._rank(name)), None)
            at = len(self._text)
            if later is None and not table and self.has_tables:
                later = next(index for index, one in enumerate(self._statements) if one.kind == "header")
            before = after = ""
            if later is not None:
                at, after = self._statements[self._comments_above(later)].start, self._newline
            elif any(edit[0] == at for edit in edits) or (self._statements and self._statements[-1].kind != "blank"):
                before = self._newline
            edits.append((at, at, f"{before}{self._newline.join(lines)}{self._newline}{after}"))
        return edits

    def _rank(self, name: str) -> tuple[int, str]:
        return (self._order.index(name), "") if name in self._order else (len(self._order), order_key(name))

    def _entries(self, *, table: bool) -> list[tuple[str, int]]:
        """Return the first statement of every entry in the wanted form, as (name, index)."""
        found: dict[str, int] = {}
        for index, statement in enumerate(self._statements):
            if statement.path and bool(statement.table) == table:
                found.setdefault(statement.path[0], index)
        return list(found.items())


def order_key(name: str) -> str:
    """Return a sort key that orders sequential ids by number, so that IA-1000 follows IA-999."""
    found = _SEQUENTIAL.match(name)
    return f"{found[1]}{found[2]:0>{_DIGITS}}" if found else name


def same(known: object, wanted: TomlValue) -> bool:
    """Whether data that was read equals a value to write; True differs from 1, a tuple equals an array."""
    if isinstance(wanted, Mapping):
        return (
            isinstance(known, dict)
            and known.keys() == wanted.keys()
            and all(same(known[name], value) for name, value in wanted.items())
        )
    if isinstance(wanted, list | tuple):
        return isinstance(known, list) and len(known) == len(wanted) and all(map(same, known, wanted))
    return type(known) is type(wanted) and known == wanted
