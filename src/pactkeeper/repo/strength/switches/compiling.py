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
    before, after = ([(path, line.strip()) for path, text in side.items() if path.endswith(_TYPED)
                      and is_test_side(path) and not is_type_test(path) for line in text.splitlines()]
                     for side in (old, new))  # fmt: skip
    expected = [[line for _, line in side if _EXPECTED in line] for side in (before, after)]
    silenced = [[one for one in side if _SILENCED.search(one[1])] for side in (before, after)]
    if len(expected[1]) < len(expected[0]) and len(silenced[1]) > len(silenced[0]):
        path, line = next((one for one in silenced[1] if one not in silenced[0]), silenced[1][-1])
        number = [other.strip() for other in new[path].splitlines()].index(line) + 1
        message = "the compiler is no longer expected to refuse it"
        yield Change("switched_off", path, message, expected[0][0][:_SHOWN], line[:_SHOWN], number, "warning", path)
