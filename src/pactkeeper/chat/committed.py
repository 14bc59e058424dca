"""Answers about commitments: who promised what, and when; and which questions ask for promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pactkeeper.chat.answers import Answer, count
from pactkeeper.chat.commits import MOST_COMMITS, asks_past, asks_when
from pactkeeper.chat.here import MOST, Given, Here, atom_line
from pactkeeper.chat.knowing import days_in, named_days, names_in, promised, without_days, words_of_name
from pactkeeper.chat.matching import VerbRow, subject, verbs
from pactkeeper.chat.routing import Routed, Unclear
from pactkeeper.chat.subjects import ALL, EVERY, atoms_about, words_in
from pactkeeper.chat.words import Question
from pactkeeper.repo.line_history import past_of
from pactkeeper.speech.dates import Date, apart, dates_in

if TYPE_CHECKING:
    from pactkeeper.operators.commitments import CommitmentRow


def people_of(here: Here) -> frozenset[str]:
    """Return the words of the names of all who changed files or committed atoms, in lower case."""
    authors = {one.by for one in past_of(here.workspace.repository, most=MOST_COMMITS)}
    committers = {one.by for one in here.pact.commitments.values()} if here.declared else set()
    return frozenset().union(*map(words_of_name, authors | committers))


def names_somebody(here: Here, question: Question) -> bool:
    """Whether a question names somebody who changed files or committed atoms."""
    names = [one.casefold() for one in names_in(question)]
    return bool(names) and not people_of(here).isdisjoint(names)


def of_promises(here: Here, question: Question, found: Routed | Unclear) -> Routed | Unclear:
    """Turn a search for a promise into the state of the promises, and one that names a person into commitments."""
    if not here.declared or not any(map(promised, question.words)):
        return found
    searches = isinstance(found, Routed) and found.verb.name == "explore"
    whose = searches and asks_when(question)
    unsure = isinstance(found, Unclear) or searches or found.verb.name == "search_atoms"
    if whose or (unsure and not people_of(here).isdisjoint(one.casefold() for one in question.words)):
        return _about(question, verbs()["list_commitments"])
    return _about(question, verbs()["backed_atoms"]) if searches else found


def _about(question: Question, verb: VerbRow) -> Routed:
    return Routed(verb, {"words": [one for one in subject(question, verb) if not promised(one)]})


def list_commitments(here: Here, given: Given) -> Answer:
    """List who committed what, and when: what a person, on a day, or about a subject."""
    from pactkeeper.operators import commitments  # noqa: PLC0415 - each answer loads only its own

    every = commitments.list_commitments(here.workspace, commitments.Filter(atom=given.get("atom")))
    said, question = here.writing(), here.read(given.get("question", ""))
    people = {one.casefold() for one in question.words} & people_of(here)
    rest = [one for one in without_days(question, words_in(given)) if one.casefold() not in people]
    rest = [one for one in rest if not (promised(one) or asks_past(one))]
    meant = atoms_about(here, {"words": rest}, most=EVERY, share=ALL) if rest else []
    atoms = {row.atom.id for row in meant}
    found = [row for row in every if people <= words_of_name(row.by) and _is_on(row, days_in(question))]
    found = [row for row in found if not rest or any(one.id in atoms for one in row.atoms)]
    if every and not found:
        by = [f" by {one.title()}" for one in sorted(people)]
        days = [f" {'of ' if one.side == 'on' else ''}{text}" for one, text in named_days(question)]
        about = [f" about {' '.join(rest)!r}"] if rest else []
        said.say(f"There is no commitment{''.join((*by, *days, *about))}.", "missing")
        for atom in meant[:MOST]:
            said.say(f"Nearest: {atom_line(atom)}", "missing", here.atom(atom.atom))
        return said.answer("list_commitments", next=("pk commitment list",))
    said.say(f"{count(len(found), 'commitment')}." if found else "Nothing is committed yet.", "verified")
    for row in said.first(found, "pk commitment list"):
        words = (
            f"{row.id}: {count(len(row.atoms), 'atom')} by {row.by} on {row.at[:10]}, {row.status}, {row.assurance}."
        )
        said.say(words, "verified", here.lines(row.path, 1, 4))
    mine = {one.id for row in found for one in row.atoms}
    for named in said.first([row for row in meant if row.atom.id in mine], "pk commitment list"):
        said.say(atom_line(named), "verified", here.atom(named.atom))
    return said.answer("list_commitments", next=("pk commitment list",))


def _is_on(row: CommitmentRow, days: Sequence[Date]) -> bool:
    return not any(apart(day, at) for day in days for at in dates_in(row.at[:10]))
