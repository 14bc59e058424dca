"""The front matter of a Markdown file: `key: value` lines between two `---` lines, edited line by line.

Only the simple YAML that people write there is read. A key whose value spans lines, and every comment, is left
untouched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final

_KEY: Final = re.compile(r"[A-Za-z_][\w .-]*+")
_PLAIN: Final = re.compile(r"[^\W_][^\n:#\"'\[\]{},&*!|>%@`]*")
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "~"})
Value = str | tuple[str, ...]


class Unreadable(ValueError):
    """The front matter is ambiguous or broken."""


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed Markdown file: `head` are the lines between the dashes, `body` is everything after them.

    `lines` maps each key to its line in the head; `newline` is the file's own, `close` the line that ends the head,
    empty if there is none.
    """

    head: tuple[str, ...]
    body: str
    values: Mapping[str, Value] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    newline: str = "\n"
    close: str = ""

    def text(self, key: str) -> str:
        """A value as one string; a list joined by commas, and an absent key as the empty string."""
        value = self.values.get(key, "")
        return value if isinstance(value, str) else ", ".join(value)

    def texts(self, key: str) -> tuple[str, ...]:
        """A value as a list; a single string becomes a list of one."""
        value = self.values.get(key, ())
        return value if isinstance(value, tuple) else (value,) if value else ()


def read_page(text: str) -> Page:
    """Parse a file; raise Unreadable if the head or a list in it isn't closed, or a key occurs twice."""
    newline = "\r\n" if "\r\n" in text.split("\n", 1)[0] + "\n" else "\n"
    start = f"---{newline}"
    if not text.startswith(start):
        return Page((), text, newline=newline)
    end = re.compile(rf"^---[ \t]*(?:{newline}|\Z)", re.MULTILINE).search(text, len(start))
    if end is None:
        raise Unreadable("the front matter has no closing ---")
    head = tuple(text[len(start) : end.start()].split(newline)[:-1])
    values: dict[str, Value] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(head):
        _read_line(head, number, line, values=values, lines=lines)
    return Page(head, text[end.end() :], values, lines, newline=newline, close=end[0])


def _read_line(head: Sequence[str], number: int, line: str, *, values: dict[str, Value], lines: dict[str, int]) -> None:
    key, colon, raw = line.partition(":")
    key = key.rstrip(" \t")
    if not colon or not _KEY.fullmatch(key) or raw[:1] not in {"", " ", "\t"}:
        return
    raw = raw.strip(" \t")
    if key in lines:
        raise Unreadable(f"{key!r} stands twice in the front matter; keep one")
    lines[key] = number
    if raw.startswith("[") and "]" not in raw:
        _refuse_open_list(head, number, key)
        return
    if raw:
        values[key] = _value(raw)
        return
    items = _items(head, number)
    if items:
        values[key] = tuple(str(_value(one)) for one in items)


def _refuse_open_list(head: Sequence[str], number: int, key: str) -> None:
    """Raise Unreadable for a list without an end; one that continues on the lines below is skipped."""
    if not any("]" in line for line in _indented(head, number)):
        raise Unreadable(
            f"the list of {key!r} in the front matter has no closing ]; close it, or put the text in quotes"
        )


def _indented(head: Sequence[str], number: int) -> list[str]:
    """The continuation lines of a key's value: indented ones, or a closing bracket."""
    return list(takewhile(lambda line: line.startswith((" ", "\t", "]")), head[number + 1 :]))


def _items(head: Sequence[str], number: int) -> list[str]:
    """The items of a block list, one per line."""
    items: list[str] = []
    for line in head[number + 1 :]:
        item = line.strip(" \t")
        if not item.startswith(("- ", "-\t")):
            break
        items.append(item[1:].strip(" \t"))
    return items


def _value(raw: str) -> Value:
    if raw.startswith("[") and raw.endswith("]"):
        return tuple(str(_value(one.strip())) for one in _split(raw[1:-1]))
    if raw.startswith('"'):
        try:
            found = json.loads(raw)
        except ValueError:
            return raw
        return found if isinstance(found, str) else raw
    if raw.startswith("'") and raw.endswith("'") and len(raw) > 1:
        return raw[1:-1].replace("''", "'")
    return raw


def _split(raw: str) -> list[str]:
    found = re.findall(r'\s*("(?:\\.|[^"\\])*"|\'(?:\'\'|[^\'])*\'|[^,]+)', raw)
    return [one for one in found if one.strip()]


def with_values(page: Page, changes: Mapping[str, Value | None]) -> str:
    """The whole text with keys set, or removed for None; all other lines stay byte for byte.

    A head without any lines left is removed. Raise Unreadable for a key whose current value spans lines.
    """
    head = list(page.head)
    for key, value in changes.items():
        at = page.lines.get(key)
        if at is not None and (_items(page.head, at) or _indented(page.head, at)):
            raise Unreadable(f"{key!r} is written over several lines; write it as `{key}: [one, two]` to have it set")
        line = None if value is None else f"{key}: {_written(value)}"
        if at is not None:
            head[at] = line if line is not None else "\0"
        elif line is not None:
            head.append(line)
    kept = [line for line in head if line != "\0"]
    if not kept and page.head:
        return page.body.removeprefix(page.newline)  # the newline added with the first key is removed with the last one
    if not kept and not page.close:
        return page.body
    close = page.close or f"---{page.newline}{page.newline if page.body else ''}"
    return page.newline.join(["---", *kept, ""]) + close + page.body


def _written(value: Value) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_scalar(one) for one in value) + "]"
    return _scalar(value)


def _scalar(value: str) -> str:
    """Write a string plain if YAML reads it back as the same string, else quoted."""
    plain = _PLAIN.fullmatch(value) and value == value.strip() and value.casefold() not in _WORDS
    return value if plain else json.dumps(value, ensure_ascii=False)
