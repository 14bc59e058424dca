"""Which paths belong to the tests rather than to the product, by the names that people give them."""

from __future__ import annotations

import re
from typing import Final

_TEST_SIDE: Final = re.compile(
    r"(?:.*/)?(?:[\w-]+[._-])?(?:__tests__|__mocks__|__snapshots__|__fixtures__|tests?|specs?|testing|e2e|fixtures?|mocks?|"
    r"snapshots?|snap|goldens?|expected|approved|baselines?|test[_-]?data|conftest|cassettes)(?:[._-][\w.-]+)?(?:/.*)?\Z",
    re.IGNORECASE,
)
_OF_TYPES: Final = re.compile(r".*(?:[.-]test-d|[.-]spec-d|\.tst)\.[cm]?tsx?")


def is_type_test(path: str) -> bool:
    """Whether a compiler reads the file in place of a runner: that of tsd, of TSTyche, or of Vitest's typecheck."""
    return _OF_TYPES.fullmatch(path) is not None


def is_test_side(path: str) -> bool:
    """Whether a folder or the name of the file says that it holds tests, or what tests rest on."""
    return _TEST_SIDE.match(path) is not None or is_type_test(path)
