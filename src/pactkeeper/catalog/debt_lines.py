"""Reads `debt.txt`, a body hash, a space and a test id per line, as entries, so that it merges like the other files.

A line about a file that tests depend on only says when to read them again, so either side's line will do.
"""

from __future__ import annotations

from pactkeeper.catalog import schema
from pactkeeper.catalog.joining import join, sides_of
from pactkeeper.catalog.toml_text import TomlText, decode, tables
from pactkeeper.errors import Problem
from pactkeeper.intent.pact import GROUND


def load_debt(source: bytes) -> TomlText:
    """Read the file; between conflict markers, a line on only one side counts as removed by the other."""
    loaded = TomlText(schema.DEBT_FILE)
    text = decode(loaded.path, source, loaded.problems)
    if text is None:
        return loaded
    loaded.text = text
    sides = sides_of(text, padded=True)
    if sides is None:
        _read_lines(loaded, text)
        return loaded
    ours, theirs = _side(loaded, sides.ours), _side(loaded, sides.theirs)
    base = None if sides.base is None else tables(_side(loaded, sides.base).data)
    joined = join(loaded.path, base, tables(ours.data), tables(theirs.data))
    loaded.sides, loaded.data, loaded.versions = sides, dict(joined.entries), joined.contested
    loaded.version_lines = {
        name: tuple((side.lines or {}).get(name, 0) for side in (ours, theirs)) for name in loaded.versions
    }
    return loaded


def _side(loaded: TomlText, text: str) -> TomlText:
    side = TomlText(loaded.path, text)
    _read_lines(side, text)
    loaded.problems += (problem for problem in side.problems if problem not in loaded.problems)
    return side


def _read_lines(loaded: TomlText, text: str) -> None:
    loaded.lines = {}
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
        first = loaded.lines.setdefault(test, number)
        if earlier != {"body": body} and "::" in test:
            known = loaded.versions.get(test, (tables(loaded.data)[test],))
            loaded.versions[test] = (*known, {"body": body})
            loaded.version_lines[test] = (*loaded.version_lines.get(test, (first,)), number)
