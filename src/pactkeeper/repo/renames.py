"""Which removed files became which added ones: equal content first, then at least half of the text in common.

It is decided here rather than by git because a renamed file may be untracked, which no `git diff` shows; one rule for
the working tree, the index and commits gives one delta for one change, staged or not.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

_SIMILAR: Final = 50  # per cent of the larger file; the threshold of `git diff -M`
_MOST_PAIRS: Final = 4_000  # beyond this only files that kept their name or their folder are compared


def renames(removed: Mapping[str, bytes], added: Mapping[str, bytes]) -> dict[str, str]:
    """Pair old paths with new ones, each at most once; equal inputs give equal pairs."""
    found = dict(_equal(removed, added))
    gone = {path: source for path, source in removed.items() if path not in found}
    taken = set(found.values())
    new = {path: source for path, source in added.items() if path not in taken}
    for _, _, old_path, new_path in sorted(_similar(gone, new)):
        if old_path not in found and new_path not in taken:
            found[old_path] = new_path
            taken.add(new_path)
    return found


def _equal(removed: Mapping[str, bytes], added: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    by_content: defaultdict[bytes, list[str]] = defaultdict(list)
    for path in sorted(added):
        by_content[added[path]].append(path)
    for path in sorted(removed):
        choices = by_content.get(removed[path])
        if choices and removed[path].strip():
            best = min(choices, key=lambda choice: (-_closeness(path, choice), choice))
            choices.remove(best)
            yield path, best


def _similar(removed: Mapping[str, bytes], added: Mapping[str, bytes]) -> Iterator[tuple[int, int, str, str]]:
    """Sortable candidates: the best score first, then those whose paths have most in common."""
    old_lines = {path: _lines(source) for path, source in removed.items()}
    new_lines = {path: _lines(source) for path, source in added.items()}
    for old, new in _pairs(removed, added):
        largest = max(len(removed[old]), len(added[new]))
        if min(len(removed[old]), len(added[new])) * 100 < largest * _SIMILAR:
            continue
        score = _common(old_lines[old], new_lines[new]) * 100 // max(largest, 1)
        if score >= _SIMILAR:
            yield -score, -_closeness(old, new), old, new


def _pairs(removed: Iterable[str], added: Iterable[str]) -> list[tuple[str, str]]:
    every = [(old, new) for old in removed for new in added if _suffix(old) == _suffix(new)]
    if len(every) <= _MOST_PAIRS:
        return every
    return [(old, new) for old, new in every if _closeness(old, new) > 0]


def _closeness(old: str, new: str) -> int:
    """2 for the same file name, 1 for the same folder, 0 otherwise."""
    if posixpath.basename(old) == posixpath.basename(new):
        return 2
    return int(posixpath.dirname(old) == posixpath.dirname(new))


def _lines(source: bytes) -> Counter[bytes]:
    return Counter(source.replace(b"\r\n", b"\n").splitlines(keepends=True))


def _common(one: Counter[bytes], other: Counter[bytes]) -> int:
    if len(other) < len(one):
        one, other = other, one
    return sum(len(line) * min(times, other[line]) for line, times in one.items() if line in other)


def _suffix(path: str) -> str:
    return posixpath.splitext(path)[1]
