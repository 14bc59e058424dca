"""Spans of a text: words with their position, so that anything derived from them can be traced to its source.

A message is read as the lines its author wrote: without code, each with its position and layout. Scenarios in Gherkin
steps are each one statement of expected behaviour.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Final, Literal

from pactkeeper.speech.languages import either, numbered, phrases_of, words_of

_LINK: Final = re.compile(
    r"<(?P<target>https?://[^|<>\s]++)(?:\|(?P<name>[^<>]*+))?>|\[(?P<text>[^][]++)\]\((?P<url>https?://[^()\s]++)\)"
)
_MENTION: Final = re.compile(r"<[@#!][^<>]*+>[\s,:]*+|(?<![\w.])@[\w-]++(?![/.]\w)[\s,:]*+")
_ADDRESSED: Final = re.compile(rf"\s*+(?:{_MENTION.pattern})++")
_MARKUP: Final = re.compile(
    r"(?<![\w*])\*{1,3}(?=\S)|(?<=\S)\*{1,3}(?![\w*])|(?<![\w_])_{1,2}(?=\S)|(?<=\S)_{1,2}(?![\w_])"
)
_QUOTATION: Final = re.compile(r"[\"“„«'‘](?P<inner>[^\"“”„«»]++)[\"”“»'’][.!]?")
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))
# People in chats start the next sentence in lower case; the period must then follow a word, not an abbreviation.
_END: Final = re.compile(
    r"(?<=[.!?…])[\"”)]?\s+(?=[\"“„(¿¡]?[A-ZÄÖÜÉÈÀÁÍÓÚÑ0-9])|(?<=[^\W\d_]{3}\.)\s+(?=[^\W\d_])|(?<=[!?…])\s+(?=\w)"
)
_LAST_WORD: Final = re.compile(r"(?P<word>[^\W\d_](?:[\w.]{0,10}))\.\Z")
_ORDINAL: Final = re.compile(r"\b\d{1,2}\.\Z")
_LONGEST_ABBREVIATION: Final = 12


@dataclass(frozen=True, slots=True)
class Span:
    """`[start, end)` of a text, with the words there."""

    start: int
    end: int
    text: str


def span(source: str, start: int, end: int) -> Span:
    """Return a span without surrounding white space."""
    text = source[start:end]
    left, bare = len(text) - len(text.lstrip()), text.strip()
    return Span(start + left, start + left + len(bare), bare)


def clean(text: str) -> str:
    """Strip markup, mentions, and quotation marks around the whole text."""
    plain = _LINK.sub(lambda hit: hit["name"] or hit["text"] or hit["target"], text)
    plain = _MARKUP.sub("", _MENTION.sub("", plain))
    for entity, letter in _ENTITIES:
        plain = plain.replace(entity, letter)
    plain = " ".join(plain.split()).strip(" *_")
    whole = _QUOTATION.fullmatch(plain)
    return whole["inner"].strip() if whole else plain


def sentences(source: str, whole: Span) -> Iterator[Span]:
    """The sentences of a span, each a span of its own."""
    start = whole.start
    for hit in _END.finditer(whole.text):
        before = whole.text[max(0, hit.start() - _LONGEST_ABBREVIATION) : hit.start()]
        if _is_abbreviated(before) or (_ORDINAL.search(before) and _names_month(whole.text, hit.end())):
            continue
        yield span(source, start, whole.start + hit.start())
        start = whole.start + hit.end()
    rest = span(source, start, whole.end)
    if rest.text:
        yield rest


def behind_mentions(source: str, found: Span) -> Span:
    """Return a span without the names it is addressed to."""
    hit = _ADDRESSED.match(found.text)
    return span(source, found.start + hit.end(), found.end) if hit else found


def _names_month(text: str, at: int) -> bool:
    """Whether a month stands at a place, so that the number before it is its day: `3. Mai`."""
    return text[at : at + _LONGEST_ABBREVIATION].split(maxsplit=1)[0].strip(".,;:!?").casefold() in numbered("months")


def _is_abbreviated(text: str) -> bool:
    last = _LAST_WORD.search(text)
    return last is not None and last["word"].casefold() in words_of("abbreviations")


LineKind = Literal["text", "item", "heading", "quote", "blank", "rule"]
_FENCE: Final = re.compile(r"\s*+(?:```|~~~)")
_QUOTED: Final = re.compile(r"\s*+(?:>|&gt;)\s?")
_WROTE: Final = re.compile(
    r"\s*+(?:On\b.{4,80}\bwrote|Am\b.{4,80}\bschrieb\b.{0,80}|Le\b.{4,80}\ba écrit|El\b.{4,80}\bescribió)\s*+:\s*+$"
)
_SIGNATURE: Final = re.compile(r"--\s?$")
_RULE: Final = re.compile(r"\s*+(?:-{3,}|\*{3,}|_{3,}|={3,})\s*+$")
# What readers do not see: comments, and details collapsed within one line.
_UNSEEN: Final = re.compile(r"<!--(?s:.{0,4000}?)-->|<details\b[^\n]{0,4000}?</details>", re.IGNORECASE)
_INK: Final = re.compile(r"[^\n]")
_DETAILS: Final = re.compile(r"</?details\b", re.IGNORECASE)
_BULLET: Final = re.compile(
    r"(?P<indent>\s*+)(?:(?P<bullet>[-*+•◦▪–✓✔☑]\ufe0f?)|(?P<number>\d{1,2})[.):]|\((?P<inner>\d{1,2})\))\s++"
    r"(?:\[(?P<box>[ xX✓]?)\]\s++)?(?=\S)"
)
_HEADING: Final = re.compile(r"\s{0,3}(#{1,6})\s++(\S.*)")


@dataclass(frozen=True, slots=True)
class TextLine:
    """The content of a line, at `[start, end)` of its text; `text` is empty for a line that separates paragraphs.

    `number` is a list item's number (0 for none), `box` is "x" for a ticked checkbox and " " for an empty one, `level`
    that of a heading, `indent` its indentation.
    """

    kind: LineKind
    start: int
    end: int
    text: str
    indent: int = 0
    number: int = 0
    level: int = 0
    box: Literal["", " ", "x"] = ""


def whole_line(source: str, line: TextLine) -> Span:
    """Return a line including the marks it starts with."""
    return span(source, source.rfind("\n", 0, line.start) + 1, line.end)


@dataclass(frozen=True, slots=True)
class Heading:
    """A Markdown heading; `start` is the offset of its words in the line."""

    level: int
    words: str
    start: int


def heading(line: str) -> Heading | None:
    """Return the line's heading, or None; closing marks must follow a blank, so `C#` keeps its own."""
    found = _HEADING.match(line)
    if found is None:
        return None
    words = found[2].rstrip()
    bare = words.rstrip("#")
    return Heading(len(found[1]), words if bare and not bare[-1].isspace() else bare.rstrip(), found.start(2))


def lines(text: str) -> tuple[TextLine, ...]:
    """Return the lines of a message in order; a code block counts only if it contains scenarios."""
    return tuple(_lines(_UNSEEN.sub(lambda hit: _INK.sub(" ", hit[0]), text)))


def _lines(text: str) -> Iterator[TextLine]:
    fenced: list[tuple[int, str]] | None = None
    at = folded = 0
    for raw in text.splitlines(keepends=True):
        start, at = at, at + len(raw)
        line = raw.rstrip()
        if _DETAILS.search(line):
            folded = max(0, folded + line.casefold().count("<details") - line.casefold().count("</details"))
        elif folded > 0:
            continue  # collapsed details were pasted there
        elif _FENCE.match(line) and "```" not in line.strip()[3:]:
            yield from _scenarios(fenced or ())
            fenced = [] if fenced is None else None
        elif fenced is not None:
            fenced.append((start, line))
        elif _SIGNATURE.fullmatch(line) and start:
            return
        else:
            yield _line(text, start, line)


def _scenarios(fenced: Iterator[tuple[int, str]] | list[tuple[int, str]] | tuple[()]) -> Iterator[TextLine]:
    """Yield the lines of a code block that starts like a scenario."""
    found = [(start, line) for start, line in fenced if line]
    first = found[0][1].strip().casefold() if found else ""
    if first.startswith((*phrases_of("scenarios"), *phrases_of("given"))):
        yield from (TextLine("text", start + _indent(line), start + len(line), line.strip()) for start, line in found)


def _line(source: str, start: int, line: str) -> TextLine:
    end = start + len(line)
    if not line.strip():
        return TextLine("blank", start, start, "")
    if _RULE.fullmatch(line):
        return TextLine("rule", start, start, "")
    if quoted := _QUOTED.match(line):
        return TextLine("quote", start + quoted.end(), end, line[quoted.end() :].strip())
    if _WROTE.fullmatch(line):
        return TextLine("quote", start, end, "")
    if head := heading(line):
        words = span(source, start + head.start, start + head.start + len(head.words))
        return TextLine("heading", words.start, words.end, words.text, level=head.level)
    if bullet := _BULLET.match(line):
        number, box = int(bullet["number"] or bullet["inner"] or 0), bullet["box"]
        words = behind_mentions(source, span(source, start + bullet.end(), end))
        ticked: Literal["", " ", "x"] = "" if box is None else "x" if box.strip() else " "
        indent = len(bullet["indent"].expandtabs(4))
        return TextLine("item", words.start, words.end, words.text, indent, number, box=ticked)
    words = behind_mentions(source, span(source, start, end))
    return (
        TextLine("text", words.start, words.end, words.text, _indent(line))
        if words.text
        else TextLine("blank", start, start, "")
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


_MOST: Final = 60  # steps of a scenario
_CONDITIONS: Final = frozenset({"given", "when"})


@dataclass(frozen=True, slots=True)
class Steps:
    """A scenario in lines `[first, last)` of a message; `text` contains its steps, without its title."""

    first: int
    last: int
    text: str


def scenario_at(lines: Sequence[TextLine], at: int) -> Steps | None:
    """Return the scenario that starts at a line, or None; a title without steps is not a scenario."""
    first = at
    while first < len(lines) and (
        _title().fullmatch(lines[first].text) or (first > at and lines[first].kind == "blank")
    ):
        first += 1
    if first >= len(lines) or _step(lines[first].text) not in _CONDITIONS:
        return None
    steps = list(takewhile(bool, (_step(line.text) for line in lines[first : first + _MOST])))
    if "then" not in steps:
        return None
    then = steps.index("then")
    outcome = list(takewhile(lambda step: step not in _CONDITIONS, steps[then:]))
    last = first + then + len(outcome)
    return Steps(at, last, " ".join(line.text for line in lines[first:last]))


def is_scenario(text: str, *, capital: bool = False) -> bool:
    """Whether one sentence contains all steps of a scenario, each capitalised if `capital` is set."""
    return _whole(capital=capital).fullmatch(text.strip()) is not None


def _step(text: str) -> str:
    return next((name for name in ("given", "when", "then", "also") if _starts(name, text)), "")


def _starts(name: str, text: str) -> bool:
    return _steps(name).match(text.lstrip("*_ ")) is not None


@cache
def _steps(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{_any(name, capital=True)})(?:[*_]{{0,2}},?)\s+\S")


def _any(name: str, *, capital: bool) -> str:
    return either(one[:1].upper() + one[1:] if capital else one for one in phrases_of(name))


@cache
def _title() -> re.Pattern[str]:
    return re.compile(rf"[*_]{{0,2}}(?:{either(phrases_of('scenarios'))})[*_]{{0,2}}\s*:.*", re.IGNORECASE)


@cache
def _whole(*, capital: bool) -> re.Pattern[str]:
    given, when, then = (_any(name, capital=capital) for name in ("given", "when", "then"))
    whole = rf"(?:{given})\s[^\n]{{1,300}}?\b(?:{when})\s[^\n]{{1,300}}?\b(?:{then})\s[^\n]+"
    return re.compile(whole, re.NOFLAG if capital else re.IGNORECASE)


_REFERENCE: Final = re.compile(
    r"<?https?://\S+>?|#\d+|[A-Z][A-Z0-9]{0,9}-\d+|[\w.-]{1,60}/[\w.-]{1,60}#\d+|(?:and|und|et|y|&)"
)


def is_reference(word: str) -> bool:
    """Whether a word is a link or the id of a task, or joins two of them."""
    return _REFERENCE.fullmatch(word) is not None


def listed(source: str, said: Span, field: str) -> tuple[Span, ...]:
    """Split a list on one line: at semicolons, criteria by sentence, ids and links at commas."""
    marks = ";"
    if field in {"dependencies", "evidence_links"}:
        words = said.text.replace(",", " ").split()
        marks = ",; " if words and all(map(is_reference, words)) else ";"
    found = [one for one in _split(source, said, marks) if one.text]
    if field != "acceptance_criteria" or is_scenario(clean(said.text)):
        return tuple(found)
    return tuple(one for part in found for one in sentences(source, part))


def _split(source: str, said: Span, marks: str) -> Iterator[Span]:
    start = said.start
    for at in range(said.start, said.end):
        if source[at] in marks and (source[at] != ";" or source[at + 1 : at + 2].isspace()):
            yield span(source, start, at)
            start = at + 1
    yield span(source, start, said.end)
