"""What every source of transcripts gives: facts of a file, and an entry or a gap for each of its lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import msgspec

from pactkeeper.intent.conversation import Conversation, ConversationEntry, Gap
from pactkeeper.ledger.whole_text import whole_escapes
from pactkeeper.transcripts.sources.lines import RawLine, OpenFile, lines

Shape = TypeVar("Shape")


@dataclass(frozen=True, slots=True)
class Unknown:
    """A record of a type that this version does not know."""

    type: str


# An entry; None for a record that says nothing to anybody; text for the reason why it cannot be read.
Decoded = ConversationEntry | Unknown | str | None
Decode = Callable[[RawLine, Conversation], Decoded]


@dataclass(frozen=True, slots=True)
class Source:
    """One format of transcripts.

    `recognise` is given the beginning of a file. `describe` tells the conversation from it; `split` cuts the file into
    records and `decode` reads one. A file that is read `whole` starts again whenever it changes.
    """

    name: str
    suffixes: tuple[str, ...]
    recognise: Callable[[Path, bytes], bool]
    describe: Callable[[Path, bytes], Conversation]
    decode: Decode
    split: Callable[[OpenFile, int], Iterator[RawLine | Gap]] = lines
    whole: bool = False


class Record(Generic[Shape]):
    """Reads the JSON of a record into a struct of msgspec that takes only the keys it names."""

    def __init__(self, shape: type[Shape]) -> None:
        self._decoder = msgspec.json.Decoder(shape)

    def read(self, data: bytes | msgspec.Raw) -> Shape | str:
        """The struct, or why there is none.

        Half a surrogate pair and bytes that are no UTF-8, which programs leave when they cut texts, are read as U+FFFD.
        """
        try:
            return self._decoder.decode(data)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            mended = _mended(bytes(data))
            if mended == bytes(data):
                return _reason(error)
        try:
            return self._decoder.decode(mended)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            return _reason(error)


def _reason(error: Exception) -> str:
    return f"it is no record of this format: {str(error)[:200]}"


def _mended(data: bytes) -> bytes:
    return whole_escapes(data.decode("utf-8", "replace")).encode()


_ANY: Final = Record(Any)
_OBJECT: Final = Record(dict[str, Any])


def json_value(data: bytes | msgspec.Raw | str) -> object:
    """The value of JSON text; None where it is none."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    found = _ANY.read(raw)
    return None if isinstance(found, str) and not bytes(raw).lstrip().startswith(b'"') else found


def json_object(data: bytes | msgspec.Raw | str) -> Mapping[str, Any]:
    """The object that JSON text holds; empty where it is none."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    found = _OBJECT.read(raw)
    return {} if isinstance(found, str) else found


MOST_HEAD: Final = 200  # records at the beginning of a file among which the first known one is looked for
BOM: Final = b"\xef\xbb\xbf"


def first_known(beginning: bytes, is_known: Callable[[bytes], bool]) -> bytes:
    """The first record near the beginning that a format knows; empty where there is none."""
    records = (line for line in beginning.removeprefix(BOM).split(b"\n", MOST_HEAD)[:MOST_HEAD] if line.strip())
    return next((line for line in records if is_known(line)), b"")


def raw_text(raw: msgspec.Raw) -> str:
    """JSON as it was written."""
    return bytes(raw).decode("utf-8", "replace")


def command_of(arguments: Mapping[str, Any]) -> str | None:
    """What a call's arguments hold for people: a command line, a plan to approve, or a to-do list; None for none.

    An editor's `command` beside a `path` is no command line.
    """
    found = arguments.get("command", arguments.get("cmd", arguments.get("plan")))
    if "path" in arguments:
        return None
    if isinstance(todos := arguments.get("todos"), list):
        return "\n".join(map(_todo, todos))
    if isinstance(found, str):
        return found
    if isinstance(found, list) and len(found) == _SHELL and found[1] in {"-lc", "-c"} and isinstance(found[2], str):
        return found[2]
    return None


def _todo(entry: object) -> str:
    """One entry of a to-do list, as a line with a box."""
    found = entry if isinstance(entry, Mapping) else {}
    return f"- [{'x' if found.get('status') == 'completed' else ' '}] {found.get('content', '')}"


_SHELL: Final = 3  # bash -lc SCRIPT
