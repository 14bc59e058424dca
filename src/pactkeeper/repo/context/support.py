"""Which files stand among the tests: what is defined there helps to test and is not what is tested."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_FOLDERS: Final = r"tests?|testing|__tests__|__mocks__|specs?|e2e|cypress|fixtures?"
_PLACE: Final = re.compile(
    rf"(?:^|/)(?:{_FOLDERS})/|(?:^|/)(?:conftest|test_[^/]*|[^/]*_tests?)\.py\Z|[._-](?:test|spec|cy)\.[cm]?[jt]sx?\Z"
)


class Support:
    """Tells files of tests and their helpers from the code that is tested."""

    def __init__(self, test_files: Iterable[str]) -> None:
        self._files = frozenset(test_files)
        self._known: dict[str, bool] = {}

    def __call__(self, path: str) -> bool:
        """Whether a file holds tests or stands where only tests and their helpers do."""
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = path in self._files or _PLACE.search(path) is not None
        return known
