"""Outlines of Python modules, as the adapter offers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

_SOURCE: Final = ".py"
_SETUPS: Final = ("setUp", "asyncSetUp", "setup_method", "setup", "setUpClass", "setup_class")


@dataclass(frozen=True, slots=True)
class PythonUses:
    """What the code of a module refers to."""

    version: ClassVar[int] = 1

    def owns(self, path: str) -> bool:
        """Whether it is a Python module."""
        return path.endswith(_SOURCE)

    def worth_parsing(self, source: bytes) -> bool:
        """Whether there is anything in it."""
        return bool(source)

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Read the references of one module."""
        from pactkeeper.repo.languages.outline import encode  # noqa: PLC0415 - what is in the cache needs no parser
        from pactkeeper.repo.languages.python.outline import uses_of  # noqa: PLC0415 - likewise

        del path, parse_key
        return encode(uses_of(source))


@dataclass(frozen=True, slots=True)
class PythonOutlining:
    """What a module defines, documents and imports."""

    version: ClassVar[int] = 1
    uses: ClassVar[PythonUses] = PythonUses()

    def owns(self, path: str) -> bool:
        """Whether it is a Python module."""
        return path.endswith(_SOURCE)

    def worth_parsing(self, source: bytes) -> bool:
        """Whether there is anything in it."""
        return bool(source)

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Read the outline of one module."""
        from pactkeeper.repo.languages.outline import encode  # noqa: PLC0415 - likewise
        from pactkeeper.repo.languages.python.outline import outline_of  # noqa: PLC0415 - likewise

        del path, parse_key
        return encode(outline_of(source))

    def ambient(self, path: str) -> tuple[str, ...]:
        """The conftest.py files whose fixtures a module knows, nearest first, there or not."""
        folders = path.split("/")[:-1]
        return tuple("/".join([*folders[:count], "conftest.py"]) for count in range(len(folders), -1, -1))

    def setups(self, suite: Sequence[str]) -> tuple[str, ...]:
        """What unittest and pytest call on a test's class."""
        owner = ".".join(suite)
        return tuple(f"{owner}().{name}" for name in _SETUPS) if owner else ()
