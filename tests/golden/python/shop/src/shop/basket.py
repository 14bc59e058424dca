class Basket:
    def __init__(self):
        self.items = []

    def test_price(self):
        return sum(item.price for item in self.items)
