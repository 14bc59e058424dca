"""The one codec: a value of the product as plain JSON, by its own fields or by those that its type publishes.

Every command that prints loads this module, so it loads no more of the product than the gap that each of them shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

from pactkeeper.intent.tests import Gap

T = TypeVar("T")


def plain(value: object) -> Any:  # noqa: ANN401 - JSON, which has no type of its own here
    """The JSON form of a value: dataclasses by their fields, dates as ISO 8601, sets sorted.

    Raises TypeError for what has no form in JSON.
    """
    if value is None or isinstance(value, str | int):
        return value
    import msgspec  # noqa: PLC0415 - a command that prints no JSON does without it

    return msgspec.to_builtins(value, str_keys=True, order="deterministic", enc_hook=_other)


def _other(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


class Codec(Generic[T]):
    """What values of one type publish, in this order: `key`, `key=attribute`, `key=attribute.of.it`, `key=`.

    `inner` are codecs of members by their key: applied to the member, to each of a sequence, or to each value of a
    mapping; None stays None. The codec of `key=` is given the whole value. A name that the type does not have raises
    TypeError where the codec is made.
    """

    __slots__ = ("_members",)

    def __init__(self, kind: type[T], names: str, **inner: Callable[[Any], object]) -> None:
        parts = [(key, path if equals else key) for key, equals, path in (one.partition("=") for one in names.split())]
        fields = getattr(kind, "__dataclass_fields__", {})
        known = {path for _, path in parts if (head := path.partition(".")[0]) in fields or hasattr(kind, head)}
        wrong = {key for key, path in parts if path not in known and (path or key not in inner)}
        wrong |= inner.keys() - {key for key, _ in parts}
        if wrong:
            raise TypeError(f"{kind.__name__} has no {', '.join(sorted(wrong))}")
        self._members = [(key, attrgetter(path) if path else None, inner.get(key, plain)) for key, path in parts]

    def __call__(self, value: T) -> dict[str, Any]:
        """The published form of a value."""
        return {key: _member(value, read, codec) for key, read, codec in self._members}

    def each(self, values: Iterable[T]) -> list[dict[str, Any]]:
        """The published form of several values."""
        return [self(one) for one in values]


def _member(value: Any, read: Callable[[Any], Any] | None, codec: Callable[[Any], object]) -> Any:  # noqa: ANN401 - a value of any type
    """One member, read from a value or, without a way to read it, made of the whole."""
    member = value if read is None else read(value)
    if read is None or codec is plain or member is None:
        return plain(None if member is None else codec(member))
    if isinstance(member, Mapping):
        return {key: plain(codec(one)) for key, one in member.items()}
    return [plain(codec(one)) for one in member] if isinstance(member, tuple | list) else plain(codec(member))


GAP: Final = Codec(Gap, "file line reason")


_OWN_CODES = frozenset({"[0m", "[1m", "[2m", "[31m", "[32m", "[33m", "[34m", "[36m"})


def printable(text: str) -> str:
    """Neutralise control characters: text of a repository must not drive the reader's terminal.

    Only the codes for bold, dim, plain colours and reset stay; nothing that could hide text or move the cursor.
    """
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
