"""Turns inferences into ops: what is new, already in the catalog, moved, changed, or gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pactkeeper.advice import ACCEPT, EDIT
from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.ids import atom_id, normalised_intent
from pactkeeper.intent.inference import Inference
from pactkeeper.intent.links import Link, lost_annotations, what_changed
from pactkeeper.intent.tests import Test
from pactkeeper.intent.wording.outcomes import is_read
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.finding import Evidence, EvidenceKind
from pactkeeper.ledger.op import Op
from pactkeeper.ledger.question import Answer, Question
from pactkeeper.reconcile.codes import quoted
from pactkeeper.reconcile.ops import SURE, CarrierWord, Ops, instead_of
from pactkeeper.reconcile.select import WITHOUT_INTENT, continued
from pactkeeper.reconcile.world import World
from pactkeeper.reconcile.worth import (
    DOUBTED,
    LESSER,
    Doubts,
    Inferred,
    evidence_of,
    held_back,
    mechanical,
    sureness,
    told_apart,
)

__all__ = ["Inferred", "Proposals", "Proposer"]


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
    """One run: the world, what makes its ops, and the atoms proposed so far.

    `known` maps content to atoms, each with the op that creates it unless it is in the pact; `continued` maps tests to
    vanished records that they take over; `linked` is the number of links per atom. Without atoms in `doubts`, rules
    decide alone.
    """

    world: World
    ops: Ops = field(repr=False)
    known: dict[tuple[str, ...], tuple[str, Op | None]] = field(repr=False)
    continued: Mapping[str, str] = field(repr=False)
    linked: Mapping[str, int] = field(repr=False)
    doubts: Doubts = field(default_factory=Doubts, repr=False)

    @staticmethod
    def of(world: World, carrier: Callable[[Test], CarrierWord], doubts: Doubts | None = None) -> Proposer:
        """Prepare the look-ups; `carrier` decides where a new link goes."""
        ops = Ops(world, carrier, world.ids_in_use())
        linked = Counter(atom for entry in world.linked for atom in entry.atoms())
        followed = continued(world.linked, world.pact, world.gone)
        return Proposer(world, ops, _by_content(world), followed, linked, doubts or Doubts())

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
            if not found and one.entry.test.id not in self.doubts.open:
                unclear.append(self._named(one) if self._says_it_already(one) else one)
        for one in confirm:
            ops.extend(self._for_linked(one))
        successors = ((str(op.payload["oldAtomId"]), op.group) for op in ops if op.verb == "markAtomSuperseded")
        bodies = {entry.test.body_hash for entry in self.world.linked if entry.state in WITHOUT_INTENT}
        kept = {*self.continued.values(), *(name for name in gone if self.world.pact.links[name].body in bodies)}
        kept |= {known for one in self.world.linked for known in (one.instead_of, one.unlike) if known}
        kept |= self.world.last_proofs()
        detached = (self.ops.detach(name) for name in gone if name not in kept)
        asked = (tuple(self.doubts.open.values()), tuple(self.doubts.compound.values()))
        return Proposals((*ops, *detached), tuple(unclear), tuple(successors), *asked)

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
            shown = [self.ops.update(first, known, {"observableOutcomes": list(first.inference.outcomes)}, SURE)]
        yield from shown
        for one in tests:
            link = next((link for link in one.entry.links if link.own and self._gives_way(link, atom)), None)
            place = self._place_of(atom, known.supersedes or "") if link is None else instead_of(link)
            yield self.ops.confirm(one, atom, "named by a person", needed=shown, extra=place)

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
            yield self.ops.confirm(one, other.atom, "its test was reviewed")

    def _place_of(self, *atoms: str) -> Mapping[str, str]:
        """Return the payload of an op that takes over the record of the one vanished test of these atoms."""
        records = [record for atom in atoms for record in self.world.vanished(atom)]
        alone = [record for record in records if len(record.named) == 1]
        if len(alone) != 1:
            return {}
        return {"replacesTestId": alone[0].test, **({"carrier": "sidecar"} if alone[0].atoms else {})}

    def renew(self, one: Inferred) -> Iterator[Op]:
        """Confirm the links of a test that asserts other things than when it was reviewed, and proves no less."""
        for link in one.entry.links:
            draft = None if self.world.pact.is_committed(link.atom) else self.world.pact.atoms.get(link.atom)
            restated = [] if draft is None else self._restated(one, draft, SURE)
            yield from restated
            note = "it proves all that was reviewed, and what it asserts now is recorded"
            yield self.ops.confirm(one, link.atom, note, needed=restated)

    def _gives_way(self, link: Link, atom: str) -> bool:
        """Whether a link to the atom replaces this one: it was abandoned, superseded, or is about to be."""
        if link.state == "abandoned":
            return True
        return atom == (self.world.pact.waiting_for(link.atom) if link.state == "suspect" else link.successor)

    def _for_unlinked(self, one: Inferred) -> Iterator[Op]:
        test = one.entry.test
        part = one.entry.instead_of if one.entry.unlinked else None
        old = self.continued.get(test.id, part)
        if old is not None and not one.worded:
            yield from self._follow(one, old)
            return
        lost = [] if one.worded else lost_annotations(one.entry, self.world.pact)
        if lost:
            for name in lost:
                note = "its reviewed annotation is gone from the code"
                yield self.ops.confirm(one, name, note, extra={"carrier": "comment"})
            return
        if not (self._is_sure(one) or one.worded):  # an answer is checked against it when it is accepted
            made = self._made_from_body(one)
            if made is not None:  # somebody made it from this test, whatever rules think of it
                yield self.ops.confirm(one, made, f"{made} was made from this very body")
            return
        atom, creator = self._same_atom(one)
        if atom is None:
            yield from self._judged(one)
            return
        note = "says the same as an atom of the pact" if creator is None else "says the same as another new atom"
        evidence = (Evidence(one.strength, test.file, test.name_line, note=note),)
        yield self.ops.attach(one, atom, evidence, needed=() if creator is None else (creator,))

    def _is_sure(self, one: Inferred) -> bool:
        return one.confidence >= f"{self.world.pact.settings.inference_threshold:.2f}"

    def _judged(self, one: Inferred) -> Iterator[Op]:
        """Yield ops for what is new to the pact, unless judged otherwise; none while a judgement is pending."""
        by_person = one.by == "person"
        realised = None if by_person else self.doubts.realised(one)
        if realised is not None:
            yield self._realise(one, *realised)
        elif one.entry.test.id not in self.doubts.open and not self._says_it_already(one):
            for part in (one,) if by_person else self.doubts.parts(one):
                yield from self._create(part)

    def _realise(self, one: Inferred, atom: Atom, answer: Answer) -> Op:
        test = one.entry.test
        strength: EvidenceKind = "quoted" if answer.answerer == "person" else "model"
        evidence = Evidence(strength, test.file, test.name_line, note=f"{answer.by} says it realises {atom.id}")
        return self.ops.attach(one, atom.id, (evidence,), confidence=f"{sureness(answer) / 100:.2f}")

    def _same_atom(self, one: Inferred) -> tuple[str | None, Op | None]:
        """Return the atom a person words alike, of an equal body and sentence, or made from this body; and its op."""
        said, body = one.inference, one.entry.test.body_hash
        if one.by == "person":
            return self._worded_alike(said)
        known = self.known.get(_of_body(said.intent, body))
        if known is not None:
            return known
        return (None, None) if one.worded else (self._made_from_body(one), None)

    def _worded_alike(self, said: Inference) -> tuple[str | None, Op | None]:
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

    def _follow(self, one: Inferred, old: str) -> Iterator[Op]:
        record = self.world.pact.links[old]
        same = "the same body as" if record.body == one.entry.test.body_hash else "it proves all that was reviewed of"
        same = "it proves a part of" if one.entry.unlinked else same
        for atom in record.named:
            kept = {"carrier": "sidecar"} if atom in record.atoms else {}
            yield self.ops.confirm(one, atom, f"{same} {old}, which is gone", extra={"replacesTestId": old, **kept})

    def _create(self, one: Inferred) -> Iterator[Op]:
        """Create an atom with the words of a test, and link the test to it."""
        create = self._new_atom(one)
        yield create
        yield self.ops.attach(one, str(create.payload["atomId"]), evidence_of(one), needed=(create,))

    def _new_atom(self, one: Inferred) -> Op:
        said, create = one.inference, self.ops.create(one)
        keys = [_content(said.intent, said.outcomes), _of_body(said.intent, one.entry.test.body_hash)]
        if one.by == "person":
            keys.append(("sentence", normalised_intent(said.intent)))
        for key in keys:
            self.known.setdefault(key, (str(create.payload["atomId"]), create))
        return create

    def _for_linked(self, one: Inferred) -> Iterator[Op]:
        for link in one.entry.links:
            if link.state == "superseded" and link.own and link.successor is not None:
                note = f"{link.atom} is superseded by {link.successor}"
                yield self.ops.confirm(one, link.successor, note, extra=instead_of(link))
            elif link.state == "inherited":
                note = f"covered by the {link.scope}'s annotation at line {link.line}"
                yield self.ops.confirm(one, link.atom, note)
            elif link.state == "unreviewed":
                yield self.ops.confirm(one, link.atom, f"its {link.carrier} names it at line {link.line}")
            elif link.state == "suspect":
                yield from self._for_suspect(one, link)

    def _for_suspect(self, one: Inferred, link: Link) -> Iterator[Op]:
        entry, atom = one.entry, self.world.pact.atoms[link.atom]
        committed = self.world.pact.is_committed(atom.id)
        waiting = self.world.pact.waiting_for(atom.id) if committed else None
        same = entry.only_given_more or (_same_outcomes(one, atom) and not entry.weaker)
        readable = self._is_sure(one) and self._made_from(atom, entry.test.id)
        worded_alike = normalised_intent(one.inference.intent) == normalised_intent(atom.intent)
        if committed and waiting is None and entry.weaker and worded_alike:
            readable = False  # a successor of the very same words would say nothing else
        if not one.worded and not readable and committed and entry.proves_less:
            return  # a committed atom can't be confirmed with less proof; `pk check` says what to do
        if not one.worded and (same or not readable):
            yield from self._confirmed(one, atom, same=same, committed=committed)
        elif waiting is not None:
            yield self._announced(one, link, waiting)
        elif committed:
            yield from self._succeed(one, atom, link)
        else:
            confidence = LESSER if entry.weaker and not same else one.confidence
            update = self.ops.reword(one, atom, confidence)
            yield update
            yield self.ops.attach(one, atom.id, evidence_of(one), confidence=confidence, needed=(update,))

    def _confirmed(self, one: Inferred, atom: Atom, *, same: bool, committed: bool) -> Iterator[Op]:
        """Confirm the link of a changed test, which says the `same` or what rules can't compare."""
        entry = one.entry
        found = "rules read the same from it" if same else "rules cannot tell whether it says what the atom says"
        note = f"{what_changed(entry.test, entry.record)} changed since the link was reviewed; {found}"
        lost = tuple(mechanical(one, f"{each.message}: {each.old} → {each.new}") for each in entry.weaker)
        sure = LESSER if lost and not same else DOUBTED if lost and committed else SURE
        restated = [] if committed else self._restated(one, atom, sure)
        yield from restated
        evidence = (mechanical(one, note), *lost, *evidence_of(one))
        yield self.ops.attach(one, atom.id, evidence, confidence=sure, needed=restated)

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
        evidence = (mechanical(one, note), *evidence_of(one))
        return self.ops.attach(one, waiting, evidence, confidence=SURE, extra=instead_of(link))

    def _succeed(self, one: Inferred, atom: Atom, link: Link | None) -> Iterator[Op]:
        create = self._new_atom(one)
        yield create
        yield self.ops.supersede(one, atom, create)
        extra = self._place_of(atom.id) if link is None else instead_of(link)
        new = str(create.payload["atomId"])
        yield self.ops.attach(one, new, evidence_of(one), needed=(create,), extra=extra)

    def _restated(self, one: Inferred, atom: Atom, confidence: str) -> list[Op]:
        """Replace the outcomes that were read from the test before it changed; the atom's sentence stays."""
        others = self.linked.get(atom.id, 0) - 1
        read = bool(atom.outcomes) and all(map(is_read, atom.outcomes))
        if others or not read or _same_outcomes(one, atom):
            return []
        words: dict[str, JsonValue] = {
            "description": atom.intent,
            "observableOutcomes": list(one.inference.outcomes),
            "reasoning": "its test asserts something else now; the sentence is as it was",
        }
        return [self.ops.update(one, atom, words, confidence)]


def _same_outcomes(one: Inferred, atom: Atom) -> bool:
    return _content("", one.inference.outcomes) == _content("", atom.outcomes)


def _by_content(world: World) -> dict[tuple[str, ...], tuple[str, Op | None]]:
    """Map live atoms by wording, by body and sentence, and by sentence; the smallest id wins among equal ones."""
    found: dict[tuple[str, ...], tuple[str, Op | None]] = {}
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
