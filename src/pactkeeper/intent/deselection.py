"""Which listed tests a plain run leaves out, by options of pytest in a project's own settings: `--deselect` and `-k`.

https://docs.pytest.org/en/stable/how-to/usage.html#specifying-which-tests-to-run
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Final

from pactkeeper.intent.tests import Gap, Test

_TOKEN: Final = re.compile(r"[()]|[^\s()]{1,300}")
_MOST: Final = 300  # parts of an expression


def left_out(tests: Iterable[Test], gaps: Iterable[Gap]) -> Iterator[tuple[Test, Gap]]:
    """Yield the tests that options in settings leave out, each with the gap that names them.

    Marks and the ids of parameter sets aren't known: an expression is judged by the names alone.
    """
    narrowing = [gap for gap in gaps if gap.options]
    for test in tests if narrowing else ():
        for gap in narrowing:
            if test.framework in {"pytest", "unittest"} and _leaves_out(gap, test):
                yield test, gap
                break


def _leaves_out(gap: Gap, test: Test) -> bool:
    folder = posixpath.dirname(gap.file)
    if folder and not test.file.startswith(f"{folder}/"):
        return False
    name = test.id[len(folder) + 1 if folder else 0 :]
    pairs = list(zip(gap.options[::2], gap.options[1::2], strict=False))
    if any(name.startswith(value) for option, value in pairs if option == "--deselect"):
        return True
    expressions = [value for option, value in pairs if option == "-k"]
    return bool(expressions) and _holds(expressions[-1], name.lower()) is False  # the last one counts


def _holds(expression: str, name: str) -> bool | None:
    """Whether an expression of `-k` matches a name; None if it is broken or too long."""
    tokens = _TOKEN.findall(expression.lower())
    if len(tokens) > _MOST:
        return None
    reading = [*reversed(tokens)]
    found = _either(reading, name)
    return None if reading else found


def _either(reading: list[str], name: str) -> bool | None:
    found = _both(reading, name)
    while reading[-1:] == ["or"]:
        reading.pop()
        other = _both(reading, name)
        found = None if found is None or other is None else found or other
    return found


def _both(reading: list[str], name: str) -> bool | None:
    found = _one(reading, name)
    while reading[-1:] == ["and"]:
        reading.pop()
        other = _one(reading, name)
        found = None if found is None or other is None else found and other
    return found


def _one(reading: list[str], name: str) -> bool | None:
    word = reading.pop() if reading else ""
    if word == "not":
        found = _one(reading, name)
        return None if found is None else not found
    if word == "(":
        found = _either(reading, name)
        return found if reading and reading.pop() == ")" else None
    return None if word in {"", ")", "and", "or"} else word in name
