import pytest

from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.operators.apply import undo_apply
from pactkeeper.operators.atoms import get_atom
from pactkeeper.operators.authored import clarify_atom, delete_atom
from tests.operators.atoms import commit, declare, run

QUESTION = "Is it refused in its last second?"


@pytest.fixture
def atom(shop):
    return declare(shop, "A revoked token is refused.")


def clarify(shop, atom, question=QUESTION, answer="No.", **options):
    return run(shop, clarify_atom, atom, question, answer, **options)


def said(shop, atom):
    return [(one.question, one.answer, one.by) for one in run(shop, get_atom, atom).clarifications]


def test_committed_atom_is_clarified_without_touching_its_table(shop, atom):
    commit(shop, atom)
    before = shop.read("pact/atoms/authored.toml")
    clarify(shop, atom)
    assert shop.read("pact/atoms/authored.toml") == before
    assert said(shop, atom) == [(QUESTION, "No.", "Ada <ada@example.org>")]


def test_clarification_is_taken_back_by_undo(shop, atom):
    clarify(shop, atom)
    run(shop, undo_apply)
    assert said(shop, atom) == []
    assert not (shop.root / "pact/clarifications.toml").exists()


def test_same_question_gets_another_answer_only_on_purpose(shop, atom):
    clarify(shop, atom)
    with pytest.raises(RefusedError, match=r"'No\.'.*--replace"):
        clarify(shop, atom, f" {QUESTION.upper()}", "Yes.")
    done = clarify(shop, atom, answer="Yes.", replace=True)
    assert done.before == "No."
    assert [answer for _, answer, _ in said(shop, atom)] == ["Yes."]


def test_same_answer_again_writes_nothing(shop, atom):
    clarify(shop, atom)
    assert clarify(shop, atom).entry is None


def test_pact_from_before_learns_how_to_merge(shop, atom):
    shop.write("pact/.gitattributes", "debt.txt merge=union\n")
    clarify(shop, atom)
    assert "debt.txt merge=pact" in shop.read("pact/.gitattributes")


def test_empty_answer_and_unknown_atom_are_refused(shop, atom):
    with pytest.raises(UsageError, match="answer is empty"):
        clarify(shop, atom, answer=" ")
    with pytest.raises(UsageError, match="has no atom"):
        clarify(shop, "IA-0")


def test_removed_atom_takes_what_was_said_about_it_along(shop, atom):
    other = declare(shop, "An invoice is sent.")
    clarify(shop, atom)
    clarify(shop, other)
    run(shop, delete_atom, atom)
    assert [one.atom for one in shop.world().pact.clarifications.values()] == [other]
