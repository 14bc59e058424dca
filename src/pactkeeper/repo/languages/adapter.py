"""The port that every language adapter implements; `repo.languages` lists the adapters in one explicit table.

Also the prefix of atom ids in a snapshot, the one setting of the pact that reading annotations depends on.

The catalog checks the pact's files; here anything unreadable means the default.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from pactkeeper.intent.folder import SETTINGS, USUAL
from pactkeeper.intent.ids import PREFIX_PATTERN
from pactkeeper.intent.tests import Gap, Test
from pactkeeper.repo.pact_folder import folder_of

if TYPE_CHECKING:
    from tree_sitter import Tree

    from pactkeeper.intent.claims import TestEvidence
    from pactkeeper.intent.strength.program import Program


class Files(Protocol):
    """The files of one snapshot that git tracks or would track, by POSIX path relative to the repository root."""

    @property
    def paths(self) -> Sequence[str]:
        """All paths, sorted."""

    def read(self, path: str) -> bytes | None:
        """Return the bytes of `path`; None if there is no such file or it can't be read (and is already a gap)."""


@dataclass(frozen=True, slots=True)
class Added:
    """What the pact's `[tests]` table adds to the project's own settings: files, and names that make tests.

    `classes` and `functions` are pytest's prefixes and globs; `runners` are functions that declare tests like `it`.
    """

    include: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    runners: tuple[str, ...] = ()


NOTHING_ADDED: Final = Added()
ALL: Final = ""  # stands for every file of a language, in `FactSource.rests`


NONE_READ: Final = "a runner collects this file, and no test in it is read; `[tests] exclude` leaves it out"
WHOLE: Final = ((1, 1 << 30),)  # the lines of a file that may be a test as a whole


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What looks like tests in a file that no runner collects: how many declarations, and the line of the first.

    `hooks` means that the file decides at run time what is a test.
    """

    count: int
    line: int = 0
    hooks: bool = False


class FactSource(Files, Protocol):
    """The files of a snapshot together with their parsed facts."""

    rests: Mapping[str, Collection[str]] | None
    """What `resolve` found each file's tests to rest on besides the file itself; None if an adapter doesn't say.

    Every file rests on what ALL names; one that rests on ALL may depend on any file.
    """

    called: set[str]
    """Where `resolve` puts the files whose declarations all run and are listed at the calls of their functions."""

    @property
    def glimpses(self) -> Mapping[str, Glimpse]:
        """What looks like tests in the language's files that aren't candidates."""

    @property
    def candidates(self) -> Sequence[str]:
        """The paths that `Language.candidates` chose and that passed the prefilter, sorted."""

    def facts(self, path: str) -> bytes | None:
        """Return encoded facts of any file in the snapshot, cached or parsed on demand; None if it has none."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the project's own settings say about tests of one language.

    `parse_key` changes whenever settings change what `parse` records, so that cached facts aren't mixed up. `value` is
    the adapter's own settings object; `gaps` are settings that could not be understood. `unsure` maps folders in which
    other settings could collect more files to why that cannot be known.
    """

    parse_key: str
    value: object
    gaps: tuple[Gap, ...] = ()
    unsure: Mapping[str, str] = field(default_factory=dict)


class Parser(Protocol):
    """Turns single files into facts that can be cached by content."""

    @property
    def version(self) -> int:
        """Part of the cache key: bumped with every change to what `parse` returns."""

    def owns(self, path: str) -> bool:
        """Whether the path's suffix belongs to this language."""

    def worth_parsing(self, source: bytes) -> bool:
        """Prefilter by bytes; return False only if the file certainly has no such facts."""

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Parse one file into encoded facts; runs in worker processes and never raises on bad source."""


@dataclass(frozen=True, slots=True)
class Import:
    """One import as written: `module` is what it names, `names` what it imports from there, if listed.

    `only_types` means that it exists only for a type checker and has no effect at run time.
    """

    module: str
    line: int
    names: tuple[str, ...] = ()
    only_types: bool = False


@dataclass(frozen=True, slots=True)
class FileImports:
    """The imports of one file in source order; `computed` are the lines whose module is computed at run time.

    `problems` are lines, with reasons, where imports may be missing.
    """

    found: tuple[Import, ...] = ()
    computed: tuple[int, ...] = ()
    problems: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """Where an import leads: `files` of the repository, or `package`, the third-party package it belongs to.

    `missing` are names that belong to the repository but don't exist.
    """

    files: tuple[str, ...] = ()
    package: str = ""
    missing: tuple[str, ...] = ()


Resolver = Callable[[str, Import], Target]  # the first argument is the importing file's path


class Importing(Parser, Protocol):
    """How files of a language import each other.

    `parse` returns a `FileImports`, encoded by `repo.languages.outline`.
    """

    def language(self, path: str) -> str:
        """Return the language of one file, by the name its tests use."""

    def sources(self, paths: Iterable[str]) -> list[str]:
        """Return the files whose imports count: all of the language except installed packages and minified bundles."""

    def resolver(self, files: Files) -> tuple[Resolver, tuple[Gap, ...]]:
        """Return a resolver that follows the project's settings, and settings that could not be understood."""


class Outlining(Parser, Protocol):
    """What the files of a language define, document and refer to.

    `parse` returns an `Outline`, and the parser in `uses` a `Uses`, both encoded by `repo.languages.outline`.
    """

    @property
    def uses(self) -> Parser:
        """A parser for what a file's code refers to; only used on test files and their helpers."""

    def ambient(self, path: str) -> tuple[str, ...]:
        """Return the files whose names a file can use without importing them, nearest first, existing or not."""

    def setups(self, suite: Sequence[str]) -> tuple[str, ...]:
        """Return the member chains that a runner calls before every test of a suite, existing or not."""


class Language(Parser, Protocol):
    """Everything discovery needs to know about one language family; adapters are stateless."""

    name: str

    @property
    def importing(self) -> Importing:
        """How its files import each other."""

    @property
    def outlining(self) -> Outlining:
        """What its files define, document and refer to."""

    def configure(self, files: Files, added: Added = NOTHING_ADDED) -> Configuration:
        """Read the project's test settings; `added` is what the pact adds to them."""

    def candidates(self, configuration: Configuration, paths: Iterable[str]) -> list[str]:
        """Return the files that may declare tests, judging by path alone."""

    def glimpse(self, path: str, source: bytes) -> Glimpse | None:
        """Return what looks like tests in a file that isn't a candidate; None if nothing does."""

    def left_out(self, configuration: Configuration, path: str) -> str:
        """Return why a file of the language isn't a candidate, as the end of "it is not collected: …"."""

    def resolve(self, configuration: Configuration, source: FactSource) -> tuple[list[Test], list[Gap]]:
        """Turn facts into tests, following base classes, aliases and imports across files."""

    def tree(self, path: str, source: bytes) -> Tree:
        """Parse one file into its syntax tree in order to edit it; broken syntax yields error nodes."""

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


def upwards(folder: str) -> Iterator[str]:
    """Yield a folder and its ancestors, up to the repository's root, which is ""."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


DEFAULT: Final = "IA"
_PREFIX: Final = re.compile(rf"{PREFIX_PATTERN}\Z")


def atom_prefix(files: Files) -> str:
    """Return the atom prefix that the snapshot's `pact.toml` declares."""
    data = files.read(folder_of(files).path(f"{USUAL}{SETTINGS}"))
    if data is None or b"atom_prefix" not in data:
        return DEFAULT
    from pactkeeper.ledger.documents import read_toml  # noqa: PLC0415 - only where a pact changes the prefix

    try:
        table = read_toml(data.decode("utf-8")).get("pact")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return DEFAULT
    prefix = table.get("atom_prefix") if isinstance(table, dict) else None
    return prefix if isinstance(prefix, str) and _PREFIX.match(prefix) else DEFAULT
