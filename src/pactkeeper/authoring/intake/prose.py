"""Whether a sentence says what shall hold, and as which words it becomes an atom."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pactkeeper.authoring.intake.scenario import Scenario, taken_from
from pactkeeper.authoring.intake.sections import Section
from pactkeeper.authoring.intake.source import NotTaken, Span, Taken
from pactkeeper.authoring.stories import story, without_ensure
from pactkeeper.intent.atomicity import atomicity
from pactkeeper.intent.reading.clauses import Reading, read
from pactkeeper.intent.reading.language import foreign_language
from pactkeeper.intent.reading.opposite import stated
from pactkeeper.intent.reading.tokens import sentences, stopped
from pactkeeper.intent.wording.tables import table

_DUTIES = table("must mustn't shall shan't should shouldn't will won't")
_OBLIGED = re.compile(
    r"\b(?:has|have|needs?)\s+to\b|\b(?:is|are)\s+(?:required|expected|supposed|not\s+allowed|forbidden)\s+to\b",
    re.IGNORECASE,
)
_WISH = re.compile(r"\s*+as\s++(?:an?|the)\s++[^,]++,\s*+I\s++(?:want|would like|need|wish)\b", re.IGNORECASE)
_BREAK = r"(?:(?<=\S)|(?=,)),?\s++"  # begins once in a run of spaces, so that a long run is read once
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
_IF_THEN = re.compile(
    rf"(?P<lead>\s*+(?:if|while|where|once|after)\b[^,]+?){_BREAK}then\s++(?P<rest>.+)", re.IGNORECASE | re.DOTALL
)
LONGEST_SENTENCE = 1_000  # characters; a longer one says too much to be one behaviour, and is read by nothing
_AUTHORS = table("i we you")
_ORDERS = table("first before beforehand then next afterwards afterward later again too also instead likewise")
_POINTING = table("it them this these those")
_UNDECIDED = re.compile(r"\b(?:TBD|TODO|FIXME|XXX)\b|\?\?\?|\bto be (?:defined|decided|determined|discussed)\b")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence with where it stands: its lines, its section, and whether it is an item or has a box to tick."""

    text: str
    span: Span
    section: Section
    item: bool = False
    box: bool = False

    @property
    def how(self) -> str:
        """The form that makes it count; empty where only a duty in its words would."""
        if self.box:
            return "checkbox"
        counts = self.section.kind == "criteria" and (self.item or not self.section.inherited)
        return "criterion" if counts else ""


def judged(said: Said) -> Iterator[Taken | NotTaken]:
    """What becomes of a sentence: an atom or several, or the reason why none."""
    if len(said.text) > LONGEST_SENTENCE:
        yield NotTaken(said.span, f"is longer than {LONGEST_SENTENCE:,} characters; say it in shorter sentences")
        return
    text = _LABEL.sub("", _EARS.sub(lambda hit: hit.group().lower(), " ".join(said.text.split())))
    why = _refused(said, text)
    if why:
        yield NotTaken(said.span, why)
        return
    steps = _steps(text)
    told = story(text)
    if steps:
        yield taken_from(Scenario("", steps, said.span))
    elif told is not None:
        notes = ("said as what the role can do",)
        yield from _parts(Taken(told.intent, said.span, "user story", notes=notes))
    else:
        yield from _sentence(said, text)


def _refused(said: Said, text: str) -> str:
    """Why a sentence cannot say what shall hold, whatever its words; empty where it can."""
    language = foreign_language(text)
    if language:
        return f"looks like {language}, which the rules do not read"
    if said.section.kind == "ignored":
        return said.section.why
    if _UNDECIDED.search(text):
        return "is not decided yet"
    if _WISH.match(text) and story(text) is None:
        return "is a wish that names no act"
    return ""


def _steps(text: str) -> tuple[tuple[str, str], ...]:
    found = _GIVEN.fullmatch(text) or _WHEN.fullmatch(text)
    if found is None:
        return ()
    return tuple((name.capitalize(), words.strip()) for name, words in found.groupdict().items())


def _sentence(said: Said, text: str) -> Iterator[Taken | NotTaken]:
    """A text of one sentence or more: the first is the intent, further ones of an item are its outcomes."""
    conditional = _IF_THEN.fullmatch(text)
    text = text if conditional is None else f"{conditional['lead']}, {conditional['rest']}"
    every = [text[one[0].start : one[-1].end] for one in sentences(text)]
    first = without_ensure(every[0]) if every else text
    reading = read(first)[0] if read(first) else None
    why = _no_statement(reading)
    how = "duty" if not why and reading is not None and _is_duty(reading, first) else said.how
    if why or not how:
        yield NotTaken(said.span, why or "describes; it is no duty and stands under no heading of criteria")
        return
    outcomes = outcomes_of(every[1:])
    yield from _parts(Taken(stopped(first), said.span, how, outcomes))


def _no_statement(reading: Reading | None) -> str:
    if reading is None or reading.predicate is None:
        return "states nothing: a title or a fragment"
    if reading.asks:
        return "is a question"
    if reading.commands:
        return "tells somebody what to do, not what holds"
    subject = reading.words[reading.lead : reading.predicate.start]
    if subject and subject[0].lower in _AUTHORS:
        return "says what people want or do, not what the product does"
    return ""


def _is_duty(reading: Reading, text: str) -> bool:
    assert reading.predicate is not None  # noqa: S101 - asked after a statement was found
    group = reading.words[reading.predicate.start : reading.predicate.end]
    return any(word.lower in _DUTIES for word in group) or _OBLIGED.search(text) is not None


def _parts(taken: Taken) -> Iterator[Taken]:
    """Each behaviour of a sentence; alternatives stay together, since a person has to say which one holds."""
    joined = atomicity(taken.intent, ())
    alternatives = any("leaves open" in reason or "another case" in reason for reason in joined.reasons)
    if joined.atomic or alternatives or len(joined.parts) <= 1:
        yield _as_fact(taken)
        return
    if any(_leans(part) for part in joined.parts[1:]):
        yield _as_fact(replace(taken, notes=(*taken.notes, "several behaviours that cannot be told one by one")))
        return
    note = f"one of {len(joined.parts)} behaviours of the sentence"
    for part in joined.parts:
        yield _as_fact(replace(taken, intent=part, outcomes=(), notes=(*taken.notes, note)))


def _leans(part: str) -> bool:
    """Whether a part says when or of what only together with what stood before it: `is asked first`, `sends it`."""
    words = [word.strip(".,;:!?\"'").lower() for word in part.split()]
    return bool(words) and (words[-1] in _ORDERS or not _POINTING.isdisjoint(words[1:]))


def _as_fact(taken: Taken) -> Taken:
    intent = stated(taken.intent)
    return (
        taken
        if intent == taken.intent
        else replace(taken, intent=intent, notes=(*taken.notes, "a duty, said as a fact"))
    )


def outcomes_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Items below an item as its outcomes; those that state nothing are left out."""
    return tuple(stated(text) for text in texts if read(text) and not _no_statement(read(text)[0]))
