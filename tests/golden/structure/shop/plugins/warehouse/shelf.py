from shop.redis import client


class Shelf:
    client = client
