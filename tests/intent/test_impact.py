from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.invariants import Facts
from pactkeeper.intent.invariants.declared import impact_of
from pactkeeper.intent.pact import Invariant, Pact
from pactkeeper.intent.quality import AtomWords, assess

ATOMS = {
    "IA-1": Atom("IA-1", "A token is refused.", "security", falsified_by=("It is accepted.",)),
    "IA-2": Atom("IA-2", "A cookie is encrypted.", "security"),
    "IA-3": Atom("IA-3", "An invoice is sent."),
}
OLD = Invariant("INV-101", every="atom", where={"category": ("security",)}, needs={"min_outcomes": 1})


def impact(new, facts=None):
    found = facts or Facts(Pact(atoms=ATOMS), linked=())
    return impact_of(OLD, new, found, assess=lambda atom: assess(AtomWords.of(atom)))


def test_only_what_breaks_the_new_rule_has_to_change():
    new = Invariant("INV-102", every="atom", where={"category": ("security",)}, needs={"min_falsifiers": 1})
    assert impact(new).atoms == ("IA-2",)


def test_a_rule_that_is_off_is_judged_as_if_it_were_on():
    new = Invariant("INV-102", every="atom", needs={"min_falsifiers": 1}, enabled=False)
    assert impact(new).atoms == ("IA-2", "IA-3")


def test_a_rule_in_words_concerns_what_the_old_one_was_about():
    assert impact(Invariant("INV-102", rule="Security is reviewed by two.")).atoms == ("IA-1", "IA-2")


def test_what_is_not_known_here_is_said_and_nothing_concluded():
    new = Invariant("INV-102", every="atom", needs={"min_tests": 1})
    found = impact(new, Facts(Pact(atoms=ATOMS)))
    assert (found.atoms, found.unknown) == ((), "tests are unknown here")
