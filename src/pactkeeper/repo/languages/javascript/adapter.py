"""The JavaScript and TypeScript language adapter, JSX included."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from pactkeeper.intent.tests import Gap, Test
from pactkeeper.repo.languages.adapter import (
    NOTHING_ADDED,
    Added,
    Configuration,
    FactSource,
    Files,
    Glimpse,
    Import,
    Resolver,
    Target,
)
from pactkeeper.repo.languages.javascript.grammar import SUFFIXES, WIDE, language_of

if TYPE_CHECKING:
    from tree_sitter import Tree

    from pactkeeper.intent.claims import TestEvidence
    from pactkeeper.intent.strength.program import Program


_NEVER: Final = re.compile(r"(?:^|/)node_modules/")
_IMPORTS: Final = re.compile(rb"\bimport\b|\bexport\b|\brequire\b|<reference\b")
_SUFFIXES: Final = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")


@dataclass(frozen=True, slots=True)
class JavaScriptImporting:
    """The import side of the adapter, used by `structure` and `outlines`."""

    version: ClassVar[int] = 1

    def owns(self, path: str) -> bool:
        """Whether the path has a JavaScript or TypeScript suffix."""
        return path.endswith(SUFFIXES)

    def language(self, path: str) -> str:
        """Return "TypeScript" or "JavaScript", judged by the suffix."""
        return language_of(path)

    def sources(self, paths: Iterable[str]) -> list[str]:
        """Return every file outside node_modules that is not a minified bundle; declaration files are included."""
        return [
            path
            for path in paths
            if path.endswith(SUFFIXES) and not path.endswith(".min.js") and not _NEVER.search(path)
        ]

    def worth_parsing(self, source: bytes) -> bool:
        """Whether the source contains a keyword that can name a module."""
        return _IMPORTS.search(source) is not None or source.startswith(WIDE)

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Read the imports of one file."""
        from pactkeeper.repo.languages.javascript.grammar import read_imports  # noqa: PLC0415 - a cache hit needs no parser
        from pactkeeper.repo.languages.outline import encode_imports  # noqa: PLC0415 - likewise

        del parse_key
        return encode_imports(read_imports(path, source))

    def resolver(self, files: Files) -> tuple[Resolver, tuple[Gap, ...]]:
        """Return a resolver that follows the project's own settings, as TypeScript, Node.js and bundlers do."""
        from pactkeeper.repo.languages.javascript.projects.read import read_projects  # noqa: PLC0415 - loads the parser
        from pactkeeper.repo.languages.javascript.projects.resolution import Resolution  # noqa: PLC0415 - likewise
        from pactkeeper.repo.languages.javascript.settings.values import SettingsFiles  # noqa: PLC0415 - likewise

        projects = read_projects(SettingsFiles(files))
        resolution = Resolution(frozenset(files.paths), projects)

        def resolve(importer: str, wanted: Import) -> Target:
            return resolution.target(importer, wanted.module)

        return resolve, projects.gaps


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
class JavaScriptOutlining(JavaScriptUses):
    """What a file defines, documents, imports and exports."""

    uses: ClassVar[JavaScriptUses] = JavaScriptUses()

    def owns(self, path: str) -> bool:
        """Whether the path is JavaScript or TypeScript and not a minified bundle, which documents nothing."""
        return path.endswith(_SUFFIXES) and ".min." not in path

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


# a runner's keyword, or an import that may bring in a helper that declares tests
_WORTH: Final = re.compile(
    rb"\b(?:x|f)?(?:it|test|describe|suite|specify|context)\b|\bQUnit\b|\bDeno\b|\bexports\b|\brequire\b|\bimport\b"
)
_NO_SOURCE: Final = (".d.ts", ".d.mts", ".d.cts", ".min.js")
_DECLARES: Final = re.compile(
    rb"(?<![\w$.])(?:it|test|describe|specify|suite|context)(?:\.\w++)*+\(\s*+(?:'[^'\n]{0,300}+'|\"[^\"\n]{0,300}+\"|`[^`]{0,300}+`)"
    rb"\s*+,\s*+(?:async\b|function\b|\(|\{|[\w$]++\s*+=>)"
)


@dataclass(frozen=True, slots=True)
class JavaScript:
    """Tests of Jest, Vitest, Mocha, Jasmine, Playwright, node:test, lab, Bun, Deno, Cypress and QUnit."""

    name: ClassVar[str] = "javascript"
    version: ClassVar[int] = 27
    importing: ClassVar[JavaScriptImporting] = JavaScriptImporting()
    outlining: ClassVar[JavaScriptOutlining] = JavaScriptOutlining()

    def owns(self, path: str) -> bool:
        """Whether the path has a JavaScript or TypeScript suffix, excluding declaration files, which hold no code."""
        return path.endswith(_SUFFIXES)

    def configure(self, files: Files, added: Added = NOTHING_ADDED) -> Configuration:
        """Read the settings of every runner in the repository."""
        from pactkeeper.repo.languages.javascript.settings.configure import configure  # noqa: PLC0415 - loads the parser

        return configure(files, added)

    def candidates(self, configuration: Configuration, paths: Iterable[str]) -> list[str]:
        """Return the files that a configured runner collects or, without a known runner, those that look like tests."""
        from pactkeeper.repo.languages.javascript.settings.configure import Settings, candidates  # noqa: PLC0415 - likewise

        settings = configuration.value
        return candidates(settings, paths) if isinstance(settings, Settings) else []

    def worth_parsing(self, source: bytes) -> bool:
        """False only if the bytes are searchable and contain neither a runner's keyword nor an import of a helper."""
        return _WORTH.search(source) is not None or source.startswith(WIDE) or b"\0" in source

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Parse one file into encoded facts."""
        from pactkeeper.repo.languages.javascript.facts import encode  # noqa: PLC0415 - likewise
        from pactkeeper.repo.languages.javascript.read import read  # noqa: PLC0415 - likewise

        return encode(read(path, source, parse_key))

    def glimpse(self, path: str, source: bytes) -> Glimpse | None:
        """Find calls of a runner's function with a title and a function."""
        if path.endswith(_NO_SOURCE) or "node_modules/" in path or _DECLARES.search(source) is None:
            return None
        from pactkeeper.repo.languages.javascript.read import glimpse  # noqa: PLC0415 - few files look like tests

        return glimpse(path, source)

    def left_out(self, configuration: Configuration, path: str) -> str:
        """Explain why no runner collects a file: no settings name it, or they exclude it."""
        from pactkeeper.repo.languages.javascript.settings.configure import Settings  # noqa: PLC0415 - likewise

        settings = configuration.value
        return settings.left_out(path) if isinstance(settings, Settings) else ""

    def resolve(self, configuration: Configuration, source: FactSource) -> tuple[list[Test], list[Gap]]:
        """Turn facts into tests, following aliases, helpers and shared suites across files."""
        from pactkeeper.repo.languages.javascript.resolve import collect  # noqa: PLC0415 - likewise
        from pactkeeper.repo.languages.javascript.settings.configure import Settings  # noqa: PLC0415 - likewise

        settings = configuration.value
        return collect(settings, source) if isinstance(settings, Settings) else ([], [])

    def tree(self, path: str, source: bytes) -> Tree:
        """Parse one file with the grammar for its suffix."""
        from pactkeeper.repo.languages.javascript.grammar import parse  # noqa: PLC0415 - likewise

        return parse(path, source)

    def evidence(
        self, path: str, source: bytes, *, tests: Sequence[Test], read: Callable[[str], bytes | None]
    ) -> Mapping[str, TestEvidence]:
        """Return the claims that the tests of one file make."""
        from pactkeeper.repo.languages.javascript.claims import javascript_evidence  # noqa: PLC0415 - likewise

        return javascript_evidence(path, source, tests=tests, read=read)

    def programs(
        self, path: str, source: bytes, *, tests: Sequence[Test], read: Callable[[str], bytes | None]
    ) -> Mapping[str, Program]:
        """Lower the tests of a file to programs."""
        from pactkeeper.repo.languages.javascript.strength.programs import programs  # noqa: PLC0415 - unused by a scan

        return programs(path, source, tests=tests, read=read)

    def support(self, path: str, source: bytes, *, read: Callable[[str], bytes | None]) -> Mapping[str, Program]:
        """Lower the functions of a file to programs."""
        from pactkeeper.repo.languages.javascript.strength.programs import support  # noqa: PLC0415 - likewise

        return support(path, source, read=read)


JAVASCRIPT: Final = JavaScript()
