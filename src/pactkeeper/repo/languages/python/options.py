"""What pytest's `addopts` say about which files are collected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

# Options that may stand right before a path without taking it as their value.
_FLAGS: Final = frozenset(
    {"-v", "-vv", "-vvv", "-q", "-qq", "-s", "-x", "-l", "--strict", "--strict-markers", "--strict-config", "--lf"}
    | {"--ff", "--doctest-modules", "--doctest-continue-on-failure", "--pyargs", "--showlocals", "--verbose"}
    | {"--quiet", "--exitfirst", "--no-header", "--no-summary", "--collect-in-virtualenv", "--no-cov", "--nomigrations"}
)
_VALUED: Final = frozenset({"--ignore", "--ignore-glob", "--override-ini", "-o", "--doctest-glob", "-p"})


@dataclass(frozen=True, slots=True)
class AddedOptions:
    """The parts of `addopts` that decide what is collected; `overrides` are settings, the last of a name wins."""

    ignore: tuple[str, ...] = ()
    ignore_glob: tuple[str, ...] = ()
    overrides: tuple[tuple[str, str], ...] = ()
    doctest: str = ""
    places: tuple[str, ...] = ()


def read_options(words: Sequence[str]) -> AddedOptions:
    """Sort the words of `addopts`; `places` are words that may be paths to collect from."""
    values: dict[str, list[str]] = {"--ignore": [], "--ignore-glob": [], "--override-ini": [], "place": []}
    doctest = ""
    off = False
    for option, value in _pairs(words):
        name = "--override-ini" if option == "-o" else option
        if name in values and value is not None:
            values[name].append(value)
        elif option == "-p" and value == "no:doctest":
            off = True
        elif option in {"--doctest-modules", "--doctest-glob"}:
            doctest = option
    overrides = [item.partition("=") for item in values["--override-ini"]]
    return AddedOptions(
        tuple(values["--ignore"]),
        tuple(values["--ignore-glob"]),
        tuple((name.strip(), value.strip()) for name, _, value in overrides),
        "" if off else doctest,
        tuple(values["place"]),
    )


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Options with their values; a word that no option takes is a `place`."""
    pending: str | None = None
    free = True
    for word in words:
        if pending is not None:
            yield pending, word
            pending, free = None, True
        elif word.startswith("-"):
            name, equals, value = word.partition("=")
            short = word[:2] if word[:2] in {"-o", "-p"} and len(word) > 2 and not word.startswith("--") else ""  # noqa: PLR2004
            if short:
                yield short, word[2:]
            elif equals:
                yield name, value
            elif name in _VALUED:
                pending = name
            else:
                yield name, None
            free = bool(equals or short) or name in _FLAGS or name.startswith("-r")
        elif free:
            yield "place", word
        else:
            free = True
