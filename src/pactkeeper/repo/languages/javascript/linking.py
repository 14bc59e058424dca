"""Follow names across files: what a call's root is to a runner, or which project function it calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from pactkeeper.repo.languages.adapter import FactSource
from pactkeeper.repo.languages.javascript.facts import Binding, Call, Export, Facts, Target, decode, held
from pactkeeper.repo.languages.javascript.projects.resolution import Resolution
from pactkeeper.repo.languages.javascript.runners import (
    GLOBALS,
    SUITES,
    TESTS,
    Meaning,
    global_meaning,
    imported_meaning,
    runner_of,
    walk,
)

_DEPTH: Final = 12
CONTEXT: Final = "node:test"  # the runner whose tests receive a context that can declare subtests
_WHOLE: Final = frozenset({"=", "*", "default"})
_TITLED: Final = frozenset({"text", "computed"})


@dataclass(frozen=True, slots=True)
class Ref:
    """A function of the project, by path and number."""

    path: str
    function: int


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A project function that declares a test named by one of its arguments, at position `parameter`."""

    meaning: Meaning
    parameter: int
    verbatim: bool


def inside(facts: Facts, call: Call, function: int) -> bool:
    """Whether a call is inside a function, at any depth."""
    while True:
        around = call.function
        while around >= 0:
            if around == function:
                return True
            around = facts.functions[around].outer
        if call.parent < 0:
            return False
        call = facts.calls[call.parent]


@dataclass(slots=True)
class Linker:
    """Resolves names using the facts of a snapshot, which are decoded once per file."""

    source: FactSource
    resolution: Resolution
    declaring: frozenset[str] = frozenset()
    _facts: dict[str, Facts | None] = field(default_factory=dict)
    _registering: dict[Ref, bool] = field(default_factory=dict)
    _wrappers: dict[Ref, Wrapper | None] = field(default_factory=dict)

    def facts(self, path: str) -> Facts | None:
        """Return the facts of a file, or None if it has none."""
        if path not in self._facts:
            encoded = self.source.facts(path)
            self._facts[path] = decode(encoded) if encoded is not None else None
        return self._facts[path]

    def target(self, path: str, target: Target, depth: int = 0) -> Meaning | Ref | None:
        """Resolve a target in a file to a runner's function or a project function; None if unknown."""
        if target.root in self.declaring or target.binding < 0:
            named = Meaning("test") if target.root in self.declaring else global_meaning(target.root)
            return walk(named, target.members)
        facts = self.facts(path)
        if facts is None or depth > _DEPTH:
            return None
        binding = facts.bindings[target.binding]
        if binding.kind == "import":
            return self._imported(path, binding, target.members, depth)
        if binding.kind in {"alias", "returns", "object"}:
            targets, members = held(binding, target.members)
            given = (self.target(path, inner, depth + 1) for inner in targets)
            first = next((found for found in given if found is not None), None)
            return walk(first, members) if isinstance(first, Meaning) else first
        if binding.kind == "made":
            maker = self.target(path, binding.targets[0], depth + 1)
            return self._result(maker, binding.imported, target.members, depth)
        if binding.kind == "parameter":
            owner = facts.calls[binding.owner] if binding.owner >= 0 else None
            return self._context(path, owner, binding, target)
        return Ref(path, binding.function) if binding.kind == "function" and binding.function >= 0 else None

    def _result(
        self, maker: Meaning | Ref | None, name: str, members: tuple[str, ...], depth: int
    ) -> Meaning | Ref | None:
        """Resolve a call's result: a runner's function, or the function `name` that the called one makes."""
        if isinstance(maker, Meaning):
            return walk(maker, members)
        return self._made(maker, name, depth) if maker is not None else None

    def _made(self, maker: Ref, name: str, depth: int) -> Ref | None:
        """Find the function `name` among those that a function returns, or that a function it calls returns."""
        facts = self.facts(maker.path)
        if facts is None or depth > _DEPTH:
            return None
        for number, function in enumerate(facts.functions):
            if function.name == name and function.outer == maker.function:
                return Ref(maker.path, number)
        for call in facts.calls:
            inner = self.target(maker.path, call.target, depth + 1) if call.function == maker.function else None
            found = self._made(inner, name, depth + 1) if isinstance(inner, Ref) else None
            if found is not None:
                return found
        return None

    def registers(self, ref: Ref) -> bool:
        """Whether a function declares tests with computed names, directly or through what it calls."""
        if ref not in self._registering:
            self._registering[ref] = False  # a recursive call adds nothing
            self._registering[ref] = self._registers(ref)
        return self._registering[ref]

    def _registers(self, ref: Ref) -> bool:
        facts = self.facts(ref.path)
        if facts is None:
            return False
        for call in facts.calls:
            if not inside(facts, call, ref.function):
                continue
            found = self.target(ref.path, call.target)
            if isinstance(found, Ref):
                if self.registers(found):
                    return True
            elif found is not None and found.role == "test" and call.title_kind == "computed":
                return True
        return False

    def _context(self, path: str, owner: Call | None, binding: Binding, target: Target) -> Meaning | None:
        """Resolve a parameter: a running test's context, whose `.test` declares, or a suite's runner.

        Other functions receive the context from their caller: `function checks(t) { t.test("…", () => {}) }`. One that
        takes a title and a callback may hand the runner's functions to the callback, under their names:
        `matrix("…", ({ it }) => {})`.
        """
        meaning = self.declares(path, owner) if owner is not None else Meaning("test", self._handing(path))
        handing = owner is not None and owner.title_kind in _TITLED and (meaning is None or meaning.role == "suite")
        if binding.imported and binding.name in SUITES:
            return walk(Meaning("suite"), target.members)
        if handing and binding.name in TESTS and (binding.imported or meaning is None or binding.position != 0):
            return walk(Meaning("test", assumed=True), target.members)  # the caller may change titles, and run it often
        if binding.imported or meaning is None or (owner is not None and binding.position != 0):
            return None
        if meaning.role == "suite":
            name, members = binding.name if binding.name in GLOBALS else "", target.members
        else:
            name, members = next(iter(target.members), ""), target.members[1:]
        named = global_meaning(name) if name else None
        return walk(Meaning(named.role, meaning.framework), members) if named is not None else None

    def _handing(self, path: str) -> str:
        """Return the runner whose context the functions of a file receive."""
        facts = self.facts(path)
        imports = (
            (binding.module for binding in facts.bindings if binding.kind == "import") if facts is not None else ()
        )
        return "tap" if any(runner_of(module) == "tap" for module in imports) else CONTEXT

    def _imported(self, path: str, binding: Binding, members: tuple[str, ...], depth: int) -> Meaning | Ref | None:
        runner = runner_of(binding.module)
        if runner is not None:
            return walk(imported_meaning(runner, binding.imported), members)
        module = self.resolution.resolve(path, binding.module)
        found = self.exported(module, binding.imported, depth + 1) if module is not None else None
        if found is None and module is not None and binding.imported in _WHOLE and members:
            found, members = self.exported(module, members[0], depth + 1), members[1:]
        if found is None:
            named = global_meaning(binding.imported) or global_meaning(binding.name)
            found = Meaning(named.role, assumed=True) if named is not None else None
        return walk(found, members) if isinstance(found, Meaning) else found

    def exported(self, path: str, name: str, depth: int) -> Meaning | Ref | None:
        """Resolve a name that a file exports; CommonJS and default exports are interchangeable."""
        facts = self.facts(path) if depth <= _DEPTH else None
        if facts is None:
            return None
        names = ("default", "=") if name in {"default", "="} else (name,)
        for export in facts.exports:
            if export.name in names:
                found = self._export(path, export, depth)
                if found is not None:
                    return found
        for export in facts.exports:
            module = self.resolution.resolve(path, export.module) if export.name == "*" else None
            found = self.exported(module, name, depth + 1) if module is not None else None
            if found is not None:
                return found
            if export.name == "*" and (runner := runner_of(export.module)) is not None:
                meaning = imported_meaning(runner, name)
                if meaning is not None:
                    return meaning
        return None

    def _export(self, path: str, export: Export, depth: int) -> Meaning | Ref | None:
        if export.module:
            binding = Binding(export.name, "import", module=export.module, imported=export.imported)
            return self._imported(path, binding, (), depth)
        if export.target is not None:
            return self.target(path, export.target, depth + 1)
        return Ref(path, export.function) if export.function >= 0 else None

    def wrapper(self, ref: Ref) -> Wrapper | None:
        """Return how a project function declares a test named by one of its arguments; None if it doesn't."""
        if ref not in self._wrappers:
            self._wrappers[ref] = None  # a recursive function isn't a wrapper
            self._wrappers[ref] = self._wrapper(ref)
        return self._wrappers[ref]

    def _wrapper(self, ref: Ref) -> Wrapper | None:
        facts = self.facts(ref.path)
        for call in facts.calls if facts is not None else ():
            if call.function != ref.function or call.parameter < 0:
                continue
            meaning = self.declares(ref.path, call)
            if meaning is not None:
                return Wrapper(meaning, call.parameter, call.verbatim)
        return None

    def declares(self, path: str, call: Call) -> Meaning | None:
        """Return what a call declares, directly or through a project function that it passes the name to."""
        found = self.target(path, call.target)
        if isinstance(found, Ref):
            wrapper = self.wrapper(found)
            return wrapper.meaning if wrapper is not None else None
        return found
