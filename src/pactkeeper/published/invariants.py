"""A rule as JSON."""

from __future__ import annotations

from pactkeeper.operators.invariants import RuleCard
from pactkeeper.published.plain import members


def card_document(card: RuleCard) -> dict[str, object]:
    """The published form of one rule."""
    setting, entry = card.setting, card.entry
    return {
        "id": card.id,
        "name": card.name,
        "rule": card.text,
        "built_in": card.built_in,
        **members(setting, "enabled severity blocking"),
        "overridable": card.overridable,
        "code": setting.code,
        "why": card.why,
        "fix": card.fix,
        "checked": dict(card.checked),
        "every": entry.every if entry is not None else None,
        "where": dict(entry.where) if entry is not None else {},
        "needs": dict(entry.needs) if entry is not None else {},
        "file": entry.path if entry is not None else "",
        "line": entry.line if entry is not None else 0,
    }
