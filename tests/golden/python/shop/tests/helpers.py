import pytest
from pytest import fixture as made


@made
def test_client():
    return object()


def check_total(basket, expected):
    assert basket.total == expected


def test_shared_contract():
    """Collected wherever it is imported."""
    assert True


CURRENCIES = ["EUR", "USD", "GBP"]
