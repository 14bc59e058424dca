"""What a check reports, and when the absence of a failure means that it is mended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.intent.health import CheckResult, Diagnostic, HealthFinding, Sweep

SURROUNDINGS: Final = "surroundings"  # stands for the check of a finding about the machine
JUDGED: Final = frozenset({"pass", "fail"})
_SPOKEN: Final = frozenset({"pass", "fail", "timed out"})


def reported(result: CheckResult) -> tuple[Diagnostic, ...]:
    """What a check says about the commit; one that fails or hangs without a word still says that it does."""
    if result.verdict not in _SPOKEN:
        return ()
    if result.verdict == "timed out":
        return (*result.diagnostics, _wordless(result, "timeout", result.reason or "it was ended for taking too long"))
    if result.verdict == "fail" and all(one.severity != "error" for one in result.diagnostics):
        return (*result.diagnostics, _wordless(result, "exit", f"{result.check} failed with exit code {result.code}"))
    return result.diagnostics


def _wordless(result: CheckResult, rule: str, message: str) -> Diagnostic:
    return Diagnostic(result.check, result.category, "error", message, rule=rule)


@dataclass(frozen=True, slots=True)
class Gone:
    """Which failures a sweep shows to be mended; `order` is the place of every sweep by its id."""

    results: Mapping[str, CheckResult]
    first_seen: Mapping[str, int]
    order: Mapping[str, int]

    @staticmethod
    def of(sweep: Sweep, findings: Iterable[HealthFinding], order: Mapping[str, int]) -> Gone:
        """Prepare to ask about findings of one sweep that is neither stale nor about the machine."""
        known = [one for one in findings if one.state != "resolved"]
        first = {one.diagnostic.fingerprint: order.get(one.first_sweep, 0) for one in known}
        return Gone({result.check: result for result in sweep.results}, first, order)

    def says(self, finding: HealthFinding) -> bool:
        """Whether a failure that was not reported is mended: its check judged, and nothing can have hidden it.

        A failing compiler or build stops at some errors and never comes to others. Only errors that stood beside the
        failure before are known not to hide it.
        """
        if finding.diagnostic.check == SURROUNDINGS:
            return True
        result = self.results.get(finding.diagnostic.check)
        if result is None or result.verdict not in JUDGED:
            return False
        if result.verdict == "pass" or result.category in {"conflict", "lint"}:
            return True
        errors = [one for one in reported(result) if one.severity == "error"]
        return not result.output.omitted and self._hides_nothing(errors, finding, result)

    def _hides_nothing(self, errors: Sequence[Diagnostic], finding: HealthFinding, result: CheckResult) -> bool:
        if result.category == "test":
            return all(one.test for one in errors)  # what fails outside of tests keeps tests from running
        last = self.order.get(finding.last_sweep, 0)
        return all(self.first_seen.get(one.fingerprint, last + 1) <= last for one in errors)
