"""Answers about the past: what fails for a subject, and which commits changed its lines.

Answers about files: what depends on them, and how they describe themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pactkeeper.chat.answers import Answer
from pactkeeper.chat.commits import MOST_TOLD, Span, say_commits, say_revisions
from pactkeeper.chat.here import Given, Here, Writing, lacking, place_line, place_of, some
from pactkeeper.chat.searching import Passage
from pactkeeper.chat.standing import say_main, say_window
from pactkeeper.chat.subjects import MOST_TESTS, atoms_about, say_failures, say_runs, tests_about, words_in
from pactkeeper.chat.words import terms_in
from pactkeeper.intent.tests import under
from pactkeeper.operators.observe import TestRow
from pactkeeper.operators.view import StateView
from pactkeeper.repo.git import uncommitted

if TYPE_CHECKING:
    from pactkeeper.intent.structure import Edge, RepoStructure
    from pactkeeper.operators.check import Row


def what_broke(here: Here, given: Given) -> Answer:
    """Report what fails for a subject, and the last commits that changed the relevant lines; or what broke when."""
    if given.get("past"):
        from pactkeeper.chat.breaking import broke_in  # noqa: PLC0415 - only a question that names days

        return broke_in(here, here.read(given["question"]))
    said, tests = here.writing(), _tests_meant(here, given)
    named = bool(given.get("file") or given.get("atom") or words_in(given))
    meant = tests if named else here.scan.tests
    failing = say_failures(here, said, meant)
    if say_window(here, said, failing):
        return said.answer("what_broke", next=("pk health timeline", "pk fixes"))
    disputed = not named and say_main(here, said, past=True) == "disputed"
    _say_changes(here, said, given, meant)
    if meant and not failing:
        say_runs(here, said, meant)
    _say_plans(here, given, said)
    for span in _places(here, given, tests):
        say_revisions(here, said, span)
    if named and not said.borne:
        about = given.get("file") or given.get("atom") or " ".join(words_in(given))
        said.say(f"No test, code or commit has all of {about!r}.", "missing")
    kind = {"kind": "closest"} if disputed else {}
    return said.answer("what_broke", next=("pk evidence import REPORT", "pk findings list"), **kind)


def _say_changes(here: Here, said: Writing, given: Given, tests: Sequence[TestRow]) -> None:
    """Report the check's findings about tests, and commits that mention the subject."""
    for span in say_drift(here, said, _drifted(here, given, tests)):
        say_revisions(here, said, span)
    say_commits(here, words_in(given), said)


def _tests_meant(here: Here, given: Given) -> list[TestRow]:
    """Return the tests linked to atoms about the subject, and those that contain its words."""
    atoms = {row.atom.id for row in atoms_about(here, given)} if "atom" in given or words_in(given) else set()
    linked = [row for row in here.scan.tests if atoms.intersection(row.atoms)]
    worded = tests_about(here, given) if words_in(given) or given.get("file") else []
    return list(dict.fromkeys((*linked, *worded)))


def _drifted(here: Here, given: Given, tests: Sequence[TestRow]) -> list[Row]:
    """Return the check's findings about the subject, or all of them if none is named."""
    if not here.declared:
        return []
    from pactkeeper.operators.check import check_repo  # noqa: PLC0415 - most questions ask for no drift

    found, ids = check_repo(here.workspace, StateView()).findings, {row.id for row in tests}
    if given.get("file"):
        return [row for row in found if under(row.path, (given["file"],))]
    if words_in(given) or given.get("atom"):
        return [row for row in found if row.subject in ids or row.subject == given.get("atom")]
    return list(found)


def say_drift(here: Here, said: Writing, found: Sequence[Row]) -> list[Span]:
    """Report the check's findings, only errors if there are any; return the spans of their tests.

    A span covers the whole test, because any of its lines may have changed.
    """
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
    """Locate the subject: the whole definition that has its words, else its first test; or the named file."""
    if given.get("file") in here.paths:
        return [(given["file"], 1, 0)]
    terms = terms_in(words_in(given))
    found = here.search(here.paths, terms, most=4).passages if terms else ()
    code = [one for one in found if one.kind == "code" and one.bears]
    return [whole(here, one) for one in code[:1]] or [_span(row) for row in tests[:1]]


def _say_plans(here: Here, given: Given, said: Writing) -> None:
    """Quote what changelogs and similar files say about the subject."""
    plans = [path for path in here.paths if here.kinds[path] == "plan"]
    found = here.search(plans, terms_in(words_in(given)), most=MOST_TOLD) if words_in(given) else None
    for one in [place for place in found.passages if place.bears] if found else ():
        said.say(place_line(here, one), "quoted", place_of(here, one))


def whole(here: Here, place: Passage) -> Span:
    """Return the innermost definition that contains a place, or just its telling line."""
    held = [one for one in here.outline(place.path) if one.line <= place.telling <= one.last and one.last > one.line]
    inner = max(held, key=lambda one: one.line, default=None)
    return (place.path, place.telling, place.telling) if inner is None else (place.path, inner.line, inner.last)


def impact(here: Here, given: Given) -> Answer:
    """Report what depends on a file or on the current changes: importers, the tests that reach it, their atoms."""
    from pactkeeper.operators.structure import get_repo_structure  # noqa: PLC0415 - only for what a change touches

    structure = get_repo_structure(here.workspace, StateView()).structure
    changed = _changed(here, given)
    if not changed:
        return _unchanged(here, given)
    said, named = here.writing(), some(sorted(changed), "git status")
    mine = not given.get("file") and not words_in(given)
    if mine:
        said.say(f"git status: changed in the working tree: {named}.", "verified")
        say_drift(here, said, _drift_in(here, changed))
    above = _above(structure, changed)
    direct = [edge for edge in structure.edges if edge.imported in changed]
    imported = "what was changed" if mine else named
    said.say(f"Files that import {imported}: {len(direct)} directly, {len(above)} in all.", "computed")
    for edge in said.first(direct, "pk structure"):
        said.say(f"{edge.importer} imports {edge.imported}.", "quoted", here.lines(edge.importer, edge.line))
    tests = [row for row in here.scan.tests if row.file in above or row.file in changed]
    files = sorted({row.file for row in tests})
    said.say(f"{len(tests)} tests are in these files: {some(files, 'pk scan')}.", "computed")
    atoms = sorted({atom for row in tests for atom in row.atoms})
    said.say(f"{len(atoms)} atoms are linked to them: {some(atoms, 'pk atom list')}.", "computed")
    unread = (one for one in structure.files if one.computed and one.path in changed)
    said.limits += [f"{one.path}: {one.computed} imports are computed" for one in unread]
    return said.answer("change_impact", next=("pk delta", "pk guard"))


def _drift_in(here: Here, changed: frozenset[str]) -> list[Row]:
    from pactkeeper.operators.check import check_repo  # noqa: PLC0415 - as above

    found = check_repo(here.workspace, StateView()).findings if here.declared else ()
    return [row for row in found if row.path in changed and row.severity == "error"]


def _unchanged(here: Here, given: Given) -> Answer:
    """A clean working tree is an answer; an unknown subject is not."""
    if given.get("file") or words_in(given):
        about = given.get("file") or " ".join(words_in(given))
        return lacking("change_impact", f"Nothing here is found for {about!r}; name a file.", "pk delta")
    said = here.writing()
    said.say("git status: nothing is changed in the working tree, so nothing is touched.", "verified")
    return said.answer("change_impact", next=("pk delta",))


def _changed(here: Here, given: Given) -> frozenset[str]:
    if given.get("file"):
        return frozenset(path for path in here.paths if under(path, (given["file"],)))
    if words_in(given):
        terms = terms_in(words_in(given))
        found = here.search(here.paths, terms, most=3).passages if terms else ()
        return frozenset(one.path for one in found[:1] if one.kind == "code" and one.bears)
    return frozenset(uncommitted(here.workspace.repository))


def _above(structure: RepoStructure, changed: frozenset[str]) -> frozenset[str]:
    """Return all files that import the changed ones, directly or not."""
    importers: dict[str, list[Edge]] = {}
    for edge in structure.edges:
        importers.setdefault(edge.imported, []).append(edge)
    seen, left = set(changed), list(changed)
    while left:
        for edge in importers.get(left.pop(), ()):
            if edge.importer not in seen:
                seen.add(edge.importer)
                left.append(edge.importer)
    return frozenset(seen - changed)


def about_file(here: Here, given: Given) -> Answer:
    """Report how a file describes itself, what it defines, and the tests in it."""
    path = given.get("file", "")
    if path not in here.paths:
        inside = [one for one in here.paths if under(one, (path,))]
        return _folder(here, path, inside) if inside else _no_file(here, path)
    data = here.snapshot.read(path)
    if data is None or b"\0" in data[:1024]:
        return lacking("about_file", f"{path} cannot be read as text.")
    lines, said = data.decode("utf-8", "replace").splitlines(), here.writing()
    outline = [one for one in here.outline(path) if "." not in one.name]
    kinds = Counter(one.kind for one in outline)
    counted = ", ".join(f"{number} of kind {kind}" for kind, number in sorted(kinds.items()))
    said.say(f"{path} has {len(lines)} lines; definitions: {counted or 'none'}.", "computed")
    opening = next((at for at, line in enumerate(lines, 1) if _says_something(line)), 1)
    said.say(f"From line {opening} on it says:", "quoted", here.lines(path, opening, opening + 5))
    for one in said.first(sorted(outline, key=lambda one: one.kind == "value"), f"pk structure {path}"):
        said.say(f"It defines {one.name}.", "quoted", here.lines(path, one.line))
    tests = [row for row in here.scan.tests if row.file == path]
    if tests:
        atoms = sorted({atom for row in tests for atom in row.atoms})
        linked = some(atoms, f"pk trace {path}") if atoms else "no atom"
        said.say(f"It holds {len(tests)} tests; they are linked to {linked}.", "computed")
    return said.answer("about_file", next=(f"pk structure {path}",))


def _says_something(line: str) -> bool:
    """Whether a line is neither empty nor a comment, such as a licence header."""
    return bool(line.strip()) and not line.lstrip().startswith(("#", "//"))


def _folder(here: Here, path: str, inside: Sequence[str]) -> Answer:
    said = here.writing()
    said.say(f"{path} is a folder of {len(inside)} files: {some(inside, f'git ls-files {path}')}.", "computed")
    return said.answer("about_file", next=(f"pk structure {path}",))


def _no_file(here: Here, path: str) -> Answer:
    from difflib import get_close_matches  # noqa: PLC0415 - only if a name is wrong

    names = {one.rpartition("/")[2]: one for one in here.paths}
    near = [names[one] for one in get_close_matches(path.rpartition("/")[2], names, 2, 0.7)]
    hint = f"; the nearest names are {', '.join(near)}" if near else ""
    return lacking(
        "about_file", f"There is no file {path!r} here{hint}.", *(f"pk ask 'what is {one} about'" for one in near)
    )
