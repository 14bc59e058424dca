"""A new test takes the place of a vanished one that it proves all of, whatever either is called and wherever it is."""

import pytest

from pactkeeper.operators.accept import AcceptedWords, accept_tests
from pactkeeper.operators.check import check_repo
from pactkeeper.operators.decide import pending_of
from pactkeeper.operators.reconcile import reconcile_repo
from pactkeeper.operators.view import StateView
from pactkeeper.reconcile.request import Request
from tests.operators.atoms import commit, run
from tests.operators.conftest import FILE

PRODUCT = "shop/sums.py"
SUMS = """\
class Sums:
    def add(self, one, two):
        return one + two
"""
HEAD = "from shop.sums import Sums\n"
SMALL = """

def test_small_sums():
    assert Sums().add(1, 2) == 3
"""
LARGE = """

def test_large_sums():
    assert Sums().add(10, 20) == 30
"""
NAMES = ("test_small_sums", "test_large_sums")
MOVED = "tests/sums/test_all.py"


@pytest.fixture(params=[False, True], ids=["draft", "committed"])
def sums(shop, request):
    """The shop with a product and two tests that people worded; their atoms are drafts or committed."""
    declared(shop, HEAD + SMALL + LARGE)
    if request.param:
        commit(shop, *atoms(shop).values())
        save(shop)
    return shop


def declared(shop, tests):
    shop.write(PRODUCT, SUMS)
    shop.write(FILE, tests)
    save(shop)
    for name in NAMES:
        run(shop, accept_tests, (f"{FILE}::{name}",), AcceptedWords(intent=f"What {name} adds is right."))
    save(shop)


def save(shop):
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--message=Saved")


def atoms(shop):
    """Each linked test by its name, with its atom."""
    return {one.test.name: link.atom for one in shop.world().linked for link in one.links}


def rows(shop):
    return run(shop, check_repo, StateView()).findings


def fixes(shop):
    return {row.subject: str(row.fix) for row in rows(shop) if row.code == "PK110"}


def apply_all(shop):
    """Apply what a run proposes, as far as it may be accepted unread."""
    with shop.open() as workspace:
        patch = reconcile_repo(workspace, Request(everything=True)).patch
        sound = {op.id: "accept" for item in pending_of(workspace, patch).sound for op in item.ops}
    if sound:
        shop.decide(patch, sound)


def rename(shop, *paths):
    """Give the class and both tests other names; the second test comes first by name."""
    for path in (PRODUCT, *paths):
        text = shop.read(path).replace("Sums", "Adder")
        shop.write(path, text.replace(NAMES[0], "test_of_one_and_two").replace(NAMES[1], "test_of_ten_and_twenty"))


RENAMED = {"test_small_sums": "test_of_one_and_two", "test_large_sums": "test_of_ten_and_twenty"}


def followed(before):
    return {RENAMED[name]: atom for name, atom in before.items()}


@pytest.mark.parametrize("swapped", [False, True])
def test_a_run_proposes_the_links_that_the_check_asks_for(sums, swapped):
    before = atoms(sums)
    if swapped:
        sums.write(FILE, HEAD + LARGE + SMALL)
    rename(sums, FILE)
    assert fixes(sums) == {before[old]: f"pk accept {FILE}::{new} --atom {before[old]}" for old, new in RENAMED.items()}
    apply_all(sums)
    assert atoms(sums) == followed(before)
    assert [row.code for row in rows(sums)] == []


def test_of_new_tests_that_all_expect_something_the_one_that_asserts_what_was_reviewed_is_named(sums):
    before = atoms(sums)
    both = "    both = Sums(), Sums()\n    assert both[0].add(10, 20) == 30"
    sums.write(FILE, HEAD + LARGE.replace("    assert Sums().add(10, 20) == 30", both) + SMALL)
    rename(sums, FILE)
    assert fixes(sums)[before["test_large_sums"]].startswith(f"pk accept {FILE}::test_of_ten_and_twenty --atom")


def test_a_test_that_asserts_more_leaves_the_record_to_one_that_asserts_just_that(sums):
    before = atoms(sums)
    more = SMALL + "    assert Sums().add(10, 20) == 30\n"
    sums.write(FILE, HEAD + more.replace("test_small_sums", "test_all") + LARGE.replace("test_large", "test_more"))
    rename(sums, FILE)
    assert fixes(sums) == {
        before["test_small_sums"]: f"pk accept {FILE}::test_all --atom {before['test_small_sums']}",
        before["test_large_sums"]: f"pk accept {FILE}::test_more_sums --atom {before['test_large_sums']}",
    }


def move(shop):
    shop.git("mv", PRODUCT, "shop/adding.py")
    (shop.root / MOVED).parent.mkdir()
    shop.git("mv", FILE, MOVED)
    text = shop.read(MOVED).replace("shop.sums", "shop.adding").replace("Sums", "Adder")
    for old, new in RENAMED.items():
        text = text.replace(old, new)
    shop.write(MOVED, text)
    shop.write("shop/adding.py", shop.read("shop/adding.py").replace("Sums", "Adder"))


def test_tests_are_followed_into_another_file_under_another_name_for_a_renamed_class_of_a_moved_module(sums):
    before = atoms(sums)
    move(sums)
    assert [(row.code, row.subject) for row in rows(sums)] == [("PK114", MOVED)]
    run(sums, accept_tests, (), AcceptedWords(moved=True))
    assert atoms(sums) == followed(before)
    assert [row.code for row in rows(sums)] == []


def test_a_moved_and_renamed_test_whose_assertion_went_to_a_helper_is_followed(sums):
    before = atoms(sums)
    move(sums)
    helper = "\n\ndef check(one, two, sum):\n    assert Adder().add(one, two) == sum\n"
    text = sums.read(MOVED).replace("assert Adder().add(1, 2) == 3", "check(1, 2, 3)")
    sums.write(MOVED, text + helper)
    run(sums, accept_tests, (), AcceptedWords(moved=True))
    assert atoms(sums) == followed(before)


def test_a_moved_and_renamed_test_that_asserts_less_is_not_followed(sums):
    before = atoms(sums)
    move(sums)
    sums.replace(MOVED, "== 3\n", "> 0\n")
    run(sums, accept_tests, (), AcceptedWords(moved=True))
    assert atoms(sums) == {"test_of_ten_and_twenty": before["test_large_sums"]}
    assert list(fixes(sums)) == [before["test_small_sums"]]


def test_of_renamed_tests_that_assert_the_same_none_is_followed(shop):
    other = SMALL.replace("test_small", "test_large").replace("    assert", "    print(1)\n    assert")
    declared(shop, HEAD + SMALL + other)
    before = atoms(shop)
    move(shop)
    apply_all(shop)
    assert atoms(shop) == {}
    assert set(before.values()) == set(fixes(shop))


def test_the_record_of_what_a_person_worded_stays_when_its_test_is_deleted(sums):
    before = atoms(sums)
    sums.write(FILE, HEAD + LARGE)
    apply_all(sums)
    assert f"{FILE}::{NAMES[0]}" in sums.world().pact.links
    assert [row.code for row in rows(sums)] == ["PK110"]
    assert before["test_small_sums"] in fixes(sums)


TABLE = """

@pytest.mark.parametrize(("one", "two", "sum_"), [(1, 2, 3), (10, 20, 30)])
def test_sums(one, two, sum_):
    assert Sums().add(one, two) == sum_
"""


def test_one_test_that_took_the_place_of_several_is_named_for_each_of_their_atoms(sums):
    before = atoms(sums)
    sums.write(FILE, "import pytest\n" + HEAD + TABLE)
    named = {atom: f"pk accept {FILE}::test_sums --atom {atom}" for atom in before.values()}
    assert fixes(sums) == named
    for left in [*named]:
        assert fixes(sums) == named
        run(sums, accept_tests, (f"{FILE}::test_sums",), AcceptedWords(atom=left))
        del named[left]
    assert [row.code for row in rows(sums)] == []
    assert {link.atom for link in sums.world().by_id[f"{FILE}::test_sums"].links} == {*before.values()}


BOTH = """

def test_small_sums():
    assert Sums().add(1, 2) == 3
    assert Sums().add(2, 2) == 4
"""
HALVES = """

def test_one_and_two():
    assert Sums().add(1, 2) == 3


def test_two_and_two():
    assert Sums().add(2, 2) == 4
"""


@pytest.fixture
def split(shop):
    """The shop with a committed test that was split in two, and its atom, whose words quote the name it had."""
    shop.write(PRODUCT, SUMS)
    shop.write(FILE, HEAD + BOTH)
    save(shop)
    run(
        shop, accept_tests, (f"{FILE}::test_small_sums",), AcceptedWords(intent="What `test_small_sums` adds is right.")
    )
    (atom,) = atoms(shop).values()
    commit(shop, atom)
    save(shop)
    shop.write(FILE, HEAD + HALVES)
    return shop, atom


def test_a_run_links_the_halves_of_a_split_test_to_its_atom(split):
    shop, atom = split
    apply_all(shop)
    assert atoms(shop) == {"test_one_and_two": atom, "test_two_and_two": atom}
    assert [row.code for row in rows(shop)] == []


def test_the_halves_of_a_split_test_are_accepted_for_words_that_it_was_reviewed_with(split):
    shop, atom = split
    halves = f"{FILE}::test_one_and_two", f"{FILE}::test_two_and_two"
    assert fixes(shop) == {atom: f"pk accept {' '.join(halves)} --atom {atom}"}
    run(shop, accept_tests, halves, AcceptedWords(atom=atom))
    assert [row.code for row in rows(shop)] == []
