"""What decorators and `pytestmark` say: parameter sets and the native carrier of annotations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from pactkeeper.intent.tests import Annotation, Scope
from pactkeeper.repo.annotations.grammar import sort_words
from pactkeeper.repo.languages.python.facts import Factor
from pactkeeper.repo.languages.python.syntax import arguments, count, keyword, string, text_of

_DISPLAYS: Final = frozenset({"list", "tuple", "set"})


def decorators(outer: Node) -> list[Node]:
    """The expressions behind the `@` of a decorated definition."""
    found: list[Node] = []
    for child in outer.children:
        if child.type == "decorator":
            found.extend(inner for inner in child.named_children[:1] if inner.type != "comment")
    return found


def marks(value: Node | None) -> Iterator[Node]:
    """The single marks of a `pytestmark` value."""
    if value is None:
        return
    if value.type in _DISPLAYS:
        yield from (child for child in value.named_children if child.type != "comment")
    else:
        yield value


def factor(mark: Node, name: str, source: bytes) -> tuple[Factor, ...]:
    """The number of parameter sets of one decorator or mark: nothing where it multiplies nothing."""
    if mark.type != "call":
        return ()
    last = name.rpartition(".")[2]
    given = arguments(mark)
    if last == "parametrize":
        values = given[1] if len(given) > 1 else keyword(mark, b"argvalues", source)
        return (None,) if any(node.type == "list_splat" for node in given[:2]) else (count(values, source),)
    if name.endswith("parameterized.expand") or name == "parameterized.parameters":
        return (count(given[0], source),) if len(given) == 1 else (len(given) or None,)
    if name in {"data", "ddt.data"}:
        return (None,) if any(node.type == "list_splat" for node in given) else (len(given),)
    return ()


def atoms(mark: Node, name: str, source: bytes, kind: tuple[Scope, str]) -> Annotation | None:
    """The annotation of a scope and with a prefix of ids that an `atom` mark is; None for any other mark."""
    scope, prefix = kind
    if not (name == "mark.atom" or name.endswith(".mark.atom")):
        return None
    words = [string(node, source) for node in arguments(mark)] if mark.type == "call" else []
    texts = [text_of(node, source) for node in arguments(mark)] if mark.type == "call" else []
    given = (text if word is None else word for word, text in zip(words, texts, strict=True))
    parsed = sort_words(given, prefix=prefix)
    return Annotation(parsed.atoms, "marker", scope, mark.start_point.row + 1, parsed.malformed)
