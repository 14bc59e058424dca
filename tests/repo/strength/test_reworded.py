"""Honest rewordings of a test prove what was proven before; a weaker one beside them doesn't."""

import pytest

from tests.repo.strength.edits import body, judged

SUITE = """
class TestBasket(TestCase):
    def setUp(self):
        self.basket = Basket()

    def test_baskets_differ(self):
        a = Basket()
        a.add(1)
        b = Basket()
        b.add(2)
        self.assertNotEqual(a, b)

    def test_item_is_kept(self):
        self.basket.add(1)
        self.assertEqual(self.basket.items, [1])
"""
INLINE = SUITE.replace("    def setUp(self):\n        self.basket = Basket()\n\n", "").replace(
    "        self.basket.add(1)\n", "        self.basket = Basket()\n        self.basket.add(1)\n"
)


def test_an_object_that_only_other_tests_use_leaves_what_a_test_proves_as_it_is():
    fixture = SUITE.replace("    def setUp", "    @pytest.fixture(autouse=True)\n    def made")
    for one, other in ((SUITE, INLINE), (INLINE, SUITE), (SUITE, fixture)):
        assert judged(one, other) == []
    assert judged(SUITE, INLINE.replace("Equal(a, b)", "Equal(a, a)")) != []
    asked = SUITE.replace("NotEqual(a, b)", "NotEqual(a, b)\n        self.assertEqual(a.items, [1])")
    inline = INLINE.replace("NotEqual(a, b)", "NotEqual(a, b)\n        self.assertEqual(a.items, [1])")
    assert judged(asked, inline) == []
    assert judged(asked, inline.replace("a.items, [1]", "a.items, [2]")) != []


CHAINS = {
    "chain": "assert 3 == total([1, 2]) == total([2, 1]) == total([3])",
    "one by one": "assert total([1, 2]) == 3\nassert total([2, 1]) == 3\nassert total([3]) == 3",
    "first": "assert total([1, 2]) == 3\nassert total([1, 2]) == total([2, 1])\nassert total([1, 2]) == total([3])",
}


@pytest.mark.parametrize("before", CHAINS)
@pytest.mark.parametrize("after", CHAINS)
def test_a_chain_of_equalities_says_what_its_parts_say_one_by_one(before, after):
    assert judged(body(CHAINS[before]), body(CHAINS[after])) == []
    assert judged(body(CHAINS[before]), body(CHAINS[after].replace("3", "4", 1))) != []


@pytest.mark.parametrize(
    "after",
    [
        "assert total(1) == 3\nassert total(1) == total(2) or stop()",
        "assert total(1) == ANY\nassert total(2) == ANY\nassert total(1) == 3",
        "assert total(1) == 3\nassert total(2) == 4",
        "assert total(1) == 3\nif slow():\n    assert total(2) == 3",
        "assert total(1) == 3\nfill()\nassert total(2) == 3",
    ],
)
def test_equalities_under_a_condition_or_at_another_moment_say_nothing_together(after):
    assert judged(body("assert 3 == total(1) == total(2)"), body(after)) != []


def test_equalities_that_were_made_at_two_moments_are_asked_for_at_both():
    once = "assert total(1) == 3\nassert total(2) == 3\nfill()\n"
    chain = "assert 3 == total(1) == total(2)\n"
    assert judged(body(f"{chain}fill()\n{chain}"), body(once)) != []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("lab = shop.label\nassert lab(1) == '1K'", "from shop import label as lab\nassert lab(1) == '1K'"),
        ("from shop import label\nassert label(1) == '1K'", "from shop import label as lab\nassert lab(1) == '1K'"),
    ],
)
def test_a_name_that_an_import_in_a_test_gives_stands_for_what_it_imports(before, after):
    source = f"import shop\n\n\n{body(before)}", f"import shop\n\n\n{body(after)}"
    assert judged(*source) == judged(*reversed(source)) == []
    assert judged(source[0], source[1].replace("import label", "import other")) != []


@pytest.mark.parametrize("text", ['"".join(["1", "K"])', '"K".join(("1", ""))', '"".join([f"{1}", "K"])'])
def test_a_text_joined_of_constants_is_the_text_written_out(text):
    assert judged(body("assert label(1) == '1K'"), body(f"assert label(1) == {text}")) == []
    assert judged(body(f"assert label(1) == {text}"), body(f"assert label(1) == {text.replace('K', 'M')}")) != []
