"""Honest rewordings of a test prove what was proven before; a weaker one beside them doesn't."""

from tests.repo.strength.edits import judged

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
