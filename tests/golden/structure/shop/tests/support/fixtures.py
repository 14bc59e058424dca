import pytest
import shop


@pytest.fixture
def basket():
    return shop.Basket()
