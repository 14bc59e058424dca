"""Which paths belong to the tests rather than to the product, by the names that people give them."""

from __future__ import annotations

import re
from typing import Final

_TEST_SIDE: Final = re.compile(
    r"(?:.*/)?(?:[\w-]+[._-])?(?:__tests__|__mocks__|__snapshots__|__fixtures__|tests?|specs?|testing|e2e|fixtures?|mocks?|"
    r"snapshots?|snap|goldens?|expected|approved|baselines?|test[_-]?data|conftest|cassettes)(?:[._-][\w.-]+)?(?:/.*)?\Z",
    re.IGNORECASE,
)


def is_test_side(path: str) -> bool:
    """Whether a folder or the name of the file says that it holds tests, or what tests rest on."""
    return _TEST_SIDE.match(path) is not None
