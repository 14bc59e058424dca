"""Parses one TOML file of the pact into plain data, with every problem and the line of every key.

Has a fast path for what Pactkeeper itself writes: `name.key = value` lines with strings, arrays of them and booleans.
The fast path answers only if the result is the same as `tomllib`'s; anything else is left to that.

Also reads `debt.txt`, a body hash, a space and a test id per line, as entries, so that it merges like the other files.
A line about a file that tests depend on only says when to read them again, so either side's line will do.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.catalog import schema
from pactkeeper.catalog.joining import SIGNATURE, Sides, Versions, join, marker, sides_of
from pactkeeper.catalog.statements import Statement, key_parts, split
from pactkeeper.errors import Problem
from pactkeeper.intent.pact import GROUND
from pactkeeper.ledger.documents import read_toml

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_ENTRY = re.compile(
    r"""^[ \t]*+\[?[ \t]*+([A-Za-z0-9_-]++|"(?:\\[^\n]|[^"\\\n])*+"|'[^'\n]*+')[ \t]*+[].=]""", re.MULTILINE
)


@dataclass(slots=True)
class TomlText:
    """One file's text and data; `data` holds what could be read, and is complete only if `problems` is empty.

    `lines` are those of entries, if they were found while reading. After a merge, `sides` are separated by conflict
    markers, and `versions` holds all values of an entry that has several; the first of them is in `data`.
    """

    path: str
    text: str = ""
    data: dict[str, object] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _statements: list[Statement] | None = None
    lines: dict[str, int] | None = None
    sides: Sides | None = None
    versions: dict[str, Versions] = field(default_factory=dict)
    version_lines: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def line_of(self, key: tuple[str, ...]) -> int:
        """Return the line of the key, or of the nearest enclosing table."""
        if self._statements is None:
            self._statements = split(self.text)
        while key:
            for statement in self._numbered():
                if statement[0] == key:
                    return statement[1]
            key = key[:-1]
        return 0

    def _numbered(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """Yield the statements' keys with their lines; the n-th table of an array of tables has n as its last part."""
        tables: dict[tuple[str, ...], int] = {}
        current: tuple[str, ...] = ()
        for statement in self._statements or ():
            if statement.kind == "header":
                current = statement.path
                if statement.array:
                    tables[current] = tables.get(current, -1) + 1
                    current = (*current, str(tables[current]))
                yield current, statement.line
            elif statement.kind == "pair":
                yield (*current, *statement.path[len(statement.table) :]), statement.line

    def entry_lines(self) -> dict[str, int]:
        """Return the line of every top-level entry, without splitting the whole text if that is safe."""
        if self.lines is not None:
            return self.lines
        if '"""' in self.text or "'''" in self.text:
            return {name: self.line_of((name,)) or self._first_line(name) for name in self.data}
        lines: dict[str, int] = {}
        line, at = 1, 0
        for found in _ENTRY.finditer(self.text):
            name = found[1]
            if name[0] in "\"'":
                name = name[1:-1] if "\\" not in name else (key_parts(name) or ("",))[0]
            if name not in lines:
                line += self.text.count("\n", at, found.start(1))
                at = found.start(1)
                lines[name] = line
        return lines

    def _first_line(self, name: str) -> int:
        return next((line for key, line in self._numbered() if key[:1] == (name,)), 0)


def load(path: str, source: bytes) -> TomlText:
    """Read one file, collecting problems instead of raising."""
    loaded = TomlText(path)
    text = decode(path, source, loaded.problems)
    if text is None:
        return loaded
    loaded.text = text
    plain = read_plain(text)
    if plain is not None:
        loaded.data, loaded.lines = plain
        return loaded
    try:
        loaded.data = read_toml(text)
    except tomllib.TOMLDecodeError:
        _recover(loaded)
    else:
        loaded.problems += conflict_markers(path, text)
    return loaded


def decode(path: str, source: bytes, problems: list[Problem]) -> str | None:
    """Decode UTF-8 with or without a byte order mark; invalid bytes and NUL are problems."""
    try:
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        problems.append(Problem(path, line, f"byte {source[error.start]:#04x} is not UTF-8; save the file as UTF-8"))
        return None
    if "\0" in text:
        problems.append(Problem(path, text.count("\n", 0, text.index("\0")) + 1, "a NUL byte; the file is damaged"))
        return None
    return text


def conflict_markers(path: str, text: str) -> list[Problem]:
    """Report every merge conflict marker; none unless both opening and closing markers occur."""
    if "<<<<<<<" not in text or ">>>>>>>" not in text:
        return []
    return [
        Problem(path, number, f"merge conflict marker {line[:7]!r} inside a string; resolve the merge")
        for number, line in enumerate(text.split("\n"), start=1)
        if marker(line)
    ]


def _recover(loaded: TomlText) -> None:
    """Read both sides of a merge, or report every broken statement and read the rest."""
    sides = sides_of(loaded.text, padded=True)
    if sides is not None:
        _read_sides(loaded, sides, lambda text: load(loaded.path, text.encode()))
        return
    statements = split(loaded.text)
    leaves = _leaves(loaded, statements)
    if not any(statement.array for statement in statements):
        _read_layers(loaded, leaves)
    elif not loaded.problems:
        loaded.problems.append(_whole_problem(loaded))


def _whole_problem(loaded: TomlText) -> Problem:
    try:
        read_toml(loaded.text)
    except tomllib.TOMLDecodeError as error:
        return _problem(loaded.path, error, first_line=1)
    raise AssertionError("what reads well has no problem")  # valid text has no problem


def _read_sides(loaded: TomlText, sides: Sides, read: Callable[[str], TomlText]) -> None:
    """Merge both sides of the conflict markers, by entry; a base that can't be read counts as none."""
    ours, theirs = read(sides.ours), read(sides.theirs)
    loaded.problems += dict.fromkeys((*ours.problems, *theirs.problems))
    if loaded.problems:
        return
    base = None if sides.base is None else read(sides.base)
    known = None if base is None or base.problems else tables(base.data)
    joined = join(loaded.path, known, tables(ours.data), tables(theirs.data))
    loaded.data = untabled(joined.entries)
    loaded.sides, loaded.versions = sides, theirs.versions | ours.versions | joined.contested
    here, there = ours.entry_lines(), theirs.entry_lines()
    loaded.lines = there | here
    loaded.version_lines = {name: (here.get(name, 0), there.get(name, 0)) for name in loaded.versions}


def tables(data: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    """Return the entries of a file; a value that isn't a table becomes one with an empty key."""
    return {name: value if isinstance(value, dict) else {"": value} for name, value in data.items()}


def untabled(entries: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """Invert `tables`."""
    return {name: value[""] if "" in value else dict(value) for name, value in entries.items()}


Leaves = dict[tuple[str, ...], list[tuple[int, object]]]  # every line and value, by full key


def _leaves(loaded: TomlText, statements: Sequence[Statement]) -> Leaves:
    """Read statement by statement; a table with a broken header is skipped after reporting it."""
    leaves: Leaves = {}
    skipping = False
    for statement in statements:
        piece = loaded.text[statement.start : statement.end]
        if statement.kind == "header" or (statement.kind == "broken" and piece.lstrip().startswith("[")):
            skipping = False
        if skipping or statement.kind in ("blank", "comment"):
            continue
        try:
            data: object = read_toml(piece)
        except tomllib.TOMLDecodeError as error:
            loaded.problems.append(_problem(loaded.path, error, first_line=statement.line))
            skipping = piece.lstrip().startswith("[")
            continue
        for name in statement.path if statement.kind == "header" else statement.path[len(statement.table) :]:
            data = data[name] if isinstance(data, dict) else None
        _add_leaves(leaves, statement, data)
    return leaves


def _add_leaves(leaves: Leaves, statement: Statement, data: object) -> None:
    if isinstance(data, dict) and (data or statement.kind == "header"):
        leaves.setdefault((*statement.path, ""), [])
        for name, value in data.items():
            leaves.setdefault((*statement.path, name), []).append((statement.line, value))
    else:
        leaves.setdefault(statement.path, []).append((statement.line, data))


def _read_layers(loaded: TomlText, leaves: Leaves) -> None:
    """Resolve entries whose keys occur several times: the first values count, differing ones make the entry contested.

    A line that a merge repeats verbatim counts once.
    """
    layers: list[dict[str, object]] = [{}]
    different: dict[str, dict[int, int]] = {}
    for path, values in leaves.items():
        distinct = _distinct(values)
        while len(layers) < len(distinct):
            layers.append({})
        for number, (line, value) in enumerate(distinct):
            if not _place(layers[number], path, value):
                loaded.problems.append(
                    Problem(loaded.path, line, f"{'.'.join(path)!r} has both a value and sub-keys; keep one")
                )
            if len(distinct) > 1 and (len(path) == 1 or path[1] not in SIGNATURE):
                different.setdefault(path[0], {}).setdefault(number, line)
        if not distinct:
            _place(layers[0], path, None)
    loaded.data = layers[0]
    for name, numbers in different.items():
        _contest(loaded, name, layers, numbers)


def _distinct(values: Sequence[tuple[int, object]]) -> list[tuple[int, object]]:
    found: list[tuple[int, object]] = []
    for number, value in values:
        if all(value != other for _, other in found):
            found.append((number, value))
    return found


def _place(layer: dict[str, object], path: tuple[str, ...], value: object) -> bool:
    """Put a value at its key; return False if something else is there."""
    for name in path[:-1]:
        deeper = layer.setdefault(name, {})
        if not isinstance(deeper, dict):
            return False
        layer = deeper
    if path[-1] == "":
        return True
    return layer.setdefault(path[-1], value) is value


def _contest(loaded: TomlText, name: str, layers: Sequence[dict[str, object]], numbers: Mapping[int, int]) -> None:
    first = tables(layers[0])[name]
    later = [tables(layers[number]).get(name, {}) for number in sorted(numbers) if number]
    loaded.versions[name] = (first, *({**first, **entry} for entry in later))
    loaded.version_lines[name] = tuple(numbers[number] for number in sorted(numbers))


def _problem(path: str, error: Exception, *, first_line: int) -> Problem:
    text = str(error)
    place = _PLACE.search(text)
    line = int(place[1]) if place and place[1] else 1
    message = text[: place.start()] if place else text
    return Problem(path, first_line + line - 1, f"invalid TOML: {message[:1].lower()}{message[1:]}")


Entries = dict[str, object]

_TEXT: Final = r'"(?:[^"\\\x00-\x1f\x7f]|\\["\\bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*"'
_LINE: Final = re.compile(rf"([A-Za-z0-9_-]+|{_TEXT})\.([a-z_]+) = ({_TEXT}|\[(?:{_TEXT}(?:, {_TEXT})*)?\]|true|false)")


def read_plain(text: str) -> tuple[Entries, dict[str, int]] | None:
    """Read entries and their lines; None if any line has another form or a key is given twice."""
    places: list[tuple[str, str]] = []
    values: list[str] = []
    lines: dict[str, int] = {}
    match = _LINE.fullmatch
    for number, line in enumerate(text.split("\n"), start=1):
        if not line:
            continue
        found = match(line)
        if found is None:
            return None
        name, key, value = found.groups()
        places.append((name, key))
        values.append(value)
        lines.setdefault(name, number)
    if len(set(places)) != len(places):
        return None
    names = {name: json.loads(name) if name[0] == '"' else name for name in lines}
    if len(set(names.values())) != len(names):
        return None  # one name, once bare and once quoted
    data: dict[str, dict[str, object]] = {name: {} for name in names.values()}
    for (name, key), value in zip(places, json.loads(f"[{','.join(values)}]"), strict=True):
        data[names[name]][key] = value
    return dict(data), {names[name]: number for name, number in lines.items()}


def load_debt(source: bytes) -> TomlText:
    """Read the file; between conflict markers, a line on only one side counts as removed by the other."""
    loaded = TomlText(schema.DEBT_FILE)
    text = decode(loaded.path, source, loaded.problems)
    if text is None:
        return loaded
    loaded.text = text
    sides = sides_of(text, padded=True)
    if sides is None:
        return _debt_lines(text)
    _read_sides(loaded, sides, _debt_lines)
    return loaded


def _debt_lines(text: str) -> TomlText:
    lines: dict[str, int] = {}
    loaded = TomlText(schema.DEBT_FILE, text, lines=lines)
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.rstrip("\r")
        body, space, test = line.partition(" ")
        if not line:
            continue
        if not body or not space or ("::" in test) is body.startswith(GROUND):
            message = f"{line[:60]!r} is no debt; a line is a body hash, a space, a test id"
            loaded.problems.append(Problem(loaded.path, number, message))
            continue
        earlier = loaded.data.setdefault(test, {"body": body})
        first = lines.setdefault(test, number)
        if earlier != {"body": body} and "::" in test:
            known = loaded.versions.get(test, (tables(loaded.data)[test],))
            loaded.versions[test] = (*known, {"body": body})
            loaded.version_lines[test] = (*loaded.version_lines.get(test, (first,)), number)
    return loaded
