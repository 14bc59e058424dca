"""Whether an alias of a module puts another file in place of one of the product."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from pactkeeper.repo.test_side import is_test_side

_ASSET: Final = re.compile(
    r"\b(?:css|s[ac]ss|less|styl\w*|svg|png|jpe?g|gif|webp|woff2?|ttf|eot|mp[34]|webm|md)\b", re.IGNORECASE
)
_PATH: Final = re.compile(
    r"(?:\A|['\"`]|<rootDir>/)(?:\./|/)?([\w@][\w@./-]{0,200}/[\w@./-]{1,100}|[\w-]{1,100}\.[cm]?[jt]sx?)"
)
_FAKE: Final = re.compile(r"(?:\A|[/_.-])(?:fakes?|mocks?|stubs?|doubles?|dummy|dummies)(?:[/_.-]|\Z)", re.IGNORECASE)


def replaces(key: str, value: str, paths: Sequence[str], old: str = "") -> Literal["product", "perhaps", "nothing"]:
    """Return what an alias replaces: a file of the product, or perhaps one, if it points to the test side.

    `old` is its earlier value. Style sheets and pictures count for nothing, since no test is about them, and nor does a
    new name for a folder of the tests.
    """
    found = _PATH.search(value)
    if found is None or _ASSET.search(key):
        return "nothing"
    target, name = found[1], _stem(key.rpartition("alias.")[2].rpartition("moduleNameMapper.")[2])
    named = (path for path in paths if "/" in name and f"/{_stem(path)}".endswith("/" + name))
    if any(_stem(path) != _stem(target) for path in named if not is_test_side(path)):
        return "product"
    if not _of_tests(value) or _of_tests(old):
        return "nothing"
    if _PATH.search(old):
        return "product"
    return "nothing" if any(path.startswith(f"{target}/") for path in paths) else "perhaps"


def _of_tests(value: str) -> bool:
    """Whether a value names a file of the tests, or a fake."""
    named = (match[1] for match in _PATH.finditer(value))
    return any(is_test_side(path) or _FAKE.search(path) is not None for path in named)


def _stem(path: str) -> str:
    """Return a path, or a pattern for one, without what leads there and without its ending."""
    plain = re.sub(r"[\\^$()?]", "", path)
    plain = re.sub(r"\A(?:\.\*|\.\.?/|/)*+", "", plain)
    return re.sub(r"\.[cm]?[jt]sx?\Z", "", plain)
