"""Findings in the forms that other tools read: GitHub workflow commands and SARIF 2.1.0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import quote

from pactkeeper.reconcile.check import Located
from pactkeeper.reconcile.codes import CODES

_SARIF = {"error": "error", "warning": "warning", "info": "note"}
_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}


def github_command(entry: Located) -> str:
    """One workflow command; escaping follows the runner's rules for data and properties."""
    finding = entry.finding
    place = f"file={_property(entry.path)}" + (f",line={entry.line}" if entry.line else "")
    title = _property(f"{finding.code} {CODES[finding.code].name}")
    text = f"{finding.subject}: {finding.message}" + (f" (fix: {finding.fix})" if finding.fix else "")
    return f"::{_GITHUB[finding.severity]} {place},title={title}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif(entries: Iterable[Located], version: str) -> Mapping[str, object]:
    """One SARIF log with one run; fingerprints keep results the same across line moves."""
    found = list(entries)
    used = sorted({entry.finding.code for entry in found})
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
        "runs": [{"tool": {"driver": driver}, "results": [_result(entry, used) for entry in found]}],
    }


def _result(entry: Located, used: list[str]) -> Mapping[str, object]:
    finding = entry.finding
    physical: dict[str, object] = {"artifactLocation": {"uri": quote(entry.path)}}
    if entry.line:
        physical["region"] = {"startLine": entry.line}
    return {
        "ruleId": finding.code,
        "ruleIndex": used.index(finding.code),
        "level": _SARIF[finding.severity],
        "message": {"text": f"{finding.subject}: {finding.message}"},
        "locations": [{"physicalLocation": physical}],
        "partialFingerprints": {"pactkeeper/v1": finding.fingerprint},
    }
