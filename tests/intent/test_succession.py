"""Supersession never leaves a moment without committed intent: states of files, and sequences of what people do."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from pactkeeper.intent.atoms import FIRMNESS, Atom, Commitment, predecessors
from pactkeeper.intent.pact import Pact

STEADY = settings(max_examples=settings().max_examples * 2)
AT = "2030-01-01T00:00:00+00:00"


def a_pact(*atoms, committed=()):
    frozen = Commitment("COM-1", dict.fromkeys(committed, "v1:aa"), "ada", AT)
    return Pact(atoms={one.id: one for one in atoms}, commitments={"COM-1": frozen} if committed else {})


def atom(number, supersedes=None, status="draft"):
    return Atom(f"IA-{number}", f"Thing {number} happens.", status=status, supersedes=supersedes and f"IA-{supersedes}")


def test_a_committed_atom_holds_until_its_successor_is_committed():
    pair = (atom(1), atom(2, supersedes=1))
    before, after = a_pact(*pair, committed=["IA-1"]), a_pact(*pair, committed=["IA-1", "IA-2"])
    assert (before.status_of("IA-1"), before.waiting_for("IA-1")) == ("committed", "IA-2")
    assert (after.status_of("IA-1"), after.successor_of("IA-1")) == ("superseded", "IA-2")
    assert after.waiting_for("IA-1") is None


def test_a_draft_gives_way_to_a_draft_and_not_to_a_proposal():
    assert a_pact(atom(1), atom(2, supersedes=1)).status_of("IA-1") == "superseded"
    assert a_pact(atom(1), atom(2, supersedes=1, status="proposed")).status_of("IA-1") == "draft"


def test_a_chain_that_passes_over_a_draft_ends_in_the_committed_atom():
    chain = (atom(1), atom(2, supersedes=1), atom(3, supersedes=2))
    pact = a_pact(*chain, committed=["IA-1", "IA-3"])
    assert pact.successor_of("IA-1") == pact.successor_of("IA-2") == "IA-3"


def test_the_atom_that_waits_is_the_last_one_of_the_drafts():
    pact = a_pact(atom(1), atom(2, supersedes=1), atom(3, supersedes=2), committed=["IA-1"])
    assert pact.waiting_for("IA-1") == "IA-3"


def test_what_an_abandoned_atom_would_replace_is_reached_by_nobody_through_it():
    pact = a_pact(atom(1), atom(2, supersedes=1, status="abandoned"), atom(3, supersedes=2), committed=["IA-3"])
    assert (pact.status_of("IA-1"), pact.status_of("IA-2")) == ("draft", "superseded")


def test_of_two_claims_the_firmer_one_counts():
    pact = a_pact(atom(1), atom(2, supersedes=1), atom(3, supersedes=1), committed=["IA-1", "IA-3"])
    assert pact.successor_of("IA-1") == "IA-3"
    assert pact.claimants_of("IA-1") == ("IA-3", "IA-2")


def test_atoms_in_a_circle_are_worked_out_without_end():
    pact = a_pact(atom(1, supersedes=2), atom(2, supersedes=1), committed=["IA-1"])
    assert pact.status_of("IA-1") == "committed"


NUMBERS = st.integers(1, 6)
STATUSES = st.sampled_from(["proposed", "draft", "abandoned"])


@st.composite
def pacts(draw):
    """Any pact that the reader lets through: whatever is declared, abandoned, committed and claimed, without cycles."""
    found = []
    for number in range(1, draw(st.integers(1, 9)) + 1):
        old = draw(st.none() | st.integers(1, number - 1)) if number > 1 else None
        found.append(atom(number, old, draw(STATUSES)))
    names = [one.id for one in found]
    return a_pact(*draw(st.permutations(found)), committed=draw(st.lists(st.sampled_from(names), unique=True)))


@STEADY
@given(pacts())
def test_in_every_state_what_was_committed_is_held_by_a_committed_atom(pact):
    for name in pact.committed_ids:
        assert pact.status_of(pact.successor_of(name) or name) == "committed"


@STEADY
@given(pacts())
def test_in_every_state_an_heir_is_in_force_and_at_least_as_firm_as_what_it_replaces(pact):
    def firmness(name):
        return FIRMNESS["committed" if pact.is_committed(name) else pact.atoms[name].status]

    for name in pact.atoms:
        heir = pact.successor_of(name)
        assert (heir is None) == (pact.status_of(name) != "superseded")
        if heir is not None:
            assert pact.status_of(heir) != "superseded"
            assert firmness(heir) >= firmness(name)
            assert name in predecessors(heir, pact.atoms)


class People(RuleBasedStateMachine):
    """People declare, replace, abandon, restore and commit in any order; a commitment may even be lost again."""

    def __init__(self):
        super().__init__()
        self.atoms, self.committed = {}, set()

    @property
    def pact(self):
        return a_pact(*self.atoms.values(), committed=sorted(self.committed))

    @rule(number=NUMBERS, status=STATUSES)
    def declare(self, number, status):
        self.atoms.setdefault(f"IA-{number}", atom(number, status=status))

    @rule(old=NUMBERS, new=NUMBERS)
    def supersede(self, old, new):
        old, new = f"IA-{old}", f"IA-{new}"
        known = {old, new} <= self.atoms.keys() and new not in self.committed
        if known and old != new and new not in predecessors(old, self.atoms):
            self.atoms[new] = replace(self.atoms[new], supersedes=old)

    @rule(number=NUMBERS, status=STATUSES)
    def move(self, number, status):
        name = f"IA-{number}"
        if name in self.atoms and name not in self.committed:
            self.atoms[name] = replace(self.atoms[name], status=status)

    @rule(numbers=st.lists(NUMBERS, unique=True, min_size=1))
    def commit(self, numbers):
        names = {f"IA-{number}" for number in numbers} & self.atoms.keys()
        self.committed |= {name for name in names if self.pact.status_of(name) in {"draft", "proposed"}}

    @rule(number=NUMBERS)
    def lose_a_commitment(self, number):
        self.committed.discard(f"IA-{number}")

    @invariant()
    def committed_intent_is_in_force(self):
        pact = self.pact
        for name in self.committed:
            assert pact.status_of(pact.successor_of(name) or name) == "committed"

    @invariant()
    def nothing_declared_is_without_a_word_in_force(self):
        pact = self.pact
        for name in self.atoms:
            assert pact.status_of(pact.successor_of(name) or name) != "superseded"


TestPeople = People.TestCase
TestPeople.settings = STEADY
