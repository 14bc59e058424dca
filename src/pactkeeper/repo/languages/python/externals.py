"""What is known about classes and decorators defined outside the repository, judging by their names."""

from __future__ import annotations

from typing import Final

_FIXTURES: Final = frozenset({"fixture", "yield_fixture"})
_ATTRIBUTES: Final = frozenset({"property", "cached_property", "abstractproperty", "setter", "getter", "deleter"})
_CONSTRUCTORS: Final = frozenset({"dataclass", "dataclasses.dataclass", "attr.s", "attr.attrs", "attrs.define"}) | {
    "attr.define",
    "attr.frozen",
    "attr.dataclass",
    "attrs.frozen",
    "attrs.mutable",
    "define",
}
# Classes that contribute no tests to a test class and aren't a TestCase.
_PLAIN: Final = frozenset({"object", "ABC", "Generic", "Protocol", "Exception", "BaseException", "Enum", "IntEnum"}) | {
    "dict",
    "list",
    "tuple",
    "str",
    "int",
    "type",
    "NamedTuple",
    "TypedDict",
    "StrEnum",
    "Flag",
}


def last(dotted: str) -> str:
    """Return the last part of a dotted name."""
    return dotted.rpartition(".")[2]


def is_testcase(dotted: str) -> bool:
    """Whether a class of that name is a `unittest.TestCase`, by the naming convention of frameworks that extend it."""
    return last(dotted).endswith("TestCase")


def is_foreign_test(dotted: str) -> bool:
    """Whether a class comes from a third-party test module and is named like a test."""
    *modules, name = dotted.split(".")
    return name.endswith(("Test", "Tests")) and any(part.startswith("test") for part in modules)


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


def is_abstract(decorator: str) -> bool:
    """Whether a decorator says that a method must be overridden."""
    return last(decorator).startswith("abstract")


def makes_constructor(decorator: str) -> bool:
    """Whether a class decorator adds an `__init__`."""
    return decorator in _CONSTRUCTORS


def test_switch(decorators: tuple[str, ...]) -> bool | None:
    """Return what nose's decorators say about being a test; None if there are none."""
    names = {last(decorator) for decorator in decorators}
    if "nottest" in names:
        return False
    return True if "istest" in names else None


test_switch.__test__ = False  # type: ignore[attr-defined]  # keeps pytest from collecting it where a test imports it
