"""Apply all rules to one window and complete each artifact: its domain, the names in it, a summary.

Also decides whether an artifact was written down: whether one later call wrote most of its lines. What others than the
person say (answers of tools, the agent around a merge) is kept as remarks with `by`, only to be held against what a
conversation leads to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import PurePath
from typing import Final

from pactkeeper.intent.conversation import (
    MESSAGE,
    PERSISTENCES,
    Artifact,
    Change,
    CommitmentUpdate,
    ConversationEntry,
    Excerpt,
    Persistence,
    Signals,
    ToolCall,
    content,
    excerpt,
    identity_of,
)
from pactkeeper.speech.clash import begins, has_word, is_denied, is_meant
from pactkeeper.speech.languages import words_of
from pactkeeper.speech.words import statement
from pactkeeper.transcripts.extraction import LONGEST_TYPED, Window, decisions, sentences, simple_commands, unquoted
from pactkeeper.transcripts.extraction.calls import board_calls, error_patterns
from pactkeeper.transcripts.extraction.events import CLOSING, INTERESTING, events
from pactkeeper.transcripts.extraction.events import RULES as EVENTS
from pactkeeper.transcripts.extraction.products import (
    LONGEST_REMARK,
    PLAN_TOOL,
    REFUSED,
    REFUSES,
    is_acceptance,
    products,
    remarks,
    replies,
    spoken,
    statements,
    steps_in,
    trimmed,
)
from pactkeeper.transcripts.sources.records import json_object

_NUMBERS: Final = re.compile(r"\d(?:[,;]\s++|\s++)(?:\w{1,4}\s++)?\d")
_CLAUSE: Final = re.compile(r"[,;]\s++|(?<!\s)\s++(?:but|and|aber|und|mais|et|pero|y)\s++")
_COLON: Final = re.compile(r"(?<!\s)\s*+:\s*+(?=\S)")
_STRENGTH: Final[dict[Change, int]] = {"completion": 80, "reschedule": 85, "new": 85}
_SPOKEN: Final = 70  # a person said so; no tool did it
_DAY: Final = 10  # characters of a date in a time; the same words on another day count again


def commitment_updates(window: Window) -> Iterator[Artifact]:
    """Every clause in which a person reports a task's status; no questions, conditions, denials or quotations.

    What stands around it may doubt or deny it, in any words: the whole message is kept to be shown.
    """
    for entry, position, block in window.texts(by_person=True):
        if len(block.text) <= LONGEST_TYPED:
            for first, last in sentences(block.text):
                for start, end in _clauses(block.text, first, last):
                    change = _change(block.text[start:end])
                    if change is not None:
                        yield _artifact(entry, position, (start, end), change)


def _clauses(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The clauses of a sentence that denies or wants something, which concerns one task only; else the sentence."""
    sentence = text[first:last]
    is_mixed = is_denied(sentence) or has_word("pending", sentence)
    yield from _parted(text, first, last) if is_mixed else ((first, last),)


def _parted(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    at = first
    for cut in _CLAUSE.finditer(text, first, last):
        if not _NUMBERS.match(text, cut.start() - 1, last):  # `steps 1, 2 and 3` is one thing
            yield at, cut.start()
            at = cut.end()
    yield at, last


def _change(clause: str) -> Change | None:
    if unquoted(clause) != clause:
        return None
    label = begins("entries", clause)
    if label is not None and _COLON.match(clause, label.end()):
        return "new"
    if not _is_so(clause):
        return None
    if has_word("moved", clause) and statement(clause).dates:
        return "reschedule"
    return "completion" if _is_done(clause) and len(statement(clause).stems) > 1 else None


def _is_so(clause: str) -> bool:
    return is_meant(clause) and not is_denied(clause) and not has_word("scopes", clause)


def _is_done(clause: str) -> bool:
    return has_word("done", clause) and not has_word("pending", clause)


def _artifact(entry: ConversationEntry, position: int, span: tuple[int, int], change: Change) -> Artifact:
    said = excerpt(entry, position, *span)
    target = _COLON.split(said.text, maxsplit=1)[1].strip() if change == "new" else said.text
    return Artifact(
        "commitment_update",
        f"{change}: {said.text}"[:200],
        (said,),
        Signals(_STRENGTH[change], _SPOKEN),
        "medium",
        identity_of(f"{entry.at[:_DAY]}\n{said.text}"),
        update=CommitmentUpdate(target, change),
        facts={MESSAGE: entry.blocks[position].text},
    )


STEPS: Final = "done steps"  # a fact: the numbers of the steps that somebody called done or left out
_TERM: Final = re.compile(r"[^\W_][\w'’-]*")
_LEAVING: Final = ("removals", "negations", "without", "steps", "empty", "deeds", "agrees", "small_talk")


def finished_steps(window: Window) -> Iterator[Artifact]:
    """Every sentence that says of steps of a plan that they are done, or a person's that leaves some out, by number."""
    for by_person in (False, True):
        for entry, position, block in window.texts(by_person=by_person):
            for first, last in sentences(block.text) if len(block.text) <= LONGEST_TYPED else ():
                said = block.text[first:last]
                clauses = [block.text[start:end] for start, end in _parted(block.text, first, last)]
                done = frozenset[int]().union(*(steps_in(one) for one in clauses if _is_so(one) and _is_done(one)))
                done = done if is_meant(said) else frozenset()
                done = done.union(*map(_left_out, clauses if by_person and "?" not in said else ()))
                if done and unquoted(said) == said:
                    found = spoken(entry, position, first, last)
                    identity = identity_of(f"{entry.uuid} {position} {first} {STEPS}")
                    yield replace(found, type="remark", identity=identity, facts={STEPS: sorted(done)})


def _left_out(clause: str) -> frozenset[int]:
    """The steps that a clause leaves out, if it says nothing else: `leave out step 4`, `not 2`."""
    number = re.search(r"\d", clause)
    if number is None:
        return frozenset()
    before, words = clause[: number.start()].casefold(), _TERM.findall(clause.casefold())
    is_removed = not words_of("removals").isdisjoint(_TERM.findall(before))
    unsure = frozenset().union(*map(words_of, ("only", "scopes", "hedges"))) - words_of("small_talk")
    known = frozenset().union(*map(words_of, _LEAVING)) - unsure
    is_plain = all(one in known or known.issuperset(re.split("['’]", one)) for one in words if not one[0].isdigit())
    if is_removed == is_denied(before) or not is_plain:
        return frozenset()
    return steps_in(clause) or steps_in(f"step {clause[number.start() :]}")


Rule = Callable[[Window], Iterator[Artifact]]
BY: Final = "by"
AGENT, TOOL = "agent", "tool"
_MCP: Final = "mcp__"
_ONLY_SIGNS: Final = re.compile(r"[\W_]*")


def heard(window: Window) -> Iterator[Artifact]:
    """Each answer that may name a task, a request or a commit, and what the agent says in a turn that merges or pushes.

    What a person changed in a plan while accepting it stands in the answer to that plan, and is their own remark.
    """
    for call in window.calls:
        if call.result_entry is None or call.result is None:
            continue
        if call.call.tool == PLAN_TOOL:
            if not call.result.text.startswith(REFUSED) and not is_acceptance(call.result.text, call.call.text):
                yield from _remark(call.result_entry, call.result_block, "")
        elif call.call.tool.startswith(_MCP) or INTERESTING.search(call.call.text):
            yield from _remark(call.result_entry, call.result_block, TOOL)
    yield from _agents(window)


def _agents(window: Window) -> Iterator[Artifact]:
    closing = {call.result_entry.uuid for call in window.calls if call.result_entry is not None and _may_close(call)}
    for turn in _turns(window.entries):
        if not closing.isdisjoint(entry.uuid for entry in turn):
            for entry in turn:
                for position, block in enumerate(entry.blocks if entry.role == "assistant" else ()):
                    if block.kind == "text":
                        yield from _remark(entry, position, AGENT)


def _turns(entries: Iterable[ConversationEntry]) -> Iterator[list[ConversationEntry]]:
    """What stands between the messages of people."""
    for is_person, turn in groupby(entries, lambda entry: entry.by_person):
        if not is_person:
            yield list(turn)


def _may_close(call: ToolCall) -> bool:
    if not INTERESTING.search(call.call.text):
        return False
    commands = simple_commands(call.call.text)
    return any(rule.kind in CLOSING and rule.fits(words) for words in commands for rule in EVENTS)


def _remark(entry: ConversationEntry, position: int, by: str) -> Iterator[Artifact]:
    text = entry.blocks[position].text
    if _ONLY_SIGNS.fullmatch(text):
        return
    said = spoken(entry, position, *trimmed(text, 0, min(len(text), LONGEST_REMARK)))
    facts = {BY: by} if by else {}
    yield replace(said, type="remark", identity=identity_of(f"{entry.uuid} {position} heard"), facts=facts)


RULES: Final[tuple[Rule, ...]] = (
    products,
    decisions,
    commitment_updates,
    finished_steps,
    error_patterns,
    events,
    board_calls,
    statements,
    remarks,
    heard,
)
_NAMES: Final = re.compile(
    r"`([^`\n]{2,60})`|\*\*([^*\n]{2,60}?):?\*\*|(?<!\w)([A-Z][A-Z0-9]+-\d+|#\d+)\b|(https?://[^\s)>\]]+)"
)
MOST_NAMES: Final = 20
SUMMARY: Final = 200


def extract(
    context: tuple[ConversationEntry, ...],
    entries: tuple[ConversationEntry, ...],
    *,
    fresh: Collection[str],
    earlier: Callable[[], Iterable[Artifact]] = tuple,
) -> tuple[Artifact, ...]:
    """Everything that ends in a fresh entry, in the order of the conversation, each once.

    `context` are entries that the new ones may refer to. `earlier` artifacts are loaded only if the fresh entries write
    something; those that have now been written down are returned again. Text of a transcript is data, never an
    instruction.
    """
    window = Window.of((*context, *entries))
    written = writings(window)
    by_uuid: Mapping[str, ConversationEntry] = {entry.uuid: entry for entry in window.entries}
    ruled = [one for rule in RULES for one in rule(window)]
    found = _once([*ruled, *replies(window, ruled)], fresh)
    again = _written_now(written, earlier, fresh)
    complete = (described(one, by_uuid[one.excerpts[-1].entry]) for one in _in_order(found, window))
    return (*again, *(with_persistence(one, written) for one in complete))


def _once(found: list[Artifact], fresh: Collection[str]) -> list[Artifact]:
    """Those that end in a fresh entry, without statements contained in another artifact."""
    taken = [
        (part.entry, part.block, part.first, part.last)
        for one in found
        if one.type not in {"statement", "remark"} or REFUSES in one.facts
        for part in one.excerpts
    ]
    return [
        one
        for one in found
        if one.excerpts[-1].entry in fresh
        and not (one.type == "statement" and not one.facts and _within(one.excerpts[0], taken))
    ]


def _within(part: Excerpt, taken: Iterable[tuple[str, int, int, int]]) -> bool:
    return any(
        (part.entry, part.block) == (entry, block) and first <= part.first and part.last <= last
        for entry, block, first, last in taken
    )


def _in_order(found: Iterable[Artifact], window: Window) -> list[Artifact]:
    order = {entry.uuid: position for position, entry in enumerate(window.entries)}
    unique = {one.fingerprint: one for one in reversed(list(found))}
    return sorted(unique.values(), key=lambda one: (order[one.excerpts[-1].entry], one.excerpts[-1].first, one.type))


def _written_now(
    written: tuple[WritingCall, ...], earlier: Callable[[], Iterable[Artifact]], fresh: Collection[str]
) -> Iterator[Artifact]:
    new = [one for one in written if one.call.result_entry is not None and one.call.result_entry.uuid in fresh]
    for one in earlier() if new else ():
        judged = with_persistence(one, new)
        if PERSISTENCES.index(judged.persistence) > PERSISTENCES.index(one.persistence):
            yield judged


def described(one: Artifact, entry: ConversationEntry) -> Artifact:
    """Complete an artifact with its domain, the names in it and a summary; `entry` is where it ends."""
    text = content(one)
    return replace(one, domain=PurePath(entry.cwd).name, entities=_named(text), summary=_summary(one, text))


def _named(text: str) -> tuple[str, ...]:
    """Names in a text: code, bold words, ids and URLs."""
    found = (next(filter(None, one.groups())).strip() for one in _NAMES.finditer(text))
    return tuple(dict.fromkeys(found))[:MOST_NAMES]


def _summary(one: Artifact, text: str) -> str:
    """The first line besides the title, verbatim."""
    lines = (line.strip() for line in text.splitlines())
    return next((line[:SUMMARY] for line in lines if line and line.strip("#* :") != one.title.strip("#* :")), "")


MOST, SOME = 90, 30  # percent of an artifact's lines
_WRITES: Final = re.compile(
    r"^(?:Write|Edit|MultiEdit|NotebookEdit|apply_patch|write_file|create_file|str_replace_editor)$"
    r"|^mcp__.*(?:create|update|append|add|write|edit|patch|insert)",
    re.IGNORECASE,
)
_KINDS: Final = frozenset({"plan", "analysis", "framework", "decision_with_context"})
_PATHS: Final = frozenset({"file_path", "path", "notebook_path"})
_MARKS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class WritingCall:
    """A call that wrote something, and the normalized lines it wrote."""

    call: ToolCall
    lines: frozenset[str]


def writings(window: Window) -> tuple[WritingCall, ...]:
    """Every successful call that wrote text somewhere."""
    return tuple(WritingCall(call, _lines(_written(call))) for call in window.calls if _wrote(call))


def with_persistence(one: Artifact, written: Iterable[WritingCall]) -> Artifact:
    """Record how much of a work product a call wrote; the evidence is that call's id."""
    wanted = _lines(content(one)) if one.type in _KINDS else frozenset()
    shares = [(100 * len(wanted & writing.lines) // len(wanted), writing.call) for writing in written if wanted]
    share, call = max(shares, key=itemgetter(0), default=(0, None))
    if call is None or share < SOME:
        return one
    state: Persistence = "persisted" if share >= MOST else "partial"
    path = next((str(value) for key, value in json_object(call.call.arguments).items() if key in _PATHS), "")
    facts = {**one.facts, "path": path} if path else one.facts
    why = f"{call.call.tool} {call.call.call}: {share} % of its lines"
    return replace(one, persistence=state, evidence=why, facts=facts)


def _wrote(call: ToolCall) -> bool:
    return bool(_WRITES.search(call.call.tool)) and call.result is not None and not call.result.failed


def _written(call: ToolCall) -> str:
    """All strings in a call's arguments; arguments that aren't JSON, such as a patch, as they are."""
    given = json_object(call.call.arguments)
    return "\n".join(_texts(given)) if given else call.call.arguments


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return (value,)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return tuple(text for one in inner for text in _texts(one))


def _lines(text: str) -> frozenset[str]:
    """The lines normalized to their words, so that list, emphasis and patch markers don't matter."""
    return frozenset(words for line in text.splitlines() if (words := _MARKS.sub(" ", line).strip().casefold()))
