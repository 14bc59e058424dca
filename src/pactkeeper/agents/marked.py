"""Our section in a Markdown file, between two markers; every byte outside of them stays."""

from __future__ import annotations

from pactkeeper.agents.wording import BEGIN, END, SECTION
from pactkeeper.errors import InputError


def with_section(path: str, content: bytes | None, text: str = SECTION) -> bytes:
    """The file with the section, at the end or where it stood; raises InputError where the markers are damaged.

    A file without a last line end keeps being without, which is how taking the section out finds the bytes again.
    """
    if content is None:
        return text.encode()
    newline = _newline(path, content)
    section = text.encode().replace(b"\n", newline)
    span = _span(path, content)
    if span is not None:
        return content[: span[0]] + section.removesuffix(newline) + content[span[1] :]
    if not content:
        return section
    if content.endswith(newline):
        return content + newline + section
    return content + newline + newline + section.removesuffix(newline)


def without_section(path: str, content: bytes) -> bytes | None:
    """The file without the section; None where nothing is left. Raises InputError where the markers are damaged."""
    newline = _newline(path, content)
    span = _span(path, content)
    if span is None:
        return content
    before, after = content[: span[0]], content[span[1] :]
    if not after:
        before = before.removesuffix(newline).removesuffix(newline)
    else:
        after = after.removeprefix(newline)
        before = before.removesuffix(newline) if before.endswith(newline * 2) else before
    return before + after or None


def _span(path: str, content: bytes) -> tuple[int, int] | None:
    """From the first marker to the end of the last; None where there is no section."""
    begin, end = BEGIN.encode(), END.encode()
    first, last = content.find(begin), content.find(end)
    if first < 0 and last < 0:
        return None
    if content.count(begin) != 1 or content.count(end) != 1 or last < first:
        line = content.count(b"\n", 0, max(first, last) if min(first, last) < 0 else min(first, last)) + 1
        raise InputError(
            f"{path}:{line}: the markers of the section are damaged; it needs {BEGIN!r} once and below it {END!r} once"
        )
    return first, last + len(end)


def _newline(path: str, content: bytes) -> bytes:
    if b"\0" in content:
        raise InputError(f"{path}: this is no text in UTF-8; nothing can be added to it")
    return b"\r\n" if b"\r\n" in content else b"\n"
