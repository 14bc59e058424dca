"""What the tests of a Python file state, read from its syntax tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tree_sitter import Node

from pactkeeper.intent.claims import Expression, TestEvidence
from pactkeeper.intent.tests import Test
from pactkeeper.repo.languages.python.claims.decorators import Table, docstring, expects, markers, table
from pactkeeper.repo.languages.python.claims.expressions import Scope, children_of, text_of
from pactkeeper.repo.languages.python.claims.helpers import Module, Project
from pactkeeper.repo.languages.python.claims.reading import Reading
from pactkeeper.repo.languages.python.claims.statements import read_block
from pactkeeper.repo.languages.python.syntax import imported_names


def python_evidence(
    path: str, source: bytes, *, tests: Sequence[Test], read: Callable[[str], bytes | None]
) -> Mapping[str, TestEvidence]:
    """Return the evidence of the given tests of one file by test id; empty for a test whose function isn't found."""
    module = Module.of(path, source)
    project = Project(module, read)
    lines = source.split(b"\n")
    found: dict[str, TestEvidence] = {}
    for test in tests:
        node = function_at(module.root, lines, test.name_line)
        nothing = TestEvidence(test.id, test.suite, test.name)
        found[test.id] = _read(test, node, module, project) if node is not None else nothing
    return found


def _read(test: Test, node: Node, module: Module, project: Project) -> TestEvidence:
    """Return the evidence of one test; source nested too deeply for the interpreter yields only a reason."""
    try:
        return _evidence(test, node, module, project)
    except RecursionError:
        return TestEvidence(test.id, test.suite, test.name, reasons=("unresolvable_value",))


def _evidence(test: Test, node: Node, module: Module, project: Project) -> TestEvidence:
    owners = owners_of(node)
    owner = owners[0] if owners else None
    reading = Reading(Scope(module.modules | local_modules(node)), project.following(owner))
    read_block(node.child_by_field_name("body"), reading)
    definitions = _definitions(reading)
    decorated = [node, *owners]
    rows = _joined([table(one, reading.scope) for one in decorated])
    return TestEvidence(
        test_id=test.id,
        suite=test.suite,
        name=text_of(node.child_by_field_name("name")),
        docstring=docstring(node),
        parameters=rows.names,
        claims=tuple(reading.claims),
        definitions=definitions,
        actions=tuple(reading.actions),
        reasons=tuple(dict.fromkeys(reading.reasons)),
        rows=rows.rows,
        markers=tuple(dict.fromkeys(name for one in decorated for name in markers(one))),
        expects=expects(decorated, strict=project.strict),
    )


def _definitions(reading: Reading) -> tuple[tuple[str, Expression], ...]:
    once = (name for name, count in reading.assignments.items() if count == 1)
    return tuple((name, value) for name in once if (value := reading.bindings.get(name)) is not None)


def _joined(tables: list[Table]) -> Table:
    names = tuple(name for one in tables for name in one.names)
    filled = [one for one in tables if one.names]
    return Table(names, filled[0].rows if len(filled) == 1 else ())


def function_at(root: Node, lines: Sequence[bytes], line: int) -> Node | None:
    """Return the function named on a line; it encloses the line's last character, so the file isn't walked."""
    row = line - 1
    column = len(lines[row].rstrip()) - 1 if 0 <= row < len(lines) else -1
    node = root.descendant_for_point_range((row, column), (row, column)) if column >= 0 else None
    while node is not None:
        name = node.child_by_field_name("name") if node.type == "function_definition" else None
        if name is not None and name.start_point.row == row:
            return node
        node = node.parent
    return None


def owners_of(node: Node) -> list[Node]:
    """Return the classes that enclose a function, innermost first."""
    found = []
    parent = node.parent
    while parent is not None:
        if parent.type == "class_definition":
            found.append(parent)
        parent = parent.parent
    return found


def local_modules(node: Node) -> frozenset[str]:
    """Return the modules that a function imports itself, by the names that it gives them."""
    imports = (one for one in children_of(node, "body") if one.type == "import_statement")
    return frozenset(known for one in imports for known, _ in imported_names(one))
