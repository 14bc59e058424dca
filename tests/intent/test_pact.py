from dataclasses import replace
from datetime import date

from pactkeeper.intent.atoms import Atom, Commitment
from pactkeeper.intent.pact import LinkRecord, Pact, Waiver


def atoms(*given: Atom) -> dict[str, Atom]:
    return {atom.id: atom for atom in given}


def committed(*names: str, name: str = "COM-1", at: str = "2030-01-01T00:00:00+00:00") -> Commitment:
    return Commitment(name, dict.fromkeys(names, "v1:aa"), by="ada", at=at)


def test_a_written_status_holds_while_nothing_else_says_more():
    pact = Pact(atoms=atoms(Atom("IA-1", "x", status="proposed")))
    assert pact.status_of("IA-1") == "proposed"


def test_an_atom_that_a_commitment_lists_is_committed():
    pact = Pact(atoms=atoms(Atom("IA-1", "x")), commitments={"COM-1": committed("IA-1")})
    assert pact.status_of("IA-1") == "committed"
    assert pact.committed_ids == {"IA-1"}


def test_a_committed_atom_that_another_replaces_is_superseded_and_stays_frozen():
    pact = Pact(
        atoms=atoms(Atom("IA-1", "x"), Atom("IA-2", "y", supersedes="IA-1")),
        commitments={"COM-1": committed("IA-1"), "COM-2": committed("IA-2", name="COM-2")},
    )
    assert pact.status_of("IA-1") == "superseded"
    assert pact.successor_of("IA-1") == "IA-2"
    assert pact.is_committed("IA-1")


def given_up(*names: str, name: str = "COM-9", at: str = "2031-01-01T00:00:00+00:00") -> Commitment:
    return replace(committed(*names, name=name, at=at), abandons="no use")


def test_a_committed_atom_that_a_person_gave_up_is_abandoned_and_stays_frozen():
    pact = Pact(atoms=atoms(Atom("IA-1", "x")), commitments={"COM-1": committed("IA-1"), "COM-9": given_up("IA-1")})
    assert pact.status_of("IA-1") == "abandoned"
    assert (pact.committed_ids, pact.promised_ids) == (frozenset({"IA-1"}), frozenset())
    assert pact.commitment_of("IA-1") == "COM-1"
    assert pact.abandonment_of("IA-1") == given_up("IA-1")


def test_what_gives_an_atom_up_commits_nothing():
    pact = Pact(atoms=atoms(Atom("IA-1", "x")), commitments={"COM-9": given_up("IA-1")})
    assert (pact.is_committed("IA-1"), pact.promised_ids) == (False, frozenset())


def test_a_committed_successor_outweighs_that_its_predecessor_was_given_up():
    pact = Pact(
        atoms=atoms(Atom("IA-1", "x"), Atom("IA-2", "y", supersedes="IA-1")),
        commitments={"COM-1": committed("IA-1", "IA-2"), "COM-9": given_up("IA-1")},
    )
    assert (pact.status_of("IA-1"), pact.status_of("IA-2")) == ("superseded", "committed")


def test_an_abandoned_atom_supersedes_nothing():
    pact = Pact(atoms=atoms(Atom("IA-1", "x"), Atom("IA-2", "y", supersedes="IA-1", status="abandoned")))
    assert pact.status_of("IA-1") == "draft"
    assert pact.successor_of("IA-1") is None


def test_of_two_successors_the_smaller_id_is_named_whatever_the_order():
    two = [Atom("IA-1", "x"), Atom("IA-3", "y", supersedes="IA-1"), Atom("IA-2", "y", supersedes="IA-1")]
    assert Pact(atoms=atoms(*two)).successor_of("IA-1") == Pact(atoms=atoms(*two[::-1])).successor_of("IA-1") == "IA-2"


def test_an_unknown_atom_has_no_status():
    assert Pact().status_of("IA-1") is None


def test_the_first_commitment_of_an_atom_is_the_one_named():
    later = committed("IA-1", name="COM-A", at="2031-01-01T00:00:00+00:00")
    pact = Pact(atoms=atoms(Atom("IA-1", "x")), commitments={"COM-A": later, "COM-B": committed("IA-1", name="COM-B")})
    assert pact.commitment_of("IA-1") == "COM-B"


def test_the_tests_of_an_atom_are_those_of_both_carriers_sorted_and_once():
    links = [
        LinkRecord("b.py::x", atoms=("IA-1",), annotated=("IA-1", "IA-2")),
        LinkRecord("a.py::x", annotated=("IA-1",)),
    ]
    pact = Pact(links={record.test: record for record in links})
    assert pact.tests_of("IA-1") == ("a.py::x", "b.py::x")
    assert pact.tests_of("IA-2") == ("b.py::x",)
    assert pact.tests_of("IA-3") == ()


def test_a_waiver_is_keyed_by_fingerprint_or_by_code_and_subject():
    assert Waiver("ada", "x", date(2030, 1, 1), fingerprint="v1:ab").key == "v1:ab"
    assert Waiver("ada", "x", date(2030, 1, 1), code="PK101", subject="a.py::x y").key == "PK101 a.py::x y"
