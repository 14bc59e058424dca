"""The review of one run: the items that match a filter, grouped into screens, and the cards of one screen.

Decisions on items are stored only if they refer to exactly what the page showed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from pactkeeper.doors.web.page.cards import Card, ShownCard, Standing, card_of, seen, standing
from pactkeeper.doors.web.page.desk import PageForm
from pactkeeper.errors import UsageError
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.decision import Decision, Verdict
from pactkeeper.ledger.finding import Finding
from pactkeeper.operators.decide import (
    Pending,
    ReviewItem,
    Sources,
    asserted_at,
    decide,
    load_pending,
    read_sources,
    save_decisions,
    suite_of,
    withdraw,
)
from pactkeeper.operators.sitting import WORDED, reworded
from pactkeeper.reconcile.journal import applied_ops
from pactkeeper.workspace import Workspace

PER_SCREEN: Final = 40  # cards
PER_LIST: Final = 60  # suites
SHOWS: Final[Mapping[str, str]] = {
    "all": "everything",
    "open": "open",
    "accepted": "accepted",
    "edited": "edited",
    "rejected": "rejected",
    "applied": "applied",
    "poor": "weak words",
    "changed": "changed atoms",
    "found": "with findings",
}


@dataclass(frozen=True, slots=True)
class Filter:
    """Which items to show; `words` are part of a test id or an intent, ignoring case."""

    show: str = "all"
    words: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """One screen in the list of screens."""

    name: str
    items: int
    open: int

    @property
    def file(self) -> str:
        """The file of its tests."""
        return self.name.partition("::")[0]

    @property
    def inside(self) -> str:
        """The suites within the file."""
        return self.name.partition("::")[2].replace("::", " › ")


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a review, in items; `unwritten` means that an apply would write some decisions."""

    total: int
    counts: Mapping[Standing, int]
    unwritten: bool

    @property
    def open(self) -> int:
        """The number of open items."""
        return self.counts.get("open", 0)


@dataclass(frozen=True, slots=True)
class Screen:
    """The content of one page of a review."""

    run: str
    pending: Pending
    progress: Progress
    wanted: Filter
    suites: tuple[Suite, ...]
    suite: str
    cards: tuple[Card, ...]
    part: int
    parts: int

    @property
    def place(self) -> int:
        """The index of this screen."""
        return next((index for index, one in enumerate(self.suites) if one.name == self.suite), 0)

    @property
    def listed(self) -> tuple[Suite, ...]:
        """The screens to list: those around this one."""
        start = self.place // PER_LIST * PER_LIST
        return self.suites[start : start + PER_LIST]

    def beside(self, by: int) -> str:
        """The screen `by` places away; empty if there is none."""
        place = self.place + by
        return self.suites[place].name if 0 <= place < len(self.suites) and self.suites else ""


def screen(workspace: Workspace, *, run: str, wanted: Filter, suite: str = "", part: int = 1) -> Screen:
    """Make one page: the named screen, else the first on which something waits."""
    sources = read_sources(workspace)
    pending = load_pending(workspace, run, pact=sources.pact)
    applied = applied_ops(workspace.state)
    stands = standings(pending, applied)
    found = _by_finding(pending)
    items = [one for one in pending.items if _is_meant(one, wanted, stands[one.group], pending=pending, found=found)]
    suites = tuple(_suites(items, stands))
    chosen = _chosen(suites, suite)
    members = [one for one in items if suite_of(one.group) == chosen]
    members.sort(key=lambda one: sources.tests[one.group].name_line if one.group in sources.tests else 0)
    parts = max(1, -(-len(members) // PER_SCREEN))
    part = min(max(part, 1), parts)
    cards = cards_of(sources, pending, members[(part - 1) * PER_SCREEN : part * PER_SCREEN], applied)
    progress = progress_of(pending, stands, sources.pact)
    return Screen(run, pending, progress, wanted, suites, chosen, cards, part, parts)


def standings(pending: Pending, applied: frozenset[str]) -> Mapping[str, Standing]:
    """The state of every item."""
    return {item.group: standing(item, applied) for item in pending.items}


def progress_of(pending: Pending, stands: Mapping[str, Standing], pact: Pact) -> Progress:
    """The progress of a review."""
    unwritten = any(
        stands[one.group] in {"accepted", "edited"}
        or (stands[one.group] == "rejected" and not _is_remembered(one, pact))
        for one in pending.items
    )
    return Progress(len(stands), Counter(stands.values()), unwritten)


def _is_remembered(item: ReviewItem, pact: Pact) -> bool:
    """Whether the pact stores this very rejection."""
    known = pact.links.get(item.group)
    return known is not None and known.rejected is not None and any(one.at == known.at for one in item.decisions)


def suites_of(pending: Pending, stands: Mapping[str, Standing], names: Iterable[str]) -> tuple[Suite, ...]:
    """The number of open items in these suites."""
    wanted = frozenset(names)
    return tuple(_suites([one for one in pending.items if suite_of(one.group) in wanted], stands))


def cards_of(
    sources: Sources, pending: Pending, items: Sequence[ReviewItem], applied: frozenset[str]
) -> tuple[Card, ...]:
    """The cards of some items, each with its current source."""
    lines = asserted_at(sources, [one.group for one in items])
    found = _by_finding(pending)
    return tuple(
        card_of(
            one,
            ShownCard(
                sources.of(one.group),
                lines.get(one.group, {}),
                sources.pact.atoms,
                found.get(one.group, ()),
                applied,
                pending.poor,
            ),
        )
        for one in items
    )


def _by_finding(pending: Pending) -> Mapping[str, tuple[Finding, ...]]:
    """The run's findings by test."""
    found: dict[str, tuple[Finding, ...]] = {}
    for one in pending.patch.findings:
        found[one.subject] = (*found.get(one.subject, ()), one)
    return found


def _is_meant(
    item: ReviewItem, wanted: Filter, stands: Standing, *, pending: Pending, found: Mapping[str, Sequence[Finding]]
) -> bool:
    match wanted.show:
        case "all":
            fits = True
        case "poor":
            fits = not pending.poor.isdisjoint(item.ids)
        case "changed":
            fits = any(op.verb not in {"createAtom", "attachTestToAtom"} for op in item.ops)
        case "found":
            fits = item.group in found
        case _:
            fits = stands == wanted.show
    return fits and _says(item, wanted.words.casefold())


def _says(item: ReviewItem, words: str) -> bool:
    if not words:
        return True
    texts = (item.group, *(str(op.payload.get("description", "")) for op in item.ops if op.verb in WORDED))
    return any(words in text.casefold() for text in texts)


def _suites(items: Iterable[ReviewItem], stands: Mapping[str, Standing]) -> Iterable[Suite]:
    for name, members in groupby(items, key=lambda one: suite_of(one.group)):
        groups = [one.group for one in members]
        yield Suite(name, len(groups), sum(stands[one] == "open" for one in groups))


def _chosen(suites: Sequence[Suite], name: str) -> str:
    """The named screen, or the first with an open item, or the first."""
    if any(one.name == name for one in suites):
        return name
    waiting = next((one.name for one in suites if one.open), "")
    return waiting or (suites[0].name if suites else "")


VERDICTS: Final[Mapping[str, Verdict]] = {"accept": "accept", "reject": "reject", "edit": "edit"}
FIELDS: Final = ("intent", "category", "outcomes", "falsified_by", "reason")


@dataclass(frozen=True, slots=True)
class FormDecision:
    """A submitted form: items by first op, each with the digest seen, one verdict for all, and the typed fields."""

    items: tuple[str, ...]
    seen: tuple[str, ...]
    verdict: str
    reason: str = ""
    typed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DecisionOutcome:
    """The outcome: the items that changed, or the stale ones, in which case nothing was stored."""

    changed: tuple[ReviewItem, ...]
    stale: tuple[ReviewItem, ...] = ()


def said_of(form: PageForm) -> FormDecision:
    """Parse a form; raises UsageError if its parts don't match."""
    items, shown = form.texts("item"), form.texts("seen")
    if not items or len(items) != len(shown):
        raise UsageError("the form doesn't say which items you saw, or in which version; reload the page")
    typed = {name: form.text(name) for name in (*FIELDS, "verdict")}
    return FormDecision(items, shown, form.text("verdict"), form.text("reason").strip(), typed)


def take(workspace: Workspace, pending: Pending, said: FormDecision) -> DecisionOutcome:
    """Store the verdict on all items, or on none if any changed since it was shown."""
    items = [named_item(pending, name) for name in said.items]
    stale = tuple(one for one, shown in zip(items, said.seen, strict=True) if seen(one) != shown)
    if stale:
        return DecisionOutcome((), stale)
    if said.verdict == "withdraw":
        ops = [one.op for item in items for one in item.decisions]
        withdraw(workspace, pending.patch, ops)
        return DecisionOutcome(_touched(pending, ops))
    if said.verdict not in VERDICTS:
        raise UsageError(f"{said.verdict!r} is not a verdict on an item; say accept, reject, edit or withdraw")
    made = [one for item in items for one in _decided(workspace, item, said)]
    save_decisions(workspace, pending.patch, made)
    return DecisionOutcome(_touched(pending, [one.op for one in made]))


def named_item(pending: Pending, name: str) -> ReviewItem:
    """The item whose first op has this id; raises UsageError if there is none."""
    found = next((one for one in pending.items if one.ops[0].id == name), None)
    if found is None:
        raise UsageError(f"{pending.patch.id} has no item {name!r}; reload the page")
    return found


def _decided(workspace: Workspace, item: ReviewItem, said: FormDecision) -> tuple[Decision, ...]:
    edited = _edited(item, said.typed) if said.verdict == "edit" else {}
    verdict: Verdict = "accept" if said.verdict == "edit" and not edited else VERDICTS[said.verdict]
    return decide(workspace, item, verdict, reason=said.reason, edited=edited)


def _edited(item: ReviewItem, typed: Mapping[str, str]) -> Mapping[str, Mapping[str, JsonValue]]:
    """The payload with the typed words; empty if they are unchanged."""
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
    """The items whose cards change after a decision on these ops: those that contain one or depend on one."""
    wanted = frozenset(ops)
    return tuple(item for item in pending.items if any(wanted & {op.id, *op.depends_on} for op in item.ops))
