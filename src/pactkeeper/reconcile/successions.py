"""What check finds about atoms that replace one another: two claims on one atom, and claims that wait."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pactkeeper.intent.links import LinkedTest
from pactkeeper.intent.pact import Pact
from pactkeeper.intent.tests import file_of
from pactkeeper.reconcile.located import Located, located, quoted


def succession_findings(pact: Pact) -> Iterator[Located]:
    """Name every atom with several successors, and every committed atom whose successor waits to be committed."""
    for name in pact.atoms:
        claimants = pact.claimants_of(name)
        if len(claimants) > 1:
            yield _contested(name, claimants, pact)
        waiting = pact.waiting_for(name)
        if waiting is not None and pact.status_of(name) == "committed":
            yield _waiting(name, waiting, pact)


def _contested(name: str, claimants: tuple[str, ...], pact: Pact) -> Located:
    counts, other = claimants[0], pact.atoms[claimants[1]]
    said = " and ".join(f"{one} ({pact.status_of(one)})" for one in claimants)
    return located(
        "PK130",
        name,
        f"{said} both say that they replace it; {counts} counts",
        path=other.path,
        line=other.line,
        fix=_settle(other.id, pact),
        basis=" ".join(sorted(claimants)),
        about=other.id,
    )


def _settle(other: str, pact: Pact) -> str:
    """`supersedes` is not frozen, so a person may take it out of a committed atom; a draft is edited or given up."""
    if pact.is_committed(other):
        return f"take supersedes out of one of the two tables, such as {other}; both stay committed"
    return f"pk atom edit {other} --no-supersedes, or pk atom abandon {other} --reason …"


def _waiting(name: str, waiting: str, pact: Pact) -> Located:
    atom = pact.atoms[waiting]
    return located(
        "PK131",
        waiting,
        f"it waits to replace {name}, which is committed and holds until then",
        path=atom.path,
        line=atom.line,
        fix=f"pk commit {waiting}",
        basis=name,
        about=name,
    )


def moved_findings(moved: Mapping[str, str], tests: Mapping[str, LinkedTest]) -> Iterator[Located]:
    """One finding for all tests that moved from one place to another; `moved` holds the old id by the new one."""
    together: dict[tuple[str, str], list[str]] = {}
    for new, old in moved.items():
        together.setdefault(_places(old, new), []).append(new)
    for (before, after), names in together.items():
        first = tests[names[0]].test
        number = len(names)
        orphaned = any(not tests[name].links for name in names)
        yield located(
            "PK114",
            after,
            f"{number} {'test' if number == 1 else 'tests'} moved: {before} → {after}",
            path=first.file,
            line=first.name_line,
            fix=f"pk accept --moved {quoted(after)}",
            basis=" ".join(sorted(moved[name] for name in names)),
            severity=None if orphaned else "warning",
        )


def _places(old: str, new: str) -> tuple[str, str]:
    """The smallest places that tell a move: the files, else the suites, else the tests themselves."""
    files = (file_of(old), file_of(new))
    if files[0] != files[1]:
        return files
    suites = (old.rpartition("::")[0], new.rpartition("::")[0])
    return suites if suites[0] != suites[1] else (old, new)
