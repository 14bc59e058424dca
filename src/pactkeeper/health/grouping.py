"""Groups failures by root cause and describes what to fix, in a few files at most and in the tools' own words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pactkeeper.health.causes import CAUSE_KINDS, SURE, Cause, causes, title
from pactkeeper.intent.health import UNREAD, Diagnostic
from pactkeeper.ledger.canonical import by_key
from pactkeeper.repo.test_side import is_test_side

QUOTED: Final = 5  # errors quoted in a description
_WORDS: Final = 5  # of a branch name
_LONGEST: Final = 400  # characters of a quoted error


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Failures of one root cause in reported order; `scope` lists the most relevant files."""

    cause: Cause
    diagnostics: tuple[Diagnostic, ...]
    scope: tuple[str, ...]

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """The fingerprints of its failures, deduplicated, in order."""
        return tuple(dict.fromkeys(one.fingerprint for one in self.diagnostics))

    @property
    def checks(self) -> tuple[str, ...]:
        """The checks that report them, deduplicated, in order."""
        return tuple(dict.fromkeys(one.check for one in self.diagnostics))

    @property
    def sure(self) -> bool:
        """Whether a further failure with this cause is the same failure, rather than another one in the same file."""
        return self.cause.kind in SURE


def group(
    diagnostics: Iterable[Diagnostic], *, most_files: int = 3, suspects: Mapping[str, Sequence[str]] | None = None
) -> tuple[FailureGroup, ...]:
    """Group failures that share a cause, directly or transitively, in reported order.

    Everything else that fails in a file with conflict markers joins that file's group. `suspects` are, by fingerprint,
    the files that may be at fault if the failure itself names no product file.
    """
    found = list(dict.fromkeys(diagnostics))
    torn = {one.file for one in found if one.category == "conflict"}
    told = suspects or {}
    rest = _Sets(told)
    for one in found:
        if one.file not in torn:
            rest.add(one)
    rest.follow()
    groups = [together(members, most_files=most_files, suspects=told) for members in rest.members()]
    return (*_conflicts([one for one in found if one.file in torn], most_files), *groups)


def together(
    members: Sequence[Diagnostic], *, most_files: int = 3, suspects: Mapping[str, Sequence[str]] | None = None
) -> FailureGroup:
    """Make one group of these failures, named after their most common cause."""
    told = suspects or {}
    cause = _name(members, told)
    counts = Counter(path for one in members for path in told.get(one.fingerprint, ()))
    found = [path for path, _ in counts.most_common()]
    product = [path for path in found if not is_test_side(path)]
    tests = [path for path in found if is_test_side(path)][:1]  # named only if the test file itself changed
    scope = _scope(members, cause, product)
    if all(is_test_side(path) for path in scope):
        scope = [*product, *tests] or scope
    kept = [path for path in scope if path not in tests][: max(1, most_files - len(tests))]
    return FailureGroup(cause, tuple(members), (*kept, *tests)[:most_files])


def describe(
    one: FailureGroup, *, proves: Mapping[str, Sequence[str]] | None = None, sentences: Mapping[str, str] | None = None
) -> str:
    """Describe what is wrong and where, with the exact errors, those first that break what was committed.

    `proves` maps fingerprints to broken committed atoms, `sentences` these to their words.
    """
    grave = sorted(one.diagnostics, key=lambda each: not (proves or {}).get(each.fingerprint))
    lines = [title(one.cause, grave)]
    lines += [f"- {located(each)}" for each in grave[:QUOTED]]
    if len(one.diagnostics) > QUOTED:
        lines.append(f"- and {len(one.diagnostics) - QUOTED} more of the same cause")
    broken = sorted({atom for name in one.fingerprints for atom in (proves or {}).get(name, ())})
    if broken:
        lines.append(f"This breaks committed atoms: {', '.join(broken)}.")
        lines += [f"- {atom}: {sentences[atom]}" for atom in broken if sentences and atom in sentences]
    lines.append("Change only what fixes this; add nothing else, and leave the tests as strict as they are.")
    return "\n".join(lines)


def located(one: Diagnostic) -> str:
    """Format a diagnostic as tools do: `file:line:column RULE message`, and the test that reports it."""
    place = ":".join(str(part) for part in (one.file, one.line, one.column) if part)
    rule = "" if one.rule in {"", UNREAD} or one.rule in one.message else f"{one.rule} "
    message = " ".join(one.message.split())
    cut = message if len(message) <= _LONGEST else message[: _LONGEST - 1] + "…"
    return f"{place} {rule}{cut}{f' ({one.test})' if one.test else ''}".strip()


def slug(cause: Cause) -> str:
    """Return a few words of the cause for a branch name: lowercase letters, digits and hyphens."""
    about = "" if cause.kind == "conflict" else cause.about
    words = re.findall(r"[a-z0-9]+", f"{cause.kind} {about}".lower())
    return "-".join(words[:_WORDS])


def _conflicts(found: Sequence[Diagnostic], most_files: int) -> Iterator[FailureGroup]:
    paths = sorted({one.file for one in found})
    for start in range(0, len(paths), most_files):
        files = tuple(paths[start : start + most_files])
        members = tuple(one for one in found if one.file in files)
        yield FailureGroup(Cause("conflict", ", ".join(files)), members, files)


class _Sets:
    """A union-find of diagnostics by shared cause."""

    def __init__(self, suspects: Mapping[str, Sequence[str]]) -> None:
        self._suspects = suspects
        self._parent: dict[Cause, Cause] = {}
        self._found: list[tuple[Diagnostic, Cause]] = []

    def add(self, one: Diagnostic) -> None:
        """Add a diagnostic and merge all of its causes."""
        first, *others = _causes(one, self._suspects)
        self._parent.setdefault(first, first)
        for other in others:
            self._parent.setdefault(other, other)
            self._parent[self._root(other)] = self._root(first)
        self._found.append((one, first))

    def follow(self) -> None:
        """Merge compiler errors that name nothing into the only other cause in their file.

        Tests and other errors that lead nowhere but to that file are merged too.
        """
        roots: dict[str, set[Cause]] = {}
        for one, cause in self._found:
            if cause.kind not in {"file", "check"} and not one.test:
                roots.setdefault(one.file, set()).add(self._root(cause))
        for one, cause in self._found:
            file = cause.about if cause.kind == "origin" else one.file if cause.kind == "file" and not one.test else ""
            known = roots.get(file, set())
            led = Cause("origin", file)
            if len(known) == 1:
                self._parent[self._root(cause)] = known.pop()
            elif not known and led in self._parent:
                self._parent[self._root(cause)] = self._root(led)

    def members(self) -> list[list[Diagnostic]]:
        """Return the sets in the order of their first members."""
        return list(by_key((self._root(cause), one) for one, cause in self._found).values())

    def _root(self, cause: Cause) -> Cause:
        while self._parent[cause] != cause:
            self._parent[cause] = self._parent[self._parent[cause]]
            cause = self._parent[cause]
        return cause


def _causes(one: Diagnostic, suspects: Mapping[str, Sequence[str]]) -> tuple[Cause, ...]:
    """Return its causes; a single product suspect is one, and replaces the file if nothing else is known."""
    found = causes(one)
    suspected = [path for path in suspects.get(one.fingerprint, ()) if not is_test_side(path)]
    if len(suspected) != 1:
        return found
    origin = Cause("origin", suspected[0])
    return (origin,) if found[0].kind == "file" else (*found, origin)


def _name(members: Sequence[Diagnostic], suspects: Mapping[str, Sequence[str]]) -> Cause:
    """Return the cause that most members share; ties go to the most certain kind."""
    counts = Counter(cause for one in members for cause in _causes(one, suspects))
    return min(counts, key=lambda cause: (-counts[cause], CAUSE_KINDS.index(cause.kind), cause.about))


def _scope(members: Sequence[Diagnostic], cause: Cause, suspected: Sequence[str]) -> list[str]:
    """List the definition first if known, then the files with the most errors; test files only as a last resort."""
    named = [one for one in members if one.rule != UNREAD or not suspected]  # a word that is a path says little
    related = Counter(path for one in named for path in one.related)
    errors = Counter(one.file for one in members if one.file)
    product = [path for path, _ in related.most_common() if not is_test_side(path)]
    if len(suspected) == 1:
        product = [*suspected, *product]
    defined = [cause.about] if cause.kind in {"module", "origin"} else product[:1]
    few = len(errors) == 1 and cause.kind == "interface"  # one use against its definition: the use is the smaller fix
    ranked = sorted(errors, key=lambda path: (-errors[path], path))
    files = [*ranked, *defined] if few else [*defined, *ranked]
    found = list(dict.fromkeys([*files, *product]))
    told = [path for path in found if not is_test_side(path)]
    return told or found
