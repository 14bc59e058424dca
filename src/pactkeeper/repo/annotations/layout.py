"""Where the header, body and first statement of a declaration are in each language's syntax tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from pactkeeper.intent.tests import Scope
from pactkeeper.repo.languages.trees import captures

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


@dataclass(frozen=True, slots=True)
class Extent:
    """The byte ranges of one declaration; `row` and `column` are where its statement starts, 0-based.

    `header_end` is where its body starts, `first` its first real statement, `body` the range of the definition that
    owns its docstring.
    """

    scope: Scope
    start: int
    row: int
    column: int
    header_end: int
    header_row: int
    first: int
    end: int
    body: tuple[int, int]

    def encloses(self, node: Node) -> bool:
        """Whether `node` lies inside the declaration."""
        return self.start <= node.start_byte and node.end_byte <= self.end


class Layout(Protocol):
    """What attachment needs to know about a language."""

    indented: bool
    leader: bytes

    def extent(self, node: Node, scope: Scope) -> Extent:
        """Measure a declaration."""

    def comments(self, root: Node) -> list[Node]:
        """Return every comment below `root`."""

    def docstrings(self, tree: Tree) -> Iterator[tuple[Node, Node | None]]:
        """Yield every docstring with the definition it documents, None for the module."""

    def defines(self, statement: Node) -> bool:
        """Whether a statement may declare something that a comment directly above it refers to."""

    def first_code(self, root: Node) -> int:
        """Return the byte where the file's code starts, after its docstring and directives."""

    def statement_below(self, comment: Node) -> Node | None:
        """Return the statement that starts on the line below a comment."""

    def declaration_at(self, root: Node, at: int) -> Node | str:
        """Return the declaration at byte `at`, first on its line, or why no comment line may be added above it."""


class _Tree:
    """What the languages' trees have in common."""

    def comments(self, root: Node) -> list[Node]:
        """Return every comment below a root, including those in JSX."""
        found: list[Node] = []
        cursor = root.walk()
        descend = True
        while True:
            node = cursor.node
            if descend and node is not None and node.type in {"comment", "html_comment"}:
                found.append(node)
            if (descend and cursor.goto_first_child()) or cursor.goto_next_sibling():
                descend = True
            elif cursor.goto_parent():
                descend = False
            else:
                return found

    def statement_below(self, comment: Node) -> Node | None:
        """Return the outermost node that starts first on the line below a comment, inside the comment's own block."""
        node = comment.next_named_sibling
        while node is not None and node.type == "comment":
            node = node.next_named_sibling
        if node is not None and node.type == "block":
            node = node.named_child(0)
        if node is None or node.start_point.row > comment.end_point.row + 1:
            return None
        return node


class PythonLayout(_Tree):
    """Python: a definition with its decorators, a colon, and a block whose first string may be a docstring."""

    indented = True
    leader = b"#"

    def extent(self, node: Node, scope: Scope) -> Extent:
        """Measure a definition."""
        definition = node.child_by_field_name("definition") or node
        block = definition.child_by_field_name("body")
        colon = next((child for child in reversed(definition.children) if child.type == ":"), None)
        header_end, header_row = (colon.end_byte, colon.end_point.row) if colon else (node.end_byte, node.end_point.row)
        return Extent(
            scope,
            node.start_byte,
            node.start_point.row,
            node.start_point.column,
            header_end,
            header_row,
            _first_statement(block) if block else node.end_byte,
            node.end_byte,
            definition.byte_range,
        )

    def docstrings(self, tree: Tree) -> Iterator[tuple[Node, Node | None]]:
        """Yield every docstring of a module, class or function."""
        for body in captures("[(module) (block)] @body", tree.language, tree.root_node).get("body", ()):
            owner = body.parent
            if owner is not None and owner.type not in {"function_definition", "class_definition"}:
                continue
            statement = next((child for child in body.named_children if child.type != "comment"), None)
            if statement is not None and _is_docstring(statement):
                yield statement.named_children[0], owner

    def defines(self, statement: Node) -> bool:
        """Whether the statement is a definition."""
        return statement.type in {"function_definition", "class_definition", "decorated_definition"}

    def first_code(self, root: Node) -> int:
        """Return where code starts after the module's docstring."""
        return _first_statement(root)

    def declaration_at(self, root: Node, at: int) -> Node | str:
        """Return the definition, with its decorators, that starts at `at`."""
        node = _outermost_at(root, at)
        if node is None or not self.defines(node):
            return "no definition starts on that line"
        return node


def _is_docstring(statement: Node) -> bool:
    children = statement.named_children
    return statement.type == "expression_statement" and len(children) == 1 and children[0].type == "string"


def _first_statement(block: Node) -> int:
    statements = [child for child in block.named_children if child.type != "comment"]
    if statements and _is_docstring(statements[0]):
        statements.pop(0)
    return statements[0].start_byte if statements else block.end_byte


_FUNCTIONS = frozenset({"arrow_function", "function_expression", "generator_function"})
_WRAPPERS = frozenset(
    {"expression_statement", "await_expression", "export_statement", "lexical_declaration", "variable_declarator",
     "variable_declaration", "parenthesized_expression", "non_null_expression", "unary_expression",
     "return_statement", "call_expression", "member_expression"}
)  # fmt: skip


class JavaScriptLayout(_Tree):
    """JavaScript: a call whose last function argument is the body, or a method or property with a function."""

    indented = False
    leader = b"//"

    def extent(self, node: Node, scope: Scope) -> Extent:
        """Measure a declaring call together with the statement it forms."""
        statement = _statement(node)
        body = _callback_body(node)
        braces = body is not None and body.type == "statement_block"
        header_end = node.end_byte if body is None else body.start_byte + braces
        header_row = node.end_point.row if body is None else body.start_point.row
        first = node.end_byte if body is None else body.start_byte
        if body is not None and braces:
            inner = [child for child in body.named_children if child.type != "comment"]
            first = inner[0].start_byte if inner else body.end_byte
        start = statement.start_point
        return Extent(
            scope,
            statement.start_byte,
            start.row,
            start.column,
            header_end,
            header_row,
            first,
            statement.end_byte,
            node.byte_range,
        )

    def docstrings(self, tree: Tree) -> Iterator[tuple[Node, Node | None]]:
        """Yield nothing: a JSDoc block is a comment."""
        del tree
        return iter(())

    def defines(self, statement: Node) -> bool:
        """Whether it is a definition, or a call with a callback, which may be a test under another name."""
        if statement.type == "export_statement":
            statement = statement.child_by_field_name("declaration") or statement
        if statement.type in {
            "function_declaration",
            "generator_function_declaration",
            "class_declaration",
            "abstract_class_declaration",
            "method_definition",
        }:
            return True
        call = _unwrapped(statement)
        return call.type == "call_expression" and (_callback_body(call) is not None or _is_titled(call))

    def first_code(self, root: Node) -> int:
        """Return where code starts after the directives."""
        for child in root.named_children:
            inner = child.named_child(0) if child.type == "expression_statement" else None
            directive = inner is not None and inner.type == "string"
            if child.type not in {"comment", "html_comment", "hash_bang_line"} and not directive:
                return child.start_byte
        return root.end_byte

    def declaration_at(self, root: Node, at: int) -> Node | str:
        """Return the declaring call, method or property of the statement that starts at `at`."""
        node = _outermost_at(root, at)
        if node is None:
            return "no statement starts on that line"
        if any(ancestor.type in _UNSAFE or ancestor.type.startswith("jsx_") for ancestor in _up_to_block(node)):
            return "it stands inside a template, JSX or broken syntax"
        declaration = _unwrapped(node)
        if declaration.type not in _DECLARING:
            return "no call, method or property starts on that line"
        after = node.next_named_sibling
        if after is not None and after.type != "comment" and after.start_point.row == node.start_point.row:
            return "it shares its line with another statement"
        if any(_callback_body(call) is not None for call in _calls_on_row(declaration, node.start_point.row)):
            return "it shares its line with what it encloses"
        return declaration


_DECLARING = frozenset({"call_expression", "method_definition", "pair"})
_UNSAFE = frozenset({"template_string", "template_substitution", "string", "comment", "ERROR", "regex"})


def _outermost_at(root: Node, at: int) -> Node | None:
    """Return the largest node below the root that starts at a byte."""
    node = root.descendant_for_byte_range(at, at + 1)
    if node is None or node.start_byte != at:
        return None
    while (parent := node.parent) is not None and parent.start_byte == at and parent.type not in _CONTAINERS:
        node = parent
    return node


_CONTAINERS = frozenset({"module", "block", "program", "statement_block", "class_body", "switch_case", "arguments"})


def _up_to_block(node: Node) -> Iterator[Node]:
    here: Node | None = node
    while here is not None and here.type not in {"program", "statement_block", "class_body"}:
        yield here
        here = here.parent


def _unwrapped(node: Node) -> Node:
    """Descend from a statement to the call that it consists of."""
    while node.type in _WRAPPERS and node.type != "call_expression" and node.named_children:
        node = node.child_by_field_name("declaration") or node.child_by_field_name("value") or node.named_children[-1]
    return node


def _calls_on_row(declaration: Node, row: int) -> Iterator[Node]:
    """Yield the calls inside a declaration's body that start on the declaration's first line."""
    body = _callback_body(declaration)
    pending = [body] if body is not None else []
    while pending:
        node = pending.pop()
        if node.start_point.row != row:
            continue
        if node.type == "call_expression":
            yield node
        pending.extend(node.named_children)


def _statement(node: Node) -> Node:
    """Climb from a call to the statement that consists of it."""
    while (parent := node.parent) is not None and parent.type in _WRAPPERS:
        node = parent
    return node


def _is_titled(call: Node) -> bool:
    """Whether a call has a title and a named function, or is a `todo`: a test without an inline body."""
    arguments = call.child_by_field_name("arguments")
    given = [child.type for child in arguments.named_children if child.type != "comment"] if arguments else []
    if not given or given[0] not in {"string", "template_string"}:
        return False
    function = call.child_by_field_name("function")
    return given[1:2] == ["identifier"] or (function is not None and (function.text or b"").endswith(b".todo"))


def _callback_body(node: Node) -> Node | None:
    """Return the body of a call's last function argument, or of the function in a property or method."""
    arguments = node.child_by_field_name("arguments")
    if arguments is not None:
        functions = [child for child in arguments.named_children if child.type in _FUNCTIONS]
        return functions[-1].child_by_field_name("body") if functions else None
    value = node.child_by_field_name("value")
    return (value or node).child_by_field_name("body")


_PYTHON: Final[Layout] = PythonLayout()
_JAVASCRIPT: Final[Layout] = JavaScriptLayout()


def layout_of(tree: Tree) -> Layout:
    """Return the layout of a tree's language; the root can't tell, since a file being edited has an ERROR there."""
    return _PYTHON if tree.language.name == "python" else _JAVASCRIPT  # TypeScript's grammars have no name
