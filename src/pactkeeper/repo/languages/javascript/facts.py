"""What one JavaScript or TypeScript file says about tests, independent of other files and settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from pactkeeper.intent.tests import Annotation
from pactkeeper.repo.languages.javascript import normal
from pactkeeper.repo.languages.javascript.syntax import CALLBACKS, arguments_of, bare, literal, squeezed, text, unescape

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from pactkeeper.repo.languages.normal_form import Prepared


TitleKind = Literal["none", "text", "computed", "function"]


class Target(msgspec.Struct, frozen=True, array_like=True):
    """A name followed by members, `it.skip`; `binding` is -1 for a global name."""

    root: str
    binding: int
    members: tuple[str, ...]


class Binding(msgspec.Struct, frozen=True, array_like=True):
    """What a name refers to where it is used.

    `import`: `imported` of `module` (`default`, `*` for the namespace, `=` for the result of `require`).
    `alias`: one of `targets`. `returns`: a function that returns one of `targets`. `function`: `functions[function]`.
    `parameter`: number `position` of the callback of `calls[owner]`, or of some other function if `owner` is -1;
    `imported` is the property that destructuring takes from it, empty for the whole.
    `made`: the property `imported` of the result of calling `targets[0]`, or the whole result if that is empty.
    `object`: a literal whose keys, in `imported`, hold the `targets`.
    `local`: anything else in the file, which therefore shadows a runner's name.
    """

    name: str
    kind: Literal["import", "alias", "returns", "function", "parameter", "made", "object", "local"]
    module: str = ""
    imported: str = ""
    targets: tuple[Target, ...] = ()
    function: int = -1
    owner: int = -1
    position: int = -1


class Call(msgspec.Struct, frozen=True, array_like=True):
    """A call that may declare a test or a suite, or may register those of another file.

    `members` are between the root and the declaring arguments, `("skip", "each")`; a computed one is `*`.
    `name_line` is where the arguments with the name open, which is the location that runners report.
    `parent` is the innermost call in the list whose callback contains this one, `function` the innermost function
    between the two that isn't a callback. `cases` counts the table of `.each`, `rounds` the iterations of loops up to
    the parent: 1 without any, 0 if unknown. `parameter` is the position of the function parameter that the title uses;
    `verbatim` means that the title is nothing else. `callback` means that an argument may be run, `inline` that it is a
    function written in place; `callback_name` is a callback passed by name, `handed` what that name refers to if it
    comes from another file. `text` is the source of a call whose function is unknown here. `helpers` is the digest of
    the functions in this file that assert for the call, empty if there are none. `alone` means that a call whose
    function is unknown here is a statement of its own.
    """

    target: Target
    title: str
    title_kind: TitleKind
    line: int
    name_line: int
    end_line: int
    arguments: int
    callback: bool
    inline: bool = True
    parent: int = -1
    function: int = -1
    cases: int = 1
    rounds: int = 1
    looped: bool = False
    body_hash: str = ""
    annotations: tuple[Annotation, ...] = ()
    parameter: int = -1
    verbatim: bool = False
    callback_name: str = ""
    handed: Target | None = None
    text: str = ""
    helpers: str = ""
    alone: bool = False


class Function(msgspec.Struct, frozen=True, array_like=True):
    """A function that contains calls and isn't a callback of one; `name` is empty for an anonymous one.

    `outer` is the enclosing function; `used` is False for a function that isn't exported or mentioned anywhere else.
    """

    name: str
    parameters: tuple[str, ...]
    outer: int = -1
    used: bool = True


class Export(msgspec.Struct, frozen=True, array_like=True):
    """What an exported name refers to: a target, a function, or something in another module.

    `name` is `default` for a default export, `=` for `module.exports` and `*` for everything that `module` exports.
    """

    name: str
    target: Target | None = None
    function: int = -1
    module: str = ""
    imported: str = ""


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """One file. `effects` are modules imported for their side effects; `problems` are (line, reason).

    `damaged` are the first and last lines of broken syntax; `unplaced` means that it obscures what encloses what.
    """

    calls: tuple[Call, ...] = ()
    bindings: tuple[Binding, ...] = ()
    functions: tuple[Function, ...] = ()
    exports: tuple[Export, ...] = ()
    effects: tuple[str, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    problems: tuple[tuple[int, str], ...] = ()
    damaged: tuple[tuple[int, int], ...] = ()
    unplaced: bool = False


def held(binding: Binding, members: tuple[str, ...]) -> tuple[tuple[Target, ...], tuple[str, ...]]:
    """Return what a name may refer to, and the members that remain: `kit.it.skip` is `it.skip`."""
    if binding.kind != "object":
        return binding.targets, members
    at = binding.imported.split(" ").index(members[0]) if members and members[0] in binding.imported.split(" ") else -1
    return (binding.targets[at : at + 1] if at >= 0 else ()), members[1:]


def unread_calls(count: int, names: str) -> str:
    """Return the reason of a gap for calls that look like declarations, although nothing says what is called."""
    shaped = (
        "1 call looks like a declaration and is" if count == 1 else f"{count:,} calls look like declarations and are"
    )
    return f"{shaped} not read: nothing says what {names} is; `[tests] runners` names test functions"


def encode(facts: Facts) -> bytes:
    """Encode facts for the cache."""
    return _encoder().encode(facts)


def decode(data: bytes) -> Facts:
    """Decode the output of `encode`."""
    return _decoder().decode(data)


@cache
def _encoder() -> msgspec.msgpack.Encoder:
    return msgspec.msgpack.Encoder()


@cache
def _decoder() -> msgspec.msgpack.Decoder[Facts]:
    return msgspec.msgpack.Decoder(Facts)


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


_HOOKS: Final = frozenset({"before", "after", "beforeEach", "afterEach"})
ROOTS: Final = {"suite": Target("describe", -1, ()), "test": Target("it", -1, ())}


def exported_tests(tree: Tree, source: bytes, facts: Facts) -> Facts:
    """Add the tests that the file exports as functions."""
    reader = _Reader(normal.prepare(tree, source), len(facts.calls))
    for statement in tree.root_node.named_children:
        assignment = statement.named_children[0] if statement.type == "expression_statement" else None
        if assignment is None or assignment.type != "assignment_expression":
            continue
        left, right = assignment.child_by_field_name("left"), assignment.child_by_field_name("right")
        if left is None or right is None or left.type not in {"member_expression", "subscript_expression"}:
            continue
        owner = left.child_by_field_name("object")
        key = left.child_by_field_name("property" if left.type == "member_expression" else "index")
        if key is None or owner is None:
            continue
        if text(left) == "module.exports" and right.type == "object":
            reader.entries(right)
        elif text(owner) in {"exports", "module.exports"}:
            reader.entry(key, right, assignment)
    return msgspec.structs.replace(facts, calls=facts.calls + tuple(reader.calls))


@dataclass(slots=True)
class _Reader:
    prepared: Prepared
    offset: int
    calls: list[Call] = field(default_factory=list)

    def entries(self, exported: Node) -> None:
        """Read an object of suites and tests iteratively, so that nesting doesn't use the stack."""
        waiting = [(exported, -1)]
        while waiting:
            entries, parent = waiting.pop(0)
            for pair in entries.named_children:
                key = pair.child_by_field_name("name" if pair.type == "method_definition" else "key")
                value = pair if pair.type == "method_definition" else pair.child_by_field_name("value")
                if key is not None and value is not None:
                    waiting += self.entry(key, value, pair, parent)

    def entry(self, key: Node, value: Node, whole: Node, parent: int = -1) -> list[tuple[Node, int]]:
        """Add one property; a suite is returned with its number so that its own properties are read next."""
        name = literal(key)
        title = text(key) if name is None else name
        value = bare(value)
        runs = value.type in CALLBACKS or value.type in {"method_definition", "identifier"}
        if title in _HOOKS or not (runs or value.type == "object"):
            return []
        role = "test" if runs else "suite"
        line, end = whole.start_point.row + 1, whole.end_point.row + 1
        body_hash = self.prepared.body_hash(*whole.byte_range, name=key.byte_range) if runs else ""
        number = self.offset + len(self.calls)
        self.calls.append(
            Call(ROOTS[role], title, "text", line, line, end, 2, callback=True, parent=parent, body_hash=body_hash)
        )
        if runs:
            return []
        if parent < 0 and whole.type == "assignment_expression":
            for nested in _pairs(value):
                self._nested(nested, number)
            return []
        return [(value, number)]

    def _nested(self, pair: tuple[Node, Node, Node], parent: int) -> None:
        waiting = self.entry(*pair, parent)
        while waiting:
            entries, number = waiting.pop(0)
            for nested in _pairs(entries):
                waiting += self.entry(*nested, number)


def _pairs(entries: Node) -> list[tuple[Node, Node, Node]]:
    pairs = []
    for pair in entries.named_children:
        key = pair.child_by_field_name("name" if pair.type == "method_definition" else "key")
        value = pair if pair.type == "method_definition" else pair.child_by_field_name("value")
        if key is not None and value is not None:
            pairs.append((key, value, pair))
    return pairs
