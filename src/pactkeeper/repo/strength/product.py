"""What a change did to the product's own names: which it no longer defines, and which its changed lines speak of."""

from __future__ import annotations

import builtins
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pactkeeper.repo.languages import owner
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.test_side import is_test_side

_DEFINES: Final = re.compile(
    rb"^[ \t]*+(?:export[ \t]++(?:default[ \t]++)?)?(?:async[ \t]++)?"
    rb"(?:def|class|function|const|let|var|interface|type|enum)[ \t*]++([\w$]++)"
    rb"|^[ \t]*+([\w$]++)[ \t]*+(?::[^=\n]*+)?=[^=>]"
    rb"|^[ \t]++(?:async[ \t]++|static[ \t]++)*+([\w$]++)\([^\n)]*+\)[ \t]*+\{",
    re.MULTILINE,
)
_OPENS: Final = re.compile(
    rb"(?:export[ \t]++(?:default[ \t]++)?)?(?:async[ \t]++|static[ \t]++)*+"
    rb"(?:(?:def|class|function)[ \t*]++)?([A-Za-z_$][\w$]*+)[ \t]*+[(:{=]"
)
_WORD: Final = re.compile(rb"[A-Za-z_$][\w$]++")
_COMMENT: Final = (b"#", b"//", b"*", b"/*")
_ERRORS: Final = ("Error", "Exception", "Warning")
_COMMON: Final = frozenset(name for name in dir(builtins) if not name.endswith(_ERRORS))


def product_paths(paths: Iterable[str]) -> list[str]:
    """The files of code among these that are no part of the tests."""
    return [path for path in paths if owner(path) is not None and not is_test_side(path)]


def gone_names(before: Snapshot, after: Snapshot, paths: Iterable[str]) -> frozenset[str]:
    """The names that product files no longer define."""
    old, new = ({name for path in paths for name in _defined(side, path)} for side in (before, after))
    return frozenset(old - new)


def touched_names(before: Snapshot, after: Snapshot, paths: Iterable[str]) -> frozenset[str]:
    """The words of product lines that changed, and the names of the blocks that these stand in.

    A line that only stands in another place has not changed; comments say nothing.
    """
    found: set[bytes] = set()
    for path in paths:
        old, new = _lines(before, path), _lines(after, path)
        for lines, others in ((old, new), (new, old)):
            found.update(_changed(lines, others))
    return frozenset(word.decode() for word in found) - _COMMON


def _changed(lines: Sequence[bytes], others: Sequence[bytes]) -> Iterator[bytes]:
    """The words of every line that the other side does not have as often, and of the blocks around it."""
    left = Counter(line.strip() for line in others)
    stack: list[tuple[int, bytes]] = []
    for line in lines:
        text = line.lstrip()
        depth = len(line) - len(text)
        while stack and stack[-1][0] >= depth:
            stack.pop()
        opened = _OPENS.match(text)
        if opened is not None:
            stack.append((depth, opened[1]))
        left[text.rstrip()] -= 1
        if left[text.rstrip()] < 0:
            yield from _WORD.findall(line)
            yield from (name for _, name in stack)


def _lines(snapshot: Snapshot, path: str) -> list[bytes]:
    source = snapshot.read(path) if path in snapshot else None
    lines = (line for line in (source or b"").splitlines() if line.strip())
    return [line for line in lines if not line.lstrip().startswith(_COMMENT)]


def _defined(snapshot: Snapshot, path: str) -> Iterator[str]:
    source = snapshot.read(path) if path in snapshot else None
    for found in _DEFINES.finditer(source or b""):
        name = found[1] or found[2] or found[3]
        yield name.decode("utf-8", "replace")
