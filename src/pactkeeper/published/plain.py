"""The one codec: a value of the product as plain JSON, by its own fields."""

from __future__ import annotations

from typing import Any

import msgspec


def plain(value: object) -> Any:  # noqa: ANN401 - JSON, which has no type of its own here
    """The JSON form of a value: dataclasses by their fields, dates as ISO 8601, sets sorted.

    Raises TypeError for what has no form in JSON.
    """
    return msgspec.to_builtins(value, str_keys=True, order="deterministic")


def members(value: object, names: str) -> dict[str, Any]:
    """The JSON form of some attributes of a value, named with blanks between them, in that order."""
    return {name: plain(getattr(value, name)) for name in names.split()}
