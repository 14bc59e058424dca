"""A check as JSON."""

from __future__ import annotations

from typing import Final

from pactkeeper.operators.check import CheckReport, Row, RuleRow, WaivedRow
from pactkeeper.published.plain import Codec

ROW: Final = Codec(Row, "code invariant severity file=path line subject about message fix detail fingerprint")
_RULE: Final = Codec(RuleRow, "id code rule=text status reason")
_ANSWERED: Final = Codec(WaivedRow, "waived_by=by why until")


def _summary(report: CheckReport) -> dict[str, object]:
    found = {f"{severity}s": report.count(severity) for severity in ("error", "warning", "info")}
    return {**found, **_COUNTS(report)}


_COUNTS: Final = Codec(CheckReport, "tests atoms gaps commitments")
CHECK: Final = Codec(
    CheckReport,
    "snapshot agrees declared findings waived summary= invariants=rules",
    findings=ROW,
    waived=lambda one: {**ROW(one.row), **_ANSWERED(one)},
    summary=_summary,
    invariants=_RULE,
)
