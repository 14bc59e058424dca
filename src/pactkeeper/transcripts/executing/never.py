"""The third tier: what no setting, model or answer can allow.

Nothing is deleted or rewritten, nobody is messaged, and documents that steer agents are left alone.
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

# Documents that steer people or agents, by name without case, separators and suffix.
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
# Every file in these folders steers agents.
STEERING_FOLDERS: Final = frozenset({"claude", "codex", "cursor", "gemini", "skills"})
ARCHIVE: Final = "archive"
USUAL: Final = Routing()
# Replacing more than this share of a document that is longer than a note counts as rewriting it.
WHOLE_PERCENT: Final = 50
NOTE_LENGTH: Final = 400

_SUFFIX: Final = re.compile(r"\.(?:md|mdc|mdx|markdown|txt)$")
_SEPARATORS: Final = re.compile(r"[\W_]+")
_MENTION: Final = re.compile(r"(?<![\w./@-])@[A-Za-z0-9][\w-]*")


def forbidden(action: Action, routing: Routing = USUAL) -> str:
    """Why the action itself shows that it may never happen; empty if it may.

    Places closed by a person's routing are refused as well.
    """
    if action.verb not in BOARD_VERBS:
        return f"{action.verb} is none of the things that may be done because of a conversation"
    payload = action.op.payload
    if action.verb not in {"logTask", "completeTask"}:  # their title is a person's, and names a task
        names = [str(payload.get(key, "")) for key in ("document", "title")]
        if reason := _forbidden_place(routing, str(payload.get("section", "")), names):
            return reason
    written = WRITES.get(action.verb)
    if written and MARK not in f"{payload.get('title', '')} {payload.get('heading', '')} {payload[written]}":
        return f"it does not say {MARK}, so nobody could tell that a program wrote it"
    return ""


def forbidden_in(action: Action, document: Document, routing: Routing = USUAL) -> str:
    """Why an action may never happen to this document in its current state; empty if it may."""
    reason = _forbidden_place(routing, document.section, [document.title, document.id, document.url])
    if reason or action.verb != "patchDocumentSection":
        return reason
    old, body = str(action.op.payload["old"]), document.body
    if len(body) > NOTE_LENGTH and len(old) * 100 > len(body) * WHOLE_PERCENT:
        return f"it replaces {len(old):,} of {len(body):,} characters, which is rewriting {document.title!r}"
    return ""


def mentions(action: Action) -> str:
    """The first `@name` in an action's text, which notifies that person on most trackers; empty if there is none."""
    for value in action.op.payload.values():
        found = _MENTION.search(value) if isinstance(value, str) else None
        if found:
            return found[0]
    return ""


def steers(name: str) -> bool:
    """Whether a name, title or path is that of a document that steers people or agents."""
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
