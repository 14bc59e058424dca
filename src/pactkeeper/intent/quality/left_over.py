"""Words about the test or the code that an intent was taken from, where words about the product belong."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pactkeeper.intent.quality.examined import Examined
from pactkeeper.intent.quality.values import Deduction, share
from pactkeeper.intent.reading.tokens import masked

_TESTING = re.compile(
    r"(?:^|[:;]\s+)(?P<said>(?:verify|ensure|assert|make\s+sure)\b|(?:test|check)\s+(?:that|if|whether)\b)",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?<!\S)\S++\s++(?:\+|===?|!==?|=>|&&|\|\|)\s++\S++|\$\{")

_RESTATED = re.compile(
    r"…|\.\.\.(?!\w)|\b(?:given|expected|listed) (?:arguments|result|inputs)\b|\bresult of [^.]*\bof\b"
    r"|\b(?:mock|spy|stub|callback|handler|listener) (?:is|was) (?:not )?called\b",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"[^:.]{1,80}: the [a-z ]{1,60} (?:is|are|equals|contains) (?:'[^']*'|\"[^\"]*\"|\d[\d.]*)\.?$")
_VALUE = r"(?:'[^']*+'|\"[^\"]*+\"|`[^`]*+`|-?\d[\d.]*+)"
_RESULT = rf"(?:returns|yields|gives|produces|equals|is) {_VALUE}"
_CALL = re.compile(
    rf"(?:[^:]{{1,80}}+: (?:it )?|\S{{0,80}}[_().]\S{{0,80}} ){_RESULT} for {_VALUE}(?:(?:,| and) {_VALUE})*+\.?$"
)
_UNFAILED = re.compile(r"\b(?:exception|error) (?:is|equals) (?:None|null|undefined|nil|falsy|empty)\.?$")


def testing(seen: Examined) -> Iterator[Deduction]:
    """An intent that says what is verified and not what happens: nobody outside sees a test."""
    text = seen.intent.text
    found = _TESTING.search(masked(text))
    if found is not None and seen.intent.states:
        words = text[found.start("said") : found.end("said")]
        why = "tells what a test does, not how the product behaves"
        yield Deduction(share("observable", 2), words, why, "say what holds, without the words that introduce it")


def source(seen: Examined) -> Iterator[Deduction]:
    """An intent with operators of a programming language in it: the title of a test that was computed."""
    text = seen.intent.text
    found = _CODE.search(masked(text))
    if found is not None:
        words = text[found.start() : found.end()]
        yield Deduction(share("unambiguous", 3), words, "is source code, no sentence", "say in words what is meant")


def restated(seen: Examined) -> Iterator[Deduction]:
    """An intent that repeats code in English: values left out, results of results, calls of a stand-in."""
    text = masked(seen.intent.text)
    found = _RESTATED.search(text) or _TOPIC.match(seen.intent.text) or _CALL.match(seen.intent.text)
    if found is not None:
        words = seen.intent.text[found.start() : found.end()]
        why = "repeats the code of a test and does not say what it is for"
        yield Deduction(share("observable", 5), words, why, "say in a person's words what holds, and for whom")


def unfailed(seen: Examined) -> Iterator[Deduction]:
    """Outcomes of which none says more than that nothing failed."""
    texts = [one.text for one in seen.outcomes]
    if texts and all(_UNFAILED.search(text) for text in texts):
        why = "says only that nothing failed"
        yield Deduction(share("clear success criteria", 3), texts[0], why, "say what is seen instead", "outcomes")
