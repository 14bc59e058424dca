"""Resolve chains: find the repository's definitions that a name leads to, through imports, types and base classes.

Nothing is executed and nothing is guessed: a chain ends where a type isn't declared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.repo.languages.outline import Definition, Import, Kind
from pactkeeper.repo.outlines import Outlines

_DEPTH: Final = 12  # re-exports, bases and types followed before a chain is given up
_RANKS: Final[dict[Kind, int]] = {
    "class": 0,
    "interface": 1,
    "function": 2,
    "method": 2,
    "property": 2,
    "type": 3,
    "value": 4,
}
"""Which of several definitions of one name is meant; among equals the first."""
_OWN: Final = frozenset({"this()", "Self()", "self()", "typing.Self()", "typing_extensions.Self()"})


@dataclass(frozen=True, slots=True)
class DefinitionPlace:
    """A definition and the file that contains it."""

    path: str
    definition: Definition

    @property
    def key(self) -> tuple[str, int, str]:
        """A key that is unique among the definitions of a snapshot."""
        return self.path, self.definition.line, self.definition.name


@dataclass(frozen=True, slots=True)
class _Module:
    """A module as a value; `path` is empty for a package without a file. `name` is what `importer` calls it."""

    path: str
    name: str
    importer: str


@dataclass(frozen=True, slots=True)
class _Thing:
    """A definition as a value, or with `instance` an object of that class; `owner` is a member's class."""

    place: DefinitionPlace
    instance: bool = False
    owner: DefinitionPlace | None = None


_Value = _Module | _Thing | None


@dataclass(slots=True)
class _File:
    """The names of one file."""

    definitions: dict[str, Definition] = field(default_factory=dict)
    imports: dict[str, Import] = field(default_factory=dict)
    exports: dict[str, Import] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)


class Names:
    """Resolves chains, with memoization; `helps` says whose untyped functions may be looked into."""

    def __init__(self, outlines: Outlines, helps: Callable[[str], bool]) -> None:
        self._outlines = outlines
        self._helps = helps
        self._files: dict[str, _File] = {}
        self._chains: dict[tuple[str, str], tuple[DefinitionPlace, ...]] = {}
        self._offers: dict[tuple[str, str], _Value] = {}
        self._members: dict[tuple[str, int, str, str], DefinitionPlace | None] = {}

    def follow(self, path: str, chain: str) -> tuple[DefinitionPlace, ...]:
        """Return the definitions that a chain in a file touches, in order; empty if it is outside the repository."""
        key = (path, chain)
        found = self._chains.get(key)
        if found is None:
            touched: list[DefinitionPlace] = []
            self._value(path, chain, touched, 0)
            found = self._chains[key] = tuple(touched)
        return found

    def _value(self, path: str, chain: str, touched: list[DefinitionPlace], depth: int) -> _Value:
        head, *steps = _steps(chain)
        value = self._start(path, head, depth)
        _touch(value, touched)
        for step in steps:
            if value is None:
                return None
            value = self._called(value, depth) if step == "()" else self._member_of(value, step, touched, depth)
        return value

    def _start(self, path: str, name: str, depth: int) -> _Value:
        for place in (path, *self._outlines.ambient(path)):
            found = self._local(place, name, depth)
            if found is not None:
                return found
        return None

    def _local(self, path: str, name: str, depth: int) -> _Value:
        """Resolve a name inside a file; the longest dotted definition is found by its first part."""
        file = self._file(path)
        if name in file.definitions:
            return _Thing(DefinitionPlace(path, file.definitions[name]))
        if name in file.imports:
            return self._imported(path, file.imports[name], depth)
        stars = (self._exported(target, name, depth + 1) for target in self._starred(path, file))
        return next((found for found in stars if found is not None), None)

    def _imported(self, path: str, what: Import, depth: int) -> _Value:
        if depth > _DEPTH:
            return None
        own = next(iter(self._outlines.find(path, what.module)), "")
        if what.attribute == "*":
            return _Module(own, what.module, path)
        if what.attribute == "=":
            return self._exported(own, "=", depth + 1) or _Module(own, what.module, path)
        return self._taken(_Module(own, what.module, path), what.attribute, depth + 1)

    def _taken(self, module: _Module, name: str, depth: int) -> _Value:
        """Resolve a name imported from a module: one that it exports, or a submodule."""
        if depth > _DEPTH:
            return None
        found = self._exported(module.path, name, depth) if module.path else None
        if found is not None:
            return found
        inner = next(iter(self._outlines.find(module.importer, module.name, name)), "")
        if not inner or inner == module.path:
            return None
        joined = f"{module.name}{name}" if module.name.endswith(".") else f"{module.name}.{name}"
        return _Module(inner, joined, module.importer)

    def _exported(self, path: str, name: str, depth: int) -> _Value:
        """Resolve a name that a file exports; a cache entry breaks cycles of files that export each other's names."""
        if depth > _DEPTH:
            return None
        key = (path, name)
        if key not in self._offers:
            self._offers[key] = None
            self._offers[key] = self._offered(path, name, depth)
        return self._offers[key]

    def _offered(self, path: str, name: str, depth: int) -> _Value:
        file = self._file(path)
        offered = file.exports.get(name) or (file.exports.get("=") if name == "default" else None)
        if offered is not None and offered.module:
            return self._imported(path, offered, depth + 1)
        local = offered.attribute if offered is not None else name
        if local in file.definitions:
            return _Thing(DefinitionPlace(path, file.definitions[local]))
        if offered is not None and local in file.imports:
            return self._imported(path, file.imports[local], depth + 1)
        stars = (self._exported(target, name, depth + 1) for target in self._starred(path, file))
        return next((found for found in stars if found is not None), None)

    def _starred(self, path: str, file: _File) -> Iterator[str]:
        for module in file.stars:
            yield from self._outlines.find(path, module)[:1]

    def _called(self, value: _Module | _Thing, depth: int) -> _Value:
        if isinstance(value, _Module):
            return self._exported(value.path, "default", depth + 1)
        kind = value.place.definition.kind
        if kind in {"class", "interface"}:
            return None if value.instance else _Thing(value.place, instance=True)
        given = self._given(value, depth)
        if kind in {"value", "property"} and given is not None:  # a property's value is called in turn
            return self._called(given, depth + 1) if depth <= _DEPTH else None
        return given

    def _given(self, value: _Thing, depth: int) -> _Value:
        """Return what calling a function or reading a value returns."""
        place = value.place
        chain = place.definition.gives
        if not chain and self._helps(place.path):
            chain = self._outlines.uses(place.path).gives.get(place.definition.name, "")
        if not chain or depth > _DEPTH:
            return None
        if chain in _OWN:
            return _Thing(value.owner, instance=True) if value.owner is not None else None
        return self._value(place.path, chain, [], depth + 1)

    def _member_of(self, value: _Module | _Thing, name: str, touched: list[DefinitionPlace], depth: int) -> _Value:
        if isinstance(value, _Module):
            found = self._taken(value, name, depth)
            _touch(found, touched)
            return found
        if value.place.definition.kind not in {"class", "interface"}:
            read = self._given(value, depth)
            return self._member_of(read, name, touched, depth + 1) if read is not None and depth <= _DEPTH else None
        member = self._member(value.place, name, depth)
        if member is None:
            touched.append(value.place)  # the member is unknown, but the class is what the code uses
            return None
        touched.append(member)
        return _Thing(member, owner=value.place)

    def _member(self, place: DefinitionPlace, name: str, depth: int) -> DefinitionPlace | None:
        """Find a member of a class or its bases; a cache entry breaks cycles of inheritance."""
        found = self._file(place.path).definitions.get(f"{place.definition.name}.{name}")
        if found is not None:
            return DefinitionPlace(place.path, found)
        key = (*place.key, name)
        if key not in self._members and depth <= _DEPTH:
            self._members[key] = None
            self._members[key] = self._inherited(place, name, depth)
        return self._members.get(key)

    def _inherited(self, place: DefinitionPlace, name: str, depth: int) -> DefinitionPlace | None:
        for base in place.definition.bases:
            parent = self._value(place.path, base, [], depth + 1)
            if isinstance(parent, _Thing) and parent.place.key != place.key:
                inherited = self._member(parent.place, name, depth + 1)
                if inherited is not None:
                    return inherited
        return None

    def _file(self, path: str) -> _File:
        known = self._files.get(path)
        if known is None:
            known = self._files[path] = self._read(path)
        return known

    def _read(self, path: str) -> _File:
        outline = self._outlines.outline(path)
        file = _File()
        for one in sorted(outline.definitions, key=lambda definition: _RANKS[definition.kind]):
            file.definitions.setdefault(one.name, one)
        for imported in outline.imports:
            file.imports.setdefault(imported.name, imported)
        for exported in outline.exports:
            if exported.name == "*":
                file.stars.append(exported.module)
            else:
                file.exports.setdefault(exported.name, exported)
        return file


def _steps(chain: str) -> list[str]:
    """Split a chain into its head, its names and its calls, each as a separate step."""
    found: list[str] = []
    for part in chain.split("."):
        name = part.rstrip("()")
        found.append(name)
        found += ["()"] * ((len(part) - len(name)) // 2)
    return found


def _touch(value: _Value, touched: list[DefinitionPlace]) -> None:
    if isinstance(value, _Thing):
        touched.append(value.place)
