"""Notion API calls: databases with their properties, pages, blocks and comments, with pagination."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pactkeeper.boards import notion_blocks
from pactkeeper.boards.calls import Calls
from pactkeeper.boards.notion_blocks import Node
from pactkeeper.errors import BoardUnavailable, InputError, RefusedError

_PAGE: Final = 100
_DEEPEST: Final = 3
_ID: Final = re.compile(r"[0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True)
class Databases:
    """The ids of the databases (empty: none), the names of special properties, and the status words.

    The first word of `done` is the one written.
    """

    tasks: str = ""
    documents: str = ""
    marker: str = "Pactkeeper"
    status: str = "Status"
    section: str = "Section"
    doing: tuple[str, ...] = ("Doing", "In progress")
    done: tuple[str, ...] = ("Done",)


@dataclass(frozen=True, slots=True)
class NotionPages:
    """The pages of a board's databases; schemas are cached while the board is open."""

    name: str
    databases: Databases
    calls: Calls = field(repr=False)
    _schemas: dict[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    def written(self, database: str, values: Mapping[str, str | None]) -> dict[str, Any]:
        """Convert texts to properties of a database; raise RefusedError for a property it doesn't have."""
        properties = self.schema(database)
        found: dict[str, Any] = {}
        for name, value in values.items():
            own = notion_blocks.named(properties, name)
            if not own:
                raise RefusedError(f"the database {database!r} has no property {name!r}; add it in Notion")
            found[own] = notion_blocks.written(own, str(properties[own]["type"]), value)
        return found

    def schema(self, database: str) -> Mapping[str, Any]:
        """The properties of a database, fetched once."""
        if database not in self._schemas:
            self._schemas[database] = self.calls.get(f"/v1/databases/{database}").data["properties"]
        return self._schemas[database]

    def made(self, database: str, key: str, target: str) -> Mapping[str, Any] | None:
        """The page with a key; `target` is its id, if known."""
        if target:
            pages = [self.any_page(target)]
        else:
            pages = list(self.query(database, {"property": self.marker(database), "rich_text": {"equals": key}}))
        return next((page for page in pages if self.key(page) == key), None)

    def marker(self, database: str) -> str:
        """The name of the property that holds keys; raise RefusedError if there is none."""
        found = notion_blocks.named(self.schema(database), self.databases.marker)
        if not found:
            raise RefusedError(
                f"the database {database!r} has no text property {self.databases.marker!r}, which is needed to "
                "recognise repeated changes; add it in Notion"
            )
        return found

    def query(self, database: str, wanted: Mapping[str, Any] | None = None) -> Iterator[Mapping[str, Any]]:
        """All pages of a database, or those matching a filter."""
        if database:
            body = {"filter": wanted} if wanted else {}
            yield from self._all("POST", f"/v1/databases/{database}/query", body)

    def comments(self, page: str) -> Iterator[Mapping[str, Any]]:
        """All comments of a page."""
        return self._all("GET", "/v1/comments", {"block_id": valid_page(page, self.name, "task")})

    def _all(self, method: str, path: str, wanted: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield all items of a list, page by page; raise BoardUnavailable above the limit or without a next cursor."""
        asked: dict[str, Any] = {**wanted, "page_size": _PAGE}
        count = 0
        while True:
            sent = {"query": asked} if method == "GET" else {"body": asked}
            data = self.calls.send(method, path, repeatable=True, **sent).data
            if not isinstance(data, dict) or not isinstance(data.get("results"), list):
                raise BoardUnavailable(f"Notion ({self.name}) did not answer with a list")
            count += len(data["results"])
            yield from data["results"]
            if not data.get("has_more"):
                return
            if count >= self.calls.limits.items or not data.get("next_cursor"):
                raise BoardUnavailable(
                    f"Notion ({self.name}) has more than the {self.calls.limits.items:,} items of `items`"
                )
            asked["start_cursor"] = data["next_cursor"]

    def any_page(self, page: str) -> Mapping[str, Any]:
        """One page from any database."""
        found: Mapping[str, Any] = self.calls.get(f"/v1/pages/{valid_page(page, self.name, 'task or document')}").data
        return found

    def page(self, page: str, database: str, *, source: str) -> Mapping[str, Any]:
        """One page; raise InputError if it is archived or in another database."""
        valid_page(page, self.name, source)
        try:
            found = self.any_page(page)
        except InputError as error:
            raise InputError(f"{self.name!r} has no {source} {page!r}: {error}") from error
        parent = str((found.get("parent") or {}).get("database_id", "")).replace("-", "")
        if parent != database.replace("-", "") or is_archived(found):
            raise InputError(f"{self.name!r} has no {source} {page!r}: it is in another database, or archived")
        return found

    def nodes(self, block: str, *, deepest: int = _DEEPEST) -> tuple[Node, ...]:
        """All blocks of a page or block, with their children down to `deepest` levels."""
        found = [one for one in self._all("GET", f"/v1/blocks/{block}/children", {}) if not is_archived(one)]
        return tuple(
            Node(one, self.nodes(one["id"], deepest=deepest - 1) if deepest and one.get("has_children") else ())
            for one in found
        )

    def key(self, page: Mapping[str, Any]) -> str:
        """The key stored on a page; empty if there is none."""
        properties = page["properties"]
        own = notion_blocks.named(properties, self.databases.marker)
        return notion_blocks.text_of(properties[own]) if own else ""


def is_archived(thing: Mapping[str, Any]) -> bool:
    """Whether a page or block is archived."""
    return bool(thing.get("archived") or thing.get("in_trash"))


def valid_page(page: str, board: str, source: str) -> str:
    """The id itself; raise InputError if it isn't a valid page id."""
    if not _ID.fullmatch(page):
        raise InputError(f"{board!r} has no {source} {page!r}; Notion ids have 32 digits")
    return page
