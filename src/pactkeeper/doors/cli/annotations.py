"""Findings in formats that other tools read: GitHub workflow commands and SARIF 2.1.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from pactkeeper.operators.check import CheckReport, Row
from pactkeeper.reconcile.codes import CODES, Code

_SARIF = {"error": "error", "warning": "warning", "info": "note"}
_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}


def github_command(row: Row) -> str:
    """One workflow command; escaping follows the runner's rules for data and properties."""
    place = f"file={_property(row.path)}" + (f",line={row.line}" if row.line else "")
    title = _property(f"{row.code} {_meaning(row, {}).name}")
    text = "\n".join((f"{row.subject}: {row.message}" + (f" (fix: {row.fix})" if row.fix else ""), *row.detail))
    return f"::{_GITHUB[row.severity]} {place},title={title}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _meaning(row: Row, rules: Mapping[str, str]) -> Code:
    """The meaning of a code; a project's own code means what its rule says, from `rules` by id."""
    known = CODES.get(row.code)
    if known is not None:
        return known
    name = row.invariant
    return Code(row.code, name, "error", rules.get(name, name), f"`pk invariant show {name}` explains the rule.", name)


def sarif(report: CheckReport, version: str) -> Mapping[str, object]:
    """One SARIF log with one run; fingerprints keep results the same across line moves."""
    return sarif_of(report.findings, {one.id: one.text for one in report.rules}, version)


def sarif_of(rows: Sequence[Row], rules: Mapping[str, str], version: str) -> Mapping[str, object]:
    """Do the same for any findings; `rules` are the texts of a project's own rules by id."""
    codes = {row.code: _meaning(row, rules) for row in rows}
    used = sorted(codes)
    driver = {
        "name": "Pactkeeper",
        "version": version,
        "rules": [
            {
                "id": code,
                "name": codes[code].name,
                "shortDescription": {"text": codes[code].meaning},
                "help": {"text": codes[code].remedy},
                "defaultConfiguration": {"level": _SARIF[codes[code].severity]},
            }
            for code in used
        ],
    }
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": [_result(row, used) for row in rows]}],
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
