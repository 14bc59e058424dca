try:
    import shop._speedups as fast
except ImportError:
    fast = None

from shop.catalogue import names


def total(basket):
    return names(basket)
