"""What tests expect the compiler of TypeScript to refuse, and what keeps it from looking there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from pactkeeper.intent.strength.change import Change
from pactkeeper.repo.test_side import is_test_side, is_type_test

_TYPED: Final = (".ts", ".tsx", ".mts", ".cts")
_EXPECTED: Final = "@ts-expect-error"
_SILENCED: Final = re.compile(r"@ts-(?:ignore|nocheck)\b|\bas\s++(?:any|never|unknown)\b|<any>")
_SHOWN: Final = 160


def refusal_changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    """Report that tests expect fewer errors of the compiler, while it is silenced or given `any` in more places.

    Type tests are compared assertion by assertion.
    """
    expected, silenced = _expected_and_silenced(old)
    still_expected, now_silenced = _expected_and_silenced(new)
    if len(still_expected) < len(expected) and len(now_silenced) > len(silenced):
        path, line = next((one for one in now_silenced if one not in silenced), now_silenced[-1])
        number = [other.strip() for other in new[path].splitlines()].index(line) + 1
        message = "the compiler is no longer expected to refuse it"
        yield Change("switched_off", path, message, expected[0][1][:_SHOWN], line[:_SHOWN], number, "warning", path)


def _expected_and_silenced(files: Mapping[str, str]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the lines of tests that expect an error of the compiler, and those that silence it, with their files."""
    paths = (path for path in files if path.endswith(_TYPED) and is_test_side(path) and not is_type_test(path))
    lines = [(path, line.strip()) for path in paths for line in files[path].splitlines()]
    return [one for one in lines if _EXPECTED in one[1]], [one for one in lines if _SILENCED.search(one[1])]
