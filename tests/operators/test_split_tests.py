"""A test may be split: the linked tests of an atom prove together what one of them was reviewed with."""

import pytest

from pactkeeper.errors import RefusedError
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.view import StateView
from tests.operators.atoms import atom_of, commit, run
from tests.operators.conftest import ADDS, FILE

FIRST = "    assert add(1, 2) == 3\n"
SECOND, THIRD = "    assert add(2, 2) == 4\n", "    assert add(0, 0) == 0\n"
SECOND_TEST, THIRD_TEST = f"{FILE}::test_adds_equal_numbers", f"{FILE}::test_adds_nothing"


@pytest.fixture
def whole(shop):
    """The shop with the committed atom of a test that makes three assertions."""
    shop.replace(FILE, FIRST, FIRST + SECOND + THIRD)
    shop.decide(shop.reconcile().patch, {ADDS: "accept"})
    commit(shop, atom_of(shop))
    return shop


def split(shop, *, second, third=""):
    """Leave the first assertion in the test and give these to new tests."""
    shop.replace(FILE, FIRST + SECOND + THIRD, FIRST)
    new = f"\n\ndef test_adds_equal_numbers():\n{second}" + (f"\n\ndef test_adds_nothing():\n{third}" if third else "")
    shop.write(FILE, shop.read(FILE) + new)


def weak(shop):
    return [row for row in run(shop, check_repo, StateView()).findings if row.code == "PK115"]


def link(shop, *tests):
    run(shop, accept_tests, tests, AcceptedWords(atom=atom_of(shop)))


@pytest.mark.parametrize(
    ("parts", "new"),
    [({"second": SECOND + THIRD}, (SECOND_TEST,)), ({"second": SECOND, "third": THIRD}, (SECOND_TEST, THIRD_TEST))],
    ids=["in two", "in three"],
)
def test_a_split_test_whose_parts_are_all_linked_proves_as_much(whole, parts, new):
    split(whole, **parts)
    (row,) = weak(whole)
    assert row.severity == "error"
    assert row.fix == f"pk accept {' '.join(new)} --atom {atom_of(whole)}"
    link(whole, *new)
    assert weak(whole) == []
    link(whole, ADDS)
    assert weak(whole) == []
    assert whole.world().by_id[ADDS].state == "linked"


def test_a_split_that_loses_an_assertion_is_an_error_that_names_only_that(whole):
    split(whole, second=SECOND)
    assert "pk accept" not in weak(whole)[0].fix
    link(whole, SECOND_TEST)
    (row,) = weak(whole)
    assert row.severity == "error"
    assert "add(0, 0)" in " ".join(row.detail)
    assert "add(2, 2)" not in " ".join(row.detail)
    with pytest.raises(RefusedError, match="proves less of"):
        link(whole, ADDS)


def test_a_split_is_an_error_while_a_part_is_linked_to_nothing(whole):
    split(whole, second=SECOND, third=THIRD)
    link(whole, SECOND_TEST)
    (row,) = weak(whole)
    assert (row.severity, row.fix) == ("error", f"pk accept {THIRD_TEST} --atom {atom_of(whole)}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (SECOND, "    assert add(2, 2) > 0\n"),
        ("def test_adds_equal", "@pytest.mark.skip\ndef test_adds_equal"),
        ("def test_adds_equal", "@pytest.mark.skipif(os.name == 'nt', reason='')\ndef test_adds_equal"),
        ("def test_adds_equal_numbers():\n", "def test_adds_equal_numbers():\n    return\n"),
        (
            "def test_adds_equal_numbers():\n",
            "def test_adds_equal_numbers(monkeypatch):\n    monkeypatch.setattr('shop.add', lambda *_: 4)\n",
        ),
    ],
    ids=["looser", "skipped", "skipped somewhere", "never reached", "of a fake"],
)
def test_a_part_stands_in_only_for_what_it_still_proves(whole, old, new):
    split(whole, second=SECOND + THIRD)
    link(whole, SECOND_TEST)
    whole.replace(FILE, old, new)
    assert ADDS in {row.subject for row in weak(whole) if row.severity == "error"}


def test_the_parts_of_a_test_that_is_gone_are_linked_in_one_step(whole):
    atom = atom_of(whole)
    split(whole, second=SECOND, third=THIRD)
    whole.replace(FILE, "def test_adds_two_numbers", "def test_adds_small_numbers")
    parts = (f"{FILE}::test_adds_small_numbers", SECOND_TEST, THIRD_TEST)
    for few in (parts[:1], parts[:2], parts[1:]):
        with pytest.raises(RefusedError, match="proves less of"):
            run(whole, accept_tests, few, AcceptedWords(atom=atom))
    run(whole, accept_tests, parts, AcceptedWords(atom=atom))
    assert weak(whole) == []


def test_every_finding_of_a_test_that_became_several_names_all_of_them(whole):
    atom = atom_of(whole)
    whole.replace(FILE, f"# @atom {atom}\ndef test_adds_two_numbers():\n{FIRST}{SECOND}{THIRD}", "")
    names = ("unlike", "equal", "nothing")
    parts = zip(names, (FIRST, SECOND, THIRD), strict=True)
    whole.write(FILE, whole.read(FILE) + "".join(f"\n\ndef test_of_{name}():\n{part}" for name, part in parts))
    tests = [f"{FILE}::test_of_{name}" for name in names]
    found = [row for row in run(whole, check_repo, StateView()).findings if row.subject in {atom, *tests}]
    assert {row.fix for row in found} == {f"pk accept {' '.join(tests)} --atom {atom}"}
    assert len(found) == len([atom, *tests])
    run(whole, accept_tests, tests, AcceptedWords(atom=atom))
    assert all(row.subject not in {atom, *tests} for row in run(whole, check_repo, StateView()).findings)


def test_the_parts_can_be_linked_in_one_command(whole):
    split(whole, second=SECOND + THIRD)
    link(whole, ADDS, SECOND_TEST)
    assert weak(whole) == []
    whole.replace(FILE, SECOND, "")
    assert [row.subject for row in weak(whole)] == [SECOND_TEST]
