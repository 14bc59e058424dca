"""What the product renamed between two states, and an earlier test file under the names of now."""

import pytest

from pactkeeper.repo import snapshot
from pactkeeper.repo.git import Repository
from pactkeeper.repo.strength.renames import renames, renames_since, under_names
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
    return dict(renames(snapshot.commit(state.repository, "HEAD"), state))


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
    assert renamed(shop) == found


def test_a_module_is_named_like_its_file(shop):
    git(shop, "mv", "shop/sums.py", "shop/totals.py")
    assert renamed(shop) == {"sums": "totals"}


def test_a_file_gets_the_names_of_now_but_for_what_its_texts_say(shop):
    (shop / "shop/sums.py").write_text(PRODUCT.replace("add(", "plus("))
    state = now(shop)
    blob = state.identity("tests/test_sums.py")
    names = renames_since(state, {"tests/test_sums.py": blob})
    assert names == {"tests/test_sums.py": {"add": "plus"}}
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
    assert renames_since(now(shop), {"tests/test_sums.py": blob}) == {"tests/test_sums.py": {"add": "plus"}}
