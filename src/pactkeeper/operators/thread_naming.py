"""What people mean by the short names that they type: a thread, a version that was shown, a question that waits."""

from __future__ import annotations

from typing import Final

from pactkeeper.errors import InputError, UsageError
from pactkeeper.intent.ticket import Draft, Thread
from pactkeeper.store.history import History
from pactkeeper.store.thread_posts import posts
from pactkeeper.store.threads import find_thread, numbered, pending_asks, threads

_LEAST: Final = 6  # letters of a hash; fewer might be a number


def named_thread(history: History, name: str) -> Thread:
    """The thread of an id, or the only one whose id begins so; raises InputError where none or several do."""
    found = [one for one in threads(history) if name and one.id.casefold().startswith(name.casefold())]
    if len(found) > 1 and name not in {one.id for one in found}:
        raise InputError(f"{name!r} may be {' or '.join(one.id for one in found)}; give more of the id")
    return found[0] if len(found) == 1 else find_thread(history, name)


def shown_draft(history: History, thread: str, named: str) -> Draft:
    """The version of a draft that a number or the beginning of a hash names, whether or not it is the newest.

    Raises UsageError where no such version was shown, or several were.
    """
    found = shown_drafts(history, thread, named)
    if len(found) == 1:
        return found[0]
    raise UsageError(f"{named!r} names no version that was shown in {thread}; see them with: pk thread show {thread}")


def shown_drafts(history: History, thread: str, named: str) -> tuple[Draft, ...]:
    """Every version that was shown in a thread and has that number, or a hash that begins so."""
    drafts = {kept.post.draft.version: kept.post.draft for kept in posts(history, thread) if kept.post.draft}
    return tuple(one for one in drafts.values() if named == str(one.version) or _begins(one.hash, named))


def _begins(hash_: str, named: str) -> bool:
    return len(named) >= _LEAST and (hash_.startswith(named) or hash_.partition(":")[2].startswith(named))


def named_ask(history: History, thread: str, named: str) -> str:
    """The id of a question that waits, by its id or its number; raises UsageError where none does."""
    for one in numbered(history, thread, pending_asks(history, thread)):
        if named in {one.id, str(one.number)}:
            return one.id
    raise UsageError(f"no question {named!r} waits in {thread}; see them with: pk thread show {thread}")


def chosen_ask(history: History, thread: str, choice: str) -> str:
    """The id of the question that a choice is about; raises UsageError where none waits, but for words anybody says."""
    for one in pending_asks(history, thread):
        if choice in one.choices:
            return one.id
    if choice == "both":
        return ""
    raise UsageError(f"{choice!r} chooses between two values, and {thread} asks for no choice; say it in words")
