"""What a change promises, proves and leaves without intent."""

import pytest

from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.adopt import change_debt
from pactkeeper.operators.pull_requests import read_change
from tests.operators.atoms import commit, run
from tests.operators.conftest import ADDS, FILE

MOVED = "tests/sums/test_shop.py"


@pytest.fixture
def saved(linked):
    """The shop with both tests accepted, in a commit."""
    linked.save()
    return linked


def change(shop):
    shop.save()
    return run(shop, read_change, "HEAD~1", "HEAD")


def test_a_moved_test_is_one_finding_with_its_command_and_proves_nothing_new(saved):
    saved.write(MOVED, saved.read(FILE))
    (saved.root / FILE).unlink()
    told = change(saved)
    assert told.without == ()
    assert [(one.code, one.lines()) for one in told.drift] == [("PK114", (f"fix: pk accept --moved {MOVED}",))]

    run(saved, accept_tests, (), AcceptedWords(moved=True))
    saved.save()
    told = run(saved, read_change, "HEAD~2", "HEAD")
    assert (told.proves, told.drift) == ((), ())


def test_a_disagreement_shows_both_sides_and_its_fix(saved):
    (link,) = saved.world().by_id[ADDS].links
    commit(saved, link.atom)
    saved.save()
    saved.write(FILE, saved.read(FILE).replace("== 3", "> 0"))
    (told,) = change(saved).drift
    *sides, fix = told.lines()
    assert (told.code, [side[:1] for side in sides]) == ("PK115", ["-", "+"])
    assert fix.startswith("fix: restore")


def test_a_draft_is_no_promise_until_it_is_committed(saved):
    saved.write(FILE, saved.read(FILE) + "\n\ndef test_adds_more():\n    assert add(2, 2) == 4\n")
    run(saved, accept_tests, (f"{FILE}::test_adds_more",), AcceptedWords(intent="Twos are added to four."))
    told = change(saved)
    assert (told.promises, [intent for _, intent in told.drafts]) == ((), ["Twos are added to four."])

    (link,) = saved.world().by_id[ADDS].links
    commit(saved, link.atom)
    told = change(saved)
    assert ([name for name, _ in told.promises], told.drafts) == ([link.atom], ())


def test_debt_that_only_became_less_is_no_edit_of_what_judges_a_change(saved):
    two = "\n\ndef test_more():\n    assert add(2, 2) == 4\n\n\ndef test_most():\n    assert add(3, 3) == 6\n"
    plain = saved.read(FILE)
    saved.write(FILE, plain + two)
    run(saved, change_debt, "add", (f"{FILE}::test_more", f"{FILE}::test_most"))
    assert change(saved).rules == ("pact/debt.txt",)
    saved.write(FILE, plain + two.replace("test_more", "test_sums"))
    run(saved, change_debt, "prune")
    assert change(saved).rules == ()
    saved.write(FILE, plain)
    run(saved, change_debt, "prune")
    assert change(saved).rules == ()
    grounded = saved.read("pact/debt.txt") + "f1:0123456789ab tests/test_shop.py\n"
    saved.write("pact/debt.txt", grounded)
    assert change(saved).rules == ("pact/debt.txt",)
