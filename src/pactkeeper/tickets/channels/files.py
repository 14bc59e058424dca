"""A folder as a channel: each subfolder is a thread, its files are messages, and posts go to a Markdown file.

threads/export/messages.jsonl     {"id": "1", "author": "Ada", "at": "2026-03-01T12:00:00+00:00", "text": "…"}
threads/export/0002-bob.md        one message, named by its position and its author
threads/export.md                 posts in the thread; nobody else writes to this file
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from pactkeeper.errors import BoardUnavailable, InputError, Problem
from pactkeeper.intent.ids import hashed_id
from pactkeeper.intent.thread_event import EVENT_KINDS, Post, ThreadEvent, text_of
from pactkeeper.intent.ticket import Thread
from pactkeeper.ledger.canonical import digest

NAME: Final = "files"
_FILE: Final = re.compile(r"(?P<sequence>\d{1,9})-(?P<author>[^/]+)\.(?:md|txt)")
_FIELDS: Final = ("id", "author", "at", "text", "kind", "sequence", "permalink", "shown", "version", "ask", "bot")
_NEEDED: Final = ("id", "author", "at")


@dataclass(frozen=True, slots=True)
class FilesChannel:
    """Appends posts to one Markdown file per thread; a key that is already there is not posted again."""

    name: str = NAME

    def post(self, thread: Thread, post: Post) -> str:
        """Append a section, preceded by its key in a comment."""
        path = Path(f"{thread.place}.md")
        known = _text(path)
        if _mark(post.key) not in known:
            _write(path, f"{known}{_section(post.key, post.text)}")
        return post.key

    def replace(self, thread: Thread, ref: str, post: Post) -> None:
        """Replace a section by a later text."""
        path = Path(f"{thread.place}.md")
        known = _text(path)
        start = known.find(_mark(ref))
        if start >= 0:
            end = known.find("<!-- pactkeeper:said ", start + 1)
            _write(path, known[:start] + _section(ref, post.text) + (known[end:] if end >= 0 else ""))

    def permalink(self, thread: Thread, message: str) -> str:
        """The URI of the file that contains the message."""
        single = Path(thread.place) / message
        return (single if single.is_file() else Path(thread.place) / "messages.jsonl").as_uri()


def threads_in(folder: Path) -> tuple[Thread, ...]:
    """The threads of a folder, by name; raise InputError if it isn't a folder."""
    if not folder.is_dir():
        raise InputError(f"there is no folder {str(folder)!r}; create it, with a subfolder for each thread")
    places = sorted(one for one in folder.resolve().iterdir() if one.is_dir() and not one.name.startswith("."))
    return tuple(Thread(hashed_id("TH", str(one)), NAME, str(one), "", "") for one in places)


def events_in(thread: Thread) -> tuple[ThreadEvent, ...]:
    """Every message of a thread, by file and line; raise InputError listing the problems in all files.

    Two different messages under one id are a problem: which of them counts would depend on which was read first.
    """
    place, problems = Path(thread.place), list[Problem]()
    found = [one for path in sorted(place.glob("*.jsonl")) for one in _lines(thread, path, problems)]
    found += [one for path in sorted(place.iterdir()) for one in _single(thread, path, problems)]
    if problems:
        raise InputError("messages cannot be read:\n" + "\n".join(f"  {one}" for one in sorted(problems)))
    first: dict[str, ThreadEvent] = {}
    for one in found:
        if first.setdefault(one.id, one) != one:
            raise _one_id(one.id, first[one.id].author, one.author)
    return tuple(first.values())


def refuse_others_ids(events: Sequence[ThreadEvent], authors: Mapping[str, str]) -> None:
    """Raise InputError if a message has the id of one that was read from somebody else."""
    for one in events:
        if authors.get(one.id, one.author) != one.author:
            raise _one_id(one.id, authors[one.id], one.author)


def _one_id(name: str, first: str, other: str) -> InputError:
    who = f"of {first} and of {other}" if first != other else f"of {first}"
    return InputError(f"two messages {who} have the id {name!r}; give each an id of its own")


def with_edit(event: ThreadEvent, known: Mapping[str, str]) -> ThreadEvent:
    """The message, turned into an edit if a different text was read under its id before."""
    said = text_of(event)  # a choice is stored as its button's text
    if event.id not in known or not said:
        return event
    forms = [text for name, text in known.items() if name == event.id or name.startswith(f"{event.id}:")]
    if forms[-1].strip() == said:
        return event
    mark = digest([event.text, len(forms)])[3:11]
    return replace(event, id=f"{event.id}:{mark}", edits=event.id, sequence=0)


def deleted(
    thread: Thread, events: Sequence[ThreadEvent], known: Mapping[str, str], *, at: str
) -> tuple[ThreadEvent, ...]:
    """Events that withdraw the words of messages no longer in the folder."""
    there = {one.edits or one.id for one in events}
    forms = tuple(f"{one}:" for one in there)  # what the ids of a message's later forms start with
    gone = (name for name in known if name not in there and not name.startswith(forms))
    return tuple(ThreadEvent(f"{one}:deleted", thread.id, "message", thread.opened_by, at, edits=one) for one in gone)


def _lines(thread: Thread, path: Path, problems: list[Problem]) -> Iterator[ThreadEvent]:
    """One message per line; a last line without a newline is still being written."""
    data = path.read_bytes()
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield _event(thread, json.loads(line))
        except (ValueError, TypeError, RecursionError) as error:
            problems.append(Problem(str(path), number, f"this is not a message: {error}"))


def _event(thread: Thread, found: Mapping[str, Any]) -> ThreadEvent:
    if not isinstance(found, dict):
        raise TypeError("it is not an object")
    if unknown := sorted(found.keys() - set(_FIELDS)):
        raise ValueError(f"unknown key {unknown[0]!r}; known are {', '.join(_FIELDS)}")
    for key in _NEEDED:
        if not isinstance(found.get(key), str) or not found[key]:
            raise ValueError(f"{key!r} is missing or not text")
    if datetime.fromisoformat(found["at"]).tzinfo is None:
        raise ValueError(f"at: {found['at']!r} has no offset")
    kind = found.get("kind", "message")
    if kind not in EVENT_KINDS:
        raise ValueError(f"kind: {kind!r} is none of {', '.join(EVENT_KINDS)}")
    return ThreadEvent(**{**found, "thread": thread.id, "kind": kind})


def _single(thread: Thread, path: Path, problems: list[Problem]) -> Iterator[ThreadEvent]:
    named = _FILE.fullmatch(path.name)
    if named is None or not path.is_file():
        return
    try:
        text, at = path.read_text(encoding="utf-8"), datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (OSError, UnicodeDecodeError) as error:
        problems.append(Problem(str(path), 0, f"it cannot be read: {error}"))
        return
    stamp = at.isoformat(timespec="seconds")
    yield ThreadEvent(
        path.name,
        thread.id,
        "message",
        named["author"],
        stamp,
        text,
        sequence=int(named["sequence"]),
        permalink=path.as_uri(),
    )


def _mark(key: str) -> str:
    return f"<!-- pactkeeper:said {key} -->"


def _section(key: str, text: str) -> str:
    quiet = text.replace("<!--", "&lt;!--")  # people's text must not start or end one of our sections
    return f"{_mark(key)}\n{quiet}\n\n---\n\n"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise BoardUnavailable(f"{str(path)!r} cannot be read: {error}; the post waits") from error


def _write(path: Path, text: str) -> None:
    """Replace the file atomically, so that nobody reads half of it."""
    beside = path.with_name(f".{path.name}.new")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        raise BoardUnavailable(f"{str(path)!r} cannot be written: {error.strerror}; the post waits") from error
