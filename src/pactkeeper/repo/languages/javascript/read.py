"""Read one file into facts: its declaring calls with their surroundings, and what its names refer to."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pactkeeper.intent.tests import Annotation
from pactkeeper.repo import annotations as atom_annotations
from pactkeeper.repo.annotations.grammar import parse_tag
from pactkeeper.repo.languages import normal_form
from pactkeeper.repo.languages.adapter import Glimpse
from pactkeeper.repo.languages.helpers import Helper, Mentions, digests
from pactkeeper.repo.languages.javascript import asserting, normal
from pactkeeper.repo.languages.javascript.bindings import Bindings, Frame, Frames, Unknown
from pactkeeper.repo.languages.javascript.facts import Binding, Call, Facts, Target, unread_calls
from pactkeeper.repo.languages.javascript.grammar import errors, is_too_deep, moves, parse, problems, testers, utf8
from pactkeeper.repo.languages.javascript.modules import Modules, read_modules
from pactkeeper.repo.languages.javascript.names import Names, Use
from pactkeeper.repo.languages.javascript.runners import SUITES, TABLES, TESTS, Chain, Meaning, runner_of
from pactkeeper.repo.languages.javascript.scopes import elements, rows
from pactkeeper.repo.languages.javascript.syntax import WRAPPERS, arguments_of, squeezed, text
from pactkeeper.repo.languages.javascript.titles import Title, exported_tests, rows_of, title_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

    from pactkeeper.intent.tests import Scope
    from pactkeeper.repo.languages.normal_form import Prepared

EXPORTS_INTERFACE: Final = "exports"
_LARGEST: Final = 32 << 20
_SHORT: Final = 80
_SPREAD: Final = "..."
_TITLED: Final = re.compile(rb"\s*+(?:it|test)\(\s*+(?:'[^'\n]*+'|\"[^\"\n]*+\"|`[^`\n]*+`)\s*+,")
_IDENTIFIER: Final = re.compile(r"(?<![\w$.])[A-Za-z_$][\w$]*")


def glimpse(path: str, source: bytes) -> Glimpse | None:
    """Count the calls that would declare a test if a runner ran a file; None if there are none."""
    facts = read(path, source, "IA", hashed=False)
    titled = (call for call in facts.calls if call.title_kind in {"text", "computed"} and call.arguments > 1)
    lines = [call.name_line for call in titled if call.inline and _is_runner(facts, call)]
    lines = lines or untraced(facts.bindings, source)
    return Glimpse(len(lines), lines[0]) if lines else None


def _is_runner(facts: Facts, call: Call) -> bool:
    """Whether the callee is named as a test: a global, imported or local name, or a parameter."""
    target = call.target
    if target.binding < 0:
        return target.root in TESTS
    binding = facts.bindings[target.binding]
    if binding.kind == "import":
        return binding.imported in TESTS or (target.root in TESTS and runner_of(binding.module) is not None)
    return target.root in TESTS and binding.kind != "function"


def untraced(bindings: Sequence[Binding], source: bytes, known: Container[int] = ()) -> list[int]:
    """Return lines that declare tests by a local name of unknown origin: `const { it } = exports.lab = Lab.script()`.

    `known` are the lines of declarations that were read.
    """
    if not any(one.kind == "local" and one.name in TESTS and not one.targets for one in bindings):
        return []
    lines = enumerate(source.splitlines(), start=1)
    return [number for number, line in lines if number not in known and _TITLED.match(line)]


def read(path: str, source: bytes, parse_key: str, *, hashed: bool = True) -> Facts:
    """Read a file, without its hashes unless `hashed`; broken parts become problems and the rest is still read."""
    if len(source) > _LARGEST:
        return Facts(problems=((0, f"the file has {len(source)} bytes; files over {_LARGEST} are not read"),))
    source = utf8(source)
    if is_too_deep(source):
        return Facts(problems=((0, "the file nests too deeply to be read"),))
    tree = parse(path, source)
    prefix, interface, *declaring = *parse_key.split(" "), ""
    facts = _File(tree, source, prefix, frozenset(declaring) - {""}, hashed=hashed).facts()
    if interface == EXPORTS_INTERFACE:
        facts = exported_tests(tree, source, facts)
    return facts


@dataclass(slots=True)
class _Found:
    """A declaring call before its annotations and hash are computed."""

    use: Use
    node: Node
    title: Title
    target: Target
    role: str
    frame: Frame
    handed: Target | None

    @property
    def scope(self) -> Scope:
        """What annotations on the call cover; for a function unknown here, only its name tells."""
        word = next((word for word in reversed(self.target.members) if word in TESTS | SUITES), self.target.root)
        return "suite" if self.role == "suite" or (self.role == "maybe" and word in SUITES) else "test"


@dataclass(slots=True)
class _File:
    tree: Tree
    source: bytes
    prefix: str
    declaring: frozenset[str] = frozenset()
    hashed: bool = True
    index: dict[int, int] = field(default_factory=dict)
    found: list[_Found] = field(default_factory=list)

    def facts(self) -> Facts:
        root = self.tree.root_node
        modules = read_modules(root, self.source)
        names = Names(root, self.source, modules, declaring=self.declaring)
        names.find()
        for call, module, imported in modules.immediate:
            name = f"require({module})"
            modules.imports[name] = (module, imported)
            names.calls.setdefault(call.id, Use(call, Chain(name, (), call, call)))
        frames, bindings = self._collect(names)
        helpers = self._helpers(frames)
        if helpers:
            names.pending += helpers
            names.visit_pending()
            frames, bindings = self._collect(names, frames)
        exports = bindings.exports()
        collected = self._annotations()
        calls = self._calls(frames, collected)
        damage = errors(self.tree, self.source)
        unplaced = bool(damage) and self._is_unplaced(damage)
        encoded = bindings.encoded()
        lost = untraced(encoded, self.source, {call.line for call in calls})
        return Facts(
            calls=calls,
            bindings=encoded,
            functions=tuple(frames.functions),
            exports=exports,
            effects=tuple(dict.fromkeys(modules.effects)),
            annotations=collected.file if collected is not None else (),
            problems=(
                *problems(self.tree, self.source, unplaced=unplaced),
                *testers(root),
                *([(lost[0], unread_calls(len(lost), "the local it or test"))] if lost else ()),
                *self._handed_on(names, bindings),
                *_whole(modules, self.found),
                *_loose(collected),
            ),
            damaged=tuple((node.start_point.row + 1, node.end_point.row + 1) for node in damage),
            unplaced=unplaced,
        )

    def _handed_on(self, names: Names, bindings: Bindings) -> Iterator[tuple[int, str]]:
        """Report runners' functions that something else is given, which may declare tests by them."""
        meanings = [(use, bindings.meaning(bindings.target(use))) for use in names.handed]
        given = [use for use, what in meanings if isinstance(what, Meaning) and what.role != "suite"]
        if given:
            roots = ", ".join(dict.fromkeys(use.chain.root for use in given))
            where = "" if len(given) == 1 else f" in {len(given)} places"
            reason = f"{roots} is handed on{where}; tests that are declared by it there may be missing"
            yield min(use.node.start_point.row + 1 for use in given), reason

    def _is_unplaced(self, damage: list[Node]) -> bool:
        """Whether broken syntax obscures what encloses what, or is in the head of a suite's call."""
        if b"\0" in self.source or any(moves(node, self.source) for node in damage):
            return True
        heads = [_head(found) for found in self.found if found.role != "test"]
        return any(start <= node.start_byte < end for node in damage for start, end in heads)

    def _collect(self, names: Names, before: Frames | None = None) -> tuple[Frames, Bindings]:
        """Keep the calls that may declare, in source order, enclosing calls first.

        `before` already knows the functions that contain calls, so that a use may precede its function.
        """
        self.index, self.found = {}, []
        frames = Frames(self.index, names.is_used)
        if before is not None:
            frames.functions, frames.numbers = before.functions, before.numbers
        bindings = Bindings(names, frames, declaring=self.declaring)
        test_ends = 0
        calls = [(use.chain.call, use) for use in names.calls.values() if use.chain.call is not None]
        for node, use in sorted(calls, key=_place):
            target = bindings.target(use)
            meaning = bindings.meaning(target)
            if meaning is None:
                continue
            title = title_of(node)
            role = "maybe" if isinstance(meaning, Unknown) else meaning.role
            if isinstance(meaning, Unknown) and (
                node.start_byte < test_ends or not _may_register(meaning, title, node)
            ):
                continue
            if role == "namespace":
                continue
            if role == "test":
                test_ends = max(test_ends, node.end_byte)
            frame = frames.around(node)
            self.index[node.id] = len(self.found)
            if title.callback is not None:
                bindings.owners[title.callback.id] = len(self.found)
            handed = self._handed(title, names, bindings)
            self.found.append(_Found(use, node, title, target, role, frame, handed))
        return frames, bindings

    @staticmethod
    def _handed(title: Title, names: Names, bindings: Bindings) -> Target | None:
        """Return a callback imported from another file: `describe("…", shared)`."""
        name = title.callback_name
        if name not in names.modules.imports or title.node is None:
            return None
        return Target(name, bindings.number(name, title.node.start_byte), ())

    def _helpers(self, frames: Frames) -> set[str]:
        """Return the functions of this file that declare tests or suites; their calls determine where these belong."""
        return {
            frames.functions[found.frame.function].name
            for found in self.found
            if found.frame.function >= 0 and found.role != "maybe"
        } - {""}

    def _annotations(self) -> atom_annotations.Collected | None:
        if atom_annotations.MENTION not in self.source:
            return None
        scopes: list[tuple[Node, Scope]] = [(found.node, found.scope) for found in self.found]
        return atom_annotations.collect(self.tree, self.source, scopes, prefix=self.prefix)

    def _calls(self, frames: Frames, collected: atom_annotations.Collected | None) -> tuple[Call, ...]:
        hashes, asserted = self._hashes()
        tagged = b"tag" in self.source
        calls = []
        for number, found in enumerate(self.found):
            noted = (collected.declared[number] if collected is not None else ()) + (
                _tags(found, self.prefix) if tagged else ()
            )
            digest = (hashes.get(number, ""), asserted.get(number, ""))
            calls.append(_call(found, frames, digest, noted))
        return tuple(calls)

    def _hashes(self) -> tuple[dict[int, str], dict[int, str]]:
        """Return body hashes of all calls except suites, and digests of the helpers that assert for them, by number."""
        declared: dict[int, normal_form.Declared] = {}
        for number, found in enumerate(self.found if self.hashed else ()):
            if found.role != "suite":
                title = found.title.node if found.title.kind != "function" else None
                declared[number] = (*found.node.byte_range, title.byte_range if title is not None else None)
        if not declared:
            return {}, {}
        prepared = normal.prepare(self.tree, self.source)
        hashes = prepared.body_hashes(list(declared.values()))
        return dict(zip(declared, hashes, strict=True)), self._asserted(prepared, declared)

    def _asserted(self, prepared: Prepared, declared: Mapping[int, normal_form.Declared]) -> dict[int, str]:
        """Return the digests of what tests assert through functions of their file, by the number of their call."""
        tests = [(start, end) for start, end, _ in declared.values()]
        names = asserting.functions(self.tree, self.source, tests)
        asserted = asserting.assertions(self.tree, self.source, list(names))
        if not asserted:
            return {}
        helpers = [Helper(self.source[slice(*name)].decode(), span) for span, name in names.items()]
        calls = asserting.calls(self.tree, self.source, {one.name for one in helpers})
        mentions = Mentions(list(calls), asserted)
        found = digests(tests, helpers, mentions, lambda span: prepared.body_hash(*span, name=names[span]))
        return dict(zip(declared, found, strict=True))


def _head(found: _Found) -> tuple[int, int]:
    """Return the bytes of a call before its callback's body, or of the whole call without an inline callback."""
    body = found.title.callback.child_by_field_name("body") if found.title.callback is not None else None
    return found.node.start_byte, body.start_byte if body is not None else found.node.end_byte


def _whole(modules: Modules, found: Iterable[_Found]) -> tuple[tuple[int, str], ...]:
    """Report a file that tap runs as one test, with its assertions outside any declaration."""
    taps = any(runner_of(module) == "tap" for module, _ in modules.imports.values())
    if not taps or any(call.role == "test" for call in found):
        return ()
    why = "tap runs the file as one test without a name, which is not read"
    return ((1, f"{why}; `t.test` names it, `[tests] exclude` leaves it out"),)


def _loose(collected: atom_annotations.Collected | None) -> tuple[tuple[int, str], ...]:
    """Report annotations attached to nothing: they were written for a reason."""
    orphans = collected.orphans if collected is not None else ()
    return tuple(
        (orphan.line, f"@atom {', '.join(orphan.atoms)} is attached to no test, suite or file") for orphan in orphans
    )


def _place(found: tuple[Node, Use]) -> tuple[int, int]:
    """Return a sort key by start position; of two calls at one position, the outer one comes first."""
    return (found[0].start_byte, -found[0].end_byte)


def _may_register(meaning: Unknown, title: Title, call: Node) -> bool:
    """Whether a call of an unknown function may declare a test or register those of another file."""
    if title.kind in {"text", "computed"} and title.runs:
        return True
    return (meaning.local or meaning.module.startswith(".")) and _stands_alone(call)


def _statement(call: Node) -> Node:
    """Return the statement that consists of a call, or else the call."""
    node = call
    while (parent := node.parent) is not None and parent.type in WRAPPERS:
        node = parent
    return parent if parent is not None and parent.type == "expression_statement" else call


def _stands_alone(call: Node) -> bool:
    """Whether a call is a statement of its own, a returned value, or an arrow function's body."""
    statement = _statement(call)
    if statement.type == "expression_statement":
        return True
    parent = call.parent
    while parent is not None and parent.type in WRAPPERS:
        parent = parent.parent
    return parent is not None and parent.type in {"return_statement", "arrow_function"}


def _call(found: _Found, frames: Frames, says: tuple[str, str], noted: tuple[Annotation, ...]) -> Call:
    """Convert a found call to a fact; `says` is its body hash and the digest of its helpers."""
    title, frame, node = found.title, found.frame, found.node
    parameter = -1
    if title.kind == "computed" and frame.function >= 0:
        parameter = _parameter(title, frames.functions[frame.function].parameters)
    opening = node.child_by_field_name("arguments")
    line = _statement(node).start_point.row + 1
    return Call(
        target=found.target,
        title=title.name,
        title_kind=title.kind,
        line=line,
        name_line=max(line, opening.start_point.row + 1 if opening is not None else line),
        end_line=node.end_point.row + 1,
        arguments=title.arguments,
        callback=title.runs,
        inline=title.callback is not None,
        parent=frame.parent,
        function=frame.function,
        cases=_cases(found.use.chain, node),
        rounds=frame.rounds,
        looped=frame.looped,
        body_hash=says[0],
        annotations=noted,
        parameter=parameter,
        verbatim=parameter >= 0 and title.name.removeprefix(_SPREAD) in frames.functions[frame.function].parameters,
        callback_name=title.callback_name,
        handed=found.handed,
        text=_source(node) if found.role == "maybe" else "",
        helpers=says[1],
        alone=found.role == "maybe" and _statement(node).type == "expression_statement",
        rows=rows_of(node),
    )


def _source(call: Node) -> str:
    """Return a short call's source, or the called part of a long one."""
    function = call.child_by_field_name("function")
    whole = squeezed(call)
    return whole if len(whole) <= _SHORT or function is None else squeezed(function)


def _parameter(title: Title, parameters: tuple[str, ...]) -> int:
    """Return the position of the first parameter that a computed title uses; -1 if none."""
    used = set(_IDENTIFIER.findall(title.name.removeprefix(_SPREAD)))
    return next((i for i, name in enumerate(parameters) if name and name in used), -1)


def _cases(chain: Chain, node: Node) -> int:
    count = 1
    for table in chain.tables:
        count *= rows(table)
    if chain.members and chain.members[-1] in TABLES and not chain.tables:
        arguments = arguments_of(node)
        count = elements(arguments[1]) if len(arguments) > 1 else 0
    return count


def _tags(found: _Found, prefix: str) -> tuple[Annotation, ...]:
    """Return the atoms named by a runner's own tags: `{ tag: "@IA-1" }`, `{ tags: ["IA-1", "IA-2"] }`."""
    options = next((a for a in arguments_of(found.node)[:2] if a.type == "object"), None)
    if options is None:
        return ()
    noted = []
    for pair in options.named_children:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is None or value is None or text(key).strip("'\"") not in {"tag", "tags"}:
            continue
        for item in value.named_children if value.type == "array" else [value]:
            spelled = item.type in {"string", "template_string"}
            parsed = parse_tag(text(item)[1:-1], prefix=prefix) if spelled else None
            if parsed is not None:
                line = item.start_point.row + 1
                noted.append(Annotation(parsed.atoms, "tag", found.scope, line, parsed.malformed))
    return tuple(noted)
