"""A check, a guard's report and open tasks as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pactkeeper.ledger.finding import Severity
from pactkeeper.operators.check import CheckReport, Row, RuleRow, WaivedRow
from pactkeeper.operators.guard import GuardReport
from pactkeeper.published.plain import Codec
from pactkeeper.reconcile.task import Task

ROW: Final = Codec(Row, "code invariant severity file=path line subject about message fix detail fingerprint")
_RULE: Final = Codec(RuleRow, "id code rule=text status reason")
_WAIVED: Final = Codec(WaivedRow, "*row waived_by=by why until", row=ROW)


def _count(severity: Severity) -> Callable[[CheckReport], int]:
    def count(report: CheckReport) -> int:
        return report.count(severity)

    return count


_SUMMARY: Final = Codec(
    CheckReport,
    "errors= warnings= infos= tests atoms gaps untested commitments",
    errors=_count("error"),
    warnings=_count("warning"),
    infos=_count("info"),
)
CHECK: Final = Codec(
    CheckReport,
    "snapshot agrees declared findings waived summary= invariants=rules",
    findings=ROW,
    waived=_WAIVED,
    summary=_SUMMARY,
    invariants=_RULE,
)


TASK: Final = Codec(Task, "priority kind subject message command severity path line fingerprint ops")


def _summary(report: GuardReport) -> dict[str, int]:
    counts = {f"{severity}s": report.count(severity) for severity in ("error", "warning", "info")}
    return {**counts, "compared": report.compared}


_ROW: Final = Codec(Row, "code severity file=path line subject message detail fingerprint")
GUARD: Final = Codec(
    GuardReport,
    "base target holds findings approved stronger unseen summary=",
    findings=_ROW,
    approved=Codec(tuple[Row, str], "*row approved_by", row=_ROW),
    stronger=_ROW,
    summary=_summary,
)
