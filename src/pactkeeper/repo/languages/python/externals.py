"""What is known of classes and decorators that are defined outside the repository, by their names."""

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
# Classes that give a test class no tests and are no TestCase.
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
    """The last part of a dotted name."""
    return dotted.rpartition(".")[2]


def is_testcase(dotted: str) -> bool:
    """Whether a class of that name is a `unittest.TestCase`, by the custom of every framework that derives from it."""
    return last(dotted).endswith("TestCase")


def is_foreign_test(dotted: str) -> bool:
    """Whether a class comes from somebody else's test module and is named as a test."""
    *modules, name = dotted.split(".")
    return name.endswith(("Test", "Tests")) and any(part.startswith("test") for part in modules)


def is_plain(dotted: str) -> bool:
    """Whether a base class of that name can bring no tests."""
    name = last(dotted)
    return name in _PLAIN or name.endswith(("Error", "Exception", "Warning"))


def is_fixture(decorator: str) -> bool:
    """Whether a decorator makes a pytest fixture of a function."""
    return last(decorator) in _FIXTURES


def is_attribute(decorator: str) -> bool:
    """Whether a decorator makes something of a function that cannot be called."""
    return last(decorator) in _ATTRIBUTES


def is_abstract(decorator: str) -> bool:
    """Whether a decorator says that a method must be overridden."""
    return last(decorator).startswith("abstract")


def makes_constructor(decorator: str) -> bool:
    """Whether a class decorator adds an `__init__`."""
    return decorator in _CONSTRUCTORS


def test_switch(decorators: tuple[str, ...]) -> bool | None:
    """What nose's decorators say about being a test; None where there is none of them."""
    names = {last(decorator) for decorator in decorators}
    if "nottest" in names:
        return False
    return True if "istest" in names else None


test_switch.__test__ = False  # type: ignore[attr-defined]  # keeps pytest from collecting it where a test imports it
