"""Plans, analyses and frameworks, recognised by their layout and headings.

Also statements: sentences in which a person gives a value or denies something, so that another source can disagree.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, takewhile
from typing import Final

from pactkeeper.intent.conversation import (
    Artifact,
    ArtifactType,
    ConversationEntry,
    Excerpt,
    Signals,
    ToolCall,
    Value,
    excerpt,
    identity_of,
)
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.speech.clash import begins, has_phrase, is_denied, is_meant, phrase_in, refuses
from pactkeeper.speech.labels import label_of
from pactkeeper.speech.layout import LAID_OUT, LayoutSection, sections
from pactkeeper.speech.replying import is_small_talk
from pactkeeper.speech.spans import TextLine
from pactkeeper.speech.words import statement, stem
from pactkeeper.transcripts.extraction import LONGEST_TYPED, Window, agreement, is_plain_yes, sentences, unquoted

MANY: Final = 3  # steps, items or rows that make up a structure
LONG: Final = 500  # characters that an analysis needs
LARGE: Final = 1500
# Signal strengths: a plan passed to a tool, named by a heading, or named by the line before its list.
CALLED, HEADED, LED = 95, 85, 65
OF_PERSON: Final = 80  # how explicit a plan, analysis or framework is that a person wrote
PLAN_TOOL: Final = "ExitPlanMode"
TODO_TOOLS: Final = frozenset({"TodoWrite", "update_plan"})
TODO: Final = "todo-list"
REFUSED: Final = ("The user doesn't want to", "[Request interrupted by user", "Permission to use ")
# What a tool answers for a person who accepts a plan as it is.
_ACCEPTED: Final = re.compile(
    r"User has approved your plan\.(?: You can now start coding\."
    r"(?: Start with updating your todo list if applicable\.?)?)?"
    r"(?:\s{1,9}Your plan has been saved to: \S+)?"
    r"(?:\s{1,9}You can refer back to it if needed during implementation\.)?"
    r"(?:\s{1,9}## Approved Plan:)?\s{0,9}"
)


def is_acceptance(answer: str, plan: str) -> bool:
    """Whether an answer says that exactly this plan is accepted, and nothing else."""
    before, _, after = answer.partition(plan.strip())
    return not after.strip() and _ACCEPTED.fullmatch(before) is not None


def products(window: Window) -> Iterator[Artifact]:
    """Every plan, analysis and framework written by the agent or by people; summaries are not searched."""
    for by_person in (False, True):
        for entry, position, block in window.texts(by_person=by_person):
            if len(block.text) >= _SHORTEST and LAID_OUT.search(block.text):
                yield from _of_text(entry, position, block.text)
            elif not by_person:
                yield from _concluded(entry, position, block.text)
    for call in window.calls:
        if call.call.tool == PLAN_TOOL and not _was_refused(call):
            yield from _planned(call, agreed=agreement(window, call.entry) is not None)
    todo = [call for call in window.calls if call.call.tool in TODO_TOOLS and not _was_refused(call)]
    for call in todo[-1:]:
        yield from _todo(call)


def _was_refused(call: ToolCall) -> bool:
    return call.result is not None and (bool(call.result.failed) or call.result.text.startswith(REFUSED))


_SHORTEST: Final = 40
_EVIDENCE: Final = 2  # items or rows required below a verdict
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
    """What a section and everything below it is; a section of level 0 is judged without the sections after it."""
    if section.level == 0 and below:
        return None
    inner = (section, *below)
    items, rows = sum(len(one.items) for one in inner), sum(one.rows for one in inner)
    led = sum(one.led for one in inner)
    title = section.title
    if _is_plan(section, below):
        return "plan"
    if has_phrase("frameworks", title) and (rows > MANY or led >= MANY):
        return "framework"
    if has_phrase("analyses", title) and section.last - section.first >= LONG and (items >= MANY or rows > MANY):
        return "analysis"
    return None


def _is_plan(section: LayoutSection, below: tuple[LayoutSection, ...]) -> bool:
    """Whether a section has open steps, and its heading or lead line doesn't mark it as an aside."""
    title = section.title
    if not title or has_phrase("asides", title) or _is_form(title) or not all(map(_can_be_done, (section, *below))):
        return False
    if _led(section):
        return True
    is_roadmap = has_phrase("roadmaps", title)
    if is_roadmap and sum(bool(one.title) for one in below) >= MANY <= sum(len(one.items) for one in below):
        return True
    if has_phrase("plans", title) or is_roadmap:
        return steps(section, below) >= MANY
    if has_phrase("analyses", title) or has_phrase("frameworks", title):
        return False
    is_ordered = section.level > 0 and section.numbered >= MANY and not section.lead
    return section.boxes >= MANY or is_ordered


def _is_form(title: str) -> bool:
    """Whether a heading belongs to an issue form, such as `Steps to reproduce`."""
    named = label_of(title, heading=True)
    return named is not None and named.field != "proposed_solution" and not has_phrase("wanted", title)


def _can_be_done(section: LayoutSection) -> bool:
    """Whether fewer than half of a section's steps are questions or already done."""
    found = [one.line for one in section.items if one.line.number or one.line.box]
    return not found or 2 * sum(map(_is_no_work, found)) < len(found)


def _is_no_work(line: TextLine) -> bool:
    """Whether an item is a question, is ticked, starts with an English past participle, or has its own subject."""
    first = line.text.strip("*_` ").partition(" ")[0].strip("*_`:.,").casefold()
    is_past = first.endswith("ed") and stem(first) != first
    return line.box == "x" or line.text.endswith("?") or is_past or first in _SUBJECTS


_SUBJECTS: Final = frozenset(("a", "an", "the", "it", "this", "that", "there", "they", "you"))


def _verdict(text: str, section: LayoutSection) -> ArtifactType | None:
    """An analysis: a line starting with a label such as `Root cause:`, with two items or rows of evidence."""
    if len(section.items) + section.rows < _EVIDENCE:
        return None
    lines = text[section.first : section.own_last].splitlines()
    found = ((line, begins("verdicts", line)) for line in lines)
    said = any(hit is not None and _LABELLED.match(line, hit.end()) for line, hit in found)
    return "analysis" if said else None


def _concluded(entry: ConversationEntry, position: int, text: str) -> Iterator[Artifact]:
    """A spoken analysis: sentences on one line with figures, then one starting with a label such as `Conclusion:`."""
    said = list(sentences(text)) if len(text) <= LONGEST_TYPED and has_phrase("verdicts", text) else []
    for at, (first, last) in enumerate(said):
        hit = begins("verdicts", text[first:last])
        start = next((one for one, _ in said[:at] if "\n" not in text[one:first]), first)
        if hit and _LABELLED.match(text[first:last], hit.end()) and statement(text[start:first]).amounts:
            shown = excerpt(entry, position, start, last)
            yield Artifact(
                "analysis",
                shown.text[:120],
                (shown,),
                Signals(LED, 60),
                _value("analysis", shown.text),
                identity_of(shown.text),
            )


def _led(section: LayoutSection) -> bool:
    """Whether only the line before its list marks a section as a plan."""
    silent = not any(has_phrase(row, section.title) for row in ("plans", "roadmaps", "analyses", "frameworks"))
    return silent and section.numbered >= MANY and has_phrase("plans", section.lead)


def _product(  # noqa: PLR0913, PLR0917 - its place and its contents
    entry: ConversationEntry,
    position: int,
    kind: ArtifactType,
    section: LayoutSection,
    span: tuple[int, int],
    number: int,
) -> Artifact:
    shown = excerpt(entry, position, *span)
    form = "roadmap" if has_phrase("roadmaps", section.title) else "plan"
    facts: dict[str, JsonValue] = {"steps": number, "form": form} if kind == "plan" else {}
    return Artifact(
        kind,
        section.title,
        (shown,),
        Signals(HEADED if section.level and not _led(section) else LED, OF_PERSON if entry.by_person else 60),
        _value(kind, shown.text),
        identity_of(shown.text),
        facts=facts,
    )


def _value(kind: ArtifactType, text: str) -> Value:
    return "very_high" if len(text) >= LARGE or kind == "framework" else "medium"


def _todo(call: ToolCall) -> Iterator[Artifact]:
    """The latest to-do list of a session."""
    text = call.call.text
    if number := text.count("- ["):
        facts: dict[str, JsonValue] = {"steps": number, "form": TODO}
        title = text.partition("\n")[0][len("- [ ] ") :][:200]
        shown = excerpt(call.entry, call.block, 0, len(text))
        yield Artifact("plan", title, (shown,), Signals(HEADED, 60), "medium", identity_of(text), facts=facts)


def _planned(call: ToolCall, *, agreed: bool) -> Iterator[Artifact]:
    """The plan that an agent submitted for approval, accepted by the tool's result or by the person's next message."""
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


# The fact in a statement that holds the fingerprint of the plan it refuses.
REFUSES: Final = "refuses"
_STRENGTH: Final = 60
_SPOKEN: Final = 70
_DAY: Final = 10  # characters of a date in a time; the same words on another day count again
_QUESTION: Final = 500  # characters of a question that are shown with its answer
LONGEST_REMARK: Final = 20_000  # characters; what stands further down is pasted
_LONGEST: Final = 240  # characters of a sentence that says one thing


def statements(window: Window) -> Iterator[Artifact]:
    """Every sentence of a person that gives a date or an amount, or denies something."""
    for entry, position, block in window.texts(by_person=True):
        if len(block.text) <= LONGEST_TYPED:
            for first, last in sentences(block.text):
                if _says(block.text[first:last]):
                    yield spoken(entry, position, first, last)


def remarks(window: Window) -> Iterator[Artifact]:
    """Every message of a person but small talk, whole: it may change what was agreed or done before.

    A plain yes means what it answers, so it comes with the agent's question; one to a submitted plan accepts that.
    """
    submitted = [call.entry for call in window.calls if call.call.tool == PLAN_TOOL and call.result is None]
    accepting = {answer.uuid for entry in submitted if (answer := window.answer(entry)) is not None}
    for entry, position, block in window.texts(by_person=True):
        if is_plain_yes(block.text):
            asked = _question(window, entry) if entry.uuid not in accepting else None
            if asked is not None:
                said = spoken(entry, position, 0, len(block.text))
                parts, identity = (asked, *said.excerpts), identity_of(f"{entry.uuid} {position}")
                yield replace(said, type="remark", excerpts=parts, identity=identity)
        elif block.text.strip() and not is_small_talk(block.text):
            said = spoken(entry, position, *trimmed(block.text, 0, min(len(block.text), LONGEST_REMARK)))
            yield replace(said, type="remark", identity=identity_of(f"{entry.uuid} {position}"))


def _question(window: Window, answer: ConversationEntry) -> Excerpt | None:
    """The end of the agent's last text before an answer, if there is a question in it."""
    before = window.entries[: window.entries.index(answer)]
    since = takewhile(lambda entry: not entry.by_person, reversed(before))
    own = (entry for entry in since if entry.role == "assistant")
    texts = [(entry, at) for entry in own for at, one in enumerate(entry.blocks) if one.kind == "text"]
    if not texts:
        return None
    entry, at = texts[0]
    text = entry.blocks[at].text
    return excerpt(entry, at, max(0, len(text) - _QUESTION), len(text)) if "?" in text else None


def replies(window: Window, found: Iterable[Artifact]) -> Iterator[Artifact]:
    """A person's denial of the agent's plan in their next message, unless that agrees or is about a step."""
    entries = {entry.uuid: entry for entry in window.entries}
    for plan in found:
        asked = entries[plan.excerpts[-1].entry]
        if plan.type != "plan" or asked.by_person or plan.facts.get("form") == TODO or plan.facts.get("accepted"):
            continue
        entry = window.answer(asked)
        if entry is None or agreement(window, asked) is not None:
            continue
        for position, first, last in islice(_denials(entry), 1):
            reply = spoken(entry, position, first, last)
            identity = identity_of(f"{plan.fingerprint}\n{reply.identity}")
            yield replace(reply, identity=identity, facts={REFUSES: plan.fingerprint})


def _denials(entry: ConversationEntry) -> Iterator[tuple[int, int, int]]:
    """The block and characters of each sentence that denies something.

    In a text that agrees, names a step or begins with a number, as one that picks steps, it denies a part at most.
    """
    for position, block in enumerate(entry.blocks):
        if block.kind != "text" or len(block.text) > LONGEST_TYPED:
            continue
        if begins("agrees", block.text) or names_step(block.text) or block.text.lstrip()[:1].isdigit():
            return
        for first, last in sentences(block.text):
            if refuses(unquoted(block.text[first:last])):
                yield position, first, last


def names_step(text: str) -> bool:
    """Whether a text is about steps, by their numbers, so that denying it denies no more."""
    found = phrase_in("steps", text)
    return found is not None and _STEP.match(text, found.end()) is not None


def steps_in(text: str) -> frozenset[int]:
    """The numbers of the steps that a text names first: `step 1`, `steps 1, 2 and 4`, `steps 1-3`.

    None if another number follows in a way that isn't read: `step 1 or 2`.
    """
    found = phrase_in("steps", text)
    listed = _LISTED.match(text, found.end()) if found is not None else None
    if listed is None or listed["more"]:
        return frozenset()
    named = (one.groups() for one in _RANGE.finditer(listed["steps"]))
    return frozenset(number for first, last in named for number in range(int(first), int(last or first) + 1))


def _says(sentence: str) -> bool:
    if len(sentence) > _LONGEST or unquoted(sentence) != sentence or not is_meant(sentence):
        return False
    said = statement(sentence)
    return bool(said.stems) and bool(said.amounts or said.dates or is_denied(sentence))


def spoken(entry: ConversationEntry, position: int, first: int, last: int) -> Artifact:
    """A span of a message as a statement."""
    said = excerpt(entry, position, first, last)
    return Artifact(
        "statement",
        said.text[:120],
        (said,),
        Signals(_STRENGTH, _SPOKEN),
        "low",
        identity_of(f"{entry.at[:_DAY]}\n{said.text}"),
    )


_STEP: Final = re.compile(r"\s+\d{1,9}\b")
_RANGE: Final = re.compile(r"(\d{1,3})(?:\s?[-–]\s?(\d{1,3}))?\b")
_LISTED: Final = re.compile(
    r"\s+(?P<steps>\d{1,3}(?:(?:,\s?|\s?[-–&+]\s?|,?\s(?:and|und|et|y)\s)\d{1,3}){0,30})\b"
    r"(?P<more>\s{0,3}[^\s\d]{1,10}\s{0,3}\d)?",
    re.IGNORECASE,
)


def steps(section: LayoutSection, below: tuple[LayoutSection, ...]) -> int:
    """The number of steps in a section: numbered items, boxes, or subsections titled Step 1, Phase 2 and so on."""
    named = [(one.title, begins("steps", one.title)) for one in below]
    called = sum(1 for title, found in named if found and _STEP.match(title, found.end()))
    return max(section.numbered, section.boxes, called)


def trimmed(text: str, first: int, last: int) -> tuple[int, int]:
    """The span without surrounding white space and without a trailing `---` rule."""
    shown = text[first:last].rstrip()
    while shown.endswith("---") and shown.rpartition("\n")[2].strip("- ") == "":
        shown = shown.rpartition("\n")[0].rstrip()
    start = first + len(shown) - len(shown.lstrip())
    return start, first + len(shown)
