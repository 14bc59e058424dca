"""Plans, analyses and frameworks, told by how they are laid out and what they are called.

What people say that is so, by the sentence: only what has a value or is denied, so that another place can differ.

How a text is laid out: sections under headings, and the lists and tables in them, by character.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from pactkeeper.intent.conversation import (
    Artifact,
    ArtifactType,
    ConversationEntry,
    Signals,
    ToolCall,
    Value,
    excerpt,
    identity_of,
)
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.speech.clash import begins, has_phrase, is_denied, is_meant, refuses
from pactkeeper.speech.spans import heading
from pactkeeper.speech.words import statement
from pactkeeper.transcripts.extraction.window import LONGEST_TYPED, Window, agreement, sentences, unquoted

MANY: Final = 3  # steps, items or rows that make a structure
LONG: Final = 500  # characters of an analysis
LARGE: Final = 1500
# A plan that a tool was called with, one that a heading names, one that a leading line names.
CALLED, HEADED, LED = 95, 85, 65
PLAN_TOOL: Final = "ExitPlanMode"
TODO_TOOL: Final = "TodoWrite"
TODO: Final = "todo-list"
REFUSED: Final = ("The user doesn't want to", "[Request interrupted by user", "Permission to use ")


def products(window: Window) -> Iterator[Artifact]:
    """Every plan, analysis and framework in what the agent and people wrote; nothing that a summary repeats."""
    for by_person in (False, True):
        for entry, position, block in window.texts(by_person=by_person):
            if len(block.text) >= _SHORTEST and LAID_OUT.search(block.text):
                yield from _of_text(entry, position, block.text)
    for call in window.calls:
        if call.call.tool == PLAN_TOOL and not _was_refused(call):
            yield from _planned(call, agreed=agreement(window, call.entry) is not None)
    todo = [call for call in window.calls if call.call.tool == TODO_TOOL and not _was_refused(call)]
    for call in todo[-1:]:
        yield from _todo(call)


def _was_refused(call: ToolCall) -> bool:
    return call.result is not None and (bool(call.result.failed) or call.result.text.startswith(REFUSED))


_SHORTEST: Final = 40
_EVIDENCE: Final = 2  # items or rows below a verdict
_LABELLED: Final = re.compile(r"[*_]{0,2}\s*:[*_]{0,2}\s*\S")


def _of_text(entry: ConversationEntry, position: int, text: str) -> Iterator[Artifact]:
    found = sections(text)
    starts = [section.first for section in found]
    taken = -1
    for index, section in enumerate(found):
        if section.first < taken:
            continue
        below = found[index + 1 : bisect_left(starts, section.last, index + 1)]
        kind = _kind(section, below) or _verdict(text, section)
        if kind:
            first, last = trimmed(text, section.first, section.last)
            yield _product(entry, position, kind, section, (first, last), steps(section, below))
            taken = section.last


def _kind(section: LayoutSection, below: tuple[LayoutSection, ...]) -> ArtifactType | None:
    """What a section with all below it is; a section of level 0 is judged without the sections after it."""
    inner = () if section.level == 0 and below else below
    length = (section.own_last if section.level == 0 else section.last) - section.first
    items = section.items + sum(one.items for one in inner)
    rows = section.rows + sum(one.rows for one in inner)
    led = section.led + sum(one.led for one in inner)
    title = section.title
    if section.level == 0 and inner != below:
        return None
    if _led(section):
        return "plan"
    if steps(section, inner) >= MANY and (has_phrase("plans", title) or has_phrase("roadmaps", title)):
        return "plan"
    if sum(1 for one in inner if one.title) >= MANY and has_phrase("roadmaps", title) and items >= MANY:
        return "plan"
    if has_phrase("frameworks", title) and (rows > MANY or led >= MANY):
        return "framework"
    if has_phrase("analyses", title) and length >= LONG and (items >= MANY or rows > MANY):
        return "analysis"
    is_other = has_phrase("analyses", title) or has_phrase("frameworks", title)
    is_ordered = section.level > 0 and section.numbered >= MANY and not section.lead and not is_other
    return "plan" if title and (section.boxes >= MANY or is_ordered) else None


def _verdict(text: str, section: LayoutSection) -> ArtifactType | None:
    """An analysis: a line that a label such as `Root cause:` begins, with two items or rows of evidence."""
    if section.items + section.rows < _EVIDENCE:
        return None
    lines = text[section.first : section.own_last].splitlines()
    found = ((line, begins("verdicts", line)) for line in lines)
    said = any(hit is not None and _LABELLED.match(line, hit.end()) for line, hit in found)
    return "analysis" if said else None


def _led(section: LayoutSection) -> bool:
    """Whether only the line before its list says that a section is a plan."""
    silent = not any(has_phrase(row, section.title) for row in ("plans", "roadmaps", "analyses", "frameworks"))
    return silent and section.numbered >= MANY and has_phrase("plans", section.lead)


def _product(  # noqa: PLR0913, PLR0917 - where it stands and what it is
    entry: ConversationEntry,
    position: int,
    kind: ArtifactType,
    section: LayoutSection,
    span: tuple[int, int],
    number: int,
) -> Artifact:
    shown = excerpt(entry, position, *span)
    facts: dict[str, JsonValue] = {"steps": number, "form": _form(section)} if kind == "plan" else {}
    return Artifact(
        kind,
        section.title,
        (shown,),
        Signals(HEADED if section.level and not _led(section) else LED, 80 if entry.by_person else 60),
        _value(kind, shown.text),
        identity_of(shown.text),
        facts=facts,
    )


def _form(section: LayoutSection) -> str:
    return "roadmap" if has_phrase("roadmaps", section.title) else "plan"


def _value(kind: ArtifactType, text: str) -> Value:
    return "very_high" if len(text) >= LARGE or kind == "framework" else "medium"


def _todo(call: ToolCall) -> Iterator[Artifact]:
    """The to-do list of a session as it was written last."""
    text = call.call.text
    if number := text.count("- ["):
        facts: dict[str, JsonValue] = {"steps": number, "form": TODO}
        title = text.partition("\n")[0][len("- [ ] ") :][:200]
        shown = excerpt(call.entry, call.block, 0, len(text))
        yield Artifact("plan", title, (shown,), Signals(HEADED, 60), "medium", identity_of(text), facts=facts)


def _planned(call: ToolCall, *, agreed: bool) -> Iterator[Artifact]:
    """The plan that an agent asked a person to approve, who did by the tool's answer, or in words right after it."""
    entry, position = call.entry, call.block
    plan = entry.blocks[position].text
    if not plan.strip():
        return
    found = sections(plan)
    title = next((one.title for one in found if one.title), plan.strip().partition("\n")[0])[:200]
    number = max((steps(one, found) for one in found), default=0)
    accepted = agreed or call.result is not None
    yield Artifact(
        "plan",
        title,
        (excerpt(entry, position, 0, len(plan)),),
        Signals(CALLED, 100 if accepted else 90),
        _value("plan", plan),
        identity_of(plan),
        facts={"steps": number, "form": "plan", "proposed_by": PLAN_TOOL, "accepted": accepted},
    )


REFUSES: Final = "refuses"  # the fact of a statement that names the plan by its fingerprint
_STRENGTH: Final = 60
_SPOKEN: Final = 70
_DAY: Final = 10  # characters of a time; said again another day, it is said anew
_LONGEST: Final = 240  # characters of a sentence that says one thing


def statements(window: Window) -> Iterator[Artifact]:
    """Every sentence of a person that gives a date or an amount, or denies something."""
    for entry, position, block in window.texts(by_person=True):
        if len(block.text) <= LONGEST_TYPED:
            for first, last in sentences(block.text):
                if _says(block.text[first:last]):
                    yield _statement(entry, position, first, last)


def refusals(window: Window, found: Iterable[Artifact]) -> Iterator[Artifact]:
    """What a person says against a plan of the agent's in the next message; a yes with a remark refuses nothing."""
    entries = {entry.uuid: entry for entry in window.entries}
    for plan in found:
        asked = entries[plan.excerpts[-1].entry]
        if plan.type != "plan" or asked.by_person or plan.facts.get("form") == TODO or plan.facts.get("accepted"):
            continue
        entry = window.answer(asked)
        said = None if entry is None else next(_denials(entry), None)
        if entry is not None and said is not None:
            refusal = _statement(entry, *said)
            identity = identity_of(f"{plan.fingerprint}\n{refusal.identity}")
            yield replace(refusal, identity=identity, facts={REFUSES: plan.fingerprint})


def _denials(entry: ConversationEntry) -> Iterator[tuple[int, int, int]]:
    """The sentences of a message that deny something: block, first and last character."""
    for position, block in enumerate(entry.blocks):
        is_typed = block.kind == "text" and len(block.text) <= LONGEST_TYPED
        if is_typed and not begins("agrees", block.text):
            for first, last in sentences(block.text):
                if refuses(unquoted(block.text[first:last])):
                    yield position, first, last


def _says(sentence: str) -> bool:
    if len(sentence) > _LONGEST or unquoted(sentence) != sentence or not is_meant(sentence):
        return False
    said = statement(sentence)
    return bool(said.stems) and bool(said.amounts or said.dates or is_denied(sentence))


def _statement(entry: ConversationEntry, position: int, first: int, last: int) -> Artifact:
    said = excerpt(entry, position, first, last)
    return Artifact(
        "statement",
        said.text[:120],
        (said,),
        Signals(_STRENGTH, _SPOKEN),
        "low",
        identity_of(f"{entry.at[:_DAY]}\n{said.text}"),
    )


# A cheap look for anything that is laid out at all, before the lines are read one by one.
LAID_OUT: Final = re.compile(r"^[ \t]*(?:#{1,6}[ \t]|\d{1,3}[.)][ \t]|[-*+][ \t]|\|.*\||\*\*[^*\n]+\*\*)", re.MULTILINE)
_BOLD: Final = re.compile(r"\s*\*\*([^*]+)\*\*:?\s*$")
_NUMBERED: Final = re.compile(r"( *)(\d{1,3})[.)]\s+(\S.*)$")
_BULLET: Final = re.compile(r"( *)[-*+]\s+(\S.*)$")
_TABLE: Final = re.compile(r"\s*\|.*\|\s*$")
_RULE: Final = re.compile(r"\s*\|(?:\s*:?-{2,}:?\s*\|)+\s*$")
_CHECKBOX: Final = re.compile(r"\[[ xX]\]\s")
_LED: Final = re.compile(r"\*\*[^*]+\*\*\s*[:—–-]|\*\*[^*]+:\*\*|[\w /-]{2,40}:\s\S")
_STEP: Final = re.compile(r"\s+\d+\b")
_FENCE: Final = re.compile(r"\s{0,3}(?:```|~~~)")
_DEEPEST: Final = 6  # levels of headings
_INDENT: Final = 3  # spaces from which on an item belongs to the one above


@dataclass(slots=True)
class LayoutSection:
    """Text under one heading, without what stands under deeper ones: `first` to `own_last`; with them up to `last`.

    A text without headings is one section with the title of the line that leads to its first list, and level 0.
    `lead` is that line of a section with a heading, where it ends in a colon.
    """

    title: str
    level: int
    first: int
    last: int = 0
    own_last: int = 0
    numbered: int = 0
    bullets: int = 0
    led: int = 0
    boxes: int = 0
    rows: int = 0
    lead: str = ""

    @property
    def items(self) -> int:
        """List items of any kind on the outermost level."""
        return self.numbered + self.bullets


def sections(text: str) -> tuple[LayoutSection, ...]:
    """Every section of a text in order; what stands before the first heading is one of level 0."""
    found = [LayoutSection("", 0, 0)]
    fenced = False
    previous = ""
    for first, line in _lines(text):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            if head := heading(line):
                found.append(LayoutSection(head.words, head.level, first))
            else:
                _count(found[-1], line, previous)
        previous = line if line.strip() else previous
    _close(found, len(text))
    return tuple(one for one in found if one.own_last > one.first)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, line.rstrip("\r\n")
        at += len(line)


def _count(section: LayoutSection, line: str, previous: str) -> None:
    numbered = _NUMBERED.match(line)
    item = numbered or _BULLET.match(line)
    if item and len(item[1]) < _INDENT:
        if not section.items:
            section.lead = _lead(previous) if section.title and previous.rstrip(" *").endswith(":") else ""
            section.title = section.title or _lead(previous)
        said = item[item.lastindex or 0]
        in_order = numbered is not None and int(numbered[2]) == section.numbered + 1
        section.numbered += in_order
        section.bullets += not in_order
        section.led += bool(_LED.match(said))
        section.boxes += bool(_CHECKBOX.match(said))
    elif _TABLE.match(line) and not _RULE.match(line):
        if not section.rows and not section.items and not section.title:
            section.title = _lead(previous)
        section.rows += 1


def _lead(line: str) -> str:
    """The line that leads to a list, as a title."""
    bold = _BOLD.match(line)
    return (bold[1] if bold else line).strip().rstrip(":").strip("* ")[:200]


def _close(found: list[LayoutSection], length: int) -> None:
    """Say where each section ends: alone, and with the deeper ones below it; what stands first ends with itself."""
    next_first = [length] * (_DEEPEST + 1)  # by level, where the next section of that level or above begins
    own_last = length
    for one in reversed(found):
        one.own_last = own_last
        one.last = next_first[one.level] if one.level else own_last
        own_last = one.first
        next_first[one.level :] = [one.first] * (_DEEPEST + 1 - one.level)


def steps(section: LayoutSection, below: tuple[LayoutSection, ...]) -> int:
    """How many steps a section has: numbered items, boxes, or the sections below that are called Step 1, Phase 2."""
    named = [(one.title, begins("steps", one.title)) for one in below]
    called = sum(1 for title, found in named if found and _STEP.match(title, found.end()))
    return max(section.numbered, section.boxes, called)


def trimmed(text: str, first: int, last: int) -> tuple[int, int]:
    """The same span without white space at its ends, and without a rule that separates it from the next."""
    shown = text[first:last].rstrip()
    while shown.endswith("---") and shown.rpartition("\n")[2].strip("- ") == "":
        shown = shown.rpartition("\n")[0].rstrip()
    start = first + len(shown) - len(shown.lstrip())
    return start, first + len(shown)
