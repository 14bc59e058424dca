import pytest

from pactkeeper.errors import MissingBaseline
from pactkeeper.operators.adopt import start_pact
from pactkeeper.operators.questions import TestWords, word_test
from pactkeeper.operators.reconcile import reconcile_repo
from pactkeeper.reconcile.request import Request
from tests.operators.atoms import run
from tests.operators.conftest import FILE, REFUSED, SOURCE
from tests.operators.test_asking import IT, VAGUE


def delta(shop):
    return run(shop, reconcile_repo, Request())


def committed(shop, text):
    shop.write(FILE, text)
    shop.git("commit", "--quiet", "--all", "--message=Change")


def test_delta_looks_at_tests_that_broken_syntax_hid_in_the_run_before(shop):
    first, _, second = SOURCE.partition("\n\n\n")
    committed(shop, f"{first}\n\n\nclass Broken(:\n")
    shop.reconcile()
    committed(shop, f"{first}\n\n\n{second}")
    assert REFUSED in {op.group for op in delta(shop).patch.ops}


def test_delta_rewords_the_draft_of_a_test_that_was_renamed_and_then_changed(linked):
    committed(linked, SOURCE.replace("test_expired_token_is_refused", "test_old_token_is_refused"))
    linked.decide(delta(linked).patch, "accept")
    committed(linked, linked.read(FILE).replace("401", "403"))
    verbs = [op.verb for op in delta(linked).patch.ops]
    assert verbs == ["updateAtom", "attachTestToAtom"]


def test_delta_on_the_main_branch_is_what_is_not_committed_there(shop):
    shop.write(FILE, f"{SOURCE}\n\ndef test_doubling_two_gives_four():\n    assert double(2) == 4\n")
    assert {op.group for op in delta(shop).patch.ops} == {f"{FILE}::test_doubling_two_gives_four"}


def test_delta_on_the_main_branch_with_nothing_but_a_new_pact_has_nothing_to_compare_with(shop):
    run(shop, start_pact)
    with pytest.raises(MissingBaseline, match="--all"):
        delta(shop)


def test_debt_that_only_moved_is_no_change(shop):
    run(shop, start_pact)
    shop.save("Pact")
    shop.git("mv", "tests", "checks")
    assert delta(shop).patch.ops == ()


def test_link_of_a_test_that_only_moved_follows_in_the_sidecar(linked):
    linked.save("Pact")
    linked.git("mv", "tests", "checks")
    linked.decide(delta(linked).patch, "accept")
    assert "@atom" not in linked.read(FILE.replace("tests/", "checks/", 1))
    assert set(linked.states().values()) == {"unratified"}


def test_delta_takes_up_an_answer_about_a_test_that_did_not_change(shop):
    committed(shop, VAGUE.lstrip())
    shop.reconcile()
    run(shop, word_test, IT, TestWords("Running it leaves nothing behind."))
    assert {op.group for op in delta(shop).patch.ops} == {IT}
