"""Notion: tasks are pages of one database, documents pages of another, over API version 2022-06-28.

The key of a change is in a text property of the page (`marker`), in the title of a toggle for our own sections, and at
the end of a comment. Pages are put away by archiving, which a person can undo.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlsplit

from pactkeeper.boards import looking, notion_blocks, sections
from pactkeeper.boards.calls import Calls, TargetAddress, read_all
from pactkeeper.boards.notion_blocks import Node
from pactkeeper.boards.notion_pages import Databases, NotionPages, is_archived
from pactkeeper.boards.port import CallLimits, Capabilities, Look, Opening, Trial
from pactkeeper.errors import PactkeeperError, RefusedError, StaleError
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

BASE_URL: Final = "https://api.notion.com"
VERSION: Final = "2022-06-28"
_TASK_WRITES: Final = frozenset({"createTask", "logTask", "completeTask", "reopenTask", "archiveTask"})
_UNABLE: Final = frozenset({"reviseTask"})  # rewriting blocks that people formatted would lose their formatting


def address(token: str, base_url: str = BASE_URL) -> TargetAddress:
    """Notion's address, with the API version and the token, if there is one."""
    return TargetAddress.of(base_url, token, {"Notion-Version": VERSION})


@dataclass(frozen=True, slots=True)
class NotionBoard:
    """Two databases of one workspace that are shared with an integration."""

    name: str
    pages: NotionPages = field(repr=False)
    kind: str = "notion"

    @property
    def place(self) -> str:
        """The databases and their host."""
        found = (self.pages.databases.tasks, self.pages.databases.documents)
        return f"{' and '.join(one for one in found if one)} at {urlsplit(self.pages.calls.address.base_url).netloc}"

    @property
    def limits(self) -> CallLimits:
        """The limits of the calls."""
        return self.pages.calls.limits

    @property
    def capabilities(self) -> Capabilities:
        """What the configured databases allow."""
        tasks = _TASK_WRITES if self.pages.databases.tasks else frozenset()
        documents = CHANGES.keys() - _TASK_WRITES - _UNABLE if self.pages.databases.documents else frozenset()
        marker = f"the property {self.pages.databases.marker!r}, titles of toggles, comments"
        return Capabilities(frozenset(tasks | documents), documents=bool(documents), marker=marker)

    def snapshot(self, *, at: str) -> Snapshot:
        """Read all pages; tasks without their text, documents with it, which takes calls of its own."""
        names = self.pages.databases
        tasks, documents = self.pages.query(names.tasks), self.pages.query(names.documents)
        return read_all(self.pages.calls, map(self._task, tasks), map(self._whole, documents), at=at)

    def task(self, task: str) -> Task:
        """Read one task page with its text."""
        with self.pages.calls.session():
            found = self._task(self.pages.page(task, self.pages.databases.tasks, source="task"))
            return replace(found, body=notion_blocks.rendered(self.pages.nodes(task)).text)

    def document(self, document: str) -> Document:
        """Read one document page."""
        with self.pages.calls.session():
            return self._whole(self.pages.page(document, self.pages.databases.documents, source="document"))

    def look(self, change: Change, key: str, *, since: str, target: str = "") -> Look:  # noqa: ARG002 - a query filters by key
        """Look at the page's current state."""
        with self.pages.calls.session():
            match change:
                case CreateTask():
                    page = self.pages.made(self.pages.databases.tasks, key, target)
                    return looking.created(None if page is None else self._task(page))
                case CreateDocument():
                    page = self.pages.made(self.pages.databases.documents, key, target)
                    return looking.created(None if page is None else self._whole(page))
                case LogTask(task, text):
                    texts = (notion_blocks.plain(one.get("rich_text", ())) for one in self.pages.comments(task))
                    there = any(one.rstrip().endswith(_log_mark(key)) for one in texts)
                    page = self.pages.page(task, self.pages.databases.tasks, source="task")
                    return looking.logged(self._task(page), text, there=there)
                case CompleteTask() | ReopenTask():
                    page = self.pages.page(change.task, self.pages.databases.tasks, source="task")
                    return looking.task_state(self._task(page), change)
                case ArchiveTask() | ArchiveDocument():
                    return looking.archived(
                        subject_of(change), gone=is_archived(self.pages.any_page(subject_of(change)))
                    )
                case ReviseTask():
                    raise RefusedError(f"{self.name!r} cannot change the text of a task; add a comment to it")
                case _:
                    return self._look_inside(change, key)

    def perform(self, change: Change, key: str, *, at: str) -> str:  # noqa: ARG002 - Notion keeps its own time
        """Make the call that writes; renewing a section takes two, the first of which adds the new one."""
        with self.pages.calls.session():
            match change:
                case CreateTask() | CreateDocument():
                    return self._create(change, key)
                case LogTask(task, text):
                    said = notion_blocks.rich(f"{text}\n{_log_mark(key)}")
                    self.pages.calls.send("POST", "/v1/comments", body={"parent": {"page_id": task}, "rich_text": said})
                case CompleteTask(task):
                    self._set(task, self.pages.databases.tasks, {self.pages.databases.status: self._done_word()})
                case ReopenTask(task, state):
                    self._set(task, self.pages.databases.tasks, {self.pages.databases.status: state})
                case ArchiveTask() | ArchiveDocument():
                    self.pages.calls.send(
                        "PATCH", f"/v1/pages/{subject_of(change)}", body={"archived": True}, repeatable=True
                    )
                case ReviseTask():
                    raise RefusedError(f"{self.name!r} cannot change the text of a task; add a comment to it")
                case _:
                    self._change_inside(change, key)
        return subject_of(change)

    def trials(self) -> tuple[Trial, ...]:
        """Check both databases and the properties that writing needs."""
        found: list[Trial] = []
        names = self.pages.databases
        for what, database, needed in (
            ("tasks", names.tasks, (names.marker, names.status)),
            ("documents", names.documents, (names.marker, names.section)),
        ):
            if database:
                found += self._try_database(what, database, needed)
        return tuple(found)

    def close(self) -> None:
        """Close the connection."""
        self.pages.calls.close()

    def _try_database(self, what: str, database: str, needed: tuple[str, ...]) -> list[Trial]:
        try:
            properties = self.pages.schema(database)
        except PactkeeperError as error:
            return [
                Trial(f"read the database of {what}", works=False, advice=f"{error}; share it with the integration")
            ]
        found = [Trial(f"read the database of {what}", works=True)]
        for name in needed:
            there = bool(notion_blocks.named(properties, name))
            kind = "text" if name == self.pages.databases.marker else "select"
            advice = "" if there else f"add a property {name!r} ({kind})"
            found.append(Trial(f"{what} have the property {name!r}", works=there, advice=advice))
        return found

    def _look_inside(self, change: looking.DocumentChange, key: str) -> Look:
        page = self.pages.page(change.document, self.pages.databases.documents, source="document")
        nodes = self.pages.nodes(change.document)
        document = self._document(page, nodes)
        return looking.document_change(document, change, key, lambda mark: _own(nodes, mark, key))

    def _change_inside(self, change: looking.DocumentChange, key: str) -> None:
        match change:
            case UpdateDocumentMeta(document, values):
                self._set(document, self.pages.databases.documents, values)
            case EnrichDocument(document, mark, heading, text):
                block = notion_blocks.section_block(mark=sections.valid_mark(mark), key=key, heading=heading, text=text)
                self._renew(document, mark, block, key=key)
            case RemoveSection(document, mark):
                self._remove(document, mark)
            case PatchDocumentSection():
                self._patch(change)
            case TickTodo(document, text, done):
                self._tick(document, text, done=done)

    def _renew(self, document: str, mark: str, block: notion_blocks.Block, *, key: str) -> None:
        """Add the new section, then remove the ones it replaces; a crash in between leaves both."""
        there = [notion_blocks.section_of(node) for node in self.pages.nodes(document, deepest=0)]
        if (mark, key) not in there:
            self.pages.calls.send("PATCH", f"/v1/blocks/{document}/children", body={"children": [block]})
        self._remove(document, mark, besides=key)

    def _remove(self, document: str, mark: str, *, besides: str = "") -> None:
        for node in self.pages.nodes(document, deepest=0):
            found = notion_blocks.section_of(node)
            if found and found[0] == mark and found[1] != besides:
                self.pages.calls.send("DELETE", f"/v1/blocks/{node.block['id']}", repeatable=True)

    def _patch(self, change: PatchDocumentSection) -> None:
        shown = notion_blocks.rendered(self.pages.nodes(change.document))
        start, end = sections.under(shown.text, change.heading)
        sections.patched(shown.text, heading=change.heading, old=change.old, new=change.new)
        at = shown.text.index(change.old, start, end)
        node = shown.holding(at, at + len(change.old))
        if node is None or not notion_blocks.is_plain(node.content["rich_text"]):
            raise RefusedError(
                f"the text {change.old!r} spans several blocks or has formatting that writing would lose; change "
                "it by hand"
            )
        words = notion_blocks.plain(node.content["rich_text"]).replace(change.old, change.new, 1)
        body = {node.kind: {"rich_text": notion_blocks.rich(words)}}
        self.pages.calls.send("PATCH", f"/v1/blocks/{node.block['id']}", body=body, repeatable=True)

    def _tick(self, document: str, text: str, *, done: bool) -> None:
        shown = notion_blocks.rendered(self.pages.nodes(document))
        sections.todo_state(shown.text, text)
        wanted = " ".join(text.split())
        for first, last, node in shown.places:
            if node.kind == "to_do" and " ".join(shown.text[first:last].split()) == wanted:
                body = {"to_do": {"checked": done}}
                self.pages.calls.send("PATCH", f"/v1/blocks/{node.block['id']}", body=body, repeatable=True)

    def _create(self, change: CreateTask | CreateDocument, key: str) -> str:
        names = self.pages.databases
        is_task = isinstance(change, CreateTask)
        database = names.tasks if is_task else names.documents
        properties = self.pages.schema(database)
        title = notion_blocks.first_of(properties, "title")
        values: dict[str, Any] = {title: {"title": notion_blocks.rich(change.title)}}
        texts: dict[str, str | None] = {names.marker: key}
        if isinstance(change, CreateTask):
            values |= _labels(properties, change.labels)
            texts |= _due(properties, change.due)
        else:
            texts |= {**change.meta, **({names.section: change.section} if change.section else {})}
        body = {
            "parent": {"database_id": database},
            "properties": values | self.pages.written(database, texts),
            "children": notion_blocks.blocks_of(sections.harmless(change.body)),
        }
        return str(self.pages.calls.send("POST", "/v1/pages", body=body).data["id"])

    def _set(self, page: str, database: str, values: Mapping[str, str | None]) -> None:
        body = {"properties": self.pages.written(database, values)}
        self.pages.calls.send("PATCH", f"/v1/pages/{page}", body=body, repeatable=True)

    def _done_word(self) -> str:
        properties = self.pages.schema(self.pages.databases.tasks)
        own = notion_blocks.named(properties, self.pages.databases.status)
        return "true" if own and properties[own]["type"] == "checkbox" else self.pages.databases.done[0]

    def _task(self, page: Mapping[str, Any]) -> Task:
        properties = page["properties"]
        own = notion_blocks.named(properties, self.pages.databases.status)
        state = notion_blocks.text_of(properties[own]) if own else ""
        labels, due = (notion_blocks.first_of(properties, kind) for kind in ("multi_select", "date"))
        task = Task(
            str(page["id"]),
            _title(properties),
            self._status(state),
            state=state,
            labels=notion_blocks.texts_of(properties[labels]) if labels else (),
            due=notion_blocks.text_of(properties[due]) if due else "",
            url=str(page.get("url", "")),
            updated_at=str(page.get("last_edited_time", "")),
            marker=self.pages.key(page),
        )
        return replace(task, version=task_version(task))

    def _status(self, state: str) -> TaskStatus:
        word = state.casefold()
        if word in {"true", *(one.casefold() for one in self.pages.databases.done)}:
            return "done"
        return "doing" if word in {one.casefold() for one in self.pages.databases.doing} else "open"

    def _whole(self, page: Mapping[str, Any]) -> Document:
        return self._document(page, self.pages.nodes(str(page["id"])))

    def _document(self, page: Mapping[str, Any], nodes: tuple[Node, ...]) -> Document:
        names, properties = self.pages.databases, page["properties"]
        own = {name.casefold(): notion_blocks.text_of(value) for name, value in properties.items()}
        title = notion_blocks.first_of(properties, "title").casefold()
        ours = {names.section.casefold(), names.marker.casefold(), title}
        document = Document(
            str(page["id"]),
            _title(properties),
            own.get(names.section.casefold(), ""),
            notion_blocks.rendered(nodes).text,
            meta={name: value for name, value in own.items() if name not in ours and value},
            url=str(page.get("url", "")),
            updated_at=str(page.get("last_edited_time", "")),
            marker=self.pages.key(page),
        )
        return replace(document, version=document_version(document))


def _own(nodes: tuple[Node, ...], mark: str, key: str) -> sections.OwnSection | None:
    """Our section with a mark; of two, the older one, which an interrupted write had yet to remove."""
    found = [node for node in nodes if (notion_blocks.section_of(node) or ("",))[0] == mark]
    older = [node for node in found if (notion_blocks.section_of(node) or ("", ""))[1] != key]
    if len(older) > 1:
        raise StaleError(f"the section {mark!r} stands {len(found)} times; remove all but one by hand")
    shown = notion_blocks.rendered(older or found).text
    return sections.own_section(shown, mark)


def _title(properties: Mapping[str, Any]) -> str:
    name = notion_blocks.first_of(properties, "title")
    return notion_blocks.text_of(properties[name]) if name else ""


def _labels(properties: Mapping[str, Any], labels: tuple[str, ...]) -> dict[str, Any]:
    own = notion_blocks.first_of(properties, "multi_select")
    if labels and not own:
        raise RefusedError(f"the database has no property for labels {labels!r}; add one of several choices in Notion")
    return {own: {"multi_select": [{"name": one} for one in labels]}} if labels else {}


def _due(properties: Mapping[str, Any], due: str) -> dict[str, str]:
    own = notion_blocks.first_of(properties, "date")
    if due and not own:
        raise RefusedError(f"the database has no date property for {due!r}; add one in Notion")
    return {own: due} if due else {}


def _log_mark(key: str) -> str:
    return f"[pactkeeper {key}]"


def opened(opening: Opening) -> NotionBoard:
    """Open the databases that the settings name."""
    at = address(opening.token, opening.base_url or BASE_URL)
    usual = Databases()
    databases = Databases(
        opening.text("tasks"),
        opening.text("documents"),
        marker=opening.text("marker") or usual.marker,
        status=opening.text("status") or usual.status,
        section=opening.text("section") or usual.section,
        doing=opening.texts("doing") or usual.doing,
        done=opening.texts("done") or usual.done,
    )
    return NotionBoard(
        opening.name, NotionPages(opening.name, databases, Calls(at, opening.limits, variable=opening.variable))
    )
