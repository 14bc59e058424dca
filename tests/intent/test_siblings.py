from pactkeeper.intent.links import link_tests
from tests.reconcile.worlds import a_pact, a_record, a_test, an_atom


def states(tests, *records):
    pact = a_pact(an_atom(), an_atom("IA-2", "Else."), records=records)
    return {entry.test.name: (entry.state, [link.atom for link in entry.links]) for entry in link_tests(tests, pact)}


def test_record_stays_with_its_body_when_a_test_of_the_same_name_is_put_above():
    found = states([a_test("t", body="b1:new"), a_test("t#2")], a_record("t", atoms=["IA-1"]))
    assert found == {"t": ("orphan", []), "t#2": ("unratified", ["IA-1"])}


def test_records_change_places_with_their_tests():
    records = [a_record("t", atoms=["IA-1"], body="b1:a"), a_record("t#2", atoms=["IA-2"], body="b1:b")]
    found = states([a_test("t", body="b1:b"), a_test("t#2", body="b1:a")], *records)
    assert found == {"t": ("unratified", ["IA-2"]), "t#2": ("unratified", ["IA-1"])}


def test_record_moves_up_when_the_test_above_it_goes():
    records = [a_record("t", atoms=["IA-1"], body="b1:a"), a_record("t#2", atoms=["IA-2"], body="b1:b")]
    assert states([a_test("t", body="b1:b")], *records) == {"t": ("unratified", ["IA-2"])}


def test_test_that_changed_in_place_keeps_its_record_and_is_suspect():
    records = [a_record("t", atoms=["IA-1"], body="b1:a"), a_record("t#2", atoms=["IA-2"], body="b1:b")]
    found = states([a_test("t", body="b1:new"), a_test("t#2", body="b1:b")], *records)
    assert found == {"t": ("suspect", ["IA-1"]), "t#2": ("unratified", ["IA-2"])}


def test_bodies_that_are_equal_shift_nothing():
    records = [a_record("t", atoms=["IA-1"]), a_record("t#2", atoms=["IA-2"])]
    found = states([a_test("t"), a_test("t#2"), a_test("t#3")], *records)
    assert found == {"t": ("unratified", ["IA-1"]), "t#2": ("unratified", ["IA-2"]), "t#3": ("orphan", [])}
