"""The review as questions and answers, one test at a time, for terminals that can't be drawn on.

An item is printed with what would be declared, its evidence, and where it would be written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import click

from pactkeeper.advice import WEAKER
from pactkeeper.doors.cli.output import bold, count, dim, say
from pactkeeper.intent.atoms import CATEGORIES
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.decision import Decision, Verdict
from pactkeeper.operators.decide import Pending, ReviewItem, decide, save_decisions, suite_of, withdraw
from pactkeeper.operators.sitting import (
    Sitting,
    decided,
    facing,
    moved,
    of_suite,
    reworded,
    standing,
    taken_back,
    worded,
)
from pactkeeper.published.ops import op_lines, texts_of
from pactkeeper.reconcile.codes import quoted
from pactkeeper.reconcile.worth import is_doubted, is_lesser
from pactkeeper.workspace import Workspace

KEYS: Final = "[a]ccept  [r]eject  [e]dit  accept whole [s]uite  [n]ot now  [b]ack  [u]ndo  [q]uit"


@dataclass(slots=True)
class PlainReview:
    """A sitting asked and answered line by line; every answer is saved at once."""

    opened: Workspace
    sitting: Sitting
    suite: str = field(default="")

    def run(self) -> Sitting:
        """Ask until the person leaves or has seen everything."""
        while self._ask():
            say()
        return self.sitting

    def _ask(self) -> bool:
        """Ask about the current item; False if the sitting is over."""
        item = self.sitting.current
        if item is None:
            return False
        self._show(item)
        match _key():
            case "a":
                return self._take(decide(self.opened, item, "accept"))
            case "r":
                why = click.prompt("  why (optional)", default="", show_default=False)
                return self._take(decide(self.opened, item, "reject", reason=why))
            case "e":
                return self._edit(item)
            case "s":
                return self._accept_suite(item)
            case "u":
                return self._take_back()
            case "b" | "n" as key:
                return self._go(-1 if key == "b" else 1)
            case _:
                return False

    def _show(self, item: ReviewItem) -> None:
        if suite_of(item.group) != self.suite:
            self.suite = suite_of(item.group)
            waiting = sum(standing(self.sitting, one) == "open" for one in self.sitting.shown)
            told = f"{count(len(of_suite(self.sitting)), 'test')}; {waiting:,} to go"
            say(f"{bold(self.suite)}  {dim(told)}")
            say()
        print_item(item)
        word = standing(self.sitting, item)
        if word != "open":
            say(f"  {word} already; another answer replaces this one")

    def _go(self, by: int) -> bool:
        """Move forward or back; False if there is nothing further."""
        before, self.sitting = self.sitting.place, moved(self.sitting, by)
        return by < 0 or self.sitting.place > before

    def _take(self, made: Sequence[Decision]) -> bool:
        """Save an answer; False if no item follows."""
        save_decisions(self.opened, self.sitting.pending.patch, made)
        before, self.sitting = self.sitting.place, decided(self.sitting, made)
        return self.sitting.place > before

    def _take_back(self) -> bool:
        found = taken_back(self.sitting)
        if found is None:
            say("  nothing was answered in this session")
            return True
        keep_taken_back(self.opened, found[0], found[1].opened, found[1].before)
        self.sitting = found[0]
        say("  undone")
        return True

    def _accept_suite(self, item: ReviewItem) -> bool:
        """Accept the open items of a suite, once all have been shown and the person confirms."""
        waiting = [one for one in of_suite(self.sitting) if standing(self.sitting, one) == "open"]
        for one in waiting:
            if one.group != item.group:
                say()
                print_item(facing(self.sitting, one))
        if len(waiting) > 1 and not click.confirm(f"  accept these {len(waiting)} tests?", default=True):
            return True
        return self._take(accept_all(self.opened, self.sitting, waiting))

    def _edit(self, item: ReviewItem) -> bool:
        said = worded(self.sitting, item)
        if said is None:
            say("  there are no words to edit here")
            return True
        op, payload = said
        edited = _asked(payload)
        if edited == payload:
            say("  nothing changed")
            return True
        verdict: Verdict = "accept" if edited == op.payload else "edit"
        return self._take(decide(self.opened, item, verdict, edited={} if verdict == "accept" else {op.id: edited}))


def accept_all(opened: Workspace, sitting: Sitting, items: Sequence[ReviewItem]) -> tuple[Decision, ...]:
    """Accept several items at once; an op that two of them need is decided once."""
    made: dict[str, Decision] = {}
    for item in items:
        made.update({one.op: one for one in decide(opened, facing(sitting, item), "accept")})
    return tuple(made.values())


def keep_taken_back(
    opened: Workspace, sitting: Sitting, opened_again: Sequence[str], before: Sequence[Decision]
) -> None:
    """Store in the history that a decision was withdrawn: earlier decisions hold again, the rest is open."""
    patch = sitting.pending.patch
    withdraw(opened, patch, opened_again)
    save_decisions(opened, patch, before)


def _asked(payload: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The payload with the words that the person enters."""
    intent = click.prompt("  intent", default=str(payload["description"]))
    category = click.prompt("  category", default=str(payload["category"]), type=click.Choice(CATEGORIES))
    outcomes = _lines("outcome", payload.get("observableOutcomes"))
    falsifiers = _lines("falsified by", payload.get("falsifiedBy"))
    return reworded(payload, intent, outcomes, falsifiers=falsifiers, category=category)


def _lines(what: str, known: JsonValue) -> list[str]:
    """Sentences as the person wants them: the existing ones, one by one, then new ones until one is left empty."""
    kept = [click.prompt(f"  {what} (- drops it)", default=one) for one in texts_of(known)]
    while added := click.prompt(f"  another {what} (Enter: none)", default="", show_default=False).strip():
        kept.append(added)
    return [one for one in kept if one.strip() not in {"", "-"}]


def _key() -> str:
    while True:
        click.echo(f"  {dim(KEYS)} ", nl=False)
        read = click.getchar()
        pressed = read.strip(" \t\r\n").lower()[:1]  # an editor or a slow line sends the key with its Enter
        click.echo(pressed)
        if read == "\x04":  # end of input leaves, like q
            return "q"
        if pressed and pressed in "aresnbuq":
            return pressed
        if pressed:
            say(f"  {pressed!r} is not an answer here; press one of the keys above, without Enter")


MOST_LINES = 6


def print_item(item: ReviewItem) -> None:
    """Print the ops about one test."""
    quality = "" if item.quality is None else f", quality {item.quality}"
    say(f"{bold(item.group)}  {dim(f'confidence {item.confidence}{quality}')}")
    for op in (*item.needs, *item.ops):
        for said in op_lines(op):
            say(f"  {said.text}{dim(said.aside)}")
    for line in evidence_lines(item):
        say(f"  {line}")


def left_out(pending: Pending) -> str:
    """Say what `--all` does not accept, and how to accept it."""
    lesser = [item.group for item in pending.open if any(map(is_lesser, item.ops))]
    less = WEAKER(*map(quoted, lesser), "--weaker")
    parts = [f"{count(len(lesser), 'test')} not known to prove what was reviewed; if that is intended: {less}"]
    others = pending.left_out - len(lesser)
    doubted = any(is_doubted(op) for item in pending.open for op in item.ops)
    few = f"{count(others, 'test')} whose words a commitment would refuse"
    few += " or whose values differ from the atom's" if doubted else ""
    parts.append(f"{few}; improve or accept them one by one: pk review")
    return "; ".join(part for part, number in zip(parts, (len(lesser), others), strict=True) if number)


def evidence_lines(item: ReviewItem) -> Iterator[str]:
    """The lines that the ops about a test rest on, with their places; only the first ones."""
    found = dict.fromkeys((one.path, one.line, one.quote or one.note) for op in item.ops for one in op.evidence)
    for path, line, text in list(found)[:MOST_LINES]:
        first, *rest = text.strip().splitlines() or [""]
        yield dim(f"{path}:{line}  {first}{' …' if rest else ''}")
    if len(found) > MOST_LINES:
        yield dim(f"… and {len(found) - MOST_LINES} more lines of evidence")
