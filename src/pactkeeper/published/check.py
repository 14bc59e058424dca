"""A check as JSON."""

from __future__ import annotations

from collections.abc import Mapping

from pactkeeper.operators.check import CheckReport, Row

SCHEMA = "pactkeeper.check/1"


def check_document(report: CheckReport) -> Mapping[str, object]:
    """The published form."""
    return {
        "schema": SCHEMA,
        "snapshot": report.snapshot,
        "agrees": report.agrees,
        "declared": report.declared,
        "findings": [_finding(row) for row in report.findings],
        "waived": [
            {**_finding(one.row), "waived_by": one.by, "why": one.why, "until": one.until} for one in report.waived
        ],
        "summary": {
            "errors": report.count("error"),
            "warnings": report.count("warning"),
            "infos": report.count("info"),
            "tests": report.tests,
            "atoms": report.atoms,
            "gaps": report.gaps,
            "commitments": report.commitments,
        },
        "invariants": [
            {"id": one.id, "code": one.code, "rule": one.text, "status": one.status, "reason": one.reason}
            for one in report.rules
        ],
    }


def _finding(row: Row) -> dict[str, object]:
    return {
        "code": row.code,
        "invariant": row.invariant,
        "severity": row.severity,
        "file": row.path,
        "line": row.line,
        "subject": row.subject,
        "about": row.about,
        "message": row.message,
        "fix": row.fix,
        "detail": list(row.detail),
        "fingerprint": row.fingerprint,
    }
