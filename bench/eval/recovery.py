"""Hidden links of an annotated project, and what a reconciliation proposes for their tests."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from bench.eval.paraphrase import paraphrased
from pactkeeper.intent.claims import TestEvidence
from pactkeeper.intent.ids import nearest
from pactkeeper.intent.inference import infer
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest
from pactkeeper.intent.tests import Test, test_id
from pactkeeper.reconcile.propose import Proposer
from pactkeeper.reconcile.world import World
from pactkeeper.reconcile.worth import Doubts, Inferred

Condition = Literal["as it was", "body edited", "renamed and body edited", "its atom is gone too"]
CONDITIONS: Final[tuple[Condition, ...]] = get_args(Condition)
EDITED: Final = frozenset({"body edited", "renamed and body edited"})
Way = Literal["attached", "asked", "new atom", "nothing"]
RANKED: Final = 3


@dataclass(frozen=True, slots=True)
class Hidden:
    """One test without its links; `atoms` are those it had."""

    test: Test
    evidence: TestEvidence
    atoms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Found:
    """What was proposed for a hidden test.

    `atom` is the one that an op attaches or a question asks about, `ranked` are the atoms of the nearest sentences,
    `confidence` is in hundredths.
    """

    hidden: Hidden
    way: Way
    atom: str
    confidence: int
    ranked: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether the atom is one that the test had."""
        return self.atom in self.hidden.atoms

    def among(self, first: int) -> bool:
        """Whether an atom that the test had stands among the first of the ranking, the proposed one before all."""
        order = dict.fromkeys([*([self.atom] if self.atom else []), *self.ranked])
        return any(name in self.hidden.atoms for name in list(order)[:first])


def sample(linked: Sequence[LinkedTest], number: int, seed: int) -> tuple[LinkedTest, ...]:
    """The same tests with links of their own in every run, in the order of their files."""
    able = [entry for entry in linked if entry.links and all(link.state in LIVE_LINKS for link in entry.links)]
    chosen = random.Random(seed).sample(able, min(number, len(able)))  # noqa: S311 - nothing is secret here
    return tuple(sorted(chosen, key=lambda entry: entry.test.id))


def hidden(
    chosen: Iterable[LinkedTest], stated: Mapping[str, TestEvidence], condition: Condition
) -> Iterator[tuple[str, Hidden]]:
    """Each test as it stands in a condition, by the id that it had; one whose name has no other words is left out."""
    for entry in chosen:
        test, evidence = replace(entry.test, annotations=()), stated[entry.test.id]
        if condition in EDITED:
            test = replace(test, body_hash=f"b1:{hash_of(test.id)}")
        if condition == "renamed and body edited":
            name = paraphrased(test.name)
            if name == test.name:
                continue
            test = replace(test, name=name, id=test_id(test.file, test.suite, name))
            evidence = replace(evidence, name=name, test_id=test.id)
        yield entry.test.id, Hidden(test, evidence, frozenset(link.atom for link in entry.links))


def hash_of(name: str) -> str:
    """A body hash that no body has, the same in every run."""
    return random.Random(name).randbytes(10).hex()  # noqa: S311 - as above


def recover(world: World, lost: Mapping[str, Hidden], *, forget: bool = False) -> tuple[Found, ...]:
    """What rules propose for the hidden tests, each as if it were the only one; `lost` is by the id they had.

    With `forget` the atoms of every second one are taken away as well, and only these are looked at: any atom that is
    found for them is a wrong one, and those of the others stand there without a test.
    """
    kept = {name: record for name, record in world.pact.links.items() if name not in lost}
    wanted = list(lost.values())[:: 2 if forget else 1]
    gone = frozenset(name for one in wanted for name in one.atoms) if forget else frozenset()
    atoms = {name: atom for name, atom in world.pact.atoms.items() if name not in gone}
    pact = replace(world.pact, links=kept, atoms=atoms)
    by_file = {
        path: [lost[test.id].test if test.id in lost else test for test in tests]
        for path, tests in world.scan.by_file.items()
    }
    without = World.of(replace(world.scan, by_file=by_file), pact)
    base = Proposer.of(without, lambda _: "sidecar")
    doubts = Doubts.of(without, {})
    return tuple(_found(without, base, doubts, one) for one in wanted)


def _found(world: World, base: Proposer, doubts: Doubts, one: Hidden) -> Found:
    ops = replace(base.ops, taken=set(base.ops.taken))
    proposer = replace(base, ops=ops, known=dict(base.known), doubts=doubts)
    doubts.open.clear()
    doubts.compound.clear()
    said = infer(one.evidence)
    made = proposer.propose([Inferred(world.by_id[one.test.id], said, ())], (), ())
    ranked = tuple(near.atom.id for near in nearest(said.intent, doubts.atoms, least=0, most=RANKED))
    verbs = {op.verb: op for op in made.ops}
    if "createAtom" in verbs:
        return Found(one, "new atom", "", said.confidence, ranked)
    if "attachTestToAtom" in verbs:
        return Found(one, "attached", str(verbs["attachTestToAtom"].payload["atomId"]), said.confidence, ranked)
    if made.doubts:
        return Found(one, "asked", str(made.doubts[0].context["atom"]), said.confidence, ranked)
    return Found(one, "nothing", "", said.confidence, ranked)
