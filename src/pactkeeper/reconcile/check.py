"""What `pk check` finds: a pure comparison of linked tests with the pact; it needs no history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.links import (
    LIVE_LINKS,
    Link,
    LinkedTest,
    held_records,
    lost_annotations,
    realisers_by_atom,
    what_changed,
)
from pactkeeper.intent.pact import Pact, Waiver
from pactkeeper.intent.tests import Gap, Test, file_of
from pactkeeper.ledger.finding import Severity
from pactkeeper.reconcile.commitments import Known, commitment_findings
from pactkeeper.reconcile.invariants import Ruled, as_ruled, rulings
from pactkeeper.reconcile.located import Located, located
from pactkeeper.reconcile.merging import merging_findings
from pactkeeper.reconcile.shell import quoted
from pactkeeper.reconcile.successions import succession_findings


@dataclass(frozen=True, slots=True)
class Verdict:
    """All findings in order of place, those that waivers hold back, and how many tests and atoms are in which state.

    `rules` are the invariants as they were judged.
    """

    findings: tuple[Located, ...]
    waived: tuple[tuple[Located, Waiver], ...]
    tests: Mapping[str, int]
    atoms: Mapping[str, int]
    gaps: int
    rules: tuple[Ruled, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether nothing of severity error stands."""
        return not any(entry.finding.severity == "error" for entry in self.findings)


def check(
    linked: Sequence[LinkedTest], pact: Pact, gaps: Sequence[Gap], *, today: date, known: Known | None = None
) -> Verdict:
    """Compare what is linked with what is declared; `linked` holds all tests of one snapshot.

    Without `known`, nothing is said about signatures and about what became of earlier commitments.
    """
    found = [
        *_test_findings(linked, pact, gaps),
        *_atom_findings(linked, pact, gaps),
        *_record_findings(linked, pact, gaps),
        *commitment_findings(pact, known),
        *succession_findings(pact),
        *merging_findings(pact),
        *(_gap_finding(gap) for gap in gaps),
        *_expired(pact.waivers, today),
    ]
    finds = [entry.finding for entry in found]
    ruled = rulings(linked, pact, gaps, found=finds, known=known, today=today)
    found = [*as_ruled(found, pact), *ruled.findings]
    found.sort(key=lambda entry: (entry.path, entry.line, entry.finding.code, entry.finding.subject))
    kept, waived = waive(found, pact.waivers, today)
    states = Counter(entry.state for entry in linked)
    statuses = Counter(str(pact.status_of(atom)) for atom in pact.atoms)
    return Verdict(
        tuple(kept),
        tuple(waived),
        dict(sorted(states.items())),
        dict(sorted(statuses.items())),
        len(gaps),
        ruled.rules,
    )


def _strict(setting: str) -> Severity:
    return "error" if setting == "fail" else "warning"


def _test_findings(linked: Sequence[LinkedTest], pact: Pact, gaps: Sequence[Gap]) -> Iterator[Located]:
    """What is wrong with tests and their links; of a test whose own source is broken nothing can be said."""
    candidates = _moved_records(linked, pact)
    broken = {(gap.file, gap.line) for gap in gaps if gap.broken}
    for entry in linked:
        test = entry.test
        if (test.file, test.line) in broken:
            continue
        if entry.state == "orphan":
            yield _orphan(entry, candidates.get(test.body_hash), lost_annotations(entry, pact))
        elif entry.state == "changed_debt":
            yield located(
                "PK107",
                test.id,
                "changed since it was recorded as debt",
                path=test.file,
                line=test.name_line,
                fix=f"pk accept {quoted(test.id)}",
                basis=test.body_hash,
                severity=_strict(pact.settings.changed_debt),
            )
        for link in entry.links:
            yield from _link_findings(entry, link, pact)
        if entry.links:
            yield from (_removed(entry, atom) for atom in lost_annotations(entry, pact))


def _removed(entry: LinkedTest, atom: str) -> Located:
    test = entry.test
    return located(
        "PK113",
        test.id,
        "its annotation was reviewed and is gone from the code",
        path=test.file,
        line=test.name_line,
        fix=f"paste above the test: @atom {atom}",
        basis="removed",
        about=atom,
    )


def _orphan(entry: LinkedTest, moved_from: str | None, lost: Sequence[str]) -> Located:
    test = entry.test
    message = "no atom says what this test is for"
    if lost:
        message = f"its annotation is gone from the code: @atom {', '.join(lost)}"
    elif moved_from is not None:
        message = f"looks moved: {moved_from} had the same body and is gone"
    return located(
        "PK101",
        test.id,
        message,
        path=test.file,
        line=test.name_line,
        fix=f"pk accept {quoted(test.id)}",
        basis=test.body_hash,
    )


def _moved_records(linked: Sequence[LinkedTest], pact: Pact) -> Mapping[str, str]:
    """Body hash → id of a record whose test is gone; a hash that several such records share names none of them."""
    present = {entry.test.id for entry in linked}
    found: dict[str, list[str]] = {}
    for name, record in pact.links.items():
        if name not in present and record.body and (record.atoms or record.annotated):
            found.setdefault(record.body, []).append(name)
    return {body: names[0] for body, names in found.items() if len(names) == 1}


def _link_findings(entry: LinkedTest, link: Link, pact: Pact) -> Iterator[Located]:
    code, message, fix = _link_trouble(entry, link, pact)
    if code is None:
        return
    test = entry.test
    settings = pact.settings
    severity: Severity | None = None
    if code == "PK106":
        severity = _strict(settings.suspect)
    elif code == "PK108":
        severity = _strict(settings.inherited)
    yield located(
        code,
        test.id,
        message,
        path=test.file,
        line=link.line,
        fix=fix,
        basis=_says(test) if code == "PK106" else link.state,
        about=link.atom,
        severity=severity,
    )


def _says(test: Test) -> str:
    """What a test says, as far as hashes tell it."""
    return f"{test.body_hash} {test.helpers}" if test.helpers else test.body_hash


def _link_trouble(entry: LinkedTest, link: Link, pact: Pact) -> tuple[str | None, str, str]:
    accept = f"pk accept {quoted(entry.test.id)}"
    match link.state:
        case "unknown":
            return "PK102", f"{link.atom} is not in the pact", "correct the id, or restore the atom"
        case "malformed":
            return "PK103", f"{link.atom!r} is no atom id", f"@atom {pact.settings.atom_prefix}-…"
        case "superseded":
            fix = accept if link.own else f"in the {link.scope}'s annotation: @atom {link.successor}"
            return "PK104", f"{link.atom} is superseded by {link.successor}", fix
        case "abandoned":
            return "PK105", f"{link.atom} is abandoned", f"remove the link to {link.atom}"
        case "suspect":
            changed = what_changed(entry.test, entry.record)
            return "PK106", f"{changed} changed since the link to {link.atom} was reviewed", accept
        case "inherited":
            return "PK108", f"{link.atom} comes from the {link.scope}; nobody confirmed it for this test", accept
        case "unratified" if pact.settings.require_committed:
            return "PK109", f"{link.atom} is not committed", f"commit {link.atom}"
        case _:
            return None, "", ""


def _atom_findings(linked: Sequence[LinkedTest], pact: Pact, gaps: Sequence[Gap]) -> Iterator[Located]:
    """Atoms that lost their last test; where files could not be read, an atom from such a file is not accused."""
    live = {
        atom
        for atom, entries in realisers_by_atom(linked).items()
        if any(link.atom == atom and link.state in LIVE_LINKS for entry in entries for link in entry.links)
    }
    unseen = {gap.file for gap in gaps}
    for atom in pact.atoms.values():
        status = pact.status_of(atom.id)
        if atom.id in live or status in {"superseded", "abandoned"}:
            continue
        homes = _home(atom) | {file_of(name) for name in pact.tests_of(atom.id)}
        if not homes or homes & unseen:
            continue
        yield _untested(atom, pact)


def _home(atom: Atom) -> set[str]:
    """The file of the test that an atom came from; none where it was written down first, and has had no test yet."""
    return {file_of(atom.origin)} if atom.origin is not None and "::" in atom.origin else set()


def _untested(atom: Atom, pact: Pact) -> Located:
    waiting = pact.waiting_for(atom.id)
    message = f"no test realises it any more; it came from {atom.origin}" if _home(atom) else "its last test is gone"
    fix = f"paste above a test: @atom {atom.id}, or give it up: pk atom abandon {atom.id} --reason …"
    if pact.is_committed(atom.id):
        message += f", and {waiting} waits to replace it" if waiting else ""
        fix = f"paste above a test: @atom {atom.id}, or {_replace(atom.id, waiting)}"
    return located(
        "PK110",
        atom.id,
        message,
        path=atom.path,
        line=atom.line,
        fix=fix,
        basis="without test",
        severity="error" if pact.is_committed(atom.id) else None,
    )


def _replace(name: str, waiting: str | None) -> str:
    return f"pk commit {waiting}" if waiting else f"pk supersede {name} --intent 'One sentence.'"


def _record_findings(linked: Sequence[LinkedTest], pact: Pact, gaps: Sequence[Gap]) -> Iterator[Located]:
    """Records of tests that are gone; a record whose file could not be read stays unaccused."""
    held = held_records(linked)
    unseen = {gap.file for gap in gaps}
    for name, record in pact.links.items():
        if name not in held and file_of(name) not in unseen:
            yield located(
                "PK111",
                name,
                "the test of this record is not there",
                path=record.path,
                line=record.line,
                fix="pk reconcile",
                basis="without test",
            )
    yield from _stale_debt(linked, pact, unseen)


def _stale_debt(linked: Sequence[LinkedTest], pact: Pact, unseen: set[str]) -> Iterator[Located]:
    bodies = {entry.test.body_hash for entry in linked}
    names = {entry.test.id for entry in linked}
    for name, body in pact.debt.by_test.items():
        if name not in names and body not in bodies and file_of(name) not in unseen:
            yield located(
                "PK203",
                name,
                "no test has this name or body any more",
                path="pact/debt.txt",
                line=0,
                fix="pk debt prune",
                basis=body,
            )


def _gap_finding(gap: Gap) -> Located:
    return located("PK120", gap.file, gap.reason, path=gap.file, line=gap.line, basis=gap.reason)


def _expired(waivers: Iterable[Waiver], today: date) -> Iterator[Located]:
    for waiver in waivers:
        if waiver.until < today:
            yield located(
                "PK204",
                waiver.key,
                f"{waiver.by} waived this until {waiver.until.isoformat()}",
                path=waiver.path,
                line=waiver.line,
                basis=waiver.until.isoformat(),
            )


def waive(
    found: Sequence[Located], waivers: Sequence[Waiver], today: date
) -> tuple[list[Located], list[tuple[Located, Waiver]]]:
    """Part findings into those that stand and those that somebody answers for."""
    by_key = {waiver.key: waiver for waiver in waivers if waiver.until >= today}
    kept: list[Located] = []
    waived: list[tuple[Located, Waiver]] = []
    for entry in found:
        finding = entry.finding
        waiver = by_key.get(finding.fingerprint) or by_key.get(f"{finding.code} {finding.subject}")
        if waiver is None or waiver.evidence not in {None, finding.evidence_hash}:
            kept.append(entry)
        else:
            waived.append((entry, waiver))
    return kept, waived
