def assert_valid_order(order):
    assert order.id
    assert order.lines != []
