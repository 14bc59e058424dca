import helpers
import shop.basket
from shop import Basket, payments
from shop.payments import pay, refund


def test_basket_is_empty(basket):
    assert helpers and Basket and payments and pay and refund and shop
