"""Chats exported as Markdown: a line naming the speaker, followed by what they said up to the next such line.

A speaker line is a heading or bold, such as `## User`, `**Assistant:**` or `### Claude (2026-03-01T10:00:00Z)`; those
inside code fences don't count. Only in a file where such lines don't name both sides may text follow a bold name with
a colon, as in `**User:** Ship it.`; elsewhere that is part of a message. A Markdown file is read from its start
whenever it changes, since its last message may have grown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from pactkeeper.intent.conversation import Block, Conversation, ConversationEntry, Gap, RecordPlace, Role
from pactkeeper.ledger.canonical import digest
from pactkeeper.transcripts.sources.claude_code import speaker
from pactkeeper.transcripts.sources.records import Decoded, OpenFile, RawLine, Source, lines

NAME: Final = "markdown"
_SPEAKERS: Final[Mapping[Role, str]] = {
    "user": "user|human|you|me|prompt|nutzer|benutzer|du|ich|utilisateur|vous|moi|usuario|tú|yo",
    "assistant": "assistant|claude|chatgpt|codex|gemini|copilot|ai|model|response|assistent|antwort|réponse|asistente",
    "system": "system",
    "tool": "tool|tool result|werkzeug|outil|herramienta",
}
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?")
_TURN: Final = re.compile(
    r"^(?:#{1,6}\s+|\*\*|__)(?:[^\w\s*]+\s*)?(?:"
    + "|".join(f"(?P<{role}>{words})" for role, words in _SPEAKERS.items())
    + r")(?:\s+said)?\s*:?(?:\*\*|__)?\s*:?(?:\s*[-–—(\[].*)?\s*$",
    re.IGNORECASE,
)
# Only unambiguous names may have text on the same line: `**Response:** 200` is part of an answer.
_PEOPLE: Final[Mapping[Role, str]] = {
    "user": "user|human|you|me|nutzer|benutzer|du|ich|utilisateur|vous|moi|usuario|tú|yo",
    "assistant": "assistant|claude|chatgpt|codex|gemini|copilot|assistent|asistente",
}
_INLINE: Final = re.compile(
    r"^(?:\*\*|__)(?:[^\w\s*]+\s*)?(?:"
    + "|".join(f"(?P<{role}>{words})" for role, words in _PEOPLE.items())
    + r")(?:\s*[(\[][^)\]]*[)\]])?(?::(?:\*\*|__)|(?:\*\*|__):)(?=\s+[^\s(\[–—-])",
    re.IGNORECASE,
)
# How exports of coding agents show tool output in the user role.
_OUTPUT: Final = ("<details>", "**Tool Result", "**Tool result", "🔧", "Tool Result:")
_SIDES: Final[frozenset[Role | None]] = frozenset({"user", "assistant"})
_FENCE: Final = re.compile(r"^\s{0,3}(```|~~~)")


def _turn(line: str) -> Role | None:
    return _role(_TURN.match(line))


def _inline(line: str) -> Role | None:
    return _role(_INLINE.match(line))


def _role(found: re.Match[str] | None) -> Role | None:
    named = found.groupdict() if found else {}
    return next((role for role in _SPEAKERS if named.get(role)), None)


def _begins(beginning: bytes) -> Callable[[str], Role | None] | None:
    """Return the function that detects a turn; None if the beginning doesn't name two sides, one of them a person."""
    text = beginning.decode("utf-8", "replace")
    if {_turn(line) for line in text.splitlines()} >= _SIDES:
        return _turn
    bare = _bare(text)
    either = {_turn(line) or _inline(line) for line in bare}
    return (lambda line: _turn(line) or _inline(line)) if either >= _SIDES else None


def _bare(text: str) -> list[str]:
    """The lines outside code fences."""
    found, fenced = [], False
    for line in text.splitlines():
        fenced ^= bool(_FENCE.match(line))
        found += [] if fenced else [line]
    return found


def recognise(path: Path, beginning: bytes) -> bool:
    """Whether a file names two speakers near its beginning, one of them a person."""
    if path.suffix not in {".md", ".markdown"}:
        return False
    return _begins(beginning) is not None


def describe(path: Path, beginning: bytes) -> Conversation:
    """Describe a file's conversation; its session is the file's stem."""
    del beginning  # says nothing about where the chat took place
    return Conversation(NAME, str(path), path.stem)


def split(file: OpenFile, start: int) -> Iterator[RawLine | Gap]:
    """Yield each turn with the line that names its speaker; text before the first one is skipped."""
    begun, held, fenced = -1, bytearray(), False
    begins = _begins(file.beginning()) or _turn
    end = start
    for line in lines(file, start):
        if isinstance(line, Gap):
            yield line
            continue
        text = line.data.decode("utf-8", "replace")
        fenced ^= bool(_FENCE.match(text))
        if not fenced and begins(text) is not None:
            if held:
                yield RawLine(begun, end, bytes(held))
            begun, held = line.start, bytearray()
        if begun >= 0:
            held += line.data + b"\n"
        end = line.end
    if held:
        yield RawLine(begun, end, bytes(held))


def decode(line: RawLine, conversation: Conversation) -> Decoded:
    """Decode a turn into an entry; its id is derived from the file's name, the offset and the text."""
    naming, _, said = line.data.decode("utf-8", "replace").partition("\n")
    inline = _INLINE.match(naming)
    role = _role(inline) or _turn(naming)
    if inline is not None:
        naming, said = inline[0], f"{naming[inline.end() :].lstrip()}\n{said}"
    if role is None:
        return "it has no line at the start that names a speaker"
    text = said.strip("\n")
    if role == "user":
        role = "tool" if text.lstrip().startswith(_OUTPUT) else speaker(text)
    time = _TIME.search(naming)
    return ConversationEntry(
        uuid="md-" + digest([conversation.session, line.start, text])[3:35],
        parent="",
        role=role,
        at=time[0] if time else "",
        blocks=(Block("text", text),),
        place=RecordPlace(conversation.file, line.start, line.end),
    )


SOURCE: Final = Source(NAME, (".md", ".markdown"), recognise, describe, decode, split, whole=True)
