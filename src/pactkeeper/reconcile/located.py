"""A finding with its location, the form in which every check of a snapshot reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pactkeeper.intent.folder import Contested, Merging, Version
from pactkeeper.intent.pact import Pact
from pactkeeper.ledger.finding import Evidence, Finding, Severity
from pactkeeper.reconcile.codes import CODES


@dataclass(frozen=True, slots=True)
class Located:
    """A finding with its location; `line` is 1-based, 0 means the whole file."""

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
    """Make a finding of `pk check`; `basis` is what its rejection depends on, `severity` overrides the code's default.

    `detail` are lines that show the disagreement itself, such as a diff.
    """
    evidence = (Evidence("mechanical", path=path, line=line, note=basis, quote="\n".join(detail)),)
    grade = severity or CODES[code].severity
    rule = CODES[code].invariant
    found = Finding(code, subject, grade, message, evidence=evidence, fix=fix, about=about, invariant=rule)
    return Located(found, path, line)


_MOST_SHOWN = 120


def merging_findings(pact: Pact) -> Iterator[Located]:
    """Yield one finding per contested entry, per unmerged file, and per dangling reference."""
    merging = pact.merging
    yield from (_contested(one) for one in merging.contested)
    yield from _unmerged(merging)
    for one in merging.dangling:
        yield located(
            "PK152",
            one.holder,
            one.message,
            path=one.path,
            line=one.line,
            fix="pk resolve",
            basis=one.message,
            severity="warning" if one.holder in pact.molecules else None,
        )


def _contested(one: Contested) -> Located:
    keys = ", ".join(key or one.name for key in one.keys) or "where it stands"
    sides = " and ".join(_named(version, number) for number, version in enumerate(one.versions))
    detail = [_shown(version, number, one.keys) for number, version in enumerate(one.versions)]
    return located(
        "PK150",
        one.name,
        f"two branches differ in {keys}: {sides}",
        path=one.path,
        line=one.line,
        fix=f"pk resolve {quoted(one.name)}",
        basis="\n".join(detail),
        detail=detail,
    )


def _named(version: Version, number: int) -> str:
    name = version.label or ("ours" if number == 0 else "theirs")
    return f"{name} ({version.commit})" if version.commit and version.commit not in name else name


def _shown(version: Version, number: int, keys: tuple[str, ...]) -> str:
    said = ", ".join(f"{key} = {version.fields[key]}" for key in keys if key in version.fields)
    text = f"{_named(version, number)}: {said or ('removed' if not version.fields else 'the same')}"
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"


def _unmerged(merging: Merging) -> Iterator[Located]:
    for one in merging.unmerged:
        open_here = sum(contested.path == one.path for contested in merging.contested)
        said = f"; {open_here} of its entries are contested" if open_here else "; both sides were read"
        yield located(
            "PK151",
            one.path,
            f"its merge is not concluded{said}",
            path=one.path,
            line=one.line,
            fix="pk resolve",
            basis="unmerged",
        )


def quoted(text: str) -> str:
    """Quote a name for a POSIX shell if necessary."""
    from shlex import quote  # noqa: PLC0415 - only when there is something to print

    return quote(text)
