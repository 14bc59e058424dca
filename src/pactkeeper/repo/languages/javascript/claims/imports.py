"""What a file imports, under which names, and what it exports, for ES modules and CommonJS."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.javascript.claims.asserts import FUNCTIONS as ASSERTIONS
from pactkeeper.repo.languages.javascript.claims.syntax import Link, bare, chain, children, descend, string_value, text
from pactkeeper.repo.languages.javascript.modules import Modules, read_import

if TYPE_CHECKING:
    from tree_sitter import Node

NAMESPACE = "* as"
_INITIALS = 2
Imports = dict[str, tuple[str, str]]
_SUFFIXES = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
_ASSERT_MODULES = frozenset(
    {
        "assert",
        "node:assert",
        "assert/strict",
        "node:assert/strict",
        "power-assert",
        "chai",
        "uvu/assert",
        "@std/assert",
    }
)
_OWN_WORDS: Final = {"chai": "chai:", "uvu/assert": "uvu:"}  # where the same names mean something else
_RUNNERS: Final = frozenset({"jest", "vi"})
_ACTUAL: Final = frozenset({"requireActual", "importActual"})
_PLANNING_MODULES: Final = frozenset({"@matteo.collina/tspl", "tspl"})
_NESTED: Final = re.compile(
    rb"\b(?:require\w*+|importActual|declare|namespace)\b|\bimport\s*+\("
)  # import below the top of a file


def imported_names(root: Node) -> Imports:
    """Map local names to (module, name there); `*` is the result of `require`, `default` the default export."""
    found: Imports = {}
    for node in descend(root) if _NESTED.search(root.text or b"") else root.named_children:
        if node.type == "import_statement":
            found.update(_imported(node))
        elif node.type == "variable_declarator":
            found.update(_required(node))
    return found


def _imported(node: Node) -> Imports:
    modules = Modules()
    read_import(node, modules)
    named = ((local, module, name) for local, (module, name) in modules.imports.items() if name != "=")
    return {local: (module, NAMESPACE if name == "*" else name) for local, module, name in named}


def is_import(value: Node) -> bool:
    """Whether an expression only imports: `require("x")`, `require("x").name`, `await vi.importActual("x")`."""
    return bool(_from_module(chain(value)))


def _from_module(links: tuple[Link, ...]) -> tuple[Link, ...]:
    """Return the links of an import, first of all the call that names the module; none for anything else."""
    if links[0].name in _RUNNERS and links[0].arguments is None and links[1:2] and links[1].name in _ACTUAL:
        links = links[1:]
    called = links[0].name in {"require", "import", *_ACTUAL} and links[0].arguments is not None
    return links if called and all(link.arguments is None for link in links[1:]) else ()


def _required(node: Node) -> Iterator[tuple[str, tuple[str, str]]]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or value is None or bare(value).type not in {"call_expression", "member_expression"}:
        return
    links = _from_module(chain(value))
    module = string_value(links[0].arguments[0]) if links and links[0].arguments else None
    if module is None:
        return
    inner = links[-1].name if len(links) > 1 else "*"
    if name.type == "identifier":
        yield text(name), (module, inner)
    elif name.type == "object_pattern":
        for each in children(name):
            if each.type == "shorthand_property_identifier_pattern":
                yield text(each), (module, text(each))
            elif each.type == "pair_pattern":
                yield text(each.child_by_field_name("value")), (module, text(each.child_by_field_name("key")))


def exported_names(root: Node) -> dict[str, str]:
    """Map exported names to the local names of what is exported."""
    found: dict[str, str] = {}
    for node in children(root):
        if node.type == "export_statement":
            found.update(_exported(node))
        elif node.type == "expression_statement":
            found.update(_common(bare(node)))
    return found


def _exported(node: Node) -> Iterator[tuple[str, str]]:
    declaration = node.child_by_field_name("declaration")
    default = any(child.type == "default" for child in node.children)
    value = node.child_by_field_name("value")
    if value is not None and bare(value).type == "identifier":
        yield "default", text(bare(value))
    declared = [declaration] if declaration is not None else []
    if declaration is not None and declaration.type.endswith("_declaration"):
        declared = [child for child in children(declaration) if child.type == "variable_declarator"] or declared
    for each in declared:
        name = text(each.child_by_field_name("name"))
        yield ("default" if default else name), name
    for clause in (child for child in children(node) if child.type == "export_clause"):
        for each in children(clause):
            local, alias = each.child_by_field_name("name"), each.child_by_field_name("alias")
            yield text(alias or local), text(local)


def _common(node: Node) -> Iterator[tuple[str, str]]:
    if node.type != "assignment_expression":
        return
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    names = [link.name for link in chain(left)]
    value = bare(right)
    local = text(value) if value.type == "identifier" else names[-1]
    names = names[1:] if names[0] == "module" else names
    if names[:1] == ["exports"] and len(names) == 2:  # noqa: PLR2004 - exports and the name
        yield names[1], local
    elif names == ["exports"] and value.type == "object":
        yield from _listed(value)
    elif names == ["exports"]:
        yield from (("default", local), ("*", local))


def _listed(value: Node) -> Iterator[tuple[str, str]]:
    """Yield the names in `module.exports = { a, b: c }`."""
    for each in children(value):
        if each.type == "shorthand_property_identifier":
            yield text(each), text(each)
        elif each.type == "pair":
            yield text(each.child_by_field_name("key")), text(each.child_by_field_name("value"))


def namespaces(imports: Imports) -> frozenset[str]:
    """Return the names that are mere prefixes: `import * as actions`, and initials such as `z`."""
    return frozenset(
        local for local, (_, name) in imports.items() if name == NAMESPACE or len(local.strip("_$")) <= _INITIALS
    )


def assertion_names(imports: Imports) -> dict[str, str]:
    """Map local names to assertion functions, those of a library with words of its own as `library:name`.

    Without a name it is a whole assertion module.
    """
    known = {"assert": ""}
    for local, (module, name) in imports.items():
        if module not in _ASSERT_MODULES and not module.startswith(("jsr:@std/assert", "https://deno.land/std")):
            continue
        if name in {"*", NAMESPACE, "default", "strict", "assert"}:
            if module != "chai" or name == "assert":
                known[local] = _OWN_WORDS.get(module, "")
        elif name in ASSERTIONS or module == "uvu/assert":
            known[local] = _OWN_WORDS.get(module, "") + name
    return known


def planning_names(imports: Imports) -> frozenset[str]:
    """Return the local names from modules that make planned assertion functions: `tspl(t, { plan: 3 })`."""
    return frozenset(local for local, (module, _) in imports.items() if module in _PLANNING_MODULES)


def resolve(path: str, module: str, read: Callable[[str], bytes | None]) -> tuple[str, bytes] | None:
    """Return the path and bytes of the repository file that a relative import names, or None."""
    if not module.startswith("."):
        return None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), module))
    if target.startswith(("../", "/")):
        return None
    stem = target[: -len(".js")] if target.endswith((".js", ".mjs", ".cjs")) else target
    stem = stem.removesuffix(".")
    for candidate in (
        *(target + suffix for suffix in _SUFFIXES),
        *(stem + suffix for suffix in _SUFFIXES[1:]),
        *(f"{target}/index{suffix}" for suffix in _SUFFIXES[1:]),
    ):
        source = read(candidate)
        if source is not None:
            return candidate, source
    return None
