from importlib import import_module

from shop.basket import Basket

PROVIDERS = {"card": import_module("shop.payments.card"), "other": import_module(__name__ + ".other")}


class Order:
    def __init__(self, basket: Basket, version: str) -> None:
        self.basket = basket
        import_module(".invoice", __package__)
