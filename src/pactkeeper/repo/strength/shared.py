"""What a change did to code that tests share and that no assertion shows: fakes, predicates, matchers, waiting helpers.

Only lines that refuse, return or decide something count, and those that say which turns a loop takes that fills a
table. A line that stands anywhere else among the changed tests has moved, and a definition that is gone as a whole is
seen in the tests that used it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise, takewhile
from typing import Final

from pactkeeper.intent.strength.change import Change
from pactkeeper.intent.strength.matching import Spelling
from pactkeeper.intent.tests import Test
from pactkeeper.repo.snapshot import Snapshot
from pactkeeper.repo.strength.product import Placed, placed_lines

_DECIDES: Final = re.compile(
    r"\b(?:raise|throws?|assert\w*|expect|return|yield|if|elif|else|while|until|case|except|catch|freeze|copy|deepcopy"
    r"|clone|structuredClone|fail)\b|=>"
)
_OPENS: Final = re.compile(
    r"(?:^|\s)(?:def|class|function)\b|^(?!\}?\s{0,4}(?:if|elif|else|while|case|catch|except)\b).*[{(\[]\Z"
)
# A line of a fixture or factory that gives an object.
_BUILDS: Final = re.compile(r"(?:return|yield)\s+(?:new\s+)?(?:\w+\.)?[A-Z]\w*\(")
_FIXTURE: Final = re.compile(r"@(?:\w+\.)?fixture\b")
_RAISES: Final = re.compile(r"(?:raise|throw)\b")
_SAYS: Final = re.compile(r"^(?:raise|throw|assert|expect)\b")
_MESSAGE: Final = re.compile(r"(?<=assert\.ok\()([^,]{1,200}),.*|f?\"[^\"]*+\"|f?'[^']*+'|`[^`]*+`")
_WORD: Final = re.compile(r"[\w$]+|[<>]=?|[!=]==?|\|\||&&|!")
_EXPECTED: Final = re.compile(rf"\"[^\"]*+\"|'[^']*+'|`[^`]*+`|{_WORD.pattern}")
_QUOTE: Final = re.compile(r"^[\"`]|[\"`]$")
_CODE: Final = re.compile(r"(?:\"[^\"]*+\"|'[^']*+'|`[^`]*+`|(?!(?<!\S)(?:#|//)\s).)*+")  # up to a comment
_PLAIN: Final = frozenset(
    {"self", "this", "cls", "async", "await", "const", "let", "var", "return", "String", "new", "export", "readonly"}
)
_LOGIC: Final = frozenset({"or", "and", "not", "||", "&&", "!", "if", "try"})
_LOOP: Final = re.compile(rb"([ \t]*+)(?:async[ \t]++)?(?:for|while)\b")
_FILLS: Final = re.compile(
    rb"(?<![\w$])([A-Za-z_$][\w$]*+)(?:\.(?:push|unshift|add|set|append|extend)\(|\[[^\]\n]{1,80}\][ \t]*+=[^=])"
)
_BROKEN: Final = re.compile(rb"(?:\}[ \t]{0,4})?(?:else[ \t]{1,4})?(?:if|elif|while)\b|return \(\Z")
_TURNS: Final = re.compile(r"(?:\}\s{0,4})?(?:async\s{1,4})?(?:for|while|if|elif|else|continue|break)\b")
_TYPED: Final = re.compile(r"(?<=\w)<[\w$ |,.\[\]<>]{1,80}>(?=\()")  # the types that a call is given
_ASSIGNED: Final = re.compile(r"(?:(?:const|let|var)\s)?([\w$]++)(?:: [^=]{1,80})? = (.{8,})")
_SUITES: Final = frozenset({b"describe", b"suite", b"context"})
_NUMBER: Final = re.compile(r"0x[0-9a-fA-F]{1,15}|[1-9]\d{0,15}|0")
_LITERAL: Final = frozenset("{[(")  # what a row begins with
_TALLEST: Final = 20  # lines that a broken condition takes
_NEAR: Final = 2  # a line of brackets alone may have stood there before
_MOST: Final = 200  # later lines with a word in common that are compared with an earlier one
_BOUND: Final = " \t,;"


@dataclass(frozen=True)
class _Line:
    """A line of a definition: its file, number, the definitions around it, and its words."""

    path: str
    number: int
    names: tuple[bytes, ...]
    text: str
    turns: bool = False

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words and comparisons, without its comment; most lines stand on the other side as they are."""
        return _words(self.text)

    @property
    def decides(self) -> bool:
        """Whether it refuses, returns or decides something, rather than opening a definition or building an object.

        `turns` means that it says which turns a loop takes that fills a table.
        """
        if self.turns:
            return True
        plain = _OPENS.search(self.text) is not None or _BUILDS.match(self.text) is not None
        return bool(self.names) and not plain and _DECIDES.search(self.text) is not None


def shared_changes(
    before: tuple[Snapshot, Mapping[str, Collection[Test]]],
    after: tuple[Snapshot, Mapping[str, Collection[Test]]],
    paths: Collection[str],
    spelling: Spelling,
) -> Iterator[Change]:
    """Yield one warning for each definition outside of tests that lost a line which decides something.

    `paths` are the changed files of tests and beside them; each side has its snapshot and its tests by file.
    """
    olds, news = (list(_lines(*side, sorted(paths))) for side in (before, after))
    given = {(one.path, one.names[-1:]) for mark, one in pairwise(olds) if _FIXTURE.match(mark.text)}
    still = {(one.path, one.names) for one in news}
    alike = Counter(map(_as_it_stands, olds)) & Counter(map(_as_it_stands, news))
    before_alone, after_alone = ([*_without(side, Counter(alike))] for side in (olds, news))
    lost = [one for one in _rest(before_alone, after_alone) if one.decides and not _is_given(one, given)]
    if any((one.path, one.names) not in still for one in lost):
        standing = {(one.names, one.words) for one in news}
        lost = [one for one in lost if (one.path, one.names) in still or (one.names, one.words) not in standing]
    came = [one for one in _rest(after_alone, before_alone) if one.names]
    defined = {name for one in news for name in one.names}
    instead = _Instead.of(came, spelling, _renamed(before_alone, after_alone))
    yield from _unguarded(olds, news)
    told: set[tuple[str, bytes]] = set()
    for one in lost:
        place = one.path, one.names[-1]
        if place in told or one.names[-1] not in defined or instead.says_as_much(one):
            continue
        told.add(place)
        there = [other for other in came if other.names[-1] == one.names[-1]]
        near = [other for other in there if other.path == one.path]
        own = [other for other in near if other.names == one.names]
        new = _nearest(one, own) or _nearest(one, near) or _nearest(one, there)
        name = b".".join(one.names).decode("utf-8", "replace")
        message = "tests share this code, and what it decides has changed"
        path, line, text = (new.path, new.number, new.text) if new is not None else (one.path, 0, "")
        yield Change("changed", f"{path}::{name}", message, one.text, text, line, "warning")


def _renamed(olds: Iterable[_Line], news: Iterable[_Line]) -> Mapping[str, str]:
    """Return the names of variables that went, each with the one that holds the same value now."""
    was, now = (
        {found[2]: found[1] for one in side if (found := _ASSIGNED.fullmatch(one.text))} for side in (olds, news)
    )
    return {name: now[value] for value, name in was.items() if value in now}


def _nearest(one: _Line, others: Iterable[_Line]) -> _Line | None:
    """Return the line that has most words of another one; None if none has any."""
    words = set(one.words)
    best = max(others, key=lambda other: len(words.intersection(other.words)), default=None)
    return best if best is not None and not words.isdisjoint(best.words) else None


def _is_given(one: _Line, fixtures: Collection[tuple[str, tuple[bytes, ...]]]) -> bool:
    """Whether it only says what a fixture gives, which is seen in the tests that take it."""
    return (one.path, one.names[:1]) in fixtures and _SAYS.match(one.text) is None


def _unguarded(olds: Sequence[_Line], news: Sequence[_Line]) -> Iterator[Change]:
    """Yield each fixture that every test got, and now only those that ask for it."""
    guarded = [pair for pair in pairwise(olds) if "autouse=True" in pair[0].text]
    if not guarded:
        return
    now = {(one.path, one.words) for one in news}
    guarding = {(one.path, one.words) for mark, one in pairwise(news) if "autouse=True" in mark.text}
    for mark, function in guarded:
        if (function.path, function.words) in now - guarding:
            name = function.names[-1].decode("utf-8", "replace") if function.names else ""
            message = "only tests that ask for it get it now"
            yield Change("changed", f"{mark.path}::{name}", message, mark.text, "", 0, "warning")


def _lines(snapshot: Snapshot, tests: Mapping[str, Collection[Test]], paths: Iterable[str]) -> Iterator[_Line]:
    """Yield the lines of files; those inside tests belong to no definition, since they are compared as assertions."""
    for path in paths:
        if path not in snapshot:
            continue
        spans = (range(test.line, test.end_line + 1) for test in tests.get(path, ()))
        inside = frozenset(number for span in spans for number in span)
        filling = _filling((snapshot.read(path) or b"").splitlines(), inside)
        lines = placed_lines(snapshot, path)
        for number, (text, names, _) in lines:
            whole = _whole(text, lines) if text.endswith(b"(") and _BROKEN.match(text) else text
            plain = whole.decode("utf-8", "replace").strip(_BOUND)
            own = () if number in inside else names
            filled = filling.get(number, b"") if _SUITES.issuperset(own) else b""
            turns = filled != b"" and _TURNS.match(plain) is not None
            yield _Line(path, number, (*own, filled) if turns else own, plain, turns)


def _whole(text: bytes, after: Iterator[tuple[int, Placed]]) -> bytes:
    """Return a condition that a formatter broke into lines as one, taking the others from those `after` its first."""
    for _, (more, *_) in islice(after, _TALLEST):
        text += more if text.endswith(b"(") or more.startswith(b")") else b" " + more
        if text.count(b"(") <= text.count(b")"):
            break
    return text


def _filling(lines: Sequence[bytes], inside: frozenset[int]) -> Mapping[int, bytes]:
    """Return the table that each line of a loop fills, by number, unless the loop declares tests."""
    found: dict[int, bytes] = {}
    for at, line in enumerate(lines):
        loop = _LOOP.match(line)
        if loop is None or at + 1 in found or at + 1 in inside:
            continue
        deeper = (len(one) - len(one.lstrip()) > len(loop[1]) or not one.strip() for one in lines[at + 1 :])
        end = at + 1 + sum(1 for _ in takewhile(bool, deeper))
        table = _FILLS.search(b"\n".join(lines[at:end]))
        if table is not None and inside.isdisjoint(range(at + 1, end + 1)):
            found.update(dict.fromkeys(range(at + 1, end + 1), table[1]))
    return found


def _words(text: str) -> tuple[str, ...]:
    """Return the words and comparisons of a line, without its comment.

    What an error says is no part of what it refuses. A text that is expected of anything else is one word.
    """
    stated = _CODE.match(text)
    code = stated[0] if stated is not None else ""
    if code.startswith("expect") and "hrow" not in code:
        return tuple(_QUOTE.sub("'", word) for word in _EXPECTED.findall(code) if word not in _PLAIN)
    code = _TYPED.sub("", code)
    code = _MESSAGE.sub(r"\1", code) if _SAYS.match(code) else code
    return tuple(word for word in _WORD.findall(code) if word not in _PLAIN)


def _rest(lines: Sequence[_Line], others: Sequence[_Line]) -> Iterator[_Line]:
    """Yield the lines that the other side doesn't have as often, each held first against its own definition there."""
    there = Counter((one.path, one.names, one.words) for one in others)
    here = Counter((one.path, one.names, one.words) for one in lines)
    same = here & there
    left = Counter(one.words for one in others)
    left.subtract(one[2] for one in same.elements())
    for one in lines:
        place = one.path, one.names, one.words
        if same[place] > 0:
            same[place] -= 1
            continue
        left[one.words] -= 1
        if left[one.words] < 0:
            yield one


def _as_it_stands(line: _Line) -> tuple[str, tuple[bytes, ...], str]:
    return line.path, line.names, line.text


def _without(lines: Iterable[_Line], alike: Counter[tuple[str, tuple[bytes, ...], str]]) -> Iterator[_Line]:
    """Leave out as many lines as are `alike` on both sides; their words need not be read."""
    for line in lines:
        place = _as_it_stands(line)
        alike[place] -= 1
        if alike[place] < 0:
            yield line


@dataclass(frozen=True, slots=True)
class _Instead:
    """The later lines, by each of their words, and the definitions that still refuse something in another way.

    `broken` are the words of lines that follow one another, together, by file: one line may have become several.
    `renamed` maps variables to their later names. `standing` are the later lines by their place, and `defined` the
    words of each definition among them.
    """

    by_word: Mapping[str, Sequence[_Line]]
    broken: Mapping[str, Sequence[Counter[str]]]
    refusing: Collection[tuple[bytes, ...]]
    spelling: Spelling
    renamed: Mapping[str, str]
    standing: Mapping[tuple[str, tuple[bytes, ...]], Sequence[_Line]]
    defined: Mapping[str, Counter[str]]

    @classmethod
    def of(cls, came: Iterable[_Line], spelling: Spelling, renamed: Mapping[str, str]) -> _Instead:
        """Sort later lines by their words."""
        by_word: defaultdict[str, list[_Line]] = defaultdict(list)
        broken: defaultdict[str, list[Counter[str]]] = defaultdict(list)
        refusing: set[tuple[bytes, ...]] = set()
        standing: defaultdict[tuple[str, tuple[bytes, ...]], list[_Line]] = defaultdict(list)
        defined: defaultdict[str, Counter[str]] = defaultdict(Counter)
        last = ("", 0)
        for one in came:
            if last[0] != one.path or not last[1] < one.number <= last[1] + _NEAR:
                broken[one.path].append(Counter())
            broken[one.path][-1].update(one.words)
            last = one.path, one.number
            standing[one.path, one.names].append(one)
            defined[one.names[-1].decode("utf-8", "replace")].update(one.words)
            for word in set(one.words):
                by_word[word].append(one)
            if _SAYS.match(one.text):
                refusing.add(one.names)
        return cls(by_word, broken, refusing, spelling, renamed, standing, defined)

    def says_as_much(self, one: _Line) -> bool:
        """Whether a later line has every word of an earlier one but those that are gone, and no more conditions."""
        if one.names in self.refusing and _RAISES.match(one.text):
            return True  # it still refuses, with another error
        words = Counter(self.renamed.get(word, word) for word in one.words)
        kept = Counter({word: times for word, times in words.items() if word not in self.spelling.gone})
        if not kept:
            return True  # nothing is left of it to look for
        near = min((self.by_word.get(word, ()) for word in kept), key=len)
        together = self.broken.get(one.path, ()) if one.text[:1] in _LITERAL else ()
        near_ones = chain(_counted(near), islice(together, _MOST), self._with_helpers(one))
        if any(kept <= now and all(now[sign] <= words[sign] for sign in _LOGIC) for now in near_ones):
            return True
        return one.turns and any(_goes_further(one, other) for other in self.by_word.get(one.words[0], ()))

    def _with_helpers(self, one: _Line) -> Iterator[Counter[str]]:
        """Yield the words of each later line of the same definition, together with those of a helper that it names."""
        for line in self.standing.get((one.path, one.names), ()):
            yield from (Counter(line.words) + self.defined[word] for word in {*line.words} & self.defined.keys())


def _goes_further(one: _Line, other: _Line) -> bool:
    """Whether a loop counts upwards to a higher bound than before, and is otherwise the same."""
    places = [at for at, (old, new) in enumerate(zip(one.words, other.words, strict=False)) if old != new]
    at = places[0] if len(places) == 1 and len(one.words) == len(other.words) else 0
    old, new = one.words[at], other.words[at]
    numbers = _NUMBER.fullmatch(old) is not None and _NUMBER.fullmatch(new) is not None
    return numbers and one.words[at - 1] in {"<", "<="} and int(new, 0) >= int(old, 0)


def _counted(lines: Iterable[_Line]) -> Iterator[Counter[str]]:
    return (Counter(one.words) for one in islice(lines, _MOST))
