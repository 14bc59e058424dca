"""What is printed on a parcel."""

from collections.abc import Callable


def label(name: str, street: str, city: str) -> str:
    """Three upper-case lines."""
    return "\n".join(part.strip().upper() for part in (name, street, city))


def print_label(text: str, printer: Callable[[str], None], copies: int = 1) -> None:
    for _ in range(copies):
        printer(text)
