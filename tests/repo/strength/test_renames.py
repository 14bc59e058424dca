"""What the product renamed between two states, and an earlier test file under the names of now."""

import pytest

from pactkeeper.repo import snapshot
from pactkeeper.repo.git import Repository
from pactkeeper.repo.strength.renames import Renames, renames, renames_since, under_names
from tests.repo.repositories import commit, create, git

PRODUCT = "def add(one, two):\n    total = one + two\n    return total\n\n\nclass Basket:\n    LIMIT = 3\n"
TEST = "from shop import sums\n\n\ndef test_add():\n    assert sums.add(1, 2) == 3, 'add'\n    patch('shop.sums.add')\n"


@pytest.fixture
def shop(tmp_path):
    files = {"shop/sums.py": PRODUCT, "tests/test_sums.py": TEST}
    create(tmp_path, files)
    return tmp_path


def now(root):
    return snapshot.worktree(Repository.open(root))


def renamed(root):
    state = now(root)
    return renames(snapshot.commit(state.repository, "HEAD"), state)


@pytest.mark.parametrize(
    ("product", "found"),
    [
        (PRODUCT.replace("add(", "plus("), {"add": "plus"}),
        (PRODUCT.replace("Basket", "Cart").replace("LIMIT", "MOST"), {"Basket": "Cart", "LIMIT": "MOST"}),
        (PRODUCT.replace("add(", "plus(") + "\n\ndef add():\n    return plus(0, 0)\n", {}),
        (PRODUCT.replace("def add(one, two):\n    total = one + two\n    return total\n", ""), {}),
        (PRODUCT + "\n\ndef plus(one):\n    return add(one, one)\n", {}),
        (PRODUCT.replace("one + two", "two + one"), {}),
    ],
    ids=["a function", "a class and a constant", "one beside it", "deleted", "a new one", "another body"],
)
def test_a_name_was_renamed_if_another_one_is_defined_in_its_place(shop, product, found):
    (shop / "shop/sums.py").write_text(product)
    assert renamed(shop) == Renames(found, {})


def test_a_module_is_named_like_its_file(shop):
    git(shop, "mv", "shop/sums.py", "shop/totals.py")
    assert renamed(shop) == Renames({"sums": "totals"}, {})


OF_BOTH = "from shop import sums\nfrom shop.sums import add\n\n\ndef test_sums():\n    sums = sums.list()\n    patch('shop.sums.add')\n"


def test_a_module_is_renamed_though_something_else_keeps_its_name_or_has_the_new_one(shop):
    (shop / "shop/basket.py").write_text("def sums():\n    totals = []\n    return totals\n")
    (shop / "tests/test_sums.py").write_text(OF_BOTH)
    commit(shop)
    git(shop, "mv", "shop/sums.py", "shop/totals.py")
    found = Renames({}, {"sums": "totals"})
    assert renamed(shop) == found
    read = under_names(now(shop), {"tests/test_sums.py": found}).read("tests/test_sums.py")
    expected = "from shop import totals\nfrom shop.totals import add\n\n\ndef test_sums():\n    sums = totals.list()\n"
    assert read == (expected + "    patch('shop.totals.add')\n").encode()


def test_a_file_gets_the_names_of_now_but_for_what_its_texts_say(shop):
    (shop / "shop/sums.py").write_text(PRODUCT.replace("add(", "plus("))
    state = now(shop)
    blob = state.identity("tests/test_sums.py")
    names = renames_since(state, {"tests/test_sums.py": blob})
    assert names == {"tests/test_sums.py": Renames({"add": "plus"}, {})}
    read = under_names(state, names)
    expected = TEST.replace("sums.add", "sums.plus")
    assert read.read("tests/test_sums.py") == expected.encode()
    assert dict(read.read_many(["tests/test_sums.py"])) == {"tests/test_sums.py": expected.encode()}
    assert read.identity("tests/test_sums.py") != blob
    assert state.read("tests/test_sums.py") == TEST.encode()


@pytest.mark.parametrize("later", [0, 1], ids=["the commit after it", "one more"])
def test_a_rename_is_sought_since_the_file_last_had_its_content(shop, later):
    blob = now(shop).identity("tests/test_sums.py")
    (shop / "shop/sums.py").write_text(PRODUCT.replace("add(", "plus("))
    (shop / "tests/test_sums.py").write_text(TEST.replace("sums.add", "sums.plus"))
    for number in range(1 + later):
        (shop / "README").write_text(str(number))
        commit(shop)
    found = {"tests/test_sums.py": Renames({"add": "plus"}, {})}
    assert renames_since(now(shop), {"tests/test_sums.py": blob}) == found
