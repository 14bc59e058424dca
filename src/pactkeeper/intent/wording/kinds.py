"""Types as words: the commonest in English, others by their own name, written-out ones between quotes."""

from __future__ import annotations

from pactkeeper.intent.claims import Attribute, Expression, Name, Value
from pactkeeper.intent.wording.naming import with_article
from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.values import quoted
from pactkeeper.intent.wording.words import is_plural, listed

_TYPES = {
    "str": "string",
    "int": "integer",
    "dict": "dict",
    "bool": "boolean",
    "bytes": "bytes object",
    "builtin_str": "string",
    "float": "float",
    "object": "object",
    "number": "number",
    "string": "string",
}


def type_words(one: Expression | None) -> str:
    """A type by its own name, the commonest ones in words; empty where it has none."""
    if isinstance(one, Value) and one.kind == "string":
        return _TYPES.get(one.text, one.text)
    if not isinstance(one, Name | Attribute):
        return ""
    return _TYPES.get(one.name, one.name)


def kind_words(names: list[str]) -> str:
    """`a Token`; a type that is no single word, or spelled like a plural, is given by name."""
    plain = all(name.replace(".", "").replace(" ", "").isidentifier() and not is_plural(name) for name in names)
    return with_article(listed(names, "or")) if plain else f"of type {listed([shown_type(one) for one in names], 'or')}"


def shown_type(name: str) -> str:
    """A type as it stands in a sentence: quoted where it is written out and no name."""
    bare = name.replace(".", "").replace(" ", "")
    spoken = name[:1].isupper() or "." in name or name in _SPOKEN or name in _TYPES.values()
    return name if bare.isidentifier() and spoken else quoted(name)


_SPOKEN = table("any bigint boolean function never null number object string symbol undefined unknown void")
