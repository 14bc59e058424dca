"""Changes of Markdown that touch one place: a section of our own, words under a heading, a to-do, a line of a log.

A section of our own stands between two comments that carry its mark, the key of the change that wrote it and the hash
of what was written, by which an edit of a person is noticed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from pactkeeper.errors import RefusedError, StaleError
from pactkeeper.speech.spans import heading as heading_of

_BEGIN: Final = re.compile(r"<!-- pactkeeper:begin (\S+) (\S+) ([0-9a-f]{16}) -->\r?\n")
_END: Final = "<!-- pactkeeper:end {mark} -->"
_FENCE: Final = re.compile(r" {0,3}(```+|~~~+)")
_TODO: Final = re.compile(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[([ xX])\][ \t]+(.*?)[ \t]*")


@dataclass(frozen=True, slots=True)
class OwnSection:
    """A section of our own: what it says, the key that wrote it, where it stands, and whether a person changed it."""

    mark: str
    key: str
    heading: str
    text: str
    start: int
    end: int
    edited: bool


def valid_mark(mark: str) -> str:
    """The mark itself; raises RefusedError for one that could not stand in a comment."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,79}", mark) or "--" in mark:
        raise RefusedError(f"{mark!r} is no mark of a section; write up to 80 letters, digits, single dashes, dots")
    return mark


def harmless(text: str) -> str:
    """The text, in which our own comments are written as what they look like and so mark nothing."""
    return text.replace("<!-- pactkeeper:", "&lt;!-- pactkeeper:")


def own_heading(heading: str) -> str:
    """A heading as it is written: one line that marks nothing."""
    return harmless(" ".join(heading.split()))


def own_text(text: str) -> str:
    """A text as it is written: without empty lines around it, and marking nothing."""
    return harmless(text).replace("\r\n", "\n").strip("\n")


def own_section(body: str, mark: str) -> OwnSection | None:
    """Find our section of that mark; raises StaleError where its comments stand twice or its end is gone."""
    found = [one for one in _BEGIN.finditer(body) if one[1] == mark]
    if not found:
        return None
    end = body.find(_END.format(mark=mark), found[0].end())
    if len(found) > 1 or end < 0:
        what = "stands more than once" if len(found) > 1 else "has lost its end"
        raise StaleError(f"the section {mark!r} {what}; mend the comments `pactkeeper:begin {mark}` by hand")
    begin = found[0]
    inner = body[begin.end() : end].replace("\r\n", "\n")
    first, _, rest = inner.partition("\n")
    return OwnSection(
        mark,
        begin[2],
        heading=first.removeprefix("## "),
        text=rest.strip("\n"),
        start=begin.start(),
        end=end + len(_END.format(mark=mark)),
        edited=_hash(inner) != begin[3],
    )


def with_section(body: str, *, mark: str, key: str, heading: str, text: str) -> str:
    """The body with our section renewed where it stands, or added at the end; all else stays byte for byte.

    Raises StaleError where a person changed the section.
    """
    newline = _newline(body)
    inner = f"## {own_heading(heading)}\n\n{own_text(text)}\n"
    begin = f"<!-- pactkeeper:begin {valid_mark(mark)} {key} {_hash(inner)} -->\n"
    written = (begin + inner + _END.format(mark=mark)).replace("\n", newline)
    old = own_section(body, mark)
    if old is None:
        return body + (newline if body else "") + written + newline
    _refuse_edited(old)
    return body[: old.start] + written + body[old.end :]


def without_section(body: str, mark: str) -> str:
    """The body without our section and what was added around it; raises StaleError where a person changed it."""
    old = own_section(body, mark)
    if old is None:
        return body
    _refuse_edited(old)
    newline = _newline(body)
    return body[: old.start].removesuffix(newline) + body[old.end :].removeprefix(newline)


def patched(body: str, *, heading: str, old: str, new: str) -> str:
    """The body with words replaced under one heading; raises StaleError unless they occur there exactly once."""
    start, end = under(body, heading)
    count = body.count(old, start, end) if old else 0
    if count != 1:
        how = "is not there" if not count else f"stands there {count} times"
        raise StaleError(f"under {heading!r} the text {_short(old)} {how}; nothing was changed")
    at = body.index(old, start, end)
    return body[:at] + new + body[at + len(old) :]


def section_text(body: str, heading: str) -> str:
    """What stands under a heading, up to the next one of its level; raises StaleError unless it stands once."""
    start, end = under(body, heading)
    return body[start:end]


def todo_state(body: str, text: str) -> bool:
    """Whether a to-do is ticked; raises StaleError unless exactly one says this."""
    return _todo(body, text)[1]


def ticked(body: str, text: str, *, done: bool) -> str:
    """The body with the one to-do that says `text` ticked or not; raises StaleError unless exactly one does."""
    at, _ = _todo(body, text)
    return body[:at] + ("x" if done else " ") + body[at + 1 :]


def _todo(body: str, text: str) -> tuple[int, bool]:
    """The offset between the brackets, and whether it is ticked."""
    wanted = " ".join(text.split())
    found = [
        (offset + match.start(1), match[1] != " ")
        for offset, line in _lines(body)
        if (match := _TODO.fullmatch(line)) and " ".join(match[2].split()) == wanted
    ]
    if len(found) != 1:
        how = "is not there" if not found else f"stands there {len(found)} times"
        raise StaleError(f"the to-do {_short(text)} {how}; nothing was changed")
    return found[0]


def under(body: str, heading: str) -> tuple[int, int]:
    """Where the text under a heading begins and ends; an empty heading is all before the first one."""
    headings = [
        (offset, offset + len(line), one.level, one.words) for offset, line in _lines(body) if (one := heading_of(line))
    ]
    if not heading:
        return 0, headings[0][0] if headings else len(body)
    found = [index for index, one in enumerate(headings) if one[3] == heading]
    if len(found) != 1:
        how = "no" if not found else f"{len(found)} times the"
        raise StaleError(f"the document has {how} heading {heading!r}; nothing was changed")
    _, start, level, _ = headings[found[0]]
    end = next((one[0] for one in headings[found[0] + 1 :] if one[2] <= level), len(body))
    return start, end


def _lines(body: str) -> list[tuple[int, str]]:
    """Every line outside of fenced code with its offset, without its end."""
    found: list[tuple[int, str]] = []
    fence, offset = "", 0
    for whole in body.splitlines(keepends=True):
        line = whole.rstrip("\r\n")
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            found.append((offset, line))
        offset += len(whole)
    return found


def _refuse_edited(section: OwnSection) -> None:
    if section.edited:
        raise StaleError(
            f"somebody changed the section {section.mark!r} by hand; take it over by deleting its two comments"
        )


def _hash(inner: str) -> str:
    return sha256(inner.encode()).hexdigest()[:16]


def _newline(body: str) -> str:
    return "\r\n" if "\r\n" in body else "\n"


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")  # noqa: PLR2004 - fits a line of a message
