"""A ticket draft as parts of a message: each value with who said it and where, and all sides of what is open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pactkeeper.intent.ticket import Choice, Constraint, Draft, PlacedValue, Settled, Unknown, Value, sides_of
from pactkeeper.tickets.channels.slack_rich import LONGEST_TITLE, Line, Part, link, say
from pactkeeper.tickets.channels.slack_text import visible

_LISTS: Final = (
    ("open_questions", "Open questions"),
    ("dependencies", "Dependencies"),
    ("risks", "Risks"),
    ("evidence_links", "Evidence"),
)
_SETTLED: Final[Mapping[Choice, str]] = {
    "keep_a": "the first holds",
    "keep_b": "the second holds",
    "both": "both hold",
    "amend": "said anew",
}


def parts_of(draft: Draft) -> Iterator[Part]:
    """Everything that an approval of a draft covers, in the order of its fields."""
    yield from _title(draft)
    yield from _value("Epic", draft.epic_id)
    yield from _value("Problem", draft.problem)
    yield from _value("Proposed solution", draft.proposed_solution)
    yield from _listed("Acceptance criteria", draft.acceptance_criteria, box="☐ ")
    if draft.constraints:
        yield Part("Constraints", tuple(line for one in draft.constraints for line in _bound(one)))
    for name, heading in _LISTS:
        yield from _listed(heading, getattr(draft, name))
    if draft.unknown:
        yield Part("Not known for now", tuple(map(_unknown, draft.unknown)))
    if draft.settled:
        yield Part("Settled", tuple(map(_settled, draft.settled)))


def said_by(said: PlacedValue, *, before: str = "", after: str = "") -> Line:
    """A value with who said it and a link to where."""
    return (say(f"{before}{said.value}{after}"), *_origin(said))


def _origin(said: PlacedValue) -> Line:
    """Who said it, in a form that no words of a person have."""
    return (say(f" — {said.author}", form="italic"), *link(said.permalink, "message"))


def _title(draft: Draft) -> Iterator[Part]:
    """The title as a header, and who gave it; a long one, or two that exclude each other, as a field like others."""
    sides = sides_of(draft.title)
    if not sides:
        yield Part("", ((say("(no title yet)"),),), "title")
    elif len(sides) > 1 or len(visible(sides[0].value)) > LONGEST_TITLE or "\n" in visible(sides[0].value):
        yield from _value("Title", draft.title)
    else:
        yield Part("", ((say(sides[0].value),),), "title")
        yield Part("", ((say("Title"), *_origin(sides[0])),), "plain")


def _value(heading: str, value: Value | None) -> Iterator[Part]:
    sides = sides_of(value)
    if len(sides) > 1:
        yield Part(f"{heading} (open: which one holds?)", tuple(said_by(one) for one in sides))
    elif sides:
        yield Part(heading, (said_by(sides[0]),), "plain")


def _listed(heading: str, values: Sequence[PlacedValue], *, box: str = "") -> Iterator[Part]:
    if values:
        yield Part(heading, tuple(said_by(one, before=box) for one in values))


def _bound(constraint: Constraint) -> Iterator[Line]:
    """One line for each side of a constraint."""
    for said in sides_of(constraint.value):
        yield said_by(said, before=f"{constraint.key}: ", after=f" ({constraint.status})")


def _unknown(unknown: Unknown) -> Line:
    return (say(f"{unknown.field.replace('_', ' ')}: {unknown.said.quote}"), *_origin(unknown.said))


def _settled(settled: Settled) -> Line:
    return (say(f"{_SETTLED[settled.choice]}: {settled.said.quote}"), *_origin(settled.said))
