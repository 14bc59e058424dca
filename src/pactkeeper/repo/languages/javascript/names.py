"""Find a file's names that refer to runners: byte searches find them, syntax nodes classify them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pactkeeper.repo.languages.javascript.modules import Modules
from pactkeeper.repo.languages.javascript.runners import (
    GLOBALS,
    Chain,
    follow,
    followed,
    global_meaning,
    imported_meaning,
    runner_of,
    words,
)
from pactkeeper.repo.languages.javascript.scopes import Declaration, declaration
from pactkeeper.repo.languages.javascript.syntax import FUNCTIONS, WRAPPERS, text

if TYPE_CHECKING:
    from tree_sitter import Node

_BUILTIN = re.compile(
    r"(?:node:|react|lodash|underscore|chai|sinon|assert|fs|path|util|http|events|url|supertest|expect)(?:/.*)?"
)
_SUBTESTS = re.compile(rb"(?<![\w$.])([A-Za-z_$][\w$]*)\s*\.\s*(?:test|it|describe|suite)\s*\(")
_HANDED = re.compile(
    rb"^[ \t]*+(?:await )?([A-Za-z_$][\w$]*+)\.(?:it|test|describe)(?:\.\w++)?\(\s*+[\"'`]", re.MULTILINE
)
_GLOBAL = re.compile(rb"(?<![\w$.])(globalThis|global)\.(?:it|test|describe)\b")
_BORROWED = frozenset({"call", "apply", "bind"})
_HOLDERS = frozenset({"array", "spread_element", "required_parameter", "assignment_pattern", "public_field_definition"})
_NEVER_BEFORE = frozenset({b"(", b"[", b"!", b",", b"'", b'"'})
_BEFORE = (b";", b"{", b"}", b"=>", b"await", b"return", b"void", b")", b"else")
_CALLED = re.compile(rb"[\w$.\s!?]{0,200}+[(`<]")
_TITLED = re.compile(rb"[\w$.\s!?]{0,200}(?:\(\s*+[\"'`]|\.\s*+(?:extend|only|skip|each|skipIf|runIf|describe)\b)")
_MAKERS = re.compile(rb"\s*\.\s*(?:extend|only|skip|each|skipIf|runIf|describe)\b")
_PLAIN = frozenset({"identifier", "member_expression"})
_PLAIN_USES = frozenset({"call_expression", "member_expression"})
_MAKING = frozenset({("uvu", "suite"), ("@hapi/lab", "script")})  # functions whose result declares
_WORDS = frozenset({"identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier"})


@dataclass(slots=True)
class Use:
    """A runner's name, or one that may be a helper's, with what follows it."""

    node: Node
    chain: Chain


@dataclass(slots=True)
class Names:
    """All declarations and uses of the relevant names in one file.

    `calls` are declaring uses, by the id of the declaring call; `aliases` and `returned` are uses that a variable (by
    its declarator's id) or a function (by its id) refers to; `exported` are uses exported as values; `made` are
    function calls, by the declarator that keeps or destructures their result; `objects` are uses by key, by the
    declarator of the object literal; `handed` are uses as values that nothing follows; `makers` are functions of the
    file that return a runner's function. `declaring` are names that declare tests according to the pact.
    """

    root: Node
    source: bytes
    modules: Modules
    declared: dict[str, list[Declaration]] = field(default_factory=dict)
    calls: dict[int, Use] = field(default_factory=dict)
    aliases: dict[int, list[Use]] = field(default_factory=dict)
    returned: dict[int, list[Use]] = field(default_factory=dict)
    exported: dict[int, Use] = field(default_factory=dict)
    made: dict[int, Use] = field(default_factory=dict)
    objects: dict[int, dict[str, Use]] = field(default_factory=dict)
    handed: list[Use] = field(default_factory=list)
    made_names: list[str] = field(default_factory=list)
    makers: set[str] = field(default_factory=set)
    declaring: frozenset[str] = frozenset()
    subtests: bool = False  # whether a running test hands on what declares further ones
    seen: set[str] = field(default_factory=set)
    pending: list[str] = field(default_factory=list)

    def find(self) -> None:
        """Visit runners' names, imported names that may be helpers, and whatever either is assigned to."""
        self.pending += (*GLOBALS, *self.declaring)
        near: list[str] = []
        far: list[str] = []
        self.subtests = b"node:test" in self.source
        for local, (module, imported) in self.modules.imports.items():
            runner = runner_of(module)
            if runner is not None:
                self.subtests = self.subtests or runner in {"node:test", "tap"}
                if imported_meaning(runner, imported) is not None:
                    self.pending.append(local)
            elif local not in GLOBALS and not _BUILTIN.fullmatch(module):
                (near if module.startswith(".") else far).append(local)
        self.pending += {match.group(1).decode() for match in _GLOBAL.finditer(self.source)}
        members = _SUBTESTS if self.subtests else _HANDED
        self.pending += {match.group(1).decode() for match in members.finditer(self.source)}
        self.visit_statements(near, _CALLED)
        self.visit_statements(far, _TITLED)
        self.visit_pending()
        self.visit_statements(self.made_names, _CALLED)
        self.visit_pending()

    def visit_pending(self) -> None:
        """Visit every occurrence of the pending names, and of the names these turn out to be assigned to."""
        while self.pending:
            names = {name for name in self.pending if name not in self.seen}
            self.pending.clear()
            self.seen |= names
            if names:
                for start, end in words(self.source, names):
                    self._visit(start, end)

    def visit_statements(self, names: Iterable[str], how: re.Pattern[bytes]) -> None:
        """Visit names that may be helpers where they are called as statements, or in makers such as `base.extend`.

        `how` is what must follow a name.
        """
        source = self.source
        for start, end in followed(source, set(names) - self.seen, how):
            if source[start - 1 : start] in _NEVER_BEFORE:
                continue
            line = source[source.rfind(b"\n", 0, start) + 1 : start]
            before = line.rstrip()
            taken_apart = before.endswith(b"} =") and not line[:1].isspace()
            if not before or before.endswith(_BEFORE) or taken_apart or _MAKERS.match(source, end):
                self._visit(start, end)

    def _visit(self, start: int, end: int) -> None:
        node = self.root.descendant_for_byte_range(start, end)
        if node is None or node.type not in _WORDS or node.start_byte != start:
            return
        parent = node.parent
        if parent is not None and parent.type in _PLAIN_USES:
            self._use(Use(node, follow(node)))
            return
        if node.type == "shorthand_property_identifier":
            self._held(Use(node, follow(node)), node, text(node))
            return
        if _in_import(node):
            return
        found = declaration(node)
        if found is not None:
            known = self.declared.setdefault(text(node), [])
            if all(other.node.id != found.node.id for other in known):
                known.append(found)
                self._note_context(found)
            return
        self._use(Use(node, follow(node)))

    def _note_context(self, found: Declaration) -> None:
        """Also visit `t` if `const test = t.test` or `const { test } = t` takes its function."""
        value = found.node.child_by_field_name("value") if found.kind == "variable" else None
        if value is None:
            return
        name = value.child_by_field_name("property") if value.type == "member_expression" else None
        holder = value.child_by_field_name("object") if name is not None and text(name) in GLOBALS else None
        holder = value if found.key and value.type == "identifier" else holder
        if holder is not None and holder.type == "identifier":
            self.pending.append(text(holder))

    def _use(self, use: Use) -> None:
        chain = use.chain
        if chain.call is not None and self.modules.imports.get(chain.root) in _MAKING:
            chain.value, chain.call = chain.call, None  # its result declares tests
        if chain.members and chain.members[-1] in _BORROWED:
            chain.members = chain.members[:-1]
            self.handed.append(use)
            return
        if chain.call is not None and self._takes_apart(use, chain.call):
            return
        if chain.call is not None:
            self.calls.setdefault(chain.call.id, use)
            return
        parent = chain.value.parent
        if parent is not None and parent.type == "arguments" and parent.parent is not None:
            # `mergeTests(a, b).extend(…)`, `wrap(it)`: the result is assumed to be a runner too
            called = parent.parent.child_by_field_name("function")
            chain.value = follow(parent.parent).value
            parent = chain.value.parent
            if parent is None or parent.type not in {"variable_declarator", "export_statement"}:
                own = called is not None and b"function " + (called.text or b"") + b"(" in self.source
                if not (own or self.subtests):  # in both cases the calls of a parameter are looked at
                    self.handed.append(use)
                return
        if parent is not None:
            self._given(use, parent)

    def _takes_apart(self, use: Use, call: Node) -> bool:
        """Record `const { test, run } = suite(…)` and `const it = make()`, where a function returns what declares."""
        holder = call.parent
        while holder is not None and holder.type in WRAPPERS:
            holder = holder.parent
        if holder is None or holder.type != "variable_declarator":
            return False
        module, _ = self.modules.imports.get(use.chain.root, ("", ""))
        if not module.startswith(".") and use.chain.root not in self.makers:
            return False
        pattern = holder.child_by_field_name("name")
        if pattern is None or pattern.type not in {"object_pattern", "identifier"}:
            return False
        self.made[holder.id] = use
        if pattern.type == "identifier":
            self.declared.setdefault(text(pattern), []).extend(filter(None, [declaration(pattern)]))
            self.made_names.append(text(pattern))
            return True
        for part in pattern.named_children:
            name = part if part.type != "pair_pattern" else part.child_by_field_name("value")
            if name is not None and name.type in {"identifier", "shorthand_property_identifier_pattern"}:
                self.declared.setdefault(text(name), []).extend(filter(None, [declaration(name)]))
                self.made_names.append(text(name))
        return True

    def is_used(self, function: Node) -> bool:
        """Whether a function is mentioned outside its definition, or kept by something that may call it."""
        holder = function.parent
        kind = holder.type if holder is not None else ""
        if function.type in {"function_declaration", "generator_function_declaration"}:
            kept = holder is not None and holder.type == "export_statement"
        elif kind in {"variable_declarator", "assignment_expression"} and holder is not None:
            kept = (
                holder.parent is not None
                and holder.parent.parent is not None
                and holder.parent.parent.type == "export_statement"
            )
            left = holder.child_by_field_name("left")
            if left is not None and (text(left).startswith(("exports", "module.", "this.")) or left.type not in _PLAIN):
                kept = True
            if left is not None and left.type == "member_expression" and not kept:
                return self.source.count((left.text or b"") + b"(") > 0
        else:
            kept = True
        name = function_name(function).encode()
        return kept or not name or len(re.findall(rb"(?<![\w$])" + re.escape(name) + rb"(?![\w$])", self.source)) > 1

    def _given(self, use: Use, parent: Node) -> None:
        """Record where a runner's function goes: into a variable, a function's result, or an export."""
        value = use.chain.value
        if parent.type == "variable_declarator":
            name = parent.child_by_field_name("name")
            self.aliases.setdefault(parent.id, []).append(use)
            if name is not None and name.type == "identifier":
                self.pending.append(text(name))
                self.exported[value.id] = use
            elif name is not None and name.type == "object_pattern":
                self.pending += [text(part) for part in name.named_children if part.type in _WORDS]
        elif parent.type == "assignment_expression":
            left = parent.child_by_field_name("left")
            if left == value:
                return  # a stub replaces the runner's function temporarily; the name keeps its meaning
            self.exported[value.id] = use
            if parent.parent is not None and parent.parent.type == "variable_declarator":
                self._given(use, parent.parent)  # `const { it } = exports.lab = Lab.script()`
            if left is not None and left.type == "identifier" and not self._is_put_back(left):
                self.aliases.setdefault(-left.start_byte - 1, []).append(use)
                self.pending.append(text(left))
                self.declared.setdefault(text(left), []).append(
                    Declaration("variable", left, 0, self.root.end_byte, "", -left.start_byte - 1)
                )
        elif parent.type in {"arrow_function", "return_statement"}:
            self._returns(use, parent)
        else:
            self._kept(use, parent)

    def _kept(self, use: Use, parent: Node) -> None:
        """Record a runner's function that is exported, an entry of an object, or kept by something else."""
        if parent.type in {"export_statement", "pair"}:
            self.exported[use.chain.value.id] = use
        key = parent.child_by_field_name("key") if parent.type == "pair" else None
        if key is not None:
            self._held(use, parent, text(key).strip("'\""))
        elif parent.type in _HOLDERS:
            self.handed.append(use)

    def _held(self, use: Use, entry: Node, key: str) -> None:
        """Record a runner's function in an object: by its key if a variable holds the object."""
        holder = entry.parent.parent if entry.parent is not None else None
        while holder is not None and holder.type in WRAPPERS:
            holder = holder.parent
        name = holder.child_by_field_name("name") if holder is not None else None
        if holder is None or holder.type in {"assignment_expression", "export_statement"}:
            return
        if name is None or holder.type != "variable_declarator" or name.type != "identifier":
            self.handed.append(use)
            return
        self.objects.setdefault(holder.id, {})[key] = use
        self.pending.append(text(name))

    def _is_put_back(self, left: Node) -> bool:
        """Whether a runner's global is restored: `it = original`, where nothing in the file declares `it`."""
        return global_meaning(text(left)) is not None and self.declaration_at(text(left), left.start_byte) is None

    def _returns(self, use: Use, parent: Node) -> None:
        function: Node | None = parent
        while function is not None and function.type not in FUNCTIONS:
            function = function.parent
        if function is None:
            return
        self.returned.setdefault(function.id, []).append(use)
        name = function_name(function)
        if name:
            self.makers.add(name)
            self.pending.append(name)

    def declaration_at(self, name: str, position: int) -> Declaration | None:
        """Return the innermost declaration of a name visible at a position of the source."""
        holding = [d for d in self.declared.get(name, ()) if d.start <= position < d.end]
        return min(holding, key=lambda d: d.end - d.start) if holding else None


def function_name(function: Node) -> str:
    """Return a function's name in its file: its own, or that of its variable, property or export."""
    name = function.child_by_field_name("name")
    if name is not None:
        return text(name)
    holder = function.parent
    while holder is not None and holder.type in WRAPPERS:
        holder = holder.parent
    field_name = {"variable_declarator": "name", "pair": "key", "assignment_expression": "left"}
    named = (
        holder.child_by_field_name(field_name[holder.type])
        if holder is not None and holder.type in field_name
        else None
    )
    if named is None:
        return ""
    return text(named) if named.type in {"identifier", "property_identifier"} else text(named).rpartition(".")[2]


def _in_import(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type in {
        "import_specifier",
        "import_clause",
        "namespace_import",
        "export_specifier",
        "import_require_clause",
        "namespace_export",
    }
