"""From what was taken in to a patch: each behaviour once, held against the catalog, with the lines it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from pactkeeper.authoring.intake.source import NotTaken, Span, Taken
from pactkeeper.intent.atoms import Atom, Category
from pactkeeper.intent.ids import Near, authored_id, hashed_id, nearest, next_id, normalised_intent
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.quality import AtomWords, Quality, QualityVocabulary, assess
from pactkeeper.intent.wording.categories import PROMISED, WORDS
from pactkeeper.intent.wording.words import split_identifier
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.evidence import Evidence
from pactkeeper.ledger.health import COMPLETE
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.patch import Patch

ATOM = "atom:"
ALIKE = 75  # of 100: generous, since people look at what is alike and nothing is decided by it
MOST_ALIKE = 3
# How sure it is that lines of a form state a behaviour; words that were changed on the way take a little off.
_SURE: Mapping[str, int] = {"scenario": 95, "checkbox": 90, "criterion": 90, "user story": 85, "duty": 80}
_CHANGED = 5


@dataclass(frozen=True, slots=True)
class ProposedAtom:
    """One new atom with the op that would declare it; `spans` are all places of the text that say it."""

    op: Op
    words: AtomWords
    quality: Quality
    how: str
    spans: tuple[Span, ...]
    notes: tuple[str, ...]
    alike: tuple[Near, ...]


@dataclass(frozen=True, slots=True)
class KnownAtom:
    """Lines that say what an atom of the pact says, whatever its status."""

    span: Span
    intent: str
    atom: str
    status: str


@dataclass(frozen=True, slots=True)
class Intake:
    """What became of a text: proposals, what the catalog has already, and lines that were not taken."""

    patch: Patch
    proposals: tuple[ProposedAtom, ...]
    known: tuple[KnownAtom, ...]
    not_taken: tuple[NotTaken, ...]


@dataclass(frozen=True, slots=True)
class Shelf:
    """What new atoms are held against, and where they go: `topic` is the file below pact/atoms, `base` the commit."""

    pact: Pact
    taken_ids: frozenset[str]
    topic: str
    base: str
    source: str


def propose(found: Sequence[Taken | NotTaken], shelf: Shelf) -> Intake:
    """Turn what was taken in into ops that declare proposed atoms; nothing becomes an atom without a person."""
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
    """Each behaviour once; what further lines add to it is added."""
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
        words = _words(taken)
        quality = assess(words, vocabulary)
        op = _op(name, taken, spans, words=words, quality=quality, topic=shelf.topic)
        yield ProposedAtom(op, words, quality, taken.how, spans, taken.notes, _alike(taken.intent, live))


def _alike(intent: str, live: Sequence[Atom]) -> tuple[Near, ...]:
    return nearest(intent, live, least=ALIKE, most=MOST_ALIKE) if live else ()


def _words(taken: Taken) -> AtomWords:
    return AtomWords(taken.intent, taken.outcomes, category=category_of_words(taken))


def category_of_words(taken: Taken) -> Category:
    """The first category that has a word of the text; functional where none has."""
    said = " ".join((taken.intent, *taken.outcomes, *taken.tags))
    spoken = {word.lower() for word in split_identifier(said)}
    found = next((category for category, known in WORDS.items() if spoken & known), None)
    return found or ("performance" if spoken & PROMISED else "functional")


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
        "reasoning": "; ".join((taken.how, *taken.notes)),
        "qualityScore": quality.score,
        "tags": list(taken.tags),
        "source": "intake",
        "status": "proposed",
        "topic": topic,
    }
    evidence = tuple(Evidence("quoted", one.path, one.start, quote=one.quote, note=taken.how) for one in spans)
    return Op("createAtom", ATOM + name, None, payload, evidence, confidence, f"{span.path}::{name}")
