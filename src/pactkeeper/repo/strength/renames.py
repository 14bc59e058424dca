"""Names of the product that became others since a test file had some earlier content, and that content under them.

A name was renamed if no file of the product defines it any more, the product defines another one instead, and changed
lines have that one in its place. A module is named like its file, and something else may be named like it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from pactkeeper.repo.delta import changed_paths
from pactkeeper.repo.languages import owner
from pactkeeper.repo.snapshot import Snapshot, commit
from pactkeeper.repo.strength.product import defined_names, module_name, product_paths

if TYPE_CHECKING:
    from tree_sitter import Tree

_WORD: Final = re.compile(rb"[A-Za-z_$][\w$]*+")
_REFERRED: Final = re.compile(
    rb"(?<=[./])[A-Za-z_$][\w$]*+|(?<![\w$])[A-Za-z_$][\w$]*+(?=\.)"
)  # in a path or a dotted name
_AS_MODULE: Final = re.compile(_REFERRED.pattern + rb"|(?<=\bfrom )[A-Za-z_$][\w$]*+|(?<=\bimport )[A-Za-z_$][\w$]*+")
_TEXTS: Final = frozenset({"string_content", "string_fragment"})
_MOST_LINES: Final = 20_000  # of a file; in longer ones no names are compared


@dataclass(frozen=True, slots=True)
class Renames:
    """Present names by earlier ones: `names` stand for one thing only, `modules` also for what kept its name."""

    names: Mapping[str, str]
    modules: Mapping[str, str]

    def __bool__(self) -> bool:
        return bool(self.names or self.modules)


def renames_since(now: Snapshot, files: Mapping[str, str]) -> Mapping[str, Renames]:
    """Map files to the names that became others since they last had this content (path → blob id), and those of now.

    Where no commit has that content, this asks what was renamed since the last commit. Files without any are left out.
    """
    last = now.commit or now.repository.head()
    if last is None:
        return {}
    below = commit(now.repository, last)
    commits = {
        path: last if below.blob(path) == blob else _last_with(below, path, blob) for path, blob in files.items()
    }
    found = {one: renames(commit(now.repository, one), now) for one in {*commits.values()}}
    return {path: found[one] for path, one in commits.items() if found[one]}


def _last_with(below: Snapshot, path: str, blob: str) -> str:
    """Return the last commit in which a file had this content, along first parents; if there is none, the last one."""
    last = str(below.commit)
    sought = ("-1", "--first-parent", "-m", "--format=%P", f"--find-object={blob}")
    parents = below.repository.run("log", *sought, last, "--", path).decode().split()
    return parents[0] if parents else last


def renames(then: Snapshot, now: Snapshot) -> Renames:
    """Find the present name of each renamed function, class, constant, method or module of the product."""
    changed = product_paths(changed_paths(then, now))
    old, new = ([path for path in changed if path in side] for side in (then, now))
    defined, present = _defined(then, old), _defined(now, new)
    modules, now_modules = frozenset(map(module_name, old)), frozenset(map(module_name, new))
    gone = ((defined - present) | modules) - now_modules
    fresh = {True: now_modules - modules, False: (present | now_modules) - (defined | modules)}  # of a module, or not
    votes = _votes(then, now, old, new) if gone and any(fresh.values()) else {}
    found = {name: _elected(votes[name], fresh[name in modules]) for name in gone if name in votes}
    taken = Counter(found.values())
    certain = {name: other for name, other in found.items() if other and taken[other] == 1}
    if not certain:
        return Renames({}, {})
    others = [path for path in product_paths(now.paths) if path not in {*new}]
    named = present | _defined(now, _mentioning(certain, now, others))
    standing = {*map(module_name, others), *(named - modules)}
    kept = {name: other for name, other in certain.items() if name not in standing}
    of_both = {name: other for name, other in kept.items() if name in named}
    return Renames({name: other for name, other in kept.items() if name not in named}, of_both)


def _votes(then: Snapshot, now: Snapshot, old: Sequence[str], new: Sequence[str]) -> Mapping[str, Counter[str]]:
    """Count for each name the names that stand in its place in changed files."""
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for before, after in _pairs(then, now, old, new):
        votes[module_name(before)][module_name(after)] += 1
        for one, other in _exchanged(_lines(then, before), _lines(now, after)):
            votes[one][other] += 1
    return votes


def _defined(side: Snapshot, paths: Iterable[str]) -> frozenset[str]:
    return frozenset(name for path in paths for name in defined_names(side, path))


def _elected(votes: Counter[str], fresh: frozenset[str]) -> str:
    """Return the new name that stands in most of the places of an old one; "" if none stands in more than half."""
    name, number = votes.most_common(1)[0]
    return name if name in fresh and number * 2 > votes.total() else ""


def _mentioning(names: Iterable[str], side: Snapshot, paths: Iterable[str]) -> Iterator[str]:
    sought = [name.encode() for name in names]
    for path, source in side.read_many(paths):
        if source is not None and any(name in source for name in sought):
            yield path


def _lines(side: Snapshot, path: str) -> list[bytes]:
    return (side.read(path) or b"").splitlines()


def _pairs(then: Snapshot, now: Snapshot, old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield changed files with what they are now, and each removed one with the added one that shares most lines."""
    yield from ((path, path) for path in old if path in new)
    added = {path: Counter(_lines(now, path)) for path in new if path not in old}
    for path in (one for one in old if one not in new):
        lines = Counter(_lines(then, path))
        shared = {other: (lines & those).total() for other, those in added.items()}
        best = max(shared, key=lambda one: shared[one], default="")
        if best and shared[best] * 2 > lines.total():
            del added[best]
            yield path, best


def _exchanged(old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """Yield each word of a changed line with the one in its place."""
    if max(len(old), len(new)) > _MOST_LINES:
        return
    for tag, first, last, start, end in SequenceMatcher(None, old, new).get_opcodes():
        if tag == "replace":
            ones, others = (_WORD.findall(b"\n".join(side)) for side in (old[first:last], new[start:end]))
            if len(ones) == len(others):
                pairs = zip(ones, others, strict=True)
                yield from ((one.decode(), other.decode()) for one, other in pairs if one != other)


def under_names(side: Snapshot, found: Mapping[str, Renames]) -> Snapshot:
    """Return a state whose files use other names, by path, in place of earlier ones; other texts in strings stay."""
    texts = {path: side.read(path) for path in found if path in side}
    return side.with_texts(
        {path: _renamed(path, text, found[path]) for path, text in texts.items() if text is not None}
    )


def _renamed(path: str, source: bytes, found: Renames) -> bytes:
    language = owner(path)
    if language is None:
        return source
    changed: list[bytes] = []
    end = 0
    for start, stop in [*_strings(language.tree(path, source)), (len(source), len(source))]:
        code = _replaced(_WORD, source[end:start], found.names)
        referred = _replaced(_REFERRED, source[start:stop], {**found.modules, **found.names})
        changed += [_replaced(_AS_MODULE, code, found.modules), referred]
        end = stop
    return b"".join(changed)


def _replaced(pattern: re.Pattern[bytes], text: bytes, names: Mapping[str, str]) -> bytes:
    return pattern.sub(lambda found: names.get(found[0].decode(), found[0].decode()).encode(), text)


def _strings(tree: Tree) -> Iterator[tuple[int, int]]:
    """Yield where the contents of strings start and end, in order."""
    pending = [tree.root_node]
    while pending:
        node = pending.pop()
        if node.type in _TEXTS:
            yield node.start_byte, node.end_byte
        pending.extend(reversed(node.children))
