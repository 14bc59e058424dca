"""What a Python test file replaces as it is imported, and where the names come from that it uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from tree_sitter import Node

from pactkeeper.intent.claims import Argument, Attribute, Call, Expression, Name, Value
from pactkeeper.intent.strength.faking import of_the_language
from pactkeeper.repo.languages.python.claims.expressions import Scope, expression, text_of
from pactkeeper.repo.languages.python.claims.helpers import Module

_BLOCKS = frozenset({"if_statement", "try_statement", "else_clause", "except_clause", "with_statement", "block"})
_STARTING = frozenset({"pytest_configure", "pytest_sessionstart", "pytest_collection", "pytest_load_initial_conftests"})
_USED = re.compile(r"(?<![\w.])[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+){1,8}+")


def sources(module: Module) -> tuple[str, ...]:
    """Return the dotted names, from their packages on, of what a file imports and of what it reads from modules."""
    whole = _modules(module)
    read = {f"{whole[base]}.{name}" for base, name in _attributes(module) if base in whole}
    return tuple(sorted({*read, *(f"{source}.{name}".lstrip(".") for source, name in module.imports.values())}))


def replacements(module: Module, of_tests: Callable[[str], bool]) -> Iterator[Call]:
    """Yield a `setattr` for each attribute of the product that a file assigns at top level, and its patches.

    `of_tests` says whether a module belongs to the tests.
    """
    known, scope = _product(module, of_tests), Scope(module.modules)
    for node in _statements(module.root):
        if node.type == "assignment":
            yield from _assigned(node, scope, known)
        elif node.type == "call":
            yield from _called(expression(node, scope), known)


def assigned_attribute(left: Node, modules: frozenset[str]) -> Attribute | None:
    """Return an attribute of an imported module as one of the module's whole name, which terms otherwise drop."""
    holder, name = left.child_by_field_name("object"), text_of(left.child_by_field_name("attribute"))
    return Attribute(Name(text_of(holder)), name) if left.type == "attribute" and text_of(holder) in modules else None


def _assigned(node: Node, scope: Scope, known: dict[str, str]) -> Iterator[Call]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    holder = text_of(left.child_by_field_name("object")) if left is not None and left.type == "attribute" else ""
    if left is None or right is None or not holder:
        return
    place, name = _placed(holder, known), text_of(left.child_by_field_name("attribute"))
    if place:
        given = (Name(place), Value("string", name), expression(right, scope))
        yield Call(Name("setattr"), tuple(map(Argument, given)))


def _called(made: Expression, known: dict[str, str]) -> Iterator[Call]:
    """Yield `setattr(shop, "price", 3)`, and the patch that `patch("shop.price").start()` starts."""
    match made:
        case Call(function=Attribute(value=Call() as call, name="start")) | (
            Call(function=Name(name="setattr")) as call
        ):
            given = (replace(each, value=_whole(each.value, known)) for each in call.arguments)
            yield replace(call, arguments=tuple(given))


def _whole(one: Expression, known: dict[str, str]) -> Expression:
    return Name(_placed(one.name, known) or one.name) if isinstance(one, Name) else one


def _placed(holder: str, known: dict[str, str]) -> str:
    """Return the whole dotted name of something imported; "" for anything else."""
    for base in sorted(known, key=len, reverse=True):
        if holder == base or holder.startswith(f"{base}."):
            return known[base] + holder[len(base) :]
    return ""


def _product(module: Module, of_tests: Callable[[str], bool]) -> dict[str, str]:
    """Return the imported names that belong neither to the tests nor to the language, with their whole names."""
    whole = {name: (place, place) for name, place in _modules(module).items()}
    named = {name: (source, f"{source}.{original}") for name, (source, original) in module.imports.items()}
    return {
        name: place.lstrip(".")
        for name, (source, place) in {**whole, **named}.items()
        if not of_the_language(place) and not of_tests(source) and not of_tests(place)
    }


def _modules(module: Module) -> dict[str, str]:
    """Return the names by which a file knows whole modules, with the names of those."""
    found: dict[str, str] = {}
    for node in _statements(module.root):
        for child in node.named_children if node.type == "import_statement" else ():
            place = text_of(child.child_by_field_name("name") or child)
            found[text_of(child.child_by_field_name("alias")) or place] = place
    return found


def _attributes(module: Module) -> Iterator[tuple[str, str]]:
    for one in set(_USED.findall(text_of(module.root))):
        parts = one.split(".")
        yield from ((".".join(parts[:at]), parts[at]) for at in range(1, len(parts)))


def _statements(root: Node) -> Iterator[Node]:
    """Yield what a file does as it is imported or as pytest starts, also under `if`, `try` and `with`."""
    pending = list(reversed(root.named_children))
    while pending:
        node = pending.pop()
        if node.type in _BLOCKS or _is_hook(node):
            pending += reversed(node.named_children)
        elif node.type == "expression_statement":
            yield from node.named_children
        elif node.type == "import_statement":
            yield node


def _is_hook(node: Node) -> bool:
    """Whether a function runs before every test: a hook of pytest as it starts."""
    return node.type == "function_definition" and text_of(node.child_by_field_name("name")) in _STARTING
