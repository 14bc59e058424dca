"""Which paths are code, and which belong to the tests rather than the product, by common naming conventions."""

from __future__ import annotations

import re
from typing import Final

SCRIPTS: Final = (".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
CODE: Final = (".py", *SCRIPTS)
_TEST_SIDE: Final = re.compile(
    r"(?:.*/)?(?:[\w-]+[._-])?(?:__tests__|__mocks__|__snapshots__|__fixtures__|tests?|specs?|testing|e2e|fixtures?|mocks?|"
    r"snapshots?|snap|goldens?|expected|approved|baselines?|test[_-]?data|conftest|cassettes)(?:[._-][\w.-]+)?(?:/.*)?\Z",
    re.IGNORECASE,
)
_OF_TYPES: Final = re.compile(r".*(?:[.-]test-d|[.-]spec-d|\.tst)\.[cm]?tsx?")


def is_type_test(path: str) -> bool:
    """Whether a compiler checks the file instead of a runner: tsd, TSTyche, or Vitest's typecheck."""
    return _OF_TYPES.fullmatch(path) is not None


def is_test_side(path: str) -> bool:
    """Whether a folder or file name says that it holds tests or their supporting files."""
    return _TEST_SIDE.match(path) is not None or is_type_test(path)
