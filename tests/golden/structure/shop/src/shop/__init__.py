from shop.basket import Basket
from shop.version import VERSION

__all__ = ["VERSION", "Basket"]
