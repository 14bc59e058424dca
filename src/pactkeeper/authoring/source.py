"""A text being taken in, by lines, so that every quotation of it is verbatim.

A Given-When-Then scenario becomes one behaviour with its outcomes. What was taken in becomes a patch: each behaviour
once, compared with the catalog, with its source lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

from pactkeeper.intent.ids import Near, authored_id, hashed_id, nearest, next_id, normalised_intent
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.quality import AtomWords, Quality, QualityVocabulary, assess
from pactkeeper.intent.quality.examined import statement
from pactkeeper.intent.wording import category_of, table
from pactkeeper.intent.wording.tokens import stopped
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.health import COMPLETE
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch


@dataclass(frozen=True, slots=True)
class Span:
    """Lines of a source, 1-based and inclusive; `quote` is their text, byte for byte."""

    path: str
    start: int
    end: int
    quote: str

    @property
    def place(self) -> str:
        """`docs/login.md:12-14`, or `docs/login.md:12`."""
        return f"{self.path}:{self.start}" if self.start == self.end else f"{self.path}:{self.start}-{self.end}"


@dataclass(frozen=True)
class Source:
    """A text and its path; lines keep their line endings."""

    path: str
    text: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines with their endings; only a line feed ends a line, as in editors and git."""
        return tuple(f"{line}\n" for line in self.text.split("\n")[:-1]) + tuple(self.text.split("\n")[-1:])

    def span(self, start: int, end: int) -> Span:
        """The 0-based lines `[start, end)`, with surrounding blank lines and spaces stripped from the quotation."""
        wanted = self.lines[start:end]
        first = next((at for at, line in enumerate(wanted) if line.strip()), 0)
        last = next((at for at in range(len(wanted), first, -1) if wanted[at - 1].strip()), first + 1)
        quote = "".join(wanted[first:last]).strip()
        return Span(self.path, start + first + 1, start + last, quote)


@dataclass(frozen=True, slots=True)
class Taken:
    """A behaviour that a source states: words for an atom, with their source lines.

    `how` says which form the lines had; `notes` what was changed in the words, such as a duty restated as a fact;
    `under` is the heading above the lines, which may say the opposite of them: `Rejected`.
    """

    intent: str
    span: Span
    how: str
    outcomes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    under: str = ""


@dataclass(frozen=True, slots=True)
class NotTaken:
    """Lines that became no atom, and why."""

    span: Span
    why: str


_ATOM_TAG = re.compile(r"@(?:atom[:=(])?(?P<id>[A-Z][A-Z0-9]*-[0-9A-Z]+(?:-[0-9A-Z]+)*)\)?")
_LOWERED = table("the a an no every each all some its their his her our your this that these those it they he she")
_PLACEHOLDER = re.compile(r"<[A-Za-z][\w -]*>")
KINDS = ("Given", "When", "Then")


@dataclass(frozen=True, slots=True)
class Scenario:
    """`steps` are pairs of Given, When or Then and the words after it; `name` may be empty."""

    name: str
    steps: tuple[tuple[str, str], ...]
    span: Span
    tags: tuple[str, ...] = ()


def kind_of(word: str, before: Sequence[tuple[str, str]]) -> str:
    """The kind of step that a keyword opens: `And` and `But` continue the kind before."""
    return word if word in KINDS else before[-1][0] if before else "Given"


def taken_from(scenario: Scenario) -> Taken | NotTaken:
    """One behaviour from a scenario: its name if that is a sentence, otherwise composed from its steps."""
    linked = [hit["id"] for tag in scenario.tags if (hit := _ATOM_TAG.fullmatch(tag)) is not None]
    if linked:
        return NotTaken(scenario.span, f"it is linked to {', '.join(linked)} already")
    outcomes = tuple(stopped(rest) for kind, rest in scenario.steps if kind == "Then" and rest)
    if any(_PLACEHOLDER.search(rest) for _, rest in scenario.steps):
        return NotTaken(scenario.span, "leaves its values to a table of examples; say what holds for all of them")
    if not outcomes:
        return NotTaken(scenario.span, "has no `Then` that says what is seen")
    named = stopped(scenario.name) if statement(scenario.name).states else None
    notes = () if named is not None else ("worded from its steps",)
    tags = tuple(tag.removeprefix("@") for tag in scenario.tags)
    return Taken(named or _composed(scenario.steps, outcomes[0]), scenario.span, "scenario", outcomes, tags, notes)


def _composed(steps: Sequence[tuple[str, str]], outcome: str) -> str:
    """Compose `Given A, when B and C, D.`; without its conditions the sentence would claim more than the scenario."""
    parts = [f"{kind} {_joined(steps, kind)}" for kind in ("Given", "When") if _joined(steps, kind)]
    if not parts:
        return outcome
    first = outcome.split(" ", 1)[0].lower()
    said = outcome[0].lower() + outcome[1:] if first in _LOWERED else outcome
    conditions = ", ".join([parts[0], *(part[:1].lower() + part[1:] for part in parts[1:])])
    return stopped(f"{conditions}, {said}")


def _joined(steps: Sequence[tuple[str, str]], wanted: str) -> str:
    return " and ".join(rest.rstrip(". ") for kind, rest in steps if kind == wanted)


ATOM = "atom:"
ALIKE = 75  # of 100: generous, because people look at the matches and nothing is decided by them
MOST_ALIKE = 3
# How sure it is that lines of a form state a behaviour, in percent; rewording lowers it a little.
_SURE: Mapping[str, int] = {"scenario": 95, "checkbox": 90, "criterion": 90, "user story": 85, "duty": 80}
_CHANGED = 5


@dataclass(frozen=True, slots=True)
class ProposedAtom:
    """One new atom with the op that would declare it; `spans` are all places in the text that state it.

    `under` is the heading above the first of them.
    """

    op: Op
    words: AtomWords
    quality: Quality
    how: str
    spans: tuple[Span, ...]
    notes: tuple[str, ...]
    alike: tuple[Near, ...]
    under: str = ""


@dataclass(frozen=True, slots=True)
class KnownAtom:
    """Lines that state what an atom of the pact already states, whatever its status."""

    span: Span
    intent: str
    atom: str
    status: str


@dataclass(frozen=True, slots=True)
class Intake:
    """The result of an intake: proposals, what the catalog already has, and lines that were not taken."""

    patch: Patch
    proposals: tuple[ProposedAtom, ...]
    known: tuple[KnownAtom, ...]
    not_taken: tuple[NotTaken, ...]


@dataclass(frozen=True, slots=True)
class Shelf:
    """What new atoms are compared with, and where they go: `topic` is a file below pact/atoms, `base` a commit."""

    pact: Pact
    taken_ids: frozenset[str]
    topic: str
    base: str
    source: str


def propose(found: Sequence[Taken | NotTaken], shelf: Shelf) -> Intake:
    """Turn what was taken in into ops that declare proposed atoms; a person decides whether they become atoms."""
    pact = shelf.pact
    twins = {normalised_intent(atom.intent): atom for atom in reversed(tuple(pact.atoms.values()))}
    known: list[KnownAtom] = []
    new: list[tuple[Taken, tuple[Span, ...]]] = []
    for taken, spans in _once(one for one in found if isinstance(one, Taken)):
        atom = twins.get(normalised_intent(taken.intent))
        if atom is None:
            new.append((taken, spans))
        else:
            status = pact.status_of(atom.id) or atom.status
            known += [KnownAtom(span, taken.intent, atom.id, status) for span in spans]
    proposals = tuple(_proposals(new, shelf))
    not_taken = tuple(one for one in found if isinstance(one, NotTaken))
    summary = {"createAtom": len(proposals), "known": len(known), "not_taken": len(not_taken)}
    ops = tuple(one.op for one in proposals)
    patch = Patch(shelf.base, ops, sources={shelf.source: COMPLETE}, summary=summary)
    return Intake(patch, proposals, tuple(known), not_taken)


def _once(found: Iterable[Taken]) -> Iterator[tuple[Taken, tuple[Span, ...]]]:
    """Each behaviour once, with the outcomes and tags of its repetitions merged in."""
    merged: dict[str, tuple[Taken, tuple[Span, ...]]] = {}
    for one in found:
        key = normalised_intent(one.intent)
        if key not in merged:
            merged[key] = (one, (one.span,))
            continue
        first, spans = merged[key]
        outcomes = tuple(dict.fromkeys((*first.outcomes, *one.outcomes)))
        tags = tuple(dict.fromkeys((*first.tags, *one.tags)))
        merged[key] = (replace(first, outcomes=outcomes, tags=tags), (*spans, one.span))
    yield from merged.values()


def _proposals(new: Sequence[tuple[Taken, tuple[Span, ...]]], shelf: Shelf) -> Iterator[ProposedAtom]:
    taken_ids = set(shelf.taken_ids)
    vocabulary = QualityVocabulary.of(shelf.pact.settings)
    live = [one for one in shelf.pact.atoms.values() if shelf.pact.status_of(one.id) not in {"abandoned", "superseded"}]
    for taken, spans in new:
        name = _unused_id(taken.intent, shelf.pact, taken_ids)
        taken_ids.add(name)
        words = AtomWords(taken.intent, taken.outcomes, category=category_of(taken.tags))
        quality = assess(words, vocabulary)
        op = _op(name, taken, spans, words=words, quality=quality, topic=shelf.topic)
        alike = nearest(taken.intent, live, least=ALIKE, most=MOST_ALIKE) if live else ()
        yield ProposedAtom(op, words, quality, taken.how, spans, taken.notes, alike, taken.under)


def _unused_id(intent: str, pact: Pact, taken: set[str]) -> str:
    prefix = pact.settings.atom_prefix
    if pact.settings.id_style == "sequential":
        return next_id(taken, prefix)
    first = authored_id(intent, prefix=prefix)
    others = (hashed_id(prefix, normalised_intent(intent), str(number)) for number in count(2))
    return first if first not in taken else next(one for one in others if one not in taken)


def _op(  # noqa: PLR0913 - the parts of one op, all named
    name: str, taken: Taken, spans: Sequence[Span], *, words: AtomWords, quality: Quality, topic: str
) -> Op:
    span = spans[0]
    sure = _SURE[taken.how] - (_CHANGED if taken.notes else 0)
    confidence = f"{sure / 100:.2f}"
    payload: dict[str, JsonValue] = {
        "atomId": name,
        "description": words.intent,
        "category": words.category,
        "sourceSpan": {"filePath": span.path, "line": span.start, "endLine": span.end, "quote": span.quote},
        "observableOutcomes": list(words.outcomes),
        "falsifiedBy": list(words.falsified_by),
        "confidence": confidence,
        "reasoning": "; ".join((taken.how, *([f"under {taken.under!r}"] if taken.under else []), *taken.notes)),
        "qualityScore": quality.score,
        "tags": list(taken.tags),
        "source": "intake",
        "status": "proposed",
        "topic": topic,
    }
    evidence = tuple(Evidence("quoted", one.path, one.start, quote=one.quote, note=taken.how) for one in spans)
    return Op("createAtom", ATOM + name, None, payload, evidence, confidence, f"{span.path}::{name}")
