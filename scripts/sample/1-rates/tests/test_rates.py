from decimal import Decimal

import pytest

from parcels.rates import LIMIT_GRAMS, ParcelTooHeavy, price


class TestPrice:
    @pytest.mark.parametrize(
        ("zone", "expected"),
        [("domestic", "4.50"), ("europe", "9.90"), ("world", "17.00")],
    )
    def test_light_parcel_costs_the_base_rate_of_its_zone(self, zone, expected):
        """A parcel below five kilograms is sent for the base rate of its zone."""
        assert price(500, zone) == Decimal(expected)

    def test_heavy_parcel_pays_the_surcharge(self):
        """A surcharge is added to the base rate from five kilograms on."""
        assert price(5_000, "domestic") == Decimal("10.50")

    def test_parcel_over_the_limit_is_refused(self):
        """A parcel over the limit is refused with an error that names the limit."""
        with pytest.raises(ParcelTooHeavy, match="over the limit"):
            price(LIMIT_GRAMS + 1, "domestic")

    def test_unknown_zone_is_refused(self):
        with pytest.raises(KeyError):
            price(500, "moon")
