from ..version import VERSION


def pay():
    return VERSION
