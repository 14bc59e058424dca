"""What kind of test class a class is, taking into account everything it inherits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pactkeeper.repo.languages.python.facts import Group
from pactkeeper.repo.languages.python.namespace import Defined, External, Namespace, Space


@dataclass(frozen=True, slots=True)
class Character:
    """What decides whether and how a class is collected; `unseen` are bases about which nothing is known.

    `metaclass` is the name of one defined in the repository, "" if there is none.
    """

    testcase: bool
    switch: bool | None
    constructed: bool
    abstract: bool
    unseen: tuple[str, ...]
    metaclass: str


class Classes:
    """The characters of classes, each computed once."""

    def __init__(self, namespace: Namespace) -> None:
        self._namespace = namespace
        self._known: dict[Space, Character] = {}

    def character(self, space: Space) -> Character:
        """Determine the character of a class from itself and its bases."""
        if space not in self._known:
            mro = self._namespace.mro(space)
            outside = [base.dotted for base in mro if isinstance(base, External)]
            self._known[space] = Character(
                any(is_testcase(name) or is_foreign_test(name) for name in outside),
                self._switch(mro),
                self._constructed(mro),
                self._abstract(mro, outside),
                tuple(name for name in outside if not is_testcase(name) and not is_plain(name)),
                self._metaclass(mro),
            )
        return self._known[space]

    def _metaclass(self, mro: tuple[Space | External, ...]) -> str:
        for base in mro:
            name = base.fact.metaclass if isinstance(base, Space) and isinstance(base.fact, Group) else ""
            if name and isinstance(base, Space) and base.parent is not None:
                found = self._namespace.lookup(base.parent, name, base.position)
                if isinstance(found, Space):
                    return name
        return ""

    def _switch(self, mro: tuple[Space | External, ...]) -> bool | None:
        """Return the value of `__test__`: the first class that sets it decides."""
        for base in mro:
            if isinstance(base, Space):
                found = switch(base)
                if found is not None:
                    return found
        return None

    def _constructed(self, mro: tuple[Space | External, ...]) -> bool:
        for base in mro:
            if not isinstance(base, Space) or not isinstance(base.fact, Group):
                continue
            if any(base.live(name) for name in ("__init__", "__new__")):
                return True
            if any(name in _CONSTRUCTORS for name in base.fact.decorators):
                return True
        return False

    def _abstract(self, mro: tuple[Space | External, ...], outside: list[str]) -> bool:
        """Whether an abstract method remains, which keeps the class from being collected."""
        groups = [base.fact for base in mro if isinstance(base, Space) and isinstance(base.fact, Group)]
        if not any(last(name) in {"ABC", "ABCMeta"} for name in (*outside, *(g.metaclass for g in groups))):
            return False
        seen: set[str] = set()
        for group in groups:
            for binding in group.bindings:
                decorators = binding.function.decorators if binding.function is not None else ()
                if binding.name not in seen and any(last(name).startswith("abstract") for name in decorators):
                    return True
            seen.update(binding.name for binding in group.bindings)
        return False


def switch(space: Space) -> bool | None:
    """Whether a module or class is declared a test, by `__test__` (set anywhere) or nose's decorators; else None."""
    decorated = test_switch(space.fact.decorators) if isinstance(space.fact, Group) else None
    places = [(space, "__test__")]
    if space.parent is not None:
        places.insert(0, (space.parent, f"{space.name}.__test__"))
    for owner, name in places:
        found = truth(owner, name)
        if found is not None:
            return found
    return decorated


def truth(owner: Space, name: str) -> bool | None:
    """Return the truth value of the constant bound to a name; None if it isn't bound to a constant."""
    for index in reversed(owner.live(name)):
        binding = owner.fact.bindings[index]
        if binding.kind == "literal" and binding.target:
            return binding.target not in {"False", "None", "0"}
    return None


def function_switch(found: Defined) -> bool | None:
    """Whether a function is declared a test, by `__test__` or by nose's decorators; None if nothing is declared."""
    said = truth(found.space, f"{found.binding.name}.__test__") if found.space.switches else None
    if said is None and found.function.decorators:
        return test_switch(found.function.decorators)
    return said


_FIXTURES: Final = frozenset({"fixture", "yield_fixture"})
_ATTRIBUTES: Final = frozenset({"property", "cached_property", "abstractproperty", "setter", "getter", "deleter"})
_CONSTRUCTORS: Final = frozenset(
    {"dataclass", "dataclasses.dataclass", "attr.s", "attr.attrs", "attrs.define", "attr.define", "attr.frozen"}
    | {"attr.dataclass", "attrs.frozen", "attrs.mutable", "define"}
)
# Classes that contribute no tests to a test class and aren't a TestCase.
_PLAIN: Final = frozenset(
    {"object", "ABC", "Generic", "Protocol", "Exception", "BaseException", "Enum", "IntEnum", "StrEnum", "Flag"}
    | {"dict", "list", "tuple", "str", "int", "type", "NamedTuple", "TypedDict"}
)


def last(dotted: str) -> str:
    """Return the last part of a dotted name."""
    return dotted.rpartition(".")[2]


def is_testcase(dotted: str) -> bool:
    """Whether a class of that name is a `unittest.TestCase`, by the naming convention of frameworks that extend it."""
    return last(dotted).endswith("TestCase")


def is_foreign_test(dotted: str) -> bool:
    """Whether a class comes from a third-party test module and is named like a test: `kit.testing.TestBase`."""
    *modules, name = dotted.split(".")
    return any(part.startswith("test") for part in modules) and (
        name.endswith(("Test", "Tests")) or name.startswith("Test")
    )


def is_plain(dotted: str) -> bool:
    """Whether a base class of that name can't contribute any tests."""
    name = last(dotted)
    return name in _PLAIN or name.endswith(("Error", "Exception", "Warning"))


def is_fixture(decorator: str) -> bool:
    """Whether a decorator turns a function into a pytest fixture."""
    return last(decorator) in _FIXTURES


def is_attribute(decorator: str) -> bool:
    """Whether a decorator turns a function into something that isn't callable."""
    return last(decorator) in _ATTRIBUTES


def is_skipped(space: Space) -> bool:
    """Whether a class or module has a mark of its own that keeps its tests from running."""
    marks = list(space.fact.decorators if isinstance(space.fact, Group) else ())
    for index in space.live("pytestmark"):
        binding = space.fact.bindings[index]
        marks += binding.arguments if binding.kind == "literal" else [binding.target]
    return any(last(name) == "skip" for name in marks)


def test_switch(decorators: tuple[str, ...]) -> bool | None:
    """Return what nose's decorators say about being a test; None if there are none."""
    names = {last(decorator) for decorator in decorators}
    if "nottest" in names:
        return False
    return True if "istest" in names else None


test_switch.__test__ = False  # type: ignore[attr-defined]  # keeps pytest from collecting it where a test imports it
