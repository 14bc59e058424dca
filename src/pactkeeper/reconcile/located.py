"""A finding with the place to look at, the form in which every check of a snapshot reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pactkeeper.ledger.evidence import Evidence
from pactkeeper.ledger.finding import Finding, Severity
from pactkeeper.reconcile.codes import CODES


@dataclass(frozen=True, slots=True)
class Located:
    """A finding with the place to look at; `line` counts from 1, 0 means the whole file."""

    finding: Finding
    path: str
    line: int


def located(  # noqa: PLR0913 - the parts of one finding, all named
    code: str,
    subject: str,
    message: str,
    *,
    path: str,
    line: int,
    fix: str = "",
    basis: str = "",
    about: str = "",
    severity: Severity | None = None,
    detail: Sequence[str] = (),
) -> Located:
    """Make a finding of `pk check`; `basis` is what a rejection of it depends on, `severity` overrides the code's.

    `detail` are lines that show the disagreement itself, such as a diff.
    """
    evidence = (Evidence("mechanical", path=path, line=line, note=basis, quote="\n".join(detail)),)
    grade = severity or CODES[code].severity
    rule = CODES[code].invariant
    found = Finding(code, subject, grade, message, evidence=evidence, fix=fix, about=about, invariant=rule)
    return Located(found, path, line)
