"""Ticket drafts as values: what people said in a thread, field by field, with who said it, where, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, cast, get_args

from pactkeeper.ledger.canonical import JsonValue, digest

Field = Literal[
    "epic_id",
    "title",
    "problem",
    "proposed_solution",
    "acceptance_criteria",
    "constraints",
    "open_questions",
    "dependencies",
    "risks",
    "evidence_links",
]
FIELDS: Final[tuple[Field, ...]] = get_args(Field)
SINGLE: Final[tuple[Field, ...]] = ("epic_id", "title", "problem", "proposed_solution")
LISTS: Final[tuple[Field, ...]] = (
    "acceptance_criteria",
    "open_questions",
    "dependencies",
    "risks",
    "evidence_links",
)
# What a draft needs before anybody is shown a preview of it.
LONGEST_TITLE: Final = 255  # characters, as Jira takes them; other boards take as many or more
REQUIRED: Final[tuple[Field, ...]] = ("title", "problem", "acceptance_criteria")

Phase = Literal["COLLECTING", "AWAITING_USER", "READY_TO_CREATE", "CREATED"]
ConstraintStatus = Literal["proposed", "accepted", "rejected", "superseded"]
Choice = Literal["keep_a", "keep_b", "both", "amend"]
CHOICES: Final[tuple[Choice, ...]] = get_args(Choice)
AskTopic = Literal["conflict", "missing", "wording", "placing"]


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread that is bound to a ticket; `channel` names the way it is reached, `place` where it lies there."""

    id: str
    channel: str
    place: str
    opened_by: str
    opened_at: str


@dataclass(frozen=True, slots=True)
class ThreadMessage:
    """One message of a thread; `at` is ISO 8601 with offset, `sequence` its place in the thread from 1.

    `permalink` is what the channel itself gave for it, empty where it has none; `bot` where no person wrote it.
    `addressed` says that it was given as an answer to what we asked.
    """

    id: str
    thread: str
    author: str
    at: str
    text: str
    permalink: str = ""
    sequence: int = 0
    bot: bool = False
    addressed: bool = False


@dataclass(frozen=True, slots=True)
class PlacedValue:
    """One value with its origin: `quote` is the span of the message's text that it rests on, word for word.

    `placed_by` is who put words that nothing marks where they are: a person, an agent, or `model`; empty where they are
    marked.
    """

    value: str
    author: str
    message: str
    permalink: str
    quote: str
    placed_by: str = ""


@dataclass(frozen=True, slots=True)
class Loose:
    """Words that nothing marks, under their number in the thread.

    `place` is the field that a person put them in, `drop` where they are of no use, and empty while nobody did either.
    `changes` says that they correct something and do not say what: the draft cannot be approved while they wait.
    `suggested` is a field where they may belong, which only a person makes it.
    """

    number: int
    said: PlacedValue
    place: str = ""
    changes: bool = False
    suggested: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two or more values that cannot all be the field's; all are held until a person settles it."""

    sides: tuple[PlacedValue, ...]


Value = PlacedValue | Conflict


@dataclass(frozen=True, slots=True)
class Constraint:
    """Something that bounds the work: `key` names it, such as `session timeout`, and `value` says how."""

    key: str
    value: Value
    status: ConstraintStatus = "proposed"


@dataclass(frozen=True, slots=True)
class DraftTitle:
    """A title that a thread's draft has, for other threads to be held against."""

    thread: str
    value: str
    permalink: str = ""


@dataclass(frozen=True, slots=True)
class AcceptedConstraint:
    """A constraint as a thread left it, for other threads to be held against; `at` is when it got its status."""

    thread: str
    key: str
    said: PlacedValue
    status: ConstraintStatus
    at: str


@dataclass(frozen=True, slots=True)
class Ask:
    """One question of ours to the people of a thread, so that a reply is known to be about `field`.

    `key` names the constraint, where it is about one. `subject` is the fingerprint of the conflict that it is about, or
    what else tells it from other questions on the field; `sides` are the values among which `choices` choose. An urgent
    one is not kept waiting for others. `number` is its own in the thread for good, from 1; 0 until it is put.
    """

    topic: AskTopic
    field: Field
    text: str
    subject: str = ""
    sides: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    urgent: bool = False
    key: str = ""
    number: int = 0

    @property
    def id(self) -> str:
        """The same question, however it is worded."""
        return "ask-" + digest([self.topic, self.field, self.subject])[3:15]


@dataclass(frozen=True, slots=True)
class Unknown:
    """Somebody's word that a field cannot be filled for now: "I don't know" is an answer."""

    field: Field
    said: PlacedValue


@dataclass(frozen=True, slots=True)
class Settled:
    """A person's word on a conflict; `conflict` is its fingerprint, which changes with either side."""

    conflict: str
    choice: Choice
    said: PlacedValue


@dataclass(frozen=True, slots=True)
class Draft:
    """What a thread has come to, with the fields of seed 004; `version` counts the changes and is not hashed.

    Constraints of one key stand side by side where their values can hold together, as a least and a most do.
    """

    thread: str
    epic_id: Value | None = None
    title: Value | None = None
    problem: Value | None = None
    proposed_solution: Value | None = None
    acceptance_criteria: tuple[PlacedValue, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    open_questions: tuple[PlacedValue, ...] = ()
    dependencies: tuple[PlacedValue, ...] = ()
    risks: tuple[PlacedValue, ...] = ()
    evidence_links: tuple[PlacedValue, ...] = ()
    unknown: tuple[Unknown, ...] = ()
    settled: tuple[Settled, ...] = ()
    version: int = 0

    @property
    def hash(self) -> str:
        """The digest of everything that is shown: each value with its author, permalink and quote, and what is open."""
        return digest([self.thread, *(_shown(getattr(self, name)) for name in (*FIELDS, "unknown", "settled"))])


def values_of(draft: Draft, name: Field) -> tuple[PlacedValue, ...]:
    """Every value that a field has, all sides of a conflict included, in the order in which they were said."""
    found = getattr(draft, name)
    if name == "constraints":
        return tuple(said for one in draft.constraints for said in sides_of(one.value))
    return cast("tuple[PlacedValue, ...]", found) if name in LISTS else sides_of(found)


def sides_of(value: Value | None) -> tuple[PlacedValue, ...]:
    """A plain value as the only side there is; nothing where nothing was said."""
    if value is None:
        return ()
    return value.sides if isinstance(value, Conflict) else (value,)


def all_said(draft: Draft) -> Iterator[tuple[Field, PlacedValue]]:
    """Every value of a draft with its field, in the order of the fields."""
    for name in FIELDS:
        yield from ((name, said) for said in values_of(draft, name))


def evidence(draft: Draft) -> tuple[str, ...]:
    """The links that a draft rests on: those people gave, then the permalinks of the messages; each once."""
    given = [said.value for said in draft.evidence_links]
    return tuple(dict.fromkeys([*given, *(said.permalink for _, said in all_said(draft) if said.permalink)]))


def _shown(value: object) -> JsonValue:
    """A value of a draft in a form that can be hashed; the order in which things are shown counts."""
    match value:
        case PlacedValue(text, author, message, permalink, quote, placed_by):
            return [text, author, message, permalink, quote, *([placed_by] if placed_by else [])]
        case Conflict(sides):
            return {"conflict": [_shown(side) for side in sides]}
        case Constraint(key, held, status):
            return [key, _shown(held), status]
        case Unknown(name, said):
            return [name, _shown(said)]
        case Settled(conflict, choice, said):
            return [conflict, choice, _shown(said)]
        case tuple():
            return [_shown(one) for one in value]
        case _:
            return None
