"""Signs in a finished sentence that it was misread: grammar no person writes, leftover code, words that say nothing."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|“[^”]*”")
_FLAWS = re.compile(
    r"""
      \b(?:[Aa]n?|[Tt]he)\ (?:an?|the)\b                       # two articles
    | \b([^\W\d_]\w+)\ \1\b                                    # a word twice
    | \b(?:is|are|does|do)\ (?:is|are|does|do|was|were|has)\b
    | \bto\ (?:is|are|does)\b
    | \b(?:[Aa]n?|[Tt]he)\ [b-z](?:$|[\ ,]|\.$)                 # one letter as a thing
    | \b(?:each|every|an?|[Tt]he)\ (?:is|are|not|and|or|no|of)\b
    | \b(?:with|without|for|of|from|by|the|an?|and|or)[.:,]?$
    | \bwhen\ (?:quoted|\d+|None)\ is\ (?:not\ )?(?:None|quoted|\d|truthy|falsy)  # a condition on a constant
    | %[sdifjpo]\b | \$\{ | =>
    | \b[Tt]he\ (?:result|return\ value|value|test\ case)\ (?:is|equals)\ (?:the\ )?(?:result|value|test\ case)(?:$|[.])
    """,
    re.VERBOSE,
)
_CHAIN = re.compile(r"(?:\bof\b.*){4}")
_RESULTS = re.compile(r"(?:\bresult of\b.*){2}")


def is_flawed(text: str) -> bool:
    """Whether a sentence shows that something in it was misread; what stands in quotes is not judged."""
    bare = _QUOTED.sub("quoted", text) if "'" in text or '"' in text or "“" in text else text
    return _FLAWS.search(bare) is not None


def is_opaque(text: str) -> bool:
    """Whether a sentence is true but names its things by a chain of calls that no reader untangles."""
    bare = _QUOTED.sub("quoted", text)
    return _CHAIN.search(bare) is not None or _RESULTS.search(bare) is not None
