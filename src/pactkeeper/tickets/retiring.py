"""Buttons that count for nothing any more: an earlier post gives its place to words that say what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.thread_event import Post, PostKind
from pactkeeper.intent.ticket import Ask

_LEAVE: Final[frozenset[PostKind]] = frozenset({"failed", "reminder"})  # after these a preview still counts


@dataclass(frozen=True, slots=True)
class Approvable:
    """What stood until something is said: the hash of the draft that could be approved, and the questions.

    Those are named by their ids: which ones wait, and who answered others.
    """

    shown: str
    waiting: frozenset[str]
    answered: Mapping[str, str]


def retired(before: Sequence[Post], after: Post, standing: Approvable) -> Iterator[Post]:
    """What takes the place of earlier posts of a thread because of a new one; each post is replaced once."""
    gone = {one.instead for one in before if one.instead}
    for one in before:
        if one.instead or one.key in gone or one.key == after.key:
            continue
        text = _of_questions(one, after, standing) if one.asks else _of_preview(one, after, standing.shown)
        if text:
            yield Post(f"{one.key}.past", one.thread, "stale", f"{_kept(one)}{text}", instead=one.key)


def _kept(earlier: Post) -> str:
    """What a post told one person before the preview that it showed, which stays to be read."""
    return "{}\n".format(earlier.text.partition("\n\n")[0]) if earlier.to else ""


def _of_preview(earlier: Post, after: Post, shown: str) -> str:
    """What became of a preview; empty where it stays."""
    draft = earlier.draft
    if draft is None or not earlier.approvable or after.kind in _LEAVE:
        return ""
    if after.kind == "created" and draft.hash == shown:
        ticket, _, _ = after.text.partition("\n")
        return f"Version {draft.version} was shown here and approved: {ticket}"
    if after.draft is not None and after.draft.hash == draft.hash:
        return f"Version {draft.version} was shown here, and is shown again below."
    return f"Version {draft.version} was shown here. It no longer counts; the newest state is below."


def _of_questions(earlier: Post, after: Post, standing: Approvable) -> str:
    """What became of questions; empty where one of them waits, is not asked again and there is no ticket."""
    again = frozenset(one.id for one in after.asks)
    left = standing.waiting - again if after.kind != "created" else frozenset[str]()
    if any(one.id in left for one in earlier.asks):
        return ""
    return "\n".join(_past(one, again, standing.answered) for one in earlier.asks)


def _past(ask: Ask, again: frozenset[str], answered: Mapping[str, str]) -> str:
    if ask.id in again:
        return f"{ask.text} (asked again below)"
    by = answered.get(ask.id, "")
    return f"{ask.text} (answered by {by})" if by else f"{ask.text} (no longer asked)"
