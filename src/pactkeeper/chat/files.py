"""Answers about files: what hangs on them, and what they say of themselves."""

from __future__ import annotations

from collections.abc import Sequence

from pactkeeper.chat.answers import Answer
from pactkeeper.chat.here import Given, Here, lacking, some
from pactkeeper.chat.history import say_drift
from pactkeeper.chat.subjects import ENOUGH, words_in
from pactkeeper.chat.words import terms_of
from pactkeeper.intent.paths import under
from pactkeeper.intent.structure import Edge, RepoStructure
from pactkeeper.operators.check import Row, check_repo
from pactkeeper.operators.structure import get_repo_structure
from pactkeeper.operators.view import StateView


def impact(here: Here, given: Given) -> Answer:
    """What hangs on a file, or on what was changed: files that import it, tests that reach it, their atoms."""
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
    atoms = sorted({atom for row in tests for atom, _, _ in row.links})
    said.say(f"{len(atoms)} atoms are linked to them: {some(atoms, 'pk atom list')}.", "computed")
    unread = (one for one in structure.files if one.computed and one.path in changed)
    said.limits += [f"{one.path}: {one.computed} imports are computed" for one in unread]
    return said.answer("change_impact", next=("pk delta", "pk guard"))


def _drift_in(here: Here, changed: frozenset[str]) -> list[Row]:
    found = check_repo(here.workspace, StateView()).findings if here.declared else ()
    return [row for row in found if row.path in changed and row.severity == "error"]


def _unchanged(here: Here, given: Given) -> Answer:
    """That git knows of no change is an answer; that what is named is nowhere is none."""
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
        terms = terms_of(here.read(" ".join(words_in(given))))
        found = here.search(here.paths, terms, most=3).passages if terms else ()
        return frozenset(one.path for one in found[:1] if one.kind == "code" and one.share >= ENOUGH)
    return changed_here(here)


def changed_here(here: Here) -> frozenset[str]:
    """The files of the working tree that are not as HEAD has them, new ones included."""
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
        return _folder(here, path, inside) if inside else _no_file(here, path)
    data = here.snapshot.read(path)
    if data is None or b"\0" in data[:1024]:
        return lacking("about_file", f"{path} cannot be read as text.")
    lines, said = data.decode("utf-8", "replace").splitlines(), here.writing()
    said.say(f"{path} has {len(lines)} lines.", "computed")
    opening = next((at for at, line in enumerate(lines, 1) if _says_something(line)), 1)
    said.say(f"From line {opening} on it says:", "quoted", here.lines(path, opening, opening + 5))
    outline = [one for one in here.outline(path) if "." not in one.name]
    for one in said.first(sorted(outline, key=lambda one: one.kind == "value"), f"pk structure {path}"):
        said.say(f"It defines {one.name}.", "quoted", here.lines(path, one.line))
    tests = [row for row in here.scan.tests if row.file == path]
    if tests:
        atoms = sorted({atom for row in tests for atom, _, _ in row.links})
        linked = some(atoms, f"pk trace {path}") if atoms else "no atom"
        said.say(f"It holds {len(tests)} tests; they are linked to {linked}.", "computed")
    return said.answer("about_file", next=(f"pk structure {path}",))


def _says_something(line: str) -> bool:
    """Whether a line is neither empty nor a comment, as licences are."""
    return bool(line.strip()) and not line.lstrip().startswith(("#", "//"))


def _folder(here: Here, path: str, inside: Sequence[str]) -> Answer:
    said = here.writing()
    said.say(f"{path} is a folder of {len(inside)} files: {some(inside, f'git ls-files {path}')}.", "computed")
    return said.answer("about_file", next=(f"pk structure {path}",))


def _no_file(here: Here, path: str) -> Answer:
    from difflib import get_close_matches  # noqa: PLC0415 - only where a name is wrong

    names = {one.rpartition("/")[2]: one for one in here.paths}
    near = [names[one] for one in get_close_matches(path.rpartition("/")[2], names, 2, 0.7)]
    hint = f"; the nearest names are {', '.join(near)}" if near else ""
    return lacking(
        "about_file", f"There is no file {path!r} here{hint}.", *(f"pk ask 'what is {one} about'" for one in near)
    )
