"""Options of test runners and other checks: which one, added or taken away, makes them ask less."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.strength.change import Severity
from pactkeeper.repo.strength.switches.commands import parsed
from pactkeeper.repo.strength.switches.rules import WARNINGS, number

Options = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Option:
    """An option with values that make it a weakening; `lost` where leaving it out is one.

    `names` and `values` are patterns that are compiled when commands are compared: most changes touch none.
    """

    names: str
    values: str
    message: str
    severity: Severity = "error"
    lost: bool = False


def _option(names: str, message: str, severity: Severity = "error", *, values: str = "", lost: bool = False) -> Option:
    return Option(rf"(?:{names})\Z", values, message, severity, lost)


_FEWER: Final = "fewer tests are run"
_OPTIONS: Final = (
    _option(r"-k|-m|--deselect|--ignore|--ignore-glob|--lf|--last-failed|--sw|--stepwise", _FEWER),
    _option(r"-t|--testNamePattern|--testPathPatterns?|--testPathIgnorePatterns|--exclude|-g|-f|--grep|--fgrep|"
            r"--grep-invert|--invert|--test-name-pattern|--test-skip-pattern|--test-only|--only|-run|-skip", _FEWER),
    _option(r"-o|--onlyChanged|--changed|--changedSince|--related|--findRelatedTests|--only-changed|--testmon",
            _FEWER, "warning"),
    _option(r"-p", "a plugin of the tests is off", values=r"no:(?!cacheprovider|randomly|xdist|sugar)"),
    _option(r"-W", WARNINGS, "warning", values=r"ignore|default|once"),
    _option(r"--reruns|--retries|--retry|--flaky-report|--force-flaky", "failing tests are tried again"),
    _option(r"--no-cov|--no-coverage|--coverage\.enabled", "coverage is off", values=r"false\Z|\Z"),
    _option(r"--co|--collect-only|--listTests|--list|--setup-only|--setup-plan|--no-run|-DskipTests|-Dmaven\.test\.skip|"
            r"-x=test|--suppress-no-test-exit-code|--listFiles|--showConfig", "tests are no longer run"),
    _option(r"-Dmaven\.test\.failure\.ignore|--continue-on-failure|--exit-zero|--pass-on-unpruned-suppressions|"
            r"--passWithNoTests|--pass-with-no-tests|--allowOnly|--dangerouslyIgnoreUnhandledErrors|--runxfail-off",
            "a failure is no longer one"),
    _option(r"--snapshot-update|--inline-snapshot|--force-regen|-u|--update|--updateSnapshot|--update-snapshots|"
            r"--test-update-snapshots", "snapshots are rewritten instead of compared"),
    _option(r"--ci|--forbid-only|--forbid-pending|--typecheck|--strict|--check", "a stricter mode is off",
            values=r"false\Z"),
    _option(r"--no-ci|--no-forbid-only|--no-typecheck|--no-strict\S*|--allow-\S+|--ignore-missing-imports|"
            r"--follow-imports", "a stricter mode is off"),
    _option(r"--ignore|--extend-ignore|--disable|--disable-error-code|--ignore-pattern|--exclude", "less is checked"),
    _option(r"-c|--config|--config-file|--rootdir", "other settings count", "warning"),
    _option(r"--override-ini", "a setting is overruled", values=r"(?!log|cache|junit)"),
    _option(r"--rule", "a rule is off", values=r"off|:\s*0"),
    _option(r"-x|--exitfirst|--maxfail|--bail|-b|--max-failures|--quiet|--hypothesis-profile", "less is reported",
            "warning"),
    _option(r"--ci|--forbid-only|--forbid-pending|--strict\S*|--disallow-\S+|--doctest-\S+|--typecheck|--max-warnings|"
            r"--fail-on-flaky-tests|--fail-on-\S+|--errorOnDeprecated|--cov-fail-under|--fail-under|--check-coverage|"
            r"--all-files|--all-targets|-race|--workspaces|--noEmit", "a stricter mode is off", lost=True),
    _option(r"-W", WARNINGS, values=r"error", lost=True),
    _option(r"-p", "a plugin of the tests is off", "warning", values=r"(?!no:)", lost=True),
    _option(r"--coverage|--cov|--cov-branch|--hypothesis-profile", "coverage is not measured", "warning", lost=True),
)  # fmt: skip
_LOWER: Final = re.compile(r"--(?:cov-)?fail-under|--coverage\.thresholds\.\w+|--lines|--branches|--statements")
_HIGHER: Final = re.compile(r"--max-warnings|--reruns|--retries|--retry")
# The same letter asks something else of other programs.
_ELSEWHERE: Final = {
    **dict.fromkeys(("-m", "-p", "-W"), ("pytest",)),
    "-k": ("pytest", "unittest", "tox"),
    **dict.fromkeys(("-c", "--config"), ("pytest", "jest", "vitest", "playwright")),
    "-t": ("jest", "vitest", "npm"),
    "-o": ("jest",),
    "-g": ("mocha", "playwright"),
    "-f": ("mocha",),
    "-u": ("jest", "vitest", "npm", "playwright"),
    "-b": ("mocha", "jest"),
    "-x": ("pytest", "playwright"),
    "--list": ("playwright", "vitest"),
    "--check": ("tsc",),
    "--exclude": ("vitest", "mypy", "ruff", "flake8"),
    "--only": ("cypress",),
}


def option_changes(program: str, old: Options, new: Options) -> Iterator[tuple[Severity, str]]:
    """What the options of a command ask less than before."""
    for name, values in new.items():
        gained = tuple(value for value in values if value not in old.get(name, ()))
        if _HIGHER.match(name) or _LOWER.match(name):
            yield from _limit(name, old, values)
        if name in old and not gained:
            continue
        for option in () if name in old and (_HIGHER.match(name) or _LOWER.match(name)) else _OPTIONS:
            if not option.lost and _means(option, name, program) and re.match(option.values, " ".join(gained)):
                yield option.severity, option.message
                break
    for name, values in old.items():
        lost = tuple(value for value in values if value not in new.get(name, ()))
        if name not in new or (lost and name in {"-W", "-p", "--doctest-glob"}):
            found = (one for one in _OPTIONS if one.lost and _means(one, name, program))
            for option in found:
                if re.match(option.values, " ".join(lost)) and "false" not in lost and "no:" not in " ".join(lost):
                    yield option.severity, option.message
                    break


def _means(option: Option, name: str, program: str) -> bool:
    programs = _ELSEWHERE.get(name)
    return re.match(option.names, name) is not None and (programs is None or program.partition(" ")[0] in programs)


def _limit(name: str, old: Options, values: tuple[str, ...]) -> Iterator[tuple[Severity, str]]:
    before = number(old.get(name, ())[0]) if old.get(name) else None
    after = number(values[0]) if values else None
    if before is None or after is None or before == after:
        return
    if (after < before) is (_LOWER.match(name) is not None):
        yield "error", f"{name} asks less"


def words_changes(program: str, old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[tuple[Severity, str]]:
    """What one command line asks less than another, the files it is given aside."""
    yield from option_changes(program, parsed(old)[0], parsed(new)[0])
