from dataclasses import replace

import pytest

from pactkeeper.intent.inference import Inference
from pactkeeper.intent.tests import Annotation
from pactkeeper.ledger.question import Answer
from pactkeeper.reconcile.propose import Proposer
from pactkeeper.reconcile.world import World
from pactkeeper.reconcile.worth import MOST_DOUBTS, Doubts, Inferred, realising, splitting
from tests.reconcile.worlds import FILE, a_pact, a_scan, a_test, an_atom

SHOWN = "The start page is shown."
NAMED = (Annotation(("IA-1",), "comment", "test", 19),)


def said(world, name, intent, outcomes=(SHOWN,)):
    words = Inference(intent, outcomes, tuple(f"Not: {one}" for one in outcomes), "functional", 90, (), (), "")
    return Inferred(world.by_id[f"{FILE}::{name}"], words, ((11, "assert start()"),))


def a_world(*atoms, tests=1):
    found = tuple(a_test(f"test_{number}", body=f"b1:{number}", line=10 * number) for number in range(1, tests + 1))
    return World.of(a_scan(*found), a_pact(*atoms))


def doubted(world, *inferred, answers=()):
    doubts = Doubts.of(world, {one.question: one for one in answers})
    return Proposer.of(world, lambda _: "sidecar", doubts).propose(inferred, (), ())


@pytest.mark.parametrize(
    ("intent", "atom", "asked"),
    [
        ("A login with a token works.", "A login with a key works.", True),
        ("A login with a token works.", "A login with a token works.", True),
        ("A login after 5 minutes works.", "A login after 6 minutes works.", False),
        ("A login with 'old' works.", "A login with 'new' works.", False),
        ("A login with a token works.", "An invoice is sent by mail.", False),
    ],
)
def test_sentences_one_word_apart_are_doubted_and_other_values_are_not(intent, atom, asked):
    world = a_world(an_atom("IA-1", atom, outcomes=(SHOWN, "A menu is shown.")))
    found = doubted(world, said(world, "test_1", intent))
    assert [one.kind for one in found.doubts] == ["realises"] * asked
    assert bool(found.ops) != asked
    assert found.needs_words == ()


@pytest.mark.parametrize(
    ("origin", "annotations", "asked"),
    [(f"{FILE}::test_old", (), True), ("tests/other.py::test_old", (), False), (f"{FILE}::test_old", NAMED, False)],
)
def test_renamed_test_is_asked_about_the_atom_of_its_file_that_no_test_realises(origin, annotations, asked):
    atom = an_atom("IA-1", "A missing token is refused by the login.", outcomes=("A menu is shown.",), origin=origin)
    tests = (a_test("test_1", body="b1:1"), a_test("test_2", body="b1:2", line=20, annotations=annotations))
    world = World.of(a_scan(*tests), a_pact(atom))
    found = doubted(world, said(world, "test_1", "An absent token is rejected by the login."))
    assert [one.context["atom"] for one in found.doubts] == ["IA-1"] * asked


def test_an_atom_of_another_file_that_shares_no_outcome_is_not_doubted():
    atom = an_atom("IA-1", "A login with a key works.", outcomes=("A menu is shown.",), origin="tests/other.py::test")
    world = a_world(atom)
    assert doubted(world, said(world, "test_1", "A login with a token works.")).doubts == ()


def test_a_run_has_a_bounded_number_of_doubts_and_proposes_the_rest():
    world = a_world(an_atom("IA-1", "A login with a key works."), tests=MOST_DOUBTS + 5)
    words = ("alpha", "beta", "gamma", "delta", "omega")
    many = [
        said(world, f"test_{number}", f"A login with a {words[number % 5]}{'x' * number} works.")
        for number in range(1, MOST_DOUBTS + 6)
    ]
    found = doubted(world, *many)
    assert len(found.doubts) == MOST_DOUBTS
    assert len([op for op in found.ops if op.verb == "createAtom"]) == 5


def test_an_answer_about_other_words_is_not_found():
    world = a_world(an_atom("IA-1", "A login with a key works."))
    one = said(world, "test_1", "A login with a token works.")
    stale = realising(one, an_atom("IA-1", "A login with a lock works."))
    answer = Answer(stale.id, {"verdict": "yes", "quotes": []}, "person", "Ada", "2026-01-01T00:00:00Z")
    assert len(doubted(world, one, answers=[answer]).doubts) == 1


def test_a_persons_yes_is_certain_and_links_the_test():
    world = a_world(an_atom("IA-1", "A login with a key works."))
    one = said(world, "test_1", "A login with a token works.")
    question = realising(one, world.pact.atoms["IA-1"])
    answer = Answer(question.id, {"verdict": "yes", "quotes": []}, "person", "Ada", "2026-01-01T00:00:00Z")
    (op,) = doubted(world, one, answers=[answer]).ops
    assert (op.verb, op.payload["atomId"], op.confidence) == ("attachTestToAtom", "IA-1", "1.00")


def test_a_sentence_that_a_person_worded_is_not_taken_apart():
    world = a_world()
    one = said(world, "test_1", "The basket is emptied and the invoice is sent.")
    assert splitting(one) is not None
    assert splitting(replace(one, by="person")) is None
