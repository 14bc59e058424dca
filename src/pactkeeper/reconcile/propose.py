"""From what was inferred to ops: what is new, what the catalog has already, what moved, what changed, what is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pactkeeper.errors import UsageError
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.ids import atom_id, normalised_intent
from pactkeeper.intent.inference import Inference
from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.tests import Test, file_of
from pactkeeper.ledger.canonical import JsonValue
from pactkeeper.ledger.evidence import Evidence
from pactkeeper.ledger.op import Op
from pactkeeper.reconcile.world import ATOM, TEST, World

CarrierWord = Literal["annotation", "comment", "sidecar"]


@dataclass(frozen=True, slots=True)
class Inferred:
    """A test with what its source states and the sentences that rules made of it."""

    entry: LinkedTest
    inference: Inference
    evidence: TestEvidence

    @property
    def confidence(self) -> str:
        """How sure the rules are, as a decimal of two digits, the form that ops carry."""
        return f"{self.inference.confidence / 100:.2f}"


@dataclass(frozen=True, slots=True)
class Proposals:
    """Ops in the order to apply them, and the tests that no op is about because rules could not word them."""

    ops: tuple[Op, ...]
    needs_words: tuple[Inferred, ...]
    successors: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Proposer:
    """What stays the same for every test of one run: the world, the threshold and how links are to be written.

    `threshold` is a decimal string of two digits; `carrier` says for a test where its new link goes.
    """

    world: World
    threshold: str
    carrier: Callable[[Test], CarrierWord]
    known: Mapping[tuple[str, ...], str] = field(repr=False)
    moved: Mapping[str, str] = field(repr=False)

    @staticmethod
    def of(world: World, *, threshold: str, carrier: Callable[[Test], CarrierWord], gone: Iterable[str]) -> Proposer:
        """Prepare the look-ups: atoms by what they say, and records of vanished tests by body hash."""
        return Proposer(world, threshold, carrier, _by_content(world), _by_body(world, gone))

    def propose(self, inferred: Sequence[Inferred], confirm: Sequence[Inferred], gone: Sequence[str]) -> Proposals:
        """Build all ops of one run; every test is the subject of at most one group."""
        ops: list[Op] = []
        unclear: list[Inferred] = []
        followed: set[str] = set()
        for one in inferred:
            found = list(self._for_unlinked(one, followed))
            ops.extend(found)
            if not found:
                unclear.append(one)
        successors: list[tuple[str, str]] = []
        for one in confirm:
            ops.extend(self._for_linked(one, successors))
        ops.extend(self._detach(name) for name in gone if name not in followed)
        return Proposals(tuple(ops), tuple(unclear), tuple(successors))

    def attach_named(self, one: Inferred, atom: str) -> Op:
        """Link a test to an atom that a person names; raises UsageError where the pact has no such live atom."""
        status = self.world.pact.status_of(atom)
        if status in {None, "superseded", "abandoned"}:
            raise UsageError(f"{atom} is {status or 'not in the pact'}, so no test can be linked to it")
        return self._attach(one, atom, evidence=(_mechanical(one, "named by a person"),), confidence="1.00")

    def _for_unlinked(self, one: Inferred, followed: set[str]) -> Iterator[Op]:
        test = one.entry.test
        old = self.moved.get(test.body_hash)
        if old is not None and old not in followed:
            followed.add(old)
            yield from self._follow(one, old)
            return
        if one.confidence < self.threshold:
            return
        known = self.known.get(_content(one.inference.intent, one.inference.outcomes))
        if known is not None:
            note = "says the same as an atom of the pact"
            yield self._attach(one, known, evidence=(Evidence("quoted", test.file, test.name_line, note=note),))
            return
        yield from self._create(one)

    def _follow(self, one: Inferred, old: str) -> Iterator[Op]:
        record = self.world.pact.links[old]
        note = f"the same body as {old}, which is gone"
        evidence = (Evidence("mechanical", one.entry.test.file, one.entry.test.name_line, note=note),)
        for atom in dict.fromkeys((*record.atoms, *record.annotated)):
            yield self._attach(one, atom, evidence=evidence, confidence="1.00", extra={"replacesTestId": old})

    def _create(self, one: Inferred) -> Iterator[Op]:
        test, said = one.entry.test, one.inference
        name = atom_id(test.id, test.body_hash, prefix=self.world.pact.settings.atom_prefix)
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
                "ambiguityReasons": list(said.reasons),
                "reasoning": said.reasoning,
                "tags": list(said.tags),
            },
            evidence=_evidence(one),
            confidence=one.confidence,
            group=test.id,
        )
        yield create
        yield self._attach(one, name, evidence=_evidence(one), depends_on=(create.id,))

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
        payload: dict[str, JsonValue] = {
            "testFilePath": test.file,
            "testName": test.name,
            "testLineNumber": test.name_line,
            "testId": test.id,
            "suite": list(test.suite),
            "bodyHash": test.body_hash,
            "atomId": atom,
            "carrier": self._carrier(one.entry, atom),
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
        """A link that stands somewhere stays there; a new one goes where the run's carrier says."""
        known = next((link for link in entry.links if link.atom == atom), None)
        if known is None:
            return self.carrier(entry.test)
        return "sidecar" if known.carrier == "sidecar" else "annotation"

    def _for_linked(self, one: Inferred, successors: list[tuple[str, str]]) -> Iterator[Op]:
        for link in one.entry.links:
            if link.state == "inherited":
                note = f"covered by the {link.scope}'s annotation at line {link.line}"
                yield self._attach(one, link.atom, evidence=(_mechanical(one, note),), confidence="1.00")
            elif link.state == "suspect":
                yield from self._for_suspect(one, self.world.pact.atoms[link.atom], successors)

    def _for_suspect(self, one: Inferred, atom: Atom, successors: list[tuple[str, str]]) -> Iterator[Op]:
        said = one.inference
        drifted = (
            atom.source == "reconciliation"
            and atom.origin == one.entry.test.id
            and one.confidence >= self.threshold
            and _content("", said.outcomes) != _content("", atom.outcomes)
        )
        if not drifted:
            note = "the body changed since the link was reviewed; what the atom says was not found to differ"
            yield self._attach(one, atom.id, evidence=(_mechanical(one, note), *_evidence(one)), confidence="1.00")
        elif self.world.pact.is_committed(atom.id):
            successors.append((atom.id, one.entry.test.id))
            yield from self._succeed(one, atom)
        else:
            yield from self._update(one, atom)

    def _succeed(self, one: Inferred, atom: Atom) -> Iterator[Op]:
        create, attach = self._create(one)
        new = str(create.payload["atomId"])
        yield create
        yield Op(
            "markAtomSuperseded",
            ATOM + atom.id,
            self.world.node_hash(ATOM + atom.id),
            {"oldAtomId": atom.id, "newAtomId": new, "reason": "the assertions of its test changed"},
            evidence=_evidence(one),
            confidence=one.confidence,
            group=one.entry.test.id,
            depends_on=(create.id,),
        )
        yield self._attach(
            one, new, evidence=attach.evidence, depends_on=(create.id,), extra={"replacesAtomId": atom.id}
        )

    def _update(self, one: Inferred, atom: Atom) -> Iterator[Op]:
        said = one.inference
        update = Op(
            "updateAtom",
            ATOM + atom.id,
            self.world.node_hash(ATOM + atom.id),
            {
                "atomId": atom.id,
                "description": said.intent,
                "category": said.category,
                "observableOutcomes": list(said.outcomes),
                "falsifiedBy": list(said.falsified_by),
                "reasoning": said.reasoning,
            },
            evidence=_evidence(one),
            confidence=one.confidence,
            group=one.entry.test.id,
        )
        yield update
        yield self._attach(one, atom.id, evidence=_evidence(one), depends_on=(update.id,))

    def _detach(self, name: str) -> Op:
        record = self.world.pact.links[name]
        note = "the file was read completely and holds no such test"
        evidence = (Evidence("mechanical", file_of(name), note=note, absent=True),)
        payload = {"testId": name, "reason": "the test is gone"}
        precondition = self.world.node_hash(TEST + record.test)
        return Op("detachTest", TEST + name, precondition, payload, evidence=evidence, group=name)


def _by_content(world: World) -> dict[tuple[str, ...], str]:
    """Live atoms by normalised intent and outcomes; the smallest id where several say the same."""
    found: dict[tuple[str, ...], str] = {}
    for atom in sorted(world.pact.atoms.values(), key=lambda one: one.id, reverse=True):
        if world.pact.status_of(atom.id) not in {"superseded", "abandoned"}:
            found[_content(atom.intent, atom.outcomes)] = atom.id
    return found


def _by_body(world: World, gone: Iterable[str]) -> dict[str, str]:
    """Body hash → the one vanished test whose record has it; a hash that several share follows none of them."""
    found: dict[str, list[str]] = {}
    for name in gone:
        record = world.pact.links[name]
        if record.body and (record.atoms or record.annotated):
            found.setdefault(record.body, []).append(name)
    return {body: names[0] for body, names in found.items() if len(names) == 1}


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


def _evidence(one: Inferred) -> tuple[Evidence, ...]:
    """The quoted source lines that the sentences rest on; the declaration itself where there is no assertion."""
    test = one.entry.test
    quoted = tuple(
        dict.fromkeys(
            Evidence("quoted", test.file, claim.line, quote=claim.quote) for claim in one.evidence.claims if claim.quote
        )
    )
    return quoted or (_mechanical(one, "the test's name; it asserts nothing"),)


def _mechanical(one: Inferred, note: str) -> Evidence:
    return Evidence("mechanical", one.entry.test.file, one.entry.test.name_line, note=note)
