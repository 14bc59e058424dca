"""A main branch that is swept again and again, in memory."""

from dataclasses import dataclass, field, replace

from pactkeeper.health.concluding import EarlierSweeps, conclude
from pactkeeper.health.tasking import SweepFacts
from pactkeeper.intent.health import CheckResult, Diagnostic, FixTask, HealthFinding, Sweep

AT = "2026-03-01T12:00:00+00:00"


def wrong(name, *, check="test", category="test", **fields):
    given = {"test": f"tests/test_a.py::{name}", "file": f"shop/{name}.py", "line": 1, **fields}
    return Diagnostic(check, category, given.pop("severity", "error"), f"assert {name}", **given)


def compile_error(name, file="a.ts"):
    return Diagnostic("tsc", "compile", "error", f"Cannot find name '{name}'.", rule="TS2304", file=file, symbol=name)


def result(*diagnostics, check="test", category="test", verdict=None, **fields):
    return CheckResult(
        check, category, verdict or ("fail" if diagnostics else "pass"), diagnostics=diagnostics, **fields
    )


@dataclass
class Line:
    """A main branch that is swept again and again; it keeps what a store would."""

    findings: dict[str, HealthFinding] = field(default_factory=dict)
    tasks: dict[str, FixTask] = field(default_factory=dict)
    order: dict[str, int] = field(default_factory=dict)

    def sweep(self, *results, facts=None, commit=None, **fields):
        number = len(self.order) + 1
        one = Sweep(f"s{number}", commit or f"c{number}", "main", AT, AT, results, **fields)
        self.order[one.id] = number
        known = EarlierSweeps(tuple(self.findings.values()), tuple(self.tasks.values()), self.order)
        made = conclude(one, known, facts or SweepFacts(AT))
        self.findings.update({each.diagnostic.fingerprint: each for each in made.findings})
        self.tasks.update({each.id: each for each in made.tasks})
        self.tasks.update({after.id: after for _, after in made.changes})
        return made

    def set(self, task, **fields):
        self.tasks[task.id] = replace(self.tasks[task.id], **fields)

    def state(self, one):
        return self.findings[one.fingerprint].state

    @property
    def statuses(self):
        return [one.status for one in self.tasks.values()]
