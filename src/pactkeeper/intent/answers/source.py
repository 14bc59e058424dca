"""What an answer may rest on: the text of its sources, taken apart into code, written values and imported names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pactkeeper.intent.wording.words import split_identifier
from pactkeeper.speech.words import stem

_DOCSTRING: Final = r"\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''"
_LITERAL: Final = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"
_TEXTS: Final = re.compile(f"{_DOCSTRING}|({_LITERAL})")
_COMMENT: Final = re.compile(r"(?:#|//).*$", re.MULTILINE)
_NAME: Final = re.compile(r"[^\W\d]\w*")
_WORD: Final = re.compile(r"[^\W\d_]+|\d+")
_IMPORTS: Final = (
    re.compile(r"^[^\S\n]*+from\s++([\w.]++)\s++import\s++(.+)$", re.MULTILINE),
    re.compile(r"^[^\S\n]*+import\s++([\w., \t\r]++)$", re.MULTILINE),
    re.compile(
        r"^[^\S\n]*+import\s++(?:type\s++)?([\w*${},\s]{1,2000}?)(?<=\S)\s++from\s++['\"]([^'\"]{1,500})['\"]",
        re.MULTILINE,
    ),
    re.compile(r"(?:const|let|var)\s([\w{},\s:]{1,2000}+)=\s*+(?:await\s++)?(?:require|import)\(\s*['\"]([^'\"]+)"),
)
_RAISING: Final = re.compile(r"\b(?:raises|assertRaises\w*|warns|toThrow\w*)\(\s*(?:\w+\.)*([A-Z]\w*)")
_NO_NAMES: Final = frozenset({"import", "from", "as", "type", "default", "const", "let", "var"})


@dataclass(frozen=True)
class Source:
    """The text that an answer may quote, and `test`, the part that is the test itself; the whole where it is empty."""

    text: str
    test: str = ""

    @cached_property
    def literals(self) -> str:
        """All values that are written out in the source, one a line."""
        return "\n".join(found[1][1:-1] for found in _TEXTS.finditer(self.text) if found[1])

    @cached_property
    def code(self) -> str:
        """The source without values, documentation and comments."""
        return _COMMENT.sub("", _TEXTS.sub("''", self.text))

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name in the code."""
        return frozenset(_NAME.findall(self.code))

    @cached_property
    def imported(self) -> frozenset[str]:
        """The names that the source imports, and the modules that they come from."""
        found = (part for pattern in _IMPORTS for hit in pattern.finditer(self.text) for part in hit.groups())
        return frozenset(name for part in found for name in _NAME.findall(part)) - _NO_NAMES

    @cached_property
    def raised(self) -> frozenset[str]:
        """The types of errors and warnings that the source says are raised, whatever they are called."""
        return frozenset(_RAISING.findall(self.code))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all words of the test, those within names included."""
        return stems_of(self.test or self.text)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Every number that is written in the source."""
        return frozenset(re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d)[_,](?=\d)", "", self.text)))


def stems_of(text: str) -> frozenset[str]:
    """The stems of all words of a text, names taken apart."""
    parts = (part for name in _NAME.findall(text) for part in split_identifier(name))
    return frozenset(stem(word.lower()) for part in parts for word in _WORD.findall(part))
