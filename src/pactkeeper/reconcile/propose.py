"""Turns inferences into ops: what is new, already in the catalog, moved, changed, or gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Literal

from pactkeeper.advice import ACCEPT, EDIT
from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.ids import atom_id, next_id, normalised_intent
from pactkeeper.intent.inference import Inference
from pactkeeper.intent.links import Link, LinkedTest, lost_annotations, what_changed
from pactkeeper.intent.quality import QualityVocabulary
from pactkeeper.intent.tests import Test, file_of
from pactkeeper.intent.wording.outcomes import is_read
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.finding import Evidence, EvidenceKind
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.reconcile.codes import quoted
from pactkeeper.reconcile.select import WITHOUT_INTENT, moves
from pactkeeper.reconcile.world import ATOM, TEST, World
from pactkeeper.reconcile.worth import (
    DOUBTED,
    LESSER,
    WEAK,
    Doubts,
    Inferred,
    evidence_of,
    held_back,
    mechanical,
    quality_of,
    refusals,
    sureness,
    told_apart,
)

__all__ = ["CarrierWord", "Inferred", "Proposals", "Proposer"]

UNSURE = "0.50"  # confidence of a link to a test that proves less than before
CarrierWord = Literal["annotation", "comment", "sidecar"]


@dataclass(frozen=True, slots=True)
class Proposals:
    """Ops in the order to apply them, and the tests without one because rules could not word them.

    The subjects of `doubts` have no ops either; `compound` asks about tests that do have ops.
    """

    ops: tuple[Op, ...]
    needs_words: tuple[Inferred, ...]
    successors: tuple[tuple[str, str], ...] = ()
    doubts: tuple[Question, ...] = ()
    compound: tuple[Question, ...] = ()


@dataclass(slots=True)
class Proposer:
    """One run: the world, the threshold, how to write links, and the atoms proposed so far.

    `threshold` is a decimal string of two digits, `carrier` decides where a new link goes. `known` maps content to
    atoms, each with the op that creates it unless it is in the pact; `taken` are the ids in use; `linked` the number of
    links per atom. Without `doubts`, rules decide alone.
    """

    world: World
    threshold: str
    carrier: Callable[[Test], CarrierWord]
    known: dict[tuple[str, ...], tuple[str, str | None]] = field(repr=False)
    taken: set[str] = field(repr=False)
    moved: Mapping[str, str] = field(repr=False)
    linked: Mapping[str, int] = field(repr=False)
    doubts: Doubts | None = field(default=None, repr=False)

    @staticmethod
    def of(world: World, *, threshold: str, carrier: Callable[[Test], CarrierWord]) -> Proposer:
        """Prepare the look-ups: atoms by content, ids in use, and which vanished record a test continues."""
        linked = Counter(link.atom for entry in world.linked for link in entry.links)
        moved = moves(world.linked, world.pact, world.gone)
        return Proposer(world, threshold, carrier, _by_content(world), world.ids_in_use(), moved, linked)

    def propose(self, inferred: Sequence[Inferred], confirm: Sequence[Inferred], gone: Sequence[str]) -> Proposals:
        """Build all ops of one run; every test is the subject of at most one group.

        A record in `gone` is not proposed for removal as long as a test without links might continue it, or if it alone
        remembers what proved a committed atom.
        """
        ops: list[Op] = []
        unclear: list[Inferred] = []
        for one in told_apart(inferred):
            found = list(self._for_unlinked(one))
            ops.extend(found)
            if not found and not self._in_doubt(one):
                unclear.append(self._named(one) if self._says_it_already(one) else one)
        successors: list[tuple[str, str]] = []
        for one in confirm:
            ops.extend(self._for_linked(one, successors))
        bodies = {entry.test.body_hash for entry in self.world.linked if entry.state in WITHOUT_INTENT}
        kept = {*self.moved.values(), *(name for name in gone if self.world.pact.links[name].body in bodies)}
        kept |= self.world.last_proofs()
        ops.extend(self._detach(name) for name in gone if name not in kept)
        open_, compound = ({}, {}) if self.doubts is None else (self.doubts.open, self.doubts.compound)
        asked = (tuple(open_.values()), tuple(compound.values()))
        return Proposals(tuple(ops), tuple(unclear), tuple(successors), *asked)

    def _in_doubt(self, one: Inferred) -> bool:
        return self.doubts is not None and one.entry.test.id in self.doubts.open

    def attach_named(self, tests: Sequence[Inferred], atom: str) -> Iterator[Op]:
        """Link tests to an atom named by a person; one without outcomes gets those of the first test.

        Raises UsageError if the pact has no such live atom.
        """
        pact = self.world.pact
        if not pact.is_live(atom):
            raise UsageError(f"{atom} is {pact.status_of(atom) or 'not in the pact'}, so no test can be linked to it")
        known, first = pact.atoms[atom], tests[0]
        shown: list[Op] = []
        if not known.outcomes and first.inference.outcomes and not pact.is_committed(atom):
            words: dict[str, JsonValue] = {"observableOutcomes": list(first.inference.outcomes)}
            shown = [self._rewrite(first, known, words, "1.00")]
        yield from shown
        needed = tuple(op.id for op in shown)
        for one in tests:
            evidence = (mechanical(one, "named by a person"),)
            link = next((link for link in one.entry.links if link.own and self._gives_way(link, atom)), None)
            place = self._place_of(one.entry, atom, known.supersedes or "") if link is None else _instead_of(link)
            yield self._attach(one, atom, evidence=evidence, confidence="1.00", depends_on=needed, extra=place)

    def succeed_named(self, one: Inferred, atom: str) -> Iterator[Op]:
        """Replace a committed atom by one in the test's words, and link the test to that; raises UsageError.

        Whoever says what the test is for now has looked at it: its links to drafts are confirmed along with that.
        """
        pact = self.world.pact
        waiting, status = pact.waiting_for(atom), pact.status_of(atom)
        if waiting:
            raise UsageError(
                f"{atom} has a successor, {waiting}; link the test to that: "
                + ACCEPT(quoted(one.entry.test.id), "--atom", waiting)
            )
        if status != "committed":
            raise UsageError(f"{atom} is {status or 'not in the pact'}; --atom with --intent replaces a committed atom")
        link = next((link for link in one.entry.links if link.own and link.atom == atom), None)
        yield from self._succeed(one, pact.atoms[atom], link)
        drafts = (link for link in one.entry.links if link.state == "suspect" and not pact.is_committed(link.atom))
        for other in drafts if not one.entry.lost_proof else ():
            yield self._attach(one, other.atom, evidence=(mechanical(one, "its test was reviewed"),), confidence="1.00")

    def _place_of(self, entry: LinkedTest, *atoms: str) -> Mapping[str, str]:
        """Return the payload of an op that takes over the record of the one vanished test of these atoms."""
        records = [record for atom in atoms for record in self.world.vanished(atom)]
        alone = [record for record in records if len(record.named) == 1]
        if len(alone) != 1 or entry.links:
            return {}
        return {"replacesTestId": alone[0].test, **({"carrier": "sidecar"} if alone[0].atoms else {})}

    def renew(self, one: Inferred) -> Iterator[Op]:
        """Confirm the links of a test that asserts other things than when it was reviewed, and proves no less."""
        evidence = (mechanical(one, "it proves all that was reviewed, and what it asserts now is recorded"),)
        for link in one.entry.links:
            draft = None if self.world.pact.is_committed(link.atom) else self.world.pact.atoms.get(link.atom)
            restated = [] if draft is None else self._restated(one, draft, confidence="1.00")
            yield from restated
            needed = tuple(op.id for op in restated)
            yield self._attach(one, link.atom, evidence=evidence, confidence="1.00", depends_on=needed)

    def _gives_way(self, link: Link, atom: str) -> bool:
        """Whether a link to the atom replaces this one: it was abandoned, superseded, or is about to be."""
        if link.state == "abandoned":
            return True
        return atom == (self.world.pact.waiting_for(link.atom) if link.state == "suspect" else link.successor)

    def _for_unlinked(self, one: Inferred) -> Iterator[Op]:
        test = one.entry.test
        old = self.moved.get(test.id)
        if old is not None and not one.worded:
            yield from self._follow(one, old)
            return
        lost = [] if one.worded else lost_annotations(one.entry, self.world.pact)
        if lost:
            yield from self._restore(one, lost)
            return
        if one.confidence < self.threshold and not one.worded:  # an answer is checked against it when it is accepted
            yield from self._remembered(one)
            return
        atom, creator = self._same_atom(one)
        if atom is None:
            yield from self._judged(one)
            return
        note = "says the same as an atom of the pact" if creator is None else "says the same as another new atom"
        evidence = (Evidence(one.strength, test.file, test.name_line, note=note),)
        yield self._attach(one, atom, evidence=evidence, depends_on=() if creator is None else (creator,))

    def _judged(self, one: Inferred) -> Iterator[Op]:
        """Yield ops for what is new to the pact, unless judged otherwise; none while a judgement is pending."""
        if self.doubts is None or one.by == "person":
            if not self._says_it_already(one):
                yield from self._create(one)
            return
        realised = self.doubts.realised(one)
        if realised is not None:
            yield self._realise(one, *realised)
        elif not self._in_doubt(one) and not self._says_it_already(one):
            for part in self.doubts.parts(one):
                yield from self._create(part)

    def _realise(self, one: Inferred, atom: Atom, answer: Answer) -> Op:
        test = one.entry.test
        strength: EvidenceKind = "quoted" if answer.answerer == "person" else "model"
        evidence = Evidence(strength, test.file, test.name_line, note=f"{answer.by} says it realises {atom.id}")
        return self._attach(one, atom.id, evidence=(evidence,), confidence=f"{sureness(answer) / 100:.2f}")

    def _same_atom(self, one: Inferred) -> tuple[str | None, str | None]:
        """Return the atom a person words alike, of an equal body and sentence, or made from this body; and its op."""
        said, body = one.inference, one.entry.test.body_hash
        if one.by == "person":
            return self._worded_alike(said)
        known = self.known.get(_of_body(said.intent, body))
        if known is not None:
            return known
        return (None, None) if one.worded else (self._made_from_body(one), None)

    def _worded_alike(self, said: Inference) -> tuple[str | None, str | None]:
        """Return the atom of a person's sentence, and its op: one of equal outcomes, or one that is not committed."""
        alike = self.known.get(_content(said.intent, said.outcomes))
        found = alike or self.known.get(("sentence", normalised_intent(said.intent)))
        if found is None or (alike is None and self.world.pact.is_committed(found[0])):
            return None, None
        return found

    def _says_it_already(self, one: Inferred) -> bool:
        """Whether a live atom has this very sentence for another body: only a person can tell whether it is meant."""
        return not one.worded and ("sentence", normalised_intent(one.inference.intent)) in self.known

    def _named(self, one: Inferred) -> Inferred:
        """Hold a test back whose sentence is that of an atom, and name the atom."""
        held, (atom, _) = held_back(one), self.known["sentence", normalised_intent(one.inference.intent)]
        said = held.inference
        return replace(held, inference=replace(said, reasoning=f"{said.reasoning} {atom} says exactly this."))

    def _made_from_body(self, one: Inferred) -> str | None:
        """Return the live atom made from this very body of this very test, whatever it says by now."""
        test, pact = one.entry.test, self.world.pact
        made = atom_id(test.id, test.body_hash, prefix=pact.settings.atom_prefix)
        return made if pact.is_live(made) else None

    def _remembered(self, one: Inferred) -> Iterator[Op]:
        """Link a test that rules are unsure of to the atom that somebody made from it."""
        made = self._made_from_body(one)
        if made is not None:
            evidence = (mechanical(one, f"{made} was made from this very body"),)
            yield self._attach(one, made, evidence=evidence, confidence="1.00")

    def _restore(self, one: Inferred, lost: Sequence[str]) -> Iterator[Op]:
        """Restore an annotation that was reviewed and has vanished from the code."""
        evidence = (mechanical(one, "its reviewed annotation is gone from the code"),)
        for atom in lost:
            yield self._attach(one, atom, evidence=evidence, confidence="1.00", extra={"carrier": "comment"})

    def _follow(self, one: Inferred, old: str) -> Iterator[Op]:
        record = self.world.pact.links[old]
        same = "the same body as" if record.body == one.entry.test.body_hash else "it proves all that was reviewed of"
        note = f"{same} {old}, which is gone"
        evidence = (Evidence("mechanical", one.entry.test.file, one.entry.test.name_line, note=note),)
        for atom in record.named:
            kept = {"carrier": "sidecar"} if atom in record.atoms else {}
            yield self._attach(one, atom, evidence=evidence, confidence="1.00", extra={"replacesTestId": old, **kept})

    def _create(self, one: Inferred) -> Iterator[Op]:
        test, said = one.entry.test, one.inference
        name, refused = self._new_id(test), refusals(said, self.world.pact)
        create = Op(
            "createAtom",
            ATOM + name,
            None,
            {
                "atomId": name,
                "description": said.intent,
                "category": said.category,
                "sourceTest": _source_test(test),
                "observableOutcomes": list(said.outcomes),
                "falsifiedBy": list(said.falsified_by),
                "confidence": one.confidence,
                "ambiguityReasons": [*said.reasons, *([WEAK] if refused else [])],
                "reasoning": _but(said.reasoning, refused),
                "tags": list(said.tags),
                **self._score(said),
                **({"relatedDocs": list(one.related_docs)} if one.related_docs else {}),
            },
            evidence=evidence_of(one),
            confidence=one.confidence,
            group=test.id,
        )
        keys = [_content(said.intent, said.outcomes), _of_body(said.intent, test.body_hash)]
        if one.by == "person":
            keys.append(("sentence", normalised_intent(said.intent)))
        self.known.update({key: (name, create.id) for key in keys if key not in self.known})
        yield create
        yield self._attach(one, name, evidence=evidence_of(one), depends_on=(create.id,))

    def _score(self, said: Inference) -> dict[str, JsonValue]:
        """Return the quality score of the wording; empty if the rules don't read its language."""
        quality = quality_of(said, QualityVocabulary.of(self.world.pact.settings))
        return {"qualityScore": quality.score} if quality.judged else {}

    def _new_id(self, test: Test) -> str:
        """Return a fresh id in the style the pact asks for."""
        settings = self.world.pact.settings
        if settings.id_style == "sequential":
            name = next_id(self.taken, settings.atom_prefix)
        else:
            salted = (f"{test.body_hash}#{number}" for number in count(2))
            bodies = chain((test.body_hash,), salted)
            ids = (atom_id(test.id, body, prefix=settings.atom_prefix) for body in bodies)
            name = next(one for one in ids if one not in self.taken)
        self.taken.add(name)
        return name

    def _attach(  # noqa: PLR0913 - the parts of one op, all named
        self,
        one: Inferred,
        atom: str,
        *,
        evidence: tuple[Evidence, ...],
        confidence: str | None = None,
        depends_on: tuple[str, ...] = (),
        extra: Mapping[str, str] | None = None,
    ) -> Op:
        test = one.entry.test
        given_up = next((link for link in one.entry.links if link.own and link.state == "abandoned"), None)
        payload: dict[str, JsonValue] = {
            "testFilePath": test.file,
            "testName": test.name,
            "testLineNumber": test.name_line,
            "testId": test.id,
            "suite": list(test.suite),
            "bodyHash": test.body_hash,
            "atomId": atom,
            "carrier": self._carrier(one.entry, atom),
            **(_instead_of(given_up) if given_up is not None and given_up.atom != atom else {}),
            **(extra or {}),
        }
        return Op(
            "attachTestToAtom",
            TEST + test.id,
            self.world.node_hash(TEST + test.id),
            payload,
            evidence=evidence,
            confidence=confidence or one.confidence,
            group=test.id,
            depends_on=depends_on,
        )

    def _carrier(self, entry: LinkedTest, atom: str) -> CarrierWord:
        """Return where a link is written: an existing one stays in place, a new one follows the run's carrier."""
        known = next((link for link in entry.links if link.atom == atom), None)
        if known is None:
            return self.carrier(entry.test)
        return "sidecar" if known.carrier == "sidecar" else "annotation"

    def _replace_link(self, one: Inferred, link: Link, atom: str, *, evidence: tuple[Evidence, ...]) -> Op:
        """Replace the atom of an existing link, in the same carrier."""
        return self._attach(one, atom, evidence=evidence, confidence="1.00", extra=_instead_of(link))

    def _for_linked(self, one: Inferred, successors: list[tuple[str, str]]) -> Iterator[Op]:
        for link in one.entry.links:
            if link.state == "superseded" and link.own and link.successor is not None:
                note = f"{link.atom} is superseded by {link.successor}"
                yield self._replace_link(one, link, link.successor, evidence=(mechanical(one, note),))
            elif link.state == "inherited":
                note = f"covered by the {link.scope}'s annotation at line {link.line}"
                yield self._attach(one, link.atom, evidence=(mechanical(one, note),), confidence="1.00")
            elif link.state == "suspect":
                yield from self._for_suspect(one, link, successors)

    def _for_suspect(self, one: Inferred, link: Link, successors: list[tuple[str, str]]) -> Iterator[Op]:
        said, atom = one.inference, self.world.pact.atoms[link.atom]
        committed = self.world.pact.is_committed(atom.id)
        waiting = self.world.pact.waiting_for(atom.id) if committed else None
        same = _content("", said.outcomes) == _content("", atom.outcomes) and not one.entry.weaker
        same = same or one.entry.only_given_more
        readable = one.confidence >= self.threshold and self._made_from(atom, one.entry.test.id)
        if not one.worded and not readable and committed and one.entry.proves_less:
            return  # a committed atom can't be confirmed with less proof; `pk check` says what to do
        if not one.worded and (same or not readable):
            found = "rules read the same from it" if same else "rules cannot tell whether it says what the atom says"
            changed = what_changed(one.entry.test, one.entry.record)
            note = f"{changed} changed since the link was reviewed; {found}"
            lost = tuple(mechanical(one, f"{each.message}: {each.old} → {each.new}") for each in one.entry.weaker)
            doubted = committed and one.entry.weaker
            sure = LESSER if one.entry.lost_proof else DOUBTED if doubted else UNSURE if lost else "1.00"
            restated = [] if committed else self._restated(one, atom, confidence=sure)
            yield from restated
            yield self._attach(
                one,
                atom.id,
                evidence=(mechanical(one, note), *lost, *evidence_of(one)),
                confidence=sure,
                depends_on=tuple(op.id for op in restated),
            )
        elif waiting is not None:
            yield self._announced(one, link, waiting)
        elif committed:
            successors.append((atom.id, one.entry.test.id))
            yield from self._succeed(one, atom, link)
        else:
            yield from self._update(one, atom)

    def _made_from(self, atom: Atom, test: str) -> bool:
        """Whether the atom's wording was read from this test alone, under its present id or one that is gone."""
        if atom.source != "reconciliation":
            return False
        others = self.linked.get(atom.id, 0) - 1
        return atom.origin == test or (atom.origin not in self.world.by_id and not others)

    def _announced(self, one: Inferred, link: Link, waiting: str) -> Op:
        """Link a test whose assertions changed to its atom's existing successor."""
        if one.worded:
            raise UsageError(
                f"{link.atom} has a successor, {waiting}; link the test to it with --atom {waiting}, or reword it "
                "first: " + EDIT(waiting, "--intent 'One sentence.'")
            )
        note = f"its assertions changed, and {waiting} is waiting to replace {link.atom}"
        return self._replace_link(one, link, waiting, evidence=(mechanical(one, note), *evidence_of(one)))

    def _succeed(self, one: Inferred, atom: Atom, link: Link | None) -> Iterator[Op]:
        create, attach = self._create(one)
        new = str(create.payload["atomId"])
        yield create
        yield Op(
            "markAtomSuperseded",
            ATOM + atom.id,
            self.world.node_hash(ATOM + atom.id),
            {"oldAtomId": atom.id, "newAtomId": new, "reason": "the assertions of its test changed"},
            evidence=evidence_of(one),
            confidence=one.confidence,
            group=one.entry.test.id,
            depends_on=(create.id,),
        )
        extra = self._place_of(one.entry, atom.id) if link is None else _instead_of(link)
        yield self._attach(one, new, evidence=attach.evidence, depends_on=(create.id,), extra=extra)

    def _restated(self, one: Inferred, atom: Atom, *, confidence: str) -> list[Op]:
        """Replace the outcomes that were read from the test before it changed; the atom's sentence stays."""
        outcomes = one.inference.outcomes
        others = self.linked.get(atom.id, 0) - 1
        read = bool(atom.outcomes) and all(map(is_read, atom.outcomes))
        if others or not read or _content("", outcomes) == _content("", atom.outcomes):
            return []
        reasoning = "its test asserts something else now; the sentence is as it was"
        words: dict[str, JsonValue] = {
            "description": atom.intent,
            "observableOutcomes": list(outcomes),
            "reasoning": reasoning,
        }
        return [self._rewrite(one, atom, words, confidence)]

    def _update(self, one: Inferred, atom: Atom) -> Iterator[Op]:
        said = one.inference
        words: dict[str, JsonValue] = {
            "description": said.intent,
            "category": said.category,
            "observableOutcomes": list(said.outcomes),
            "falsifiedBy": list(said.falsified_by),
            "reasoning": said.reasoning,
            **self._score(said),
        }
        sure = LESSER if one.entry.lost_proof else one.confidence
        update = self._rewrite(one, atom, words, sure)
        yield update
        yield self._attach(one, atom.id, evidence=evidence_of(one), confidence=sure, depends_on=(update.id,))

    def _rewrite(self, one: Inferred, atom: Atom, words: Mapping[str, JsonValue], confidence: str) -> Op:
        return Op(
            "updateAtom",
            ATOM + atom.id,
            self.world.node_hash(ATOM + atom.id),
            {"atomId": atom.id, **words},
            evidence=evidence_of(one),
            confidence=confidence,
            group=one.entry.test.id,
        )

    def _detach(self, name: str) -> Op:
        record = self.world.pact.links[name]
        note = "no test has this id, and no gap hides its file"
        evidence = (Evidence("mechanical", file_of(name), note=note, absent=True),)
        payload = {"testId": name, "reason": "the test is gone"}
        precondition = self.world.node_hash(TEST + record.test)
        return Op("detachTest", TEST + name, precondition, payload, evidence=evidence, group=name)


def _instead_of(link: Link) -> dict[str, str]:
    """Return the payload of an op that replaces a linked atom, in the carrier of the link."""
    return {"replacesAtomId": link.atom, "carrier": "comment" if link.carrier == "comment" else "sidecar"}


def _by_content(world: World) -> dict[tuple[str, ...], tuple[str, str | None]]:
    """Map live atoms by wording, by body and sentence, and by sentence; the smallest id wins among equal ones."""
    found: dict[tuple[str, ...], tuple[str, str | None]] = {}
    for atom in sorted(world.pact.live_atoms, key=lambda one: one.id, reverse=True):
        record = world.pact.links.get(atom.origin or "")
        keys = [_content(atom.intent, atom.outcomes), ("sentence", normalised_intent(atom.intent))]
        keys += [_of_body(atom.intent, record.body)] if record is not None and record.body else []
        found.update(dict.fromkeys(keys, (atom.id, None)))
    return found


def _of_body(intent: str, body: str) -> tuple[str, ...]:
    return ("body", normalised_intent(intent), body)


def _content(intent: str, outcomes: Iterable[str]) -> tuple[str, ...]:
    return (normalised_intent(intent), *sorted(normalised_intent(outcome) for outcome in outcomes))


def _source_test(test: Test) -> dict[str, JsonValue]:
    return {
        "filePath": test.file,
        "testName": test.name,
        "testLineNumber": test.name_line,
        "testId": test.id,
        "suite": list(test.suite),
        "bodyHash": test.body_hash,
        "framework": test.framework,
        "language": test.language,
    }


def _but(reasoning: str, refused: Sequence[str]) -> str:
    return f"{reasoning.rstrip('.')}, but a commitment would refuse it: {refused[0]}." if refused else reasoning
