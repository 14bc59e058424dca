"""A person's word on items of a review, taken only on exactly what stood on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pactkeeper.doors.web.page.cards import WORDED, seen
from pactkeeper.doors.web.page.forms import Form
from pactkeeper.errors import UsageError
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.decision import Decision, Verdict
from pactkeeper.operators.decide import Pending, ReviewItem, decide, save_decisions, withdraw
from pactkeeper.operators.sitting import reworded
from pactkeeper.workspace import Workspace

VERDICTS: Final[Mapping[str, Verdict]] = {"accept": "accept", "reject": "reject", "edit": "edit"}
FIELDS: Final = ("intent", "category", "outcomes", "falsified_by", "reason")


@dataclass(frozen=True, slots=True)
class FormDecision:
    """What a form says: items by their first op, each with what was seen, one word about all, and how it is put."""

    items: tuple[str, ...]
    seen: tuple[str, ...]
    verdict: str
    reason: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DecisionOutcome:
    """What came of it: the items that look otherwise now, or those that somebody changed before, and then nothing."""

    changed: tuple[ReviewItem, ...]
    stale: tuple[ReviewItem, ...] = ()


def said_of(form: Form) -> FormDecision:
    """Read a form; raises UsageError where its parts do not fit together."""
    items, shown = form.texts("item"), form.texts("seen")
    if not items or len(items) != len(shown):
        raise UsageError("the form names no item, or not what was seen of each; reload the page")
    typed = {name: form.text(name) for name in (*FIELDS, "verdict")}
    return FormDecision(items, shown, form.text("verdict"), form.text("reason").strip(), typed)


def take(workspace: Workspace, pending: Pending, said: FormDecision) -> DecisionOutcome:
    """Keep the word on all of the items, or on none where one of them is not any more as it was shown."""
    items = [named_item(pending, name) for name in said.items]
    stale = tuple(one for one, shown in zip(items, said.seen, strict=True) if seen(one) != shown)
    if stale:
        return DecisionOutcome((), stale)
    if said.verdict == "withdraw":
        ops = [one.op for item in items for one in item.decisions]
        withdraw(workspace, pending.patch, ops)
        return DecisionOutcome(_touched(pending, ops))
    if said.verdict not in VERDICTS:
        raise UsageError(f"{said.verdict!r} is no word on an item; say accept, reject, edit or withdraw")
    made = [one for item in items for one in _decided(workspace, item, said)]
    save_decisions(workspace, pending.patch, made)
    return DecisionOutcome(_touched(pending, [one.op for one in made]))


def named_item(pending: Pending, name: str) -> ReviewItem:
    """The item whose first op has this id; raises UsageError where the patch has none."""
    found = next((one for one in pending.items if one.ops[0].id == name), None)
    if found is None:
        raise UsageError(f"{pending.patch.id} has no item {name!r}; reload the page")
    return found


def _decided(workspace: Workspace, item: ReviewItem, said: FormDecision) -> tuple[Decision, ...]:
    edited = _edited(item, said.typed) if said.verdict == "edit" else {}
    verdict: Verdict = "accept" if said.verdict == "edit" and not edited else VERDICTS[said.verdict]
    return decide(workspace, item, verdict, reason=said.reason, edited=edited)


def _edited(item: ReviewItem, typed: Mapping[str, str]) -> Mapping[str, Mapping[str, JsonValue]]:
    """The payload in the typed words; empty where they are the words that stood there."""
    op = next((one for one in item.ops if one.verb in WORDED), None)
    if op is None:
        raise UsageError(f"{item.group} has no words to edit")
    intent = " ".join(typed.get("intent", "").split())
    if not intent:
        raise UsageError("the intent is empty; say in one sentence what the test is for, or reject the item")
    outcomes, falsifiers = _lines(typed.get("outcomes", "")), _lines(typed.get("falsified_by", ""))
    category = typed.get("category", "")
    payload = reworded(op.payload, intent, outcomes, falsifiers=falsifiers, category=category)
    return {} if payload == op.payload else {op.id: payload}


def _lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def _touched(pending: Pending, ops: Sequence[str]) -> tuple[ReviewItem, ...]:
    """The items that look otherwise after a word on these ops: those that hold one, and those that need one."""
    wanted = frozenset(ops)
    return tuple(
        item for item in pending.items if any(op.id in wanted or wanted.intersection(op.depends_on) for op in item.ops)
    )
