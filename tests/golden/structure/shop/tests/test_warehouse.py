from warehouse_plugin import Shelf


def test_shelf():
    assert Shelf
