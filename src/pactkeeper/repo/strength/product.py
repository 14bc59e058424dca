"""How a change affects the product's own names: which are no longer defined, and which its changed lines mention."""

from __future__ import annotations

import builtins
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from keyword import kwlist
from typing import Final

from pactkeeper.intent.strength.matching import Spelling
from pactkeeper.intent.strength.unfailing import OF_SCRIPTS
from pactkeeper.repo.languages import owner
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.test_side import SCRIPTS, is_test_side

_DEFINES: Final = re.compile(
    rb"^[ \t]*+(?:export[ \t]++(?:default[ \t]++)?)?(?:async[ \t]++)?"
    rb"(?:def|class|function|const|let|var|interface|type|enum)[ \t*]++([\w$]++)"
    rb"|^[ \t]*+([\w$]++)[ \t]*+(?::[^=\n]*+)?=[^=>]"
    rb"|^[ \t]++(?:async[ \t]++|static[ \t]++)*+([\w$]++)\([^\n)]*+\)[ \t]*+\{",
    re.MULTILINE,
)
_OPENS: Final = re.compile(
    rb"(?:export[ \t]++(?:default[ \t]++)?)?(?:async[ \t]++|static[ \t]++)*+"
    rb"(?:(?:def|class|function)[ \t*]++)?([A-Za-z_$][\w$]*+)(?:<[^\n(){};]{0,200}>)?[ \t]*+"
    rb"(?:(?:extends|implements)\b[^\n{]{0,200})?[(:{=]"
    rb"|(?:export[ \t]++)?(?:const|let|var)[ \t]++([A-Za-z_$][\w$]*+)[^=\n]*+="
    rb"[ \t]*+(?:async[ \t]*+)?(?:function\b[^(\n]*+|<[^\n(){};]{0,200}>)?\("
    rb"|(?:export[ \t]++)?(?:const|let|var)[ \t]++([A-Za-z_$][\w$]*+)"
)
_CALL: Final = re.compile(rb"[A-Za-z_$][\w$]*+\([^\n{}]{0,300}\)[;,]?")  # on a line of its own, which opens no block
_TAKEN: Final = re.compile(rb"(?:export[ \t]++)?(?:const|let|var)[ \t]++[\[{]([^\]}\n]{1,200})[\]}]")
_SIGNATURE: Final = re.compile(
    r"\bclass[ \t]++([\w$]++)"
    r"|(?:\b(?:def|function)[ \t]++([\w$]++)|\b(constructor))[ \t]*+"
    r"\(([^()]{0,2000}+(?:\([^()]{0,200}+\)[^()]{0,2000}+){0,9})\)"
)
_BASES: Final = re.compile(r"\bclass[ \t]++([\w$]++)(?:\([ \t]*+|[ \t]++extends[ \t]++)(?:[\w$]++\.)*+([\w$]++)")
_BY_NAME: Final = 999  # the position of a keyword-only parameter
_WORD: Final = re.compile(rb"[A-Za-z_$][\w$]++|\d{3,}+")
_CAPITAL: Final = re.compile(rb"(?<![\w$])[A-Z][\w$]*+")
_OF_LANGUAGE: Final = OF_SCRIPTS | frozenset(dir(builtins))
_COMMENT: Final = (b"#", b"//", b"*", b"/*")
_IMPORTS: Final = re.compile(
    rb"^[ \t]*+(?:import|from|export|\})[ \t{*][^\n]*+|\b(?:require|import)\([^\n)]{0,300}+\)", re.MULTILINE
)
MODULE: Final = re.compile(rb"(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*+['\"]([^'\"\n]{1,300})['\"]")
_MOST_STEPS: Final = 4  # calls between changed code and what a test calls
_MOST_CALLERS: Final = 2_000  # files read to find callers; a caller in any other file counts as unchanged
_OF_CHECKS: Final = re.compile(
    r"(?:.*/)?(?:\.(?:eslint|mocha|prettier|stylelint)rc"
    r"|(?:eslint|jest|vitest|playwright|prettier|stylelint)(?:[.-]\w{1,60}+){0,8}?\.config)\.[cm]?[jt]s"
)
DECLARED: Final = (".d.ts", ".d.mts", ".d.cts")
_COMPILED: Final = (".c", ".cc", ".cpp", ".h", ".hpp", ".rs", ".pyx", ".pxd", ".pyi", ".vue", ".svelte")
_ERRORS: Final = ("Error", "Exception", "Warning")
_KEYWORDS: Final = frozenset(word.encode() for word in (*kwlist, "switch", "catch", "function", "do", "case"))
_COMMON: Final = frozenset(name for name in dir(builtins) if not name.endswith(_ERRORS))


def product_paths(paths: Iterable[str]) -> list[str]:
    """Return the paths of code and type declarations that aren't part of the tests or settings of a check."""
    code = (path for path in paths if path.endswith((*DECLARED, *_COMPILED)) or owner(path))
    return [path for path in code if not is_test_side(path) and _OF_CHECKS.fullmatch(path) is None]


def spelling_of(before: Snapshot, after: Snapshot, paths: Iterable[str]) -> Spelling:
    """Compare how changed code files, including tests, name and define things."""
    old, new = ({name for path in paths for name in defined_names(side, path)} for side in (before, after))
    needs: dict[str, dict[str, int]] = {}
    for path in paths:
        old_ones, new_ones = (_SIGNATURE.findall(_text(side, path)) for side in (before, after))
        if old_ones == new_ones:
            continue
        known, found = _needed(old_ones), _needed(new_ones)
        for name in known.keys() & found.keys():
            fresh = {each: at for each, at in found[name].items() if each not in known[name]}
            needs.update({name: fresh} if fresh else {})
    product = product_paths(paths)
    mine, theirs = ({word for path in product for word in _words(side, path)} for side in (before, after))
    one, other = ({name for path in product for name in declared_names(side, path)} for side in (before, after))
    texts = (_text(after, path) for path in paths)
    bases = frozenset(pair for text in texts if "class" in text for pair in _BASES.findall(text))
    gone, anew = (old - new) | (mine - theirs), (new - old) | (theirs - mine)
    standing = _Standing(after, frozenset(paths))
    return Spelling(frozenset(gone), frozenset(anew), needs, bases, kept=frozenset(one & other), stands=standing,
                    about=frozenset(mine ^ theirs))  # fmt: skip


@dataclass(slots=True)
class _Standing:
    """Whether a name belongs to the language or is mentioned by code of the product that didn't change."""

    snapshot: Snapshot
    changed: frozenset[str]
    _names: frozenset[bytes] | None = None

    def __call__(self, name: str) -> bool:
        if name in _OF_LANGUAGE or not name[:1].isupper():
            return name in _OF_LANGUAGE
        if self._names is None:
            paths = (path for path in product_paths(self.snapshot.paths) if path not in self.changed)
            texts = self.snapshot.read_many(islice(paths, _MOST_CALLERS))
            self._names = frozenset(word for _, text in texts for word in _CAPITAL.findall(text or b""))
        return name.encode() in self._names


def _needed(signatures: Iterable[tuple[str, str, str, str]]) -> dict[str, dict[str, int]]:
    """Return the required parameters of each function of a file, by name, with their positions."""
    found: dict[str, dict[str, int]] = {}
    owner = ""
    for opened, function, constructor, parameters in signatures:
        owner = opened or owner
        name = function or constructor
        if not name:
            continue
        listed = [each.strip() for each in re.split(r",(?![^\[({]*+[\])}])", parameters) if each.strip()]
        listed = listed[1:] if listed[:1] in (["self"], ["cls"]) else listed
        behind = listed.index("*") if "*" in listed else len(listed)
        plain = {
            re.split(r"[:\s]", each, maxsplit=1)[0]: at if at < behind else _BY_NAME
            for at, each in enumerate(listed)
            if "=" not in each and "?" not in each and each[:1] not in "*.{["
        }
        found.setdefault(owner if name in {"__init__", "constructor"} else name, plain)
    return found


def _text(snapshot: Snapshot, path: str) -> str:
    return _bytes(snapshot, path).decode("utf-8", "replace")


def _bytes(snapshot: Snapshot, path: str) -> bytes:
    """Return a file's content, empty if there is none."""
    return (snapshot.read(path) if path in snapshot else None) or b""


def _words(snapshot: Snapshot, path: str) -> frozenset[str]:
    """Return the words in a file's code, without comments."""
    return frozenset(word.decode() for line in _lines(snapshot, path) for word in _WORD.findall(line))


def gone_names(before: Snapshot, after: Snapshot, paths: Iterable[str]) -> frozenset[str]:
    """Return the names that product files no longer define."""
    old, new = ({name for path in paths for name in defined_names(side, path)} for side in (before, after))
    return frozenset(old - new)


def touched_names(before: Snapshot, after: Snapshot, paths: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of changed product lines with the names around them, and those of them that are `about` it.

    A line that was only moved has not changed; comments don't count. A change is about the functions it changes lines
    in, those that call them, and what stands at the top of a file; about every word where functions are not read.
    """
    found: set[bytes] = set()
    called: set[bytes] = set()
    about: set[bytes] = set()
    files = [[list(_placed(_lines(side, path))) for side in (before, after)] for path in paths]
    for path, (old, new) in zip(paths, files, strict=True):
        top = {name.encode() for side in (before, after) for name in declared_names(side, path)}
        for line, names, function in (*_changed(old, new), *_changed(new, old)):
            words = {*_WORD.findall(line), *names}
            found |= words
            about |= words & top if owner(path) else words
            called.add(function)
    lines = (each for pair in files for side in pair for each in side if each[2] and called)
    called |= {function for line, _, function in lines if not called.isdisjoint(_WORD.findall(line))}
    touched, named = (frozenset(word.decode() for word in words) for words in (found | called, about | called))
    return touched - _COMMON, named - {""}


def caller_names(before: Snapshot, after: Snapshot, changed: Iterable[str]) -> frozenset[str]:
    """Return the names of product code that runs changed code, however much other code is in between."""
    callers = _Callers(after)
    for path in changed:
        old, new = (list(_owned(side, path)) for side in (before, after))
        touched = (*_changed(old, new), *_changed(new, old))
        callers.reached[module_name(path).encode()].update(owner for *_, owner in touched)
    paths = product_paths(after.paths)[:_MOST_CALLERS] if any(map(any, callers.reached.values())) else []
    for _ in range(_MOST_STEPS):
        if not [path for path in paths if callers.grow(path)]:
            break
    found = frozenset().union(*callers.reached.values())
    return frozenset(word.decode() for word in found if word) - _COMMON


@dataclass(slots=True)
class _Callers:
    """The names `reached` so far, by the word that imports their file: changed code, and what runs it."""

    after: Snapshot
    reached: defaultdict[bytes, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    _lines: dict[str, list[tuple[frozenset[bytes], bytes]]] = field(default_factory=dict)
    _imports: dict[str, frozenset[bytes]] = field(default_factory=dict)

    def grow(self, path: str) -> bool:
        """Add the names of a file that mention one of its own or of a file that it imports; False if there are none."""
        if path not in self._imports:
            imports = _IMPORTS.findall(self.after.read(path) or b"")
            self._imports[path] = frozenset(_WORD.findall(b" ".join(imports)))
        own = self.reached[module_name(path).encode()]
        names = own.union(*(self.reached[word] for word in self._imports[path] & self.reached.keys())) - {b""}
        if not names:
            return False
        if path not in self._lines:
            owned = _owned(self.after, path)
            self._lines[path] = [(frozenset(_WORD.findall(line)), owner) for line, _, owner in owned]
        mentioning = {owner for words, owner in self._lines[path] if not names.isdisjoint(words)}
        fresh = mentioning - own - {b""}
        own |= fresh
        return bool(fresh)


def _owned(snapshot: Snapshot, path: str) -> Iterator[Placed]:
    """Yield every line of a file with the name by which other code runs it in place of its innermost function.

    It is the innermost function or, at the top of a file or class, variable that the file defines, and the class of a
    method that nobody calls by name.
    """
    defined = {name.encode() for name in defined_names(snapshot, path)}
    for line, names, function in _placed(_lines(snapshot, path)):
        around = names[:-1] if _CALL.fullmatch(line) and line.startswith(names[-1:]) else names
        known = [name for name in around if name in defined and not name.startswith(b"__") and name != b"constructor"]
        taken = _TAKEN.match(line) if not known else None
        owners = _WORD.findall(taken[1]) if taken is not None else [function] if function in known else known[-1:]
        yield from ((line, names, owner) for owner in owners)


def module_name(path: str) -> str:
    """Return the word by which other files import a file: its stem, or its folder if the stem is generic."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in {"index", "__init__", "mod"} else stem


def imported_as(path: str) -> bytes:
    """Return the whole word by which other files import a file: `res.json` for `res.json.js`, which no `res` means."""
    name = path.rpartition("/")[2].removesuffix(".d.ts")
    stem = name.rpartition(".")[0] if path.endswith(SCRIPTS) else ""
    return (stem if "." in stem else module_name(path)).encode()


Placed = tuple[bytes, tuple[bytes, ...], bytes]


def _placed(lines: Iterable[bytes]) -> Iterator[Placed]:
    """Yield every line with the names of its enclosing blocks, outermost first, and its innermost function."""
    stack: list[tuple[int, bytes, bool]] = []
    for line in lines:
        text = line.lstrip()
        depth = len(line) - len(text)
        closes = text.startswith((b")", b"]", b"}"))  # the block opened there continues: `) -> None:`
        while stack and stack[-1][0] >= depth + closes:
            stack.pop()
        opened = _OPENS.match(text)
        name = (opened[1] or opened[2] or opened[3]) if opened is not None else b""
        if opened is not None and name not in _KEYWORDS:
            stack.append((depth, name, opened[0].endswith(b"(")))
        functions = [name for _, name, runs in stack if runs]
        yield text.rstrip(), tuple(name for _, name, _ in stack), functions[-1] if functions else b""


def _changed(lines: Iterable[Placed], others: Iterable[Placed]) -> Iterator[Placed]:
    """Yield every line that the other side doesn't have as often."""
    left = Counter(line for line, *_ in others)
    for one in lines:
        left[one[0]] -= 1
        if left[one[0]] < 0:
            yield one


def placed_lines(snapshot: Snapshot, path: str) -> Iterator[tuple[int, Placed]]:
    """Yield every line of code in a file with its number, its enclosing blocks and its innermost function."""
    numbered = list(_numbered(snapshot, path))
    placed = _placed(line for _, line in numbered)
    yield from ((number, one) for (number, _), one in zip(numbered, placed, strict=True))


def _numbered(snapshot: Snapshot, path: str) -> Iterator[tuple[int, bytes]]:
    lines = ((number, line) for number, line in enumerate(_bytes(snapshot, path).splitlines(), 1) if line.strip())
    yield from ((number, line) for number, line in lines if not line.lstrip().startswith(_COMMENT))


def _lines(snapshot: Snapshot, path: str) -> list[bytes]:
    return [line for _, line in _numbered(snapshot, path)]


def defined_names(snapshot: Snapshot, path: str) -> Iterator[str]:
    """Yield what a file defines: functions, classes, methods, and all that it assigns."""
    for found in _DEFINES.finditer(_bytes(snapshot, path)):
        yield (found[1] or found[2] or found[3]).decode("utf-8", "replace")


def declared_names(snapshot: Snapshot, path: str) -> Iterator[str]:
    """Yield the functions, classes and constants at the top of a file, but nothing inside them."""
    for found in _DEFINES.finditer(_bytes(snapshot, path)):
        name = found[1] or found[3]
        if name and not found[0][:1].isspace():
            yield name.decode("utf-8", "replace")


_PASSED: Final = 3  # modules that pass one another's names on


def other_module(snapshot: Snapshot, name: str, old: tuple[str, str], new: tuple[str, str]) -> str:
    """Return the path of the file that JavaScript takes a name from, if another file still has a name like that.

    `old` and `new` are importing files and what they import from. "" if the earlier file no longer mentions the name,
    or if one of both files passes on what the other one has.
    """
    from pactkeeper.repo.languages.javascript.claims.imports import resolve  # noqa: PLC0415 - most changes don't need it

    one, two = (resolve(*place, snapshot.read) for place in (old, new))
    if one is None or two is None or one[0] == two[0] or name.encode() not in one[1]:
        return ""
    return "" if _reaches(snapshot, one, two[0]) or _reaches(snapshot, two, one[0]) else two[0]


def _reaches(snapshot: Snapshot, start: tuple[str, bytes], wanted: str) -> bool:
    """Whether a file imports another one, perhaps through a few others."""
    from pactkeeper.repo.languages.javascript.claims.imports import resolve  # noqa: PLC0415 - likewise

    layer, seen = [start], {start[0]}
    for _ in range(_PASSED):
        named = [(path, source.decode("utf-8", "replace")) for path, text in layer for source in MODULE.findall(text)]
        found = [one for place in named if (one := resolve(*place, snapshot.read)) is not None and one[0] not in seen]
        layer = list(dict(found).items())
        seen |= dict(found).keys()
    return wanted in seen
