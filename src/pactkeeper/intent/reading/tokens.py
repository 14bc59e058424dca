"""A sentence as tokens: words apart from quotations, names of things in code, numbers and marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pactkeeper.intent.wording.tables import table
from pactkeeper.intent.wording.words import capitalised

Kind = Literal["word", "name", "quoted", "number", "mark"]


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or mark at `start` of its text; `quoted` is a literal value, `name` an identifier or a path.

    `lower` is the form in which tables have it.
    """

    text: str
    start: int
    end: int
    kind: Kind
    lower: str


_TOKEN = re.compile(
    r"""
    (?P<quoted>
        \bhttps?://[^\s,;]*[^\s,;.!?)]
      | `[^`\n]+` | "[^"\n]*" | “[^”\n]*” | „[^“”\n]*[“”] | «[^»\n]*»
      | (?<![\w])'(?:[^'\n]|'(?=\w))*'(?!\w) | (?<!\w)‘[^’\n]*’
      | \b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)[ ]/[\w./{}:?=&%-]*
    )
  | (?P<name>
        (?<![\w-])--?[A-Za-z][\w-]*(?:=\S+)?           # an option: --json, -O0
      | [#@$][A-Za-z]\w*                               # a channel, a handle, a variable
      | <[A-Za-z][\w -]*>
      | (?:\.{0,2}/)?[\w.-]+(?:/[\w.*-]+)+/?(?<!\.)    # a path
      | [A-Za-z_][\w]*(?:(?:\.|::)[A-Za-z_]\w*)+(?:\([^()\s]*\))?
      | [A-Za-z]\w*\([^()\s]*\)
      | \.[A-Za-z]\w+(?:\([^()\s]*\))?
      | \w*[A-Za-z]_\w+ | __?\w+
      | [a-z]+[A-Z]\w* | (?:[A-Z][a-z0-9]+){2,}[A-Z]? | [A-Z][a-z]+[A-Z]{2,}
      | [A-Z]+-?\d[\w-]*                               # E0042, IA-7F3, AES-256
    )
  | (?P<number>\d+(?:[.,:]\d+)*(?:st|nd|rd|th)?(?!\w))
  | (?P<word>[^\W\d_]+(?:['’-][^\W_]+)*['’]?|\d+[^\W\d_]+(?:-[^\W\d_]+)*)
  | (?P<mark>\.\.\.|\S)
    """,
    re.VERBOSE,
)
# A slash in prose separates words: these stay two words and are no path.
_PROSE_SLASH = re.compile(r"[A-Za-z]+/[A-Za-z]+")
_ABBREVIATIONS = table("e.g i.e etc approx vs no fig incl excl max min")
_TRAILING = "'’"


@lru_cache(maxsize=8192)
def tokens(text: str) -> tuple[Token, ...]:
    """All tokens of a text in order; nothing but white space lies between them."""
    found: list[Token] = []
    at = 0
    while (hit := _TOKEN.search(text, at)) is not None:
        kind: Kind = hit.lastgroup  # type: ignore[assignment]  # the groups are named like the kinds
        end = hit.end()
        if kind == "name" and _PROSE_SLASH.fullmatch(hit.group()):
            kind, end = "word", text.index("/", hit.start())
        if kind == "word" and hit.group().endswith(tuple(_TRAILING)) and not hit.group()[:-1].endswith("s"):
            end -= 1  # the mark closes something; only a plural owner keeps it: "the users' data"
        said = text[hit.start() : end]
        found.append(Token(said, hit.start(), end, kind, said.lower().replace("’", "'")))
        at = end
    return tuple(found)


def sentences(text: str) -> tuple[tuple[Token, ...], ...]:
    """The tokens of each sentence; a full stop inside a number, a name or an abbreviation ends none."""
    found: list[tuple[Token, ...]] = []
    current: list[Token] = []
    for token in tokens(text):
        current.append(token)
        if _ends(token, current, text):
            found.append(tuple(current))
            current = []
    if current:
        found.append(tuple(current))
    return tuple(one for one in found if any(token.kind != "mark" for token in one))


def _ends(token: Token, current: Sequence[Token], text: str) -> bool:
    if token.text not in {".", "!", "?"}:
        return False
    before = current[-2].lower if len(current) > 1 else ""
    after = text[token.end :]
    if after and not after[0].isspace():
        return False
    if before in _ABBREVIATIONS or (len(before) == 1 and before.isalpha() and token.text == "."):
        return not after.strip()
    return not after.strip() or not after.lstrip()[0].islower()


def stopped(text: str) -> str:
    """The text as a sentence: capitalised unless it begins with a name from code, with a full stop."""
    bare = capitalised(text.strip())
    return bare if not bare or bare.endswith((".", "!", "?")) else f"{bare}."


def masked(text: str) -> str:
    """The text with everything quoted or taken from code turned into `x`, letter by letter."""
    found = text
    for token in tokens(text):
        if token.kind in {"quoted", "name"}:
            found = found[: token.start] + "x" * (token.end - token.start) + found[token.end :]
    return found
