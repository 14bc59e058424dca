"""What decorators and module marks say about a test: whether it runs, whether its failure counts, and its rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from tree_sitter import Node

from pactkeeper.intent.claims import (
    Argument,
    Call,
    Claim,
    Collection,
    Expression,
    Name,
    Opaque,
    Operation,
    Value,
    children,
)
from pactkeeper.intent.strength.folding import is_spread, numbers_of, truth_of
from pactkeeper.intent.strength.loops import in_any_order, taken_from
from pactkeeper.intent.strength.program import MOST_ROWS, Skip, Table
from pactkeeper.intent.strength.substitution import simplified
from pactkeeper.intent.strength.terms import negated_term, rebuilt
from pactkeeper.repo.languages.python.claims.decorators import called_decorators, decorators, parametrized
from pactkeeper.repo.languages.python.claims.expressions import (
    Scope,
    arguments_of,
    children_of,
    expression,
    sorted_out,
    text_of,
)
from pactkeeper.repo.languages.python.claims.helpers import Module, assignments, parse
from pactkeeper.repo.languages.python.strength.statements import missing_import

_MARKS = frozenset({"skip", "skipif", "xfail", "skipIf", "skipUnless", "expectedFailure"})
_ALL_TESTS = "pytestmark"
_ADDING = frozenset({"pytestmark.append", "pytestmark.extend"})
_NESTING = frozenset({"block", "try_statement", "with_statement", "finally_clause", "else_clause"})
_NAMED = re.compile(r"\bname\s*+=\s*+[\"'](\w++)[\"']")
_UNCONDITIONAL = 3  # parts of a comprehension: element, variable, and what it goes through
_SKIPPED_ROWS = frozenset({"skip", "xfail"})


def skips_of(node: Node, origin: str, module: Module) -> Iterator[Skip]:
    """Yield the skips among the decorators of a test or class."""
    for mark in decorators(node):
        found = skip_of(mark, origin, module)
        if found is not None:
            yield found


def stated_skips(block: Node, origin: str, module: Module) -> Iterator[Skip]:
    """Yield the skips that `pytestmark` and skip calls state in a file or class body, including conditional ones."""
    for statement, condition in _statements(block, None, module):
        inner = statement.named_children[0] if statement.named_children else None
        if statement.type != "expression_statement" or inner is None:
            continue
        plain = inner.type == "call" and text_of(inner.child_by_field_name("function")) in {"pytest.skip", "skip"}
        found = [Skip("skip", None, origin, inner.start_point.row + 1)] if plain and origin == "file" else []
        marks = [skip_of(mark, origin, module) for mark in _marks(inner, module)]
        missing = missing_import(inner)
        found += [Skip("skip", missing, "file", inner.start_point.row + 1)] if missing is not None else []
        for skip in (*found, *filter(None, marks)):
            yield replace(skip, condition=_both(condition, skip.condition))


def switch_of(blocks: Iterable[tuple[Node, str, Module]], origin: str) -> Iterator[Skip]:
    """Yield the skip where a computed `__test__` is false: the first of these blocks that sets its name decides."""
    for block, name, module in blocks:
        for left, right in assignments(block) if name in text_of(block) else ():
            if text_of(left) == name and right is not None:
                wanted = expression(right, Scope(module.modules))
                known = truth_of(wanted) is not None  # then it is collected, or it isn't
                yield from [] if known else [Skip("skip", negated_term(wanted), origin, left.start_point.row + 1)]
                return


def declared_under(node: Node, module: Module) -> Iterator[Skip]:
    """Yield a skip for each condition under which alone a test is defined at all."""
    child, parent = node, node.parent
    while parent is not None:
        branch = parent.parent if parent.type in {"elif_clause", "else_clause"} else parent
        if branch is not None and branch.type == "if_statement" and child.type == "block":
            asked = parent.child_by_field_name("condition") or branch.child_by_field_name("condition")
            condition = expression(asked, Scope(module.modules))
            lacking = condition if parent.type == "else_clause" else negated_term(condition)
            yield Skip("skip", lacking, "declaration", parent.start_point.row + 1)
        elif parent.type == "except_clause":
            yield Skip("skip", Opaque("nothing is raised"), "declaration", parent.start_point.row + 1)
        child, parent = parent, parent.parent


def _statements(block: Node, condition: Expression | None, module: Module) -> Iterator[tuple[Node, Expression | None]]:
    """Yield every statement of a block, nested ones included, each with the condition for it to run."""
    test: Expression | None = None
    for child in block.named_children:
        if child.type == "if_statement":
            test = expression(child.child_by_field_name("condition"), Scope(module.modules))
            for inner in child.named_children:
                other = inner.type in {"elif_clause", "else_clause"}
                yield from _statements(inner, _both(condition, negated_term(test) if other else test), module)
        elif child.type == "except_clause":
            yield from _statements(child, _both(condition, Opaque("something is raised")), module)
        elif child.type in _NESTING:
            yield from _statements(child, condition, module)
        else:
            yield child, condition


def _both(one: Expression | None, other: Expression | None) -> Expression | None:
    return Operation("and", (one, other)) if one is not None and other is not None else one or other


def _marks(node: Node, module: Module) -> Iterator[Node]:
    """Yield the marks that a statement applies to all tests around it: `pytestmark = …`, `+=`, `.append(…)`."""
    if node.type in {"assignment", "augmented_assignment"} and text_of(node.child_by_field_name("left")) == _ALL_TESTS:
        yield from _listed(node.child_by_field_name("right"), module)
    elif node.type == "call" and text_of(node.child_by_field_name("function")) in _ADDING:
        for each in children_of(node, "arguments"):
            yield from _listed(each, module)


def _listed(value: Node | None, module: Module) -> Iterator[Node]:
    if value is None:
        return
    held = _held(text_of(value), module) if value.type == "identifier" else None
    if held is not None and held.type in {"list", "tuple"}:
        value = held
    yield from value.named_children if value.type in {"list", "tuple"} else [value]


def _held(name: str, module: Module) -> Node | None:
    """Return what a name of the file is assigned first; None if nothing."""
    return next((right for left, right in assignments(module.root) if text_of(left) == name), None)


def skip_of(mark: Node, origin: str, module: Module) -> Skip | None:
    """Return a mark as a skip; None for any other mark."""
    callee = mark.child_by_field_name("function") if mark.type == "call" else mark
    dotted = text_of(callee)
    name, line = dotted.rpartition(".")[2], mark.start_point.row + 1
    if name not in _MARKS:
        return _named_mark(dotted, module, origin)
    scope = Scope(module.modules)
    given = arguments_of(mark.child_by_field_name("arguments"), scope) if mark.type == "call" else ()
    positional, named = sorted_out(given)
    condition = positional[0] if positional else named.get("condition")
    if name == "skip":
        return Skip("skip", None, origin, line)
    if name in {"skipif", "skipIf"}:
        return Skip("skip", _condition(condition, scope), origin, line)
    if name == "skipUnless":
        return Skip("skip", negated_term(stated) if (stated := _condition(condition, scope)) else None, origin, line)
    strict = named.get("strict") == Value("boolean", "True")
    return Skip("xfail", _condition(condition, scope) if name == "xfail" else None, origin, line, strict=strict)


def _named_mark(dotted: str, module: Module, origin: str) -> Skip | None:
    """Resolve a mark assigned to a name in the file: `needs_x = pytest.mark.skipif(...)`."""
    right = _held(dotted, module) if dotted.isidentifier() else None
    return skip_of(right, origin, module) if right is not None and right.type == "call" else None


def _condition(one: Expression | None, scope: Scope) -> Expression | None:
    """Return a condition, parsing the string form that pytest also accepts."""
    if not isinstance(one, Value) or one.kind != "string":
        return one
    try:
        ast.parse(one.text, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return Opaque(one.text)
    root = parse(one.text.encode()).root_node
    inner = root.named_children[0].named_children if root.named_children else []
    return expression(inner[0], scope) if inner else Opaque(one.text)


def tables_of(node: Node, module: Module, values: Mapping[Expression, Expression]) -> Iterator[Table]:
    """Yield the parametrizations of a test or class, also of marks that the file gives a name."""
    scope = Scope(module.modules)
    named = (_held(text_of(one), module) if one.type == "identifier" else one for one in decorators(node))
    for mark in (one for one in named if one is not None and one.type == "call"):
        name = text_of(mark.child_by_field_name("function"))
        given = arguments_of(mark.child_by_field_name("arguments"), scope)
        if name.rpartition(".")[2] == "given":
            yield _drawn(given, node)
        elif name.endswith("parametrize"):
            yield _parametrize(given, values, text_of(mark))
        elif name.endswith("parameterized.expand") and given:
            yield _expanded(given[0].value, values, node)


def rows_of_fixture(
    mark: Node, column: str, module: Module, values: Mapping[Expression, Expression]
) -> Iterator[Table]:
    """Yield what the `params` of a fixture's mark fill a column with; nothing if they are computed."""
    given = arguments_of(mark.child_by_field_name("arguments"), Scope(module.modules)) if mark.type == "call" else ()
    for one in given:
        written = _written_out(one.value, values) if one.name == "params" else None
        if isinstance(written, Collection):
            rows = (_row(row, 1) for row in written.items)
            yield Table((column,), tuple(row for row in rows if row is not None))


def _drawn(given: tuple[Argument, ...], node: Node) -> Table:
    """Return what hypothesis draws: positional strategies fill the last parameters."""
    names = [text_of(child).partition(":")[0] for child in children_of(node, "parameters")]
    positional, named = sorted_out(given)
    drawn = dict(zip(names[len(names) - len(positional) :], positional, strict=False)) | named
    values = tuple(Operation("drawn", (value,)) for value in drawn.values())
    return Table(tuple(drawn), (values,))


def quiet_marks(node: Node) -> Iterator[Claim]:
    """Yield what `filterwarnings("error")` or `filterwarnings("error::Category")` claims: the test warns of nothing."""
    for name, mark in called_decorators(node):
        if name.endswith("mark.filterwarnings"):
            given = arguments_of(mark.child_by_field_name("arguments"), Scope())
            texts = (one.value.text.split(":") for one in given if isinstance(one.value, Value))
            for action, *rest in texts:
                if action == "error" and not any(part for at, part in enumerate(rest) if at != 1):
                    yield Claim("warns", Name(rest[1] if len(rest) > 1 and rest[1] else "Warning"), negated=True)


def tries_of(node: Node) -> int | None:
    """Return how many examples `@settings(max_examples=...)` asks for; None if unset."""
    for name, mark in called_decorators(node):
        if name.rpartition(".")[2] == "settings":
            _, named = sorted_out(arguments_of(mark.child_by_field_name("arguments"), Scope()))
            asked = named.get("max_examples")
            if isinstance(asked, Value) and asked.text.isdigit():
                return int(asked.text)
    return None


def _parametrize(given: tuple[Argument, ...], values: Mapping[Expression, Expression], text: str) -> Table:
    names, written = parametrized(given)
    written = _written_out(written, values) if written is not None else None
    if not isinstance(written, Collection):
        over = None if written is None else in_any_order(written)
        chosen = isinstance(over, Operation) and over.operator == "each" and len(over.operands) > _UNCONDITIONAL
        some = over if over is not None and (chosen or taken_from(over) is not over) else None
        return Table(names, None, names[0] if names else text, some)
    rows = [_row(row, len(names)) for row in written.items]
    return Table(names, tuple(row for row in rows if row is not None))


def _expanded(written: Expression, values: Mapping[Expression, Expression], node: Node) -> Table:
    written = _written_out(written, values)
    names = (text_of(child) for child in children_of(node, "parameters") if child.type == "identifier")
    own = tuple(name for name in names if name != "self")
    if not isinstance(written, Collection):
        return Table(own, None, own[0] if own else "")
    return Table(own, tuple(row.items if isinstance(row, Collection) else (row,) for row in written.items))


def _written_out(written: Expression, values: Mapping[Expression, Expression]) -> Expression:
    return numbers_of(_resolved(in_any_order(written), values), most=MOST_ROWS)


def _resolved(written: Expression, values: Mapping[Expression, Expression]) -> Expression:
    """Return the table that a name holds, or that is made of tables; what stands in its rows is left as it is."""
    held = values.get(written)
    if held is not None and not (isinstance(held, Operation) and held.operator == "each"):
        return held
    match held or written:
        case Collection(kind=kind, items=items):
            return simplified(
                Collection(kind, tuple(_resolved(one, values) if is_spread(one) else one for one in items))
            )
        case Operation(operator="each", operands=(element, variable, over, *conditions)):
            made = Operation("each", (element, variable, _resolved(over, values), *conditions))
            listed = simplified(Collection("list", (Operation("spread", (made,)),)))
            return made if children(listed) == (Operation("spread", (made,)),) else listed
    return simplified(rebuilt(written, lambda part: _resolved(part, values)))


def _row(row: Expression, width: int) -> tuple[Expression, ...] | None:
    """Return one row; None if it has a mark that keeps it from running."""
    if isinstance(row, Call) and getattr(row.function, "name", "") == "param":
        marks = next((argument.value for argument in row.arguments if argument.name == "marks"), None)
        if marks is not None and _skips_row(marks):
            return None
        return tuple(argument.value for argument in row.arguments if argument.name is None)
    if width == 1:
        return (row,)
    return row.items if isinstance(row, Collection) and row.kind in {"tuple", "list"} else (row,)


def _skips_row(marks: Expression) -> bool:
    listed = marks.items if isinstance(marks, Collection) else (marks,)
    for mark in listed:
        function = mark.function if isinstance(mark, Call) else mark
        name = function.name if isinstance(function, Name) else getattr(function, "name", "")
        if name in _SKIPPED_ROWS:
            return True
    return False


def fixture_mark(node: Node) -> Node | None:
    """Return the decorator that makes a function a fixture."""
    for mark in decorators(node):
        callee = mark.child_by_field_name("function") if mark.type == "call" else mark
        if text_of(callee).rpartition(".")[2] in {"fixture", "yield_fixture"}:
            return mark
    return None


def fixtures_of(module: Module) -> dict[str, Node]:
    """Return a file's fixtures by the names that tests may request; function names take precedence."""
    found: dict[str, Node] = {}
    marks = {name: fixture_mark(node) for name, node in module.functions.items()}
    for name, mark in marks.items():
        given = _NAMED.search(text_of(mark)) if mark is not None else None
        if given is not None:
            found.setdefault(given[1], module.functions[name])
    return {**found, **{name: module.functions[name] for name, mark in marks.items() if mark is not None}}


def is_autouse(node: Node) -> bool:
    """Whether a function is a fixture that runs without being requested."""
    mark = fixture_mark(node)
    return mark is not None and "autouse=True" in text_of(mark).replace(" ", "")
