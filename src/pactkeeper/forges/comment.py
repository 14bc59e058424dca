"""The one comment of a pull request, and the words of its status.

Lists of comments as both forges page them, and the one among them that is ours.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from pactkeeper.boards.calls import Calls
from pactkeeper.errors import BoardUnavailable, InputError
from pactkeeper.forges.change import Annotation, Change
from pactkeeper.forges.markdown import block, code, words
from pactkeeper.forges.port import Comment

MARK: Final = "<!-- pactkeeper:change -->"
MOST: Final = 15
SHORT: Final = 12
_SIGNS: Final = {"error": "❌", "warning": "⚠️", "info": "·"}
_Item = TypeVar("_Item")


def comment_of(change: Change, *, answers: bool = False) -> str:
    """The comment in Markdown; `answers` where somebody listens to `/pk accept`."""
    return "\n\n".join((MARK, f"### Pact: {headline(change)}", *_sections(change, answers=answers), _foot(change)))


def headline(change: Change) -> str:
    """The verdict in one line of plain words."""
    if change.broken:
        return "the pact cannot be read"
    counts = (
        _count(sum(note.severity == "error" for note in change.weakens), "weakening", "weakenings"),
        _count(sum(note.severity == "error" for note in change.drift), "disagreement", "disagreements"),
        _count(len(change.without), "test without intent", "tests without intent"),
    )
    said = ", ".join(one for one in counts if one)
    return (f"holds; {said}" if said else "holds") if change.holds else said or "drifted"


def is_ours(text: str) -> bool:
    """Whether a comment begins as ours do."""
    return text.lstrip("\ufeff").startswith(MARK)


def _sections(change: Change, *, answers: bool) -> Iterator[str]:
    """The parts that have something to say, what a reader has to act on first."""
    if change.broken:
        yield block(tuple(change.broken.splitlines()[:MOST]))
    yield from _section("Edits what it is judged by", change.rules, code)
    yield from _section("Weakens", change.weakens, _note)
    yield from _section("Disagrees with the pact", change.drift, _note)
    yield from _section("Without intent", change.without, code)
    if change.without:
        yield _how_to_accept(change, answers=answers)
    yield from _section("Promises", change.promises, lambda one: f"{code(one[0])} {words(one[1])}")
    yield from _section("Proves", change.proves, lambda one: f"{code(one[1])} by {code(one[0])}")
    yield from _section("Makes stronger", change.stronger, code)
    yield from _section("Approved", change.approved, lambda one: f"{code(one[0])} by {code(one[1])}")
    yield from _section("Not seen", change.unseen, code)


def _section(title: str, items: Sequence[_Item], line: Callable[[_Item], str]) -> Iterator[str]:
    if not items:
        return
    shown = [f"- {line(item)}" for item in items[:MOST]]
    rest = [f"- … and {len(items) - MOST:,} more"] if len(items) > MOST else []
    yield "\n".join((f"**{title}**", "", *shown, *rest))


def _note(note: Annotation) -> str:
    place = code(f"{note.path}:{note.line}" if note.line else note.path)
    lines = [f"{_SIGNS[note.severity]} {code(note.subject)}: {words(note.message)} ({note.code}, {place})"]
    lines += [f"  - {code(quote)}" for quote in note.detail[:4]]
    return "\n".join(lines)


def _how_to_accept(change: Change, *, answers: bool) -> str:
    """Lines to paste; a name that no line of a shell can hold is left out."""
    typed = [test for test in change.without[:MOST] if test.isprintable()]
    said = f"/pk accept --at {change.head[:SHORT]}" if answers else "pk accept"
    lines = tuple(f"{said} {shlex.quote(test)}" for test in typed)
    how = "To accept, anyone with write access answers with" if answers else "To accept, run on this branch"
    return f"{how} (add `--intent 'One sentence.'` to say in your own words what a test is for):\n\n{block(lines)}"


def _foot(change: Change) -> str:
    compared = _count(change.compared, "test", "tests") or "no test"
    older = _count(change.older, "disagreement is", "disagreements are")
    rest = f"; {older} older than this change" if older else ""
    return f"<sub>{compared} compared, {change.base[:SHORT]} to {change.head[:SHORT]}{rest}</sub>"


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}" if number else ""


_PAGE: Final = 100


def pages(calls: Calls, path: str, **query: str | int) -> Iterator[Mapping[str, Any]]:
    """Everything of a list, page after page; raises BoardUnavailable above the limit of items."""
    for page in range(1, calls.limits.items // _PAGE + 1):
        found = calls.get(path, **{**query, "per_page": _PAGE, "page": page}).data
        yield from found
        if len(found) < _PAGE:
            return
    raise BoardUnavailable(f"{path} has more than {calls.limits.items:,} entries")


def first_own(comments: Iterable[Comment], account: str) -> Comment | None:
    """The first comment that this account wrote with our mark."""
    return next((one for one in comments if one.author == account and is_ours(one.text)), None)


def checked_number(comment: str) -> str:
    """A comment's number as it may stand in a path; raises InputError."""
    if not comment.isascii() or not comment.isdigit():
        raise InputError(f"{comment!r} is no comment; comments are numbers")
    return comment
