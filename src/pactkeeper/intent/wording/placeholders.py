"""Placeholders that stand for any value of a kind: `expect.any(Number)`, `expect.objectContaining({...})`."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.intent.claims import Attribute, Call, Name
from pactkeeper.intent.wording.naming import last_name
from pactkeeper.intent.wording.nouns import Noun, Setting
from pactkeeper.intent.wording.phrases import noun
from pactkeeper.intent.wording.tables import table

_OWNERS = table("expect jasmine")
_CONTAINING: Mapping[str, str] = {
    "objectContaining": "something containing",
    "arrayContaining": "something containing the members of",
    "stringContaining": "text containing",
    "stringMatching": "text matching",
}


def placeholder(call: Call, setting: Setting) -> Noun | None:
    """The words for a placeholder; None where the call is none."""
    function = call.function
    if not isinstance(function, Attribute) or not isinstance(function.value, Name):
        return None
    if function.value.name not in _OWNERS:
        return None
    if function.name == "anything":
        return Noun("anything", "", value=True)
    first = call.arguments[0].value if call.arguments else None
    kind = last_name(first) if first is not None else ""
    if function.name == "any" and kind:
        return Noun(_KINDS.get(kind, kind), "any", value=True)
    if function.name not in _CONTAINING or first is None:
        return None
    inner = noun(first, setting)
    return Noun(f"{_CONTAINING[function.name]} {inner.text}", "", value=True, sure=inner.sure)


_KINDS: Mapping[str, str] = {
    "String": "string",
    "Number": "number",
    "Boolean": "boolean",
    "Function": "function",
    "Object": "object",
    "Array": "array",
}
