"""What tools print and report → diagnostics: one module a tool, one table of all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from pactkeeper.errors import InputError
from pactkeeper.health.parsers import (
    ava,
    bun,
    cargo,
    declared,
    deno,
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
    tap,
    tsc,
    unittest,
    vitest,
)
from pactkeeper.health.parsers.choice import AUTO, parser_of, scripts_behind
from pactkeeper.health.parsers.seen import CheckOutput, Found, Hint, Parsed, Parser, ReadableOutput
from pactkeeper.health.parsers.surroundings import surroundings
from pactkeeper.health.parsers.vitest import finished, view_of
from pactkeeper.intent.health import HealthCheck

PARSERS: Final[Mapping[str, Parser]] = {
    AUTO: plain.read,  # of a command that was not looked at
    "plain": plain.read,
    "regex": declared.read,
    "junit": junit.read,
    "tsc": tsc.read,
    "eslint": eslint.read,
    "jest": jest.read,
    "vitest": vitest.read,
    "mocha": mocha.read,
    "node": tap.read,
    "tap": tap.read,
    "ava": ava.read,
    "bun": bun.read,
    "deno": deno.read,
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


def parse(name: str, check: HealthCheck, seen: CheckOutput) -> Parsed:
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
    if not seen.failed and found.failed == 0:  # a test that passed printed what looks like a failure
        found.raw = [raw for raw in found.raw if raw.severity != "error"]
    elif seen.failed and not errors:
        found = _unread(found, view)
    elif errors and not any(raw.test for raw in errors):
        found.hint = found.hint or _common(raw.message for raw in errors)
    return finished(found, check, view.places)


# Runners that always say how many tests ran; Maven and Gradle may print nothing when all is well.
COUNTING: Final = frozenset(
    {"junit", "jest", "vitest", "mocha", "node", "tap", "ava", "bun", "deno", "pytest", "unittest", "go", "cargo"}
)


def _common(messages: Iterable[str]) -> Hint | None:
    """The reason outside of the commit that every error gives, where not even a test was reached."""
    hints = [surroundings(message) for message in messages]
    return hints[0] if all(hints) else None


def _unread(found: Found, view: ReadableOutput) -> Found:
    """A failure in which the parser saw no error: the surroundings are the reason, or the last lines speak."""
    hint = found.hint or surroundings(view.text)
    if hint is not None:
        return Found(found.raw, found.tests, hint)
    read = [*tsc.read_lines(view.lines), *javac.read_lines(view.lines)]  # before any test could run
    compiled = [raw for raw in read if raw.severity == "error"]
    return Found([*found.raw, *(compiled or [plain.last_lines(view)])], found.tests)


__all__ = [
    "AUTO",
    "COUNTING",
    "PARSERS",
    "CheckOutput",
    "Hint",
    "Parsed",
    "Parser",
    "parse",
    "parser_of",
    "scripts_behind",
    "surroundings",
]
