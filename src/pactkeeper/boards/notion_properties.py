"""Properties of pages in a Notion database: what they say as text, and how a text is written into one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pactkeeper.boards.notion_blocks import plain, rich
from pactkeeper.errors import RefusedError

Properties = Mapping[str, Mapping[str, Any]]
_WRITTEN: Final = frozenset({"select", "status", "rich_text", "url", "date", "checkbox"})


def text_of(value: Mapping[str, Any]) -> str:
    """What a property says; empty where it says nothing, or nothing that a text can say."""
    kind = str(value.get("type", ""))
    found = value.get(kind)
    if found is None:
        return ""
    match kind:
        case "title" | "rich_text":
            return plain(found)
        case "select" | "status":
            return str(found.get("name", ""))
        case "date":
            return str(found.get("start", ""))
        case "multi_select":
            return ", ".join(texts_of(value))
        case "checkbox":
            return "true" if found else "false"
        case "url" | "email" | "phone_number" | "number":
            return str(found)
        case _:
            return ""


def texts_of(value: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of a property of several choices."""
    return tuple(str(one.get("name", "")) for one in value.get("multi_select") or ())


def written(name: str, kind: str, text: str | None) -> Mapping[str, Any]:
    """A text, or nothing for None, as a property of a kind; raises RefusedError for a kind that is not written."""
    if kind not in _WRITTEN:
        raise RefusedError(f"the property {name!r} is of kind {kind!r}, which is not written; change it by hand")
    match kind:
        case "select" | "status":
            return {kind: {"name": text} if text else None}
        case "rich_text":
            return {kind: rich(text or "")}
        case "date":
            return {kind: {"start": text} if text else None}
        case "checkbox":
            return {kind: (text or "").casefold() in {"true", "yes", "checked"}}
        case _:
            return {kind: text or None}


def first_of(properties: Properties, kind: str) -> str:
    """The name of the first property of a kind, in the order of their names; empty where there is none."""
    return next((name for name in sorted(properties) if properties[name].get("type") == kind), "")


def named(properties: Properties, name: str) -> str:
    """The name as the database writes it, whatever its case; empty where it has none of that name."""
    return next((one for one in sorted(properties) if one.casefold() == name.casefold()), "")
