"""The validation of a draft: rules alone decide whether it may be previewed.

`Surroundings` is what a draft is compared with.

Finds contradictions within a draft, with constraints that other threads accepted, and with the pact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from pactkeeper.advice import SUPERSEDE
from pactkeeper.intent.board import Task
from pactkeeper.intent.ids import nearest
from pactkeeper.intent.invariants import RULES
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.quality import DEFAULT, QualityVocabulary
from pactkeeper.intent.ticket import (
    CHOICES,
    LISTS,
    LONGEST_TITLE,
    REQUIRED,
    SINGLE,
    AcceptedConstraint,
    Choice,
    Conflict,
    Draft,
    DraftTitle,
    Field,
    PlacedValue,
    disputed_values,
    sides_of,
    values_of,
)
from pactkeeper.intent.ticket_patch import numbered, same_key
from pactkeeper.ledger.finding import Severity
from pactkeeper.speech.amounts import are_rates_apart, relation, same_text
from pactkeeper.speech.clash import compare
from pactkeeper.speech.words import Filed, statement
from pactkeeper.tickets.report import (
    Against,
    Contradiction,
    ContradictionSide,
    DraftReport,
    DraftSuggestion,
    Duplicate,
    MissingField,
    as_fact,
    cannot_be_tested,
    criteria,
)
from pactkeeper.tickets.wording import bounds_in_words, cut, in_words


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Other threads' constraints and draft titles, open tickets, and the pact if there is one.

    `drafts` and `constraints` exclude the thread itself; `own` are the ids of its ticket and of the atoms for its
    criteria.
    """

    constraints: tuple[AcceptedConstraint, ...] = ()
    drafts: tuple[DraftTitle, ...] = ()
    tickets: tuple[Task, ...] = ()
    pact: Pact | None = None
    own: frozenset[str] = frozenset()


NOTHING = Surroundings()


@dataclass(frozen=True, slots=True)
class DraftStatement:
    """One sentence of the pact; `where` is the id of its atom or invariant, `advice` how to resolve a conflict."""

    text: str
    where: str
    against: Against
    severity: Severity
    advice: str


def _statements(pact: Pact, own: frozenset[str]) -> Iterator[DraftStatement]:
    """The sentences a draft may contradict; what it was to become itself counts only once it is committed."""
    for atom in pact.live_atoms:
        committed = pact.is_committed(atom.id)
        if atom.id in own and atom.source == "ticket" and not committed:
            continue
        severity: Severity = "error" if committed else "warning"
        replaced = "reword it, or replace the atom: " + SUPERSEDE(atom.id)
        advice = replaced if committed else "say which one holds"
        for text in (atom.intent, *atom.outcomes):
            yield DraftStatement(text, atom.id, "atom", severity, advice)
    for rule in pact.invariants.values():
        if rule.enabled and rule.rule and rule.id not in RULES:
            yield DraftStatement(rule.rule, rule.id, "invariant", "error", "reword it, or change the project's rule")


# A ticket has one title and one epic; elsewhere both sides may hold.
ONE_OF_TWO: Final[tuple[Choice, ...]] = ("keep_a", "keep_b", "amend")


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A statement of the draft as one sentence; `key` names the constraint, if it is one."""

    text: str
    field: Field
    said: PlacedValue
    key: str = ""

    @property
    def side(self) -> ContradictionSide:
        return ContradictionSide(self.text, self.said.author, self.said.permalink)


def contradictions(draft: Draft, around: Surroundings) -> Iterator[Contradiction]:
    """All contradictions, each with the choice a person has already made.

    If both sides stand in the draft again, the choice of one of them counts no longer.
    """
    chosen = {one.conflict: one.choice for one in draft.settled}
    for found in _all(draft, around):
        choice = chosen.get(found.fingerprint)
        is_undone = found.against == "draft" and choice in {"keep_a", "keep_b"}
        yield replace(found, settled=None if is_undone else choice)


def _all(draft: Draft, around: Surroundings) -> Iterator[Contradiction]:
    stated = tuple(_stated(draft))
    yield from _held(draft)
    yield from _inside(stated)
    yield from _renumbered(draft)
    yield from _disputed(draft)
    yield from _other_threads(stated, around)
    if around.pact is not None:
        yield from _pact(stated, around.pact, around.own)


def _stated(draft: Draft) -> Iterator[_Sentence]:
    """The binding statements of a draft: its criteria and its constraints, except rejected ones."""
    for said in draft.acceptance_criteria:
        yield _Sentence(said.value, "acceptance_criteria", said)
    for key, said, words in bounds_in_words(draft):
        yield _Sentence(words, "constraints", said, key)


def _held(draft: Draft) -> Iterator[Contradiction]:
    """The conflicts stored in the draft itself: each further side against the first."""
    held: list[tuple[Field, str, Conflict]] = [
        (name, "", value) for name in SINGLE if isinstance(value := getattr(draft, name), Conflict)
    ]
    held += [("constraints", one.key, one.value) for one in draft.constraints if isinstance(one.value, Conflict)]
    for name, key, conflict in held:
        a = conflict.sides[0]
        for b in conflict.sides[1:]:
            about = f"the constraint {key!r}" if key else f"the {name.replace('_', ' ').removesuffix('s')}"
            message = f"{about} is {cut(a.value)!r} for {a.author} and {cut(b.value)!r} for {b.author}"
            choices = CHOICES if name not in {"title", "epic_id"} else ONE_OF_TWO
            one, other = (ContradictionSide(side.value, side.author, side.permalink) for side in (a, b))
            yield Contradiction("draft", name, one, other, message, choices, key=key)


def _renumbered(draft: Draft) -> Iterator[Contradiction]:
    """Entries that were said under the number of somebody else's entry, which is still there."""
    for name in LISTS:
        held, entries = values_of(draft, name), numbered(draft, name)
        for at, a in enumerate(held):
            for b in (one for one in held if one.instead and same_text(one.instead, a.value)):
                what = f"number {sum(one in entries for one in held[: at + 1])} of the {name.replace('_', ' ')}"
                message = f"{what} is {cut(a.value)!r} for {a.author} and {cut(b.value)!r} for {b.author}"
                one, other = (ContradictionSide(side.value, side.author, side.permalink) for side in (a, b))
                yield Contradiction("draft", name, one, other, message, CHOICES)


def _disputed(draft: Draft) -> Iterator[Contradiction]:
    """Values that somebody other than their author wants removed."""
    for name, key, held, asking in disputed_values(draft):
        words = in_words(key, held.value)
        about = f"for the {name.replace('_', ' ')}, {held.author} said {cut(words)!r}"
        message = f"{about}, and {asking.author} wants it removed"
        one = ContradictionSide(words, held.author, held.permalink)
        other = ContradictionSide(asking.value, asking.author, asking.permalink)
        yield Contradiction("draft", name, one, other, message, ONE_OF_TWO, key=key)


def _inside(stated: Sequence[_Sentence]) -> Iterator[Contradiction]:
    for one, other in combinations(stated, 2):
        if one.key and same_key(one.key, other.key):
            continue  # conflicting values of one constraint are reported by _held
        severity = "error" if _are_placed_apart(one, other) else _severity(one.text, other.text)
        if severity:
            who = f"{one.text!r} ({one.said.author}) and {other.text!r} ({other.said.author})"
            yield _contradiction("draft", one, other.side, f"{who} {_HOLD[severity]}", severity)


def _are_placed_apart(one: _Sentence, other: _Sentence) -> bool:
    """Whether two criteria, one in the words of a chat, differ in how much of the same thing they want per period."""
    is_placed = bool(one.said.placed_by or other.said.placed_by)
    return is_placed and one.field == other.field and are_rates_apart(one.text, other.text)


def _other_threads(stated: Sequence[_Sentence], around: Surroundings) -> Iterator[Contradiction]:
    for accepted in around.constraints:
        theirs = ContradictionSide(
            in_words(accepted.key, accepted.said.value), accepted.thread, accepted.said.permalink
        )
        for one in stated:
            severity = _severity(one.text, theirs.value)
            if one.key and same_key(one.key, accepted.key):
                how = relation(one.said.value, accepted.said.value)
                severity = "error" if how == "contradict" else None
            if severity:
                message = f"this thread says {one.text!r}, but {accepted.thread} accepted {theirs.value!r}"
                yield _contradiction("thread", one, theirs, message, severity)


def _pact(stated: Sequence[_Sentence], pact: Pact, own: frozenset[str]) -> Iterator[Contradiction]:
    """Statements that contradict the pact: errors for committed atoms and invariants, else warnings."""
    declared = tuple(_statements(pact, own))
    filed = Filed.of(one.text for one in declared)
    for one in stated:
        seen: set[str] = set()
        for rule in (declared[place] for place in filed.near(one.text)):
            verdict = "unrelated" if rule.where in seen else compare(one.text, rule.text).verdict
            if verdict in {"clash", "unsure"}:
                seen.add(rule.where)
                yield _with_statement(one, rule, unsure=verdict == "unsure")


def _with_statement(one: _Sentence, statement: DraftStatement, *, unsure: bool) -> Contradiction:
    standing = {"atom": "committed" if statement.severity == "error" else "not committed", "invariant": "a rule"}
    denies = "may deny" if unsure else "denies"
    message = (
        f"{one.text!r} {denies} {statement.where} ({standing[statement.against]}), {statement.text!r}; "
        f"{statement.advice}"
    )
    severity: Severity = "warning" if unsure else statement.severity
    return _contradiction(statement.against, one, ContradictionSide(statement.text, statement.where), message, severity)


def _contradiction(  # noqa: PLR0917 - its parts
    against: Against, one: _Sentence, other: ContradictionSide, message: str, severity: Severity
) -> Contradiction:
    return Contradiction(against, one.field, one.side, other, message, CHOICES, severity, one.key)


_HOLD: Final[dict[Severity, str]] = {"error": "cannot both hold", "warning": "may not both hold"}


def _severity(one: str, other: str) -> Severity | None:
    """The severity of two statements together: error for a certain clash, warning for a possible one."""
    verdict = compare(one, other).verdict
    return "error" if verdict == "clash" else "warning" if verdict == "unsure" else None


WHAT: Final[Mapping[Field, str]] = {
    "title": "the ticket has no title",
    "problem": "nobody has said which problem it solves",
    "acceptance_criteria": "nothing says how to tell that it is done",
}


def missing(draft: Draft, vocabulary: QualityVocabulary) -> Iterator[MissingField]:
    """Required fields without a value, a title that is too long, and criteria if none can be tested."""
    unknown = {one.field for one in draft.unknown}
    for field in REQUIRED:
        found = values_of(draft, field)
        if not found:
            yield MissingField(field, "error", WHAT[field], field in unknown)
        elif field == "title" and (longest := max(len(said.value) for said in found)) > LONGEST_TITLE:
            yield MissingField(
                field, "error", f"the title has {longest:,} characters but at most {LONGEST_TITLE} are allowed"
            )
        elif field == "acceptance_criteria":
            why = [cannot_be_tested(said.value, vocabulary) for said in found]
            if all(why):
                yield MissingField(field, "error", f"no criterion can be tested: {why[0]}")


def validate(draft: Draft, around: Surroundings = NOTHING) -> DraftReport:
    """Check a draft against the rules and its surroundings; deterministic."""
    pact = around.pact
    vocabulary = DEFAULT if pact is None else QualityVocabulary.of(pact.settings)
    return DraftReport(
        tuple(missing(draft, vocabulary)),
        tuple({one.fingerprint: one for one in contradictions(draft, around)}.values()),
        tuple(dict.fromkeys((*criteria(draft, vocabulary), *_left_open(draft)))),
        tuple(duplicates(draft, around)),
    )


def _left_open(draft: Draft) -> Iterator[DraftSuggestion]:
    """Open questions and proposed constraints, which people may want to settle before work begins."""
    for said in draft.open_questions:
        yield DraftSuggestion("open_questions", "info", said.value, "is still open")
    for one in draft.constraints:
        if one.status == "proposed":
            values = " / ".join(side.value for side in sides_of(one.value))
            yield DraftSuggestion(
                "constraints", "info", in_words(one.key, values).rstrip("."), "becomes accepted with the ticket"
            )


ALIKE: Final = 80  # similarity of two titles, out of 100
FEW: Final = 3  # meaningful words of a short title
MOST: Final = 5
_MOST_LINES: Final = 100  # lines of a ticket's body


def duplicates(draft: Draft, around: Surroundings) -> Iterator[Duplicate]:
    """Tickets and drafts with a similar title or an equal criterion, and atoms similar to a criterion."""
    found = [one for one in (*_titles(draft, around), *_atoms(draft, around)) if one.id not in around.own]
    yield from sorted(dict.fromkeys(found), key=lambda one: -one.points)[:MOST]


def _titles(draft: Draft, around: Surroundings) -> Iterator[Duplicate]:
    for task in around.tickets:
        if task.status != "done" and (same := _criteria_in(draft, task)):
            yield Duplicate("ticket", task.id, f"{task.title}, which also says {same!r}", ALIKE, task.url)
    for said in values_of(draft, "title"):
        for task in around.tickets:
            if task.status != "done" and (points := _alike(said.value, task.title)) >= ALIKE:
                yield Duplicate("ticket", task.id, task.title, points, task.url)
        for other in around.drafts:
            if (points := _alike(said.value, other.value)) >= ALIKE:
                yield Duplicate("draft", other.thread, other.value, points, other.permalink)


def _criteria_in(draft: Draft, task: Task) -> str:
    """The first criterion that a line of a ticket's body agrees with; empty if there is none."""
    lines = [line.strip(" -*[]x") for line in task.body.splitlines()[:_MOST_LINES]]
    said = (one.value for one in draft.acceptance_criteria)
    return next((one for one in said for line in lines if line and compare(one, line).verdict == "agree"), "")


def _alike(one: str, other: str) -> int:
    from rapidfuzz import fuzz, utils  # noqa: PLC0415 - needed only for a draft with a title

    points = int(fuzz.token_sort_ratio(one, other, processor=utils.default_process))
    return max(points, ALIKE) if _holds(one, other) or _holds(other, one) else points


def _holds(longer: str, title: str) -> bool:
    """Whether a title has all words of another one; the verb that opens one of several words may be another."""
    held, words = statement(longer).topic, statement(title).stems
    return held.issuperset(words if len(words) <= FEW else words[1:]) and len(words) > 1


def _atoms(draft: Draft, around: Surroundings) -> Iterator[Duplicate]:
    if around.pact is None:
        return
    live = around.pact.live_atoms
    for said in draft.acceptance_criteria:
        for near in nearest(as_fact(said.value), live):
            yield Duplicate("atom", near.atom.id, near.atom.intent, near.points)
