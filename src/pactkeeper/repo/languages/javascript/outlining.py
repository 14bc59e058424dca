"""Outlines of JavaScript and TypeScript files, as used by the adapter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

_SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")


@dataclass(frozen=True, slots=True)
class JavaScriptUses:
    """What the code of a file refers to."""

    version: ClassVar[int] = 1

    def owns(self, path: str) -> bool:
        """Whether the path has a JavaScript or TypeScript suffix."""
        return path.endswith(_SUFFIXES)

    def worth_parsing(self, source: bytes) -> bool:
        """Whether the file is non-empty."""
        return bool(source)

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Read the references of one file."""
        from pactkeeper.repo.languages.javascript.outline import uses_of  # noqa: PLC0415 - a cache hit needs no parser
        from pactkeeper.repo.languages.outline import encode  # noqa: PLC0415 - likewise

        del parse_key
        return encode(uses_of(path, source))


@dataclass(frozen=True, slots=True)
class JavaScriptOutlining:
    """What a file defines, documents, imports and exports."""

    version: ClassVar[int] = 1
    uses: ClassVar[JavaScriptUses] = JavaScriptUses()

    def owns(self, path: str) -> bool:
        """Whether the path is JavaScript or TypeScript and not a minified bundle, which documents nothing."""
        return path.endswith(_SUFFIXES) and ".min." not in path

    def worth_parsing(self, source: bytes) -> bool:
        """Whether the file is non-empty."""
        return bool(source)

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Read the outline of one file."""
        from pactkeeper.repo.languages.javascript.outline import outline_of  # noqa: PLC0415 - likewise
        from pactkeeper.repo.languages.outline import encode  # noqa: PLC0415 - likewise

        del parse_key
        return encode(outline_of(path, source))

    def ambient(self, path: str) -> tuple[str, ...]:  # noqa: ARG002 - signature required by the protocol
        """Return no files: JavaScript files import everything they know."""
        return ()

    def setups(self, suite: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002 - likewise
        """Return no members: setup code is a call next to the test, recorded in `Uses.before`."""
        return ()
