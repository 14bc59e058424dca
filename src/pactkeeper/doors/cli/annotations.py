"""Findings in formats that other tools read: GitHub workflow commands and SARIF 2.1.0."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from pactkeeper import __version__
from pactkeeper.doors.cli.output import say, write_out
from pactkeeper.operators.check import Row
from pactkeeper.reconcile.codes import CODES, Code

_SARIF = {"error": "error", "warning": "warning", "info": "note"}
_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}


def print_github(rows: Sequence[Row]) -> None:
    """Print each finding as a workflow command."""
    for row in rows:
        say(_github_command(row))


def _github_command(row: Row) -> str:
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


def write_sarif(place: Path, rows: Sequence[Row], rules: Mapping[str, str]) -> None:
    """Write one SARIF log; `rules` are the texts of a project's own rules by id. Raises WriteFailed."""
    write_out(place, json.dumps(_sarif(rows, rules), indent=1) + "\n")


def _sarif(rows: Sequence[Row], rules: Mapping[str, str]) -> Mapping[str, object]:
    """One SARIF log with one run; fingerprints keep results the same across line moves."""
    codes = {row.code: _meaning(row, rules) for row in rows}
    used = sorted(codes)
    driver = {
        "name": "Pactkeeper",
        "version": __version__,
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
