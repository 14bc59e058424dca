"""What a check reports, and when the absence of a failure means that it is fixed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Final

from pactkeeper.intent.health import UNREAD, CheckResult, Diagnostic, HealthFinding, Sweep

MOST: Final = 2_000  # diagnostics tracked per check; a single change rarely breaks this much
SURROUNDINGS: Final = "surroundings"  # check name of a finding about the machine
JUDGED: Final = frozenset({"pass", "fail"})
UNPREPARED: Final = "preparing it failed"  # prefix of the reason when a check's preparation failed
NO_RESULT: Final = "no-result"  # rule of a check that used to report results and now reports none
# Package managers open with a code and an empty line; the sentence follows.
_WRONG: Final = re.compile(r"\b(?:error|ERR!|fatal|failed)\b[: ]+(?!(?:code|errno|syscall|path)\b).{8}", re.IGNORECASE)
_SPOKEN: Final = frozenset({"pass", "fail", "timed out", "could not tell"})


def telling(text: str, most: int) -> list[str]:
    """Return at most `most` non-empty lines, from the first that states an error, else the last ones.

    Advice tends to come last.
    """
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    wrong = next((at for at, line in enumerate(lines) if _WRONG.search(line)), len(lines) - most)
    begin = max(0, min(wrong, len(lines) - most))
    return lines[begin : begin + most]


def reported(result: CheckResult) -> tuple[Diagnostic, ...]:
    """Return a check's diagnostics, capped at `MOST`; if it failed or timed out without an error, add one."""
    if result.verdict not in _SPOKEN:
        return ()
    if result.verdict == "timed out":
        read = tuple(one for one in result.diagnostics[:MOST] if one.rule != UNREAD)
        silent = all(one.severity != "error" for one in read)
        return (*read, _wordless(result, "timeout", result.reason or "it timed out")) if silent else read
    if result.verdict == "fail" and all(one.severity != "error" for one in result.diagnostics):
        return (
            *result.diagnostics[:MOST],
            _wordless(result, "exit", f"{result.check} failed with exit code {result.code}"),
        )
    return result.diagnostics[:MOST]


def _wordless(result: CheckResult, rule: str, message: str) -> Diagnostic:
    return Diagnostic(result.check, result.category, "error", message, rule=rule)


@dataclass(frozen=True, slots=True)
class GoneFailures:
    """Decide which failures a sweep shows to be fixed; `order` is the position of every sweep by id.

    `since` maps each failing check to the position of the first sweep in which everything it reports now was seen. A
    failure last seen before that may be hidden. None means nothing is hidden, infinity that anything may be.
    """

    results: Mapping[str, CheckResult]
    since: Mapping[str, float | None]
    order: Mapping[str, int]

    @staticmethod
    def of(sweep: Sweep, findings: Iterable[HealthFinding], order: Mapping[str, int]) -> GoneFailures:
        """Build from the findings of one sweep, which must be neither stale nor an environment failure."""
        known = (one for one in findings if one.state != "resolved")
        first = {one.diagnostic.fingerprint: order.get(one.first_sweep, 0) for one in known}
        results = {result.check: result for result in sweep.results}
        return GoneFailures(results, {name: _since(result, first) for name, result in results.items()}, order)

    def says(self, finding: HealthFinding) -> bool:
        """Whether an unreported failure is fixed: its check reached a verdict and nothing can have masked it."""
        if finding.diagnostic.check == SURROUNDINGS:
            return True
        result = self.results.get(finding.diagnostic.check)
        if result is None or result.verdict not in JUDGED:
            return False
        since = self.since[result.check]
        return since is None or since <= self.order.get(finding.last_sweep, 0)


def _since(result: CheckResult, first_seen: Mapping[str, int]) -> float | None:
    """Return the sweep position since which a check may be masking failures.

    A failing compiler or build stops at some errors and never reaches the rest; neither does a run without its tests.
    """
    if result.verdict == "pass":
        return None
    if result.output.omitted or len(result.diagnostics) > MOST:
        return inf
    if result.category in {"conflict", "lint"}:
        return None
    errors = [one for one in reported(result) if one.severity == "error"]
    if result.category == "test":
        return None if all(one.test for one in errors) else inf
    return max((first_seen.get(one.fingerprint, inf) for one in errors), default=None)
