"""Take in a whole text: which lines become proposed atoms, and which don't.

A sentence of prose becomes one if it states a requirement. Headings say whether the text below them is criteria,
expectations, or something without requirements. User stories and wishes are recognised by form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from pactkeeper.authoring.markdown import SourceBlock, blocks, read_feature
from pactkeeper.authoring.source import NotTaken, Scenario, Source, Span, Taken, kind_of, taken_from
from pactkeeper.intent.quality.examined import Sentence, statement
from pactkeeper.intent.wording import table
from pactkeeper.intent.wording.tokens import foreign_language, sentences, stopped, tokens

_GHERKIN = table("gherkin feature cucumber")
_STEP = re.compile(r"(?P<word>Given|When|Then|And|But)\b[\s:,]*(?P<rest>.+)", re.IGNORECASE | re.DOTALL)
_BULLET = re.compile(r"\s*(?:[•‣▪◦–—]|\d+\))\s+(?P<rest>.+)")
_LOWEST = 7  # below every Markdown heading level: a line that only introduces what follows


def take_in(source: Source, *, feature: bool = False) -> tuple[Taken | NotTaken, ...]:
    """Read a text, as a feature file or as Markdown; the results are in the order of their lines."""
    found = read_feature(source) if feature else _Taking(source).run()
    return tuple(_merged(source, found))


class _Taking:
    """The blocks of a text and the headings they are under."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._blocks = tuple(blocks(_without_front_matter(source.text)))
        self._sections: list[Section] = [Section()]

    def run(self) -> Iterator[Taken | NotTaken]:
        at = 0
        while at < len(self._blocks):
            block = self._blocks[at]
            if block.kind == "heading":
                self._enter(section(block.text, block.depth))
                at += 1
            elif block.kind == "item":
                stop = self._list_end(at)
                yield from self._items(self._blocks[at:stop])
                at = stop
            else:
                yield from self._block(block)
                at += 1

    def _enter(self, new: Section) -> None:
        """Open a section; one of unknown kind inherits the kind of the section around it."""
        while len(self._sections) > 1 and self._sections[-1].level >= new.level:
            self._sections.pop()
        above = self._sections[-1]
        inherited = new.kind == "other" and above.kind != "other"
        self._sections.append(replace(above, level=new.level, inherited=True) if inherited else new)

    def _list_end(self, at: int) -> int:
        while at < len(self._blocks) and (self._blocks[at].kind == "item" or self._blocks[at].depth):
            if self._blocks[at].kind == "heading":
                break
            at += 1
        return at

    def _block(self, block: SourceBlock) -> Iterator[Taken | NotTaken]:
        match block.kind:
            case "code" if block.info.split(" ")[0] in _GHERKIN:
                yield from read_feature(self._source, block.start + 1, block.end - 1)
            case "text" if not block.dropped:
                yield from self._text(block)
            case _:
                yield NotTaken(self._source.span(block.start, block.end), _NO_PROSE.get(block.kind, "is struck out"))

    def _text(self, block: SourceBlock) -> Iterator[Taken | NotTaken]:
        if is_criteria(block.text):
            self._enter(Section("criteria", block.text, _LOWEST))
            return
        lines = block.text.split("\n")
        if all(_STEP.match(line) for line in lines) and _is_scenario(lines):
            yield self._scenario([block])
        elif all(_BULLET.match(line) for line in lines):
            for number, line in enumerate(lines, block.start):
                found = _BULLET.match(line)
                assert found is not None  # noqa: S101 - each line was matched
                yield from judged(self._said(found["rest"], number, number + 1, item=True))
        else:
            yield from self._sentences(block)

    def _sentences(self, block: SourceBlock) -> Iterator[Taken | NotTaken]:
        """Each sentence of a paragraph separately, with its lines."""
        for one in sentences(block.text):
            text = block.text[one[0].start : one[-1].end]
            first = block.start + block.text[: one[0].start].count("\n")
            yield from judged(self._said(text, first, first + text.count("\n") + 1))

    def _said(self, text: str, start: int, end: int, *, item: bool = False, box: bool = False) -> ProseSentence:
        return ProseSentence(text, self._source.span(start, end), self._sections[-1], item, box)

    def _items(self, items: Sequence[SourceBlock]) -> Iterator[Taken | NotTaken]:
        """A list: either the steps of one scenario, or separate items, each with the blocks below it."""
        words = [item.text for item in items if item.kind == "item"]
        if all(_STEP.match(text) for text in words) and _is_scenario(words):
            yield self._scenario([item for item in items if item.kind == "item"])
            return
        at = 0
        while at < len(items):
            stop = at + 1
            while stop < len(items) and items[at].kind == "item" and items[stop].depth > items[at].depth:
                stop += 1
            yield from self._item(items[at], items[at + 1 : stop])
            at = stop

    def _item(self, item: SourceBlock, below: Sequence[SourceBlock]) -> Iterator[Taken | NotTaken]:
        if item.dropped or item.kind != "item":
            yield from self._block(item)
            return
        found = tuple(judged(self._said(item.text, item.start, item.end, item=True, box=item.ticked is not None)))
        outcomes = [one for one in below if one.kind == "item" and one.ticked is None and not one.dropped]
        if len(found) == 1 and isinstance(found[0], Taken) and outcomes and len(outcomes) == len(below):
            yield self._with_outcomes(found[0], item, outcomes)
            return
        yield from found
        yield from self._items(below) if below else ()

    def _with_outcomes(self, taken: Taken, item: SourceBlock, below: Sequence[SourceBlock]) -> Taken:
        """An item whose sub-items state its outcomes."""
        added = outcomes_of([one.text for one in below])
        span = self._source.span(item.start, max(one.end for one in below))
        return replace(taken, span=span, outcomes=(*taken.outcomes, *added))

    def _scenario(self, found: Sequence[SourceBlock]) -> Taken | NotTaken:
        steps: list[tuple[str, str]] = []
        for line in (line for block in found for line in block.text.split("\n")):
            step = _STEP.match(line)
            if step is not None:
                steps.append((kind_of(step["word"].capitalize(), steps), step["rest"].strip()))
        span = self._source.span(found[0].start, found[-1].end)
        return taken_from(Scenario("", tuple(steps), span))


_NO_PROSE = {
    "code": "is code",
    "html": "is a comment or markup",
    "table": "is a table; write its rows as sentences",
    "quote": "quotes what somebody said",
}


def _is_scenario(lines: Sequence[str]) -> bool:
    """Whether the steps include an outcome, not only conditions."""
    return len(lines) > 1 and any(line.lower().startswith("then") for line in lines)


def _without_front_matter(text: str) -> str:
    """The text with its front matter blanked, so that every line keeps its number."""
    if not text.startswith("---\n"):
        return text
    end = text.find("\n---", 3)
    return text if end < 0 else "\n" * text.count("\n", 0, end + 4) + text[end + 4 :]


def _merged(source: Source, found: Iterator[Taken | NotTaken]) -> Iterator[Taken | NotTaken]:
    """Merge consecutive lines that were not taken for the same reason into one entry."""
    every = list(found)
    open_at: NotTaken | None = None
    for one, after in pairwise([*every, None]):
        if not isinstance(one, NotTaken):
            if one is not None:
                yield one
            continue
        open_at = one if open_at is None else NotTaken(source.span(open_at.span.start - 1, one.span.end), one.why)
        if not (isinstance(after, NotTaken) and after.why == one.why and after.span.start <= one.span.end + 1):
            yield open_at
            open_at = None


SectionKind = Literal["criteria", "ignored", "other"]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the kind of text below it; `why` says why an ignored section is ignored.

    `inherited` means that the kind comes from a heading above: then items count, and paragraphs are introductions.
    """

    kind: SectionKind = "other"
    title: str = ""
    level: int = 0
    why: str = ""
    inherited: bool = False


_CRITERIA = re.compile(
    r"\b(?:acceptance\s+(?:criteri(?:a|on)|tests?)|criteria|requirements?|(?:desired|expected|target)\s+(?:behaviou?rs?|results?|outcomes?)"
    r"|business\s+rules?|rules|conditions\s+of\s+satisfaction|scenarios?|must\s+haves?|functional\s+requirements)\b",
    re.IGNORECASE,
)
_IGNORED: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"\b(?:steps\s+to\s+reproduce|how\s+to\s+reproduce|reproduction|to\s+reproduce)\b", re.IGNORECASE),
        "says how to see a fault",
    ),
    (
        re.compile(
            r"\b(?:actual|current|observed)\s+(?:behaviou?r|results?|state|situation)\b|\bas[- ]is\b", re.IGNORECASE
        ),
        "says what happens today, not what shall hold",
    ),
    (
        re.compile(r"\b(?:out\s+of\s+scope|non-?goals?|not\s+in\s+scope|won'?t\s+do|later|future)\b", re.IGNORECASE),
        "is out of scope",
    ),
    (
        re.compile(
            r"\b(?:environment|versions?|system\s+info|logs?|stack\s*trace|screenshots?|links?|references?|related)\b",
            re.IGNORECASE,
        ),
        "is background",
    ),
    (
        re.compile(
            r"\b(?:tasks?|to-?dos?|checklist|implementation|technical\s+notes?|definition\s+of\s+done|open\s+questions?)\b",
            re.IGNORECASE,
        ),
        "is about the work, not about what holds",
    ),
)


def section(title: str, level: int) -> Section:
    """The kind of text below a heading."""
    if _CRITERIA.search(title):
        return Section("criteria", title, level)
    for pattern, why in _IGNORED:
        if pattern.search(title):
            return Section("ignored", title, level, f"stands under {title!r}: {why}")
    return Section("other", title, level)


def is_criteria(title: str) -> bool:
    """Whether a line such as `Acceptance criteria:` introduces criteria."""
    return len(title.split()) <= _TITLE and title.rstrip().endswith(":") and _CRITERIA.search(title) is not None


_TITLE = 5


_DUTIES = table("must mustn't shall shan't should shouldn't will won't")
_OBLIGED = re.compile(
    r"\b(?:has|have|needs?)\s+to\b|\b(?:is|are)\s+(?:required|expected|supposed|not\s+allowed|forbidden)\s+to\b",
    re.IGNORECASE,
)
_WISH = re.compile(r"\s*+as\s++(?:an?|the)\s++[^,]++,\s*+I\s++(?:want|would like|need|wish)\b", re.IGNORECASE)
_BREAK = r"(?:(?<=\S)|(?=,)),?\s++"  # matches only at the start of a run of spaces, so that a long run is read once
_GIVEN = re.compile(
    rf"\s*+given\s++(?P<given>\S.*?){_BREAK}when\s++(?P<when>\S.*?){_BREAK}then\s++(?P<then>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_WHEN = re.compile(rf"\s*+when\s++(?P<when>\S.*?){_BREAK}then\s++(?P<then>\S.*)", re.IGNORECASE | re.DOTALL)
_EARS = re.compile(r"\b(?:WHEN|IF|THEN|WHILE|WHERE|SHALL|MUST|SHOULD|GIVEN|AND|OR|NOT|WILL)\b")
_LABEL = re.compile(
    r"\A(?:user story|story|acceptance criterion|criterion|requirement|rule|ac|req|fr|us)"
    r"[ #-]{0,4}[\d.]{0,12} ?[:.)–-]{1,4} ",
    re.IGNORECASE,
)
LONGEST_SENTENCE = 1_000  # characters; a longer one says too much to be one behaviour, and is skipped
_AUTHORS = table("i we you")
_UNDECIDED = re.compile(r"\b(?:TBD|TODO|FIXME|XXX)\b|\?\?\?|\bto be (?:defined|decided|determined|discussed)\b")


@dataclass(frozen=True, slots=True)
class ProseSentence:
    """A sentence with its lines, its section, and whether it is an item or has a checkbox."""

    text: str
    span: Span
    section: Section
    item: bool = False
    box: bool = False

    @property
    def how(self) -> str:
        """The form that makes it count; empty if only its wording could make it a duty."""
        if self.box:
            return "checkbox"
        counts = self.section.kind == "criteria" and (self.item or not self.section.inherited)
        return "criterion" if counts else ""


def judged(said: ProseSentence) -> Iterator[Taken | NotTaken]:
    """The result for a sentence: one or more atoms, or the reason for none."""
    if len(said.text) > LONGEST_SENTENCE:
        yield NotTaken(said.span, f"is longer than {LONGEST_SENTENCE:,} characters; say it in shorter sentences")
        return
    text = _LABEL.sub("", _EARS.sub(lambda hit: hit.group().lower(), " ".join(said.text.split())))
    why = _refused(said, text)
    if why:
        yield NotTaken(said.span, why)
        return
    steps = _steps(text)
    if steps:
        found = taken_from(Scenario("", steps, said.span))
        yield replace(found, under=said.section.title) if isinstance(found, Taken) else found
    elif is_story(text):
        yield Taken(stopped(text), said.span, "user story", under=said.section.title)
    else:
        yield from _sentence(said, text)


def _refused(said: ProseSentence, text: str) -> str:
    """Why a sentence can't state a requirement, whatever its words; empty if it can."""
    language = foreign_language(text)
    if language:
        return f"looks like {language}, which the rules do not read"
    if said.section.kind == "ignored":
        return said.section.why
    if _UNDECIDED.search(text):
        return "is not decided yet"
    if _WISH.match(text) and not is_story(text):
        return "is a wish that names no act"
    return ""


def _steps(text: str) -> tuple[tuple[str, str], ...]:
    found = _GIVEN.fullmatch(text) or _WHEN.fullmatch(text)
    if found is None:
        return ()
    return tuple((name.capitalize(), words.strip()) for name, words in found.groupdict().items())


def _sentence(said: ProseSentence, text: str) -> Iterator[Taken | NotTaken]:
    """A text of one or more sentences: the first is the intent, further ones are its outcomes."""
    every = [text[one[0].start : one[-1].end] for one in sentences(text)]
    first = without_ensure(every[0]) if every else text
    why = _no_statement(statement(first))
    how = "duty" if not why and _is_duty(first) else said.how
    if why or not how:
        yield NotTaken(said.span, why or "describes; it is no duty and stands under no heading of criteria")
        return
    yield Taken(stopped(first), said.span, how, outcomes_of(every[1:]), under=said.section.title)


def _no_statement(read: Sentence) -> str:
    if read.asks:
        return "is a question"
    if read.commands:
        return "tells somebody what to do, not what holds"
    if not read.states:
        return "states nothing: a title or a fragment"
    spoken = [one.lower for one in tokens(read.text) if one.kind == "word"]
    return "says what people want or do, not what the product does" if spoken[:1] and spoken[0] in _AUTHORS else ""


def _is_duty(text: str) -> bool:
    return _OBLIGED.search(text) is not None or any(one.lower in _DUTIES for one in tokens(text) if one.kind == "word")


def outcomes_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Items below an item as its outcomes; those that state nothing are left out."""
    return tuple(stopped(text) for text in texts if not _no_statement(statement(text)))


_STORY = re.compile(
    r"""as\s(?P<who>(?:an?|the)\s[^,]+?),?\s
    I\s(?P<wish>want|would\slike|need|wish|can|should\sbe\sable|must\sbe\sable|am\sable|may)\s
    (?:(?P<whom>(?:the|a|an|my|our)\s(?:[\w-]+\s){1,3}?)?(?P<to>to\s))?
    (?P<what>.+?)
    (?:,?\s(?:so\sthat|in\sorder\sto|so\sI|because)\s(?P<why>.+))?""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_ENSURE = re.compile(r"\s*(?:please\s+)?(?:ensure|verify|check|assert|test|make\s+sure)\s+that\s+(?=\S)", re.IGNORECASE)


def without_ensure(text: str) -> str:
    """Turn `Ensure that the list is empty` into `the list is empty`; return other text unchanged."""
    found = _ENSURE.match(text)
    return text[found.end() :] if found is not None else text


def is_story(text: str) -> bool:
    """Whether a text is a user story that names an act, not just a wish such as `I want better reports`."""
    found = _STORY.fullmatch(" ".join(text.split()).rstrip(" .!"))
    return found is not None and (found["to"] is not None or found["wish"].lower() in {"can", "may"})
