"""Python as a language of discovery: pytest's and unittest's tests.

Outlines of Python modules, as the adapter offers them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from pactkeeper.intent.tests import Gap, Test
from pactkeeper.repo.languages.adapter import NOTHING_ADDED, Added, Configuration, FactSource, Files, Glimpse, Language
from pactkeeper.repo.languages.prefix import atom_prefix
from pactkeeper.repo.languages.python.import_graph import PythonImporting
from pactkeeper.repo.languages.python.names import parse_key, reading
from pactkeeper.repo.languages.python.settings import Candidates, Settings, read_settings

if TYPE_CHECKING:
    from tree_sitter import Tree

    from pactkeeper.intent.claims import TestEvidence
    from pactkeeper.intent.strength.program import Program


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


_BINDS: Final = re.compile(rb"\b(?:def|class|import|lambda|globals|setattr)\b|\w\s*=|\0")


_SHAPED: Final = re.compile(rb"^[ \t]*+(?:async[ \t]++)?def[ \t]++(?:test|pytest_pycollect_makeitem)", re.MULTILINE)


class Python:
    """The adapter; it holds no state."""

    name = "python"
    version = 8
    importing = PythonImporting()
    outlining = PythonOutlining()

    def owns(self, path: str) -> bool:
        """Whether it is a Python module."""
        return path.endswith(".py")

    def configure(self, files: Files, added: Added = NOTHING_ADDED) -> Configuration:
        """Read pytest's settings of every folder, and what each conftest.py ignores."""
        settings, gaps = read_settings(files, added)
        return Configuration(parse_key(settings.functions, atom_prefix(files)), settings, gaps)

    def candidates(self, configuration: Configuration, paths: Iterable[str]) -> list[str]:
        """The files that pytest or unittest would collect from."""
        return Candidates(_settings(configuration)).choose(paths)

    def worth_parsing(self, source: bytes) -> bool:
        """Whether the module binds any name."""
        return _BINDS.search(source) is not None

    def parse(self, path: str, source: bytes, parse_key: str) -> bytes:
        """Read one module into facts."""
        from pactkeeper.repo.languages.python.facts import encode  # noqa: PLC0415 - a cached scan needs no parser
        from pactkeeper.repo.languages.python.shape import parse_file  # noqa: PLC0415 - likewise

        del path
        return encode(parse_file(source, reading(parse_key)))

    def glimpse(self, path: str, source: bytes) -> Glimpse | None:
        """Functions and methods named as tests, and the hook that makes tests of other names."""
        if _SHAPED.search(source) is None:
            return None
        from pactkeeper.repo.languages.python.shape import glimpse  # noqa: PLC0415 - few files look like tests

        return glimpse(path, source)

    def left_out(self, configuration: Configuration, path: str) -> str:
        """Which rule of pytest or unittest leaves a module out."""
        return Candidates(_settings(configuration)).left_out(path)

    def resolve(self, configuration: Configuration, source: FactSource) -> tuple[list[Test], list[Gap]]:
        """Collect as pytest and unittest do."""
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
        """What the tests of a module state."""
        from pactkeeper.repo.languages.python.claims import python_evidence  # noqa: PLC0415 - a scan needs none

        return python_evidence(path, source, tests=tests, read=read)

    def programs(
        self, path: str, source: bytes, *, tests: Sequence[Test], read: Callable[[str], bytes | None]
    ) -> Mapping[str, Program]:
        """The tests of a module as programs."""
        from pactkeeper.repo.languages.python.strength.programs import programs  # noqa: PLC0415 - a scan needs none

        return programs(path, source, tests=tests, read=read)

    def support(self, path: str, source: bytes, *, read: Callable[[str], bytes | None]) -> Mapping[str, Program]:
        """The functions of a module as programs."""
        from pactkeeper.repo.languages.python.strength.programs import support  # noqa: PLC0415 - a scan needs none

        return support(path, source, read=read)


def _settings(configuration: Configuration) -> Settings:
    value = configuration.value
    if not isinstance(value, Settings):
        raise TypeError(f"not a configuration of this adapter: {value!r}")
    return value


PYTHON: Final[Language] = Python()
