"""Approvals of weakenings: written by people, bound to the old and new content, and read from the base commit.

A change can't approve itself: only an approval in the commit it starts from counts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Final

from pactkeeper.errors import InputError
from pactkeeper.intent.folder import APPROVALS
from pactkeeper.intent.strength.change import Change
from pactkeeper.repo.snapshot import Snapshot

PLACE: Final = APPROVALS
_KEYS: Final = frozenset({"subject", "old", "new", "why", "by", "until"})
_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Approval:
    """Who accepted a change, why, and until when the approval is valid."""

    fingerprint: str
    by: str
    why: str
    until: date


def fingerprint(change: Change) -> str:
    """Return what identifies a change: the kind, the test, and the facet on both sides, but no line numbers."""
    said = f"{change.kind}\0{change.test}\0{change.old}\0{change.new}"
    return f"g1:{sha256(said.encode()).hexdigest()[:_DIGITS]}"


def approvals(base: Snapshot) -> Mapping[str, Approval]:
    """Return the approvals of a commit by fingerprint; raise InputError for a file that can't be read."""
    source = base.read(PLACE) if PLACE in base else None
    if source is None:
        return {}
    from pactkeeper.ledger.documents import read_toml  # noqa: PLC0415 - most commits approve nothing

    try:
        tables = read_toml(source.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{PLACE} of {base.name}: {error}; correct it there") from error
    return {name: _approval(name, table) for name, table in tables.items()}


def _approval(name: str, table: object) -> Approval:
    if not isinstance(table, dict) or not set(table) <= _KEYS or not isinstance(table.get("until"), date):
        raise InputError(
            f"{PLACE}: {name!r} needs `by`, `why` and `until` (a date), and knows {', '.join(sorted(_KEYS))}"
        )
    return Approval(name, str(table.get("by", "")), str(table.get("why", "")), table["until"])


def approval_text(change: Change, approval: Approval) -> str:
    """Format one table of the file."""
    rows = {"subject": change.test, "old": change.old, "new": change.new, "why": approval.why, "by": approval.by}
    lines = [f'["{approval.fingerprint}"]', *(f"{key} = {_string(value)}" for key, value in rows.items())]
    return "\n".join([*lines, f"until = {approval.until.isoformat()}", ""])


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(letter if letter.isprintable() else f"\\U{ord(letter):08x}" for letter in escaped) + '"'
