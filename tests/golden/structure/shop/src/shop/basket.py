from __future__ import annotations

import decimal
from typing import TYPE_CHECKING

from . import version
from .prices import *

if TYPE_CHECKING:
    from shop.orders import Order


class Basket:
    def order(self) -> Order:
        from shop.orders import Order

        return Order(self, version.VERSION)

    def total(self) -> decimal.Decimal:
        return total(self)
