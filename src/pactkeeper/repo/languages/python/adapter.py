"""Python as a language for discovery: tests of pytest and unittest.

Also the outlines of Python modules.
"""

from __future__ import annotations

import posixpath
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
    Language,
    Resolver,
    Target,
    atom_prefix,
    upwards,
)
from pactkeeper.repo.languages.python.modules import Modules
from pactkeeper.repo.languages.python.names import parse_key, reading
from pactkeeper.repo.languages.python.settings import Candidates, Settings, read_settings

if TYPE_CHECKING:
    from tree_sitter import Tree

    from pactkeeper.intent.claims import TestEvidence
    from pactkeeper.intent.strength.program import Program


_INSTALLED: Final = re.compile(r"(?:^|/)(?:site-packages|dist-packages|node_modules)/")
_OTHERS: Final = (".pyi", ".pyx")
_SETUPS: Final = ("setUp", "asyncSetUp", "setup_method", "setup", "setUpClass", "setup_class")
_BINDS: Final = re.compile(rb"\b(?:def|class|import|lambda|globals|setattr)\b|\w\s*=|\0")
_SHAPED: Final = re.compile(
    rb"^[ \t]*+(?:async[ \t]++)?def[ \t]++(?:test|pytest_(?:py)?collect_|pytest_ignore_)", re.MULTILINE
)


class _Files:
    """Reads every Python module that isn't empty."""

    __slots__ = ()

    def owns(self, path: str) -> bool:
        """Whether the path is a Python module."""
        return path.endswith(".py")

    def worth_parsing(self, source: bytes) -> bool:
        """Whether the file isn't empty."""
        return bool(source)


@dataclass(frozen=True, slots=True)
class PythonImporting(_Files):
    """The part of the adapter that structure uses."""

    version: ClassVar[int] = 1

    def language(self, path: str) -> str:  # noqa: ARG002 - the protocol's signature
        """Return "python", the only language here."""
        return "python"

    def sources(self, paths: Iterable[str]) -> list[str]:
        """Return every module outside of installed packages."""
        return [path for path in paths if path.endswith(".py") and not _INSTALLED.search(path)]

    def worth_parsing(self, source: bytes) -> bool:
        """Whether `import`, or pytest's plugin variable, occurs."""
        return b"import" in source or b"pytest_plugins" in source or b"\0" in source

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Read the imports of one module."""
        from pactkeeper.repo.languages.outline import encode_imports  # noqa: PLC0415 - what is in the cache needs no parser
        from pactkeeper.repo.languages.python.imports import read_imports  # noqa: PLC0415 - likewise

        del path, parse_key
        return encode_imports(read_imports(source))

    def resolver(self, files: Files) -> tuple[Resolver, tuple[Gap, ...]]:
        """Return a resolver that works like Python, with the project's configured folders on its path."""
        from pactkeeper.repo.languages.python.imports import read_roots  # noqa: PLC0415 - likewise

        roots = read_roots(files)
        modules = Modules(self.sources(files.paths), roots.folders)
        others = frozenset(path for path in files.paths if path.endswith(_OTHERS))
        return _Resolver(modules, roots.packages, others).resolve, roots.gaps


@dataclass(frozen=True, slots=True)
class _Resolver:
    """Resolves imports; `packages` maps dotted names to folders that contain them under another name.

    `others` are modules that aren't Python source: stubs, and sources of compiled extensions.
    """

    modules: Modules
    packages: tuple[tuple[str, str], ...]
    others: frozenset[str]

    def resolve(self, importer: str, wanted: Import) -> Target:
        """Return the files that one import names.

        `import a.b` and `from a import b` name the module `a.b` if it exists; otherwise the name comes from the package
        itself. A name that only a third-party package can have makes the import third-party.
        """
        module = self._find(importer, wanted.module)
        if module is None:
            return self._absent(importer, wanted.module)
        if module == importer and "." not in wanted.module and not importer.endswith("__init__.py"):
            return Target(package=wanted.module)  # `import redis` in a project's own redis.py means the package
        if module.endswith(".py") and not module.endswith("__init__.py"):
            return Target((module,))
        if wanted.names:
            return self._taken(module, wanted)
        if module.endswith(".py"):
            return Target((module,))
        return Target(package=wanted.module.partition(".")[0])  # a folder's name says nothing about its content

    def _taken(self, module: str, wanted: Import) -> Target:
        """Resolve `from package import a, b`."""
        files: dict[str, None] = {}
        missing: list[str] = []
        for name in wanted.names:
            inner = self.modules.inside(module, name)
            compiled = self._compiled(module, name)
            if inner is not None and inner.endswith(".py"):
                files[inner] = None
            elif compiled is not None:
                files[compiled] = None
            elif module.endswith(".py"):
                files[module] = None
            elif inner is None and name != "*":
                missing.append(name)
        if missing and not wanted.module.startswith("."):
            return Target(tuple(files), package=wanted.module.partition(".")[0])
        separator = "" if wanted.module.endswith(".") else "."
        return Target(tuple(files), missing=tuple(f"{wanted.module}{separator}{name}" for name in missing))

    def _absent(self, importer: str, dotted: str) -> Target:
        """Classify a non-Python import: missing if relative or below a package of the repository, else third-party."""
        top, _, _ = dotted.partition(".")
        above, _, name = dotted.rpartition(".")
        above = above if above.strip(".") else f"{above}."
        package = self._find(importer, above) if dotted.strip(".") and name != dotted else None
        compiled = self._compiled(package, name) if package is not None else None
        if compiled is not None:
            return Target((compiled,))
        found = self._find(importer, top) if top and top != dotted else None
        inside = not top or (found is not None and found.endswith(".py"))
        return Target(missing=(dotted,)) if inside else Target(package=top)

    def _compiled(self, package: str, name: str) -> str | None:
        """Return a package's module that exists as a stub or as the source of a compiled extension."""
        place = posixpath.join(package.removesuffix("__init__.py"), name)
        return next((place + suffix for suffix in _OTHERS if place + suffix in self.others), None)

    def _find(self, importer: str, dotted: str) -> str | None:
        for package, folder in self.packages:
            if dotted == package or dotted.startswith(f"{package}."):
                tail = dotted[len(package) + 1 :].replace(".", "/")
                return self.modules.module("/".join(part for part in (folder, tail) if part))
        return self.modules.find(importer, dotted)


@dataclass(frozen=True, slots=True)
class PythonUses(_Files):
    """Parses what a module's code refers to."""

    version: ClassVar[int] = 1

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Read the references of one module."""
        from pactkeeper.repo.languages.outline import encode  # noqa: PLC0415 - what is in the cache needs no parser
        from pactkeeper.repo.languages.python.outline import uses_of  # noqa: PLC0415 - likewise

        del path, parse_key
        return encode(uses_of(source))


@dataclass(frozen=True, slots=True)
class PythonOutlining(_Files):
    """What a module defines, documents and imports."""

    version: ClassVar[int] = 1
    uses: ClassVar[PythonUses] = PythonUses()

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Read the outline of one module."""
        from pactkeeper.repo.languages.outline import encode  # noqa: PLC0415 - likewise
        from pactkeeper.repo.languages.python.outline import outline_of  # noqa: PLC0415 - likewise

        del path, parse_key
        return encode(outline_of(source))

    def ambient(self, path: str) -> tuple[str, ...]:
        """Return the conftest.py files whose fixtures a module can use, nearest first, existing or not."""
        return tuple(posixpath.join(folder, "conftest.py") for folder in upwards(posixpath.dirname(path)))

    def setups(self, suite: Sequence[str]) -> tuple[str, ...]:
        """Return what unittest and pytest call on a test's class."""
        owner = ".".join(suite)
        return tuple(f"{owner}().{name}" for name in _SETUPS) if owner else ()


class Python(_Files):
    """The Python adapter; it holds no state."""

    name = "python"
    version = 14
    importing = PythonImporting()
    outlining = PythonOutlining()

    def configure(self, files: Files, added: Added = NOTHING_ADDED) -> Configuration:
        """Read pytest's settings in every folder, and what each conftest.py ignores."""
        settings, gaps = read_settings(files, added)
        return Configuration(parse_key(settings.functions, atom_prefix(files)), settings, gaps)

    def candidates(self, configuration: Configuration, paths: Iterable[str]) -> list[str]:
        """Return the files that pytest or unittest would collect from."""
        return Candidates(_settings(configuration)).choose(paths)

    def worth_parsing(self, source: bytes) -> bool:
        """Whether the module binds any name."""
        return _BINDS.search(source) is not None

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Parse one module into facts."""
        from pactkeeper.repo.languages.python.facts import encode  # noqa: PLC0415 - a cached scan needs no parser
        from pactkeeper.repo.languages.python.shape import parse_file  # noqa: PLC0415 - likewise

        del path
        return encode(parse_file(source, reading(parse_key)))

    def glimpse(self, path: str, source: bytes) -> Glimpse | None:
        """Find functions and methods named like tests, and hooks that decide what is collected."""
        if _SHAPED.search(source) is None:
            return None
        from pactkeeper.repo.languages.python.shape import glimpse  # noqa: PLC0415 - few files look like tests

        return glimpse(path, source)

    def left_out(self, configuration: Configuration, path: str) -> str:
        """Return which rule of pytest or unittest leaves a module out."""
        return Candidates(_settings(configuration)).left_out(path)

    def resolve(self, configuration: Configuration, source: FactSource) -> tuple[list[Test], list[Gap]]:
        """Collect tests as pytest and unittest do."""
        from pactkeeper.repo.languages.python.resolve import resolve  # noqa: PLC0415 - a cached scan resolves nothing

        return resolve(_settings(configuration), source)

    def tree(self, path: str, source: bytes) -> Tree:
        """Parse one module."""
        from pactkeeper.repo.languages.python.syntax import parse  # noqa: PLC0415 - a cached scan needs no parser

        del path
        return parse(source)

    def evidence(
        self, path: str, source: bytes, *, tests: Sequence[Test], read: Callable[[str], bytes | None]
    ) -> Mapping[str, TestEvidence]:
        """Return what the tests of a module state."""
        from pactkeeper.repo.languages.python.claims import python_evidence  # noqa: PLC0415 - a scan needs none

        return python_evidence(path, source, tests=tests, read=read)

    def programs(
        self, path: str, source: bytes, *, tests: Sequence[Test], read: Callable[[str], bytes | None]
    ) -> Mapping[str, Program]:
        """Return the tests of a module as programs."""
        from pactkeeper.repo.languages.python.strength.programs import programs  # noqa: PLC0415 - a scan needs none

        return programs(path, source, tests=tests, read=read)

    def support(self, path: str, source: bytes, *, read: Callable[[str], bytes | None]) -> Mapping[str, Program]:
        """Return the functions of a module as programs."""
        from pactkeeper.repo.languages.python.strength.programs import support  # noqa: PLC0415 - a scan needs none

        return support(path, source, read=read)


def _settings(configuration: Configuration) -> Settings:
    value = configuration.value
    if not isinstance(value, Settings):
        raise TypeError(f"not a configuration of this adapter: {value!r}")
    return value


PYTHON: Final[Language] = Python()
