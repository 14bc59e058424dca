"""What comes next for a draft: ask, show a preview, or create; the reason is a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pactkeeper.intent.ticket import Ask, Draft, Field, Phase
from pactkeeper.tickets.validation.report import Contradiction, Missing, Report

Outcome = Literal["ASK", "PREVIEW", "EXECUTE"]
Because = Literal["conflicts", "missing", "unanswered", "unknown", "complete", "approved"]
MOST_ASKS: Final = 3
PATIENCE: Final = 2  # rounds of questions that nobody answered, after which only the gaps are summed up

QUESTIONS: Final[Mapping[Field, str]] = {
    "title": "What should the ticket be called?",
    "problem": "Which problem does it solve, and for whom?",
    "acceptance_criteria": "How will we see that it is done? Name at least one thing that can be checked.",
}


@dataclass(frozen=True, slots=True)
class ThreadStanding:
    """How a thread stands: rounds of questions without an answer, the hash that was approved, whether a ticket is."""

    unanswered: int = 0
    approved: str = ""
    created: bool = False


@dataclass(frozen=True, slots=True)
class Decided:
    """What comes next and why: `because` is the kind of reason, `reasons` name the things themselves.

    `asks` are put together, at most three; `at_once` where they do not wait for others. `gaps` says that a summary of
    what is missing is shown instead of more questions, without a way to approve.
    """

    outcome: Outcome
    because: Because
    reasons: tuple[str, ...]
    phase: Phase
    asks: tuple[Ask, ...] = ()
    at_once: bool = False
    gaps: bool = False


def decide(draft: Draft, report: Report, standing: ThreadStanding = ThreadStanding()) -> Decided:
    """Decide from the draft, its report and how the thread stands; conflicts come before what is missing."""
    if not report.blocks:
        if standing.approved == draft.hash or standing.created:
            phase: Phase = "CREATED" if standing.created else "READY_TO_CREATE"
            return Decided("EXECUTE", "approved", (f"a person approved {draft.hash}",), phase)
        return Decided("PREVIEW", "complete", ("title, problem and a criterion are there",), "AWAITING_USER")
    conflicts = [one for one in report.open_conflicts if one.severity == "error"]
    lacking = [one for one in report.missing if one.severity == "error"]
    reasons = (*(one.message for one in conflicts), *(one.message for one in lacking))
    if standing.unanswered >= PATIENCE:
        return Decided("ASK", "unanswered", reasons, "COLLECTING", gaps=True)
    asks = _batch(conflicts, lacking)
    if not asks:
        return Decided("ASK", "unknown", reasons, "COLLECTING", gaps=True)
    because: Because = "conflicts" if conflicts else "missing"
    return Decided("ASK", because, reasons, "AWAITING_USER", asks, any(one.urgent for one in asks))


def _batch(conflicts: list[Contradiction], lacking: list[Missing]) -> tuple[Ask, ...]:
    """At most three questions: conflicts alone while there are any, else what is missing and may be known."""
    if conflicts:
        return tuple(_about(one) for one in conflicts[:MOST_ASKS])
    return tuple(_for(lacking))[:MOST_ASKS]


def _about(conflict: Contradiction) -> Ask:
    a, b = conflict.a, conflict.b
    text = f"{conflict.message[:1].upper()}{conflict.message[1:]}. Which one holds: A {a.value!r}, or B {b.value!r}?"
    urgent = conflict.against != "draft"
    sides = (a.value, b.value)
    return Ask("conflict", conflict.field, text, conflict.fingerprint, sides, conflict.choices, urgent, conflict.key)


def _for(lacking: list[Missing]) -> Iterator[Ask]:
    for one in lacking:
        if not one.unknown:
            yield Ask("missing", one.field, _wanted(one))


def _wanted(one: Missing) -> str:
    if one.message.startswith("no criterion can be tested"):
        return f"{one.message[:1].upper()}{one.message[1:]}. What could be measured or seen instead?"
    return QUESTIONS[one.field]
