"""Resolve what a name refers to, through assignments, imports, re-exports and base classes, across files.

A name may have several live bindings if `if` or `try` choose between them; among those that don't exclude each other,
the last one wins.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from pactkeeper.repo.languages.python.facts import Binding, File, Function, Group
from pactkeeper.repo.languages.python.modules import Modules

_HOPS: Final = 40  # aliases, imports and re-exports followed for one name
_GENERATIONS: Final = 100  # generations of base classes followed above one class
_ANCESTORS: Final = 300  # base classes followed above one class; any beyond count as computed bases


@dataclass(frozen=True, slots=True)
class External:
    """Something defined outside the repository, by the dotted name it was imported as."""

    dotted: str


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the repository; a namespace package is its folder."""

    path: str


@dataclass(eq=False, slots=True)
class Space:
    """A module or class with the names bound in it.

    `position` is the index of a class among its parent's bindings. `switches` says, once names have been looked up,
    that something in it is declared to be, or not to be, a test by `X.__test__ = …`.
    """

    path: str
    fact: File | Group
    parent: Space | None = None
    name: str = ""
    position: int = 0
    by_name: dict[str, list[int]] | None = None
    switches: bool = False

    def positions(self, name: str) -> list[int]:
        """Return the indexes of a name's bindings, in source order."""
        if self.by_name is None:
            self.by_name = {}
            for index, binding in enumerate(self.fact.bindings):
                self.by_name.setdefault(binding.name, []).append(index)
                self.switches = self.switches or binding.name.endswith(".__test__")
        return self.by_name.get(name, [])

    def names(self) -> list[str]:
        """Return every name bound here, in order of first binding."""
        self.positions("")
        return list(self.by_name or ())

    def live(self, name: str, before: int | None = None) -> list[int]:
        """Return the bindings of a name that no later one certainly replaces, as seen before a position."""
        positions = self.positions(name)
        if before is None and len(positions) < 2:  # noqa: PLR2004 - nothing to choose from
            return positions
        found: list[int] = []
        for index in reversed(positions):
            if before is not None and index >= before:
                continue
            branch = self.fact.bindings[index].branch
            if not any(_covers(self.fact.bindings[later].branch, branch) for later in found):
                found.append(index)
        return found[::-1]

    @property
    def module(self) -> Space:
        """The module that contains this space."""
        space = self
        while space.parent is not None:
            space = space.parent
        return space

    @property
    def suite(self) -> tuple[str, ...]:
        """The names of the enclosing classes, outermost first, including this one."""
        return () if self.parent is None else (*self.parent.suite, self.name)


def _covers(later: tuple[int, ...], earlier: tuple[int, ...]) -> bool:
    """Whether a later binding runs whenever an earlier one did."""
    return earlier[: len(later)] == later


@dataclass(frozen=True, slots=True)
class Defined:
    """A function or lambda of the repository."""

    space: Space
    binding: Binding

    @property
    def function(self) -> Function:
        """Its facts."""
        assert self.binding.function is not None  # noqa: S101 - only bindings with a function are wrapped
        return self.binding.function


@dataclass(frozen=True, slots=True)
class Value:
    """A name bound to something other than a function, class or module."""

    space: Space
    binding: Binding


Meaning = External | Module | Space | Defined | Value


class Namespace:
    """The names of a snapshot's modules; `facts` returns a file's facts.

    `rests` collects, by importing module, the modules whose content decided something.
    """

    def __init__(self, modules: Modules, facts: Callable[[str], File | None]) -> None:
        self._modules = modules
        self._facts = facts
        self._spaces: dict[str, Space | None] = {}
        self._classes: dict[int, Space] = {}
        self._bases: dict[Space, tuple[Space | External, ...]] = {}
        self._mro: dict[Space, tuple[Space | External, ...]] = {}
        self._exports: dict[Space, frozenset[str]] = {}
        self._generation = 0
        self.rests: defaultdict[str, set[str]] = defaultdict(set)

    def space(self, path: str) -> Space | None:
        """Return the module at a path; None if there is none or nothing is known about it."""
        if path not in self._spaces:
            fact = self._facts(path) if path.endswith(".py") else None
            self._spaces[path] = None if fact is None else Space(path, fact)
        return self._spaces[path]

    def meaning(self, space: Space, index: int, hops: int = 0) -> Meaning:
        """Return what one binding refers to."""
        binding = space.fact.bindings[index]
        if binding.function is not None:
            return Defined(space, binding)
        if binding.group is not None:
            return self._class(space, index)
        if hops > _HOPS:
            return Value(space, binding)
        if binding.kind == "import":
            return self._imported(space, binding, hops)
        if binding.kind == "alias":
            return self.lookup(space, binding.target, index, hops + 1) or Value(space, binding)
        if binding.kind == "call":
            return self._called(space, index, hops)
        return Value(space, binding)

    def lookup(self, space: Space, dotted: str, before: int | None = None, hops: int = 0) -> Meaning | None:
        """Return what a dotted name refers to at a position in a module or class; None if it isn't bound."""
        first, *rest = dotted.split(".")
        found = self._bare(space, first, before, hops)
        for name in rest:
            if found is None:
                return None
            found = self.member(found, name, hops + 1)
        return found

    def member(self, owner: Meaning, name: str, hops: int = 0) -> Meaning | None:
        """Return an attribute of a module, a class or something external."""
        if isinstance(owner, External):
            return External(f"{owner.dotted}.{name}")
        if isinstance(owner, Module):
            return self._exported(owner, name, hops)
        if isinstance(owner, Space):
            for base in self.mro(owner):
                if isinstance(base, Space) and base.live(name):
                    return self._best(base, base.live(name), hops)
        return None

    def held(self, group: Space, name: str) -> list[Meaning]:
        """Return what a class binds a name to; what its module certainly assigns to or deletes of it comes first."""
        module, top = group.module, group
        while top.parent is not None and top.parent.parent is not None:
            top = top.parent
        branch = module.fact.bindings[top.position].branch
        for index in reversed(module.live(".".join((*group.suite, name)))):
            binding = module.fact.bindings[index]
            if binding.kind == "deleted" and _covers(binding.branch, branch):
                return []
            meaning = Value(module, binding) if binding.kind == "lambda" else self.meaning(module, index)
            replaced = isinstance(meaning, Defined) or binding.kind in {"lambda", "literal"}
            if replaced and _covers(binding.branch, branch):
                return [meaning]
        indexes = group.live(name)
        bound = bool(indexes) and group.fact.bindings[indexes[-1]].kind != "deleted"
        return [self.meaning(group, index) for index in indexes] if bound else []

    def mro(self, space: Space) -> tuple[Space | External, ...]:
        """Return the class, its bases and theirs, in Python's method resolution order."""
        if space not in self._mro:
            self._mro[space] = (space,)  # ends the recursion for a class that inherits from itself
            self._generation += 1
            bases = self.bases(space) if self._generation <= _GENERATIONS else ()
            orders = [self.mro(base) if isinstance(base, Space) else (base,) for base in bases]
            self._generation -= 1
            self._mro[space] = _linear(space, orders, bases)
        return self._mro[space]

    def bases(self, space: Space) -> tuple[Space | External, ...]:
        """Return the direct bases; an unresolved one is external, with an empty name or the name as written."""
        if space not in self._bases:
            found: list[Space | External] = []
            names = space.fact.bases if isinstance(space.fact, Group) else ()
            for name in names:
                parent = space.parent
                meaning = self.lookup(parent, name, space.position) if name and parent is not None else None
                if isinstance(meaning, Value):
                    meaning = self._made_of(meaning)
                found.append(meaning if isinstance(meaning, (Space, External)) else External(name))
            self._bases[space] = tuple(found)
        return self._bases[space]

    def exports(self, space: Space) -> frozenset[str]:
        """Return the names that `from module import *` imports."""
        if space not in self._exports:
            self._exports[space] = frozenset()  # ends the recursion for modules that import each other's names
            listed = [space.fact.bindings[index] for index in space.live("__all__")]
            if listed and listed[-1].kind == "literal":
                self._exports[space] = frozenset(listed[-1].arguments)
            else:
                own = {name for name in space.names() if name != "*" and not name.startswith("_") and "." not in name}
                taken = [self.exports(source) for source in self.stars(space)]
                self._exports[space] = frozenset(own.union(*taken))
        return self._exports[space]

    def stars(self, space: Space) -> Iterator[Space]:
        """Yield the repository modules that a module star-imports, last first."""
        for index in reversed(space.positions("*")):
            binding = space.fact.bindings[index]
            path = self._modules.find(space.path, binding.target)
            if path is not None:
                self.rests[space.path].add(path)
            source = self.space(path) if path else None
            if source is not None:
                yield source

    def origin(self, space: Space, binding: Binding) -> str:
        """Return the repository file that an import names; "" for others."""
        return self._modules.find(space.path, binding.target) or ""

    def _class(self, space: Space, index: int) -> Space:
        binding = space.fact.bindings[index]
        assert binding.group is not None  # noqa: S101 - checked by the caller
        key = id(binding)
        if key not in self._classes:
            self._classes[key] = Space(space.path, binding.group, space, binding.name, index)
        return self._classes[key]

    def _bare(self, space: Space, name: str, before: int | None, hops: int) -> Meaning | None:
        found = space.live(name, before)
        if found:
            return self._best(space, found, hops)
        if space.parent is not None:
            return self._bare_module(space, name, hops)
        for source in self.stars(space) if hops <= _HOPS else ():
            if name in self.exports(source):
                return self._exported(Module(source.path), name, hops + 1)
        return External(name) if name in _BUILTINS else None

    def _bare_module(self, space: Space, name: str, hops: int) -> Meaning | None:
        """Look up a name in a class body that the class doesn't bind: outside of functions, only the module is left."""
        while space.parent is not None and space.parent.parent is not None:
            space = space.parent
        assert space.parent is not None  # noqa: S101 - checked by the caller
        return self._bare(space.parent, name, space.position, hops) or self._bare(space.parent, name, None, hops)

    def _best(self, space: Space, indexes: list[int], hops: int) -> Meaning | None:
        """Choose among alternative bindings: repository definitions first, then externals, then plain values."""
        meanings = [self.meaning(space, index, hops + 1) for index in indexes]
        for kinds in ((Space, Defined, Module), (External,)):
            for meaning in meanings:
                if isinstance(meaning, kinds):
                    return meaning
        return meanings[-1]

    def _imported(self, space: Space, binding: Binding, hops: int) -> Meaning:
        path = self._modules.find(space.path, binding.target)
        if path is None:
            return External(f"{binding.target}.{binding.attribute}" if binding.attribute else binding.target)
        self.rests[space.path].add(path)
        if not binding.attribute:
            return Module(path)
        return self._exported(Module(path), binding.attribute, hops + 1) or Value(space, binding)

    def _exported(self, module: Module, name: str, hops: int) -> Meaning | None:
        space = self.space(module.path)
        if space is not None and hops <= _HOPS:
            found = self._bare(space, name, None, hops + 1)
            if found is not None:
                return found
        inner = self._modules.inside(module.path, name)
        if inner:
            self.rests[module.path].add(inner)
        return Module(inner) if inner else None

    def _called(self, space: Space, index: int, hops: int) -> Meaning:
        """Resolve a call: a function passed to a decorator or `partial` is still itself; anything else is a value."""
        binding = space.fact.bindings[index]
        partial = binding.target.rpartition(".")[2] in {"partial", "partialmethod"}
        if binding.arguments and (partial or len(binding.arguments) == 1) and binding.arguments[0]:
            given = self.lookup(space, binding.arguments[0], index, hops + 1)
            if isinstance(given, Defined):
                return given
        return Value(space, binding)

    def _made_of(self, value: Value) -> Meaning | None:
        """Return the class behind a base that a call returned: `type(name, (Base,), …)` or a decorated class."""
        binding = value.binding
        for name in binding.arguments if binding.kind == "call" else ():
            meaning = self.lookup(value.space, name) if name else None
            if isinstance(meaning, Space):
                return meaning
        return None


_BUILTINS: Final = frozenset({"object", "type", "Exception", "BaseException", "dict", "list", "tuple", "str", "int"})


def _linear(
    space: Space, orders: list[tuple[Space | External, ...]], bases: tuple[Space | External, ...]
) -> tuple[Space | External, ...]:
    """Return Python's C3 linearization, or the order of first appearance if the bases contradict each other."""
    if len(orders) == 1:
        return _limited((space, *orders[0]))
    pending = [list(order) for order in (*orders, bases) if order]
    merged: list[Space | External] = [space]
    while pending:
        tails = {item for order in pending for item in order[1:]}
        head = next((order[0] for order in pending if order[0] not in tails), None)
        if head is None:
            rest = [item for order in pending for item in order]
            return _limited((*merged, *dict.fromkeys(item for item in rest if item not in merged)))
        merged.append(head)
        pending = [order[1:] if order[0] == head else order for order in pending]
        pending = [order for order in pending if order]
    return _limited(tuple(merged))


def _limited(order: tuple[Space | External, ...]) -> tuple[Space | External, ...]:
    return order if len(order) <= _ANCESTORS else (*order[:_ANCESTORS], External(""))
