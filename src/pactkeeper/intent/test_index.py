"""Tests by the ways in which reports name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from pactkeeper.intent.suffixes import Parts
from pactkeeper.intent.tests import Test
from pactkeeper.intent.titles import Made, labels, made, squashed

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class TestIndex:
    """Tests by file, by file with suites and name, by title, and Python's by dotted name.

    Tests whose titles are made at run time stand in `made_in` by file and in `made_with` by the word that their titles
    begin with.
    """

    __test__ = False

    by_file: Mapping[str, tuple[Test, ...]]
    by_parts: Mapping[tuple[str, Parts], tuple[Test, ...]]
    by_label: Mapping[str, tuple[Test, ...]]
    dotted: Mapping[Parts, tuple[Test, ...]]
    made_in: Mapping[str, tuple[Made, ...]]
    made_with: Mapping[str, tuple[Made, ...]]

    @staticmethod
    def of(tests: Iterable[Test]) -> TestIndex:
        """Index tests; titles are those of languages that name tests by texts."""
        found = tuple(tests)
        titled = [test for test in found if test.language != "python"]
        differing = [one for test in titled if (one := made(test)) is not None]
        return TestIndex(
            _grouped((test.file, test) for test in found),
            _grouped(((test.file, squashed_parts((*test.suite, test.name))), test) for test in found),
            _grouped((label, test) for test in titled for label in labels(test)),
            _grouped((_dotted(test), test) for test in found if test.language == "python"),
            _grouped((one.test.file, one) for one in differing),
            _grouped((word, one) for one in differing for word in {label.first_word for label in one.labels}),
        )


def squashed_parts(names: Iterable[str]) -> Parts:
    """Names as they can be compared across formats."""
    return tuple(squashed(name) for name in names)


def _grouped(pairs: Iterable[tuple[Key, Value]]) -> Mapping[Key, tuple[Value, ...]]:
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: tuple(group) for key, group in found.items()}


def _dotted(test: Test) -> Parts:
    """Module, classes and function as `tests.unit.test_a.TestX.test_y` parts them."""
    module = test.file.rpartition(".")[0].replace("/", ".").split(".")
    return (*module, *test.suite, test.name)
