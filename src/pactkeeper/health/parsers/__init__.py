"""What tools print and report → diagnostics: one module a tool, one table of all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pactkeeper.errors import InputError
from pactkeeper.health.parsers import (
    cargo,
    declared,
    eslint,
    go,
    gradle,
    javac,
    jest,
    junit,
    maven,
    mocha,
    mypy,
    plain,
    pyright,
    pytest,
    tsc,
    unittest,
    vitest,
)
from pactkeeper.health.parsers.finishing import finished, view_of
from pactkeeper.health.parsers.seen import Found, Hint, Parsed, Parser, Seen
from pactkeeper.health.parsers.surroundings import surroundings
from pactkeeper.intent.health import HealthCheck

PARSERS: Final[Mapping[str, Parser]] = {
    "plain": plain.read,
    "regex": declared.read,
    "junit": junit.read,
    "tsc": tsc.read,
    "eslint": eslint.read,
    "jest": jest.read,
    "vitest": vitest.read,
    "mocha": mocha.read,
    "pytest": pytest.read,
    "unittest": unittest.read,
    "mypy": mypy.read,
    "pyright": pyright.read,
    "go": go.read,
    "cargo": cargo.read,
    "javac": javac.read,
    "maven": maven.read,
    "gradle": gradle.read,
}


def parse(name: str, check: HealthCheck, seen: Seen) -> Parsed:
    """What the output of a check says, in the order it says it and each thing once.

    A failed check always says something: where its parser finds no error and no reason outside of the commit, its last
    lines are the one diagnostic, without file and rule. Raises InputError where no parser has this name.
    """
    reader = PARSERS.get(name)
    if reader is None:
        raise InputError(f"there is no parser {name!r}; write one of {', '.join(PARSERS)} as parser of {check.name!r}")
    view = view_of(check, seen)
    found = reader(view)
    errors = [raw for raw in found.raw if raw.severity == "error"]
    if seen.failed and not errors:
        found = _unread(found, view.text, plain.read(view))
    elif errors and not any(raw.test for raw in errors):
        found.hint = found.hint or _common(raw.message for raw in errors)
    return finished(found, check, view.places)


def _common(messages: Iterable[str]) -> Hint | None:
    """The reason outside of the commit that every error gives, where not even a test was reached."""
    hints = [surroundings(message) for message in messages]
    return hints[0] if all(hints) else None


def _unread(found: Found, text: str, last_lines: Found) -> Found:
    """A failure in which the parser saw no error: the surroundings are the reason, or the last lines speak."""
    hint = found.hint or surroundings(text)
    if hint is not None:
        return Found(found.raw, found.tests, hint)
    return Found([*found.raw, *last_lines.raw], found.tests)


__all__ = ["PARSERS", "Hint", "Parsed", "Parser", "Seen", "parse", "surroundings"]
