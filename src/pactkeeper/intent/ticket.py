"""Ticket drafts as values, and as JSON: what people said in a thread, by field, with who said it, where, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast, get_args

from pactkeeper.ledger.canonical import JsonValue, digest, fields_of

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
LISTS: Final[tuple[Field, ...]] = tuple(name for name in FIELDS if name not in {*SINGLE, "constraints"})
# Fields required before a preview of the draft is shown.
LONGEST_TITLE: Final = 255  # characters, Jira's limit; other boards allow as many or more
REQUIRED: Final[tuple[Field, ...]] = ("title", "problem", "acceptance_criteria")

Phase = Literal["COLLECTING", "AWAITING_USER", "READY_TO_CREATE", "CREATED", "DROPPED"]
ConstraintStatus = Literal["proposed", "accepted", "rejected", "superseded"]
Choice = Literal["keep_a", "keep_b", "both", "amend"]
CHOICES: Final[tuple[Choice, ...]] = get_args(Choice)
AskTopic = Literal["conflict", "missing", "wording", "placing"]


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread that is bound to a ticket; `channel` names its channel, `place` its location there.

    `root` is the repository in which it was opened or first read; empty if there was none, or it is unknown.
    """

    id: str
    channel: str
    place: str
    opened_by: str
    opened_at: str
    root: str = ""


@dataclass(frozen=True, slots=True)
class ThreadMessage:
    """One message of a thread; `at` is ISO 8601 with offset, `sequence` its position in the thread from 1.

    `permalink` is the channel's own link, empty if it has none; `bot` means that no person wrote it. `addressed` means
    that it answers a question of ours.
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
    """One value with its origin: `quote` is the span of the message's text that it is taken from, verbatim.

    `placed_by` is who assigned unmarked words to their field: a person, an agent, or `model`; empty if they are marked.
    `instead` is the entry of somebody else whose number these words were said under: one of the two has to go.
    `disputed` are the words with which somebody else asked to remove this value; it stays until a person decides.
    """

    value: str
    author: str
    message: str
    permalink: str
    quote: str
    placed_by: str = ""
    instead: str = ""
    disputed: PlacedValue | None = None


@dataclass(frozen=True, slots=True)
class Loose:
    """Unmarked words, under their number in the thread.

    `place` is the field a person assigned them to, `drop` if they are of no use, and empty while undecided. `changes`
    means that they correct something without saying what: the draft cannot be approved while they are undecided.
    `suggested` is a field where they may belong; only a person can assign it.
    """

    number: int
    said: PlacedValue
    place: str = ""
    changes: bool = False
    suggested: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two or more incompatible values of a field; all are kept until a person resolves it."""

    sides: tuple[PlacedValue, ...]


Value = PlacedValue | Conflict


@dataclass(frozen=True, slots=True)
class Constraint:
    """A limit on the work: `key` names it, such as `session timeout`, and `value` states it."""

    key: str
    value: Value
    status: ConstraintStatus = "proposed"


@dataclass(frozen=True, slots=True)
class DraftTitle:
    """The title of a thread's draft, for comparison with other threads."""

    thread: str
    value: str
    permalink: str = ""


@dataclass(frozen=True, slots=True)
class AcceptedConstraint:
    """A constraint as a thread left it, for comparison with other threads; `at` is when it got its status."""

    thread: str
    key: str
    said: PlacedValue
    status: ConstraintStatus
    at: str


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to the people of a thread, so that a reply is known to be about `field`.

    `key` names the constraint, if it is about one. `subject` is the fingerprint of the conflict it is about, or
    whatever else distinguishes it from other questions on the field; `sides` are the values to choose from with
    `choices`. An urgent question does not wait for others. `number` is its permanent number in the thread, from 1; 0
    until it is asked.
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
        """Stable for the same question, however it is worded."""
        return "ask-" + digest([self.topic, self.field, self.subject])[3:15]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A person's statement that a field cannot be filled for now: "I don't know" is an answer."""

    field: Field
    said: PlacedValue


@dataclass(frozen=True, slots=True)
class Settled:
    """A person's decision on a conflict; `conflict` is its fingerprint, which changes with either side."""

    conflict: str
    choice: Choice
    said: PlacedValue


@dataclass(frozen=True, slots=True)
class Draft:
    """The state of a thread's ticket, with the fields of seed 004; `version` counts the changes and is not hashed.

    Constraints with one key are listed separately if their values are compatible, such as a minimum and a maximum.
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


def is_same_person(one: str, other: str) -> bool:
    """Whether two authors are one: the same name, and no two addresses, as in `Ada` and `Ada <ada@a.example>`."""
    (name, _, address), (other_name, _, other_address) = one.partition(" <"), other.partition(" <")
    return name == other_name and (address == other_address or not (address and other_address))


def values_of(draft: Draft, name: Field) -> tuple[PlacedValue, ...]:
    """Return every value of a field, including all sides of a conflict, in the order they were said."""
    found = getattr(draft, name)
    if name == "constraints":
        return tuple(said for one in draft.constraints for said in sides_of(one.value))
    return cast("tuple[PlacedValue, ...]", found) if name in LISTS else sides_of(found)


def sides_of(value: Value | None) -> tuple[PlacedValue, ...]:
    """Return the sides of a value: one for a plain value, none for None."""
    if value is None:
        return ()
    return value.sides if isinstance(value, Conflict) else (value,)


def all_said(draft: Draft) -> Iterator[tuple[Field, PlacedValue]]:
    """Yield every value of a draft with its field, in field order."""
    for name in FIELDS:
        yield from ((name, said) for said in values_of(draft, name))


def disputed_values(draft: Draft) -> Iterator[tuple[Field, str, PlacedValue, PlacedValue]]:
    """Yield each value that somebody else wants removed, with its field and key, and the words that ask for it."""
    for name in (*SINGLE, *LISTS):
        yield from ((name, "", said, said.disputed) for said in values_of(draft, name) if said.disputed)
    for one in draft.constraints:
        yield from (("constraints", one.key, said, said.disputed) for said in sides_of(one.value) if said.disputed)


def evidence(draft: Draft) -> dict[str, tuple[str, ...]]:
    """Return the links that support a draft with who is behind each: those people gave, then the messages' own."""
    found: dict[str, dict[str, None]] = {}
    for said in draft.evidence_links:
        found.setdefault(said.value, {})[said.author] = None
    for _, said in all_said(draft):
        if said.permalink:
            found.setdefault(said.permalink, {})[said.author] = None
    return {link: tuple(names) for link, names in found.items()}


def _shown(value: object) -> JsonValue:
    """Convert a value of a draft to a hashable form; the order in which things are shown counts."""
    match value:
        case PlacedValue(text, author, message, permalink, quote, placed_by, instead, disputed):
            more = [placed_by, instead] if instead else [placed_by] if placed_by else []
            asked = [] if disputed is None else [{"disputed": _shown(disputed)}]
            return [text, author, message, permalink, quote, *more, *asked]
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


_KEYS: Final = frozenset({"thread", "version", "hash", "unknown", "settled", *FIELDS})


def draft_document(draft: Draft) -> dict[str, JsonValue]:
    """Return a draft as JSON: a single field is null, a value, or `{"conflict": [values]}`; its hash is included."""
    found: dict[str, JsonValue] = {"thread": draft.thread, "version": draft.version, "hash": draft.hash}
    for name in SINGLE:
        found[name] = _value(getattr(draft, name))
    for name in LISTS:
        found[name] = [_value(said) for said in getattr(draft, name)]
    found["constraints"] = [
        {"key": one.key, "value": _value(one.value), "status": one.status} for one in draft.constraints
    ]
    found["unknown"] = [{"field": one.field, "said": _value(one.said)} for one in draft.unknown]
    found["settled"] = [
        {"conflict": one.conflict, "choice": one.choice, "said": _value(one.said)} for one in draft.settled
    ]
    return found


def read_draft(document: Mapping[str, Any]) -> Draft:
    """Parse what `draft_document` wrote; raises ValueError for unknown keys and for a wrong hash."""
    if unknown := sorted(document.keys() - _KEYS):
        raise ValueError(f"a draft has no {unknown[0]!r}")
    single = {name: None if document[name] is None else _held(document[name]) for name in SINGLE}
    lists = {name: tuple(map(read_said, document[name])) for name in LISTS}
    constraints = tuple(Constraint(one["key"], _held(one["value"]), one["status"]) for one in document["constraints"])
    unknown_fields = tuple(Unknown(one["field"], read_said(one["said"])) for one in document["unknown"])
    settled = tuple(Settled(one["conflict"], one["choice"], read_said(one["said"])) for one in document["settled"])
    draft = Draft(
        document["thread"],
        **cast("Any", single),
        **cast("Any", lists),
        constraints=constraints,
        unknown=unknown_fields,
        settled=settled,
        version=document["version"],
    )
    if draft.hash != document["hash"]:
        raise ValueError(f"the draft of {draft.thread!r} says the hash {document['hash']!r} and has {draft.hash!r}")
    return draft


def read_loose(document: Mapping[str, Any]) -> Loose:
    """Parse what `fields_of` made of unplaced words."""
    return Loose(**{**document, "said": read_said(document["said"])})


def _value(value: Value | None) -> JsonValue:
    if isinstance(value, Conflict):
        return {"conflict": [fields_of(side) for side in value.sides]}
    return None if value is None else fields_of(value)


def _held(document: Mapping[str, Any]) -> Value:
    sides: Sequence[Mapping[str, Any]] | None = document.get("conflict")
    return read_said(document) if sides is None else Conflict(tuple(read_said(one) for one in sides))


def read_said(document: Mapping[str, Any]) -> PlacedValue:
    """Parse what `fields_of` made of a value."""
    disputed = document.get("disputed")
    return PlacedValue(**{**document, "disputed": None if disputed is None else read_said(disputed)})
