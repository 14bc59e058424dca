"""Answers about promises: who committed what and when, which tests back it, what fails; and which questions ask so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from pactkeeper.chat.answers import Answer, count
from pactkeeper.chat.commits import Wanted, asks_past, asks_when, day_of, line_revisions
from pactkeeper.chat.here import MOST, Given, Here, Writing, atom_line, some
from pactkeeper.chat.knowing import bare, days_in, named_days, names_in, promised, without_days, words_of_name
from pactkeeper.chat.matching import VerbRow, subject, verbs
from pactkeeper.chat.routing import Routed, Unclear
from pactkeeper.chat.standing import say_main
from pactkeeper.chat.subjects import ALL, EVERY, NEAREST, atoms_about, runs_known, say_failures, say_runs, words_in
from pactkeeper.chat.words import Question

if TYPE_CHECKING:
    from pactkeeper.intent.evidence_state import Backing
    from pactkeeper.operators.atoms import AtomRow


WHO: Final = ("who", "wer", "qui", "quién")


def people_of(here: Here) -> frozenset[str]:
    """Return the words of the names of all who changed files or committed atoms, as `bare` has them."""
    authors = {one.by for one in here.past}
    committers = {one.by for one in here.pact.commitments.values()} if here.declared else set()
    return frozenset().union(*map(words_of_name, authors | committers))


def wanted_by(here: Here, question: Question) -> Wanted:
    """Return the days and people that a question names; one that asks who did something means each of them."""
    known = people_of(here)
    people = tuple(one for one in dict.fromkeys(question.words) if bare(one) in known)
    return Wanted(days=named_days(question), people=people, each=asks_who(question) and not people)


def asks_who(question: Question) -> bool:
    """Whether a question begins with `who`."""
    return question.words[0].lower() in WHO


def names_somebody(here: Here, question: Question) -> bool:
    """Whether a question names somebody who changed files or committed atoms."""
    names = [bare(one) for one in names_in(question)]
    return bool(names) and not people_of(here).isdisjoint(names)


def of_promises(here: Here, question: Question, found: Routed | Unclear) -> Routed | Unclear:
    """Turn a search for a promise into the state of the promises, or commitments if it names a person or since when."""
    if not here.declared or not any(map(promised, question.words)):
        return found
    searches = isinstance(found, Routed) and found.verb.name == "explore"
    whose = searches and asks_when(question)
    unsure = isinstance(found, Unclear) or searches or found.verb.name == "search_atoms"
    dated = bool(days_in(question))
    if whose or (unsure and (dated or not people_of(here).isdisjoint(map(bare, question.words)))):
        return _about(question, verbs()["list_commitments"])
    return _about(question, verbs()["backed_atoms"]) if searches else found


def _about(question: Question, verb: VerbRow) -> Routed:
    return Routed(verb, {"words": [one for one in subject(question, verb) if not promised(one)]})


def list_commitments(here: Here, given: Given) -> Answer:
    """List who committed what, and when: what a person, on a day, or about a subject."""
    from pactkeeper.operators import commitments  # noqa: PLC0415 - each answer loads only its own

    every = commitments.list_commitments(here.workspace, commitments.Filter(atom=given.get("atom")))
    said, question = here.writing(), here.read(given.get("question", ""))
    wanted = wanted_by(here, question)
    rest = [one for one in without_days(question, words_in(given)) if one not in wanted.people]
    rest = [one for one in rest if not (promised(one) or asks_past(one))]
    meant = atoms_about(here, {"words": rest}, most=EVERY, share=ALL) if rest else []
    atoms = {row.atom.id for row in meant}
    found = [row for row in every if wanted.fits(row.at[:10], row.by)]
    found = [row for row in found if not rest or any(one.id in atoms for one in row.atoms)]
    if not found and (every or wanted.narrow):
        about = f" about {' '.join(rest)!r}" if rest else ""
        said.say(f"There is no commitment{wanted}{about}.", "missing")
        for atom in meant[:MOST]:
            said.say(f"Nearest: {atom_line(atom)}", "missing", here.atom(atom.atom))
        _say_proposed(here, said, wanted, rest)
        return said.answer("list_commitments", next=("pk commitment list",))
    said.say(f"{count(len(found), 'commitment')}." if found else "Nothing is committed yet.", "verified")
    for row in said.first(found, "pk commitment list"):
        words = (
            f"{row.id}: {count(len(row.atoms), 'atom')} by {row.by} on {row.at[:10]}, {row.status}, {row.assurance}."
        )
        said.say(words, "verified", here.lines(row.path, 1, 4))
    mine = dict.fromkeys(one.id for row in found for one in row.atoms)
    all_of = [here.row(one) for one in mine if one in here.pact.atoms] if not rest else meant
    for named in said.first([row for row in all_of if row.atom.id in mine], "pk commitment list"):
        said.say(atom_line(named), "verified", here.atom(named.atom))
    _say_proposed(here, said, wanted, rest)
    return said.answer("list_commitments", next=("pk commitment list",))


def _say_proposed(here: Here, said: Writing, wanted: Wanted, about: Sequence[str]) -> None:
    """Name what tickets proposed on some days, going by commits of their lines or else today, if all is asked for."""
    asked = here.pact.live_atoms if wanted.days and not about else ()
    today = wanted.fits(day_of(here.workspace.now().isoformat()), "")
    for one in [one for one in asked if (one.source, one.status) == ("ticket", "proposed")]:
        wrote = line_revisions(here, (one.path, one.line, one.line), most=1)
        if any(map(wanted.takes, wrote)) or (today and not wrote):
            line = atom_line(here.row(one.id))
            said.say(f"A ticket wants it, and nobody has committed it: {line}", "verified", here.atom(one))


def backed_atoms(here: Here, given: Given) -> Answer:
    """Count the committed atoms that tests back, and list them with these tests."""
    return _backing(here, given, "backed")


def unbacked_atoms(here: Here, given: Given) -> Answer:
    """Count the committed atoms that no test backs, and list them with the reason."""
    return _backing(here, given, "unbacked")


def _backing(here: Here, given: Given, wanted: Literal["backed", "unbacked"]) -> Answer:
    from pactkeeper.operators import atoms  # noqa: PLC0415 - each answer loads only its own

    said, command = here.writing(), f"pk atom list --backing {wanted}"
    rows = atoms.list_atoms(here.workspace, atoms.AtomQuery(limit=atoms.EVERYTHING, backing="any")).rows
    every = _narrowed(here, given, rows)
    backings = {row.atom.id: row.backing for row in every if row.backing is not None}
    live = [row for row in every if row.atom.id in backings]
    for sentence in _counts(live, backings) or ["The pact has no atom in force."]:
        said.say(sentence, "verified")
    said.say(_runs(here, live), "verified")
    listed = [row for row in live if every is not rows or _is(wanted, backings[row.atom.id])]
    for row in said.first(sorted(listed, key=lambda row: _order(row, backings[row.atom.id])), command):
        backing = backings[row.atom.id]
        tests = some(backing.tests, f"pk explain {row.atom.id}")
        said.say(f"{atom_line(row)} – {backing.mark}: {backing.lacks or tests}", "verified", here.atom(row.atom))
    return said.answer(f"{wanted}_atoms", next=(command, "pk evidence show"))


def _is(wanted: Literal["backed", "unbacked"], backing: Backing) -> bool:
    """Whether an atom is one of the wanted ones; a failing one always is."""
    return backing.backed is (wanted == "backed") or backing.state == "failing"


def _order(row: AtomRow, backing: Backing) -> tuple[bool, bool, bool]:
    """Failing atoms come first, then committed ones, and of both those without a test."""
    return backing.state != "failing", row.status != "committed", backing.backed


def _runs(here: Here, live: Sequence[AtomRow]) -> str:
    """Say of how many linked tests a run is known, since a test that backs an atom may never have run."""
    ids = {row.atom.id for row in live}
    tests = [row for row in here.scan.tests if ids.intersection(row.atoms)]
    return f"Backed is not passed: a run is known of {runs_known(here, tests):,} of {count(len(tests), 'linked test')}."


def _counts(live: Sequence[AtomRow], backings: Mapping[str, Backing]) -> list[str]:
    groups = {True: "committed atoms", False: "atoms that are not committed yet"}
    found: list[str] = []
    for firm, told in groups.items():
        rows = [row for row in live if (row.status == "committed") is firm]
        backed = sum(backings[row.atom.id].backed for row in rows)
        if rows:
            found.append(f"Tests back {backed:,} of {len(rows):,} {told}; {len(rows) - backed:,} unbacked.")
    return found


def _narrowed(here: Here, given: Given, rows: Sequence[AtomRow]) -> Sequence[AtomRow]:
    """Return the rows about the subject of the question; all of them if it has none that the pact knows."""
    if not words_in(given) and "atom" not in given:
        return rows
    some_of_it = atoms_about(here, given, most=EVERY) or atoms_about(here, given, most=EVERY, share=NEAREST)
    meant = {one.atom.id for one in some_of_it}
    return [row for row in rows if row.atom.id in meant] or rows


def failing_atoms(here: Here, _: Given) -> Answer:
    """List the tests of atoms in force that failed in their last known run, with these atoms."""
    said, tests = here.writing(), [row for row in here.scan.tests if here.pact.in_force(row.atoms)]
    if not say_failures(here, said, tests):
        if runs_known(here, tests):
            said.say("No test that should prove an atom failed in its last known run.", "verified")
        say_runs(here, said, tests)
    say_main(here, said, past=False)
    return said.answer("failing_atoms", next=("pk evidence show",))
