"""Answers from a single verb: what the pact, the history and reports say, with the supporting lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from pactkeeper.advice import ACCEPT
from pactkeeper.chat.answers import Answer, count
from pactkeeper.chat.here import MOST, Given, Here, Lookup, atom_line, some
from pactkeeper.chat.promises import backed_atoms, failing_atoms, list_commitments, unbacked_atoms
from pactkeeper.chat.subjects import say_failures, tests_about, words_in
from pactkeeper.operators import backlog, check, observe, structure
from pactkeeper.operators.view import StateView


def list_atoms(here: Here, _: Given) -> Answer:
    """List atoms, committed ones first and those not in force last."""
    from pactkeeper.operators import atoms  # noqa: PLC0415 - each answer loads only its own

    rows = atoms.list_atoms(here.workspace, atoms.AtomQuery(limit=atoms.EVERYTHING)).rows
    said = here.writing()
    counts = atoms.count_atoms(here.workspace)
    said.say(f"The pact has {count(counts.total, 'atom')}: {_tally(counts.status)}.", "verified")
    last = ("superseded", "abandoned")
    for row in said.first(
        sorted(rows, key=lambda row: (row.status != "committed", row.status in last)), "pk atom list"
    ):
        said.say(atom_line(row), "verified", here.atom(row.atom))
    return said.answer("list_atoms", next=("pk atom list",))


def count_atoms(here: Here, _: Given) -> Answer:
    """Count atoms by status and category."""
    from pactkeeper.operators import atoms  # noqa: PLC0415 - each answer loads only its own

    found, said = atoms.count_atoms(here.workspace), here.writing()
    said.say(f"The pact has {count(found.total, 'atom')}: {_tally(found.status) or 'none'}.", "verified")
    said.say(f"By category: {_tally(found.category) or 'none'}.", "verified")
    said.say(f"{found.without_reviewed_test:,} of them have no reviewed test.", "verified")
    return said.answer("count_atoms", next=("pk atom stats",))


def explain_atom(here: Here, given: Given) -> Answer:
    """Explain one atom."""
    from pactkeeper.operators import explain  # noqa: PLC0415 - each answer loads only its own

    found, said = explain.explain_atom(here.workspace, given["atom"]), here.writing()
    said.say(atom_line(found.row), "verified", here.atom(found.row.atom))
    for made in found.history.commitments:
        said.say(f"Committed by {made.by} on {made.at[:10]}, in {made.id}.", "verified", here.lines(made.path, 1, 4))
    for one in found.row.atom.outcomes:
        said.say(f"Outcome: {one}", "verified", here.atom(found.row.atom))
    for linked in said.first(found.tests, f"pk explain {found.row.atom.id}"):
        test = linked.test.test
        lines = here.lines(test.file, test.name_line, test.end_line)
        said.say(f"{test.id} is {linked.link.state}; evidence: {linked.evidence}.", "verified", lines)
    if found.row.backing is not None:
        said.say(f"It is {found.row.backing.mark}.", "verified")
    if not found.tests:
        said.say("No test names it.", "verified", here.atom(found.row.atom))
    for row in said.first(found.findings, f"pk explain {found.row.atom.id}"):
        said.say(f"{row.severity} {row.code}: {row.message}", "computed", here.lines(row.path, row.line))
    return said.answer("explain_atom", next=(f"pk explain {found.row.atom.id}",))


def orphans_here(here: Here, given: Given) -> Answer:
    """List tests without a declared intent, optionally below a path."""
    from pactkeeper.operators import orphans  # noqa: PLC0415 - each answer loads only its own

    inside = (given["file"],) if given.get("file") else ()
    found, said = orphans.discover_orphans_fullscan(here.workspace, inside), here.writing()
    where = f" in {inside[0]}" if inside else ""
    said.say(f"{len(found.tests):,} of {count(found.total, 'test')}{where} have no declared intent.", "computed")
    words = [one.lower() for one in given.get("words", ())]
    about = [one for one in found.tests if any(word in one.test.id.lower() for word in words)]
    if about:
        said.say(f"{len(about):,} of these have {' or '.join(words)} in file or name.", "computed")
    for path, number in Counter(one.test.file for one in about or found.tests).most_common(3):
        first = next(one.test for one in about or found.tests if one.test.file == path)
        lines = here.lines(path, first.name_line, first.name_line)
        said.say(f"{path}: {count(number, 'test')}, the first is {first.name!r}.", "computed", lines)
    said.limits += [f"{gap.file}: {gap.reason}" for gap in found.gaps]
    go_on = (
        f"pk reconcile {inside[0]}" if inside else "pk gaps --kind orphan --kind debt" if here.declared else "pk init"
    )
    return said.answer("discover_orphans_fullscan", next=(go_on,))


def new_orphans(here: Here, _: Given) -> Answer:
    """List changed tests without a declared intent."""
    from pactkeeper.operators import orphans  # noqa: PLC0415 - each answer loads only its own

    found, said = orphans.discover_orphans_delta(here.workspace), here.writing()
    said.say(f"{count(len(found.tests), 'changed test')} without an intent since {found.base[:12]}.", "verified")
    for one in said.first(found.tests, "pk delta"):
        said.say(one.test.id, "verified", here.lines(one.test.file, one.test.name_line, one.test.end_line))
    return said.answer("discover_orphans_delta", next=("pk reconcile",))


def statistics(here: Here, _: Given) -> Answer:
    """Summarise the state of the repository and the pact."""
    found, said = observe.get_statistics(here.workspace), here.writing()
    said.say(f"{count(sum(found.tests.values()), 'test')}: {_tally(found.tests) or 'none'}.", "computed")
    if found.frameworks:
        said.say(f"Frameworks: {_tally(found.frameworks)}.", "computed")
    if found.declared:
        said.say(f"{count(sum(found.atoms.values()), 'atom')}: {_tally(found.atoms) or 'none'}.", "verified")
        said.say(
            f"{count(found.errors, 'error')} and {count(found.warnings, 'warning')}; debt: {found.debt}.",
            "verified",
        )
    else:
        said.say("There is no pact here yet.", "verified")
    return said.answer("get_statistics", next=("pk status",))


def check_here(here: Here, _: Given) -> Answer:
    """Report drift between tests and pact."""
    found, said = check.check_repo(here.workspace, StateView()), here.writing()
    if not found.declared:
        said.say("There is no pact here, so nothing can disagree with it.", "missing")
        return said.answer("check_repo", next=("pk init",))
    word = "agree" if found.agrees else "do not agree"
    said.say(
        f"Tests and pact {word}: {count(found.count('error'), 'error')}, {count(found.count('warning'), 'warning')}.",
        "verified",
    )
    for row in said.first(found.findings, "pk check"):
        said.say(f"{row.severity} {row.code}: {row.subject}: {row.message}", "verified", here.lines(row.path, row.line))
    say_failures(here, said, [row for row in here.scan.tests if row.links])
    return said.answer("check_repo", next=("pk check",))


def next_one(here: Here, _: Given) -> Answer:
    """Report the next task."""
    found, said = backlog.next_task(here.workspace, backlog.BacklogFilter()), here.writing()
    if found is None:
        said.say("There is nothing to do.", "computed")
        return said.answer("next_task", next=("pk gaps",))
    said.say(f"{found.subject}: {found.message}", "computed", here.lines(found.path, found.line))
    return said.answer("next_task", next=tuple(one for one in (found.command, "pk next") if one))


def gaps(here: Here, given: Given) -> Answer:
    """List all open tasks."""
    inside = (given["file"],) if given.get("file") else ()
    found, said = backlog.find_gaps(here.workspace, backlog.BacklogFilter(paths=inside)), here.writing()
    said.say(
        f"{count(len(found.tasks), 'task')}: {_tally(Counter(one.kind for one in found.tasks)) or 'none'}.",
        "computed",
    )
    for one in said.first(found.tasks, "pk gaps"):
        said.say(f"{one.subject}: {one.message}", "computed", here.lines(one.path, one.line))
    return said.answer("find_gaps", next=("pk gaps",), not_looked_at=tuple(found.unseen))


def list_molecules(here: Here, _: Given) -> Answer:
    """List stored molecules and computed groups."""
    from pactkeeper.operators import molecules  # noqa: PLC0415 - each answer loads only its own

    found, said = molecules.list_molecules(here.workspace, "path"), here.writing()
    said.say(
        f"{count(len(found.stored), 'kept molecule')}, {count(len(found.computed), 'computed group')}.", "verified"
    )
    for one in said.first(found.stored, "pk molecule list"):
        said.say(f"{one.id} {one.name}: {count(len(one.atoms), 'atom')}.", "verified")
    for view in said.first(found.computed, "pk molecule list"):
        said.say(f"{view.name}: {count(len(view.atoms), 'atom')} (computed).", "computed")
    return said.answer("list_molecules", next=("pk molecule list",))


def rules(here: Here, _: Given) -> Answer:
    """List the invariants."""
    from pactkeeper.operators import invariants  # noqa: PLC0415 - each answer loads only its own

    said = here.writing()
    found = invariants.get_invariants(here.workspace, StateView())
    for one in found:
        said.say(f"{one.id}{'' if one.setting.enabled else ' (off)'}: {one.text}", "verified")
    return said.answer("get_invariants", next=("pk invariant list",))


def waiting_questions(here: Here, _: Given) -> Answer:
    """List pending questions."""
    from pactkeeper.operators import questions  # noqa: PLC0415 - each answer loads only its own

    found, said = questions.pending_questions(here.workspace), here.writing()
    said.say(f"{count(len(found), 'question')} wait." if found else "No question waits.", "computed")
    for one in said.first(found, "pk questions"):
        said.say(f"{one.id} {one.kind}: {one.subject}", "computed")
    return said.answer("pending_questions", next=("pk questions",))


def past_runs(here: Here, _: Given) -> Answer:
    """List the latest runs."""
    from pactkeeper.operators import runs  # noqa: PLC0415 - each answer loads only its own

    found, said = runs.list_runs(here.workspace, limit=MOST), here.writing()
    for one in found:
        said.say(
            f"{one.run.id}: {one.run.status} at {one.run.updated_at[:16]}, {_tally(one.fates) or 'no ops'}.", "computed"
        )
    if not found:
        said.say("There was no run yet.", "missing")
    return said.answer("list_runs", next=("pk runs list" if found else "pk reconcile",))


def wording(here: Here, given: Given) -> Answer:
    """Report how well atoms are worded."""
    from pactkeeper.operators import words as quality  # noqa: PLC0415 - each answer loads only its own

    names = (given["atom"],) if given.get("atom") else ()
    found, said = quality.validate_atom_quality(here.workspace, names), here.writing()
    low = sum(one.quality.score < here.pact.settings.quality_threshold for one in found)
    said.say(f"{low} of {count(len(found), 'atom')} score below {here.pact.settings.quality_threshold}.", "computed")
    for one in said.first(found, "pk atom quality"):
        said.say(f"{one.atom.id} {one.quality.score}: {one.atom.intent}", "computed", here.atom(one.atom))
    return said.answer("validate_atom_quality", next=("pk atom quality",))


def contradictions(here: Here, _: Given) -> Answer:
    """List atoms that may contradict or repeat each other."""
    from pactkeeper.operators import conflicts  # noqa: PLC0415 - each answer loads only its own

    found, said = conflicts.find_conflicts(here.workspace), here.writing()
    said.say(
        f"{count(len(found.rows), 'candidate')}." if found.rows else "Nothing was found that may contradict or repeat.",
        "computed",
    )
    for row in said.first(found.rows, "pk atom conflicts"):
        lines = [here.atom(one.atom) for one in row.atoms]
        said.say(f"{row.candidate.conflict.kind}: {' / '.join(one.atom.id for one in row.atoms)}", "computed", *lines)
    return said.answer("find_conflicts", next=("pk atom conflicts",))


def layout(here: Here, _: Given) -> Answer:
    """Summarise files, folders, imports and cycles."""
    found, said = structure.get_repo_structure(here.workspace, StateView()).structure, here.writing()
    folders = Counter(path.partition("/")[0] for path in here.paths if "/" in path)
    said.say(f"{count(len(here.paths), 'file')}; folders: {_tally(dict(folders.most_common(MOST)))}.", "computed")
    languages = Counter(one.language for one in found.files if one.language)
    said.say(
        f"Languages: {_tally(dict(languages.most_common()))}; {count(len(found.edges), 'import')} inside.", "computed"
    )
    if not found.components:
        said.say("No imports form cycles.", "computed")
    for one in said.first(found.components, "pk structure", most=3):
        edge = next(edge for edge in found.edges if {edge.importer, edge.imported} <= set(one.files))
        words = f"{count(len(one.files), 'file')} import each other in a cycle: {some(one.files, 'pk structure')}."
        said.say(words, "computed", here.lines(edge.importer, edge.line))
    return said.answer("get_repo_structure", next=("pk structure",))


def trace(here: Here, given: Given) -> Answer:
    """Report which of the tests that are meant are linked to which atoms, or how many of all tests are linked."""
    found, said, atom = structure.coupling_report(here.workspace), here.writing(), given.get("atom")
    every = not (atom or words_in(given) or given.get("file"))
    about = [] if every else tests_about(here, given)
    rows = [row for row in here.scan.tests if atom in row.atoms] if atom else about
    bare = [row for row in rows if not row.links]
    for row in said.first([row for row in rows if row.links], "pk scan"):
        atoms = ", ".join(row.atoms)
        said.say(f"{row.id} is linked to {atoms}.", "verified", here.test(row))
    for row in said.first(bare, "pk scan"):
        said.say(f"{row.id} is linked to no atom.", "computed", here.test(row))
    if every:
        said.say(f"Tests by their links: {_tally(found.tests) or 'none'}.", "computed")
    if here.declared:
        said.say(f"{len(found.alone)} atoms in force have no test.", "verified")
    elif not every:
        said.limits.append("there is no pact here, so no test can be linked")
    for name in said.first(found.alone, "pk gaps") if every else ():
        lone = here.row(name)
        said.say(atom_line(lone), "verified", here.atom(lone.atom))
    return said.answer("trace", next=tuple(ACCEPT(f"'{row.id}'") for row in bare[:1]) or ("pk scan",))


def _tally(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items() if number)


SIMPLE: Final[Mapping[str, Lookup]] = {
    "list_atoms": list_atoms,
    "backed_atoms": backed_atoms,
    "unbacked_atoms": unbacked_atoms,
    "failing_atoms": failing_atoms,
    "count_atoms": count_atoms,
    "explain_atom": explain_atom,
    "discover_orphans_fullscan": orphans_here,
    "discover_orphans_delta": new_orphans,
    "get_statistics": statistics,
    "check_repo": check_here,
    "next_task": next_one,
    "find_gaps": gaps,
    "list_commitments": list_commitments,
    "list_molecules": list_molecules,
    "get_invariants": rules,
    "pending_questions": waiting_questions,
    "list_runs": past_runs,
    "validate_atom_quality": wording,
    "find_conflicts": contradictions,
    "get_repo_structure": layout,
    "trace": trace,
}
