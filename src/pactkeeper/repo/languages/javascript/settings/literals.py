"""Evaluate a settings file without running it: literals, constants, spreads, and the calls that wrap settings."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.languages.javascript.grammar import parse, parse_plain
from pactkeeper.repo.languages.javascript.modules import Exported, read_modules
from pactkeeper.repo.languages.javascript.settings.unknown import SPREAD, Pattern, Unknown, any_of, called, concatenated
from pactkeeper.repo.languages.javascript.syntax import FUNCTIONS, WRAPPERS, arguments_of, bare, text, unescape

if TYPE_CHECKING:
    from tree_sitter import Node

_DEPTH: Final = 40
_STEPS: Final = 100_000  # per settings file and its imports: names that refer to names twice double the work each time
_LONGEST: Final = 1 << 16  # characters of a concatenated string
_NAMES_FILES: Final = re.compile(r"\s\S*[*/]\S*\.[cm]?[jt]sx?\b")
_ESLINT: Final = re.compile(r"(?:\A|/)eslint\.config\.\w+\Z")
VITEST_EXCLUDE: Final = ("**/node_modules/**", "**/.git/**")
VITEST_INCLUDE: Final = ("**/*.{test,spec}.?(c|m)[jt]s?(x)",)
JEST_MATCH: Final = ("**/__tests__/**/*.?([mc])[jt]s?(x)", "**/?(*.)+(spec|test).?([mc])[jt]s?(x)")
_KNOWN: Final[dict[tuple[str, str], object]] = {
    ("vitest/config", "configDefaults"): {"include": list(VITEST_INCLUDE), "exclude": list(VITEST_EXCLUDE)},
    ("vitest/config", "defaultExclude"): list(VITEST_EXCLUDE),
    ("vitest/config", "defaultInclude"): list(VITEST_INCLUDE),
    ("jest-config", "defaults"): {"testMatch": list(JEST_MATCH), "testPathIgnorePatterns": ["/node_modules/"]},
}


@dataclass(slots=True)
class Steps:
    """The remaining evaluation budget."""

    left: int = _STEPS


@dataclass(slots=True)
class Module:
    """One settings file while it is read; `load` evaluates another file's export for imports between settings files."""

    path: str
    root: Node
    constants: dict[str, Node] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    load: Callable[[str, str, str], object] | None = None
    exports: Sequence[Exported] = ()
    steps: Steps = field(default_factory=Steps)

    @property
    def folder(self) -> str:
        """The folder as an absolute path, as if the repository's root were `/`."""
        return "/" + posixpath.dirname(self.path)


def read_module(path: str, source: bytes, load: Callable[[str, str, str], object], steps: Steps) -> Module:
    """Parse a settings file: JSON, JSON with comments, an ES module or CommonJS."""
    if path.endswith((".json", ".jsonc", ".json5", "rc")):
        source = b"export default (" + source.removeprefix(b"\xef\xbb\xbf").rstrip() + b"\n)"
        root = parse_plain(source).root_node
    else:
        root = parse(path, source).root_node
    modules = read_modules(root, source)
    return Module(path, root, _constants(root), modules.imports, load, modules.exports, steps)


def value_of(module: Module, name: str) -> object:
    """Return the value that a settings file exports under a name."""
    for exported in module.exports:
        if exported.name in {name, "="} or (name == "=" and exported.name == "default"):
            if exported.node is not None:
                return evaluate(exported.node, module)
            if exported.local:
                return _named(exported.local, module, module.root, 0)
            if exported.module and module.load is not None:
                return module.load(module.path, exported.module, exported.imported)
    if name not in {"default", "="} and name in module.constants:
        return evaluate(module.constants[name], module)
    return Unknown("no settings are exported", 1)


def command_lines(path: str, source: bytes) -> list[str]:
    """Return what a script may pass to a shell: strings and templates that name files, with constants filled in.

    A part that depends on running the script becomes the word 0.
    """
    root = parse(path, source).root_node
    module = Module(path, root, _constants(root))
    found: list[str] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in {"string", "template_string"}:
            found.append(_filled(node, module))
        else:
            waiting += reversed(node.named_children)
    return [line for line in found if _NAMES_FILES.search(line)]


def _filled(node: Node, module: Module) -> str:
    if node.type == "string":
        return unescape(text(node)[1:-1])
    return "".join(part if isinstance(part, str) else "0" for part in _parts(node, module, 0))


def _constants(root: Node) -> dict[str, Node]:
    """Return the values of variables and functions declared directly in a program or function body."""
    found = {}
    for statement in root.named_children:
        inner = statement.child_by_field_name("declaration") if statement.type == "export_statement" else None
        declaration = inner if inner is not None else statement
        if declaration.type in FUNCTIONS:
            name = declaration.child_by_field_name("name")
            if name is not None:
                found[text(name)] = declaration
        if declaration.type not in {"lexical_declaration", "variable_declaration"}:
            continue
        for declarator in declaration.named_children:
            name, value = declarator.child_by_field_name("name"), declarator.child_by_field_name("value")
            if name is not None and value is not None and name.type == "identifier":
                found[text(name)] = value
    return found


def evaluate(node: Node, module: Module, depth: int = 0) -> object:
    """Evaluate an expression to Python's own types; `Unknown` if its value can't be determined."""
    node = bare(node) if node.type in WRAPPERS else node
    module.steps.left -= 1
    if depth > _DEPTH or module.steps.left < 0:
        return _unknown(node)
    reader = _READERS.get(node.type)
    if reader is not None:
        return reader(node, module, depth + 1)
    if node.type in FUNCTIONS:
        return _returned(node, module, depth + 1)
    return _unknown(node)


_READ: Final = 1_000  # characters of an expression that only running it would reveal


def _unknown(node: Node) -> Unknown:
    return Unknown(" ".join(text(node).split())[:_READ], node.start_point.row + 1)


def _string(node: Node, _module: Module, _depth: int) -> object:
    return unescape(text(node)[1:-1])


def _template(node: Node, module: Module, depth: int) -> object:
    parts = [part for part in _parts(node, module, depth) if isinstance(part, str)]
    is_whole = len(parts) == len(node.named_children) and sum(map(len, parts)) <= _LONGEST
    return "".join(parts) if is_whole else _unknown(node)


def _parts(template: Node, module: Module, depth: int) -> Iterator[object]:
    for child in template.named_children:
        if child.type != "template_substitution":
            yield unescape(text(child))
        else:
            yield evaluate(child.named_children[0], module, depth) if child.named_children else ""


def _number(node: Node, _module: Module, _depth: int) -> object:
    try:
        return float(text(node).replace("_", ""))
    except ValueError:
        return _unknown(node)


def _array(node: Node, module: Module, depth: int) -> object:
    items: list[object] = []
    for child in node.named_children:
        if child.type == "comment":
            continue
        if child.type == "spread_element":
            value = evaluate(child.named_children[0], module, depth)
            items += value if isinstance(value, list) else [value if isinstance(value, Unknown) else _unknown(child)]
        else:
            items.append(evaluate(child, module, depth))
    return items


def _object(node: Node, module: Module, depth: int) -> object:
    entries: dict[str, object] = {}
    for child in node.named_children:
        if child.type == "pair":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is not None and value is not None:
                entries.pop(_key(key), None)
                entries[_key(key)] = evaluate(value, module, depth)
        elif child.type == "shorthand_property_identifier":
            entries[text(child)] = _named(text(child), module, child, depth)
        elif child.type == "spread_element":
            spread = evaluate(child.named_children[0], module, depth)
            if isinstance(spread, dict):
                entries.update(spread)
            else:
                entries.pop(SPREAD, None)  # only the last one counts: it may override everything before it
                entries[SPREAD] = _unknown(child)
    return entries


def _key(key: Node) -> str:
    return unescape(text(key)[1:-1]) if key.type == "string" else text(key)


def _identifier(node: Node, module: Module, depth: int) -> object:
    return _named(text(node), module, node, depth)


def _named(name: str, module: Module, node: Node, depth: int) -> object:
    if name == "__dirname":
        return module.folder
    if name == "__filename":
        return "/" + module.path
    if name in module.constants:
        value = module.constants[name]
        if value.type in FUNCTIONS:
            return _unknown(node)
        if text(value).startswith("require"):
            return _imported(name, module, node)
        return evaluate(value, module, depth + 1)
    return _imported(name, module, node)


def _imported(name: str, module: Module, node: Node) -> object:
    origin = module.imports.get(name)
    if origin is None:
        return None if name == "undefined" else _unknown(node)
    if origin in _KNOWN:
        return _KNOWN[origin]
    if origin[1] == "=" or origin[1] == "*":
        whole = {key[1]: value for key, value in _KNOWN.items() if key[0] == origin[0]}
        if whole:
            return whole
    if module.load is not None and origin[0].startswith("."):
        return module.load(module.path, *origin)
    return _unknown(node)


def _member(node: Node, module: Module, depth: int) -> object:
    written = "".join(text(node).split())
    if written == "import.meta.dirname":
        return module.folder
    if written in {"import.meta.url", "import.meta.filename"}:
        return "/" + module.path
    holder, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if holder is None or name is None:
        return _unknown(node)
    value = evaluate(holder, module, depth)
    if isinstance(value, dict) and text(name) in value:
        return value[text(name)]
    if isinstance(value, str) and text(name) in {"pathname", "href"}:
        return value
    return _unknown(node)


def _call(node: Node, module: Module, depth: int) -> object:
    function = node.child_by_field_name("function")
    if function is None:
        return _unknown(node)
    whole = text(function)
    arguments = arguments_of(node)
    if whole == "process.cwd":
        return module.folder
    local = module.constants.get(whole)
    if local is not None and local.type in FUNCTIONS and not arguments:
        return _returned(local, module, depth)
    values = [evaluate(argument, module, depth) for argument in arguments]
    if whole == "process.argv.includes":
        return False  # in a plain run
    if whole == "require":
        return _required(values, module, node)
    holder = function.child_by_field_name("object")
    if whole.endswith(".concat") and holder is not None:
        return concatenated(evaluate(holder, module, depth), values, _unknown(node))
    found = called(whole.rpartition(".")[2], values, folder=module.folder, unknown=_unknown(node))
    return _added_to_preset(values, found) if _ESLINT.search(module.path) and isinstance(found, Unknown) else found


def _added_to_preset(values: Sequence[object], unknown: Unknown) -> object:
    """Return the parts of ESLint's settings that are handed to a function which adds a preset to them."""
    parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
    return [part for part in parts if isinstance(part, dict)] or unknown


def _required(values: list[object], module: Module, node: Node) -> object:
    wanted = values[0] if values else None
    if module.load is None or not isinstance(wanted, str) or not wanted.startswith("."):
        return _unknown(node)
    return module.load(module.path, wanted, "=")


def _new(node: Node, module: Module, depth: int) -> object:
    """Evaluate `new URL("./x", import.meta.url)` and `new RegExp("…")`."""
    constructor = node.child_by_field_name("constructor")
    values = [evaluate(argument, module, depth) for argument in arguments_of(node)]
    if constructor is None or not values or not isinstance(values[0], str):
        return _unknown(node)
    if text(constructor) == "URL":
        base = values[1] if len(values) > 1 and isinstance(values[1], str) else "/"
        return posixpath.normpath(posixpath.join(posixpath.dirname(base), values[0]))
    return Pattern(values[0]) if text(constructor) == "RegExp" else _unknown(node)


def _regex(node: Node, _module: Module, _depth: int) -> object:
    pattern = node.child_by_field_name("pattern")
    return Pattern(text(pattern)) if pattern is not None else _unknown(node)


def _sum(node: Node, module: Module, depth: int) -> object:
    operator = node.child_by_field_name("operator")
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or operator is None:
        return _unknown(node)
    first = evaluate(left, module, depth)
    if operator.type in {"??", "||"}:
        return evaluate(right, module, depth) if isinstance(first, Unknown) else first
    second = evaluate(right, module, depth)
    if operator.type == "+" and isinstance(first, str) and isinstance(second, str):
        return first + second if len(first) + len(second) <= _LONGEST else _unknown(node)
    return _unknown(node)


def _returned(function: Node, module: Module, depth: int) -> object:
    """Evaluate the result of a function that creates settings: its `return` statements, or its expression."""
    body = function.child_by_field_name("body")
    if body is None:
        return _unknown(function)
    if body.type != "statement_block":
        return evaluate(body, module, depth)
    inner = replace(module, constants=module.constants | _constants(body))
    values = [evaluate(node, inner, depth) for node in _returns(body, module.steps)]
    return any_of(values) if values else _unknown(function)


def _returns(body: Node, steps: Steps) -> list[Node]:
    """Return the values a function may return, excluding nested functions."""
    found: list[Node] = []
    waiting = [body]
    while waiting and steps.left > 0:
        node = waiting.pop(0)
        steps.left -= 1
        if node.type == "return_statement":
            found += [child for child in node.named_children if child.type != "comment"][:1]
        elif node.type not in FUNCTIONS:
            waiting += node.named_children
    return found


def _choice(node: Node, module: Module, depth: int) -> object:
    chosen = [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")]
    values = [evaluate(part, module, depth) for part in chosen if part is not None]
    if any(isinstance(value, list) for value in values):
        return any_of(values)
    return values[0] if len(values) > 1 and values[0] == values[1] else _unknown(node)


def _not(node: Node, module: Module, depth: int) -> object:
    value = evaluate(node.named_children[-1], module, depth)
    return _unknown(node) if text(node)[0] != "!" or isinstance(value, Unknown) else value in (None, False, "", 0)


_WORDS: Final = ("true", "false", "null", "undefined")
_READERS: Final[dict[str, Callable[[Node, Module, int], object]]] = {
    "string": _string,
    "template_string": _template,
    "number": _number,
    "array": _array,
    "object": _object,
    "identifier": _identifier,
    "member_expression": _member,
    "call_expression": _call,
    "new_expression": _new,
    "regex": _regex,
    "binary_expression": _sum,
    "ternary_expression": _choice,
    "unary_expression": _not,
    **{name: lambda node, _module, _depth: {"true": True, "false": False}.get(node.type) for name in _WORDS},
}
