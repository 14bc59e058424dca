"""Outcomes that are true of anything: they name no value that could be held against what happened."""

from __future__ import annotations

import re

from pactkeeper.intent.reading.tokens import masked

_OPAQUE = re.compile(
    r"""\b(?:
      (?:equals?|returns?|is|are|has|have|matches|match|contains?|yields?|gives?)\s+
      (?:an?\s+|the\s+)?(?:expected|correct|right|proper|appropriate|desired|intended|given|actual)\s+
      (?:value|values|result|results|output|outcome|thing|behaviou?r|answer|response|data)\b
    | (?<!\ba\ )(?<!\bthe\ )(?<!\b(?:its|our|his|her|any)\ )(?<!\b(?:your|more|that|this)\ )(?<!\btheir\ )
      (?:works?|working|behaves?|functions?|performs?|operates?)
      (?:\s+(?:again|fine|well|ok|correctly|properly))?\s*[.]?$
    | is\s+(?:done|ok|okay|fine|handled|supported|covered|fulfilled|satisfied|achieved|successful|a\s+success)\s*[.]?$
    | (?:no\s+problems?|no\s+issues?|nothing\s+bad)\b
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def opaque_words(text: str) -> str:
    """The words that name no value: `returns the expected value`, `it works`; those in quotations are not judged."""
    found = _OPAQUE.search(masked(text))
    return text[found.start() : found.end()].strip(" .") if found else ""
