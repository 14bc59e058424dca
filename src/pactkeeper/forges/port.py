"""What Pactkeeper needs from a forge.

Also here: the single comment of a pull request and the text of its status; paging through lists of comments as both
forges do it, and finding our own among them; quoting repository text in the forge's Markdown as code, so that nothing
mentions, links or renders.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from pactkeeper.advice import ACCEPT
from pactkeeper.boards.calls import Calls
from pactkeeper.errors import BoardUnavailable, InputError


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as it is now; `ref` is where the forge keeps its head in the target repository.

    `base` and `head` are commits, `target` and `branch` names of branches. `fork` means that the branch is in another
    repository.
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
    """A comment on a pull request."""

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
    """A pull request that Pactkeeper opens, between two branches of the same repository."""

    branch: str
    target: str
    title: str
    text: str


class Forge(Protocol):
    """One repository on a forge.

    Every call raises BoardUnavailable if the forge can't be reached or denies access, and InputError for anything that
    does not exist.
    """

    @property
    def name(self) -> str:
        """The repository and its host, for display."""

    def pull_request(self, number: int) -> PullRequest:
        """Read a pull request."""

    def comment(self, number: int, comment: str) -> Comment:
        """Read one comment of a pull request."""

    def own_comments(self, number: int) -> tuple[Comment, ...]:
        """The comments of this very account that carry our mark, oldest first; those by others don't count."""

    def say(self, number: int, text: str, *, instead: Comment | None) -> None:
        """Write a comment, or replace one of our own with this text."""

    def unsay(self, number: int, comment: Comment) -> None:
        """Delete one of our own comments."""

    def show(self, request: PullRequest, status: Status) -> None:
        """Put a verdict on the head of a pull request."""

    def may_write(self, person: str) -> bool:
        """Whether somebody may push to the repository, according to the forge right now."""

    def react(self, number: int, comment: str, *, done: bool) -> None:
        """React to a comment to tell its author whether it was done."""

    def proposed(self, branch: str, target: str) -> int | None:
        """The number of the open pull request from one branch of the repository to another, or None."""

    def declined(self, branch: str, target: str, commit: str) -> bool:
        """Whether somebody closed, without merging, a pull request between two branches at that commit."""

    def propose(self, proposal: OwnPullRequest, *, instead: int | None) -> int:
        """Open a pull request, or update an open one's title and text; returns its number."""

    def withdraw(self, number: int) -> None:
        """Close a pull request without merging it."""

    def close(self) -> None:
        """Close the connection."""


MARK: Final = "<!-- pactkeeper:change -->"
MOST: Final = 15
SHORT: Final = 12
_MOST_DETAIL: Final = 8  # lines of one finding
_SIGNS: Final = {"error": "❌", "warning": "⚠️", "info": "·"}
_Item = TypeVar("_Item")


def comment_of(change: HostedChange, *, answers: bool = False) -> str:
    """The comment in Markdown; `answers` is set if something handles `/pk accept`."""
    return "\n\n".join((MARK, f"### Pact: {headline(change)}", *_sections(change, answers=answers), _foot(change)))


def headline(change: HostedChange) -> str:
    """The verdict in one line."""
    if change.broken:
        return "the pact cannot be read"
    counts = (
        _count(sum(note.severity == "error" for note in change.weakens), "weakening", "weakenings"),
        _count(sum(note.severity == "warning" for note in change.weakens), "possible weakening", "possible weakenings"),
        _count(sum(note.severity == "error" for note in change.drift), "disagreement", "disagreements"),
        _count(len(change.without), "test without intent", "tests without intent"),
    )
    said = ", ".join(one for one in counts if one)
    return (f"holds; {said}" if said else "holds") if change.holds else said or "drifted"


def is_ours(text: str) -> bool:
    """Whether a comment begins with our mark."""
    return text.lstrip("\ufeff").startswith(MARK)


def _sections(change: HostedChange, *, answers: bool) -> Iterator[str]:
    """The sections that aren't empty, those a reader must act on first."""
    if change.broken:
        yield block(tuple(change.broken.splitlines()[:MOST]))
    yield from _section("Edits what it is judged by", change.rules, code)
    proven = [note for note in change.weakens if note.severity == "error"]
    yield from _section("Weakens", proven, _note)
    yield from _section("May weaken", [note for note in change.weakens if note not in proven], _note)
    yield from _section("Disagrees with the pact", change.drift, _note)
    yield from _section("Without intent", change.without, code)
    if change.without:
        yield _how_to_accept(change, answers=answers)
    yield from _section("Promises", change.promises, _atom)
    yield from _section("Drafts", change.drafts, _atom)
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


def _atom(one: tuple[str, str]) -> str:
    return f"{code(one[0])} {words(one[1])}"


def _note(note: Annotation) -> str:
    place = code(f"{note.path}:{note.line}" if note.line else note.path)
    lines = [f"{_SIGNS[note.severity]} {code(note.subject)}: {words(note.message)} ({note.code}, {place})"]
    lines += [f"  - {code(line)}" for line in note.lines(_MOST_DETAIL)]
    return "\n".join(lines)


def _how_to_accept(change: HostedChange, *, answers: bool) -> str:
    """Lines to paste; a test whose name has unprintable characters is left out."""
    typed = [test for test in change.without[:MOST] if test.isprintable()]
    said = f"/pk accept --at {change.head[:SHORT]}" if answers else str(ACCEPT())
    lines = tuple(f"{said} {shlex.quote(test)}" for test in typed)
    how = "To accept, anyone with write access replies with" if answers else "To accept, run on this branch"
    return f"{how} (add `--intent 'One sentence.'` to say in your own words what a test is for):\n\n{block(lines)}"


def _foot(change: HostedChange) -> str:
    compared = _count(change.compared, "test", "tests") or "no test"
    older = _count(change.older, "disagreement is", "disagreements are")
    rest = f"; {older} older than this change" if older else ""
    return f"<sub>{compared} compared, {change.base[:SHORT]} to {change.head[:SHORT]}{rest}</sub>"


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}" if number else ""


_PAGE: Final = 100


def pages(calls: Calls, path: str, **query: str | int) -> Iterator[Mapping[str, Any]]:
    """Every item of a list, page by page; raises BoardUnavailable above the limit of items."""
    for page in range(1, calls.limits.items // _PAGE + 1):
        found = calls.get(path, **{**query, "per_page": _PAGE, "page": page}).data
        yield from found
        if len(found) < _PAGE:
            return
    raise BoardUnavailable(f"{path} has more than {calls.limits.items:,} entries")


def own_among(comments: Iterable[Comment], account: str) -> tuple[Comment, ...]:
    """The comments by this account that carry our mark."""
    return tuple(one for one in comments if one.author == account and is_ours(one.text))


def checked_number(comment: str) -> str:
    """A comment's number, safe to put in a path; raises InputError for anything else."""
    if not comment.isascii() or not comment.isdigit():
        raise InputError(f"{comment!r} is not a comment; comments are numbers")
    return comment


LONGEST: Final = 160
_RUNS: Final = re.compile(r"`+")
_PLAIN: Final = re.compile(r"[A-Za-z0-9 ,.;'’()-]*")


def words(text: str) -> str:
    """The text itself if it is harmless plain words, otherwise as code."""
    harmless = _PLAIN.fullmatch(text) is not None and "www." not in text.casefold()
    return text if harmless and len(text) <= LONGEST and text.strip() else code(text)


def code(text: str) -> str:
    """A code span on one line that its content can't break out of, truncated if long."""
    shown = visible(text)
    shown = shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"
    fence = "`" * (_longest_run(shown) + 1)
    padding = " " if shown[:1] in {"`", " "} or shown[-1:] in {"`", " "} else ""
    return f"{fence}{padding}{shown}{padding}{fence}" if shown.strip() else "` `"


def block(lines: tuple[str, ...]) -> str:
    """A code block of these lines, which they can't break out of."""
    shown = [visible(line) for line in lines]
    fence = "`" * max(3, _longest_run("\n".join(shown)) + 1)
    return "\n".join((fence, *shown, fence))


def visible(text: str) -> str:
    """The text with every character that hides, moves or breaks a line escaped."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _longest_run(text: str) -> int:
    return max((len(run) for run in _RUNS.findall(text)), default=0)


@dataclass(frozen=True, slots=True)
class Annotation:
    """An error, warning or info at a place.

    `line` 0 means the whole file, `detail` quotes before and after, `fix` says what to do about it.
    """

    severity: str
    code: str
    path: str
    line: int
    subject: str
    message: str
    detail: tuple[str, ...] = ()
    fix: str = ""

    def lines(self, most: int | None = None) -> tuple[str, ...]:
        """Return what stands below the message: the detail, cut after `most` lines, and the fix."""
        return (*self.detail[:most], f"fix: {self.fix}") if self.fix else self.detail[:most]


@dataclass(frozen=True, slots=True)
class HostedChange:
    """The difference between two commits.

    `promises` are newly committed atoms with their intent, `drafts` other new or reworded ones, `proves` tests that
    newly realise an atom, `stronger` tests that got stronger, `weakens` possible weakenings, `approved` weakenings that
    somebody approved, `drift` other disagreements with the pact that are new, `without` new or changed tests without
    intent that didn't just move, `rules` files that the change edits and is judged by, `unseen` what could not be read.
    `agrees` means that `pk check` finds no error it did not find before, `older` counts the errors it did find before.
    `broken` says why the pact can't be read at all.
    """

    base: str
    head: str
    compared: int = 0
    promises: tuple[tuple[str, str], ...] = ()
    proves: tuple[tuple[str, str], ...] = ()
    stronger: tuple[str, ...] = ()
    weakens: tuple[Annotation, ...] = ()
    approved: tuple[tuple[str, str], ...] = ()
    drift: tuple[Annotation, ...] = ()
    without: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    agrees: bool = True
    older: int = 0
    broken: str = ""
    drafts: tuple[tuple[str, str], ...] = ()

    @property
    def notes(self) -> tuple[Annotation, ...]:
        """Every annotation that has a location."""
        return (*self.weakens, *self.drift)

    @property
    def holds(self) -> bool:
        """Whether nothing is proven weaker, nothing disagrees, and the pact can be read."""
        return self.agrees and not self.broken and not any(note.severity == "error" for note in self.notes)
