"""How sure a recommended group is."""

from pactkeeper.ledger.question import Answer
from pactkeeper.reconcile.molecules import AtomGroup


def group(*confidences):
    answers = tuple(
        Answer(f"Q-{said}", {"confidence": said}, "model", "m", "2026-01-01T00:00:00Z") for said in confidences
    )
    return AtomGroup("tests", "Tests", (), (), (), answers=answers)


def test_a_group_made_by_rules_is_certain():
    assert group().confidence == "1.00"


def test_a_group_is_as_sure_as_its_least_sure_answer():
    assert group(90, 60).confidence == "0.60"
