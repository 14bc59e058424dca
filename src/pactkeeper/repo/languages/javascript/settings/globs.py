"""Glob patterns as the JavaScript tools read them (`**`, braces, `@(…)`, `?(…)`, `!(…)`), as regular expressions."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

_EXTENDED: Final = {"?": "?", "*": "*", "+": "+", "@": ""}
_UNTIL: Final = {"(": "|", "{": ","}


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern for whole paths relative to the pattern's folder."""
    try:
        return re.compile(translate(pattern.removeprefix("./")) + r"\Z", re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern) + r"\Z")


def is_pattern(text: str) -> bool:
    """Whether a path has wildcards at all."""
    return bool(re.search(r"[*?{\[]|[@+!]\(", text))


@lru_cache(maxsize=1_000)
def translate(pattern: str) -> str:
    """Translate a pattern; alternatives nest, so a stack remembers what closes what."""
    out: list[str] = []
    closing: list[tuple[str, str]] = []
    position = 0
    while position < len(pattern):
        character = pattern[position]
        rest = pattern[position:]
        if rest.startswith("**/"):
            out.append("(?:.*/)?")
            position += 3
            continue
        if rest.startswith("/**") and len(rest) == 3:  # noqa: PLR2004 - `/**` at the end of the pattern
            out.append("(?:/.*)?")
            break
        if rest.startswith("**"):
            out.append(".*")
            position += 2
            continue
        if character in "?*+@!" and pattern[position + 1 : position + 2] == "(":
            closing.append(("(", ")[^/]*" if character == "!" else ")" + _EXTENDED[character]))
            out.append("(?!(?:" if character == "!" else "(?:")
            if character == "!":
                closing[-1] = ("(", "))[^/]*")
            position += 2
            continue
        position += _simple(pattern, position, out, closing)
    return "".join(out)


def _simple(pattern: str, position: int, out: list[str], closing: list[tuple[str, str]]) -> int:
    """Translate what stands at a position; gives its length."""
    character = pattern[position]
    if character == "[":
        end = pattern.find("]", position + 2)
        if end > 0:
            inside = pattern[position + 1 : end].replace("\\", r"\\")
            out.append(f"[^{inside[1:]}]" if inside[0] in "!^" else f"[{inside}]")
            return end + 1 - position
    if character == "{" and "}" in pattern[position:]:
        closing.append(("{", ")"))
        out.append("(?:")
    elif character == "(":
        closing.append(("(", ")"))
        out.append("(?:")
    elif closing and character == (")" if closing[-1][0] == "(" else "}"):
        out.append(closing.pop()[1])
    elif closing and character == _UNTIL[closing[-1][0]]:
        out.append("|")
    elif character == "\\" and position + 1 < len(pattern):
        out.append(re.escape(pattern[position + 1]))
        return 2
    else:
        out.append({"*": "[^/]*", "?": "[^/]"}.get(character) or re.escape(character))
    return 1
