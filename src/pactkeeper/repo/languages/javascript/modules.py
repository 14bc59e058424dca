"""What a file imports and exports, through ECMAScript statements or `require` and `module.exports`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.javascript.syntax import FUNCTIONS, WRAPPERS, arguments_of, bare, literal, text

if TYPE_CHECKING:
    from tree_sitter import Node

# each starts with a literal, which keeps the search fast; the syntax tree checks what precedes it
_REQUIRES = tuple(map(re.compile, (rb"require\s*\(", rb"import\s*\(", rb"import\.meta\.vitest\b")))
_EXPORTS = re.compile(rb"exports\b")
_LONGEST: Final = 2  # member expressions around the word in `module.exports.name`


@dataclass(slots=True)
class Exported:
    """One exported name: a local name, a function or expression, or something from another module."""

    name: str
    local: str = ""
    node: Node | None = None
    module: str = ""
    imported: str = ""


@dataclass(slots=True)
class Modules:
    """Imported local names as (module, imported name), modules imported for their side effects, and exports.

    `immediate` are modules called right where they are required: `require("./shared")(adapter)`, with the call's node.
    """

    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    effects: list[str] = field(default_factory=list)
    exports: list[Exported] = field(default_factory=list)
    immediate: list[tuple[Node, str, str]] = field(default_factory=list)


def read_modules(root: Node, source: bytes) -> Modules:
    """Read the imports and exports of a file."""
    modules = Modules()
    for statement in root.named_children:
        if statement.type == "import_statement":
            read_import(statement, modules)
        elif statement.type == "export_statement":
            _export(statement, modules)
    for pattern in _REQUIRES:
        for match in pattern.finditer(source):
            node = root.descendant_for_byte_range(match.start(), match.start() + 6)
            if node is not None and node.start_byte == match.start():
                _required(node, modules)
    for match in _EXPORTS.finditer(source):
        node = root.descendant_for_byte_range(match.start(), match.end())
        if node is not None and node.start_byte == match.start() and node.type in {"identifier", "property_identifier"}:
            _common_export(node, modules)
    return modules


def _module_of(statement: Node) -> str:
    node = statement.child_by_field_name("source")
    return (literal(node) or "") if node is not None else ""


def read_import(statement: Node, modules: Modules) -> None:
    """Add what one `import` statement imports."""
    clause = next((c for c in statement.named_children if c.type in {"import_clause", "import_require_clause"}), None)
    if clause is None:
        modules.effects.append(_module_of(statement))
        return
    if clause.type == "import_require_clause":
        modules.imports[text(clause.named_children[0])] = (_module_of(clause), "=")
        return
    module = _module_of(statement)
    for part in clause.named_children:
        if part.type == "identifier":
            modules.imports[text(part)] = (module, "default")
        elif part.type == "namespace_import":
            modules.imports[text(part.named_children[-1])] = (module, "*")
        elif part.type == "named_imports":
            for local, name in _specifiers(part):
                modules.imports[local] = (module, name)


def _specifiers(node: Node) -> list[tuple[str, str]]:
    """Return the pairs in `{ a, b as c }`: (local or exported name, imported or local name)."""
    pairs = []
    for specifier in node.named_children:
        name, alias = specifier.child_by_field_name("name"), specifier.child_by_field_name("alias")
        if name is not None:
            pairs.append((text(alias if alias is not None else name).strip("'\""), text(name).strip("'\"")))
    return pairs


def _export(statement: Node, modules: Modules) -> None:
    module = _module_of(statement)
    clause = next((c for c in statement.named_children if c.type in {"export_clause", "namespace_export"}), None)
    declared = statement.child_by_field_name("declaration")
    value = statement.child_by_field_name("value")
    is_default = any(child.type == "default" for child in statement.children)
    if clause is not None and clause.type == "namespace_export":
        modules.exports.append(Exported(text(clause.named_children[-1]), module=module, imported="*"))
    elif clause is not None:
        for exported, local in _specifiers(clause):
            entry = Exported(exported, module=module, imported=local) if module else Exported(exported, local)
            modules.exports.append(entry)
    elif value is not None:
        modules.exports.append(_exported("default", value))
    elif declared is not None:
        modules.exports.extend(Exported("default" if is_default else name, name) for name in _declared_names(declared))
    elif module:
        modules.exports.append(Exported("*", module=module, imported="*"))


def _declared_names(declared: Node) -> list[str]:
    if declared.type in FUNCTIONS:
        name = declared.child_by_field_name("name")
        return [text(name)] if name is not None else []
    names = []
    for declarator in declared.named_children:
        name = declarator.child_by_field_name("name") if declarator.type == "variable_declarator" else None
        if name is not None and name.type == "identifier":
            names.append(text(name))
        elif name is not None:
            names += [
                text(part) for part in name.named_children if part.type == "shorthand_property_identifier_pattern"
            ]
    return names


def _exported(name: str, value: Node) -> Exported:
    inner = bare(value)
    return Exported(name, text(inner)) if inner.type == "identifier" else Exported(name, node=inner)


def _required(node: Node, modules: Modules) -> None:
    """Read one `require("x")`, `import("x")` or `import.meta.vitest` according to how its result is used."""
    call, module = _requiring(node)
    if call is None or module is None:
        return
    imported = "="
    above = call.parent
    while above is not None and (above.type in WRAPPERS or above.type == "member_expression"):
        if above.type == "member_expression":
            name = above.child_by_field_name("property")
            if name is None or imported != "=":
                return
            imported = text(name)
        call, above = above, above.parent
    if above is not None:
        _note(above, module, imported, modules)


def _note(above: Node, module: str, imported: str, modules: Modules) -> None:
    """Record how a module is used: assigned to a variable, for its side effects, called, or exported."""
    if above.type == "variable_declarator":
        _destructured(above, (module, imported), modules)
    elif above.type == "expression_statement":
        modules.effects.append(module)
    elif above.type == "call_expression":
        modules.immediate.append((above, module, imported))
    elif above.type == "assignment_expression":
        exported = _export_name(above.child_by_field_name("left"))
        if exported == "=" and imported == "=":
            modules.exports.append(Exported("*", module=module, imported="*"))
        elif exported is not None:
            modules.exports.append(Exported(exported, module=module, imported=imported))


def _requiring(node: Node) -> tuple[Node | None, str | None]:
    if node.type == "import" and node.parent is not None and node.parent.type in {"meta_property", "member_expression"}:
        chain = node.parent if node.parent.type == "member_expression" else node.parent.parent
        while chain is not None and not text(chain).endswith(".vitest"):
            chain = chain.parent
        return chain, "vitest"
    if node.type == "import" and node.parent is not None and node.parent.type == "import":
        node = node.parent  # the keyword is a child of the called node
    call = node.parent
    if node.type not in {"identifier", "import"} or call is None or call.type != "call_expression":
        return None, None
    arguments = arguments_of(call)
    return call, literal(arguments[0]) if arguments else None


def _destructured(declarator: Node, origin: tuple[str, str], modules: Modules) -> None:
    name = declarator.child_by_field_name("name")
    if name is None:
        return
    if name.type == "identifier":
        modules.imports.setdefault(text(name), origin)
        return
    if origin[1] != "=" or name.type != "object_pattern":
        return
    for part in name.named_children:
        if part.type == "shorthand_property_identifier_pattern":
            modules.imports.setdefault(text(part), (origin[0], text(part)))
        elif part.type == "pair_pattern":
            key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
            if key is not None and value is not None and value.type == "identifier":
                modules.imports.setdefault(text(value), (origin[0], text(key)))


def _export_name(left: Node | None) -> str | None:
    """Return the name exported by `module.exports = `, `exports.x = ` or `module.exports.x = `; `=` for the whole."""
    if left is None or left.type != "member_expression":
        return None
    written = "".join(text(left).split()).removeprefix("module.")
    head, _, name = written.partition(".")
    if head != "exports" or "." in name:
        return None
    return name or "="


def _common_export(node: Node, modules: Modules) -> None:
    above = node.parent
    for _ in range(_LONGEST):
        if above is not None and above.type == "member_expression":
            above = above.parent
    if above is None or above.type != "assignment_expression":
        return
    name = _export_name(above.child_by_field_name("left"))
    value = above.child_by_field_name("right")
    if name is None or value is None:
        return
    if name == "=" and value.type == "object":
        modules.exports.append(Exported(name, node=value))
        modules.exports.extend(_entries(value))
    elif value.type != "call_expression" or text(value.child_by_field_name("function")) != "require":
        modules.exports.append(_exported(name, value))


def _entries(value: Node) -> list[Exported]:
    entries = []
    for part in value.named_children:
        if part.type == "shorthand_property_identifier":
            entries.append(Exported(text(part), text(part)))
        elif part.type == "pair":
            key, inner = part.child_by_field_name("key"), part.child_by_field_name("value")
            if key is not None and inner is not None:
                entries.append(_exported(text(key).strip("'\""), inner))
        elif part.type == "method_definition":
            entries.append(Exported(text(part.child_by_field_name("name")), node=part))
    return entries
