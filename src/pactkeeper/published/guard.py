"""What a change did to the tests as JSON: the same report for the command line, agents and REST."""

from __future__ import annotations

from typing import Final

from pactkeeper.operators.check import Row
from pactkeeper.operators.guard import GuardReport
from pactkeeper.published.plain import Codec


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
