"""What a file's names refer to, as far as the file alone can tell.

Also what surrounds a declaring call: its callback, the project's functions, loops.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pactkeeper.repo.languages.javascript.facts import Binding, Export, Function, Target, held
from pactkeeper.repo.languages.javascript.modules import Exported
from pactkeeper.repo.languages.javascript.names import Names, Use, function_name
from pactkeeper.repo.languages.javascript.runners import (
    GLOBALS,
    Meaning,
    global_meaning,
    imported_meaning,
    runner_of,
    walk,
)
from pactkeeper.repo.languages.javascript.scopes import LOOPS, Declaration, iteration_rounds, loop_rounds
from pactkeeper.repo.languages.javascript.syntax import FUNCTIONS, bare, parameters_of, text

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Frame:
    """The surroundings of a node: innermost declaring call, innermost function inside that, and loop iterations."""

    parent: int = -1
    function: int = -1
    rounds: int = 1
    looped: bool = False


_TOP = Frame()


@dataclass(slots=True)
class Frames:
    """Compute frames, each function's only once; `index` numbers the declaring calls by their node id."""

    index: Mapping[int, int]
    is_used: Callable[[Node], bool]
    functions: list[Function] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)
    _known: dict[int, Frame] = field(default_factory=dict)

    def around(self, node: Node) -> Frame:
        """Climb outwards iteratively, so that deep nesting can't exhaust the stack."""
        open_functions: list[tuple[Node, Frame]] = []
        inner = _TOP
        outer = _TOP
        above = node.parent
        while above is not None:
            kind = above.type
            if kind == "arguments" and above.parent is not None:
                number = self.index.get(above.parent.id)
                if number is not None:
                    outer = Frame(number)
                    break
                rounds = iteration_rounds(above.parent)
                if rounds is not None:
                    inner = _looped(inner, rounds)
            elif kind in LOOPS:
                inner = _looped(inner, loop_rounds(above))
            elif kind in FUNCTIONS:
                known = self._known.get(above.id)
                if known is not None:
                    outer = known
                    break
                open_functions.append((above, inner))
                inner = _TOP
            above = above.parent
        frame = _within(inner, outer)
        for function, inside in reversed(open_functions):
            frame = self._entered(function, frame)
            self._known[function.id] = frame
            frame = _within(inside, frame)
        return frame

    def _entered(self, function: Node, frame: Frame) -> Frame:
        """Return the frame directly inside a function, given the frame around it."""
        holder = function.parent
        if holder is not None and holder.type in {"arguments", "parenthesized_expression"}:
            return frame  # a callback, or an immediately invoked function
        if (
            function.type == "method_definition"
            and frame.parent >= 0
            and holder is not None
            and holder.type == "object"
        ):
            return frame
        number = self.numbers.get(function.id)
        if number is None:
            number = self.numbers[function.id] = len(self.functions)
            name, used = function_name(function), self.is_used(function)
            self.functions.append(Function(name, parameters_of(function), frame.function, used))
        return Frame(frame.parent, number, frame.rounds, frame.looped)


def _looped(frame: Frame, rounds: int) -> Frame:
    return Frame(frame.parent, frame.function, frame.rounds * rounds, looped=True)


def _within(inner: Frame, outer: Frame) -> Frame:
    if not inner.looped:
        return outer
    return Frame(outer.parent, outer.function, inner.rounds * outer.rounds, looped=True)


_GLOBAL_OBJECTS = frozenset({"globalThis", "window", "global", "self"})
_LOCAL = Binding("", "local")


@dataclass(frozen=True, slots=True)
class Unknown:
    """A function that may be a runner's, which only another file or a look at its calls can tell."""

    module: str = ""
    local: bool = False


@dataclass(slots=True)
class Bindings:
    """Creates bindings on demand; `owners` numbers the calls by the node id of their callback."""

    names: Names
    frames: Frames
    owners: dict[int, int] = field(default_factory=dict)
    made: list[Binding] = field(default_factory=list)
    numbers: dict[tuple[int, str], int] = field(default_factory=dict)
    declaring: frozenset[str] = frozenset()
    _meanings: dict[Target, Meaning | Unknown | None] = field(default_factory=dict)

    def target(self, use: Use) -> Target:
        """Convert a use to its root, binding and members."""
        chain = use.chain
        if chain.root in _GLOBAL_OBJECTS and chain.members:
            return Target(chain.members[0], -1, chain.members[1:])
        return Target(chain.root, self.number(chain.root, use.node.start_byte), chain.members)

    def number(self, name: str, position: int) -> int:
        """Return the number of the binding that a name refers to at a position; -1 for a global name."""
        found = self.names.declaration_at(name, position)
        if found is None and name not in self.names.modules.imports:
            return -1
        key = (found.node.id if found is not None else 0, name)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.made)
            self.made.append(_LOCAL)  # reserved before its targets are resolved: names may be cyclic
            self.made[number] = self._binding(name, found)
        return number

    def encoded(self) -> tuple[Binding, ...]:
        """Return all bindings; call it last, when the functions that contain calls are known."""
        return tuple(self.made)

    def _binding(self, name: str, found: Declaration | None) -> Binding:
        imported = self.names.modules.imports.get(name)
        if found is None:
            module, original = imported or ("", "")
            return Binding(name, "import", module=module, imported=original)
        if found.kind == "variable":
            return self._variable(name, found, imported)
        owner = self.owners.get(found.node.id, -1)
        handed = not found.key and (owner >= 0 or self.names.subtests)
        if found.kind == "parameter" and (handed or name in GLOBALS):
            function = self.frames.numbers.get(found.node.id, -1)
            return Binding(
                name, "parameter", imported=found.key, owner=owner, position=found.position, function=function
            )
        if found.kind == "function":
            return self._function(name, found.node)
        return Binding(name, "local")

    def _variable(self, name: str, found: Declaration, imported: tuple[str, str] | None) -> Binding:
        uses = self.names.aliases.get(found.node.id if found.position == -1 else found.position, [])
        if uses and not (found.key and text(found.node).endswith("globalThis")):
            key = (found.key,) if found.key else ()
            given = [self.target(use) for use in uses]
            return Binding(
                name, "alias", targets=tuple(Target(one.root, one.binding, one.members + key) for one in given)
            )
        entries = {key: self.target(use) for key, use in self.names.objects.get(found.node.id, {}).items()}
        if entries:
            return Binding(name, "object", imported=" ".join(entries), targets=tuple(entries.values()))
        maker = self.names.made.get(found.node.id)
        if maker is not None:
            return Binding(name, "made", imported=found.key, targets=(self.target(maker),))
        written = found.node.child_by_field_name("value")
        if written is None:
            return Binding(name, "local")
        value = bare(written)
        if imported is not None and any(word in text(value)[:4000] for word in ("require", "import")):
            return Binding(name, "import", module=imported[0], imported=imported[1])
        if value.type in FUNCTIONS:
            return self._function(name, value)
        return self._taken(name, found.key, value)

    def _taken(self, name: str, key: str, value: Node) -> Binding:
        """Bind a member of something known: `const { test } = QUnit`, `const test = t.test`."""
        members = [key] if key else []
        while value.type == "member_expression":
            member, inner = value.child_by_field_name("property"), value.child_by_field_name("object")
            if member is None or inner is None:
                break
            members.insert(0, text(member))
            value = bare(inner)
        if value.type != "identifier":
            return Binding(name, "local")
        root = text(value)
        if root in _GLOBAL_OBJECTS and members:
            return Binding(name, "alias", targets=(Target(members[0], -1, tuple(members[1:])),))
        target = Target(root, self.number(root, value.start_byte), tuple(members))
        known = global_meaning(root) is not None if target.binding < 0 else self.made[target.binding].kind != "local"
        if not members or not known:
            return Binding(name, "local")
        return Binding(name, "alias", targets=(target,))

    def _function(self, name: str, function: Node) -> Binding:
        number = self.frames.numbers.get(function.id, -1)
        uses = self.names.returned.get(function.id)
        if uses:
            return Binding(name, "returns", targets=tuple(self.target(use) for use in uses), function=number)
        return Binding(name, "function", function=number) if number >= 0 else Binding(name, "local")

    def meaning(self, target: Target) -> Meaning | Unknown | None:
        """Return what a target means to a runner; None if it certainly means nothing."""
        if target not in self._meanings:
            self._meanings[target] = self._meaning(target, 0)
        return self._meanings[target]

    def _meaning(self, target: Target, depth: int) -> Meaning | Unknown | None:
        if target.root in self.declaring:
            return walk(Meaning("test"), target.members)
        if target.binding < 0:
            return walk(global_meaning(target.root), target.members)
        binding = self.made[target.binding]
        if binding.kind == "import":
            runner = runner_of(binding.module)
            return (
                walk(imported_meaning(runner, binding.imported), target.members) if runner else Unknown(binding.module)
            )
        if binding.kind in {"alias", "returns", "object"} and depth < 8:  # noqa: PLR2004 - longer chains are cycles
            targets, members = held(binding, target.members)
            meanings = [self._meaning(inner, depth + 1) for inner in targets]
            first = next((meaning for meaning in meanings if meaning is not None), None)
            return walk(first, members) if isinstance(first, Meaning) else first
        if binding.kind == "made":
            return Unknown(".")
        if binding.kind == "function":
            return Unknown(local=True)
        if binding.kind == "parameter":
            last = target.members[-1] if target.members else target.root
            return global_meaning(last) or walk(global_meaning(target.root), target.members)
        return None

    def exports(self) -> tuple[Export, ...]:
        """Return the exports that refer to something of interest."""
        exports = []
        for exported in self.names.modules.exports:
            export = self._export(exported)
            if export is not None:
                exports.append(export)
        return tuple(exports)

    def _export(self, exported: Exported) -> Export | None:
        if exported.module:
            return Export(exported.name, module=exported.module, imported=exported.imported)
        if exported.node is not None:
            return self._exported_value(exported.name, exported.node)
        imported = self.names.modules.imports.get(exported.local)
        number = self.number(exported.local, 0)
        if imported is not None and (number < 0 or self.made[number].kind == "import"):
            return Export(exported.name, module=imported[0], imported=imported[1])
        if number >= 0:
            binding = self.made[number]
            return None if binding.kind == "local" else Export(exported.name, Target(exported.local, number, ()))
        function = next((i for i, f in enumerate(self.frames.functions) if f.name == exported.local), -1)
        return Export(exported.name, function=function) if function >= 0 else None

    def _exported_value(self, name: str, node: Node) -> Export | None:
        if node.type in FUNCTIONS:
            function = self.frames.numbers.get(node.id, -1)
            return Export(name, function=function) if function >= 0 else None
        use = self.names.exported.get(node.id)
        return Export(name, self.target(use)) if use is not None else None
