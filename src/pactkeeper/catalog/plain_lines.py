"""A quick way to read what Pactkeeper itself writes: `name.key = value` lines with texts, arrays of them and flags.

It answers only where TOML's own reader would give the same; anything else is left to that.
"""

from __future__ import annotations

import json
import re
from typing import Final

Entries = dict[str, object]

_TEXT: Final = r'"(?:[^"\\\x00-\x1f\x7f]|\\["\\bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*"'
_LINE: Final = re.compile(rf"([A-Za-z0-9_-]+|{_TEXT})\.([a-z_]+) = ({_TEXT}|\[(?:{_TEXT}(?:, {_TEXT})*)?\]|true|false)")


def read_plain(text: str) -> tuple[Entries, dict[str, int]] | None:
    """Read entries and the line of each; None where any line is of another form or a key is given twice."""
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
