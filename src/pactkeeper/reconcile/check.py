"""The findings of `pk check`: a pure comparison of linked tests with the pact, without any history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from pactkeeper.advice import ACCEPT, leaving_out
from pactkeeper.catalog.schema import DEBT_FILE
from pactkeeper.intent.atoms import Atom
from pactkeeper.intent.links import LIVE_LINKS, LinkedTest, TestState, gone_records, last_proofs
from pactkeeper.intent.pact import Pact, Waiver
from pactkeeper.intent.tests import Gap, file_of, hiding, left_out
from pactkeeper.ledger.canonical import tally
from pactkeeper.reconcile.codes import Located, located, lost_proof, merging_findings, quoted
from pactkeeper.reconcile.commitments import CommitmentFacts, commitment_findings, succession_findings
from pactkeeper.reconcile.invariants import Ruled, as_ruled, rulings
from pactkeeper.reconcile.links import declaring, giving_up, in_place_of, moved_findings, test_findings
from pactkeeper.reconcile.select import WITHOUT_INTENT, changed_along, moves

if TYPE_CHECKING:
    from pactkeeper.reconcile.world import World


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
    standing = [one for one in linked if one.instead_of and one.test.id not in moved]
    heirs = {one.test.id: one.instead_of for one in standing}
    together = {one.instead_of: one.unlinked or (one.test.id,) for one in standing}
    together |= {name: (one.test.id,) for one in linked for name in one.also}
    changed = changed_along(linked, pact, gone, moved)
    told = {*moved.values(), *last_proofs(linked, pact, gone)}
    followed = [*moved.values(), *changed.values()]
    untested = list(_atom_findings(linked, pact, gaps, followed=followed, heirs=together))
    bare = {entry.finding.subject for entry in untested}
    staying = [entry for entry in linked if entry.test.id not in moved or entry.state not in _FOLLOWED]
    of_tests = list(test_findings(staying, pact, gaps, {**heirs, **changed}))
    less = {one.finding.about for one in of_tests if (one.finding.code, one.finding.severity) == ("PK115", "error")}
    found = [
        *of_tests,
        *moved_findings(moved, {entry.test.id: entry for entry in linked if entry.test.id in moved}),
        *untested,
        *_left_out(linked, pact, gaps),
        *_record_findings(pact, [name for name in gone if name not in told]),
        *_stale_debt(linked, pact, hiding(gaps)),
        *commitment_findings(pact, known),
        *(entry for entry in forgotten if entry.finding.about not in bare | less),
        *succession_findings(pact),
        *merging_findings(pact),
        *_blind_spots(gaps, {entry.test.file for entry in linked}),
        *_expired(pact.waivers, today),
    ]
    ruled = rulings(linked, pact, gaps, found=[entry.finding for entry in found], known=known, today=today)
    found = [*as_ruled(found, pact), *ruled.findings]
    found.sort(key=lambda entry: (entry.path, entry.line, entry.finding.code, entry.finding.subject))
    kept, waived = waive(found, pact.waivers, today)
    return Verdict(
        tuple(kept),
        tuple(waived),
        tally(entry.state for entry in linked),
        tally(str(pact.status_of(atom)) for atom in pact.atoms),
        len(gaps),
        _count_untested(linked, pact),
        ruled.rules,
    )


def _blind_spots(gaps: Iterable[Gap], tested: Collection[str]) -> Iterator[Located]:
    for gap in gaps:
        alone = gap.broken or gap.bare or gap.options or gap.file in tested
        fix = "" if alone else leaving_out([gap.file], gap.reason)
        yield located("PK120", gap.file, gap.reason, path=gap.file, line=gap.line, fix=fix, basis=gap.reason)


def _count_untested(linked: Sequence[LinkedTest], pact: Pact) -> int:
    live = _with_live_links(linked)
    return sum(pact.status_of(atom) == "committed" and atom not in live for atom in pact.atoms)


def _atom_findings(
    linked: Sequence[LinkedTest],
    pact: Pact,
    gaps: Sequence[Gap],
    *,
    followed: Iterable[str],
    heirs: Mapping[str, Sequence[str]],
) -> Iterator[Located]:
    """Yield atoms that lost their last test, except those from files that could not be read.

    `followed` are the records of tests that moved: their atoms have a test elsewhere. `heirs` maps records of vanished
    tests to the new tests that prove as much.
    """
    proven = {atom: tests for name, tests in heirs.items() for atom in pact.links[name].named}
    free = {entry.test.id for entry in linked if entry.state == "orphan"}
    unlike = {atom: entry for entry in linked if entry.unlike for atom in pact.links[entry.unlike].named}
    own = [(entry.test.id, link) for entry in linked for link in entry.links if link.own and link.successor]
    behind = {str(link.successor): test for test, link in own if link.state == "superseded"}
    live = _with_live_links(linked)
    live |= {atom for name in followed for atom in (*pact.links[name].atoms, *pact.links[name].annotated)}
    unseen = hiding(gaps)
    for atom in pact.live_atoms:
        if atom.id in live:
            continue
        homes = _home(atom) | {file_of(name) for name in pact.tests_of(atom.id)}
        if homes and not homes & unseen:
            never = not pact.tests_of(atom.id)
            source = (atom.origin,) if never and atom.origin is not None and atom.origin in free else ()
            tests = proven.get(atom.id) or source
            yield _untested(atom, pact, tests, unlike=unlike.get(atom.id), behind=behind.get(atom.id, ""), never=never)
        elif homes and pact.is_committed(atom.id):
            file = min(homes & unseen)
            yield _hidden(atom, file, next(gap.reason for gap in gaps if gap.file == file and not gap.bare))


def _with_live_links(linked: Iterable[LinkedTest]) -> set[str]:
    """Return the atoms that at least one live link names."""
    return {atom for entry in linked for atom in entry.atoms(LIVE_LINKS)}


def _home(atom: Atom) -> set[str]:
    """Return the file of the test an atom came from; empty if it was declared first and has not had a test yet."""
    return {file_of(atom.origin)} if atom.origin is not None and "::" in atom.origin else set()


def _hidden(atom: Atom, file: str, why: str) -> Located:
    return located(
        "PK110",
        atom.id,
        f"it is committed, and none of its tests can be read: {file} is not read or not collected",
        path=atom.path,
        line=atom.line,
        fix=leaving_out([file], why) if "merge conflict" in why else f"have this file read and collected: {why}",
        basis="hidden",
        severity="error",
    )


def _left_out(linked: Sequence[LinkedTest], pact: Pact, gaps: Sequence[Gap]) -> Iterator[Located]:
    """Yield committed atoms with a test that options in the project's settings leave out of a plain run."""
    promised = {entry.test: entry for entry in linked if any(map(pact.is_committed, entry.atoms()))}
    found: defaultdict[str, list[str]] = defaultdict(list)
    by: dict[str, Gap] = {}
    for test, gap in left_out(promised, gaps):
        for name in promised[test].atoms(LIVE_LINKS):
            if pact.is_committed(name) and pact.abandonment_of(name) is None:
                found[name].append(test.id)
                by.setdefault(name, gap)
    for name, tests in found.items():
        atom, gap = pact.atoms[name], by[name]
        more = f" and {len(tests) - 1} more of its tests" if len(tests) > 1 else ""
        yield located(
            "PK110",
            name,
            f"it is committed, and a plain run leaves out {tests[0]}{more}, by {' '.join(gap.options)} in {gap.file};"
            " take that out, or give the atom up",
            path=atom.path,
            line=atom.line,
            fix=f"take {' '.join(gap.options)} out of {gap.file}, or " + giving_up(name, pact),
            basis="left out",
            severity="error",
        )


def _untested(  # noqa: PLR0913 - what is known of the tests it may have
    atom: Atom, pact: Pact, heirs: Sequence[str], *, unlike: LinkedTest | None, behind: str, never: bool
) -> Located:
    """Report an atom without a test.

    `heirs` are those to link, `unlike` is one that expects something else, `behind` one that still names the atom that
    this one replaced, and `never` says that the pact has no record of any.
    """
    waiting = pact.waiting_for(atom.id)
    came = next(iter(pact.tests_of(atom.id)), atom.origin)
    message = f"no test realises it{'' if never else ' any more'}; it came from {came}"
    message = message if _home(atom) else "its last test is gone"
    link, fix = f"write @atom {atom.id} above a test that realises it", giving_up(atom.id, pact)
    if heirs:
        those = "test that proves" if len(heirs) == 1 else "tests that prove"
        link = "link that test" if never else f"link the {those} it now"
        fix = ACCEPT(*map(quoted, heirs), "--atom", atom.id)
    elif behind:
        link, fix = f"{behind} still names {atom.supersedes}, which it replaced", ACCEPT(quoted(behind))
    elif unlike is not None:
        link = f"link {waiting}, which waits to replace it, to" if waiting else "say what holds now for"
        link, fix = f"{link} {unlike.test.id}, which expects something else", in_place_of(unlike, pact)
    elif waiting:
        link = f"{waiting} replaces it once it is committed"
    return located(
        "PK110",
        atom.id,
        f"{message}; {link}{'' if waiting or behind else ', or give it up'}",
        path=atom.path,
        line=atom.line,
        fix=fix,
        basis="without test",
        severity="error" if pact.is_committed(atom.id) else None,
    )


_MOST_LOST: Final = 3


def forgotten_proofs(world: World, earlier: Pact, commit: str) -> Iterator[Located]:
    """Yield what proved committed atoms at an earlier commit and is neither noted nor proven any more."""
    for record, atom, lost in world.forgotten(earlier):
        yield located(
            "PK115",
            record.test,
            f"at {commit[:12]} it proved {atom}, which is committed; no test proves as much now",
            path=world.pact.atoms[atom].path,
            line=world.pact.atoms[atom].line,
            fix="restore it, or " + declaring(atom, world.pact),
            basis="forgotten",
            about=atom,
            detail=[f"- {one}" for one in lost[:_MOST_LOST]],
        )


def _record_findings(pact: Pact, gone: Iterable[str]) -> Iterator[Located]:
    """Yield records whose tests are gone and whose absence no other finding tells."""
    for name in gone:
        record = pact.links[name]
        committed = [atom for atom in record.named if pact.is_committed(atom) and pact.abandonment_of(atom) is None]
        look = f"; it proved {', '.join(committed)}, so first check what took its place" if committed else ""
        yield located(
            "PK111",
            name,
            f"the test of this record is gone{look}",
            path=record.path,
            line=record.line,
            fix=f"pk reconcile {quoted(file_of(name))}",
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
