"""Answers about something that a question names: what is committed about it, what proves it, broke it, hangs on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from pactkeeper.chat.answers import Answer
from pactkeeper.chat.evidence import Finding
from pactkeeper.chat.forms import forms_of
from pactkeeper.chat.here import MOST, Here, Lookup, Writing, atom_line, lacking, nearest, respelled
from pactkeeper.chat.matching import ideas_of
from pactkeeper.chat.searching import Passage, share_of, titled_at, weighed
from pactkeeper.chat.words import terms_of
from pactkeeper.errors import GitFailed
from pactkeeper.intent.paths import under
from pactkeeper.intent.structure import Edge, RepoStructure
from pactkeeper.operators.atoms import AtomRow, row_of
from pactkeeper.operators.check import Row, check_repo
from pactkeeper.operators.observe import TestRow
from pactkeeper.operators.structure import get_repo_structure
from pactkeeper.operators.view import StateView
from pactkeeper.repo.line_history import Revision, lines_of, past_of, revisions_of

if TYPE_CHECKING:
    from pactkeeper.intent.evidence_state import TestEvidenceState

Given = Mapping[str, Any]
ENOUGH: Final = 60  # of 100: how much of what is asked about has to stand in a place that is to bear an answer
SPEAKS: Final = 50  # of 100: the same for an atom, whose words are few
NEAREST: Final = 10  # and for one that is the nearest thing to it
MOST_TESTS: Final = 5
MOST_ATOMS: Final = 5
MOST_COMMITS: Final = 5_000  # whose first lines are read
HISTORY: Final = frozenset({"when"})  # ideas of words that ask for the past


def words_in(given: Given) -> tuple[str, ...]:
    """What the question is about."""
    return tuple(given.get("words", ()))


def atoms_about(here: Here, given: Given, *, most: int = MOST_ATOMS, share: int = SPEAKS) -> list[AtomRow]:
    """The atoms that are meant: the named one, or those that speak of it, committed ones first."""
    if not here.declared:
        return []
    if "atom" in given:
        return [row_of(one, here.pact) for one in here.pact.atoms.values() if one.id == given["atom"]]
    forms = list(forms_of(terms_of(here.read(" ".join(words_in(given))))).values())
    live = [one for one in here.pact.atoms.values() if here.pact.status_of(one.id) not in {"abandoned", "superseded"}]
    if not forms or not live:
        return []
    texts = [" ".join((one.intent, *one.tags, *one.outcomes, one.id, one.origin or "", one.path)) for one in live]
    forms = nearest([one for one in forms if "-" not in one.word], texts)
    there = [one for one in forms if any(one.count(text) for text in texts)]
    if len(forms) - len(there) < len(there) and any(all(one.count(text) for one in there) for text in texts):
        forms = there  # few words that no atom has are not missed where one has all the others
    weights = weighed(texts, forms)
    shares = [
        (share_of(text, weights), share_of(one.intent, weights), one) for one, text in zip(live, texts, strict=True)
    ]
    meant = sorted((-said, -all_of_it, one.id) for all_of_it, said, one in shares if all_of_it >= share)
    rows = [row_of(here.pact.atoms[name], here.pact) for _, _, name in meant]
    return sorted(rows, key=lambda row: row.status != "committed")[:most]


def committed_about(here: Here, given: Given) -> Answer:
    """What is declared about something; committed atoms first."""
    found, said = atoms_about(here, given), Writing()
    about = " ".join(words_in(given)) or given.get("atom", "")
    if not found:
        close = atoms_about(here, given, most=2, share=NEAREST)
        nothing = f"No atom speaks of all of {about!r}." if close else f"The pact says nothing about {about!r}."
        said.say(nothing, "missing")
        for row in close:
            said.say(f"The nearest thing: {atom_line(row)}", "missing", here.atom(row.atom))
        near = tests_about(here, given)
        for test in near[:2]:
            said.say(f"The nearest thing is a test: {test.id}", "missing", here.test(test))
        then = tuple(f"pk accept '{test.id}'" for test in near[:1]) or (f"pk ask 'where is {about}'",)
        return said.answer("search_atoms", next=then, searched=("the pact's atoms", "names and bodies of tests"))
    if not any(row.status == "committed" for row in found):
        said.say(f"Nothing is committed about {about!r}; this is declared and not committed:", "verified")
    for row in found:
        said.say(atom_line(row), "verified", here.atom(row.atom))
    return said.answer("search_atoms", next=(f"pk explain {found[0].atom.id}",))


def proof_of(here: Here, given: Given) -> Answer:
    """Which tests prove it: those linked to atoms about it, then those that speak of it and are linked to none."""
    said, states = Writing(), _states(here)
    named = {row.atom.id for row in atoms_about(here, given)}
    linked = [row for row in here.scan.tests if named & {atom for atom, _, _ in row.links}]
    for row in linked[:MOST_TESTS]:
        atoms = ", ".join(sorted(named & {atom for atom, _, _ in row.links}))
        said.say(f"{row.id} is linked to {atoms}; {_run_of(states, row)}.", "verified", here.test(row))
    if "atom" not in given:
        for row in tests_about(here, given):
            if row not in linked[:MOST_TESTS]:
                said.say(f"{row.id} speaks of it; {_stands(row)}, {_run_of(states, row)}.", "quoted", here.test(row))
    if not said.says:
        about = given.get("atom") or " ".join(words_in(given))
        close = atoms_about(here, given, most=2, share=NEAREST)
        for atom in close:
            said.say(f"The nearest thing: {atom_line(atom)}", "missing", here.atom(atom.atom))
            linked = [row for row in here.scan.tests if atom.atom.id in {name for name, _, _ in row.links}]
            for row in linked[:2]:
                said.say(f"{row.id} is linked to it.", "missing", here.test(row))
        found = f"No test that can be found here speaks of all of {about!r}"
        said.say(f"{found}." if close else f"{found}, nor of most of it: that is a gap.", "missing")
        return said.answer("show_evidence", next=("pk gaps",), searched=(f"{len(here.scan.tests):,} tests",))
    then = ("pk evidence show", *(f"pk accept '{row.id}'" for row in tests_about(here, given)[:1] if not row.links))
    return said.answer("show_evidence", next=then)


def _states(here: Here) -> Mapping[str, TestEvidenceState]:
    """What is known of each test's last run; nothing where there is no history, which costs nothing to find out."""
    if not here.workspace.has_history:
        return {}
    from pactkeeper.operators.proof import judged  # noqa: PLC0415 - only where there is a history

    return judged(here.workspace, here.snapshot, here.workspace.world(here.snapshot))[0]


def _run_of(states: Mapping[str, TestEvidenceState], row: TestRow) -> str:
    state = states.get(row.id)
    if state is None or state.row is None:
        return "no run of it is known here"
    commit = f" at {state.row.commit[:10]}" if state.row.commit else ""
    why = f" ({state.reason})" if state.reason else ""
    return f"its last known run says {state.state}{commit}{why}"


def _stands(row: TestRow) -> str:
    return (
        "it is linked to no atom" if not row.links else f"it is linked to {', '.join(atom for atom, _, _ in row.links)}"
    )


def tests_about(here: Here, given: Given) -> list[TestRow]:
    """The tests whose name or body speaks of it, the best first."""
    terms = terms_of(here.read(" ".join(words_in(given))))
    inside = given.get("file", "")
    files = sorted(
        {row.file for row in here.scan.tests if not inside or under(row.file, (inside,)) or _of(row.file, inside)}
    )
    if not terms:
        return [row for row in here.scan.tests if row.file in files][:MOST_TESTS] if inside else []
    found = here.search(files, terms, most=40)
    repaired = respelled(here, found.absent) if found.absent else {}
    if repaired:
        terms = tuple(repaired.get(one, one) for one in terms)
        found = here.search(files, terms, most=40)
    rows = [_test_at(here, place) for place in found.passages if place.share >= ENOUGH]
    named = sorted(dict.fromkeys(row for row in rows if row is not None), key=lambda row: -_named(row, terms))
    return named[:MOST_TESTS]


def _of(test: str, file: str) -> bool:
    """Whether a test file is called after a source file."""
    stem = file.rpartition("/")[2].partition(".")[0].strip("_")
    return bool(stem) and stem in test.rpartition("/")[2]


def _named(row: TestRow, terms: Sequence[str]) -> int:
    name = " ".join((row.file, *row.suite, row.name))
    return sum(form.count(name) > 0 for form in forms_of(terms).values())


def _test_at(here: Here, place: Passage) -> TestRow | None:
    """The test that a place lies in, or that begins in it."""
    within = [
        row
        for row in here.scan.tests
        if row.file == place.path and row.name_line <= place.end and place.line <= row.end_line
    ]
    return min(within, key=lambda row: (abs(row.name_line - place.line - 2), row.name_line), default=None)


def what_broke(here: Here, given: Given) -> Answer:
    """What fails about it, and the last commits that changed the lines in question."""
    said, states = Writing(), _states(here)
    tests = _tests_meant(here, given)
    failing = [row for row in (tests or here.scan.tests) if row.id in states and states[row.id].state == "failing"]
    for row in failing[:MOST_TESTS]:
        outcome = states[row.id].row
        when = (
            ""
            if outcome is None
            else f", first known at {outcome.commit[:10] or 'an uncommitted state'} ({outcome.at[:10]})"
        )
        said.say(f"{row.id} fails{when}.", "verified", here.test(row))
    places = _places(here, given, tests)
    for one in _drifted(here, given, tests, anything=not places)[:MOST_TESTS]:
        where = _drift_at(here, one)
        said.say(f"{one.severity} {one.code}: {one.subject}: {one.message}", "verified", where)
        for commit in _revisions(here, where) if one.line else ():
            said.say(f"{where.source}:{where.line} was changed by {commit}", "verified", where)
    if not failing:
        of = " of it" if tests or given else ""
        said.say(f"No failure is known here{of}: no report of a failing run was taken in.", "missing")
    say_commits(here, words_in(given), said)
    for place in places:
        for commit in _revisions(here, place):
            said.say(f"{place.source}:{place.line} was changed by {commit}", "verified", place)
    return said.answer("what_broke", next=("pk evidence import REPORT", "pk findings list"))


def _drifted(here: Here, given: Given, tests: Sequence[TestRow], *, anything: bool) -> list[Row]:
    """What the check finds about what is named, or `anything` where it is nowhere; errors alone if any."""
    if not here.declared:
        return []
    found = check_repo(here.workspace, StateView()).findings
    meant = frozenset({row.file for row in tests} | {given.get("file", "")}) - {""}
    if meant:
        about = [row for row in found if under(row.path, tuple(meant))]
    else:
        forms = forms_of(terms_of(here.read(" ".join(words_in(given))))).values()
        about = [row for row in found if all(form.count(f"{row.subject} {row.message}") for form in forms)]
        about = about or (list(found) if anything else [])
    return [row for row in about if row.severity == "error"] or about


def _drift_at(here: Here, found: Row) -> Finding:
    """The whole test that drifted, as what was changed may stand anywhere in it; else the line that is found."""
    test = next((row for row in here.scan.tests if row.id == found.subject), None)
    return here.lines(found.path, found.line) if test is None else here.test(test)


def test_meant(here: Here, given: Given) -> TestRow | None:
    """The one test whose name has most of the words, two of them at least; None where several have as many."""
    terms = terms_of(here.read(" ".join(words_in(given))))
    ranked = sorted(((_named(row, terms), row.id, row) for row in here.scan.tests), reverse=True)[:2]
    counts = [count for count, _, _ in ranked]
    return ranked[0][2] if counts and counts[0] > 1 and len(set(counts)) == len(counts) else None


def _tests_meant(here: Here, given: Given) -> list[TestRow]:
    atoms = {row.atom.id for row in atoms_about(here, given)} if "atom" in given or words_in(given) else set()
    return [row for row in here.scan.tests if atoms & {atom for atom, _, _ in row.links}]


def _places(here: Here, given: Given, tests: Sequence[TestRow]) -> list[Finding]:
    """Where it stands: the tests of the atoms with code that has its words, the file, or where its words are."""
    if given.get("file") in here.paths and not tests:
        return [here.lines(given["file"], 1, 1)]
    tested = [here.test(row) for row in tests[:2]]
    terms = terms_of(here.read(" ".join(words_in(given))))
    found = here.search(here.paths, terms, most=4).passages if terms else ()
    wanted = {"code"} if tests else {"code", "test"}
    code = [one for one in found if one.kind in wanted and one.share >= ENOUGH]
    return [*tested, *(here.lines(one.path, one.line, one.end) for one in code[:2])]


def say_commits(here: Here, words: Sequence[str], said: Writing) -> None:
    """The last commits whose first line has all the words, each with lines that it was the last to write."""
    forms = forms_of(terms_of(here.read(" ".join(words)))).values()
    told = [one for one in forms if not ideas_of(one.word) & HISTORY]
    past = past_of(here.workspace.repository, most=MOST_COMMITS) if told else ()
    for one in [one for one in past if all(form.count(one.subject) for form in told)][:2]:
        wrote = (here.lines(path, first, last) for path, first, last in lines_of(here.workspace.repository, one.commit))
        last = [place for place in wrote if place.line and _last_changed(here, place) == one.commit]
        last.sort(key=lambda place: here.kinds.get(place.source) != "code")
        said.say(f"commit {_told(one)}", "verified", *last[:1])


def _last_changed(here: Here, place: Finding) -> str:
    try:
        found = revisions_of(here.workspace.repository, place.source, [(place.line, place.end)], most=1)
    except GitFailed:
        return ""
    return found[0].commit if found else ""


def _told(one: Revision) -> str:
    return f"{one.commit[:10]} of {one.at[:10]} by {one.by.partition(' <')[0]}: {one.subject}"


def _revisions(here: Here, place: Finding) -> Iterator[str]:
    """The last commits of some lines, in words."""
    whole = place.line == place.end == 1
    last = (here.lines(place.source, 1, 1).end or 1) if whole else place.end
    try:
        ranges = [(1, max(last, 1))] if whole else [(place.line, place.end)]
        found = revisions_of(here.workspace.repository, place.source, ranges, most=3)
    except GitFailed:
        return
    for one in found:
        yield _told(one)


def impact(here: Here, given: Given) -> Answer:
    """What hangs on a file, or on what was changed: files that import it, tests that reach it, atoms they realise."""
    structure = get_repo_structure(here.workspace, StateView()).structure
    changed = _changed(here, given)
    said = Writing()
    if not changed:
        return _unchanged(given)
    if not given.get("file") and not words_in(given):
        said.say(f"git status: changed in the working tree: {_some(sorted(changed), 'git status')}.", "verified")
    above = _above(structure, changed)
    direct = [edge for edge in structure.edges if edge.imported in changed]
    named = _some(sorted(changed), "git status")
    said.say(f"{len(direct)} files import {named} directly, {len(above)} in all.", "computed")
    if len(direct) > MOST:
        said.limits.append(f"{len(direct) - MOST:,} more imports are not named here; all: pk structure")
    for edge in direct[:MOST]:
        said.say(f"{edge.importer} imports {edge.imported}.", "quoted", here.lines(edge.importer, edge.line))
    tests = [row for row in here.scan.tests if row.file in above or row.file in changed]
    files = sorted({row.file for row in tests})
    said.say(f"{len(tests)} tests in {len(files)} files reach it: {_some(files, 'pk scan')}.", "computed")
    atoms = sorted({atom for row in tests for atom, _, _ in row.links})
    said.say(f"{len(atoms)} atoms are realised by them: {_some(atoms, 'pk atom list')}.", "computed")
    limits = [
        f"{one.path}: {one.computed} imports are computed"
        for one in structure.files
        if one.computed and one.path in changed
    ]
    said.limits += limits
    return said.answer("change_impact", next=("pk delta", "pk guard"))


def _some(names: Sequence[str], command: str) -> str:
    """The first of many, how many more there are, and the command that shows all."""
    more = f" and {len(names) - MOST:,} more (all: {command})" if len(names) > MOST else ""
    return f"{', '.join(names[:MOST]) or 'none'}{more}"


def _unchanged(given: Given) -> Answer:
    """That git knows of no change is an answer; that what is named is nowhere is none."""
    if given.get("file") or words_in(given):
        about = given.get("file") or " ".join(words_in(given))
        return lacking("change_impact", f"Nothing here is found for {about!r}; name a file.", "pk delta")
    said = Writing()
    said.say("git status: nothing is changed in the working tree, so nothing is touched.", "verified")
    return said.answer("change_impact", next=("pk delta",))


def _changed(here: Here, given: Given) -> frozenset[str]:
    if given.get("file"):
        return frozenset(path for path in here.paths if under(path, (given["file"],)))
    if words_in(given):
        terms = terms_of(here.read(" ".join(words_in(given))))
        found = here.search(here.paths, terms, most=3).passages if terms else ()
        return frozenset(one.path for one in found[:1] if one.kind == "code" and one.share >= ENOUGH)
    repository = here.workspace.repository
    base = "HEAD" if repository.head() else ""
    listed = repository.run("diff", "--name-only", "-z", base, "--") if base else b""
    loose = repository.run("ls-files", "--others", "--exclude-standard", "-z")
    return frozenset((listed + loose).decode("utf-8", "replace").split("\0")) - {""}


def _above(structure: RepoStructure, changed: frozenset[str]) -> frozenset[str]:
    """All files that lead to the changed ones."""
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
    """What a file says of itself, what it defines, and what is tested in it."""
    path = given.get("file", "")
    if path not in here.paths:
        inside = [one for one in here.paths if under(one, (path,))]
        return _folder(path, inside) if inside else _no_file(here, path)
    data = here.snapshot.read(path)
    if data is None or b"\0" in data[:1024]:
        return lacking("about_file", f"{path} cannot be read as text.")
    lines = data.decode("utf-8", "replace").splitlines()
    said = Writing()
    said.say(f"{path} has {len(lines)} lines.", "computed")
    opening = next((at for at, line in enumerate(lines, 1) if _says_something(line)), 1)
    said.say("It begins:", "quoted", here.lines(path, opening, opening + 5))
    outline = [one for one in here.outline(path) if "." not in one.name]
    top = [(one.line, one.name) for one in sorted(outline, key=lambda one: one.kind == "value")]
    if not outline:
        titled = ((at + 1, titled_at(path, lines, at)) for at, line in enumerate(lines) if line[:1].strip())
        top = [(at, name) for at, name in titled if name]
    for at, name in top[:MOST]:
        said.say(f"It defines {name}.", "quoted", here.lines(path, at, at))
    tests = [row for row in here.scan.tests if row.file == path]
    if tests:
        atoms = sorted({atom for row in tests for atom, _, _ in row.links})
        linked = _some(atoms, f"pk trace {path}") if atoms else "no atom"
        said.say(f"It holds {len(tests)} tests; they are linked to {linked}.", "computed")
    if len(top) > MOST:
        said.limits.append(f"{len(top) - MOST} more definitions are not named here")
    return said.answer("about_file", next=(f"pk structure {path}",))


def _says_something(line: str) -> bool:
    """Whether a line is neither empty nor a comment, as licences are."""
    return bool(line.strip()) and not line.lstrip().startswith(("#", "//"))


def _folder(path: str, inside: Sequence[str]) -> Answer:
    said = Writing()
    said.say(f"{path} is a folder of {len(inside)} files: {_some(inside, f'git ls-files {path}')}.", "computed")
    return said.answer("about_file", next=(f"pk structure {path}",))


def _no_file(here: Here, path: str) -> Answer:
    from difflib import get_close_matches  # noqa: PLC0415 - only where a name is wrong

    names = {one.rpartition("/")[2]: one for one in here.paths}
    near = [names[one] for one in get_close_matches(path.rpartition("/")[2], names, 2, 0.7)]
    hint = f"; the nearest names are {', '.join(near)}" if near else ""
    return lacking(
        "about_file", f"There is no file {path!r} here{hint}.", *(f"pk ask 'what is {one} about'" for one in near)
    )


SUBJECTS: Final[Mapping[str, Lookup]] = {
    "search_atoms": committed_about,
    "show_evidence": proof_of,
    "what_broke": what_broke,
    "change_impact": impact,
    "about_file": about_file,
}
