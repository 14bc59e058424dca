"""Tests of the basket.

def test_in_a_docstring():
    pass
"""
import functools
import sys
from typing import TYPE_CHECKING

import pytest as pt
from hypothesis import given, strategies as st

from .helpers import CURRENCIES, check_total, test_client, test_shared_contract

if TYPE_CHECKING:
    from shop.basket import Basket

    def test_only_for_types(): ...


EMPTY = """
def test_in_a_string():
    pass
"""

# def test_in_a_comment(): pass


def test_empty_basket_costs_nothing(basket):
    def test_nested():
        pass

    assert basket.total == 0


@pt.mark.parametrize("currency", CURRENCIES)
@pt.mark.parametrize(
    ("count", "total"),
    [
        (1, 10),
        (2, 20),
        pt.param(0, 0, id="nothing", marks=pt.mark.xfail),
        # (3, 30) is not sold
    ],
    ids=str,
)
def test_total_counts_every_item(basket, count, total, currency):
    check_total(basket, total)


@pt.mark.parametrize("price", [price for price in range(9)])
def test_price_is_positive(price):
    assert price


@pt.mark.skip(reason="later")
def test_discount():
    pass


@given(st.integers())
def test_any_quantity_is_kept(quantity):
    assert quantity == quantity


async def test_reserving_waits_for_stock():
    pass


@pt.fixture
def test_basket():
    return object()


test_rounding = lambda: None

test_rounding_down = functools.partial(check_total, None, None)

test_alias = test_discount


class TestCheckout:
    """Paying for a basket."""

    pytestmark = [pt.mark.slow, pt.mark.atom("IA-7F3KQ9T")]

    @pt.mark.atom("IA-2M8QD1R", "IA-ZZZ")
    def test_card(self):
        pass

    @staticmethod
    def test_static():
        pass

    @classmethod
    def test_class(cls):
        pass

    @property
    def test_not_callable(self):
        return 1

    def check(self):
        pass

    def test_twice(self):
        assert False, "the later one replaces this one"

    def test_twice(self):
        pass

    class TestVoucher:
        def test_expired_voucher_is_refused(self):
            pass

    class Helper:
        def test_not_a_test_class(self):
            pass


class TestWithConstructor:
    def __init__(self):
        self.x = 1

    def test_never_collected(self):
        pass


class TestSwitchedOff:
    __test__ = False

    def test_never_collected(self):
        pass


class TestSwitchedOnAgain(TestSwitchedOff):
    __test__ = True

    def test_collected(self):
        pass


class BasketContract:
    def test_contract_of_every_basket(self):
        pass

    def test_dropped_by_one(self):
        pass


class TestPlainBasket(BasketContract):
    test_dropped_by_one = None


class UnusedContract:
    def test_nobody_inherits_this(self):
        pass


if sys.platform == "win32":

    def test_paths():
        assert "\\"

else:

    def test_paths():
        assert "/"


try:
    import numpy
except ImportError:
    numpy = None
else:

    def test_with_numpy():
        pass


def test_deleted():
    pass


del test_deleted


def test_said_to_be_none():
    pass


test_said_to_be_none.__test__ = False

if __name__ == "__main__":

    def test_main():
        pass
