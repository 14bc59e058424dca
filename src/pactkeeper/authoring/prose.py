"""Whether a sentence states a requirement, and how it is worded as an atom.

Headings say whether the text below them is criteria, expectations, or something without requirements. User stories and
wishes are recognised by form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pactkeeper.authoring.source import NotTaken, Scenario, Span, Taken, taken_from
from pactkeeper.intent.quality.examined import Sentence, statement
from pactkeeper.intent.wording import table
from pactkeeper.intent.wording.tokens import foreign_language, sentences, stopped, tokens

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
