"""Read single nodes of Python's syntax tree: names, strings, conditions, sizes of displays.

Also source bytes as UTF-8: byte order marks, encoding declarations, and bytes that aren't text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal

from tree_sitter import Language, Node, Parser, Tree

from pactkeeper.repo.languages.python.facts import Factor, Note
from pactkeeper.repo.languages.trees import refusal, tree_of

_DOTTED: Final = re.compile(rb"[^\W\d][\w\x80-\xff]*(?:\s*\.\s*[^\W\d][\w\x80-\xff]*)*\Z")
_DEAD: Final = re.compile(
    rb"(?:\w+\.)?TYPE_CHECKING|False|0|None|__name__\s*==\s*(?:'__main__'|\"__main__\")|(?:six\.)?PY2"
    rb"|sys\.version_info(?:\[0\])?\s*(?:<\s*\(?3(?:,\s*[0-8])?,?\)?|==\s*2)"
)
_SURE: Final = re.compile(
    rb"not\s+(?:\w+\.)?TYPE_CHECKING|True|1|(?:six\.)?PY3"
    rb"|sys\.version_info(?:\[0\])?\s*>=\s*\(?3(?:,\s*[0-8])?,?\)?"
)
_SAME_SIZE: Final = frozenset({"list", "tuple", "sorted", "enumerate", "reversed", "iter", "dict", "OrderedDict"})
_SAME_SIZE_METHODS: Final = frozenset({"items", "keys", "values"})

Outcome = Literal["dead", "sure", "open"]


@cache
def language() -> Language:
    """Return the grammar, loaded once."""
    import tree_sitter_python  # noqa: PLC0415 - a cached scan never parses

    return Language(tree_sitter_python.language())


def parse(source: bytes) -> Tree:
    """Parse a module; never fails, what can't be parsed becomes an ERROR node."""
    return tree_of(Parser(language()), source)


_RUNS_TEXT: Final = frozenset({"exec", "eval", "compile"})


def in_text(source: str, row: int, column: int) -> bool:
    """Whether a place (both from 0, in characters) lies in a string, which nothing around it runs as code."""
    line = source.split("\n", row + 1)[row]
    at = (row, len(line[:column].encode()))
    node = _parsed(source).root_node.descendant_for_point_range(at, at)
    kinds: list[str] = []
    while node is not None:
        if node.type == "call" and dotted(node.child_by_field_name("function")) in _RUNS_TEXT:
            return False
        kinds.append(node.type)
        node = node.parent
    return "string" in kinds and "interpolation" not in kinds[: kinds.index("string")]


@lru_cache(maxsize=16)
def _parsed(source: str) -> Tree:
    return parse(source.encode())


def text_of(node: Node | None) -> str:
    """Return the node's source, "" for None; bytes that aren't UTF-8 become replacement characters."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def dotted(node: Node | None) -> str:
    """Return a name with its attributes (`pytest.mark.skip`), "" for anything else."""
    if node is None or node.type not in {"identifier", "attribute", "dotted_name"}:
        return ""
    if node.type != "identifier" and not _DOTTED.match(node.text or b""):
        return ""
    name = text_of(node)
    return name if node.type == "identifier" else "".join(name.split())


def imported_names(statement: Node) -> Iterator[tuple[str, str]]:
    """Yield the names in an import by which the file knows something, each with what is imported: `c` and `b.a`."""
    for child in statement.children_by_field_name("name"):
        name = "".join(text_of(child.child_by_field_name("name") or child).split())
        yield text_of(child.child_by_field_name("alias")) or name, name


def callee(node: Node) -> str:
    """Return the dotted name of a decorator, or of a call's function."""
    return dotted(node.child_by_field_name("function") if node.type == "call" else node)


def base_name(node: Node) -> str:
    """Return the dotted name of a base class, without its subscript."""
    if node.type == "subscript":
        node = node.child_by_field_name("value") or node
    return dotted(node)


def arguments(call: Node) -> list[Node]:
    """Return the positional arguments of a call."""
    inside = call.child_by_field_name("arguments")
    if inside is None or inside.type != "argument_list":
        return []
    return [child for child in inside.named_children if child.type not in {"keyword_argument", "comment"}]


def keyword(call: Node, name: bytes) -> Node | None:
    """Return the value of a keyword argument."""
    inside = call.child_by_field_name("arguments")
    for child in inside.named_children if inside is not None else ():
        key = child.child_by_field_name("name") if child.type == "keyword_argument" else None
        if key is not None and key.text == name:
            return child.child_by_field_name("value")
    return None


def string(node: Node) -> str | None:
    """Return the value of a plain string literal without escapes; None for anything else."""
    if node.type == "parenthesized_expression" and node.named_child_count == 1:
        return string(node.named_children[0])
    if node.type == "concatenated_string":
        parts = [string(child) for child in node.named_children if child.type != "comment"]
        return None if None in parts else "".join(part for part in parts if part is not None)
    if node.type != "string":
        return None
    content = ""
    for child in node.named_children:
        if child.type == "interpolation" or child.named_child_count:
            return None
        if child.type == "string_content":
            content += text_of(child)
    return content


def condition(node: Node | None) -> Outcome:
    """Whether the branch under a condition can ever, or must always, run when the module is imported."""
    while node is not None and node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    if node is None:
        return "open"
    raw = node.text or b""
    if _DEAD.fullmatch(raw):
        return "dead"
    return "sure" if _SURE.fullmatch(raw) else "open"


def count(node: Node | None) -> Factor:
    """Return how many members an expression has when iterated: a number, the name it depends on, or None."""
    while node is not None and node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    if node is None:
        return None
    if node.type in {"list", "tuple", "set", "dictionary"}:
        members = [child.type for child in node.named_children if child.type != "comment"]
        spread = {"list_splat", "dictionary_splat", "ERROR"}.intersection(members)
        return None if spread else len(members)
    if node.type in {"identifier", "attribute"}:
        return dotted(node) or None
    return _count_call(node) if node.type == "call" else None


def _count_call(node: Node) -> Factor:
    name = callee(node)
    given = arguments(node)
    if name in _SAME_SIZE and given and given[0].type != "list_splat":
        return count(given[0])
    if name == "range" and len(given) == 1 and given[0].type == "integer":
        digits = text_of(given[0])
        return int(digits) if digits.isdigit() else None
    function = node.child_by_field_name("function")
    method = function.child_by_field_name("attribute") if function is not None else None
    if function is not None and method is not None and text_of(method) in _SAME_SIZE_METHODS and not given:
        return count(function.child_by_field_name("object"))
    return None


def is_whole(value: str) -> bool:
    """Whether a text can be stored verbatim: no lone surrogate, and no byte that could not be decoded."""
    return "\N{REPLACEMENT CHARACTER}" not in value and not any("\ud800" <= one <= "\udfff" for one in value)


def errors(tree: Tree, lost: str = "tests") -> list[Note]:
    """Report the first place where parsing failed, how many more there are, and what may be `lost` there."""
    if refused := refusal(tree):
        return [Note(0, f"the file cannot be read: {refused}; {lost} in it are missing")]
    lines: set[int] = set()
    pending = [tree.root_node]
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            lines.add(node.start_point.row + 1)
        elif node.has_error:
            pending.extend(node.children)
    first, *others = sorted(lines) or [1]
    more = f", and so it is at {len(others)} more places" if others else ""
    return [Note(first, f"the syntax is broken here{more}; {lost} nearby may be missing")]


SIZE_LIMIT: Final = 8 << 20  # bytes; a larger module is generated data and would stall the parser
_COOKIE: Final = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK: Final = re.compile(rb"[ \t\f]*(?:#[^\r\n]*)?$")
_UTF8: Final = frozenset({"utf-8", "utf8", "utf_8", "utf-8-sig"})


@dataclass(frozen=True, slots=True)
class Text:
    """A module's source as UTF-8, line for line, and why Python would not read it like that ("" if it would)."""

    source: bytes
    reason: str = ""


def read_text(data: bytes) -> Text:
    """Decode a module as Python does; where Python would reject the encoding, continue and give the reason."""
    if len(data) > SIZE_LIMIT:
        return Text(b"", f"the file is larger than {SIZE_LIMIT >> 20} MiB and was not parsed")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Text(b"", "the file is UTF-16, which Python does not read as source, and was not parsed")
    if b"\0" in data:
        return Text(b"", "the file contains NUL bytes, for which Python refuses it, and was not parsed")
    encoding = (None if data.startswith(codecs.BOM_UTF8) else declared_encoding(data)) or "utf-8"
    return Text(data) if data.isascii() and encoding in _UTF8 else _recode(data, encoding)


def declared_encoding(data: bytes) -> str | None:
    """Return the encoding declared by a comment in the first two lines, in lower case."""
    for line in data.split(b"\n", 2)[:2]:
        found = _COOKIE.match(line)
        if found:
            return found.group(1).decode("ascii", "replace").lower()
        if not _BLANK.match(line.rstrip(b"\r")):
            return None
    return None


def _recode(data: bytes, encoding: str) -> Text:
    try:
        text = data.decode(encoding)
    except LookupError:
        return Text(data.decode("utf-8", "replace").encode(), f"the file declares the unknown encoding {encoding!r}")
    except UnicodeError:
        return Text(data.decode("latin-1").encode(), f"the file is not valid {encoding}, for which Python refuses it")
    return Text(data if encoding in _UTF8 else text.encode())
