"""A rename in the product is followed: its tests still prove what was reviewed, under the names of now."""

import pytest

from pactkeeper.errors import RefusedError, UsageError
from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.adopt import change_debt, start_pact
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.view import StateView
from pactkeeper.operators.words import wanting_words
from tests.operators.atoms import accept, atom_of, commit, run
from tests.operators.conftest import ADDS, FILE

PRODUCT = "shop/sums.py"
SUMS = """\
LIMIT = 9


def add(one, two):
    return one + two


def halve(number):
    return number / 2
"""
TESTS = """\
from shop import sums


def test_adds_two_numbers():
    assert sums.add(1, 2) == 3
    assert sums.add(2, 2) == 4


def test_adds_nothing():
    assert sums.add(0, 0) == 0
"""
NOTHING = f"{FILE}::test_adds_nothing"


@pytest.fixture
def sums(shop):
    """The shop with a product, and two committed atoms about it."""
    shop.write(PRODUCT, SUMS)
    shop.write(FILE, TESTS)
    shop.save()
    run(shop, accept_tests, (ADDS,), AcceptedWords(intent="The sum of two numbers is returned."))
    run(shop, accept_tests, (NOTHING,), AcceptedWords(intent="Nothing and nothing make nothing."))
    commit(shop, atom_of(shop, ADDS), atom_of(shop, NOTHING))
    shop.save()
    return shop


def found(shop):
    return [(row.code, row.subject) for row in run(shop, check_repo, StateView()).findings if row.severity != "info"]


def rename(shop, old, new):
    for path in (PRODUCT, FILE):
        shop.write(path, shop.read(path).replace(old, new))


@pytest.mark.parametrize("saved", [False, True], ids=["in the working tree", "committed"])
@pytest.mark.parametrize(("old", "new"), [("sums.add", "sums.plus"), ("add(", "plus(")], ids=["tests alone", "both"])
def test_only_a_function_that_the_product_renamed_is_followed(sums, old, new, saved):
    rename(sums, old, new)
    if saved:
        sums.save()
    both = old == "add("
    assert found(sums) == ([] if both else [("PK115", ADDS), ("PK115", NOTHING)])


@pytest.mark.parametrize(
    ("old", "new"),
    [("== 3", "> 0"), ("    assert sums.plus(2, 2) == 4\n", ""), ("sums.plus(1, 2) == 3", "sums.halve(6) == 3")],
    ids=["looser", "gone", "another function"],
)
def test_what_a_test_loses_along_with_a_rename_is_still_an_error(sums, old, new):
    rename(sums, "add(", "plus(")
    sums.replace(FILE, old, new)
    assert found(sums) == [("PK115", ADDS)]


def test_a_function_that_another_file_still_defines_is_not_renamed(sums):
    sums.write("shop/more.py", "def add(one, two):\n    return one + two\n")
    sums.save()
    rename(sums, "add(", "plus(")
    assert found(sums) == [("PK115", ADDS), ("PK115", NOTHING)]


def test_an_expected_text_is_no_name(sums):
    sums.write(PRODUCT, "red = 'red'\n\n\ndef colour():\n    return red\n")
    sums.write(FILE, "from shop import sums\n\n\ndef test_colour():\n    assert sums.colour() == 'red'\n")
    test = f"{FILE}::test_colour"
    run(sums, accept_tests, (test,), AcceptedWords(intent="The colour is red."))
    commit(sums, atom_of(sums, test))
    sums.save()
    rename(sums, "red", "blue")
    assert ("PK115", test) in found(sums)


def test_accepting_renamed_tests_records_them_under_the_new_names(sums):
    rename(sums, "add(", "plus(")
    accept(sums, ADDS, NOTHING)
    links = sums.read("pact/links/tests/test_shop.py.toml")
    assert "sums.plus(1, 2)" in links
    assert "sums.add" not in links
    assert found(sums) == []


def test_tests_that_moved_along_with_their_module_are_followed(sums):
    sums.git("mv", PRODUCT, "shop/totals.py")
    sums.git("mv", FILE, "tests/test_totals.py")
    sums.replace("tests/test_totals.py", "sums", "totals")
    assert found(sums) == [("PK114", "tests/test_totals.py")]
    run(sums, accept_tests, (), AcceptedWords(moved=True))
    assert found(sums) == []
    sums.replace("tests/test_totals.py", "== 3", "> 0")
    assert found(sums) == [("PK115", "tests/test_totals.py::test_adds_two_numbers")]


SCRIPT = "web/sums.test.js"
SPOKEN = """\
import { describe, expect, it } from 'vitest';
import { add } from './sums.js';

describe('sums.add', () => {
  it('adds', () => {
    expect(add(1, 2)).toEqual({ sum: 3 });
  });

  it('adds nothing', () => {
    expect(add(0, 0)).toEqual({ sum: 0 });
  });

  it('has no words', () => {
    expect(add(9, 0)).toEqual({ sum: 9 });
  });
});
"""
FIRST, SECOND, OTHER = (f"{SCRIPT}::sums.add::{name}" for name in ("adds", "adds nothing", "has no words"))


@pytest.fixture
def spoken(shop):
    """A JavaScript product with two tests of committed atoms, and one in debt."""
    shop.write("web/package.json", '{"devDependencies": {"vitest": "^3.0.0"}}\n')
    shop.write("web/sums.js", "export function add(one, two) {\n  return { sum: one + two };\n}\n")
    shop.write(SCRIPT, SPOKEN)
    shop.save()
    run(shop, start_pact)
    run(shop, accept_tests, (FIRST,), AcceptedWords(intent="The sum of two numbers is returned."))
    run(shop, accept_tests, (SECOND,), AcceptedWords(intent="Nothing and nothing make nothing."))
    commit(shop, atom_of(shop, FIRST), atom_of(shop, SECOND))
    shop.save()
    return shop


def renamed_in_titles(shop):
    for path in ("web/sums.js", SCRIPT):
        shop.write(path, shop.read(path).replace("add(", "plus(").replace("{ add }", "{ plus }"))
    shop.replace(SCRIPT, "sums.add", "sums.plus")


def test_only_the_test_with_the_same_assertions_continues_a_vanished_one(spoken):
    atom = atom_of(spoken, FIRST)
    renamed_in_titles(spoken)
    report = run(spoken, check_repo, StateView())
    assert [row.code for row in report.findings if row.severity != "info"] == ["PK114"]
    assert not any("--atom" in row.fix for row in report.findings)
    with pytest.raises(RefusedError, match="proves less of"):
        run(spoken, accept_tests, (SECOND.replace("add::", "plus::"),), AcceptedWords(atom=atom))
    run(spoken, accept_tests, (), AcceptedWords(moved=True))
    assert atom_of(spoken, FIRST.replace("add::", "plus::")) == atom
    assert found(spoken) == []


def test_a_stricter_comparison_is_no_loss(spoken):
    spoken.replace(SCRIPT, "toEqual({ sum: 3 })", "toStrictEqual({ sum: 3 })")
    assert found(spoken) == []


def test_a_test_that_asserts_more_is_recorded_when_it_is_accepted(sums):
    sums.replace(FILE, "== 4\n", "== 4\n    assert sums.add(3, 3) == 6\n")
    assert found(sums) == []
    accept(sums, ADDS)
    sums.save()
    sums.replace(FILE, "    assert sums.add(3, 3) == 6\n", "")
    assert found(sums) == [("PK115", ADDS)]
    sums.git("checkout", FILE)
    with pytest.raises(UsageError, match="nothing to accept"):
        accept(sums, ADDS)


@pytest.fixture
def indebted(shop):
    """The shop with a product, whose tests are debt."""
    shop.write(PRODUCT, SUMS)
    shop.write(FILE, TESTS)
    shop.save()
    run(shop, start_pact)
    shop.save()
    return shop


MOVED = "tests/test_more.py"


@pytest.mark.parametrize("pruned", [True, False], ids=["recorded", "not recorded"])
def test_moved_debt_stays_debt_through_later_edits(indebted, pruned):
    indebted.git("mv", FILE, MOVED)
    if pruned:
        change = run(indebted, change_debt, "prune")
        assert (change.moved, change.lines) == (len(change.changed), len(indebted.world().pact.debt.by_test))
        assert f"{MOVED}::test_adds_nothing" in indebted.read("pact/debt.txt")
        assert FILE not in indebted.read("pact/debt.txt")
    indebted.save()
    indebted.replace(MOVED, "def test_adds_nothing()", "def test_adds_nothing() -> None")
    assert {code for code, _ in found(indebted)} <= {"PK107"}
    indebted.replace(MOVED, "== 0", "== 1")
    assert [code for code, _ in found(indebted)] == ["PK107"]
    indebted.replace(MOVED, "assert sums.add(0, 0) == 1", "sums.add(0, 0)")
    assert [code for code, _ in found(indebted)] == ["PK116"]


def test_debt_whose_file_and_module_were_renamed_stays_debt(indebted):
    indebted.git("mv", PRODUCT, "shop/totals.py")
    indebted.git("mv", FILE, MOVED)
    indebted.replace(MOVED, "sums", "totals")
    assert found(indebted) == []


def test_debt_that_names_what_the_product_renamed_stays_debt_and_prune_records_it(indebted):
    rename(indebted, "add(", "plus(")
    assert found(indebted) == []
    before = indebted.read("pact/debt.txt")
    run(indebted, change_debt, "prune")
    assert indebted.read("pact/debt.txt") != before
    indebted.save()
    assert found(indebted) == []
    indebted.replace(FILE, "== 0", "== 1")
    assert [code for code, _ in found(indebted)] == ["PK107"]


def test_debt_that_moved_with_another_name_for_a_renamed_function_stays_debt(indebted):
    indebted.git("mv", FILE, MOVED)
    for path in (PRODUCT, MOVED):
        indebted.write(path, indebted.read(path).replace("add(", "plus(").replace("test_adds", "test_plus"))
    assert found(indebted) == []


def test_debt_that_only_calls_or_names_a_renamed_module_in_a_text_stays_debt(shop):
    shop.write(PRODUCT, SUMS)
    shop.write("shop/lists.py", "sums = [1, 2]\n")
    more = "def test_runs():\n    sums.halve(2)\n\n\ndef test_named():\n    assert load('shop.sums').LIMIT == 9\n"
    shop.write(FILE, f"{TESTS}\n\n{more}")
    shop.save()
    run(shop, start_pact)
    shop.save()
    shop.git("mv", PRODUCT, "shop/totals.py")
    shop.git("mv", FILE, MOVED)
    shop.replace(MOVED, "sums", "totals")
    assert found(shop) == []
    shop.replace(MOVED, "totals.halve(2)", "totals.add(2, 2)")
    assert found(shop) == [("PK101", f"{MOVED}::test_runs")]


def test_words_are_asked_first_for_what_the_check_reports(indebted):
    wordless = "def test_{}():\n    assert shop.zero({})\n    assert shop.other() > 4\n"
    indebted.write("tests/test_zero.py", wordless.format("old", 1) + wordless.format("changed", 2))
    old, changed, new = (f"tests/test_zero.py::test_{name}" for name in ("old", "changed", "new"))
    run(indebted, change_debt, "add", (old, changed), reason="They were there.")
    indebted.replace("tests/test_zero.py", "zero(2)", "zero(3)")
    indebted.write("tests/test_zero.py", indebted.read("tests/test_zero.py") + wordless.format("new", 4))
    asked = [row.test for row in run(indebted, wanting_words).rows]
    assert asked[:2] == [new, changed]
    assert old in asked
