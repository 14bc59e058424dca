from shop.version import VERSION


def test_version():
    assert VERSION == "1.0"
