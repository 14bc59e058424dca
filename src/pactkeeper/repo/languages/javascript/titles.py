"""How a declaring call is named: by a literal, by computed text, by its function, or by a `name` key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pactkeeper.repo.languages.javascript.facts import TitleKind
from pactkeeper.repo.languages.javascript.syntax import CALLBACKS, arguments_of, bare, literal, squeezed, text, unescape

if TYPE_CHECKING:
    from tree_sitter import Node

ANONYMOUS = "<anonymous>"


@dataclass(frozen=True, slots=True)
class Title:
    """A name and its node; `callback` is the function that runs, `callback_name` one passed by name."""

    name: str
    kind: TitleKind
    node: Node | None
    arguments: int
    callback: Node | None
    callback_name: str = ""
    runs: bool = False


def title_of(call: Node) -> Title:
    """Read the arguments of a declaring call."""
    arguments = arguments_of(call)
    if not arguments:
        return Title("", "none", None, 0, None)
    first, last = arguments[0], arguments[-1]
    if first.type == "string" and last.type in CALLBACKS:
        return Title(unescape(text(first)[1:-1]), "text", first, len(arguments), last, runs=True)
    callback = next((a for a in reversed(arguments) if bare(a).type in CALLBACKS), None)
    callback = bare(callback) if callback is not None else None
    described = next((a for a in arguments[:2] if a.type == "object"), None)
    if callback is None and described is not None:
        callback = _entry(described, "fn")
    if first.type == "object":
        return _described(first, callback, len(arguments))
    rest = [bare(argument) for argument in arguments[1:]]
    runs = callback is not None or any(
        node.type in {"identifier", "member_expression", "subscript_expression", "call_expression"} for node in rest
    )
    handed = next((text(node) for node in rest if node.type == "identifier"), "") if callback is None else ""
    if callback is not None and bare(first).id == callback.id:
        return Title(_function_name(callback), "function", first, len(arguments), callback, runs=True)
    name, kind = written(first)
    whole = first.type == "spread_element"  # title and function, spread from elsewhere
    return Title(name, kind, first, len(arguments), callback, handed, runs or whole)


def written(node: Node) -> tuple[str, TitleKind]:
    """Return a literal title as the runner shows it, else its source on one line; a template without backticks."""
    value = literal(node)
    if value is not None:
        return value, "text"
    inner = bare(node)
    source = squeezed(inner)
    return (source[1:-1] if inner.type == "template_string" else source), "computed"


def _described(entries: Node, callback: Node | None, count: int) -> Title:
    """Read `Deno.test({ name: "…", fn() {} })`."""
    named = _entry(entries, "name")
    if named is None:
        name = _function_name(callback) if callback is not None else ""
        return Title(
            name, "function" if callback is not None else "none", entries, count, callback, runs=callback is not None
        )
    name, kind = written(named)
    return Title(name, kind, named, count, callback, runs=callback is not None or _entry(entries, "fn") is not None)


def _entry(entries: Node, key: str) -> Node | None:
    for pair in entries.named_children:
        name = pair.child_by_field_name("name" if pair.type == "method_definition" else "key")
        if name is not None and text(name).strip("'\"") == key:
            return pair if pair.type == "method_definition" else pair.child_by_field_name("value")
    return None


def _function_name(function: Node) -> str:
    name = function.child_by_field_name("name")
    return text(name) if name is not None and function.type != "method_definition" else ANONYMOUS
