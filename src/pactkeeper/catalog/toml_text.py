"""Bytes of one TOML file of the pact → plain data, with every problem and the line of every key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field

from pactkeeper.catalog.plain_lines import read_plain
from pactkeeper.catalog.statements import Statement, key_parts, split
from pactkeeper.errors import Problem
from pactkeeper.ledger.toml_document import read_toml

_MARKER = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?: [^\n]*)?\r?$", re.MULTILINE)
_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_ENTRY = re.compile(r"""^[ \t]*\[?[ \t]*([A-Za-z0-9_-]+|"(?:\\[^\n]|[^"\\\n])*"|'[^'\n]*')[ \t]*[].=]""", re.MULTILINE)

# who answers for an entry, and when: two reviewers who say the same about a test each leave their own
_SIGNATURE = frozenset({"by", "reason", "at", "recommendation"})
_FIELD_DEPTH = 2  # the entry's name and the field's


@dataclass(slots=True)
class TomlText:
    """One file's text and data; `data` holds what could be read, complete only where `problems` is empty.

    `lines` are those of the entries where reading found them by the way.
    """

    path: str
    text: str = ""
    data: dict[str, object] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    _statements: list[Statement] | None = None
    lines: dict[str, int] | None = None

    def line_of(self, key: tuple[str, ...]) -> int:
        """Find the line where the key, or else the nearest table around it, stands."""
        if self._statements is None:
            self._statements = split(self.text)
        while key:
            for statement in self._numbered():
                if statement[0] == key:
                    return statement[1]
            key = key[:-1]
        return 0

    def _numbered(self) -> Iterator[tuple[tuple[str, ...], int]]:
        """List the statements' keys; the n-th table of an array of tables has n as its last part."""
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
        """Find the line of every top-level entry without splitting the whole text where that is safe."""
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
    """Read one file; nothing is raised, problems are collected."""
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
        loaded.problems += conflict_markers(path, text, certain=False)
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


def conflict_markers(path: str, text: str, *, certain: bool) -> list[Problem]:
    """Name every merge conflict marker; where the text reads well, only if opening and closing markers both occur."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text and not certain:
        return []
    found = [
        Problem(
            path, text.count("\n", 0, marker.start()) + 1, f"merge conflict marker {marker[0][:7]!r}; resolve the merge"
        )
        for marker in _MARKER.finditer(text)
    ]
    openings = {problem.message[23:24] for problem in found}
    return found if certain or {"<", ">"} <= openings else []


def _recover(loaded: TomlText) -> None:
    """Name every statement that is broken or stands twice, and read the rest."""
    text = loaded.text
    markers = conflict_markers(loaded.path, text, certain=True)
    loaded.problems += markers
    kept = _sound(loaded, {problem.line for problem in markers})
    try:
        loaded.data = read_toml("".join(kept))
    except tomllib.TOMLDecodeError as left:
        if not loaded.problems:
            loaded.problems.append(_problem(loaded.path, left, first_line=1))
        return


def _sound(loaded: TomlText, marker_lines: set[int]) -> list[str]:
    """List the statements that read, each replaced by blank lines where it does not."""
    kept: list[str] = []
    seen: dict[tuple[str, ...], Statement] = {}
    skipping = False
    for statement in split(loaded.text):
        piece = loaded.text[statement.start : statement.end]
        blank = "\n" * piece.count("\n")
        if statement.kind == "header" or (statement.kind == "broken" and piece.lstrip().startswith("[")):
            skipping = False
        trouble = None if skipping or statement.line in marker_lines else _trouble(loaded, statement, seen=seen)
        if trouble is not None:
            if trouble:
                loaded.problems.append(Problem(loaded.path, *trouble))
            skipping = skipping or piece.lstrip().startswith("[")
        sound = trouble is None and not skipping and statement.line not in marker_lines
        kept.append(piece if sound else blank)
    return kept


def _trouble(
    loaded: TomlText, statement: Statement, *, seen: dict[tuple[str, ...], Statement]
) -> tuple[()] | tuple[int, str] | None:
    """What is wrong with one statement: None nothing, () an earlier line stands for it."""
    piece = loaded.text[statement.start : statement.end]
    if statement.kind in ("blank", "comment"):
        return None
    try:
        read_toml(piece)
    except tomllib.TOMLDecodeError as error:
        problem = _problem(loaded.path, error, first_line=statement.line)
        return problem.line, problem.message
    if statement.array:
        return None
    earlier = seen.setdefault(statement.path, statement)
    if earlier is statement:
        return None
    if statement.kind == "pair" and loaded.text[earlier.start : earlier.end].strip() == piece.strip():
        return ()  # a union merge repeats a line that both sides kept
    if not statement.table and len(statement.path) == _FIELD_DEPTH and statement.path[-1] in _SIGNATURE:
        return ()
    name = ".".join(statement.path)
    return statement.line, f"{name!r} stands twice, first on line {earlier.line}; keep one"


def _problem(path: str, error: Exception, *, first_line: int) -> Problem:
    text = str(error)
    place = _PLACE.search(text)
    line = int(place[1]) if place and place[1] else 1
    message = text[: place.start()] if place else text
    return Problem(path, first_line + line - 1, f"this is no TOML: {message[:1].lower()}{message[1:]}")
