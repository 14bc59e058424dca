"""What it costs to send a parcel."""

from decimal import Decimal

ZONES = {"domestic": Decimal("4.50"), "europe": Decimal("9.90"), "world": Decimal("17.00")}
HEAVY_FROM_GRAMS = 5_000
HEAVY_SURCHARGE = Decimal("6.00")
LIMIT_GRAMS = 30_000


class ParcelTooHeavy(ValueError):
    """The parcel is over the carrier's limit."""


def price(weight_grams: int, zone: str) -> Decimal:
    """The price in euros of a parcel of `weight_grams` to `zone`."""
    if weight_grams > LIMIT_GRAMS:
        raise ParcelTooHeavy(f"{weight_grams} g is over the limit of {LIMIT_GRAMS} g")
    base = ZONES[zone]
    return base + HEAVY_SURCHARGE if weight_grams >= HEAVY_FROM_GRAMS else base
