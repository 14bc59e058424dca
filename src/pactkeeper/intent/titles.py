"""Titles that are made at run time: what a title in the source can read like in a report."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.tests import Test

# `${…}` of template strings, `%s` and its like of printf titles, `$name.key` and `$#` of tables of cases.
_TOKEN: Final = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}|%[psdifjoOc#$]|\$[A-Za-z_][\w.]*|\$#")
_LITERAL: Final = re.compile(r"""'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`""")
_EXPRESSION: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\.[\w$]+|\?\.|\[.*\]|\(.*\))*+")
_ANYTHING: Final = "${…}"
_OPENING, _CLOSING = "([{", ")]}"
_WORD: Final = re.compile(r"\w+(?=\W)")
SEPARATORS: Final = (" ", " > ", " › ", ".")


@dataclass(frozen=True, slots=True)
class Template:
    """A title with places that differ from case to case; `pieces` are the texts around them, one if there is none."""

    pieces: tuple[str, ...]

    @property
    def telling(self) -> bool:
        """Whether anything of the title itself stays the same."""
        return any(character.isalnum() for piece in self.pieces for character in piece)

    @property
    def first_word(self) -> str:
        """The word that every such title begins with; empty where that differs."""
        found = _WORD.match(self.pieces[0])
        return found.group() if found else ""

    def fits(self, text: str) -> bool:
        """Whether a text can be one of the titles; takes time in proportion to the text."""
        first, last = self.pieces[0], self.pieces[-1]
        if len(self.pieces) == 1:
            return text == first
        if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
            return False
        place, end = len(first), len(text) - len(last)
        for piece in self.pieces[1:-1]:
            place = text.find(piece, place, end)
            if place < 0:
                return False
            place += len(piece)
        return True


@dataclass(frozen=True, slots=True)
class Made:
    """A test whose titles are made at run time: what its suites and name, and they run together, can read like."""

    test: Test
    parts: tuple[Template, ...]
    labels: tuple[Template, ...]

    @property
    def telling(self) -> bool:
        """Whether each part that differs from case to case also has something that stays the same."""
        return all(part.telling for part in self.parts)

    def fits(self, names: Sequence[str]) -> bool:
        """Whether suites and name, each by itself, can be those of a case of this test."""
        return len(names) == len(self.parts) and all(
            part.fits(name) for part, name in zip(self.parts, names, strict=True)
        )


def made(test: Test) -> Made | None:
    """What the titles of a test can read like; None where they are those in the source."""
    if not test.dynamic and test.cases == 1:
        return None
    parts = [shown_in(part) if test.dynamic else part for part in (*test.suite, test.name)]
    if test.dynamic and _EXPRESSION.fullmatch(parts[-1]) and not _TOKEN.search(parts[-1]):
        parts[-1] = _ANYTHING
    return Made(
        test,
        tuple(_template(squashed(part)) for part in parts),
        tuple(_template(label) for label in joined(parts)),
    )


def computed(test: Test, suites: Sequence[str]) -> tuple[str, ...]:
    """Those titles, its own and its suites', that are put together when the test runs."""
    summed = {one for one in (*suites, test.name) if shown_in(one) != one}
    if not test.dynamic and test.cases == 1:
        return tuple(sorted(summed - {test.name}))
    made_up = {one for one in (*suites, test.name) if _TOKEN.search(one)} | (summed if test.dynamic else set())
    named = test.dynamic and not test.name.isidentifier() and _EXPRESSION.fullmatch(test.name)
    return tuple(sorted(made_up | ({test.name} if named else set())))


def _template(title: str) -> Template:
    return Template(tuple(_TOKEN.split(title)))


def shown_in(source: str) -> str:
    """A title that is put together, such as `'answers ' + code`, with `${…}` for what only running it tells.

    A title in which no literal text is joined with anything comes back as it is.
    """
    parts = _summands(source)
    literals = [_LITERAL.fullmatch(part) for part in parts]
    if len(parts) < 2 or not any(literals):  # noqa: PLR2004 - a sum has two parts or more
        return source
    return "".join(_text(one) if one is not None else _ANYTHING for one in literals)


def _text(literal: re.Match[str]) -> str:
    found = next(group for group in literal.groups() if group is not None)
    return re.sub(r"\\(.)", r"\1", found)


def _summands(source: str) -> list[str]:
    """What stands between the plus signs that are in no brackets and no literal."""
    parts, depth, start, place = [], 0, 0, 0
    while place < len(source):
        literal = _LITERAL.match(source, place)
        if literal is not None:
            place = literal.end()
            continue
        sign = source[place]
        depth += (sign in _OPENING) - (sign in _CLOSING)
        if sign == "+" and depth == 0:
            parts.append(source[start:place].strip())
            start = place + 1
        place += 1
    return [*parts, source[start:].strip()]


def first_word(text: str) -> str:
    """The word that a text begins with; empty where no other character ends it."""
    found = _WORD.match(text)
    return found.group() if found else ""


def squashed(text: str) -> str:
    """A title as it can be compared across formats: NFC, single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def labels(test: Test) -> tuple[str, ...]:
    """The ways in which formats run suites and name together."""
    return joined((*test.suite, test.name))


def joined(parts: Sequence[str]) -> tuple[str, ...]:
    """Suites and name run together in each of the ways."""
    return tuple(dict.fromkeys(squashed(sign.join(parts)) for sign in SEPARATORS))
