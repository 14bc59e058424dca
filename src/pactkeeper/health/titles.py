"""The first line of a fix task: what to do and where, as one would say it to a colleague."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pactkeeper.health.causes import Cause, CauseKind
from pactkeeper.intent.health import UNREAD, Diagnostic, normalised

_LONGEST_TITLE: Final = 90  # characters of an error in a title
_NAMED: Final = 2  # tests that a title names
_ADDRESS: Final = re.compile(r"(?: at)? 0x[0-9a-fA-F…]+")
_SEPARATORS: Final = re.compile(r"::| [>›] ")
_GO: Final = re.compile(r"\A.*[./](?=(?:Test|Fuzz|Example)\w*+(?:/|\Z))")  # the package before the name of a test


def title(cause: Cause, diagnostics: Sequence[Diagnostic]) -> str:
    """One imperative line without addresses and other accidents; the exact text stands below it."""
    if diagnostics and cause.kind in _OF_TESTS and all(one.test for one in diagnostics):
        return f"Fix {_tests(diagnostics)}{_led(cause)}: {_said(diagnostics[0])}"
    about, count = cause.about, len(diagnostics)
    errors = "an error" if count == 1 else f"{count} errors"
    return {
        "conflict": f"Resolve the conflict markers in {about}",
        "module": f"Fix {errors} about what {about} offers: {_said(diagnostics[0])}",
        "symbol": f"Fix {errors} about {about!r}: {_said(diagnostics[0])}",
        "interface": f"Make {_named(about)} and its uses agree: {_said(diagnostics[0])}",
        "frame": f"Fix {about}: {_said(diagnostics[0])}",
        "origin": f"Fix {errors} that lead{'s' if count == 1 else ''} to {about}: {_said(diagnostics[0])}",
        "file": f"Fix {errors} in {about}: {_said(diagnostics[0])}",
        "check": f"Make {about} pass: {_said(diagnostics[0])}",
    }[cause.kind]


_OF_TESTS: Final[frozenset[CauseKind]] = frozenset({"frame", "origin", "file"})


def _led(cause: Cause) -> str:
    """Where the tests lead, which for those of one file is told by their place alone."""
    return "" if cause.kind == "file" else f", by way of {cause.about.rpartition(' at ')[2]}"


def _named(about: str) -> str:
    return about if " " in about else repr(about)


def _tests(diagnostics: Sequence[Diagnostic]) -> str:
    """`test_total in tests/test_basket.py`, or how many there are and the first of them."""
    names = list(dict.fromkeys(_name(one) for one in diagnostics))
    files = list(dict.fromkeys(_file(one) for one in diagnostics if _file(one)))
    told = " and ".join(names) if len(names) <= _NAMED else f"{len(names)} tests, first {names[0]}"
    return f"{told} in {files[0]}" if len(files) == 1 else told


def _name(one: Diagnostic) -> str:
    """The last part of what the runner calls a test."""
    return _SEPARATORS.split(_GO.sub("", one.test, count=1))[-1]


def _file(one: Diagnostic) -> str:
    """Where the test stands: the runner's own name for it where that is a path, else the place of the failure."""
    first = _SEPARATORS.split(one.test)[0]
    return first if first != one.test and "." in first else one.file


def _said(one: Diagnostic) -> str:
    """The first line of the message, shortened, with its rule where the message does not name it."""
    line = next((part.strip() for part in one.message.splitlines() if part.strip()), one.rule or "no message")
    text = " ".join(_ADDRESS.sub("", normalised(line)).split())
    told = text if one.rule in {"", UNREAD} or one.rule in text or one.test else f"{one.rule} {text}"
    return told if len(told) <= _LONGEST_TITLE else told[: _LONGEST_TITLE - 1].rstrip() + "…"
