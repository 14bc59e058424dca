"""Values of verbs as plain JSON: dataclasses become objects by their fields, dates ISO 8601, tuples lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any


def plain(value: object) -> Any:  # noqa: ANN401 - JSON, which has no type of its own here
    """The JSON form of a value; raises TypeError for what has none."""
    match value:
        case None | bool() | int() | str():
            return value
        case date():
            return value.isoformat()
        case Mapping():
            return {str(name): plain(one) for name, one in value.items()}
        case set() | frozenset():
            return sorted(plain(one) for one in value)
        case list() | tuple():
            return [plain(one) for one in value]
        case _ if is_dataclass(value) and not isinstance(value, type):
            return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
        case _:
            raise TypeError(f"{value!r} has no form in JSON")
