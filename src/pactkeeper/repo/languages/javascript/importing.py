"""How JavaScript and TypeScript files import each other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final

from pactkeeper.intent.tests import Gap
from pactkeeper.repo.languages.adapter import Files, Import, Resolver, Target
from pactkeeper.repo.languages.javascript.grammar import SUFFIXES, language_of

_NEVER: Final = re.compile(r"(?:^|/)node_modules/")
_IMPORTS: Final = re.compile(rb"\bimport\b|\bexport\b|\brequire\b|<reference\b")
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class JavaScriptImporting:
    """The part of the adapter that structure asks."""

    version: ClassVar[int] = 1

    def owns(self, path: str) -> bool:
        """Whether the path's suffix is one of JavaScript's or TypeScript's."""
        return path.endswith(SUFFIXES)

    def language(self, path: str) -> str:
        """TypeScript by its suffix, JavaScript otherwise."""
        return language_of(path)

    def sources(self, paths: Iterable[str]) -> list[str]:
        """Every file that is no installed package and no minified bundle; declaration files count."""
        return [
            path
            for path in paths
            if path.endswith(SUFFIXES) and not path.endswith(".min.js") and not _NEVER.search(path)
        ]

    def worth_parsing(self, source: bytes) -> bool:
        """Whether a word occurs by which modules are named."""
        return _IMPORTS.search(source) is not None or source.startswith(_WIDE)

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Read the imports of one file."""
        from pactkeeper.repo.languages.imports import encode  # noqa: PLC0415 - what is in the cache needs no parser
        from pactkeeper.repo.languages.javascript.imports import read_imports  # noqa: PLC0415 - likewise

        del parse_key
        return encode(read_imports(path, source))

    def resolver(self, files: Files) -> tuple[Resolver, tuple[Gap, ...]]:
        """Resolve as TypeScript, Node.js and bundlers do by the project's own settings."""
        from pactkeeper.repo.languages.javascript.projects.read import read_projects  # noqa: PLC0415 - loads the parser
        from pactkeeper.repo.languages.javascript.projects.resolution import Resolution  # noqa: PLC0415 - likewise

        projects = read_projects(files)
        resolution = Resolution(frozenset(files.paths), projects)

        def resolve(importer: str, wanted: Import) -> Target:
            return resolution.target(importer, wanted.module)

        return resolve, projects.gaps
