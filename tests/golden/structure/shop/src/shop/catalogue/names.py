import httpx


def names(basket):
    return httpx.get("https://example.org")
