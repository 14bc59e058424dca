"""The first sentence of a docstring that states behaviour, as it was written, without markup."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pactkeeper.intent.wording.stating import Form, form_of

MOST = 400
"""A longer sentence is an explanation."""
_EPYTEXT = re.compile(r"\b[LCIBMUXES]\{([^{}<]*)(?:<[^{}<>]*>)?\}")
_ROLE = re.compile(r"(?<!\w)(?::[\w.+-]+)+:`~?!?([^`<]*)(?:\s*<[^`<>]*>)?`_{0,2}")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)|`([^`<]*)\s<[^`<>]*>`_{1,2}")
_CODE = re.compile(r"(`{1,2})([^`]+)\1_{0,2}|\|([^|\s]+)\|")
_EMPHASIS = re.compile(r"(?<![\w*])\*{1,2}([^\s*](?:[^*\n]*[^\s*])?)\*{1,2}(?![\w*])")
_LEAD = re.compile(
    r"(?:(?:this\s+)?(?:tests?|checks?|test\s+case|ensures?|verif(?:y|ies)|asserts?|confirms?|validates?)"
    r"|make\s+sure|makes\s+sure|(?:this\s+)?test\s+(?:checks|ensures|verifies|asserts|confirms))\s+(?:that|if|whether)\s+",
    re.IGNORECASE,
)
"""What a docstring says before its statement; the statement behind it is taken as it stands."""
_LEANS = re.compile(
    r"(?:the|it|its|they|this|that|these|those|such|both|then|however|but|so|and|also|otherwise|instead|thus|hence)\b",
    re.IGNORECASE,
)
"""How a sentence begins that needs the one before it."""
_END = re.compile(r"(?<=[^\W_)\]'\"`.])[.!](?=\s+[^\sa-z]|\s*$)|。")
_SHORTENED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|[A-Za-z]))$")
_NOT_PROSE = re.compile(
    r"https?://|>>>|:param\b|@param\b|#\d|\bGH-?\d|\b(?:issue|bug|regression|ticket)\b|\?", re.IGNORECASE
)


def stated(docstring: str | None) -> tuple[str, Form] | None:
    """The sentence without its full stop, and its form; None where no sentence of the first paragraphs is one."""
    first = True
    for paragraph in re.split(r"\n\s*\n", (docstring or "").strip())[:2]:
        for sentence in _sentences(plain(paragraph)):
            leans, first = not first and _LEANS.match(sentence) is not None, False
            bare = _LEAD.sub("", sentence, count=1) if _LEAD.match(sentence) else sentence
            form = None if leans or len(bare) > MOST or _NOT_PROSE.search(sentence) else form_of(bare, prose=True)
            if form is not None:
                return bare, form
    return None


def plain(text: str) -> str:
    """The text in one line without epytext, reStructuredText and Markdown."""
    reflowed = " ".join(text.split())
    for pattern in (_EPYTEXT, _EPYTEXT, _ROLE, _LINK, _CODE, _EMPHASIS):
        reflowed = pattern.sub(_inside, reflowed)
    return reflowed


def _inside(found: re.Match[str]) -> str:
    groups = [group for group in found.groups() if group is not None]
    return groups[-1].strip() if groups else ""


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(text):
        if not _SHORTENED.search(text[max(0, end.start() - 8) : end.start()]):
            yield text[start : end.start()].strip()
            start = end.end()
    if text[start:].strip():
        yield text[start:].strip().rstrip(".")
