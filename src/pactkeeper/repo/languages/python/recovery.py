"""Isolate broken functions, so that one syntax error costs one function instead of the whole file.

Each function of a file that doesn't parse is parsed alone. Those that fail are masked with `pass` in a copy of the
source with the same offsets, and the copy is parsed again; in most cases it is then valid. Of a masked function only
its `def` line is known.

Also compares the tree of broken source with its indentation, which is what a person goes by.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tree_sitter import Node

from pactkeeper.intent.tests import Annotation, Scope
from pactkeeper.repo.annotations.grammar import sort_words
from pactkeeper.repo.languages.python import normal
from pactkeeper.repo.languages.python.facts import Binding, Factor, Function, Group, Note
from pactkeeper.repo.languages.python.names import Names
from pactkeeper.repo.languages.python.syntax import arguments, callee, count, dotted, keyword, parse, string, text_of
from pactkeeper.repo.languages.trees import refusal

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


_LINE: Final = re.compile(rb"(?m)^([ \t]*)(?:(@)|(?:async[ \t]+)?def[ \t]+(\w+)|(class)\b|([^\s#)\]}]))")
_DECORATOR: Final = re.compile(rb"@[ \t]*([\w.]+)")
_STRINGS: Final = frozenset({"string", "string_content", "string_start", "string_end", "escape_sequence"})
_LIMIT: Final = 2000  # functions of one broken file to try; more is generated code


@dataclass(frozen=True, slots=True)
class Lost:
    """A function that doesn't parse, starting at its first decorator; `name` is the byte range of its name.

    `refused` says why the parser was stopped, "" if the syntax is broken.
    """

    start: int
    end: int
    name: tuple[int, int]
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Recovered:
    """A parse of the source with broken functions masked, together with those functions."""

    tree: Tree
    source: bytes
    lost: tuple[Lost, ...] = ()


def recover(tree: Tree, source: bytes) -> Recovered:
    """Mask what is broken; return the same tree if no single function is to blame."""
    lost: list[Lost] = []
    masked = bytearray(source)
    for number, piece in enumerate(_functions(tree, source)):
        if number >= _LIMIT:
            break
        alone = _alone(piece, source)
        if alone.root_node.has_error:
            lost.append(replace(piece, refused=refusal(alone)))
            masked[piece.start : piece.end] = re.sub(rb"[^\n]", b" ", source[piece.start : piece.end])
            line = source.rfind(b"\n", 0, piece.name[0]) + 1
            code = piece.name[0] - len(source[line : piece.name[0]].lstrip())
            masked[code : code + 4] = b"pass"  # replaces `def ` or `asyn`
    if not lost:
        return Recovered(tree, source)
    return Recovered(parse(bytes(masked)), bytes(masked), tuple(lost))


def describe(lost: Lost, source: bytes) -> Binding:
    """Describe a function that doesn't parse; its hash is over its raw bytes."""
    name = source[lost.name[0] : lost.name[1]].decode("utf-8", "replace")
    found = _DECORATOR.findall(source, lost.start, lost.name[0])
    line = source.count(b"\n", 0, lost.start) + 1
    name_line = source.count(b"\n", 0, lost.name[0]) + 1
    text = source[lost.start : lost.end].rstrip()
    function = Function(
        line,
        name_line,
        line + text.count(b"\n"),
        lost.start,
        lost.start + len(text),
        tuple(decorator.decode("utf-8", "replace") for decorator in found),
    )
    function.body_hash = normal.prepare(parse(b""), source).body_hash(function.start, function.end, name=lost.name)
    return Binding(name, "function", name_line, function=function)


def place(binding: Binding, owner: list[Binding]) -> None:
    """Insert a binding among others in line order."""
    owner.insert(bisect([other.line for other in owner], binding.line), binding)


def owner_of(lost: Lost, declared: list[tuple[Node, Function | Group]]) -> Group | None:
    """Return the innermost class that contains a lost function; None for the module."""
    around = [
        (node.start_byte, fact)
        for node, fact in declared
        if isinstance(fact, Group) and node.start_byte < lost.start < node.end_byte
    ]
    return max(around, key=lambda entry: entry[0])[1] if around else None


def _functions(tree: Tree, source: bytes) -> Iterator[Lost]:
    """Yield the outermost functions of modules and classes by indentation; lines within strings aren't code."""
    start: int | None = None
    column = 0
    name: tuple[int, int] | None = None
    for found in _LINE.finditer(source):
        indent = len(found.group(1).expandtabs(8))
        if (name is not None and indent > column) or in_string(tree, found.end() - 1):
            continue
        if name is not None and start is not None:
            yield Lost(start, found.start(), name)
            start = name = None
        if start is None or indent != column or not (found.group(2) or found.group(3)):
            start = None
        if found.group(2) or found.group(3):
            start = found.end(1) if start is None else start
            column = indent
            name = found.span(3) if found.group(3) else None
    if name is not None and start is not None:
        yield Lost(start, len(source), name)


def in_string(tree: Tree, position: int) -> bool:
    """Whether a position is inside a string, as far as the parser can tell."""
    node = tree.root_node.descendant_for_byte_range(position, position + 1)
    return node is not None and node.type in _STRINGS


def _alone(piece: Lost, source: bytes) -> Tree:
    indent = piece.start - (source.rfind(b"\n", 0, piece.start) + 1)
    head = b"if 1:\n" if indent else b""
    return parse(head + source[piece.start - indent : piece.end])


_OPENING: Final = frozenset(
    {"class_definition", "function_definition", "if_statement", "try_statement", "with_statement", "for_statement",
     "while_statement", "match_statement"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Layout:
    """The lines of a source: where each starts, its column, and the row of the line it is indented under, or -1."""

    tree: Tree
    starts: tuple[int, ...]
    columns: tuple[int, ...]
    above: tuple[int, ...]

    def is_placed(self, start: int) -> bool:
        """Whether the code at a position is in the tree where its indentation puts it.

        Every line it is indented under must open a statement that encloses it, and every enclosing class must be one of
        these: a class whose header is broken encloses nothing in the tree.
        """
        around = list(_statements_around(self.tree, start))
        opened = [self._opened(row, around) for row in self._rows_above(start)]
        classes = [one for one in around if one.type == "class_definition"]
        return None not in opened and all(one in opened for one in classes)

    def _rows_above(self, start: int) -> Iterator[int]:
        row = self.above[bisect_right(self.starts, start) - 1]
        while row >= 0:
            yield row
            row = self.above[row]

    def _opened(self, row: int, around: list[Node]) -> Node | None:
        column = self.columns[row]
        return next((one for one in around if one.start_point.row <= row and one.start_point.column == column), None)


def _statements_around(tree: Tree, position: int) -> Iterator[Node]:
    """Yield the statements that open blocks around a position, innermost first, without one that starts there."""
    node = tree.root_node.descendant_for_byte_range(position, position + 1)
    while node is not None:
        if node.start_byte < position and node.type in _OPENING:
            yield node
        node = node.parent


def lay_out(tree: Tree, source: bytes) -> Layout:
    """Compute which line each line is indented under; comments and lines within strings are ignored."""
    starts: list[int] = []
    columns: list[int] = []
    above: list[int] = []
    under: list[int] = []
    position = 0
    for row, line in enumerate(source.split(b"\n")):
        code = line.lstrip()
        column = len(line) - len(code)
        reads = bool(code) and not code.startswith(b"#") and not in_string(tree, position + column)
        while under and reads and columns[under[-1]] >= column:
            under.pop()
        starts.append(position)
        columns.append(column)
        above.append(under[-1] if under else -1)
        if reads:
            under.append(row)
        position += len(line) + 1
    return Layout(tree, tuple(starts), tuple(columns), tuple(above))


_NAMESPACES: Final = frozenset({"globals", "locals", "vars"})
_ADDED: Final = "names are added to the module's namespace while it is imported"


def made(node: Node, names: Names) -> Note | None:
    """Return a note if a call or assignment creates names: `setattr(Class, name, …)`, `globals()[name] = …` and so on.

    Any other call yields a note without a reason: what its function and the names it is given are decides.
    """
    return _called(node, names) if node.type == "call" else _assigned(node, names)


def _called(node: Node, names: Names) -> Note | None:
    line = node.start_point.row + 1
    name = callee(node)
    given = arguments(node)
    if name == "setattr" and len(given) > 1:
        attribute = string(given[1])
        if attribute is None or names.matches(attribute):
            return Note(line, "attributes are set by name while the module is imported; tests may be among them")
        return None
    if name == "exec":
        return Note(line, "code made of text is executed while the module is imported; tests may be in it")
    named = tuple(filter(None, map(dotted, given)))
    if any(_is_namespace(argument) for argument in given):
        return Note(line, _ADDED, named)
    return _updated(node, given) or (Note(line, "", (name, *named)) if name else None)


def _updated(node: Node, given: list[Node]) -> Note | None:
    """Handle `globals().update(Class.method())`, the usual way to create a class for each variant."""
    function = node.child_by_field_name("function")
    owner = function.child_by_field_name("object") if function is not None and function.type == "attribute" else None
    if function is None or owner is None or not _is_namespace(owner):
        return None
    if text_of(function).rpartition(".")[2] != "update":
        return None
    made_by = _owner(given[0]) if given and given[0].type == "call" else ""
    return Note(node.start_point.row + 1, _ADDED, (made_by,) if made_by else ())


def _owner(call: Node) -> str:
    """Return `Class` for `Class.method()` and for `Class().method()`."""
    function = call.child_by_field_name("function")
    owner = function.child_by_field_name("object") if function is not None and function.type == "attribute" else None
    return callee(owner) if owner is not None else ""


def _assigned(node: Node, names: Names) -> Note | None:
    left = node.child_by_field_name("left")
    value = left.child_by_field_name("value") if left is not None and left.type == "subscript" else None
    if left is None or value is None or not _is_namespace(value):
        return None
    key = left.child_by_field_name("subscript")
    literal = string(key) if key is not None else None
    if literal is not None and not names.matches(literal) and not literal.startswith("Test"):
        return None
    return Note(node.start_point.row + 1, _ADDED)


def _is_namespace(node: Node) -> bool:
    return node.type == "call" and callee(node) in _NAMESPACES


_DISPLAYS: Final = frozenset({"list", "tuple", "set"})


def decorators(outer: Node) -> list[Node]:
    """Return the expressions after the `@` of a decorated definition."""
    found: list[Node] = []
    for child in outer.children:
        if child.type == "decorator":
            found.extend(inner for inner in child.named_children[:1] if inner.type != "comment")
    return found


def marks(value: Node | None) -> Iterator[Node]:
    """Yield the individual marks of a `pytestmark` value."""
    if value is None:
        return
    if value.type in _DISPLAYS:
        yield from (child for child in value.named_children if child.type != "comment")
    else:
        yield value


def factor(mark: Node, name: str) -> tuple[Factor, ...]:
    """Return the number of parameter sets of one decorator or mark; empty if it multiplies nothing."""
    if mark.type != "call":
        return ()
    last = name.rpartition(".")[2]
    given = arguments(mark)
    if last == "parametrize":
        values = given[1] if len(given) > 1 else keyword(mark, b"argvalues")
        return (None,) if any(node.type == "list_splat" for node in given[:2]) else (count(values),)
    if name.endswith("parameterized.expand") or name == "parameterized.parameters":
        return (count(given[0]),) if len(given) == 1 else (len(given) or None,)
    if name in {"data", "ddt.data"}:
        return (None,) if any(node.type == "list_splat" for node in given) else (len(given),)
    return ()


def atoms(mark: Node, name: str, kind: tuple[Scope, str]) -> Annotation | None:
    """Return the annotation that an `atom` mark carries; `kind` is its scope and id prefix. None for any other mark."""
    scope, prefix = kind
    if not (name == "mark.atom" or name.endswith(".mark.atom")):
        return None
    words = [string(node) for node in arguments(mark)] if mark.type == "call" else []
    texts = [text_of(node) for node in arguments(mark)] if mark.type == "call" else []
    given = (text if word is None else word for word, text in zip(words, texts, strict=True))
    parsed = sort_words(given, prefix=prefix)
    return Annotation(parsed.atoms, "marker", scope, mark.start_point.row + 1, parsed.malformed)
