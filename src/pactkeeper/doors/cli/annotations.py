"""Findings in the forms that other tools read: GitHub workflow commands and SARIF 2.1.0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import quote

from pactkeeper.operators.check import Row
from pactkeeper.reconcile.codes import CODES

_SARIF = {"error": "error", "warning": "warning", "info": "note"}
_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}


def github_command(row: Row) -> str:
    """One workflow command; escaping follows the runner's rules for data and properties."""
    place = f"file={_property(row.path)}" + (f",line={row.line}" if row.line else "")
    title = _property(f"{row.code} {CODES[row.code].name}")
    text = "\n".join((f"{row.subject}: {row.message}" + (f" (fix: {row.fix})" if row.fix else ""), *row.detail))
    return f"::{_GITHUB[row.severity]} {place},title={title}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif(rows: Iterable[Row], version: str) -> Mapping[str, object]:
    """One SARIF log with one run; fingerprints keep results the same across line moves."""
    found = list(rows)
    used = sorted({row.code for row in found})
    driver = {
        "name": "Pactkeeper",
        "version": version,
        "rules": [
            {
                "id": code,
                "name": CODES[code].name,
                "shortDescription": {"text": CODES[code].meaning},
                "help": {"text": CODES[code].remedy},
                "defaultConfiguration": {"level": _SARIF[CODES[code].severity]},
            }
            for code in used
        ],
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_result(row, used) for row in found]}],
    }


def _result(row: Row, used: list[str]) -> Mapping[str, object]:
    physical: dict[str, object] = {"artifactLocation": {"uri": quote(row.path)}}
    if row.line:
        physical["region"] = {"startLine": row.line}
    return {
        "ruleId": row.code,
        "ruleIndex": used.index(row.code),
        "level": _SARIF[row.severity],
        "message": {"text": "\n".join((f"{row.subject}: {row.message}", *row.detail))},
        "locations": [{"physicalLocation": physical}],
        "partialFingerprints": {"pactkeeper/v1": row.fingerprint},
    }
