from shop.version import VERSION

def test_version(:
    import shop.orders
