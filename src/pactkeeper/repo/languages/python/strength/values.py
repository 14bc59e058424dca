"""What names hold that a test file or a class assigns, which stand for others, and what is replaced on import."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from tree_sitter import Node

from pactkeeper.intent.claims import Argument, Attribute, Call, Collection, Expression, Name, Value
from pactkeeper.intent.strength.faking import of_the_language
from pactkeeper.intent.strength.program import Bind, Block, Leave, Parameter, Routine
from pactkeeper.repo.languages.python.claims.contexts import HOLDERS, WATCHERS
from pactkeeper.repo.languages.python.claims.expressions import Scope, children_of, expression, text_of
from pactkeeper.repo.languages.python.claims.helpers import Module, assignments, methods_of
from pactkeeper.repo.languages.python.syntax import imported_names

_RECORD = re.compile(r"@(?:dataclasses\.)?dataclass\b|\bclass \w+\((?:typing\.)?NamedTuple\)")
_SHORTENED = re.compile(r"(\w++)\.(clear|pop|popitem|remove)\(|del[ \t]++(\w++)\[")


def module_values(module: Module) -> Block:
    """Return the values of names that a file assigns at top level: constants, tables, aliases."""
    return tuple(Bind(Name(name), value) for name, value in _assigned(module.root, Scope(module.modules)))


def plugins_of(module: Module) -> tuple[str, ...]:
    """Return the modules that a conftest.py has pytest load: `pytest_plugins = ["tests.fixtures"]`."""
    values = dict(_assigned(module.root, Scope(module.modules)))
    named = values.get("pytest_plugins")
    listed = named.items if isinstance(named, Collection) else (named,)
    return tuple(one.text for one in listed if isinstance(one, Value))


def shortened(root: Node) -> Iterator[tuple[str, bool]]:
    """Yield the names whose value a top-level statement shortens, with whether anything may be left of it."""
    for child in root.named_children:
        held = _SHORTENED.match(text_of(child)) if child.type in {"expression_statement", "delete_statement"} else None
        if held is not None:
            yield held[1] or held[3], held[2] != "clear"


def class_values(module: Module, owner: Node) -> Block:
    """Return the values of attributes that a class body assigns, as its methods see them."""
    body, scope = owner.child_by_field_name("body"), Scope(module.modules)
    own = Name(text_of(owner.child_by_field_name("name")))
    holders = (Name("self"), Name("cls"), own)
    found: list[Bind] = [Bind(own, own)]
    for name, value in _assigned(body, scope) if body is not None else ():
        if isinstance(value, Value) and value.kind == "none":
            continue  # a subclass or the set-up fills it in
        found += [Bind(Attribute(holder, name), value) for holder in holders]
    return tuple(found)


def _assigned(node: Node, scope: Scope) -> Iterator[tuple[str, Expression]]:
    for left, right in assignments(node):
        if right is None:
            continue
        value = expression(right, scope)
        if left.type == "identifier":
            yield text_of(left), value
        elif left.type == "pattern_list" and isinstance(value, Collection):
            names = [each for each in left.named_children if each.type == "identifier"]
            if len(names) == len(left.named_children) == len(value.items):
                yield from zip(map(text_of, names), value.items, strict=True)


_FAILING = frozenset({"raise_statement", "assert_statement"})
_CAN_FAIL = frozenset({*WATCHERS, "fail"})
FRAMEWORK = frozenset({*WATCHERS, *HOLDERS})
_INNER = re.compile(r"\w+")


def stands_for(name: str, module: Module) -> bool:
    """Whether a file itself defines a name, and nothing in what it defines can fail a test."""
    found = list(_defined(name, module))
    return bool(found) and not any(_can_fail(node, module) for node in found)


def _defined(name: str, module: Module) -> Iterator[Node]:
    """Yield the class and function of a name, and what is assigned to it at top level."""
    yield from (node for node in (module.classes.get(name), module.functions.get(name)) if node is not None)
    yield from (right for left, right in assignments(module.root) if right is not None and text_of(left) == name)


def _can_fail(node: Node, module: Module) -> bool:
    """Whether code raises or asserts, or uses anything but the language and its standard library."""
    if node.type in _FAILING:
        return True
    if node.type == "attribute" and text_of(node.child_by_field_name("attribute")) in _CAN_FAIL:
        return True
    called = text_of(node.child_by_field_name("function")) if node.type == "call" else ""
    if called and not _is_known(called, module):
        return True
    return any(_can_fail(child, module) for child in node.named_children)


def _is_known(called: str, module: Module) -> bool:
    """Whether a called name is one of the language or its standard library, and neither fails a test."""
    head = (_INNER.match(called) or [""])[0]
    source = module.imports.get(head, (head, ""))[0]
    return of_the_language(source) and called.rpartition(".")[2] not in _CAN_FAIL


def record_of(module: Module, function: Expression) -> Routine | None:
    """Return a method-less dataclass or named tuple of the file as a routine that returns its fields."""
    node = module.classes.get(function.name) if isinstance(function, Name) else None
    if node is None or methods_of(node) or not _RECORD.search(text_of(node.parent).partition("\n    ")[0]):
        return None
    fields: list[Parameter] = []
    for line in (child.named_children[0] for child in children_of(node, "body") if child.named_children):
        left, value = line.child_by_field_name("left"), line.child_by_field_name("right")
        if line.type == "assignment" and left is not None and line.child_by_field_name("type") is not None:
            default = expression(value, Scope(module.modules)) if value is not None else None
            fields.append(Parameter(text_of(left), default))
    entries = tuple(part for one in fields for part in (Value("string", one.name), Name(one.name)))
    return Routine(node.type, tuple(fields), (Leave("return", Collection("mapping", entries)),))


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
            yield from _bound(node, scope, known)
        elif node.type == "call":
            yield from _called(expression(node, scope), known)


def assigned_attribute(left: Node, modules: frozenset[str]) -> Attribute | None:
    """Return an attribute of an imported module as one of the module's whole name, which terms otherwise drop."""
    holder, name = left.child_by_field_name("object"), text_of(left.child_by_field_name("attribute"))
    return Attribute(Name(text_of(holder)), name) if left.type == "attribute" and text_of(holder) in modules else None


def _bound(node: Node, scope: Scope, known: dict[str, str]) -> Iterator[Call]:
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
    imports = (node for node in _statements(module.root) if node.type == "import_statement")
    return {known: place for node in imports for known, place in imported_names(node)}


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
