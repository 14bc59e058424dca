"""The ops of a run as they are written: payload, evidence, and the ids of new atoms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Literal

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.ids import atom_id, next_id
from pactkeeper.intent.inference import Inference
from pactkeeper.intent.links import Link, LinkedTest
from pactkeeper.intent.quality import QualityVocabulary
from pactkeeper.intent.tests import Test, file_of
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.finding import Evidence
from pactkeeper.ledger.op import Op
from pactkeeper.reconcile.world import ATOM, TEST, World
from pactkeeper.reconcile.worth import WEAK, Inferred, evidence_of, mechanical, quality_of, refusals

CarrierWord = Literal["annotation", "comment", "sidecar"]
SURE = "1.00"


@dataclass(slots=True)
class Ops:
    """Makes the ops about one world; `carrier` decides where a new link goes, `taken` are the ids in use."""

    world: World
    carrier: Callable[[Test], CarrierWord]
    taken: set[str]

    def create(self, one: Inferred) -> Op:
        """Create an atom with the words of a test."""
        test, said = one.entry.test, one.inference
        name, refused = self._new_id(test), refusals(said, self.world.pact)
        payload: dict[str, JsonValue] = {
            "atomId": name,
            "description": said.intent,
            "category": said.category,
            "sourceTest": {
                "filePath": test.file,
                **_named(test),
                "framework": test.framework,
                "language": test.language,
            },
            "observableOutcomes": list(said.outcomes),
            "falsifiedBy": list(said.falsified_by),
            "confidence": one.confidence,
            "ambiguityReasons": [*said.reasons, *([WEAK] if refused else [])],
            "reasoning": _but(said.reasoning, refused),
            "tags": list(said.tags),
            **self._score(said),
            **({"relatedDocs": list(one.related_docs)} if one.related_docs else {}),
        }
        return Op("createAtom", ATOM + name, None, payload, evidence_of(one), one.confidence, test.id)

    def attach(  # noqa: PLR0913 - the parts of one op, all named
        self,
        one: Inferred,
        atom: str,
        evidence: tuple[Evidence, ...],
        *,
        confidence: str | None = None,
        needed: Sequence[Op] = (),
        extra: Mapping[str, str] | None = None,
    ) -> Op:
        """Link a test to an atom, in place of one that was given up; `extra` goes into the payload."""
        test = one.entry.test
        given_up = next((link for link in one.entry.links if link.own and link.state == "abandoned"), None)
        payload: dict[str, JsonValue] = {
            "testFilePath": test.file,
            **_named(test),
            "atomId": atom,
            "carrier": self._carrier(one.entry, atom),
            **(instead_of(given_up) if given_up is not None and given_up.atom != atom else {}),
            **(extra or {}),
        }
        sure = confidence or one.confidence
        return self._changed("attachTestToAtom", TEST + test.id, payload, one, evidence, sure, needed)

    def confirm(
        self, one: Inferred, atom: str, note: str, *, needed: Sequence[Op] = (), extra: Mapping[str, str] | None = None
    ) -> Op:
        """Link a test to an atom for a reason that needs no judgement."""
        return self.attach(one, atom, (mechanical(one, note),), confidence=SURE, needed=needed, extra=extra)

    def reword(self, one: Inferred, atom: Atom, confidence: str) -> Op:
        """Give an atom the words of a test."""
        said = one.inference
        words: dict[str, JsonValue] = {
            "description": said.intent,
            "category": said.category,
            "observableOutcomes": list(said.outcomes),
            "falsifiedBy": list(said.falsified_by),
            "reasoning": said.reasoning,
            **self._score(said),
        }
        return self.update(one, atom, words, confidence)

    def update(self, one: Inferred, atom: Atom, words: Mapping[str, JsonValue], confidence: str) -> Op:
        """Change some of an atom's words by what a test says."""
        payload = {"atomId": atom.id, **words}
        return self._changed("updateAtom", ATOM + atom.id, payload, one, evidence_of(one), confidence)

    def supersede(self, one: Inferred, atom: Atom, successor: Op) -> Op:
        """Mark an atom as superseded by the one that an op creates."""
        payload: dict[str, JsonValue] = {
            "oldAtomId": atom.id,
            "newAtomId": successor.payload["atomId"],
            "reason": "the assertions of its test changed",
        }
        target, needed = ATOM + atom.id, (successor,)
        return self._changed("markAtomSuperseded", target, payload, one, evidence_of(one), one.confidence, needed)

    def detach(self, name: str) -> Op:
        """Remove the record of a vanished test."""
        note = "no test has this id, and no gap hides its file"
        evidence = (Evidence("mechanical", file_of(name), note=note, absent=True),)
        payload = {"testId": name, "reason": "the test is gone"}
        node = self.world.node_hash(TEST + self.world.pact.links[name].test)
        return Op("detachTest", TEST + name, node, payload, evidence=evidence, group=name)

    def _changed(  # noqa: PLR0913, PLR0917 - the parts of one op
        self,
        verb: str,
        target: str,
        payload: Mapping[str, JsonValue],
        one: Inferred,
        evidence: tuple[Evidence, ...],
        confidence: str,
        needed: Sequence[Op] = (),
    ) -> Op:
        """Make an op that changes a node, in the group of a test; `needed` are to be applied with it."""
        before, ids = self.world.node_hash(target), tuple(op.id for op in needed)
        return Op(verb, target, before, payload, evidence, confidence, one.entry.test.id, ids)

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
            bodies = chain((test.body_hash,), (f"{test.body_hash}#{number}" for number in count(2)))
            ids = (atom_id(test.id, body, prefix=settings.atom_prefix) for body in bodies)
            name = next(one for one in ids if one not in self.taken)
        self.taken.add(name)
        return name

    def _carrier(self, entry: LinkedTest, atom: str) -> CarrierWord:
        """Return where a link is written: an existing one stays in place, a new one follows the run's carrier."""
        known = next((link for link in entry.links if link.atom == atom), None)
        if known is None:
            return self.carrier(entry.test)
        return "sidecar" if known.carrier == "sidecar" else "annotation"


def instead_of(link: Link) -> dict[str, str]:
    """Return the payload of an op that replaces a linked atom, in the carrier of the link."""
    return {"replacesAtomId": link.atom, "carrier": "comment" if link.carrier == "comment" else "sidecar"}


def _named(test: Test) -> dict[str, JsonValue]:
    return {
        "testName": test.name,
        "testLineNumber": test.name_line,
        "testId": test.id,
        "suite": list(test.suite),
        "bodyHash": test.body_hash,
    }


def _but(reasoning: str, refused: Sequence[str]) -> str:
    return f"{reasoning.rstrip('.')}, but a commitment would refuse it: {refused[0]}." if refused else reasoning
