"""Task boards and documents as values: what a target showed, what may be changed, and how to undo a change.

No change deletes or rewrites what people wrote. `Archive…`, `ReopenTask` and `RemoveSection` exist only to undo earlier
changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Final, Literal

from pactkeeper.ledger.canonical import JsonValue, digest, plain
from pactkeeper.ledger.health import Health

TaskStatus = Literal["open", "doing", "done"]


@dataclass(frozen=True, slots=True)
class Task:
    """One task of a board; `state` is the board's own word for `status`, `due` an ISO date or empty.

    `version` is a digest of what was seen, `marker` the key of the change that created it, empty if a person did.
    """

    id: str
    title: str
    status: TaskStatus
    state: str = ""
    body: str = ""
    labels: tuple[str, ...] = ()
    due: str = ""
    url: str = ""
    version: str = ""
    updated_at: str = ""
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """One document in Markdown; `section` is its folder, category or parent, empty if it has none."""

    id: str
    title: str
    section: str
    body: str
    meta: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    version: str = ""
    updated_at: str = ""
    marker: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything a target showed at a time (ISO 8601); absence is known only if `health` is complete."""

    tasks: tuple[Task, ...]
    documents: tuple[Document, ...]
    health: Health
    at: str


@dataclass(frozen=True, slots=True)
class CreateTask:
    """Add a task."""

    title: str
    body: str = ""
    labels: tuple[str, ...] = ()
    due: str = ""


@dataclass(frozen=True, slots=True)
class LogTask:
    """Add a comment to a task; comments cannot be removed."""

    task: str
    text: str


@dataclass(frozen=True, slots=True)
class ReviseTask:
    """Apply the difference between two versions of ours to a task, keeping everything others changed.

    `old_title` and `old_body` are what we wrote last. If others changed the same part, their text stays.
    """

    task: str
    title: str
    body: str
    old_title: str
    old_body: str


@dataclass(frozen=True, slots=True)
class CompleteTask:
    """Mark a task as done; if `version` is set, only while the task is unchanged since it was shown."""

    task: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class CreateDocument:
    """Add a document under a section."""

    section: str
    title: str
    body: str
    meta: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EnrichDocument:
    """Add a section of our own at the end, or update it: `mark` identifies it permanently, and nothing else changes.

    If `old` is set, only while that is the section's text.
    """

    document: str
    mark: str
    heading: str
    text: str
    old: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateDocumentMeta:
    """Set metadata, with None removing a key; if `expected` is set, only while those keys have these values."""

    document: str
    values: Mapping[str, str | None]
    expected: Mapping[str, str | None] | None = None


@dataclass(frozen=True, slots=True)
class PatchDocumentSection:
    """Replace words of the text under a heading (empty: before the first one); `old` must occur there exactly once."""

    document: str
    heading: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class TickTodo:
    """Tick the one to-do of a document that reads `text`, or untick it."""

    document: str
    text: str
    done: bool = True


@dataclass(frozen=True, slots=True)
class ReopenTask:
    """Restore a done task's previous state, in the board's own word, while it still has the state `old`."""

    task: str
    state: str
    old: str | None = None


@dataclass(frozen=True, slots=True)
class ArchiveTask:
    """Archive a task so that a person can restore it."""

    task: str


@dataclass(frozen=True, slots=True)
class ArchiveDocument:
    """Archive a document so that a person can restore it."""

    document: str


@dataclass(frozen=True, slots=True)
class RemoveSection:
    """Remove a section of our own that nobody has changed; if `old` is set, only while that is its text."""

    document: str
    mark: str
    old: str | None = None


Change = (
    CreateTask
    | LogTask
    | ReviseTask
    | CompleteTask
    | CreateDocument
    | EnrichDocument
    | UpdateDocumentMeta
    | PatchDocumentSection
    | TickTodo
    | ReopenTask
    | ArchiveTask
    | ArchiveDocument
    | RemoveSection
)
# Wire names: those of the first eight are the verbs of ops.
CHANGES: Final[Mapping[str, type[Change]]] = {
    "createTask": CreateTask,
    "logTask": LogTask,
    "completeTask": CompleteTask,
    "createDocument": CreateDocument,
    "enrichDocument": EnrichDocument,
    "updateDocumentMeta": UpdateDocumentMeta,
    "patchDocumentSection": PatchDocumentSection,
    "tickTodo": TickTodo,
    "reviseTask": ReviseTask,
    "reopenTask": ReopenTask,
    "archiveTask": ArchiveTask,
    "archiveDocument": ArchiveDocument,
    "removeSection": RemoveSection,
}
_VERBS: Final = {kind: verb for verb, kind in CHANGES.items()}


@dataclass(frozen=True, slots=True)
class Written:
    """A change that was made and read back.

    `outcome` is "found" if it was already in place and nothing had to be written. `before` and `after` are the values
    of what the change touches, None for nothing; `undo` reverts it, None if that is impossible.
    """

    key: str
    verb: str
    target: str
    outcome: Literal["written", "found"]
    before: JsonValue = None
    after: JsonValue = None
    url: str = ""
    undo: Change | None = None


def verb_of(change: Change) -> str:
    """The wire name of a change."""
    return _VERBS[type(change)]


def subject_of(change: Change) -> str:
    """The id of the task or document that a change is about; empty for one that creates it."""
    return str(getattr(change, "task", "") or getattr(change, "document", ""))


def change_document(change: Change) -> dict[str, JsonValue]:
    """A change as JSON, with its wire name under `verb`."""
    found: dict[str, JsonValue] = {"verb": verb_of(change)}
    for name, value in asdict(change).items():
        found[name] = plain(value)
    return found


def read_change(document: Mapping[str, JsonValue]) -> Change:
    """Read what `change_document` wrote; raises ValueError naming what does not fit."""
    kind = CHANGES.get(str(document.get("verb")))
    if kind is None:
        raise ValueError(f"{document.get('verb')!r} is no change of a board; known are {', '.join(CHANGES)}")
    given = {name: value for name, value in document.items() if name != "verb"}
    if unknown := sorted(given.keys() - {one.name for one in fields(kind)}):
        raise ValueError(f"{document['verb']} has no {unknown[0]!r}")
    labels = given.get("labels")
    if isinstance(labels, list):
        given["labels"] = tuple(labels)
    try:
        return kind(**given)  # type: ignore[arg-type]  # the names were checked, the values are those that were written
    except TypeError as error:
        raise ValueError(f"{document['verb']} lacks a value: {error}") from error


def written_document(written: Written | None) -> dict[str, JsonValue] | None:
    """What was written as JSON, which `read_written` reads back."""
    if written is None:
        return None
    undo = None if written.undo is None else change_document(written.undo)
    return {**asdict(replace(written, undo=None)), "undo": undo}


def read_written(document: Mapping[str, Any] | None) -> Written | None:
    """Read what `written_document` wrote; raises what `read_change` raises."""
    if document is None:
        return None
    undo = None if document["undo"] is None else read_change(document["undo"])
    return Written(**{**document, "undo": undo})


def undo_of(change: Change, target: str, before: JsonValue, after: JsonValue) -> Change | None:
    """Return the change that undoes this one while its result is still in place, or None if nothing can."""
    was = before if isinstance(before, Mapping) else {}
    now = after if isinstance(after, Mapping) else {}
    match change:
        case CreateTask():
            return ArchiveTask(target)
        case CreateDocument():
            return ArchiveDocument(target)
        case ReviseTask(task):
            was_said, is_said = ((str(one.get("title", "")), str(one.get("body", ""))) for one in (was, now))
            return ReviseTask(task, *was_said, *is_said) if was_said != is_said else None
        case CompleteTask(task):
            return ReopenTask(task, _text(was, "state") or "", old=_text(now, "state"))
        case ReopenTask(task):
            return CompleteTask(task)
        case LogTask() | ArchiveTask() | ArchiveDocument():
            return None
        case _:
            return _undo_inside(change, was, now)


def _undo_inside(
    change: EnrichDocument | RemoveSection | UpdateDocumentMeta | PatchDocumentSection | TickTodo,
    was: Mapping[str, JsonValue],
    now: Mapping[str, JsonValue],
) -> Change | None:
    match change:
        case EnrichDocument(document, mark) | RemoveSection(document, mark):
            if was:
                return EnrichDocument(document, mark, str(was["heading"]), str(was["text"]), old=_text(now, "text"))
            return RemoveSection(document, mark, old=_text(now, "text")) if isinstance(change, EnrichDocument) else None
        case UpdateDocumentMeta(document, values):
            return UpdateDocumentMeta(document, {name: _text(was, name) for name in values}, expected=values)
        case PatchDocumentSection(document, heading, old_text, new):
            return PatchDocumentSection(document, heading, new, old_text) if new else None
        case TickTodo(document, text, done):
            return TickTodo(document, text, not done)


def _text(values: Mapping[str, JsonValue], name: str) -> str | None:
    return None if values.get(name) is None else str(values[name])


def task_version(task: Task) -> str:
    """The digest of everything about a task that a person can see and change."""
    return digest([task.title, task.status, task.state, task.body, list(task.labels), task.due])


def document_version(document: Document) -> str:
    """The digest of everything about a document that a person can see and change."""
    return digest([document.title, document.section, document.body, dict(document.meta)])
