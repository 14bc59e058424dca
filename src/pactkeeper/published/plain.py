"""The one codec: publish a value as plain JSON, by its own fields or by those its type declares.

Every command that prints loads this module, so it imports little of the product. Advice is written for `READER`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from typing import Any, Final, Generic, TypeVar, get_origin

from pactkeeper.advice import Advice, Reader, for_reader
from pactkeeper.intent.tests import Gap

T = TypeVar("T")
READER: ContextVar[Reader] = ContextVar("READER", default="person")  # set for each call of a verb


def plain(value: object) -> Any:  # noqa: ANN401 - JSON, which has no type of its own here
    """Convert a value to JSON: dataclasses by their fields, dates as ISO 8601, sets sorted.

    Raises TypeError for values without a JSON form.
    """
    if value is None or (isinstance(value, str | int) and not isinstance(value, Advice)):
        return value
    import msgspec  # noqa: PLC0415 - only commands that print JSON need it

    value = list(value) if isinstance(value, tuple) else value
    return msgspec.to_builtins(value, str_keys=True, order="deterministic", enc_hook=_other)


def told(text: str) -> str:
    """Return the text for whoever reads the answer of this call."""
    return for_reader(text, READER.get())


def _other(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Advice):
        return told(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


Inner = Callable[[Any], object] | str


class Codec(Generic[T]):
    """Declares what values of one type publish, in order: `key`, `key=attribute`, `key=attribute.of.it`, `key=`.

    `key?` is omitted if empty. `*attribute` and `*key=` merge in the members of that form, `*` all of the value's own
    fields. Members of a tuple are named by position. `inner` maps keys to the form of a member, a codec, a function or
    an attribute name: it applies to the member, to each item of a sequence, or to each value of a mapping; None stays
    None. `len` counts a member's items instead. The codec of `key=` receives the whole value. A name the type does not
    have raises TypeError when the codec is created.
    """

    __slots__ = ("kind", "members")

    def __init__(self, kind: type[T], names: str, **inner: Inner) -> None:
        self.kind = kind
        self.members = tuple(_parsed(kind, one, position, inner) for position, one in enumerate(names.split()))
        wrong = {one.key for one in self.members if not _is_known(kind, one, inner)}
        wrong |= inner.keys() - {one.name for one in self.members}
        if wrong:
            raise TypeError(f"{kind.__name__} has no {', '.join(sorted(wrong))}")

    def __call__(self, value: T) -> dict[str, Any]:
        """Publish one value."""
        found: dict[str, Any] = {}
        for one in self.members:
            published = one.of(value)
            if not one.key:
                found.update(published)
            elif published or not one.sparse:
                found[one.key] = published
        return found

    def each(self, values: Iterable[T]) -> list[dict[str, Any]]:
        """Publish several values."""
        return [self(one) for one in values]


@dataclass(frozen=True, slots=True)
class Member:
    """One member: where it is read from (no path: the whole value), its form, and whether it may be omitted."""

    key: str
    name: str
    path: str
    inner: Inner
    read: Callable[[Any], Any]
    sparse: bool

    @property
    def codec(self) -> Callable[[Any], object]:
        """The function that converts one value."""
        return attrgetter(self.inner) if isinstance(self.inner, str) else self.inner

    def of(self, value: object) -> Any:  # noqa: ANN401 - JSON
        """Publish this member of a value."""
        member, codec = self.read(value), self.codec
        if not self.path or codec is plain or codec is len or member is None:
            return plain(None if member is None else codec(member))
        if isinstance(member, Mapping):
            return {key: plain(codec(one)) for key, one in member.items()}
        return [plain(codec(one)) for one in member] if isinstance(member, tuple | list) else plain(codec(member))


def _parsed(kind: object, name: str, position: int, inner: Mapping[str, Inner]) -> Member:
    said, equals, path = name.partition("=")
    key, sparse, spread = said.strip("?*"), said.endswith("?"), said.startswith("*")
    path = path if equals else key
    read = itemgetter(position) if get_origin(kind) is tuple else attrgetter(path) if path else _whole
    return Member("" if spread else key, key, path, inner.get(key, plain), read, sparse)


def _whole(value: Any) -> Any:  # noqa: ANN401 - any value
    return value


def _is_known(kind: type, one: Member, inner: Mapping[str, Inner]) -> bool:
    if get_origin(kind) is tuple or not one.path:
        return not one.key or get_origin(kind) is tuple or one.name in inner
    head = one.path.partition(".")[0]
    return head in getattr(kind, "__dataclass_fields__", {}) or hasattr(kind, head)


GAP: Final = Codec(Gap, "file line reason")


_OWN_CODES = frozenset({"[0m", "[1m", "[2m", "[31m", "[32m", "[33m", "[34m", "[36m"})


def printable(text: str) -> str:
    """Escape control characters, so that text from a repository cannot control the reader's terminal.

    Only the codes for bold, dim, plain colours and reset are kept; nothing that could hide text or move the cursor.
    """
    if text.isprintable():
        return text
    first, *rest = text.split("\x1b")
    return _plain(first) + "".join(_after_escape(part) for part in rest)


def _after_escape(text: str) -> str:
    ours = text[: text.find("m", 0, 4) + 1] in _OWN_CODES
    return ("\x1b" if ours else "\\x1b") + _plain(text)


def _plain(text: str) -> str:
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character in "\n\t" or character.isprintable():
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
