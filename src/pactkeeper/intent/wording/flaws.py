"""Signs in a finished sentence that it was misread: grammar no person writes, leftover code, words that say nothing."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|“[^”]*”")
_FLAWS = re.compile(
    r"""\b(?:
      (?:[Aa]n?|[Tt]he)\ (?:an?\b|the\b|[b-z](?:$|[\ ,]|\.$))     # two articles; one letter as a thing
    | (?:is|are|does|do)\ (?:is|are|does|do|was|were|has)\b
    | to\ (?:is|are|does)\b
    | (?:each|every|an?|[Tt]he)\ (?:is|are|not|and|or|no|of)\b
    | (?:with|without|for|of|from|by|the|an?|and|or)[.:,]?$
    | when\ (?:quoted|\d+|None)\ is\ (?:not\ )?(?:None|quoted|\d|truthy|falsy)   # a condition on a constant
    | [Tt]he\ (?:result|return\ value|value|test\ case)\ (?:is|equals)\ (?:the\ )?(?:result|value|test\ case)(?:$|[.])
    | ([^\W\d_]\w+)\ \1\b                                         # a word twice
    )""",
    re.VERBOSE,
)
_HOLE = re.compile(r"%[sdifjpo]\b|\$\{|=>")
_CHAIN = re.compile(r"(?:\bof\b.*){4}")
_RESULTS = re.compile(r"(?:\bresult of\b.*){2}")


def is_flawed(text: str) -> bool:
    """Whether a sentence shows that something in it was misread; what stands in quotes is not judged."""
    bare = _QUOTED.sub("quoted", text) if "'" in text or '"' in text or "“" in text else text
    holes = ("%" in bare or "$" in bare or "=>" in bare) and _HOLE.search(bare) is not None
    return holes or _FLAWS.search(bare) is not None


def is_opaque(text: str) -> bool:
    """Whether a sentence is true but names its things by a chain of calls that no reader untangles."""
    bare = _QUOTED.sub("quoted", text)
    return _CHAIN.search(bare) is not None or _RESULTS.search(bare) is not None
