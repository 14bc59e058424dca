"""The findings of `pk check`: a pure comparison of linked tests with the pact, without any history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from pactkeeper.advice import ABANDON, ACCEPT, COMMIT, DEBT, SUPERSEDE, WEAKER, Advice
from pactkeeper.catalog.schema import DEBT_FILE
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.links import (
    LIVE_LINKS,
    Link,
    LinkedTest,
    LinkState,
    TestState,
    gone_records,
    last_proofs,
    lost_annotations,
    what_changed,
)
from pactkeeper.intent.pact import LinkRecord, Pact, Waiver
from pactkeeper.intent.tests import Gap, Test, file_of, hiding
from pactkeeper.ledger.finding import Severity
from pactkeeper.reconcile.codes import Located, located, lost_proof, merging_findings, quoted, restoring
from pactkeeper.reconcile.commitments import CommitmentFacts, commitment_findings, moved_findings, succession_findings
from pactkeeper.reconcile.invariants import Ruled, as_ruled, rulings
from pactkeeper.reconcile.select import WITHOUT_INTENT, changed_along, moves

if TYPE_CHECKING:
    from pactkeeper.intent.strength.change import Change
    from pactkeeper.reconcile.world import World

UNLESS_MEANT = "; restore it, unless that is intended"


@dataclass(frozen=True, slots=True)
class Verdict:
    """All findings ordered by location, the waived ones, and the number of tests and atoms in each state.

    `untested` counts the committed atoms that no live link names, those that never had a test among them; `rules` are
    the invariants as judged.
    """

    findings: tuple[Located, ...]
    waived: tuple[tuple[Located, Waiver], ...]
    tests: Mapping[str, int]
    atoms: Mapping[str, int]
    gaps: int
    untested: int = 0
    rules: tuple[Ruled, ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether there is no finding of severity error."""
        return not any(entry.finding.severity == "error" for entry in self.findings)


# states of a moved test that follow from the move alone
_FOLLOWED: frozenset[TestState] = frozenset({*WITHOUT_INTENT, "inherited"})


def check(  # noqa: PLR0913 - what is known besides the tests and the pact, all named
    linked: Sequence[LinkedTest],
    pact: Pact,
    gaps: Sequence[Gap],
    *,
    today: date,
    known: CommitmentFacts | None = None,
    forgotten: Iterable[Located] = (),
) -> Verdict:
    """Compare links with declarations; `linked` holds all tests of one snapshot.

    Without `known`, nothing is reported about signatures or earlier commitments. `forgotten` are the findings of
    `forgotten_proofs`.
    """
    gone = gone_records(linked, pact, gaps)
    moved = moves(linked, pact, gone)
    heirs = {one.test.id: one.instead_of for one in linked if one.instead_of and one.test.id not in moved}
    changed = changed_along(linked, pact, gone, moved)
    told = {*moved.values(), *last_proofs(linked, pact, gone)}
    untested = list(_atom_findings(linked, pact, gaps, followed=[*moved.values(), *changed.values()], heirs=heirs))
    bare = {entry.finding.subject for entry in untested}
    found = [
        *_test_findings(
            [entry for entry in linked if entry.test.id not in moved or entry.state not in _FOLLOWED],
            pact,
            gaps,
            {**heirs, **changed},
        ),
        *moved_findings(moved, {entry.test.id: entry for entry in linked if entry.test.id in moved}),
        *untested,
        *_record_findings(pact, [name for name in gone if name not in told]),
        *_stale_debt(linked, pact, hiding(gaps)),
        *commitment_findings(pact, known),
        *(entry for entry in forgotten if entry.finding.about not in bare),
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
        _count_untested(linked, pact),
        ruled.rules,
    )


def _count_untested(linked: Sequence[LinkedTest], pact: Pact) -> int:
    live = _with_live_links(linked)
    return sum(pact.status_of(atom) == "committed" and atom not in live for atom in pact.atoms)


# states of a link caused by its annotation, however many tests that covers
NAMING: frozenset[LinkState] = frozenset({"unknown", "malformed", "superseded", "abandoned", "inherited"})


def _strict(setting: str) -> Severity:
    return "error" if setting == "fail" else "warning"


def _test_findings(
    linked: Sequence[LinkedTest], pact: Pact, gaps: Sequence[Gap], changed: Mapping[str, str]
) -> Iterator[Located]:
    """Yield what is wrong with tests and their links, except for tests whose own source is broken.

    `changed` maps each test that moved and changed to its vanished record.
    """
    broken = {(gap.file, gap.line) for gap in gaps if gap.broken}
    tests_at = Counter(_place(entry, link) for entry in linked for link in entry.links)
    covered = dict(tests_at)
    for entry in linked:
        test = entry.test
        if (test.file, test.line) in broken:
            continue
        if entry.state == "orphan":
            yield _orphan(entry, lost_annotations(entry, pact), pact.links.get(changed.get(test.id, "")))
        elif entry.state in {"debt", "changed_debt"} and entry.weaker:
            yield _weaker_debt(entry, pact)
        elif entry.state == "changed_debt":
            yield located(
                "PK107",
                test.id,
                "changed since it was recorded as debt",
                path=test.file,
                line=test.name_line,
                fix=ACCEPT(quoted(test.id)),
                basis=test.body_hash,
                severity=_strict(pact.settings.changed_debt),
            )
        for link in entry.links:
            where = _place(entry, link)
            if link.state == "suspect" and entry.weaker:
                yield _weakened(entry, link, pact)
            elif covered.pop(where, 0) or link.state not in NAMING:
                yield from _link_findings(entry, link, pact, others=tests_at[where] - 1)
        if entry.links:
            yield from (_removed(entry, atom) for atom in lost_annotations(entry, pact))


def _removed(entry: LinkedTest, atom: str) -> Located:
    test = entry.test
    return located(
        "PK113",
        test.id,
        f"its reviewed annotation is gone from the code: @atom {atom}",
        path=test.file,
        line=test.name_line,
        fix=f"pk reconcile {quoted(test.file)}",
        basis="removed",
        about=atom,
    )


def _orphan(entry: LinkedTest, lost: Sequence[str], before: LinkRecord | None) -> Located:
    test = entry.test
    message = "no atom says what this test is for"
    if lost:
        message = f"its annotation is gone from the code: @atom {', '.join(lost)}"
    which = ""
    if before is not None:
        what = "proves what {} did" if entry.instead_of == before.test else "moved from {}, and its body changed"
        message = f"it {what.format(before.test)}"
        which = f" --atom {next(iter((*before.atoms, *before.annotated)))}"
    return located(
        "PK101",
        test.id,
        message,
        path=test.file,
        line=test.name_line,
        fix=ACCEPT(f"{quoted(test.id)}{which}"),
        basis=test.body_hash,
    )


def _place(entry: LinkedTest, link: Link) -> tuple[str, int, str, str]:
    """Return the key that merges findings about one annotation: one atom in one place; a record's link has its own."""
    own = entry.test.id if link.own or link.carrier == "sidecar" else ""
    return entry.test.file, link.line, link.atom, f"{link.state} {own}"


def _link_findings(entry: LinkedTest, link: Link, pact: Pact, *, others: int) -> Iterator[Located]:
    code, message, fix = _link_trouble(entry, link, pact)
    if code is None:
        return
    if others and link.state in NAMING:
        message += f", nor for {others} more {'test' if others == 1 else 'tests'}" if code == "PK108" else ""
        fix = f"pk reconcile {quoted(entry.test.file)}" if code == "PK108" else fix
    test = entry.test
    settings = pact.settings
    severity: Severity | None = None
    if code == "PK106":
        severity = _strict(settings.suspect)
    elif code == "PK108":
        severity = _strict(settings.inherited)
    elif code in {"PK102", "PK103"} and pact.debt.by_test.get(test.id) == test.body_hash:
        severity, message = "info", f"{message}; the test is recorded as debt"
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


def _weakened(entry: LinkedTest, link: Link, pact: Pact) -> Located:
    """Report a test that proves less than when its link was reviewed; for a committed atom nobody can confirm that."""
    test, first = entry.test, entry.weaker[0]
    committed = pact.is_committed(link.atom)
    proven = committed and entry.proves_less
    more = f" (and {len(entry.weaker) - 1} more)" if len(entry.weaker) > 1 else ""
    said = "proves" if entry.proves_less else "may prove"
    rest = "; an unlinked test of its file asserts the rest" if entry.unlinked else ""
    hint = "" if proven or entry.unlinked else UNLESS_MEANT
    return located(
        "PK115",
        test.id,
        f"it {said} less of {link.atom} than was reviewed: {first.message}{more}{rest}{hint}",
        path=test.file,
        line=first.line or test.name_line,
        fix=_strengthen(entry, link.atom, pact, proven=proven),
        basis=_says(test),
        about=link.atom,
        severity="error" if proven else _strict(pact.settings.suspect),
        detail=facets(entry.weaker),
    )


def _strengthen(entry: LinkedTest, atom: str, pact: Pact, *, proven: bool) -> Advice:
    """Say how to link the tests that the assertions went to, else how to restore or confirm them."""
    if entry.unlinked:
        return ACCEPT(*map(quoted, entry.unlinked), "--atom", atom)
    if proven:
        return restoring(atom, pact.waiting_for(atom))
    sure = any(one.severity == "error" for one in entry.weaker)
    return WEAKER(quoted(entry.test.id), "--weaker") if sure else ACCEPT(quoted(entry.test.id))


def _weaker_debt(entry: LinkedTest, pact: Pact) -> Located:
    """Report a test without intent that asserts less than when recorded as debt; an error if it asserts nothing."""
    test, first = entry.test, entry.weaker[0]
    return located(
        "PK116",
        test.id,
        f"since it was recorded as debt, {first.message}",
        path=test.file,
        line=first.line or test.name_line,
        fix="restore it, or record it as it is: " + DEBT(quoted(test.id), "--reason …"),
        basis=test.body_hash,
        severity="error" if first.severity == "error" else _strict(pact.settings.changed_debt),
        detail=facets(entry.weaker),
    )


def facets(changes: Sequence[Change]) -> list[str]:
    """Return what each change removed and added, as diff lines."""
    from pactkeeper.intent.strength.change import beside  # noqa: PLC0415 - only where a test got weaker

    pairs = [beside(one.old, one.new) for one in changes]
    return [f"{sign} {facet}" for pair in pairs for sign, facet in zip("-+", pair, strict=True) if facet]


def _says(test: Test) -> str:
    """Return what a test says, as far as hashes show it."""
    return f"{test.body_hash} {test.helpers}" if test.helpers else test.body_hash


def _link_trouble(entry: LinkedTest, link: Link, pact: Pact) -> tuple[str | None, str, str]:
    test = quoted(entry.test.id)
    match link.state:
        case "unknown":
            return (
                "PK102",
                f"{link.atom} is not in the pact",
                "correct the id, or restore the atom; pk init --adopt drafts what annotations name",
            )
        case "malformed":
            return "PK103", f"{link.atom!r} is not an atom id", f"@atom {pact.settings.atom_prefix}-…"
        case "superseded":
            fix = ACCEPT(test) if link.own else f"in the {link.scope}'s annotation: @atom {link.successor}"
            return "PK104", f"{link.atom} is superseded by {link.successor}", fix
        case "abandoned":
            return "PK105", f"{link.atom} is abandoned", ACCEPT(test, "--intent 'One sentence.'")
        case "suspect":
            changed = what_changed(entry.test, entry.record)
            return "PK106", f"{changed} changed since the link to {link.atom} was reviewed", ACCEPT(test)
        case "inherited":
            return "PK108", f"{link.atom} comes from the {link.scope}; nobody confirmed it for this test", ACCEPT(test)
        case "unratified" if pact.settings.require_committed:
            return "PK109", f"{link.atom} is not committed", COMMIT(link.atom)
        case _:
            return None, "", ""


def _atom_findings(
    linked: Sequence[LinkedTest],
    pact: Pact,
    gaps: Sequence[Gap],
    *,
    followed: Iterable[str],
    heirs: Mapping[str, str],
) -> Iterator[Located]:
    """Yield atoms that lost their last test, except those from files that could not be read.

    `followed` are the records of tests that moved: their atoms have a test elsewhere. `heirs` maps new tests to the
    records that they prove.
    """
    proven = {atom: test for test, name in heirs.items() for atom in pact.links[name].named}
    free = {entry.test.id for entry in linked if entry.state == "orphan"}
    live = _with_live_links(linked)
    live |= {atom for name in followed for atom in (*pact.links[name].atoms, *pact.links[name].annotated)}
    unseen = hiding(gaps)
    for atom in pact.live_atoms:
        if atom.id in live:
            continue
        homes = _home(atom) | {file_of(name) for name in pact.tests_of(atom.id)}
        if homes and not homes & unseen:
            never = not pact.tests_of(atom.id)
            source = atom.origin if never and atom.origin in free else None
            yield _untested(atom, pact, proven.get(atom.id) or source, never=never)
        elif homes and pact.is_committed(atom.id):
            yield _hidden(atom, min(homes & unseen))


def _with_live_links(linked: Iterable[LinkedTest]) -> set[str]:
    """Return the atoms that at least one live link names."""
    return {link.atom for entry in linked for link in entry.links if link.state in LIVE_LINKS}


def _home(atom: Atom) -> set[str]:
    """Return the file of the test an atom came from; empty if it was declared first and has not had a test yet."""
    return {file_of(atom.origin)} if atom.origin is not None and "::" in atom.origin else set()


def _hidden(atom: Atom, file: str) -> Located:
    return located(
        "PK110",
        atom.id,
        f"it is committed, and none of its tests can be read: {file} is not read or not collected",
        path=atom.path,
        line=atom.line,
        fix="pk gaps",
        basis="hidden",
        severity="error",
    )


def _untested(atom: Atom, pact: Pact, heir: str | None, *, never: bool) -> Located:
    """Report an atom without a test; `heir` is one to link, and `never` says that the pact has no record of any."""
    waiting = pact.waiting_for(atom.id)
    message = f"no test realises it{'' if never else ' any more'}; it came from {atom.origin}"
    message = message if _home(atom) else "its last test is gone"
    message += f", and {waiting} waits to replace it" if waiting else ""
    link = (
        ("link that test" if never else "link the test that proves it now")
        if heir
        else f"write @atom {atom.id} above a test that realises it"
    )
    return located(
        "PK110",
        atom.id,
        f"{message}; {link}, or give it up",
        path=atom.path,
        line=atom.line,
        fix=ACCEPT(quoted(heir), "--atom", atom.id) if heir else _given_up(atom.id, waiting, pact),
        basis="without test",
        severity="error" if pact.is_committed(atom.id) else None,
    )


def _given_up(name: str, waiting: str | None, pact: Pact) -> Advice:
    if not pact.is_committed(name):
        return ABANDON(name, "--reason 'Why.'")
    return COMMIT(waiting) if waiting else SUPERSEDE(name, "--intent 'One sentence.'")


def forgotten_proofs(world: World, earlier: Pact, commit: str) -> Iterator[Located]:
    """Yield what proved committed atoms at an earlier commit and is neither noted nor proven any more."""
    for record, atom, lost in world.forgotten(earlier):
        shown = "; ".join(lost[:3])
        yield located(
            "PK115",
            record.test,
            f"at {commit[:12]} it proved {atom}, which is committed; no test proves as much now: {shown}",
            path=world.pact.atoms[atom].path,
            line=world.pact.atoms[atom].line,
            fix=restoring(atom, world.pact.waiting_for(atom)),
            basis="forgotten",
            about=atom,
        )


def _record_findings(pact: Pact, gone: Iterable[str]) -> Iterator[Located]:
    """Yield records whose tests are gone and whose absence no other finding tells."""
    for name in gone:
        record = pact.links[name]
        committed = [atom for atom in record.named if pact.is_committed(atom)]
        look = f"; it proved {', '.join(committed)}, so first check what took its place" if committed else ""
        yield located(
            "PK111",
            name,
            f"the test of this record is gone{look}",
            path=record.path,
            line=record.line,
            fix="pk reconcile",
            basis="without test",
            severity="error" if committed else None,
        )


def _stale_debt(linked: Sequence[LinkedTest], pact: Pact, unseen: frozenset[str]) -> Iterator[Located]:
    bodies = {entry.test.body_hash for entry in linked}
    names = {entry.test.id for entry in linked}
    for name, body in pact.debt.by_test.items():
        if name not in names and body not in bodies and file_of(name) not in unseen:
            yield located(
                "PK203",
                name,
                "no test has this name or body any more",
                path=pact.folder.path(DEBT_FILE),
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
    """Split findings into those that stand and those that are waived."""
    by_key = {waiver.key: waiver for waiver in waivers if waiver.until >= today}
    kept: list[Located] = []
    waived: list[tuple[Located, Waiver]] = []
    for entry in found:
        finding = entry.finding
        waiver = by_key.get(finding.fingerprint) or by_key.get(f"{finding.code} {finding.subject}")
        if waiver is None or waiver.evidence not in {None, finding.evidence_hash} or lost_proof(finding):
            kept.append(entry)
        else:
            waived.append((entry, waiver))
    return kept, waived
