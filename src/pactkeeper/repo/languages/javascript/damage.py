"""Report broken syntax with a line and a reason; valid code that the grammars reject doesn't count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pactkeeper.repo.languages.trees import captures, refusal

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_VARIANCE = re.compile(
    rb"(?:export\s++type\s*+\*|(?:[<,]\s*+|^[^\S\n]*+)(?:const\s++)?(?:in\s++out|in|out)\s++\w|\baccessor\b)",
    re.MULTILINE,
)


_DEEPEST = 1000  # brackets; climbing the tree from the inside takes time quadratic in the depth
_BRACKETS = bytes(set(range(256)) - set(b"()[]{}"))
_PAIR = re.compile(rb"\(\)|\[\]|\{\}")
_QUOTES = (b"'", b'"', b"`")
_PAIRED = frozenset("()[]{}'\"`")
_TESTER = re.compile(rb"\w{0,100}[tT]ester(?:\.\w{1,100}){0,3}\Z")
_UNPLACED = "no test of the file is listed, as what belongs to which suite is open"
_DECLARING = re.compile(rb"(?:it|test|describe|suite|specify|context|QUnit|Deno|exports)\s*[.(=`]")


def is_too_deep(source: bytes) -> bool:
    """Whether brackets nest deeper than any handwritten code: peel off innermost pairs until none are left."""
    brackets = source.translate(None, _BRACKETS)
    for _ in range(_DEEPEST):
        peeled = brackets.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
        if len(peeled) == len(brackets) or len(peeled) <= _DEEPEST:
            return False
        brackets = peeled
    return True


def moves(node: Node, source: bytes) -> bool:
    """Whether broken syntax may move the code after it into or out of its enclosing block.

    An unbalanced bracket or quote does: where a suite ends is then the parser's guess.
    """
    if node.is_missing:
        return node.type in _PAIRED
    text = source[node.start_byte : node.end_byte]
    brackets = text.translate(None, _BRACKETS)
    while len(peeled := _PAIR.sub(b"", brackets)) < len(brackets):
        brackets = peeled
    return bool(brackets) or any(text.count(quote) % 2 for quote in _QUOTES)


def problems(tree: Tree, source: bytes, *, unplaced: bool) -> tuple[tuple[int, str], ...]:
    """Return what hides tests: the first piece of broken syntax with their number, NUL bytes, invalid UTF-8.

    `unplaced` means that no test of the file is listed, because of broken syntax.
    """
    found: list[tuple[int, str]] = []
    if b"\0" in source:
        found.append((source[: source.index(b"\0")].count(b"\n") + 1, "the file has NUL bytes"))
    if _DECLARING.search(source) is not None:
        found += broken(tree, source, "tests around it may be missing" if not unplaced else _UNPLACED)
    try:
        source.decode()
    except UnicodeDecodeError as error:
        found.append((source[: error.start].count(b"\n") + 1, "the file is not UTF-8; names may be garbled"))
    return tuple(found)


def testers(root: Node) -> list[tuple[int, str]]:
    """Report statements that call a tester, such as `ruleTester.run(…)`: the tests it declares aren't read."""
    found = [call for call in map(_called, root.named_children) if call is not None]
    if not found:
        return []
    name = b" ".join((found[0].text or b"").split()).decode()
    said = "1 call" if len(found) == 1 else f"{len(found):,} calls"
    return [(found[0].start_point.row + 1, f"{said} of {name} may declare tests, which are not read")]


def _called(statement: Node) -> Node | None:
    """Return the function a statement calls if its first name ends in `tester`."""
    call = statement.named_children[0] if statement.type == "expression_statement" else None
    function = call.child_by_field_name("function") if call is not None and call.type == "call_expression" else None
    if function is None or function.type not in {"identifier", "member_expression"}:
        return None
    return function if _TESTER.match(function.text or b"") else None


def broken(tree: Tree, source: bytes, lost: str) -> list[tuple[int, str]]:
    """Report the first piece of broken syntax, with their number and what is `lost`."""
    nodes = errors(tree, source)
    if not nodes:
        return []
    if refused := refusal(tree):
        return [(0, f"the file cannot be read: {refused}")]
    row = min(node.start_point.row for node in nodes)
    more = f" ({len(nodes)} places)" if len(nodes) > 1 else ""
    return [(row + 1, f"syntax error{more}: {lost}")]


def errors(tree: Tree, source: bytes) -> list[Node]:
    """Return the outermost pieces of broken syntax, except valid code that the grammar doesn't support."""
    return [node for node in _errors(tree) if not _known(node, source)] if tree.root_node.has_error else []


def _known(node: Node, source: bytes) -> bool:
    """Whether an error is valid code that the grammar doesn't support: variance, any escape in a tagged template."""
    if source.startswith(b"\\", node.start_byte):
        template = node.parent
        while template is not None and template.type == "ERROR":  # covers the same bytes
            template = template.parent
        if template is not None and template.type == "template_string":
            return template.parent is not None and template.parent.type == "call_expression"
    row_start = source.rfind(b"\n", 0, node.start_byte) + 1
    row_end = source.find(b"\n", node.end_byte)
    line = source[row_start : row_end if row_end >= 0 else len(source)]
    return len(line) < 400 and _VARIANCE.search(line) is not None  # noqa: PLR2004 - a longer stretch is real damage


def _errors(tree: Tree) -> list[Node]:
    found = captures("[(ERROR) (MISSING)] @error", tree.language, tree.root_node)
    outer: list[Node] = []
    for node in sorted(found.get("error", ()), key=lambda node: (node.start_byte, -node.end_byte)):
        if not outer or node.start_byte >= outer[-1].end_byte or outer[-1].start_byte == outer[-1].end_byte:
            outer.append(node)
    return outer
