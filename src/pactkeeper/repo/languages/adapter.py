"""The port every language adapter fills; `repo.languages` lists the adapters in one explicit table.

What the ids of atoms begin with in a snapshot: the one setting of the pact that reading annotations depends on.

The pact's files belong to the catalog, which checks them; here anything unreadable means the default.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from pactkeeper.intent.folder import SETTINGS, USUAL
from pactkeeper.intent.ids import PREFIX_PATTERN
from pactkeeper.intent.tests import Gap, Test
from pactkeeper.ledger.toml_document import read_toml
from pactkeeper.repo.pact_folder import folder_of

if TYPE_CHECKING:
    from tree_sitter import Tree

    from pactkeeper.intent.claims import TestEvidence
    from pactkeeper.intent.strength.program import Program


class Files(Protocol):
    """The files of one snapshot that git tracks or would track, by POSIX path relative to the repository's root."""

    @property
    def paths(self) -> Sequence[str]:
        """All paths, sorted."""

    def read(self, path: str) -> bytes | None:
        """The bytes of `path`; None where there is no such file or it cannot be read (then it is a gap already)."""


@dataclass(frozen=True, slots=True)
class Added:
    """What `[tests]` of the pact adds to the project's own settings: files, and names that make tests.

    `classes` and `functions` are pytest's prefixes and globs, `runners` are functions that declare tests as `it` does.
    """

    include: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    runners: tuple[str, ...] = ()


NOTHING_ADDED: Final = Added()


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What is shaped like tests in a file that no runner collects: how many declarations, and the line of the first.

    `hooks` says that the file decides at run time what is a test.
    """

    count: int
    line: int = 0
    hooks: bool = False


class FactSource(Files, Protocol):
    """The files of a snapshot together with their parsed facts."""

    @property
    def glimpses(self) -> Mapping[str, Glimpse]:
        """What is shaped like tests in the language's files that are no candidates."""

    @property
    def candidates(self) -> Sequence[str]:
        """The paths that `Language.candidates` chose and that passed the prefilter, sorted."""

    def facts(self, path: str) -> bytes | None:
        """Encoded facts of any file of the snapshot, from the cache or parsed on demand; None where it has none."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the project's own settings say about tests of one language.

    `parse_key` changes whenever settings change what `parse` records, so that cached facts are not mixed up; `value` is
    the adapter's own settings value; `gaps` are settings that could not be understood.
    """

    parse_key: str
    value: object
    gaps: tuple[Gap, ...] = ()


class Parser(Protocol):
    """What turns single files into facts that can be kept by the content of the file."""

    @property
    def version(self) -> int:
        """Part of the cache key: raised with every change of what `parse` returns."""

    def owns(self, path: str) -> bool:
        """Whether the path's suffix belongs to this language."""

    def worth_parsing(self, source: bytes) -> bool:
        """A byte-level prefilter: False only where the file certainly has no such facts."""

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Parse one file into encoded facts; runs in worker processes and never raises for bad source."""


@dataclass(frozen=True, slots=True)
class Import:
    """One import as the file says it: `module` is what it names, `names` what it takes out of that, where it says so.

    `only_types` means that it exists for a type checker and does nothing at run time.
    """

    module: str
    line: int
    names: tuple[str, ...] = ()
    only_types: bool = False


@dataclass(frozen=True, slots=True)
class FileImports:
    """The imports of one file in source order; `computed` are lines of imports whose module is computed at run time.

    `problems` are lines with reasons why imports may be missing here.
    """

    found: tuple[Import, ...] = ()
    computed: tuple[int, ...] = ()
    problems: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """Where an import leads: `files` of the repository, or `package`, the third-party package it belongs to.

    `missing` are names that belong to the repository and are not there.
    """

    files: tuple[str, ...] = ()
    package: str = ""
    missing: tuple[str, ...] = ()


Resolver = Callable[[str, Import], Target]  # the first argument is the importing file's path


class Importing(Parser, Protocol):
    """How the files of a language import each other.

    `parse` gives a `FileImports`, encoded by `repo.languages.imports`.
    """

    def language(self, path: str) -> str:
        """The language of one file, as its tests name it."""

    def sources(self, paths: Iterable[str]) -> list[str]:
        """The files whose imports count: all of the language's but installed packages and minified bundles."""

    def resolver(self, files: Files) -> tuple[Resolver, tuple[Gap, ...]]:
        """How this project's settings say that imports are resolved, and settings that could not be understood."""


class Outlining(Parser, Protocol):
    """What the files of a language define, document and refer to.

    `parse` gives an `Outline`, that of `uses` a `Uses`, both encoded by `repo.languages.outline`.
    """

    @property
    def uses(self) -> Parser:
        """What the code of a file refers to; only test files and their helpers are asked for it."""

    def ambient(self, path: str) -> tuple[str, ...]:
        """The files whose names a file knows without importing them, nearest first, whether or not they are there."""

    def setups(self, suite: Sequence[str]) -> tuple[str, ...]:
        """The chains of members that a runner calls before every test of a suite, whether or not it has them."""


class Language(Parser, Protocol):
    """Everything discovery needs to know about one family of languages; adapters are stateless."""

    name: str

    @property
    def importing(self) -> Importing:
        """How its files import each other."""

    @property
    def outlining(self) -> Outlining:
        """What its files define, document and refer to."""

    def configure(self, files: Files, added: Added = NOTHING_ADDED) -> Configuration:
        """Read the project's test settings; `added` is what the pact says beside them."""

    def candidates(self, configuration: Configuration, paths: Iterable[str]) -> list[str]:
        """The files that may declare tests, by path pattern alone."""

    def glimpse(self, path: str, source: bytes) -> Glimpse | None:
        """What is shaped like tests in a file that is no candidate; None where nothing is."""

    def left_out(self, configuration: Configuration, path: str) -> str:
        """Why a file of the language is no candidate, as the end of "it is not collected: …"."""

    def resolve(self, configuration: Configuration, source: FactSource) -> tuple[list[Test], list[Gap]]:
        """Turn facts into tests, following base classes, aliases and imports across files."""

    def tree(self, path: str, source: bytes) -> Tree:
        """Parse one file into its syntax tree, for writing into it; broken syntax gives error nodes."""

    def evidence(
        self, path: str, source: bytes, *, tests: Sequence[Test], read: Callable[[str], bytes | None]
    ) -> Mapping[str, TestEvidence]:
        """What the given tests of one file state, by test id; `read` opens other files to follow helpers."""

    def programs(
        self, path: str, source: bytes, *, tests: Sequence[Test], read: Callable[[str], bytes | None]
    ) -> Mapping[str, Program]:
        """The given tests of one file as programs whose strength can be compared, by test id."""

    def support(self, path: str, source: bytes, *, read: Callable[[str], bytes | None]) -> Mapping[str, Program]:
        """All functions of a file that supports tests, by name."""


DEFAULT: Final = "IA"
_PREFIX: Final = re.compile(rf"{PREFIX_PATTERN}\Z")


def atom_prefix(files: Files) -> str:
    """The prefix that the `pact.toml` of the snapshot declares."""
    data = files.read(folder_of(files).path(f"{USUAL}{SETTINGS}"))
    if data is None or b"atom_prefix" not in data:
        return DEFAULT
    try:
        table = read_toml(data.decode("utf-8")).get("pact")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return DEFAULT
    prefix = table.get("atom_prefix") if isinstance(table, dict) else None
    return prefix if isinstance(prefix, str) and _PREFIX.match(prefix) else DEFAULT
