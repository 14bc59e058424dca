"""Find the sources of compiled test files: `node --test dist/test` runs what `tsc` made from `src/test`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from pactkeeper.repo.languages.javascript.projects.manifest import BUILT
from pactkeeper.repo.languages.javascript.projects.tsconfig import compiled
from pactkeeper.repo.languages.javascript.settings.runner import union

if TYPE_CHECKING:
    from pactkeeper.repo.languages.javascript.settings.packages import Reader

_COMPILED = re.compile(r"\.(?:(?:\?\(c\|m\)|[cm])?js|\{(?:[cm]?js,?)+\})\Z")
_SOURCES = ".?(c|m)ts?(x)"


def with_sources(reader: Reader, folder: str, patterns: Iterable[str]) -> list[str]:
    """Return the patterns; for those that match no file in the repository, also patterns of their sources."""
    found: list[str] = []
    for pattern in patterns:
        found.append(pattern)
        wanted = union(folder, [pattern])
        if not any(wanted.match(f"/{path}") for path in reader.files.paths):
            found += _sources(reader, folder, pattern)
    return found


def _sources(reader: Reader, folder: str, pattern: str) -> Iterator[str]:
    wanted = posixpath.normpath(posixpath.join(folder, pattern))
    for output, roots in _outputs(reader, folder, wanted):
        rest = wanted.removeprefix(f"{output}/")
        if rest != wanted:
            for root in roots:
                yield "/" + _COMPILED.sub(_SOURCES, posixpath.join(root, rest))


def _outputs(reader: Reader, folder: str, wanted: str) -> Iterator[tuple[str, list[str]]]:
    """Yield a compiler's output folders, with the folders it may read from."""
    yield from compiled(reader.values, folder)
    first = wanted.removeprefix(f"{folder}/").partition("/")[0]
    if first in BUILT:
        yield posixpath.join(folder, first), [posixpath.join(folder, "src"), folder]
