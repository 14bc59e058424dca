"""What Pactkeeper asks of a forge.

The one comment of a pull request, and the words of its status.

Lists of comments as both forges page them, and the one among them that is ours.

Text of a repository within Markdown of a forge: quoted as code, where nothing mentions, links or renders.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from pactkeeper.boards.calls import Calls
from pactkeeper.errors import BoardUnavailable, InputError
from pactkeeper.forges.change import Annotation, Change


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as it is now; `ref` is where the forge keeps its head in the target repository.

    `base` and `head` are commits, `target` and `branch` the names of branches. `fork` says that the branch is in
    another repository.
    """

    number: int
    base: str
    head: str
    target: str
    branch: str
    ref: str
    fork: bool
    open: bool


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody wrote below a pull request."""

    id: str
    author: str
    text: str


@dataclass(frozen=True, slots=True)
class Status:
    """The verdict on a commit."""

    holds: bool
    title: str
    summary: str
    notes: tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class OwnPullRequest:
    """A pull request of our own: from a branch of the repository itself to another."""

    branch: str
    target: str
    title: str
    text: str


class Forge(Protocol):
    """One repository of a forge.

    Every call raises BoardUnavailable where the forge cannot be asked or does not allow it, and InputError for what is
    not there.
    """

    @property
    def name(self) -> str:
        """The repository and its host, for people."""

    def pull_request(self, number: int) -> PullRequest:
        """Read a pull request."""

    def comment(self, number: int, comment: str) -> Comment:
        """Read one comment of a pull request."""

    def own_comments(self, number: int) -> tuple[Comment, ...]:
        """What this very account wrote with our mark, oldest first; what others wrote with it does not count."""

    def say(self, number: int, text: str, *, instead: Comment | None) -> None:
        """Write a comment, or this text instead of an own one."""

    def unsay(self, number: int, comment: Comment) -> None:
        """Delete an own comment."""

    def show(self, request: PullRequest, status: Status) -> None:
        """Put a verdict on the head of a pull request."""

    def may_write(self, person: str) -> bool:
        """Whether somebody may push to the repository, as the forge says now."""

    def react(self, number: int, comment: str, *, done: bool) -> None:
        """Tell the author of a comment, by a sign, whether it was done."""

    def proposed(self, branch: str, target: str) -> int | None:
        """The number of the open pull request from one branch of the repository to another."""

    def declined(self, branch: str, target: str, commit: str) -> bool:
        """Whether somebody closed, without merging it, a pull request between two branches at that commit."""

    def propose(self, proposal: OwnPullRequest, *, instead: int | None) -> int:
        """Open a pull request, or give an open one these words; its number."""

    def withdraw(self, number: int) -> None:
        """Close a pull request without merging it."""

    def close(self) -> None:
        """Let the connection go."""


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


def own_among(comments: Iterable[Comment], account: str) -> tuple[Comment, ...]:
    """The comments that this account wrote with our mark."""
    return tuple(one for one in comments if one.author == account and is_ours(one.text))


def checked_number(comment: str) -> str:
    """A comment's number as it may stand in a path; raises InputError."""
    if not comment.isascii() or not comment.isdigit():
        raise InputError(f"{comment!r} is no comment; comments are numbers")
    return comment


LONGEST: Final = 160
_RUNS: Final = re.compile(r"`+")
_PLAIN: Final = re.compile(r"[A-Za-z0-9 ,.;'’()-]*")


def words(text: str) -> str:
    """The text as it is where it is nothing but plain words, else as code."""
    harmless = _PLAIN.fullmatch(text) is not None and "www." not in text.casefold()
    return text if harmless and len(text) <= LONGEST and text.strip() else code(text)


def code(text: str) -> str:
    """A span of code that its content cannot leave, on one line, cut where it is long."""
    shown = _fitted(visible(text))
    fence = "`" * (_longest_run(shown) + 1)
    padding = " " if shown[:1] in {"`", " "} or shown[-1:] in {"`", " "} else ""
    return f"{fence}{padding}{shown}{padding}{fence}" if shown.strip() else "` `"


def block(lines: tuple[str, ...]) -> str:
    """A block of code with these lines, which they cannot end."""
    shown = [visible(line) for line in lines]
    fence = "`" * max(3, _longest_run("\n".join(shown)) + 1)
    return "\n".join((fence, *shown, fence))


def visible(text: str) -> str:
    """The text with every character that hides, moves or breaks a line written as an escape."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _fitted(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUNS.findall(text)), default=0)
