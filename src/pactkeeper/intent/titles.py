"""Titles that are built at run time: how a title in the source can appear in a report."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.tests import Test

# `${…}` in template strings, `%s` and the like in printf titles, `$name.key` and `$#` in tables of cases.
_TOKEN: Final = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}|%[psdifjoOc#$]|\$[A-Za-z_][\w.]*|\$#")
_LITERAL: Final = re.compile(r"""'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`""")
_EXPRESSION: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\.[\w$]+|\?\.|\[.*\]|\(.*\))*+")
_ANYTHING: Final = "${…}"
_OPENING, _CLOSING = "([{", ")]}"
_WORD: Final = re.compile(r"\w+(?=\W)")
SEPARATORS: Final = (" ", " > ", " › ", ".")


@dataclass(frozen=True, slots=True)
class Template:
    """A title with parts that vary by case; `pieces` are the texts around them, a single one if nothing varies."""

    pieces: tuple[str, ...]

    @property
    def telling(self) -> bool:
        """Whether any part of the title itself is fixed."""
        return any(character.isalnum() for piece in self.pieces for character in piece)

    @property
    def first_word(self) -> str:
        """The word that every such title starts with; empty if it varies."""
        found = _WORD.match(self.pieces[0])
        return found.group() if found else ""

    def fits(self, text: str) -> bool:
        """Whether a text can be one of the titles; takes time linear in the text."""
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
    """A test whose titles are built at run time: templates for its suites and name, separately and joined."""

    test: Test
    parts: tuple[Template, ...]
    labels: tuple[Template, ...]

    @property
    def telling(self) -> bool:
        """Whether each part that varies by case also has a fixed part."""
        return all(part.telling for part in self.parts)

    def fits(self, names: Sequence[str]) -> bool:
        """Whether suites and name, each separately, can be those of a case of this test."""
        return len(names) == len(self.parts) and all(
            part.fits(name) for part, name in zip(self.parts, names, strict=True)
        )


def made(test: Test) -> Made | None:
    """Return the templates of a test's titles; None if they are the titles in the source."""
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
    """Return the titles, its own and its suites', that are built when the test runs."""
    summed = {one for one in (*suites, test.name) if shown_in(one) != one}
    if not test.dynamic and test.cases == 1:
        return tuple(sorted(summed - {test.name}))
    made_up = {one for one in (*suites, test.name) if _TOKEN.search(one)} | (summed if test.dynamic else set())
    named = test.dynamic and not test.name.isidentifier() and _EXPRESSION.fullmatch(test.name)
    return tuple(sorted(made_up | ({test.name} if named else set())))


def _template(title: str) -> Template:
    return Template(tuple(_TOKEN.split(title)))


def shown_in(source: str) -> str:
    """Return a concatenated title, such as `'answers ' + code`, with `${…}` for what is only known at run time.

    A title that does not concatenate literal text is returned unchanged.
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
    """Split at plus signs outside brackets and literals."""
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
    """Return the first word of a text; empty if no other character ends it."""
    found = _WORD.match(text)
    return found.group() if found else ""


def squashed(text: str) -> str:
    """Normalise a title for comparison across formats: NFC, single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def labels(test: Test) -> tuple[str, ...]:
    """Return the ways in which formats join suites and name."""
    return joined((*test.suite, test.name))


def joined(parts: Sequence[str]) -> tuple[str, ...]:
    """Join suites and name with each separator."""
    return tuple(dict.fromkeys(squashed(sign.join(parts)) for sign in SEPARATORS))
