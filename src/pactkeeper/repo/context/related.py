"""Files that belong to a test: those that define what it reaches, one of its name, and what its own file imports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pactkeeper.intent.context import Reached, RelatedFile
from pactkeeper.intent.wording.tables import singular, split_identifier
from pactkeeper.repo.context.reach import Support
from pactkeeper.repo.outlines import Outlines

_MARKS: Final = re.compile(r"(?:^|[._-])(?:tests?|spec|specs|cy|e2e)(?=$|[._-])", re.IGNORECASE)
_MOST_ALIKE: Final = 3  # more files of one name tell nothing


class Related:
    """Answers for the tests of one snapshot; `imports` are the files that each file imports, where that is known."""

    def __init__(self, outlines: Outlines, support: Support, imports: Mapping[str, Sequence[str]] | None) -> None:
        self._outlines = outlines
        self._support = support
        self._imports = imports
        self._alike: dict[str, tuple[str, ...]] = {}
        self._imported: dict[str, tuple[str, ...]] = {}
        self._by_stem: dict[str, list[str]] = {}
        for path in outlines.owned(outlines.snapshot.paths):
            if not support(path):
                self._by_stem.setdefault(_stem(path), []).append(path)

    def files(self, path: str, code: Sequence[Reached]) -> tuple[RelatedFile, ...]:
        """The files that belong to a test of `path` which reaches `code`, the closest first."""
        found: dict[str, str] = {}
        for one in code:
            if not one.support:
                found.setdefault(one.path, "defines what the test reaches")
        for alike in self.named_alike(path):
            found.setdefault(alike, "has the test file's name")
        for other in self._imports_of(path):
            found.setdefault(other, "helps the tests" if self._support(other) else "is imported by the test file")
        for one in code:
            found.setdefault(one.path, "helps the tests")
        found.pop(path, None)
        return tuple(RelatedFile(other, why) for other, why in found.items())

    def named_alike(self, path: str) -> tuple[str, ...]:
        """The code a test file is named for: `test_retry_policy.py` for `retry/policy.py` and `retry_policy.py`."""
        known = self._alike.get(path)
        if known is None:
            wanted = _words(_MARKS.sub(" ", _stem(path)))
            stems = set(wanted) | {_stem(path), _MARKS.sub("", _stem(path)).strip("._-")}
            near = [other for stem in sorted(stems) for other in self._by_stem.get(stem, ())]
            fitting = [other for other in near if wanted and wanted <= _words(other)] if wanted else []
            ranked = sorted(dict.fromkeys(fitting), key=lambda other: (len(_words(other)), other))
            known = self._alike[path] = tuple(ranked) if len(ranked) <= _MOST_ALIKE else ()
        return known

    def _imports_of(self, path: str) -> tuple[str, ...]:
        known = self._imported.get(path)
        if known is None:
            known = self._imported[path] = tuple(self._read_imports(path))
        return known

    def _read_imports(self, path: str) -> Iterable[str]:
        if self._imports is not None:
            return self._imports.get(path, ())
        wanted = (
            (one.module, "" if one.attribute == "*" else one.attribute) for one in self._outlines.outline(path).imports
        )
        return dict.fromkeys(file for module, name in wanted for file in self._outlines.find(path, module, name))


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].lower()


def _words(text: str) -> frozenset[str]:
    return frozenset(singular(word.lower()) for word in split_identifier(text.rpartition(".")[0] or text))
