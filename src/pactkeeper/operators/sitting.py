"""One sitting of a review: the visible items, the current one, the decisions, and undo; every door renders it.

A sitting is a value. A door turns a key into the next sitting, and stores what changed in the history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final, Literal, get_args

from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.decision import Decision
from pactkeeper.ledger.op import Op
from pactkeeper.operators.decide import Pending, ReviewItem, needed, suite_of

Standing = Literal["open", "accepted", "edited", "rejected"]
Show = Literal["sitting", "open", "accepted", "edited", "rejected", "poor", "all"]
SHOWS: Final[tuple[Show, ...]] = get_args(Show)
WORDED: Final = frozenset({"createAtom", "updateAtom"})  # verbs whose wording a person may change


@dataclass(frozen=True, slots=True)
class SittingStep:
    """One decision of the person: the decisions it made, and those it replaced on the same ops."""

    at: str
    made: tuple[Decision, ...]
    before: tuple[Decision, ...]

    @property
    def opened(self) -> tuple[str, ...]:
        """The ops that become open again when this step is undone."""
        held = {one.op for one in self.before}
        return tuple(one.op for one in self.made if one.op not in held)


@dataclass(frozen=True, slots=True)
class Sitting:
    """Items with their current decisions, the `steps` of this sitting, oldest first, and the current item's group `at`.

    `show` and `words` determine `shown`: `sitting` is what was open at the start, `poor` what is worded too poorly to
    be accepted in bulk. `words` match a part of a test id or an intent, or all of it with a pattern that has `*`.
    """

    pending: Pending
    items: tuple[ReviewItem, ...]
    held: Mapping[str, Decision]
    began: frozenset[str]
    at: str = ""
    show: Show = "sitting"
    words: str = ""
    steps: tuple[SittingStep, ...] = ()
    shown: tuple[ReviewItem, ...] = field(init=False, repr=False)
    place: int = field(init=False)

    def __post_init__(self) -> None:
        shown = tuple(one for one in self.items if self._is_shown(one))
        groups = [one.group for one in shown]
        place = groups.index(self.at) if self.at in groups else 0
        object.__setattr__(self, "shown", shown)
        object.__setattr__(self, "place", place)
        object.__setattr__(self, "at", groups[place] if groups else self.at)

    def _is_shown(self, item: ReviewItem) -> bool:
        match self.show:
            case "all":
                wanted = True
            case "sitting":
                wanted = item.group in self.began
            case "poor":
                wanted = is_poor(self, item)
            case _:
                wanted = standing(self, item) == self.show
        return wanted and is_meant(self, item, self.words)

    @property
    def current(self) -> ReviewItem | None:
        """The current item with its decisions so far; None if nothing is shown."""
        return facing(self, self.shown[self.place]) if self.shown else None


def begin(pending: Pending, items: Sequence[ReviewItem] | None = None) -> Sitting:
    """Start a sitting over a patch, or over some of its items."""
    held = {one.op: one for item in pending.items for one in item.decisions}
    began = frozenset(item.group for item in pending.open)
    sitting = Sitting(pending, tuple(pending.items if items is None else items), held, began)
    return sitting if sitting.shown else replace(sitting, show="all")


def standing(sitting: Sitting, item: ReviewItem) -> Standing:
    """Return the standing of an item; it is open until all its ops are decided."""
    said = {sitting.held[op.id].verdict for op in item.ops if op.id in sitting.held}
    if not item.ids <= sitting.held.keys():
        return "open"
    return "rejected" if "reject" in said else "edited" if "edit" in said else "accepted"


def counts(sitting: Sitting) -> Mapping[Standing, int]:
    """Count items by standing."""
    return Counter(standing(sitting, one) for one in sitting.items)


def is_poor(sitting: Sitting, item: ReviewItem) -> bool:
    """Whether the item's wording, or that of an item it needs, falls short of the project's threshold."""
    return not sitting.pending.poor.isdisjoint(item.ids)


def is_meant(sitting: Sitting, item: ReviewItem, words: str) -> bool:
    """Whether words match this item: part of its test id or intent, ignoring case, or a pattern for one of them."""
    if not words:
        return True
    said = worded(sitting, item)
    texts = (item.group.casefold(), str(said[1].get("description", "")).casefold() if said else "")
    wanted = words.casefold()
    if any(letter in wanted for letter in "*?["):
        return any(fnmatchcase(text, wanted) for text in texts)
    return any(wanted in text for text in texts)


def facing(sitting: Sitting, item: ReviewItem) -> ReviewItem:
    """Return an item with its current decisions, and the undecided ops that it needs."""
    said = tuple(sitting.held[op.id] for op in item.ops if op.id in sitting.held)
    undecided = {op.id: op for op in sitting.pending.patch.ops if op.id not in sitting.held}
    return replace(item, decisions=said, needs=needed(item.ops, undecided))


def worded(sitting: Sitting, item: ReviewItem) -> tuple[Op, Mapping[str, JsonValue]] | None:
    """Return an item's op with wording, and its payload as it would be applied; None if it has no such op."""
    op = next((one for one in item.ops if one.verb in WORDED), None)
    if op is None:
        return None
    said = sitting.held.get(op.id)
    return op, op.payload if said is None or said.edited is None else said.edited


def reworded(
    payload: Mapping[str, JsonValue],
    intent: str,
    outcomes: Sequence[str],
    *,
    falsifiers: Sequence[str] | None = None,
    category: str = "",
) -> dict[str, JsonValue]:
    """Return a payload in other words; changing the outcomes drops their falsifiers unless new ones are given."""
    known = payload.get("falsifiedBy") or []
    said: JsonValue = known if falsifiers is None else [*falsifiers]
    told: dict[str, JsonValue] = {**payload, "description": intent, **({"category": category} if category else {})}
    if [*outcomes] != (payload.get("observableOutcomes") or []):
        told["observableOutcomes"] = [*outcomes]
        said = [] if said == known else said
    return told if said == known else {**told, "falsifiedBy": said}


def moved(sitting: Sitting, by: int) -> Sitting:
    """Move forward or back by `by` items, within bounds."""
    if not sitting.shown:
        return sitting
    place = min(max(sitting.place + by, 0), len(sitting.shown) - 1)
    return replace(sitting, at=sitting.shown[place].group)


def moved_suite(sitting: Sitting, by: Literal[1, -1]) -> Sitting:
    """Move to the first item of the next or previous suite."""
    firsts = [
        index
        for index, item in enumerate(sitting.shown)
        if not index or suite_of(item.group) != suite_of(sitting.shown[index - 1].group)
    ]
    ahead = [one for one in firsts if one > sitting.place] if by > 0 else [one for one in firsts if one < sitting.place]
    if not ahead:
        return sitting
    return replace(sitting, at=sitting.shown[ahead[0] if by > 0 else ahead[-1]].group)


def filtered(sitting: Sitting, *, show: Show | None = None, words: str | None = None) -> Sitting:
    """Change the filter, keeping the current item if it is still shown."""
    return replace(
        sitting, show=sitting.show if show is None else show, words=sitting.words if words is None else words
    )


def of_suite(sitting: Sitting) -> tuple[ReviewItem, ...]:
    """Return the shown items of the current suite."""
    suite = suite_of(sitting.at)
    return tuple(one for one in sitting.shown if suite_of(one.group) == suite)


def in_bulk(sitting: Sitting, items: Iterable[ReviewItem]) -> tuple[ReviewItem, ...]:
    """Return the items that may be accepted together: still open, and worded well enough."""
    return tuple(one for one in items if standing(sitting, one) == "open" and not is_poor(sitting, one))


def decided(sitting: Sitting, made: Sequence[Decision]) -> Sitting:
    """Record a decision of the person, and move to the next open item."""
    step = SittingStep(sitting.at, tuple(made), tuple(sitting.held[one.op] for one in made if one.op in sitting.held))
    held = {**sitting.held, **{one.op: one for one in made}}
    after = [one.group for one in sitting.shown[sitting.place + 1 :]]
    before = [one.group for one in sitting.shown[: sitting.place]]
    waiting = {one.group for one in sitting.items if not one.ids <= held.keys()}
    at = next((one for one in (*after, *before) if one in waiting), sitting.at)
    return replace(sitting, held=held, steps=(*sitting.steps, step), at=at)


def taken_back(sitting: Sitting) -> tuple[Sitting, SittingStep] | None:
    """Undo the latest step of this sitting and return to its item; None if there is none."""
    if not sitting.steps:
        return None
    *earlier, step = sitting.steps
    held = {name: one for name, one in sitting.held.items() if name not in step.opened}
    held |= {one.op: one for one in step.before}
    return replace(sitting, held=held, steps=tuple(earlier), at=step.at), step
