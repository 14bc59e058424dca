"""Plain Markdown files in a folder of the user's choice: `tasks/*.md` and `documents/<section>/*.md`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Final

from pactkeeper.boards import folder, looking, sections
from pactkeeper.boards.folder import Page, PageGap, UnreadablePage, Value, read_page, with_values
from pactkeeper.boards.port import CallLimits, Capabilities, Look, Opening, Source, Trial
from pactkeeper.errors import BoardUnavailable, InputError, RefusedError
from pactkeeper.intent.board import (
    CHANGES,
    ArchiveDocument,
    ArchiveTask,
    Change,
    CompleteTask,
    CreateDocument,
    CreateTask,
    Document,
    EnrichDocument,
    LogTask,
    PatchDocumentSection,
    RemoveSection,
    ReopenTask,
    ReviseTask,
    Snapshot,
    Task,
    TaskStatus,
    TickTodo,
    UpdateDocumentMeta,
    document_version,
    subject_of,
    task_version,
)
from pactkeeper.ledger.health import COMPLETE, Health

TASKS: Final = "tasks"
DOCUMENTS: Final = "documents"
ARCHIVE: Final = "archive"
_OWN_KEYS: Final = frozenset({"id", "title", "pactkeeper"})
_STATES: Final[dict[str, TaskStatus]] = {
    "done": "done",
    "closed": "done",
    "completed": "done",
    "doing": "doing",
    "in progress": "doing",
    "in-progress": "doing",
}


@dataclass(frozen=True, slots=True)
class _TaskFile:
    """One file as read."""

    path: str
    data: bytes
    page: Page

    @property
    def id(self) -> str:
        return self.page.text("id") or self.path

    @property
    def title(self) -> str:
        return self.page.text("title") or PurePosixPath(self.path).stem


@dataclass(frozen=True, slots=True)
class LocalBoard:
    """Tasks and documents in one folder, which needn't exist yet."""

    name: str
    root: Path
    limits: CallLimits = field(default_factory=CallLimits)
    kind: str = "local"

    @property
    def place(self) -> str:
        """The folder."""
        return str(self.root)

    @property
    def capabilities(self) -> Capabilities:
        """All changes; their keys are stored in the files."""
        return Capabilities(frozenset(CHANGES), documents=True, marker="the files' front matter and comments")

    def snapshot(self, *, at: str) -> Snapshot:
        """Read every file; an unreadable one makes the view partial."""
        if self.root.exists() and not self.root.is_dir():
            return Snapshot((), (), Health("unavailable", f"{str(self.root)!r} is no folder"), at)
        tasks, task_gaps = self._files(TASKS)
        documents, document_gaps = self._files(DOCUMENTS)
        gaps = [*task_gaps, *document_gaps, *_doubles(tasks), *_doubles(documents)]
        health = Health("partial", "; ".join(f"{gap.path}: {gap.reason}" for gap in gaps)) if gaps else COMPLETE
        return Snapshot(tuple(map(_task, tasks)), tuple(map(_document, documents)), health, at)

    def task(self, task: str) -> Task:
        """Read one task."""
        return _task(self._file(TASKS, task))

    def document(self, document: str) -> Document:
        """Read one document."""
        return _document(self._file(DOCUMENTS, document))

    def look(self, change: Change, key: str, *, since: str, target: str = "") -> Look:  # noqa: ARG002 - files are read whole
        """Look at the current files."""
        match change:
            case CreateTask() | CreateDocument():
                made = self._made(TASKS if isinstance(change, CreateTask) else DOCUMENTS, key)
                return looking.created(made)
            case LogTask(task, text):
                file = self._file(TASKS, task)
                return looking.logged(_task(file), text, there=_log_mark(key) in file.page.body)
            case ReviseTask(task):
                return looking.revised(self.task(task), change)
            case CompleteTask() | ReopenTask():
                return looking.task_state(self.task(change.task), change)
            case ArchiveTask() | ArchiveDocument():
                return self._look_archived(change)
            case _:
                file = self._file(DOCUMENTS, change.document)
                return looking.document_change(
                    _document(file), change, key, lambda mark: sections.own_section(file.page.body, mark)
                )

    def perform(self, change: Change, key: str, *, at: str) -> str:
        """Write one file, or move it into the archive; raise StaleError if it has changed since it was read."""
        with folder.writing(self.root):
            match change:
                case CreateTask() | CreateDocument():
                    return self._create(change, key, at=at)
                case ArchiveTask() | ArchiveDocument():
                    return self._archive(change)
                case ReviseTask(task):
                    return self._revise(self._file(TASKS, task), change)
                case LogTask() | CompleteTask() | ReopenTask():
                    return self._rewrite(TASKS, change.task, lambda page: _changed_task(page, change, key, at=at))
                case _:
                    return self._rewrite(DOCUMENTS, change.document, lambda page: _changed(page, change, key, at=at))

    def trials(self) -> tuple[Trial, ...]:
        """Try to read the folder."""
        if not self.root.exists():
            return (Trial(f"{self.place} does not exist yet; the first write creates it", works=True),)
        health = self.snapshot(at="").health
        return (Trial(f"read {self.place}", works=health.status == "complete", advice=health.reason),)

    def close(self) -> None:
        """Do nothing: nothing is kept open."""

    def _files(self, below: str) -> tuple[list[_TaskFile], list[PageGap]]:
        paths, gaps = folder.listing(self.root, below)
        if len(paths) > self.limits.items:
            gaps.append(PageGap(below, f"has {len(paths):,} files, of which {self.limits.items:,} were read"))
        found: list[_TaskFile] = []
        for path in paths[: self.limits.items]:
            read = _read(self.root, path)
            if isinstance(read, PageGap):
                gaps.append(read)
            else:
                found.append(read)
        return found, gaps

    def _file(self, below: str, wanted: str) -> _TaskFile:
        """Find a file by its id; raise InputError if there is none, RefusedError if there are two."""
        files, gaps = self._files(below)
        found = [one for one in files if wanted in {one.id, one.path}]
        if len(found) > 1:
            raise RefusedError(f"{found[0].path!r} and {found[1].path!r} both have the id {wanted!r}; change one")
        if not found:
            self._refuse_gaps(gaps)
            source: Source = "task" if below == TASKS else "document"
            raise InputError(f"{self.name!r} has no {source} {wanted!r}; `pk boards show {self.name}` lists them")
        return found[0]

    def _made(self, below: str, key: str) -> Task | Document | None:
        """The task or document with a key; raise BoardUnavailable if a file that might have it can't be read."""
        files, gaps = self._files(below)
        for one in files:
            if one.page.text("pactkeeper") == key:
                return _task(one) if below == TASKS else _document(one)
        self._refuse_gaps(gaps)
        return None

    def _refuse_gaps(self, gaps: Iterable[PageGap]) -> None:
        for gap in gaps:
            raise BoardUnavailable(f"{gap.path!r} in {self.place!r} {gap.reason}; fix it, then try again")

    def _create(self, change: CreateTask | CreateDocument, key: str, *, at: str) -> str:
        isdoc = isinstance(change, CreateDocument)
        below = DOCUMENTS if isdoc else TASKS
        name = f"{'D' if isdoc else 'T'}-{sha256(key.encode()).hexdigest()[:10]}"
        values: dict[str, Value | None] = {"id": name, "title": change.title}
        if isinstance(change, CreateTask):
            values |= {"status": "open", "labels": change.labels or None, "due": change.due or None}
        else:
            below = self._section_folder(change.section)
            values |= {one: value for one, value in change.meta.items() if one not in _OWN_KEYS}
        values |= {"created": at, "pactkeeper": key}
        body = sections.harmless(change.body)
        text = with_values(Page((), body + ("" if body.endswith("\n") else "\n")), values)
        folder.write(self.root, self._free_path(below, change.title, name), None, text.encode())
        return name

    def _section_folder(self, section: str) -> str:
        """The folder of a section; one that differs only by case or Unicode form is reused."""
        found = DOCUMENTS
        for part in [one for one in folder.valid_section(section).split("/") if one]:
            place = self.root / found
            there = [one.name for one in place.iterdir() if one.is_dir()] if place.is_dir() else []
            same = [one for one in there if folder.folded(one) == folder.folded(part)]
            found = f"{found}/{(same or [part])[0]}"
        return found

    def _free_path(self, below: str, title: str, name: str) -> str:
        place = self.root / below
        taken = {folder.folded(one.name) for one in place.iterdir()} if place.is_dir() else set()
        wanted = f"{folder.file_name(title)}.md"
        if folder.folded(wanted) in taken:
            wanted = f"{folder.file_name(title)}-{name.casefold()}.md"
        return f"{below}/{wanted}"

    def _revise(self, file: _TaskFile, change: ReviseTask) -> str:
        after = looking.revision(_task(file), change)
        title = {} if after.title == file.title else {"title": after.title}
        return self._replace(file, lambda page: with_values(replace(page, body=after.body), title))

    def _rewrite(self, below: str, wanted: str, changed: Callable[[Page], str]) -> str:
        return self._replace(self._file(below, wanted), changed)

    def _replace(self, file: _TaskFile, changed: Callable[[Page], str]) -> str:
        try:
            after = changed(file.page).encode()
        except UnreadablePage as error:
            raise RefusedError(f"{file.path!r}: {error}") from error
        bom = b"\xef\xbb\xbf" if file.data.startswith(b"\xef\xbb\xbf") else b""
        folder.write(self.root, file.path, file.data, bom + after)
        return file.id

    def _archive(self, change: ArchiveTask | ArchiveDocument) -> str:
        file = self._file(TASKS if isinstance(change, ArchiveTask) else DOCUMENTS, subject_of(change))
        path = f"{ARCHIVE}/{file.path}"
        if (self.root / path).exists():
            path = f"{path.removesuffix('.md')}-{sha256(file.data).hexdigest()[:10]}.md"
        folder.move(self.root, file.path, path)
        return file.id

    def _look_archived(self, change: ArchiveTask | ArchiveDocument) -> Look:
        below = TASKS if isinstance(change, ArchiveTask) else DOCUMENTS
        target = subject_of(change)
        files, _ = self._files(f"{ARCHIVE}/{below}")
        if any(target in {one.id, one.path.removeprefix(f"{ARCHIVE}/")} for one in files):
            return looking.archived(target, gone=True)
        self._file(below, target)
        return looking.archived(target, gone=False)


def _read(root: Path, path: str) -> _TaskFile | PageGap:
    data = folder.read(root, path)
    if isinstance(data, PageGap):
        return data
    try:
        return _TaskFile(path, data, read_page(data.decode("utf-8-sig")))
    except UnicodeDecodeError:
        return PageGap(path, "is not UTF-8")
    except UnreadablePage as error:
        return PageGap(path, str(error))


def _doubles(files: Iterable[_TaskFile]) -> list[PageGap]:
    seen: dict[str, str] = {}
    return [
        PageGap(one.path, f"has the id {one.id!r} of {first}")
        for one in files
        if (first := seen.setdefault(one.id, one.path)) != one.path
    ]


def _task(file: _TaskFile) -> Task:
    page = file.page
    state = page.text("status")
    task = Task(
        file.id,
        file.title,
        _STATES.get(state.casefold(), "open"),
        state=state,
        body=page.body,
        labels=page.texts("labels"),
        due=page.text("due"),
        url=file.path,
        updated_at=page.text("updated"),
        marker=page.text("pactkeeper"),
    )
    return replace(task, version=task_version(task))


def _document(file: _TaskFile) -> Document:
    page = file.page
    section = PurePosixPath(file.path).parent.as_posix().removeprefix(DOCUMENTS).strip("/")
    meta = {name: page.text(name) for name in page.values if name not in _OWN_KEYS}
    document = Document(
        file.id,
        file.title,
        section,
        page.body,
        meta=meta,
        url=file.path,
        updated_at=page.text("updated"),
        marker=page.text("pactkeeper"),
    )
    return replace(document, version=document_version(document))


def _log_mark(key: str) -> str:
    return f"<!-- pactkeeper:log {key} -->"


def _changed_task(page: Page, change: LogTask | CompleteTask | ReopenTask, key: str, *, at: str) -> str:
    match change:
        case LogTask(_, text):
            newline = page.newline
            indented = sections.harmless(text).strip().replace("\n", f"{newline}  ")
            gap = "" if not page.body or page.body.endswith("\n") else newline
            line = f"{gap}- {at}: {indented} {_log_mark(key)}{newline}"
            return with_values(replace(page, body=page.body + line), {})
        case CompleteTask():
            return with_values(page, {"status": "done"})
        case ReopenTask(_, state):
            return with_values(page, {"status": state or None})


def _changed(page: Page, change: looking.DocumentChange, key: str, *, at: str) -> str:  # noqa: ARG001 - all changes are called alike
    body = page.body
    match change:
        case UpdateDocumentMeta(_, values):
            if wrong := sorted(_OWN_KEYS & values.keys()):
                raise RefusedError(f"{wrong[0]!r} is not metadata of a document; it names the document")
            return with_values(page, values)
        case EnrichDocument(_, mark, heading, text):
            body = sections.with_section(body, mark=mark, key=key, heading=heading, text=text)
        case RemoveSection(_, mark):
            body = sections.without_section(body, mark)
        case PatchDocumentSection(_, heading, old, new):
            body = sections.patched(body, heading=heading, old=old, new=new)
        case TickTodo(_, text, done):
            body = sections.ticked(body, text, done=done)
    return with_values(replace(page, body=body), {})


def opened(opening: Opening) -> LocalBoard:
    """Open the board in the folder that the settings name."""
    return LocalBoard(opening.name, Path(opening.text("folder")), opening.limits)
