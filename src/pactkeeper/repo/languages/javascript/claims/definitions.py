"""Values of the names in a test's claims, where they are evident: assigned once, in the test or around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pactkeeper.intent.claims import Attribute, Call, Collection, Expression, Name, Opaque
from pactkeeper.repo.languages.javascript.claims.expressions import Scope
from pactkeeper.repo.languages.javascript.claims.module import Binding, Module

if TYPE_CHECKING:
    from tree_sitter import Node


_CONTAINERS = frozenset({Name("Map"), Name("Set"), Name("Array"), Name("Object"), Name("WeakMap"), Name("WeakSet")})


def changing_names(module: Module, function: Node) -> frozenset[str]:
    """Return the names that a test assigns several literal values; counters (`count++`) are excluded."""
    found = set()
    for name, bindings in module.bindings.items():
        inside = [each for each in bindings if function.start_byte <= each.start < function.end_byte]
        written = [each for each in inside if each.value is not None]
        if len(written) > 1 and not any(each.kind == "changed" for each in inside):
            found.add(name)
    return frozenset(found)


def definitions(module: Module, function: Node, spoken: Iterable[object]) -> list[tuple[str, Expression]]:
    """Return the evident values of the names mentioned, and of the names in those values, in source order."""
    found: dict[str, tuple[int, Expression]] = {}
    scope = Scope(namespaces=module.namespaces)
    waiting = sorted({name for each in spoken for name in names_of(each)})
    seen: set[str] = set(waiting)
    while waiting:
        name = waiting.pop()
        binding = _binding(module, name, function)
        held = binding.read(scope) if binding is not None else None
        if binding is None or held is None or isinstance(held, Opaque):
            continue
        if _names_only(module, held, binding) or _collects(module, name, held):
            continue
        found[name] = (binding.start, held)
        fresh = sorted(set(names_of(held)) - seen)
        seen.update(fresh)
        waiting.extend(fresh)
    return [(name, held) for name, (_, held) in sorted(found.items(), key=lambda each: (each[1][0], each[0]))]


def _names_only(module: Module, held: Expression, binding: Binding) -> bool:
    """Whether the value only aliases an import or a parameter, and so adds nothing to the name itself."""
    root = held
    while isinstance(root, Attribute):
        root = root.value
    if isinstance(root, Call) and root.function == Name("require"):
        return True
    if not isinstance(root, Name):
        return False
    if root.name in module.imports:
        return True
    return root is held and any(
        each.kind == "given" and each.within[0] <= binding.start < each.within[1]
        for each in module.bindings.get(root.name, ())
    )


def _collects(module: Module, name: str, held: Expression) -> bool:
    """Whether the name holds a collection that is empty or filled later, so that its initial value says nothing."""
    if isinstance(held, Call) and held.function in _CONTAINERS:
        written = bool(held.arguments)
    elif isinstance(held, Collection):
        written = bool(held.items)
    else:
        return False
    return not written or any(each.kind == "filled" for each in module.bindings.get(name, ()))


def _binding(module: Module, name: str, function: Node) -> Binding | None:
    """Return the single binding that gives the name its value, as seen from the test."""
    bindings = [each for each in module.bindings.get(name, ()) if each.kind != "filled"]
    inside = [each for each in bindings if function.start_byte <= each.start < function.end_byte]
    if any(each.kind not in {"assigned", "changed"} for each in inside):
        return _single(inside)
    around = [
        each
        for each in bindings
        if each.kind in {"const", "let", "given"}
        and each.within[0] <= function.start_byte
        and function.end_byte <= each.within[1]
    ]
    if not around:
        return None
    nearest = min(around, key=lambda each: (each.within[1] - each.within[0], each.start))
    if sum(each.within == nearest.within for each in around) > 1:
        return None
    later = [
        each
        for each in bindings
        if each.kind in {"assigned", "changed"} and nearest.within[0] <= each.start < nearest.within[1]
    ]
    return _single([nearest, *(inside or later)])


def _single(bindings: list[Binding]) -> Binding | None:
    if any(each.kind in {"changed", "given"} for each in bindings):
        return None
    valued = [each for each in bindings if each.value is not None]
    return valued[0] if len(valued) == 1 else None


def names_of(value: object) -> Iterator[str]:
    """Yield the names that an expression or claim mentions."""
    if isinstance(value, Name):
        yield value.name
    elif isinstance(value, tuple):
        for each in value:
            yield from names_of(each)
    else:
        for each in getattr(value, "__dataclass_fields__", ()):
            yield from names_of(getattr(value, each))
