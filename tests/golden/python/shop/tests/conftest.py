import pytest

collect_ignore = ["test_windows_only.py"]


@pytest.fixture
def basket():
    from shop.basket import Basket

    return Basket()
