"""A pytest plugin: the marker `atom`, and a report for `pk evidence` that lists the atoms of every test.

The report has the format of pytest-json-report plus `atoms`. Heavy imports happen only when a report is written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

OPTION: Final = "--pact-report"
MARKER: Final = "atom"
PROPERTY: Final = "atom"  # also the name of the JUnit XML property with the marker's atoms


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that asks for a report."""
    told = "write the outcome of each test, with its atoms, to FILE, for `pk evidence import FILE`"
    parser.getgroup("pactkeeper").addoption(OPTION, metavar="FILE", help=told)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and a report recorder if one is requested; xdist workers report to the main process."""
    config.addinivalue_line("markers", f"{MARKER}(*ids): the atoms of the pact that this test realises")
    file = config.getoption(OPTION)
    if not file or config.option.collectonly or hasattr(config, "workerinput"):
        return
    path = config.invocation_params.dir / Path(file).expanduser()
    if path.is_dir():
        raise pytest.UsageError(f"{OPTION}: {file!r} is a folder; name the file to write")
    config.pluginmanager.register(Recorder(config.rootpath, path), "pactkeeper-report")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Attach the marker's atoms to every report of a test, which also carries them from an xdist worker."""
    item.user_properties += [(PROPERTY, str(atom)) for mark in item.iter_markers(MARKER) for atom in mark.args]


@dataclass(slots=True)
class Recorder:
    """Collects the outcome of each test in a run, and writes the report to `file` at the end."""

    root: Path
    file: Path
    tests: dict[str, dict[str, Any]] = field(default_factory=dict)
    broken: list[dict[str, str]] = field(default_factory=list)
    failing: list[dict[str, Any]] = field(default_factory=list)
    untold: str = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record one phase of a test; of several reports, as with subtests, the first failure counts."""
        test = self.tests.setdefault(report.nodeid, {"nodeid": report.nodeid})
        if report.location[1] is not None:
            test["lineno"] = report.location[1]
        test["atoms"] = [atom for name, atom in report.user_properties if name == PROPERTY]
        if test.get(report.when, {}).get("outcome") != "failed":
            test[report.when] = _phase(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a file that could not be collected."""
        if report.failed:
            self.broken.append({"nodeid": report.nodeid, "outcome": "failed", "longrepr": report.longreprtext})

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Write the report; a test that did not finish is left out."""
        ended = ({**test, "outcome": _outcome(test)} for test in self.tests.values())
        tests = [test for test in ended if test["outcome"]]
        for test, linked in zip(tests, self._linked(tests), strict=True):
            test["atoms"] = sorted({*test["atoms"], *linked})
        self.failing = [one for one in tests if one["atoms"] and one["outcome"] in {"failed", "error"}]
        told = {"exitcode": int(exitstatus), "root": str(self.root), "tests": tests, "collectors": self.broken}
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_bytes(json.dumps(told, ensure_ascii=False, indent=1).encode("utf-8", "replace"))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print which atoms have a failing test, where the report is, and what it lacks."""
        terminalreporter.section("pact")
        for test in self.failing:
            terminalreporter.write_line(f"failing  {test['nodeid']}  {', '.join(test['atoms'])}")
        if self.untold:
            terminalreporter.write_line(f"atoms of markers only: {self.untold}")
        terminalreporter.write_line(f"report: {self.file}")

    def _linked(self, tests: Sequence[Mapping[str, Any]]) -> Sequence[tuple[str, ...]]:
        """The atoms of each test according to the pact, whatever form the link takes; none without a readable pact."""
        from pactkeeper.errors import PactkeeperError  # noqa: PLC0415 - only where a report is written
        from pactkeeper.operators.test_reports import place_cases  # noqa: PLC0415 - likewise
        from pactkeeper.repo.reports.pytest_json import case_of_node  # noqa: PLC0415 - likewise
        from pactkeeper.workspace import open_workspace  # noqa: PLC0415 - likewise

        cases = [case_of_node(test["nodeid"], test.get("lineno", -1) + 1) for test in tests]
        try:
            with open_workspace(self.root, notice=lambda _: None) as opened:
                return [one.atoms for one in place_cases(opened, cases)]
        except PactkeeperError as error:
            self.untold = str(error)
            return [()] * len(tests)


def _phase(report: pytest.TestReport) -> dict[str, Any]:
    """A phase in the format of pytest-json-report."""
    outcome: str = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = {"skipped": "xfailed", "passed": "xpassed"}.get(outcome, outcome)
    phase: dict[str, Any] = {"outcome": outcome, "duration": report.duration}
    if report.failed:
        crash = getattr(report.longrepr, "reprcrash", None)
        phase |= {"crash": {"message": crash.message}} if crash is not None else {"longrepr": report.longreprtext}
    return phase


def _outcome(test: Mapping[str, Any]) -> str:
    """The outcome of a test; empty if it did not finish."""
    phases = {name: one["outcome"] for name, one in test.items() if isinstance(one, dict)}
    if phases.get("call") == "failed":
        return "failed"
    if "failed" in phases.values():  # in setup or teardown, or with its worker
        return "error"
    return str(phases.get("call") or ("skipped" if phases.get("setup") == "skipped" else ""))
