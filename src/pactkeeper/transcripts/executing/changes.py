"""From an op to the change of a board that it means; what is written anew leaves without secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pactkeeper.intent.board import (
    Change,
    CompleteTask,
    CreateDocument,
    CreateTask,
    EnrichDocument,
    LogTask,
    PatchDocumentSection,
    TickTodo,
    UpdateDocumentMeta,
)
from pactkeeper.intent.redaction import redacted
from pactkeeper.ledger.op import Op


def change_of(op: Op) -> Change | None:
    """The change that an op means, the same for the same op; None for advice, which changes no board.

    Words that must stand on the board already are taken as they are, as they are only looked for.
    """
    given: Mapping[str, Any] = op.payload
    match op.verb:
        case "createTask":
            labels = tuple(redacted(one) for one in given.get("labels", ()))
            return CreateTask(redacted(given["title"]), redacted(given["body"]), labels, given.get("due", ""))
        case "logTask":
            return LogTask(given["task"], redacted(given["text"]))
        case "completeTask":
            return CompleteTask(given["task"], given["version"])
        case "proposeSkillFix":
            return None
        case _:
            return _document_change(op.verb, given)


def _document_change(verb: str, given: Mapping[str, Any]) -> Change:
    match verb:
        case "createDocument":
            meta = {name: redacted(value) for name, value in given.get("meta", {}).items()}
            return CreateDocument(given["section"], redacted(given["title"]), redacted(given["body"]), meta)
        case "enrichDocument":
            heading, text = redacted(given["heading"]), redacted(given["text"])
            return EnrichDocument(given["document"], given["mark"], heading, text, given.get("old"))
        case "updateDocumentMeta":
            values = {name: None if value is None else redacted(value) for name, value in given["values"].items()}
            return UpdateDocumentMeta(given["document"], values, given["expected"])
        case "patchDocumentSection":
            return PatchDocumentSection(given["document"], given["heading"], given["old"], redacted(given["new"]))
        case "tickTodo":
            return TickTodo(given["document"], given["text"])
        case _:
            raise ValueError(f"{verb!r} is no change of a board")
