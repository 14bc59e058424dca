"""Names of months and weekdays in the languages that are read, in small letters, each with its number from 1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final


def _numbered(lines: Iterable[str]) -> Mapping[str, int]:
    return {word: number for number, line in enumerate(lines, start=1) for word in line.split()}


MONTHS_IN_FULL: Final = _numbered(
    (
        "january januar janvier enero",
        "february februar février febrero",
        "march märz mars marzo",
        "april avril abril",
        "may mai mayo",
        "june juni juin junio",
        "july juli juillet julio",
        "august août agosto",
        "september septembre septiembre",
        "october oktober octobre octubre",
        "november novembre noviembre",
        "december dezember décembre diciembre",
    )
)
WEEKDAYS: Final = _numbered(
    (
        "monday montag lundi lunes",
        "tuesday dienstag mardi martes",
        "wednesday mittwoch mercredi miércoles",
        "thursday donnerstag jeudi jueves",
        "friday freitag vendredi viernes",
        "saturday samstag samedi sábado",
        "sunday sonntag dimanche domingo",
    )
)
