def test_thousand_orders():
    pass
