"""What people say about their tasks; a task is identified only by its id, its address or its exact title."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import Final

from pactkeeper.boards.sections import under
from pactkeeper.errors import StaleError
from pactkeeper.intent.board import Document, Task
from pactkeeper.intent.conversation import Artifact, Change, content
from pactkeeper.intent.redaction import redacted
from pactkeeper.intent.thread_event import OPEN_QUESTIONS
from pactkeeper.ledger.canonical import digest
from pactkeeper.speech.clash import is_denied
from pactkeeper.speech.dates import Date, apart, dates_in
from pactkeeper.speech.spans import lines, whole_line
from pactkeeper.transcripts.extraction import simple_commands
from pactkeeper.transcripts.extraction.events import CLOSING, told
from pactkeeper.transcripts.reconciling import SeenArtifact, TranscriptWorld
from pactkeeper.transcripts.reconciling.contradicting import Bound, by_ids, elsewhere, has_title, ids_of, named, undone
from pactkeeper.transcripts.reconciling.handles import Handles, handles, says_more
from pactkeeper.transcripts.reconciling.observed import NUMBERED, reverted
from pactkeeper.transcripts.reconciling.proposing import Found, WantedChange, judged, propose, remark, suppressed
from pactkeeper.transcripts.reconciling.saying import TITLE, ListItem, compare, said
from pactkeeper.transcripts.reconciling.tasks import with_status, work

_TODO: Final = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[ \][ \t]+(.*?)[ \t]*$", re.MULTILINE)


def update(seen: SeenArtifact, world: TranscriptWorld) -> Iterator[Found]:
    """Judge what somebody said about a task; every resulting change needs a person's decision."""
    said_of = seen.artifact.update
    assert said_of is not None  # noqa: S101 - the artifact's type implies it
    target = said_of.target
    if said_of.change == "new":
        yield from work(seen, ListItem(target.splitlines()[0][:TITLE], content(seen.artifact)), world)
        return
    if said_of.change == "reschedule":
        yield from moved(seen, target, world)
    tasks = named(target, world)
    for bound in tasks:
        yield from _changed(seen, bound, said_of.change, world)
    if tasks:
        return
    ticked = list(_ticked(seen, target, world)) if said_of.change == "completion" else []
    unseen = world.unseen()
    reason = f"can't tell whether it is missing: {unseen}" if unseen else "no task has this id, address or title"
    yield from ticked or [suppressed(seen, target, reason, "logTask")]


def _changed(seen: SeenArtifact, bound: Bound, change: Change, world: TranscriptWorld) -> Iterator[Found]:
    if bound.task.status == "done":
        yield judged(seen, bound.task.title, "exists", "the task is done already", by=bound.task.id)
        return
    why = f"{bound.board.name} does not show this {change}"
    yield judged(seen, bound.task.title, "stale", why, by=bound.task.id)
    if change == "completion":
        why = f"somebody said it is done, matched by its {bound.by}"
        yield from propose(seen, completing(bound, why, asked=True), world)
    else:
        why = "somebody said it was moved to another date"
        yield from propose(seen, noting(seen, bound, "was moved to another date", why), world)


def _ticked(seen: SeenArtifact, target: str, world: TranscriptWorld) -> Iterator[Found]:
    """Propose ticking the one to-do in a document that says exactly this; a person is asked."""
    todos = [(one, text) for one in world.documents for text in _TODO.findall(one.body)]
    words = said(target)
    found = [todo for todo in todos if has_title(words, said(todo[1]))]
    if len(found) != 1:
        return
    document, text = found[0]
    board = world.document_board.name
    why = f"somebody said it is done, but {document.title!r} lists it as to do"
    yield judged(seen, target, "stale", why, by=document.id)
    payload = {"board": board, "document": document.id, "text": text, "title": document.title}
    where = f"{board}/document/{document.id}#todo-" + digest(text)[3:15]
    yield from propose(
        seen, WantedChange("tickTodo", where, digest([text, False]), payload, text, why, asked=True), world
    )


def completing(bound: Bound, why: str, *, machine: bool = False, asked: bool = False) -> WantedChange:
    """Mark a task as done, provided it hasn't changed since it was seen."""
    task = bound.task
    version = digest([task.id, task.version or [task.status, task.state]])
    payload = {"board": bound.board.name, "task": task.id, "title": task.title, "version": task.version}
    target = f"{bound.board.name}/task/{task.id}"
    return WantedChange("completeTask", target, version, payload, task.title, why, machine, asked)


def noting(seen: SeenArtifact, bound: Bound, text: str, why: str, *, machine: bool = False) -> WantedChange:
    """Add a remark to a task, once for each artifact."""
    task = bound.task
    payload = {"board": bound.board.name, "task": task.id, "title": task.title, "text": remark(seen, text)}
    target = f"{bound.board.name}/task/{task.id}#{seen.artifact.id}"
    return WantedChange("logTask", target, None, payload, task.title, why, machine)


@dataclass(frozen=True, slots=True)
class _Line:
    document: Document
    heading: str
    text: str
    date: Date


def _days(text: str) -> tuple[Date, ...]:
    """The dates in a text with their positions; none if lowercasing changes its length."""
    small = text.lower()
    return dates_in(small) if len(small) == len(text) else ()


def moved(seen: SeenArtifact, target: str, world: TranscriptWorld) -> Iterator[Found]:
    """Propose the new date for the one document line that a sentence is about and that has a different date."""
    found = [line for document in world.documents for line in _about(document, target)]
    new = _days(target)
    if len(found) != 1 or len(new) != 1 or not apart(found[0].date, new[0]):
        return
    (line,) = found
    document, board, old = line.document, world.document_board.name, line.date
    day = redacted(target[new[0].start : new[0].end])
    changed = f"{line.text[: old.start]}{day}{line.text[old.end :]}"
    why = f"{document.title!r} has {line.text[old.start : old.end]} and somebody moved it to {day}"
    yield judged(seen, target, "stale", why, by=document.id)
    payload = {"board": board, "document": document.id, "heading": line.heading, "old": line.text, "new": changed}
    where = f"{board}/document/{document.id}#line-" + digest([line.heading, line.text])[3:15]
    wanted = {**payload, "title": document.title}
    yield from propose(
        seen,
        WantedChange("patchDocumentSection", where, digest(line.text), wanted, document.title, why, asked=True),
        world,
    )


def _about(document: Document, target: str) -> Iterator[_Line]:
    """Dated lines whose words all occur in the sentence, and longer lines about the same."""
    found = [line for line in _dated(document) if _words(line) and _words(line) <= said(target).topics]
    about = frozenset[str]().union(*map(_words, found))
    more = (line for line in _dated(document) if found and about < _words(line))
    yield from (line for line in (*found, *more) if _once(document.body, line.heading, line.text))


def _dated(document: Document) -> Iterator[_Line]:
    over = ""
    for line in lines(document.body):
        text = whole_line(document.body, line).text
        dates = _days(text)
        if line.kind == "heading":
            over = line.text
        elif len(dates) == 1:
            yield _Line(document, over, text, dates[0])


def _words(line: _Line) -> frozenset[str]:
    """The topics of a line besides its date."""
    return said(f"{line.text[: line.date.start]} {line.text[line.date.end :]}").topics


def _once(body: str, heading: str, text: str) -> bool:
    try:
        start, end = under(body, heading)
    except StaleError:
        return False
    return body.count(text, start, end) == 1 and "pactkeeper:" not in text


_ITSELF: Final = frozenset({"board_call", "document_call"})
_SHIPS: Final = frozenset({"merge", "deploy", "release"})
_CLOSING: Final = (
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|completes?|completed|finish(?:es|ed)?|done)\b"
    r"[:\s]+(?P<task>[\w./-]{0,100}#\d+|[A-Z][A-Z0-9]*-\d[0-9a-f]*|T-[0-9a-f]{6,}|https?://[^\s),;]+)"
)
_CLOSES: Final = re.compile(_CLOSING, re.IGNORECASE)
# A state by which nobody says that something else has to come first.
_OPEN: Final = frozenset({"", "open", "opened", "new", "to do", "todo", "backlog", "not started"})
_MERGED: Final = 2  # a merge, and what it merged
_PERHAPS_PART: Final = "that doesn't mean all of it is done"
_OPTION: Final = re.compile(r"^(?:-[a-zA-Z]|--[a-z-]+=)")
_DRESS: Final = " \t().,;:"
_QUOTES: Final = " \t\"'"
_BRACKETED: Final = re.compile(r"\(([^()]{6,200})\)")


def event(seen: SeenArtifact, world: TranscriptWorld, later: SeenArtifact | None = None) -> Iterator[Found]:
    """Judge one event; an event that names no task is ignored.

    `later` is the last successful event of its kind in the same folder.
    """
    artifact = seen.artifact
    kind, outcome = str(artifact.facts.get("kind")), str(artifact.facts.get("outcome"))
    if kind in _ITSELF:
        if outcome == "succeeded":
            yield judged(seen, artifact.title, "exists", "the session itself wrote it there")
        return
    if kind == "test_run":
        return
    if outcome == "succeeded" and kind in _SHIPS:
        yield from _documents(seen, kind, world)
    for bound in _named(artifact, world):
        if outcome != "succeeded":
            how = (
                f"how the {kind} went isn't known"
                if outcome == "unknown"
                else f"the {kind} {outcome.replace('_', ' ')}"
            )
            reason = f"{how}, so it decides nothing"
            yield suppressed(seen, bound.task.title, reason, "completeTask")
            if outcome == "failed" and kind in _SHIPS:
                yield from undone(seen, bound, kind, later)
        elif bound.task.status == "done":
            yield judged(seen, bound.task.title, "exists", "the task is done already", by=bound.task.id)
            yield from _taken_back(seen, bound, world)
        else:
            yield from _settles(seen, bound, kind, world)


def _taken_back(seen: SeenArtifact, bound: Bound, world: TranscriptWorld) -> Iterator[Found]:
    """Propose to reopen a task that is done if what closed it was reverted, in the board's own word for an open one."""
    task, tasks = bound.task, bound.board.snapshot.tasks
    revert = reverted(seen, handles(seen, (task.title,), (task.id,), world), world)
    if revert is None or seen.artifact.facts.get("kind") not in CLOSING:
        return
    state = next((one.state for one in tasks if one.status == "open" and one.state), "open")
    payload = {"board": bound.board.name, "task": task.id, "title": task.title, "state": state, "old": task.state}
    version = digest([task.id, task.version or [task.status, task.state]])
    why = f"the {seen.artifact.facts['kind']} that closed it was reverted, and it is {task.status}"
    target = f"{bound.board.name}/task/{task.id}"
    wanted = WantedChange("reopenTask", target, version, payload, task.title, why, machine=True, asked=True)
    yield from propose(revert, wanted, world)


def _is_merged_there(push: SeenArtifact, bound: Bound, world: TranscriptWorld) -> bool:
    """Whether a merge in the same call as a push succeeded and names the same task."""
    merge = push.artifact.identity.removesuffix("push") + "merge"
    found = (one.artifact for one in world.events if one.artifact.identity == merge)
    return any(one.facts.get("outcome") == "succeeded" and bound in _named(one, world) for one in found)


def _documents(seen: SeenArtifact, kind: str, world: TranscriptWorld) -> Iterator[Found]:
    """Propose the status `shipped` for a document that an event names by its title."""
    subject = str(seen.artifact.facts.get("subject") or "")
    for document in world.documents if subject else ():
        if compare(subject, document.title).sameness == "same":
            why = f"a successful {kind} mentions it"
            yield from with_status(seen, document, "shipped", why=why, world=world)


def _settles(seen: SeenArtifact, bound: Bound, kind: str, world: TranscriptWorld) -> Iterator[Found]:
    task = bound.task
    yield judged(seen, task.title, "stale", f"a {kind} mentions it, and it is {task.status}", by=task.id)
    text = content(seen.artifact)
    closing = _CLOSES.search(text)
    meant = handles(seen, (task.title,), (task.id,), world)
    if kind == "push" and not closing and _is_merged_there(seen, bound, world):
        yield suppressed(seen, task.title, "the merge in the same command stands for it", "logTask")
        return
    if kind not in _SHIPS and not (kind == "push" and closing):
        wanted = noting(seen, bound, _done(seen, world), f"a successful {kind} mentions it", machine=True)
        yield from propose(seen, wanted, world)
        return
    left = _besides_closing(seen.artifact, task, kind) if kind in CLOSING else None
    whole = left == []
    if closing and not whole and is_denied(line := _line_of(text, closing)):
        yield suppressed(seen, task.title, f"the {kind} says: {line!r}", "completeTask")
        return
    own = (line for line in _messages(seen.artifact) if meant.are_in(line, seen.folder))
    more = next((line for line in own if says_more(line, meant)), "")
    if more and not closing and not whole:
        line = redacted(more)
        why = f"a successful {kind} says {line!r}; {_PERHAPS_PART}"
        yield from propose(
            seen, noting(seen, bound, f"{_done(seen, world)}, which says {line!r}", why, machine=True), world
        )
        return
    if left is None:
        says = f"says {_naming(seen, closing, meant)!r}; {_PERHAPS_PART}"
    else:
        says = "closes it" if closing else "has exactly its title"
        says += f" and also says {redacted(left[0])!r}" if left else ""
    doubt = elsewhere(seen, bound, world) or _is_held(bound)
    why = "; ".join(filter(None, (f"a successful {kind} {says}", doubt)))
    alone = len(_named(seen.artifact, world)) == 1
    asked = not (whole and alone) or task.id.isdigit() or bool(doubt)
    yield from propose(seen, completing(bound, why, machine=True, asked=asked), world)


def _done(seen: SeenArtifact, world: TranscriptWorld) -> str:
    """What was done, with the commit and its author if one in its repository has the subject that was given.

    A merge may have that of the one commit that it merged, and stands before it in a log.
    """
    said = {line.strip() for line in _messages(seen.artifact)}
    made = [one for one in world.commits.get(seen.folder, ()) if one.subject in said]
    kind = str(seen.artifact.facts.get("kind"))
    is_certain = len(made) == 1 or (len(made) == _MERGED and len({one.author for one in made}) == 1)
    by = f" by {redacted(made[0].author)}" if is_certain and made[0].author else ""
    return f"{kind} {made[0].hash[:12]}{by}" if is_certain else kind


def _naming(seen: SeenArtifact, closing: re.Match[str] | None, meant: Handles) -> str:
    """The line by which an event closes something, or names the task: of its messages, else of its command."""
    lines = (*_messages(seen.artifact), *content(seen.artifact).splitlines())
    found = (one for one in lines if (closing[0] in one if closing else meant.are_in(one, seen.folder)))
    return redacted(next(found, "")).strip(_QUOTES)


def _is_held(bound: Bound) -> str:
    """Why the task itself says that it may not be finished; empty if nothing does.

    The criteria that a thread wrote as boxes say so only once somebody has ticked or changed one of them; a question
    that it left open does while it stands there as it was written.
    """
    task = bound.task
    if task.status == "open" and task.state.casefold() not in _OPEN:
        return f"its state is {task.state!r}"
    ticket = bound.board.tickets.get(task.id, "")
    left, criteria = _TODO.findall(task.body), _TODO.findall(ticket)
    if left and left != criteria:
        return "its text has open to-dos"
    asked = next((one for one in _open_questions(ticket) if one in task.body.splitlines()), "")
    return f"its text asks {redacted(asked.removeprefix('- '))!r}" if asked else ""


def _open_questions(ticket: str) -> list[str]:
    """The lines of a ticket that a thread wrote below its heading for what nobody had answered."""
    with suppress(StaleError):
        start, end = under(ticket, OPEN_QUESTIONS)
        return [line for line in ticket[start:end].splitlines() if line.startswith("- ")]
    return []


def _besides_closing(artifact: Artifact, task: Task, kind: str) -> list[str] | None:
    """What an event that closes this task, or a merge that has its title, says besides; None if it is no such event.

    What a command that can't be read says is not known.
    """
    says = _messages(artifact)
    left = [_besides(one, task) for one in says]
    is_titled = [" ".join(one.split()).casefold() == " ".join(task.title.split()).casefold() for one in left]
    is_closed = any(one != text for one, text in zip(left, map(_bare, says), strict=True))
    if not simple_commands(artifact.excerpts[0].text) or not (is_closed or (kind == "merge" and any(is_titled))):
        return None
    return [one for one, rest, titled in zip(says, left, is_titled, strict=True) if rest and not titled]


def _messages(artifact: Artifact) -> list[str]:
    """What the words of an event's commands and its answer say, line by line, as far as they say anything."""
    words = (word for command in simple_commands(artifact.excerpts[0].text) for word in command)
    given = (_OPTION.sub("", word) for word in words if " " in word or "\n" in word)
    answers = (part.text for part in artifact.excerpts[1:])
    return [*chain.from_iterable(map(told, (*given, *answers)))]


def _besides(text: str, task: Task) -> str:
    """What a text says besides closing the task."""
    own = ids_of(task)
    return _bare(_CLOSES.sub(lambda found: "" if found["task"].casefold().rstrip("/") in own else found[0], text))


def _bare(text: str) -> str:
    return NUMBERED.sub("", text).strip(_DRESS)


def _line_of(text: str, found: re.Match[str]) -> str:
    end = text.find("\n", found.end())
    return text[text.rfind("\n", 0, found.start()) + 1 : end if end >= 0 else None].strip()


def _named(artifact: Artifact, world: TranscriptWorld) -> tuple[Bound, ...]:
    """The tasks that an event names by id or address, else the only one with exactly its title."""
    text = content(artifact)
    named = by_ids(text, world, numbers=_CLOSES.search(text) is not None)
    if named:
        return named
    titles = [*filter(None, (str(artifact.facts.get("subject", "")), *_BRACKETED.findall(text)))]
    exact = tuple(Bound(view, task, "title") for view, task in world.tasks() if _is_titled(task, titles))
    return exact if len(exact) == 1 else ()


def _is_titled(task: Task, titles: Iterable[str]) -> bool:
    return any(compare(title, task.title).sameness == "same" for title in titles)
