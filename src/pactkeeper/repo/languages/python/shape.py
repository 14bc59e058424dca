"""What looks like tests in a module that nothing collects: functions and methods, judging by name alone.

Also where a Python file calls functions by name and where it asserts, which tells what tests assert through helpers.

A byte search finds the few relevant places, and the tree says what they are: a query over the whole tree would take
longer than everything else read from a file.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.tests import Scope
from pactkeeper.repo.annotations import MENTION, collect
from pactkeeper.repo.languages.adapter import Glimpse
from pactkeeper.repo.languages.helpers import Helper, Mentions, Span, digests, search_names
from pactkeeper.repo.languages.python import normal
from pactkeeper.repo.languages.python.facts import Binding, File, Function, Group, Note
from pactkeeper.repo.languages.python.names import Names, Reading
from pactkeeper.repo.languages.python.recovery import (
    Layout,
    Recovered,
    atoms,
    decorators,
    describe,
    factor,
    lay_out,
    made,
    marks,
    owner_of,
    place,
    recover,
)
from pactkeeper.repo.languages.python.statements import ARMS, assignment, bases_of, deletion, imports
from pactkeeper.repo.languages.python.syntax import callee, errors, parse, read_text, text_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from pactkeeper.repo.languages.normal_form import Prepared


_COLLECTING = re.compile(r"pytest_(?:collect_(?:file|directory)|pycollect_make(?:item|module)|ignore_collect)\Z")
_FUNCTION = re.compile(r"test(?:_|[A-Z]|\Z)")
_CLASS = re.compile(r"test|spec|(?:Case|Suite)\Z", re.IGNORECASE)
_ASSERT = re.compile(rb"(?m)^[ \t]*+assert\b")
_GLOBALS = re.compile(rb"\bglobals\(\)\s*+[\[.]")
_PLACE = re.compile(r"(?:^|[/_.-])(?:tests?|testing|specs?)(?:[/_.-]|\Z)", re.IGNORECASE)


def glimpse(path: str, source: bytes) -> Glimpse | None:
    """Return what looks like tests in a module; outside of test folders, a `test…` function alone doesn't count."""
    file = parse_file(source, Reading(Names(())))  # functions that no name makes tests are not hashed
    lines = sorted(shaped(file, anywhere=_PLACE.search(path) is not None))
    hooks = any(binding.kind == "function" and _COLLECTING.match(binding.name) for binding in file.bindings)
    return Glimpse(len(lines), lines[0] if lines else 0, hooks) if lines or hooks else None


def shaped(file: File, *, anywhere: bool = True) -> Iterator[int]:
    """Yield the lines of functions that look like tests, including methods of classes that look like test classes."""
    for binding in file.bindings:
        if anywhere and _is_test(binding):
            yield binding.line
        elif binding.group is not None:
            yield from _methods(binding, anywhere=anywhere)


def may_test(file: File) -> bool:
    """Whether a module does more than hold values: it calls something, or has functions or test classes."""
    for binding in file.bindings:
        if binding.kind in {"function", "star"} or (binding.group is not None and "Test" in binding.name):
            return True
    return bool(file.made)


def asserting(file: File, source: bytes) -> Iterator[int]:
    """Yield the lines of functions and methods with an `assert`, whatever their names."""
    inner = (one for outer in file.bindings if outer.group is not None for one in outer.group.bindings)
    for binding in (*file.bindings, *inner):
        if binding.function is not None and _ASSERT.search(source, binding.function.start, binding.function.end):
            yield binding.line


def _methods(binding: Binding, *, anywhere: bool) -> Iterator[int]:
    group = binding.group
    names = (binding.name, *(group.bases if group is not None else ()))
    if group is not None and (anywhere or any(_CLASS.search(name) for name in names)):
        yield from (inner.line for inner in group.bindings if _is_test(inner))


def _is_test(binding: Binding) -> bool:
    return binding.kind == "function" and _FUNCTION.match(binding.name) is not None


_NAMING: Final = frozenset({"identifier", "call", "subscript", "attribute", "assignment"})
_DEPTH_LIMIT: Final = 60  # nested blocks at module and class level; real modules stay below ten
Branch = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """The position of a statement: what its names are bound in, under which alternatives, and how deep."""

    owner: File | Group
    branch: Branch = ()
    depth: int = 0

    def inside(self, *arm: int) -> _Place:
        """Return the place of a nested block, as one arm of a statement if `arm` is given."""
        return _Place(self.owner, (*self.branch, *arm), self.depth + 1)


def parse_file(data: bytes, reading: Reading) -> File:
    """Read everything from one module that may matter for tests."""
    text = read_text(data)
    tree = parse(text.source)
    broken = tree.root_node.has_error
    whole = recover(tree, text.source) if broken else Recovered(tree, text.source)
    walk = _Walk(whole.source, reading, lay_out(whole.tree, whole.source) if whole.tree.root_node.has_error else None)
    walk.block(whole.tree.root_node, _Place(walk.file))
    if text.reason:
        walk.file.broken.append(Note(0, text.reason))
    if whole.tree.root_node.has_error:
        walk.file.broken.extend(errors(whole.tree))
    walk.file.made.extend(_made_in_functions(walk, whole.tree))
    _hash(walk, whole.tree)
    _annotate(walk, whole.tree)
    for lost in whole.lost:
        if not walk.is_placed(lost.start):
            continue
        owner = owner_of(lost, walk.declared) or walk.file
        binding = describe(lost, text.source)
        place(binding, owner.bindings)
        what = lost.refused or f"the syntax of {binding.name} is broken"
        walk.file.broken.append(Note(binding.line, f"{what}; little is known of it"))
    return walk.file


@dataclass(slots=True)
class _Walk:
    """What is gathered while one file is read; `declared` are nodes with the facts that describe them.

    `broken` is the layout of broken source. `others` are functions whose names don't make them tests, though another
    name may.
    """

    source: bytes
    reading: Reading
    broken: Layout | None = None
    file: File = field(default_factory=File)
    declared: list[tuple[Node, Function | Group]] = field(default_factory=list)
    others: list[tuple[Node, Function]] = field(default_factory=list)

    def block(self, block: Node, place: _Place) -> None:
        """Read the statements of a block."""
        if place.depth > _DEPTH_LIMIT:
            self.file.broken.append(Note(block.start_point.row + 1, "blocks are nested too deeply to be followed"))
            return
        for statement in block.named_children:
            kind = statement.type
            if kind == "decorated_definition":
                inner = statement.child_by_field_name("definition")
                if inner is not None:
                    self.statement(inner.type, statement, inner, place)
            else:
                self.statement(kind, statement, statement, place)

    def statement(self, kind: str, outer: Node, node: Node, place: _Place) -> None:
        """Read one statement; `outer` includes the decorators of a decorated `node`."""
        if kind == "function_definition":
            self.function(outer, node, place)
        elif kind == "class_definition":
            self.group(outer, node, place)
        elif kind == "expression_statement":
            self.expression(node, place)
        elif kind in {"import_from_statement", "import_statement"}:
            place.owner.bindings.extend(imports(node, place.branch))
        elif kind == "delete_statement":
            place.owner.bindings.extend(deletion(node, place.branch))
        elif kind == "ERROR":
            self.block(node, place.inside())
        elif kind in ARMS:
            for body, arm in ARMS[kind](node):
                self.block(body, place.inside(*arm))

    def function(self, outer: Node, node: Node, place: _Place) -> None:
        """Record a function."""
        name = node.child_by_field_name("name")
        if name is None or not self.is_placed(outer.start_byte):
            return
        text = text_of(name)
        parameters = node.child_by_field_name("parameters")
        fact = Function(
            outer.start_point.row + 1,
            name.start_point.row + 1,
            outer.end_point.row + 1,
            outer.start_byte,
            outer.end_byte,
            takes=parameters is not None and parameters.named_child_count > isinstance(place.owner, Group),
        )
        if outer is not node:
            self.decorate(outer, fact, "test")
        if self.reading.functions.matches(text):
            self.declared.append((outer, fact))
        else:
            self.others.append((outer, fact))
        place.owner.bindings.append(Binding(text, "function", fact.name_line, place.branch, function=fact))

    def is_placed(self, start: int) -> bool:
        """Whether a function's classes are known: one that broken syntax moved out of its class can't be named."""
        return self.broken is None or self.broken.is_placed(start)

    def group(self, outer: Node, node: Node, place: _Place) -> None:
        """Record a class with everything in it."""
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is None:
            return
        bases, metaclass = bases_of(node)
        fact = Group(outer.start_point.row + 1, outer.start_byte, bases, metaclass)
        if outer is not node:
            self.decorate(outer, fact, "suite")
        self.declared.append((outer, fact))
        line = name.start_point.row + 1
        place.owner.bindings.append(Binding(text_of(name), "class", line, place.branch, group=fact))
        if body is not None:
            self.block(body, _Place(fact, (), place.depth + 1))

    def decorate(self, outer: Node, fact: Function | Group, scope: Scope) -> None:
        """Read the decorators of a definition."""
        expressions = decorators(outer)
        fact.decorators = tuple(callee(node) for node in expressions)
        self.mark(fact, expressions, scope)

    def mark(self, fact: Function | Group | File, found: Iterable[Node], scope: Scope) -> None:
        """Apply marks to what they mark."""
        for node in found:
            name = callee(node)
            fact.factors += factor(node, name)
            note = atoms(node, name, (scope, self.reading.prefix))
            if note is not None:
                fact.annotations += (note,)

    def expression(self, statement: Node, place: _Place) -> None:
        """Read an assignment, or a call that may make tests."""
        inner = statement.named_children[0] if statement.named_child_count else None
        if inner is None or inner.type not in {"call", "assignment", "augmented_assignment"}:
            return
        if inner.type == "assignment":
            for binding, value in assignment(inner, place.branch):
                place.owner.bindings.append(binding)
                if binding.name == "pytestmark":
                    self.mark(place.owner, marks(value), "suite" if isinstance(place.owner, Group) else "file")
                if binding.function is not None and self.reading.functions.matches(binding.name):
                    self.declared.append((statement, binding.function))
        note = made(inner, self.reading.functions)
        if note is not None:
            self.file.made.append(note)


def _made_in_functions(walk: _Walk, tree: Tree) -> Iterator[Note]:
    """Yield a note for every statement of a function that adds names to the module."""
    known = {note.line for note in walk.file.made}
    for hit in _GLOBALS.finditer(walk.source):
        node = tree.root_node.descendant_for_byte_range(hit.start(), hit.start() + 1)
        while node is not None and node.type in _NAMING:
            note = made(node, walk.reading.functions)
            if note is not None and note.reason and note.line not in known:
                yield note
            node = node.parent


def _hash(walk: _Walk, tree: Tree) -> None:
    functions = [(node, fact) for node, fact in walk.declared if isinstance(fact, Function)]
    if not functions:
        return
    declared = [(*node.byte_range, normal.declared_name(node)) for node, _ in functions]
    prepared = normal.prepare(tree, walk.source)
    for (node, fact), body_hash in zip(functions, prepared.body_hashes(declared), strict=True):
        fact.body_hash = body_hash
        fact.words = _words(node)
    _hash_helpers(walk, tree, prepared, [fact for _, fact in functions])


def _words(node: Node) -> str:
    """Return a digest of the docstring as written."""
    first = _first((node.child_by_field_name("definition") or node).child_by_field_name("body"))
    while first is not None and first.type == "comment":
        first = first.next_named_sibling
    said = _first(first) if first is not None and first.type == "expression_statement" else None
    if said is None or said.type not in {"string", "concatenated_string"} or said.text is None:
        return ""
    return hashlib.blake2b(said.text, digest_size=8).hexdigest()


def _first(node: Node | None) -> Node | None:
    return node.named_child(0) if node is not None and node.named_child_count else None


def _hash_helpers(walk: _Walk, tree: Tree, prepared: Prepared, tests: list[Function]) -> None:
    """Record for each test what it asserts through functions of its file."""
    asserted = assertions(tree, walk.source, [node.byte_range for node, _ in walk.others])
    if not asserted:
        return
    names = {node.byte_range: normal.declared_name(node) for node, _ in walk.others}
    helpers = [Helper(walk.source[slice(*name)].decode(), span) for span, name in names.items() if name is not None]
    calls = _calls(tree, walk.source, {one.name for one in helpers})
    found = digests(
        [(one.start, one.end) for one in tests],
        helpers,
        Mentions(list(calls), asserted),
        lambda span: prepared.body_hash(*span, name=names[span]),
    )
    for fact, digest in zip(tests, found, strict=True):
        fact.helpers = digest


def _annotate(walk: _Walk, tree: Tree) -> None:
    if MENTION not in walk.source:
        return
    scopes: list[tuple[Node, Scope]] = [
        (node, "test" if isinstance(fact, Function) else "suite") for node, fact in walk.declared
    ]
    found = collect(tree, walk.source, scopes, prefix=walk.reading.prefix)
    for (_, fact), notes in zip(walk.declared, found.declared, strict=True):
        fact.annotations += notes
    walk.file.annotations += found.file
    walk.file.loose = tuple(note.line for note in found.orphans)
    if found.orphans and walk.others:
        _annotate_others(walk, tree, scopes)


def _annotate_others(walk: _Walk, tree: Tree, scopes: list[tuple[Node, Scope]]) -> None:
    """Attach what is otherwise unattached to functions that may turn out to be tests; it stays loose until then."""
    others: list[tuple[Node, Scope]] = [(node, "test") for node, _ in walk.others]
    found = collect(tree, walk.source, [*scopes, *others], prefix=walk.reading.prefix)
    for (_, fact), notes in zip(walk.others, found.declared[len(scopes) :], strict=True):
        fact.annotations += tuple(note for note in notes if note.line in walk.file.loose)


_OWN: Final = frozenset((b"self", b"cls"))
_ASSERTING: Final = re.compile(rb"\b(?:assert\w*|expect\w*|raises|warns|fail)\b")


def assertions(tree: Tree, source: bytes, spans: Sequence[Span]) -> list[int]:
    """Return the byte positions of assertions within these spans, in order."""
    found = {hit.start() for span in spans for hit in _ASSERTING.finditer(source, *span)}
    return sorted(at for at in found if _asserts(tree, at))


def _asserts(tree: Tree, at: int) -> bool:
    node = tree.root_node.descendant_for_byte_range(at, at + 1)
    return node is not None and (node.type == "assert" or _called(node) is not None)


def _calls(tree: Tree, source: bytes, names: Collection[str]) -> Iterator[tuple[int, str]]:
    """Yield all calls of these names, directly or as a method of the same object."""
    for at, name in search_names(source, names):
        node = tree.root_node.descendant_for_byte_range(at, at + 1)
        called = _called(node) if node is not None else None
        if called is None:
            continue
        owner = called.child_by_field_name("object")
        if owner is None or owner.text in _OWN:
            yield at, name


def _called(node: Node) -> Node | None:
    """Return what is called by a name: the name itself, or the attribute that it ends; None if it isn't called."""
    if node.type != "identifier" or node.parent is None:
        return None
    parent = node.parent
    if parent.type == "attribute" and parent.child_by_field_name("attribute") == node:
        node = parent
    call = node.parent
    is_called = call is not None and call.type == "call" and call.child_by_field_name("function") == node
    return node if is_called else None
