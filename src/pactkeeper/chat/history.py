"""Answers about the past: what fails about something, and which commits changed its lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pactkeeper.chat.answers import Answer
from pactkeeper.chat.evidence import Finding
from pactkeeper.chat.forms import forms_of
from pactkeeper.chat.here import Given, Here, Writing
from pactkeeper.chat.matching import ideas_of
from pactkeeper.chat.searching import Passage
from pactkeeper.chat.subjects import ENOUGH, MOST_TESTS, atoms_about, run_of, states_of, tests_about, words_in
from pactkeeper.chat.words import Question, terms_of
from pactkeeper.errors import GitFailed
from pactkeeper.intent.paths import under
from pactkeeper.intent.results import FAILING
from pactkeeper.operators.check import Row, check_repo
from pactkeeper.operators.observe import TestRow
from pactkeeper.operators.view import StateView
from pactkeeper.repo.line_history import Revision, committed_bytes, lines_of, past_of, revisions_of

MOST_COMMITS: Final = 5_000  # whose first lines are read
MOST_TOLD: Final = 3  # commits of one place
OPENING: Final = 2  # words by which a question asks for the past; later ones, `when` above all, only join sentences
Span = tuple[str, int, int]  # a path, the first and the last line; the last is 0 for the whole file
PAST: Final = "when"  # the idea of words that ask for it


def asks_when(question: Question) -> bool:
    """Whether a question opens with a word that asks for the past: `since when`, `who`, `seit wann`."""
    return any(asks_past(one) for one in question.words[:OPENING])


def asks_past(word: str) -> bool:
    """Whether a word asks for the past."""
    return PAST in ideas_of(word)


def what_broke(here: Here, given: Given) -> Answer:
    """What fails about it, and the last commits that changed the lines in question."""
    said, states = here.writing(), states_of(here)
    tests = _tests_meant(here, given)
    named = bool(given.get("file") or given.get("atom") or words_in(given))
    asked = tests if named else here.scan.tests
    failing = [row for row in asked if row.id in states and (was := states[row.id].row) and was.outcome in FAILING]
    for row in said.first(failing, "pk evidence show", most=MOST_TESTS):
        said.say(f"{row.id}: {run_of(states, row)}.", "verified", here.test(row))
    for span in say_drift(here, said, _drifted(here, given, tests)):
        _say_revisions(here, said, span)
    say_commits(here, words_in(given), said)
    if asked and not failing:
        known = sum(row.id in states and states[row.id].row is not None for row in asked)
        about = "of it " if named else ""
        said.say(f"No failure {about}is known here: of {len(asked)} tests, a run of {known} is known.", "missing")
    for span in _places(here, given, tests):
        _say_revisions(here, said, span)
    if not said.borne:
        about = given.get("file") or given.get("atom") or " ".join(words_in(given))
        said.say(f"The repository does not say: no test, code or commit was found for {about!r}.", "missing")
    return said.answer("what_broke", next=("pk evidence import REPORT", "pk findings list"))


def _tests_meant(here: Here, given: Given) -> list[TestRow]:
    """The tests that are linked to atoms about it, and those that have its words."""
    atoms = {row.atom.id for row in atoms_about(here, given)} if "atom" in given or words_in(given) else set()
    linked = [row for row in here.scan.tests if atoms & {atom for atom, _, _ in row.links}]
    worded = tests_about(here, given) if words_in(given) or given.get("file") else []
    return list(dict.fromkeys((*linked, *worded)))


def _drifted(here: Here, given: Given, tests: Sequence[TestRow]) -> list[Row]:
    """What the check finds about what is named, everything where nothing is."""
    if not here.declared:
        return []
    found, ids = check_repo(here.workspace, StateView()).findings, {row.id for row in tests}
    if given.get("file"):
        return [row for row in found if under(row.path, (given["file"],))]
    if words_in(given) or given.get("atom"):
        return [row for row in found if row.subject in ids or row.subject == given.get("atom")]
    return list(found)


def say_drift(here: Here, said: Writing, found: Sequence[Row]) -> list[Span]:
    """What the check finds, errors alone if any, each with its whole test, as any line of it may have changed."""
    tests = {row.id: row for row in here.scan.tests}
    errors = [row for row in found if row.severity == "error"] or list(found)
    spans: list[Span] = []
    for one in said.first(errors, "pk check", most=MOST_TESTS):
        test = tests.get(one.subject)
        spans.append((one.path, one.line, one.line) if test is None else _span(test))
        said.say(f"{one.severity} {one.code}: {one.subject}: {one.message}", "verified", here.lines(*spans[-1]))
    return spans


def _span(test: TestRow) -> Span:
    return test.file, test.name_line, test.end_line


def _places(here: Here, given: Given, tests: Sequence[TestRow]) -> list[Span]:
    """Where it stands: the code that has its words, whole definitions, and the first of its tests; or the file."""
    if given.get("file") in here.paths:
        return [(given["file"], 1, 0)]
    terms = terms_of(here.read(" ".join(words_in(given))))
    found = here.search(here.paths, terms, most=4).passages if terms else ()
    code = [one for one in found if one.kind == "code" and one.share >= ENOUGH]
    return [*(_whole(here, one) for one in code[:2]), *(_span(row) for row in tests[:1])]


def _whole(here: Here, place: Passage) -> Span:
    """The innermost definition that a place stands in; the place where it is in none."""
    at = place.telling or place.line
    held = [one for one in here.outline(place.path) if one.line <= at <= one.last and one.last > one.line]
    inner = max(held, key=lambda one: one.line, default=None)
    return (place.path, place.line, place.end) if inner is None else (place.path, inner.line, inner.last)


def say_commits(here: Here, words: Sequence[str], said: Writing) -> None:
    """The last commits whose first line has all the words, each with lines that it was the last to write."""
    forms = forms_of(terms_of(here.read(" ".join(words)))).values()
    told = [one for one in forms if not asks_past(one.word)]
    past = past_of(here.workspace.repository, most=MOST_COMMITS) if told else ()
    meant = [one for one in past if all(form.count(one.subject) for form in told)]
    for one in said.first(meant, "git log --oneline", most=MOST_TOLD):
        wrote = (here.lines(path, first, last) for path, first, last in lines_of(here.workspace.repository, one.commit))
        last = [place for place in wrote if place.line and _last_changed(here, place) == one.commit]
        last.sort(key=lambda place: here.kinds.get(place.source) != "code")
        said.say(f"commit {_told(one)}", "verified", *last[:1])


def _last_changed(here: Here, place: Finding) -> str:
    return next((one.commit for one in _revisions(here, (place.source, place.line, place.end), most=1)), "")


def _say_revisions(here: Here, said: Writing, span: Span) -> None:
    """The last commits that changed some lines."""
    path, first, last = span
    for one in _revisions(here, span, most=MOST_TOLD):
        name = f"{path}:{first}" + (f"-{last}" if last > first else "") if last else path
        said.say(f"{name} was changed by {_told(one)}", "verified", here.lines(path, first, last or 1))


def _revisions(here: Here, span: Span, *, most: int) -> tuple[Revision, ...]:
    """The last commits of some lines; none where HEAD has other lines there, as git knows of no others."""
    path, first, last = span
    held = (committed_bytes(here.workspace.repository, path) or b"").splitlines()
    now = (here.snapshot.read(path) or b"").splitlines() if last else held
    last = last or len(held)
    if not held or not first or held[first - 1 : last] != now[first - 1 : last]:
        return ()
    try:
        return revisions_of(here.workspace.repository, path, [(first, last)], most=most)
    except GitFailed:
        return ()


def _told(one: Revision) -> str:
    return f"{one.commit[:10]} of {one.at[:10]} by {one.by.partition(' <')[0]}: {one.subject}"
