"""Telling what failed for other reasons than the commit: flaky tests, and surroundings in which nothing works."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pactkeeper.health.absence import JUDGED
from pactkeeper.health.foreign import misses_foreign, missing_package, own_names
from pactkeeper.intent.health import CheckResult, Diagnostic, HealthFinding

SAME_IMPORT: Final = 3  # tests or files that miss one foreign module before it is called missing


def fault(results: Sequence[CheckResult], paths: Iterable[str] = ()) -> str:
    """What is wrong with the surroundings, empty for nothing; `paths` are the files of the commit.

    Either most checks could not run, or many places miss one module that the repository does not have itself.
    """
    asked = [one for one in results if one.category not in {"conflict", "lint"} and one.verdict != "not applicable"]
    unable = [one for one in asked if one.verdict == "could not run"]
    if len(unable) * 2 > len(asked):
        reasons = Counter(one.reason or "no reason given" for one in unable)
        reason, _ = reasons.most_common(1)[0]
        return f"{len(unable)} of {len(asked)} checks could not run: {reason}"
    module, count = _missing(results, frozenset(paths))
    return f"the module {module!r} is not installed; {count} places need it" if module else ""


def _missing(results: Iterable[CheckResult], paths: frozenset[str]) -> tuple[str, int]:
    failures = [one for result in results if result.verdict == "fail" for one in result.diagnostics]
    own = own_names(paths)
    places = {(missing_package(one), one.file or one.test) for one in failures if misses_foreign(one, own)}
    counts = Counter(package for package, _ in places)
    module, count = next(iter(counts.most_common(1)), ("", 0))
    return (module, count) if count >= SAME_IMPORT else ("", 0)


def suspicious(
    results: Iterable[CheckResult], known: Mapping[str, HealthFinding], *, most: int
) -> dict[str, tuple[str, ...]]:
    """The failing tests worth another run, by check: those that are new or were flaky before, at most `most`."""
    found: dict[str, list[str]] = {}
    left = most
    for result in results:
        for one in result.diagnostics if result.verdict == "fail" and result.category == "test" else ():
            again = _is_undecided(known.get(one.fingerprint)) and one.test and one.severity == "error"
            if again and left and one.test not in found.get(result.check, []):
                found.setdefault(result.check, []).append(one.test)
                left -= 1
    return {check: tuple(tests) for check, tests in found.items()}


def _is_undecided(finding: HealthFinding | None) -> bool:
    return finding is None or finding.flaky or finding.state == "resolved"


def flaky(
    first: Iterable[CheckResult], again: Iterable[CheckResult], asked: Mapping[str, Sequence[str]]
) -> frozenset[str]:
    """The fingerprints of failures that another run at the same commit did not show, though it ran their tests."""
    second = {result.check: result for result in again if _ran(result)}
    return frozenset(
        one.fingerprint
        for result in first
        if result.check in second
        for one in result.diagnostics
        if one.test in asked.get(result.check, ()) and not _fails(one, second[result.check])
    )


def _ran(result: CheckResult) -> bool:
    """Whether a run came as far as its tests: nothing failed outside of them."""
    outside = any(one.severity == "error" and not one.test for one in result.diagnostics)
    silent = result.verdict == "fail" and not result.diagnostics
    return result.verdict in JUDGED and not outside and not silent and not result.output.omitted


def _fails(one: Diagnostic, result: CheckResult) -> bool:
    return any(other.test == one.test for other in result.diagnostics if other.severity == "error")
