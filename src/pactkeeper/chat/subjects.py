"""Answers about the subject of a question: what is declared about it, and which tests prove it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pactkeeper.advice import ACCEPT
from pactkeeper.chat.answers import Answer, Finding
from pactkeeper.chat.blocks import Block
from pactkeeper.chat.here import Given, Here, Writing, atom_line, place_of
from pactkeeper.chat.searching import Passage, holds_rarest, occurring, share_of, weighed
from pactkeeper.chat.spelling import nearest, spelled
from pactkeeper.chat.words import forms_of, terms_in
from pactkeeper.intent.tests import under
from pactkeeper.operators.observe import TestRow
from pactkeeper.operators.proof import Ran, ran_at

if TYPE_CHECKING:
    from pactkeeper.intent.evidence_state import TestEvidenceState
    from pactkeeper.operators.atoms import AtomRow

SPEAKS: Final = 50  # of 100: share of the subject that an atom, which has few words, must mention
NEAREST: Final = 10  # the same for the nearest match
MOST_TESTS: Final = 5
SEARCHED: Final = 2_000  # test files that are searched
MOST_ATOMS: Final = 5
EVERY: Final = 10**6  # atoms, which `Writing.first` cuts with a note
ALL: Final = 100  # of 100: all words of the subject


def words_in(given: Given) -> tuple[str, ...]:
    """Return the words of the subject."""
    return tuple(given.get("words", ()))


def atoms_about(here: Here, given: Given, *, most: int = MOST_ATOMS, share: int = SPEAKS) -> list[AtomRow]:
    """Return the atoms that are meant: the named one, or those about the subject, committed ones first."""
    if not here.declared:
        return []
    if "atom" in given:
        return [here.row(given["atom"])] if given["atom"] in here.pact.atoms else []
    forms = list(forms_of(terms_in(words_in(given))).values())
    live = [one for one in here.pact.atoms.values() if here.pact.status_of(one.id) not in {"abandoned", "superseded"}]
    if not forms or not live:
        return []
    texts = [" ".join((one.intent, *one.tags, *one.outcomes, one.id, one.origin or "", one.path)) for one in live]
    forms = nearest([one for one in forms if "-" not in one.word], texts)
    there = occurring(forms, texts)
    if len(forms) - len(there) < len(there) and any(all(one.count(text) for one in there) for text in texts):
        forms = there  # words that no atom has are not required if there are few and one atom has all the others
    weights = weighed(texts, forms)
    shares = [
        (share_of(text, weights), share_of(one.intent, weights), one) for one, text in zip(live, texts, strict=True)
    ]
    meant = sorted(
        (-said, -all_of_it, one.id)
        for (all_of_it, said, one), text in zip(shares, texts, strict=True)
        if all_of_it >= share and (share == NEAREST or holds_rarest(text, weights))
    )
    rows = [here.row(name) for _, _, name in meant]
    return sorted(rows, key=lambda row: row.status != "committed")[:most]


def committed_about(here: Here, given: Given) -> Answer:
    """Report what is declared about a subject, committed atoms first."""
    found, said = atoms_about(here, given, most=EVERY, share=ALL), here.writing()
    about, kind = " ".join(words_in(given)) or given.get("atom", ""), "answer" if found else "closest"
    close = found or atoms_about(here, given, most=EVERY, share=NEAREST)
    if not close:
        said.say(f"No atom has the words of {about!r}.", "missing")
        near = tests_about(here, given)[:1]
        then = tuple(ACCEPT(f"'{test.id}'") for test in near) or (f"pk ask 'where is {about}'",)
        return said.answer("search_atoms", next=then, searched=("the pact's atoms", "names and bodies of tests"))
    if not found:
        said.say(f"No atom has all of {about!r}. These have some of it:", "missing")
    elif not any(row.status == "committed" for row in found):
        said.say(f"No committed atom has all of {about!r}; these are not committed:", "missing")
    for row in said.first(close, "pk atom list"):
        said.say(atom_line(row), "verified", here.atom(row.atom))
    return said.answer("search_atoms", kind=kind, next=(f"pk explain {close[0].atom.id}",))


def proof_of(here: Here, given: Given) -> Answer:
    """Report the tests that prove a subject: those linked to its atoms, then unlinked ones that have its words."""
    said, states = here.writing(), here.states
    named = {row.atom.id for row in atoms_about(here, given)}
    linked = [row for row in here.scan.tests if named.intersection(row.atoms)]
    about = given.get("atom") or " ".join(words_in(given))
    count, close = (0, {}) if "atom" in given else tests_having(here, given)
    having = [row for row, place in close.items() if place.bears]
    if count:
        said.say(f"Tests that have all of {about!r}: {count}.", "computed")
    for row in said.first(linked, "pk evidence show", most=MOST_TESTS):
        atoms = ", ".join(sorted(named.intersection(row.atoms)))
        said.say(f"{row.id} is linked to {atoms}; {run_of(states, row)}.", "verified", here.test(row))
    say_ran(here, said, linked[:MOST_TESTS])
    kind = "answer" if having or said.borne else "closest"
    if kind == "closest" and close:
        said.say(f"No test has all of {about!r}. These are the closest ones:", "missing")
    loose = [row for row in having or close if row not in linked]
    for row in said.first(loose, "pk scan", most=max(1, MOST_TESTS - len(linked))):
        atoms = ", ".join(row.atoms) or "no atom"
        found = place_of(here, close[row])
        has = f"{row.id} has {_words_of(given, row, found)}"
        said.say(f"{has}; it is linked to {atoms}; {run_of(states, row)}.", "quoted", found)
    if said.borne:
        then = tuple(ACCEPT(f"'{row.id}'") for row in loose[:1] if not row.links)
        return said.answer("show_evidence", kind=kind, next=("pk evidence show", *then))
    return _unproved(here, given, said, about)


def _unproved(here: Here, given: Given, said: Writing, about: str) -> Answer:
    """Say that no test has the words, with the nearest atoms."""
    close = atoms_about(here, given, most=2, share=NEAREST)
    said.say(f"No test has all of {about!r}.", "missing")
    if not close:
        said.say("No atom has most of it: that may be a gap.", "missing")
    for atom in close[:1]:
        said.say(f"The nearest thing: {atom_line(atom)}", "missing", here.atom(atom.atom))
    return said.answer("show_evidence", next=("pk gaps",), searched=(f"{len(here.scan.tests):,} tests",))


def _words_of(given: Given, row: TestRow, found: Finding) -> str:
    """List the words that a test has in its name or the quoted lines, as spelled there."""
    forms = forms_of(terms_in(words_in(given))).values()
    written = (form.written(f"{row.id}\n{found.text}") for form in forms)
    return ", ".join(dict.fromkeys(filter(None, written)))


def ran_here(here: Here, tests: Sequence[TestRow]) -> tuple[Ran, ...]:
    """Return where these tests passed; empty without a history."""
    if not here.workspace.has_history:
        return ()
    mine = {row.id for row in tests}
    known = {name: state for name, state in here.states.items() if name in mine}
    return ran_at(here.workspace, here.snapshot, here.world, known)


def say_ran(here: Here, said: Writing, tests: Sequence[TestRow]) -> None:
    """Say where these tests passed if that was not the code that is here."""
    for one in ran_here(here, tests):
        if not one.here:
            said.say(f"{one.told}.", "missing")


def say_runs(here: Here, said: Writing, tests: Sequence[TestRow]) -> None:
    """Say where tests of which none is known to fail passed, and of how many no run tells anything."""
    ran = ran_here(here, tests)
    for one in ran:
        said.say(f"{one.told}.", "verified" if one.here else "missing")
    left = len(tests) - sum(one.tests for one in ran)
    if left:
        said.say(f"Tests without a known run as they are here: {left:,} of {len(tests):,}.", "missing")


def run_of(states: Mapping[str, TestEvidenceState], row: TestRow) -> str:
    """Describe a test's last run."""
    state = states.get(row.id)
    if state is None or state.row is None:
        return "no run of it is known here"
    commit = f"at {state.row.commit[:10]}" if state.row.commit else "with uncommitted changes"
    since = f"; {state.reason}" if state.reason else ""
    return f"its last known run, of {state.row.at[:10]} {commit}: {state.row.outcome}{since}"


def say_failures(here: Here, said: Writing, tests: Sequence[TestRow], *, mended: bool = False) -> list[TestRow]:
    """Report the tests whose last known run failed with the atoms they should prove, and return them.

    Those of committed atoms come first. If main is green, all is `mended`: what failed at a commit did so in the past.
    """
    states, failed = here.states, failed_of(here, tests)
    atoms = {row.id: here.rows_in_force(row.atoms) for row in failed}
    failed.sort(key=lambda row: not any(one.status == "committed" for one in atoms[row.id]))
    for row in said.first(failed, "pk evidence show", most=MOST_TESTS):
        run = states[row.id].row
        if mended and run is not None and run.commit:
            said.say(f"{row.id} failed at {run.commit[:10]}.", "verified", here.test(row))
            continue
        broken = "; ".join(map(atom_line, atoms[row.id]))
        should = f" It should prove {broken}" if broken else ""
        said.say(f"{row.id}: {run_of(states, row)}.{should}", "verified", here.test(row))
    return failed


def failed_of(here: Here, tests: Sequence[TestRow]) -> list[TestRow]:
    """Return the tests whose last known run failed."""
    from pactkeeper.intent.results import FAILING  # noqa: PLC0415 - only with a history

    rows = {name: state.row for name, state in here.states.items()}
    return [one for one in tests if (row := rows.get(one.id)) is not None and row.outcome in FAILING]


def runs_known(here: Here, tests: Sequence[TestRow]) -> int:
    """Count the tests of which a run is known."""
    states = here.states
    return sum(row.id in states and states[row.id].row is not None for row in tests)


def tests_about(here: Here, given: Given) -> list[TestRow]:
    """Return the tests whose name or body has the words, best first; all those of a file if there are no words."""
    inside = given.get("file", "")
    if not terms_in(words_in(given)) and inside:
        return [row for row in here.scan.tests if row.file in _files(here, inside)]
    return list(tests_having(here, given)[1])


def tests_having(here: Here, given: Given) -> tuple[int, dict[TestRow, Passage]]:
    """Return how many tests have all of the words, and those close to them, each with its best place, best first."""
    terms = terms_in(words_in(given))
    files = _files(here, given.get("file", ""))
    rows: dict[str, list[TestRow]] = {}
    for row in here.scan.tests:
        rows.setdefault(row.file, []).append(row)
    found = spelled(
        here,
        terms,
        lambda words: here.search(
            files, words, most=SEARCHED, units=lambda path, _: [_unit(row) for row in rows[path]]
        ),
    )
    first: dict[TestRow, Passage] = {}
    for place in (one for one in found.passages if one.close):
        for row in _tests_at(rows[place.path], place):
            first.setdefault(row, place)
    return found.having, first


def _unit(row: TestRow) -> Block:
    head = row.name_line - 1
    return Block(head, row.end_line, head, row.name, " ".join((*row.suite, row.name)))


def _files(here: Here, inside: str) -> list[str]:
    """List the test files, optionally only those in a folder or named after a file."""
    rows = here.scan.tests
    return sorted({row.file for row in rows if not inside or under(row.file, (inside,)) or _of(row.file, inside)})


def _of(test: str, file: str) -> bool:
    """Whether a test file is named after a source file."""
    stem = file.rpartition("/")[2].partition(".")[0].strip("_")
    return bool(stem) and stem in test.rpartition("/")[2]


def _named(row: TestRow, terms: Sequence[str]) -> int:
    name = " ".join((row.file, *row.suite, row.name))
    return sum(form.count(name) > 0 for form in forms_of(terms).values())


def _tests_at(rows: Sequence[TestRow], place: Passage) -> list[TestRow]:
    """Return the innermost test that contains the telling line of a place, if any."""
    within = [row for row in rows if row.name_line <= place.telling <= row.end_line]
    return sorted(within, key=lambda row: row.end_line - row.name_line)[:1]


def test_meant(here: Here, given: Given) -> TestRow | None:
    """Return the one test whose name has most of the words, at least two; None if there is a tie."""
    terms = terms_in(words_in(given))
    ranked = sorted(((_named(row, terms), row.id, row) for row in here.scan.tests), reverse=True)[:2]
    counts = [count for count, _, _ in ranked]
    return ranked[0][2] if counts and counts[0] > 1 and len(set(counts)) == len(counts) else None
