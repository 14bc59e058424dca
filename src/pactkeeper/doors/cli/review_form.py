"""The words of an atom as a text that a person edits: the intent, then one outcome a line behind a dash."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.ledger.canonical import JsonValue

DASH = "- "
INDENT = "  "


def form_of(payload: Mapping[str, JsonValue]) -> str:
    """Write the words; further lines of an outcome are indented."""
    known = payload.get("observableOutcomes")
    outcomes = [str(one) for one in known] if isinstance(known, list) else []
    intent = str(payload["description"]).replace("\n", " ")
    return "\n".join((intent, *(DASH + one.replace("\n", f"\n{INDENT}") for one in outcomes)))


def words_in(text: str) -> tuple[str, tuple[str, ...]]:
    """Read intent and outcomes back; the intent is what stands before the first dash."""
    intent: list[str] = []
    outcomes: list[str] = []
    for line in text.rstrip().split("\n"):
        if line.startswith("-"):
            outcomes.append(line[1:].strip())
        elif outcomes:
            outcomes[-1] += f"\n{line.removeprefix(INDENT)}"
        else:
            intent.append(line.strip())
    return " ".join(one for one in intent if one), tuple(one for one in outcomes if one)
