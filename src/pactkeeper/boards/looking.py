"""Decide from what a target shows whether a change is already made, and if not, whether its precondition holds.

The same rules apply to every target; a target only reads tasks, documents and our own sections.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from pactkeeper.boards.merging import MergeConflict, is_edited, merged, merged_line
from pactkeeper.boards.port import Drift, Look
from pactkeeper.boards.sections import OwnSection, harmless, own_heading, own_text, section_text, todo_state
from pactkeeper.errors import StaleError
from pactkeeper.intent.board import (
    CompleteTask,
    Document,
    EnrichDocument,
    PatchDocumentSection,
    RemoveSection,
    ReopenTask,
    ReviseTask,
    Task,
    TickTodo,
    UpdateDocumentMeta,
)
from pactkeeper.ledger.canonical import JsonValue, plain


def created(found: Task | Document | None) -> Look:
    """Look for the task or document with the key of the change that creates it."""
    if found is None:
        return Look(done=False)
    return Look(
        done=True, now={"title": found.title, "version": found.version}, target=found.id, url=found.url, sure=True
    )


def logged(task: Task, text: str, *, there: bool) -> Look:
    """Look at a remark; `there` says whether one has the key."""
    return Look(done=there, now=text if there else None, target=task.id, url=task.url, sure=there)


@dataclass(frozen=True, slots=True)
class Revision:
    """A task's texts after merging our change, and the parts that other people's edits kept out."""

    title: str
    body: str
    conflicts: tuple[MergeConflict, ...] = ()
    title_stays: bool = False


def revision(task: Task, change: ReviseTask) -> Revision:
    """Merge a change into the current task; the new text can't imitate our own marks."""
    old, new = (_unmarked(text, task.body) for text in (change.old_body, change.body))
    body = merged(old, task.body, new)
    title = merged_line(change.old_title, task.title, change.title)
    stays = change.title not in {change.old_title, title}
    return Revision(title, body.text, body.conflicts, title_stays=stays)


def revised(task: Task, change: ReviseTask) -> Look:
    """Look at a revision: done if merging would change nothing, even because others' edits are everywhere."""
    after = revision(task, change)
    now: dict[str, JsonValue] = {
        "title": task.title,
        "body": task.body,
        "version": task.version,
        "conflicts": [plain(asdict(one)) for one in after.conflicts],
        "title_stays": after.title_stays,
    }
    done = (after.title, after.body) == (task.title, task.body)
    return Look(done=done, now=now, target=task.id, url=task.url, drift=_drift(task, change, after))


def _drift(task: Task, change: ReviseTask, after: Revision) -> Drift:
    if after.conflicts or after.title_stays:
        return "conflict"
    is_theirs = task.title not in {change.old_title, change.title} or is_edited(change.old_body, task.body)
    return "safe" if is_theirs else ""


def _unmarked(text: str, there: str) -> str:
    """The text with our marks escaped, unless the task already contains the line."""
    known = {line.strip() for line in there.splitlines()}
    return "".join(line if line.strip() in known else harmless(line) for line in text.splitlines(keepends=True))


def task_state(task: Task, change: CompleteTask | ReopenTask) -> Look:
    """Look at a task's state; raise StaleError if it isn't as it was shown."""
    if isinstance(change, CompleteTask):
        done, fits = task.status == "done", change.version in {"", task.version}
    else:
        done, fits = task.state == change.state, change.old in {None, task.state}
    if not done and not fits:
        raise StaleError(f"the task {task.title!r} is {task.state!r} now, not as shown; nothing was written")
    return Look(done=done, now={"status": task.status, "state": task.state}, target=task.id, url=task.url)


def archived(target: str, *, gone: bool) -> Look:
    """Look at whether a task or document is archived."""
    return Look(done=gone, now={"archived": gone}, target=target)


DocumentChange = EnrichDocument | RemoveSection | UpdateDocumentMeta | PatchDocumentSection | TickTodo
SectionOf = Callable[[str], OwnSection | None]


def document_change(document: Document, change: DocumentChange, key: str, own: SectionOf) -> Look:
    """Look at a change inside a document; `own` finds our section by its mark. Raise StaleError if it conflicts."""
    sure = False
    match change:
        case EnrichDocument() | RemoveSection():
            done, now, sure = _section(change, own(change.mark), key)
        case UpdateDocumentMeta():
            done, now = _meta(document, change)
        case PatchDocumentSection():
            done, now = _patch(document, change)
        case TickTodo(_, text, wanted):
            ticked = todo_state(document.body, text)
            done, now = ticked == wanted, {"done": ticked}
    return Look(done=done, now=now, target=document.id, url=document.url, sure=sure)


def _section(
    change: EnrichDocument | RemoveSection, found: OwnSection | None, key: str
) -> tuple[bool, JsonValue, bool]:
    if isinstance(change, RemoveSection):
        _refuse_edited(found, change.old)
        return found is None, _said(found), False
    if found is None:
        return False, None, False
    if found.key == key:
        return True, _said(found), True
    _refuse_edited(found, change.old)
    same = (found.heading, found.text) == (own_heading(change.heading), own_text(change.text))
    return same, _said(found), False


def _said(found: OwnSection | None) -> JsonValue:
    return None if found is None else {"heading": found.heading, "text": found.text}


def _refuse_edited(found: OwnSection | None, old: str | None) -> None:
    if found is not None and found.edited:
        raise StaleError(f"somebody changed the section {found.mark!r} by hand; nothing was written")
    if found is not None and old is not None and found.text != old:
        raise StaleError(f"the section {found.mark!r} was updated since; nothing was written")


def _meta(document: Document, change: UpdateDocumentMeta) -> tuple[bool, JsonValue]:
    now = {name: document.meta.get(name) for name in change.values}
    done = all((now[name] or None) == (value or None) for name, value in change.values.items())
    for name, value in (change.expected or {}).items():
        if not done and (document.meta.get(name) or None) != (value or None):
            shown = document.meta.get(name)
            raise StaleError(
                f"{name} of {document.title!r} is {shown!r} but was {value!r} when shown; nothing was written"
            )
    return done, now


def _patch(document: Document, change: PatchDocumentSection) -> tuple[bool, JsonValue]:
    """Done if the new text is there and the old one isn't, unless it is part of the new one."""
    text = section_text(document.body, change.heading)
    old, new = text.count(change.old) if change.old else 0, text.count(change.new) if change.new else 1
    done = new >= 1 and (old == 0 or (bool(change.new) and change.old in change.new))
    if not done and old != 1:
        raise StaleError(
            f"under {change.heading!r} of {document.title!r} the old text occurs {old} times, not once; nothing "
            "was written"
        )
    return done, text
