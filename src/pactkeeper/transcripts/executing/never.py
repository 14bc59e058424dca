"""What no setting, no model and no answer makes possible: the third tier, in code.

Nothing is deleted or rewritten, nobody is written to, and the documents that agents are steered by are left alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final

from pactkeeper.intent.actions import BOARD_VERBS, MARK, WRITES, Action
from pactkeeper.intent.board import Document
from pactkeeper.intent.routing import Routing

# Documents that steer people or agents, by their names without case, separators and suffix.
STEERING: Final = frozenset(
    {
        "active context",
        "agent",
        "agents",
        "agents override",
        "claude",
        "claude local",
        "clinerules",
        "copilot instructions",
        "cursorrules",
        "gemini",
        "skill",
        "soul",
        "windsurfrules",
    }
)
# Folders in which every file steers agents.
STEERING_FOLDERS: Final = frozenset({"claude", "codex", "cursor", "gemini", "skills"})
ARCHIVE: Final = "archive"
USUAL: Final = Routing()
# More than this share of a document, where it is longer than a note, is the document and not words in it.
WHOLE_PERCENT: Final = 50
NOTE_LENGTH: Final = 400

_SUFFIX: Final = re.compile(r"\.(?:md|mdc|mdx|markdown|txt)$")
_SEPARATORS: Final = re.compile(r"[\W_]+")
_MENTION: Final = re.compile(r"(?<![\w./@-])@[A-Za-z0-9][\w-]*")


def forbidden(action: Action, routing: Routing = USUAL) -> str:
    """Why an action may never happen, as far as the action itself shows; empty where it may.

    What a person's routing keeps from being written to comes on top of what is never written to anyhow.
    """
    if action.verb not in BOARD_VERBS:
        return f"{action.verb} is none of the things that may be done because of a conversation"
    payload = action.op.payload
    if action.verb not in {"logTask", "completeTask"}:  # their title is a person's, and tells of a task
        names = [str(payload.get(key, "")) for key in ("document", "title")]
        if reason := _forbidden_place(routing, str(payload.get("section", "")), names):
            return reason
    written = WRITES.get(action.verb)
    if written and MARK not in f"{payload.get('title', '')} {payload.get('heading', '')} {payload[written]}":
        return f"it does not say {MARK}, so nobody could tell that a program wrote it"
    return ""


def forbidden_in(action: Action, document: Document, routing: Routing = USUAL) -> str:
    """Why an action may never happen to this document as it is; empty where it may."""
    reason = _forbidden_place(routing, document.section, [document.title, document.id, document.url])
    if reason or action.verb != "patchDocumentSection":
        return reason
    old, body = str(action.op.payload["old"]), document.body
    if len(body) > NOTE_LENGTH and len(old) * 100 > len(body) * WHOLE_PERCENT:
        return f"it replaces {len(old):,} of {len(body):,} characters, which is rewriting {document.title!r}"
    return ""


def mentions(action: Action) -> str:
    """The first that an action's words address as `@name`, which is a message on most trackers; empty for none."""
    for value in action.op.payload.values():
        found = _MENTION.search(value) if isinstance(value, str) else None
        if found:
            return found[0]
    return ""


def steers(name: str) -> bool:
    """Whether a name, title or path is that of a document by which people or agents are steered."""
    parts = [_folded(part) for part in PurePosixPath(name.replace("\\", "/")).parts]
    return bool(parts) and (parts[-1] in STEERING or any(part in STEERING_FOLDERS for part in parts[:-1]))


def _forbidden_place(routing: Routing, section: str, names: Sequence[str]) -> str:
    own = {_folded(title) for title in routing.context}
    for name in (f"{section}/-", *names):
        if steers(name) or _folded(PurePosixPath(name).name) in own:
            return f"{name.removesuffix('/-')!r} steers people or agents; only people change it"
    closed = {_folded(one) for one in (ARCHIVE, *routing.never)}
    if {_folded(section), _folded(section.split("/", maxsplit=1)[0])} & closed:
        return f"{section!r} is a section that nothing is written to"
    return ""


def _folded(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name).casefold().strip()
    return _SEPARATORS.sub(" ", _SUFFIX.sub("", plain)).strip()
